//! A store in a database of its own, and ways to look behind it.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use pintail_configstore::{
    Actor, CatalogName, CatalogSpec, Error, OrgSlug, OrgSpec, Sealer, SealingKey, StorageKind, Store, UserName,
    UserSpec,
};
use pintail_worker_api::Secret;
use pintail_worker_api::bootstrap::{PostgresTarget, S3Target, Tls, UrlStyle};
use tokio_postgres::{Client, Config, NoTls};

use crate::server::{PASSWORD, Server};

/// A database, and the key that its store seals with.
pub(crate) struct Fixture {
    pub(crate) server: Arc<Server>,
    pub(crate) target: PostgresTarget,
    /// The key's text.
    pub(crate) key: String,
}

/// A migrated store.
pub(crate) async fn store() -> (Fixture, Store) {
    let fixture = Fixture::new().await;
    let store = fixture.store();
    store.migrate().await.expect("migrated");
    (fixture, store)
}

impl Fixture {
    /// An empty database that belongs to the superuser.
    pub(crate) async fn new() -> Self {
        Self::owned_by("postgres", PASSWORD).await
    }

    /// An empty database that belongs to a role that may make roles and nothing else.
    pub(crate) async fn of_plain_role() -> Self {
        let server = Server::shared();
        let admin = format!("admin_{}", server.next_database());
        let super_user = connect(&server, "postgres", "postgres", PASSWORD)
            .await
            .expect("superuser");
        let statement = format!("CREATE ROLE {admin} LOGIN CREATEROLE PASSWORD '{PASSWORD}'");
        super_user.batch_execute(&statement).await.expect("role");
        Self::owned_by(&admin, PASSWORD).await
    }

    async fn owned_by(role: &str, password: &str) -> Self {
        let server = Server::shared();
        let database = server.next_database();
        let client = connect(&server, "postgres", "postgres", PASSWORD)
            .await
            .expect("superuser");
        let statement = format!("CREATE DATABASE {database} OWNER {role}");
        client.batch_execute(&statement).await.expect("database");
        Self {
            target: PostgresTarget {
                host: server.path().to_string_lossy().into_owned(),
                port: server.port(),
                database,
                user: role.to_owned(),
                password: Secret::new(password.to_owned()),
            },
            key: SealingKey::fresh().expect("key").text().expose().clone(),
            server,
        }
    }

    /// Another process's store on the same database.
    pub(crate) fn store(&self) -> Store {
        self.store_with(&self.key)
    }

    /// The same with other sealing keys.
    pub(crate) fn store_with(&self, keys: &str) -> Store {
        let sealer = Sealer::parse(keys).expect("keys");
        Store::by_target(self.target.clone(), sealer).expect("store")
    }

    /// A plain session of the database's superuser.
    pub(crate) async fn super_user(&self) -> Client {
        self.session("postgres", PASSWORD).await.expect("superuser")
    }

    /// A plain session of any role.
    pub(crate) async fn session(&self, role: &str, password: &str) -> Result<Client, tokio_postgres::Error> {
        connect(&self.server, &self.target.database, role, password).await
    }
}

async fn connect(server: &Server, database: &str, role: &str, password: &str) -> Result<Client, tokio_postgres::Error> {
    let mut config = Config::new();
    config
        .host_path(server.path())
        .port(server.port())
        .dbname(database)
        .user(role)
        .password(password);
    let (client, connection) = config.connect(NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// The SQLSTATE that a statement ends in; empty for success.
pub(crate) async fn sqlstate(client: &Client, statement: &str) -> String {
    match client.batch_execute(statement).await {
        Ok(()) => String::new(),
        Err(error) => error.code().map(|code| code.code().to_owned()).unwrap_or_default(),
    }
}

/// The only value of the only row.
pub(crate) async fn value<T: for<'a> tokio_postgres::types::FromSql<'a>>(client: &Client, query: &str) -> T {
    client.query_one(query, &[]).await.expect("one row").get(0)
}

/// Waits until something holds.
pub(crate) async fn eventually(what: &str, deadline: Duration, mut holds: impl AsyncFnMut() -> bool) {
    let end = tokio::time::Instant::now() + deadline;
    while !holds().await {
        assert!(tokio::time::Instant::now() < end, "not within {deadline:?}: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Everything that an error says, to whoever asks.
pub(crate) fn said(error: &Error) -> String {
    use pintail_sqlstate::ToReport as _;
    let mut text = format!("{error} {error:?} {:?}", error.to_report());
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        let _ = write!(text, " {inner} {inner:?}");
        source = inner.source();
    }
    text
}

pub(crate) fn actor() -> Actor {
    Actor::new("test:actor")
}

pub(crate) fn slug(name: &str) -> OrgSlug {
    OrgSlug::parse(name).expect("slug")
}

pub(crate) fn catalog(name: &str) -> CatalogName {
    CatalogName::parse(name).expect("catalog")
}

pub(crate) fn user(name: &str) -> UserName {
    UserName::parse(name).expect("user")
}

pub(crate) fn secret(text: &str) -> Secret<String> {
    Secret::new(text.to_owned())
}

/// A user's specification with a password.
pub(crate) fn with_password(text: &str) -> UserSpec {
    UserSpec {
        password: Some(secret(text)),
        ..UserSpec::default()
    }
}

pub(crate) fn local_lake() -> CatalogSpec {
    CatalogSpec::DuckLake {
        storage: StorageKind::Local,
    }
}

pub(crate) fn s3_lake(bucket: &str, prefix_root: &str, key: &str) -> CatalogSpec {
    CatalogSpec::DuckLake {
        storage: StorageKind::S3 {
            bucket: bucket.into(),
            prefix_root: prefix_root.into(),
            target: s3(key),
        },
    }
}

pub(crate) fn s3(key: &str) -> S3Target {
    S3Target {
        endpoint: "127.0.0.1:8333".into(),
        region: "us-east-1".into(),
        path_style: UrlStyle::Path,
        tls: Tls::Off,
        key_id: secret(&format!("id-{key}")),
        secret: secret(key),
    }
}

/// Makes an organisation with nothing in it.
pub(crate) async fn org(store: &Store, name: &str) -> OrgSlug {
    let slug = slug(name);
    store
        .put_org(&actor(), &slug, &OrgSpec::default())
        .await
        .expect("organisation");
    slug
}
