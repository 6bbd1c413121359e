//! The organisation, user and catalog of an installation that nobody has configured, and the local operator's token.

use anyhow::Context as _;
use base64::Engine as _;
use pintail_configstore::{
    Actor, CatalogName, CatalogSpec, OrgSlug, OrgSpec, StorageKind, Store, TokenRole, UserName, UserSpec,
};
use pintail_worker_api::Secret;

use super::runtime::{DEFAULT_USER, DefaultUser, TOKEN};
use crate::config::Config;
use crate::provision::Provisioner;
use crate::unix;

/// Names of what the first start makes.
const USER: &str = "pintail";
const CATALOG: &str = "lake";
const LOCAL_TOKEN: &str = "local";

/// Makes them unless they are there. Each step may be repeated after a crash.
pub(super) async fn ensure(config: &Config, store: &Store, provisioner: &Provisioner) -> anyhow::Result<()> {
    ensure_token(config, store).await?;
    if config.default_org.is_empty() {
        return Ok(());
    }
    let actor = Actor::pintail();
    let slug = OrgSlug::parse(&config.default_org)?;
    let (user, catalog) = (UserName::parse(USER)?, CatalogName::parse(CATALOG)?);
    let path = config.data_dir().join(DEFAULT_USER);
    let written = match std::fs::read(&path) {
        Ok(content) => {
            Some(serde_json::from_slice::<DefaultUser>(&content).with_context(|| path.display().to_string())?)
        }
        Err(_) => None,
    };
    let snapshot = store.snapshot();
    let org = snapshot.org(slug.as_str());
    // An organisation that an operator made, or whose user and catalog an operator removed, is left as it is.
    let ours = written.is_some() || org.is_none_or(|org| org.users.is_empty() && org.catalogs.is_empty());
    if !ours {
        return Ok(());
    }
    if org.is_none() {
        store.put_org(&actor, &slug, &OrgSpec::default()).await?;
    }
    let has_user = org.is_some_and(|org| org.users.contains_key(USER));
    let has_catalog = org.is_some_and(|org| org.catalogs.contains_key(CATALOG));
    if written.is_none() || (!has_user && !has_catalog) {
        let known = written.unwrap_or_else(|| DefaultUser {
            user: USER.into(),
            password: fresh_password(),
            database: CATALOG.into(),
        });
        // The file first: a crash in between leaves a password that the next start gives to the user.
        unix::write_private(&path, &serde_json::to_vec(&known)?).with_context(|| path.display().to_string())?;
        let spec = UserSpec {
            password: Some(Secret::new(known.password)),
            ..UserSpec::default()
        };
        store.put_user(&actor, &slug, &user, &spec).await?;
        let spec = CatalogSpec::DuckLake {
            storage: StorageKind::Local,
        };
        store.put_catalog(&actor, &slug, &catalog, &spec).await?;
    }
    let snapshot = store.snapshot();
    if let Some(catalog) = snapshot.org(slug.as_str()).and_then(|org| org.catalogs.get(CATALOG)) {
        provisioner
            .make(catalog.id)
            .await
            .context("making the default catalog")?;
    }
    Ok(())
}

/// The token with which the command line on this machine reaches the admin port.
async fn ensure_token(config: &Config, store: &Store) -> anyhow::Result<()> {
    let path = config.data_dir().join(TOKEN);
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    if !known.is_empty() && store.check_token(known.trim()).await?.is_some() {
        return Ok(());
    }
    let actor = Actor::pintail();
    // Several servers on one store have a directory, and a token, each.
    let name = format!("{LOCAL_TOKEN}-{:08x}", rand::random::<u32>());
    let token = store.create_token(&actor, &name, TokenRole::Admin).await?;
    unix::write_private(&path, token.expose().as_bytes()).with_context(|| path.display().to_string())?;
    Ok(())
}

fn fresh_password() -> String {
    let bytes: [u8; 18] = rand::random();
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}
