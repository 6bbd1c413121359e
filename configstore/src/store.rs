//! The connection to the store, its migrations, and what a login needs of it.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use pintail_worker_api::Secret;
use pintail_worker_api::bootstrap::PostgresTarget;
use tokio::sync::watch;
use tokio_postgres::NoTls;
use tokio_postgres::config::Host;

use crate::{CatalogName, Error, OrgSlug, Sealer, Snapshot, UserName};

/// Connections kept to the store; logins and provisioning share them.
const POOL_SIZE: usize = 8;
/// How long a login waits for the store.
const WAIT: Duration = Duration::from_secs(5);

mod migrations {
    refinery::embed_migrations!("migrations");
}

/// The store.
#[derive(Clone)]
pub struct Store {
    pub(crate) pool: Pool,
    target: PostgresTarget,
    pub(crate) sealer: Arc<Sealer>,
    pub(crate) fresh: Arc<watch::Sender<Arc<Snapshot>>>,
}

/// What the store knows of an accepted combination of organisation, user and catalog.
#[derive(Debug, Clone)]
pub struct Login {
    /// The organisation.
    pub org: OrgSlug,
    /// The user.
    pub user: UserName,
    /// The user's SCRAM verifier.
    pub verifier: Secret<String>,
    /// The catalog that the session starts in.
    pub catalog: CatalogName,
    /// Its metadata schema.
    pub metadata_schema: String,
    /// Its data prefix: `<slug>/<catalog>/` below the installation's data directory or bucket.
    pub data_prefix: String,
    /// Where its metadata is, with its own role.
    pub metadata: PostgresTarget,
}

impl Store {
    /// Connects lazily to a store named by URL (`postgres://…` or key=value).
    pub fn by_url(url: &str, sealer: Sealer) -> Result<Self, Error> {
        let config = tokio_postgres::Config::from_str(url).map_err(|error| Error::Url {
            reason: error.to_string(),
        })?;
        let host = match config.get_hosts().first() {
            Some(Host::Tcp(name)) => name.clone(),
            Some(Host::Unix(path)) => path.to_string_lossy().into_owned(),
            None => {
                return Err(Error::Url {
                    reason: "it names no host".into(),
                });
            }
        };
        let missing = |what: &str| Error::Url {
            reason: format!("it names no {what}"),
        };
        let target = PostgresTarget {
            host,
            port: config.get_ports().first().copied().unwrap_or(5432),
            database: config.get_dbname().ok_or_else(|| missing("database"))?.to_owned(),
            user: config.get_user().ok_or_else(|| missing("user"))?.to_owned(),
            password: Secret::new(
                String::from_utf8_lossy(config.get_password().ok_or_else(|| missing("password"))?).into_owned(),
            ),
        };
        Self::by_target(target, sealer)
    }

    /// Connects lazily to a store given in parts.
    pub fn by_target(target: PostgresTarget, sealer: Sealer) -> Result<Self, Error> {
        let mut config = tokio_postgres::Config::new();
        config
            .host(&target.host)
            .port(target.port)
            .dbname(&target.database)
            .user(&target.user)
            .password(target.password.expose())
            .application_name("pintail")
            .connect_timeout(WAIT);
        let manager = Manager::from_config(
            config,
            NoTls,
            ManagerConfig {
                recycling_method: RecyclingMethod::Fast,
            },
        );
        let pool = Pool::builder(manager)
            .max_size(POOL_SIZE)
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(WAIT))
            .create_timeout(Some(WAIT))
            .build()
            .map_err(|error| Error::Url {
                reason: error.to_string(),
            })?;
        Ok(Self {
            pool,
            target,
            sealer: Arc::new(sealer),
            fresh: Arc::new(watch::Sender::default()),
        })
    }

    /// Where the store, and with it the lakes' metadata, is.
    pub fn target(&self) -> &PostgresTarget {
        &self.target
    }

    pub(crate) async fn client(&self) -> Result<deadpool_postgres::Object, Error> {
        Ok(self.pool.get().await?)
    }

    /// Brings the store's schema to this program's version. Several may try at once; one does it.
    pub async fn migrate(&self) -> Result<(), Error> {
        /// Any number will do that no other program takes as its advisory lock.
        const LOCK: i64 = 0x7069_6e74_6169_6c00;
        let mut client = self.client().await?;
        client.execute("SELECT pg_advisory_lock($1)", &[&LOCK]).await?;
        let result = async {
            client
                .batch_execute(
                    "CREATE SCHEMA IF NOT EXISTS pintail; REVOKE ALL ON SCHEMA pintail FROM PUBLIC; \
                     REVOKE ALL ON SCHEMA public FROM PUBLIC",
                )
                .await?;
            let mut runner = migrations::migrations::runner();
            runner.set_migration_table_name("pintail.schema_history");
            runner.run_async(&mut **client).await?;
            Ok(())
        }
        .await;
        client.execute("SELECT pg_advisory_unlock($1)", &[&LOCK]).await?;
        result
    }

    /// Whether the store answers.
    pub async fn ping(&self) -> Result<(), Error> {
        self.client().await?.simple_query("SELECT 1").await?;
        Ok(())
    }

    /// What a login needs, if organisation, user and ready catalog exist, none of them disabled.
    pub async fn login(&self, org: &str, user: &str, catalog: &str) -> Result<Option<Login>, Error> {
        let client = self.client().await?;
        let query = client
            .prepare_cached(
                "SELECT u.verifier, c.metadata_schema, c.data_prefix, c.role_name, c.role_password \
                 FROM pintail.orgs o JOIN pintail.users u USING (org_id) JOIN pintail.catalogs c USING (org_id) \
                 WHERE o.slug = $1 AND u.name = $2 AND c.name = $3 AND c.state = 'ready' \
                   AND NOT o.disabled AND NOT u.disabled",
            )
            .await?;
        let Some(row) = client.query_opt(&query, &[&org, &user, &catalog]).await? else {
            return Ok(None);
        };
        Ok(Some(Login {
            org: OrgSlug::parse(org)?,
            user: UserName::parse(user)?,
            verifier: Secret::new(row.get(0)),
            catalog: CatalogName::parse(catalog)?,
            metadata_schema: row.get(1),
            data_prefix: row.get(2),
            metadata: PostgresTarget {
                user: row.get(3),
                password: Secret::new(row.get(4)),
                ..self.target.clone()
            },
        }))
    }

    /// A key of this installation, made at the first call: fake salts and the like stay the same over restarts.
    pub async fn installation_key(&self, name: &str) -> Result<Secret<Vec<u8>>, Error> {
        let fresh: [u8; 32] = rand::random();
        let client = self.client().await?;
        let row = client
            .query_one(
                "INSERT INTO pintail.installation (key, value) VALUES ($1, $2) \
                 ON CONFLICT (key) DO UPDATE SET value = pintail.installation.value RETURNING value",
                &[&name, &fresh.as_slice()],
            )
            .await?;
        Ok(Secret::new(row.get(0)))
    }
}
