//! The organisation, user and catalog of an installation that nobody has configured.

use anyhow::Context as _;
use base64::Engine as _;
use pintail_configstore::{CatalogName, CatalogState, NewCatalog, OrgSlug, UserName};
use pintail_worker_api::Secret;
use pintail_worker_api::bootstrap::LakeOpening;
use pintail_worker_api::messages::{ArrowWanted, Execute, OpenSession, Want};

use super::runtime::{DEFAULT_USER, DefaultUser};
use crate::listener::Server;
use crate::unix;

/// Names of what the first start makes.
const USER: &str = "pintail";
const CATALOG: &str = "lake";

/// Makes them unless they are there. Each step may be repeated after a crash.
pub(super) async fn ensure(server: &Server) -> anyhow::Result<()> {
    if server.config.default_org.is_empty() {
        return Ok(());
    }
    let org = OrgSlug::parse(&server.config.default_org)?;
    let (user, catalog) = (UserName::parse(USER)?, CatalogName::parse(CATALOG)?);
    let store = &server.store;
    store.ensure_org(&org).await?;
    let path = server.config.data_dir().join(DEFAULT_USER);
    let known = match std::fs::read(&path) {
        Ok(content) => {
            Some(serde_json::from_slice::<DefaultUser>(&content).with_context(|| path.display().to_string())?)
        }
        Err(_) => None,
    };
    if !store.has_user(&org, &user).await? || known.is_none() {
        let known = known.unwrap_or_else(|| DefaultUser {
            user: USER.into(),
            password: fresh_password(),
            database: CATALOG.into(),
        });
        // The file first: a crash in between leaves a password that the next start gives to the user.
        unix::write_private(&path, &serde_json::to_vec(&known)?).with_context(|| path.display().to_string())?;
        store.ensure_user(&org, &user, &Secret::new(known.password)).await?;
    }
    if store.ensure_lake(&org, &catalog).await? == NewCatalog::ToInitialise {
        tracing::info!(%org, %catalog, "initialising the default catalog");
        store.mark_catalog(&org, &catalog, CatalogState::Ready).await?;
        if let Err(error) = initialise(server, &org, &catalog).await {
            store
                .mark_catalog(&org, &catalog, CatalogState::Provisioning)
                .await?;
            return Err(error);
        }
    }
    Ok(())
}

/// A first session makes the lake's own tables by attaching it, then Pintail's hidden ones.
async fn initialise(server: &Server, org: &OrgSlug, catalog: &CatalogName) -> anyhow::Result<()> {
    let login = server
        .store
        .login(org.as_str(), USER, catalog.as_str())
        .await?
        .context("the catalog that was just made is missing")?;
    let mut tenant = server.tenant(&login, LakeOpening::Provision)?;
    // A worker that may provision is never handed to a session: its key is another, and it is retired afterwards.
    tenant.key.catalog = format!("{catalog} (provisioning)");
    let mut lease = server.pool.acquire(&tenant).await?;
    lease.mark_opening();
    let client = lease.client();
    let open = OpenSession {
        session_id: "provision".into(),
        ..OpenSession::default()
    };
    client.open_session(&open).await?;
    for (sequence, sql) in (1..).zip(pintail_pgcatalog::hidden_schema(catalog.as_str())) {
        let execute = Execute {
            sql,
            sequence,
            want: Some(Want::Arrow(ArrowWanted {})),
            ..Execute::default()
        };
        let mut answer = client.execute(&execute).await?;
        while answer.next().await?.is_some() {}
    }
    Ok(())
}

fn fresh_password() -> String {
    let bytes: [u8; 18] = rand::random();
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}
