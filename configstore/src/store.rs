//! The handle of the store.

use std::sync::Arc;

use deadpool_postgres::{Pool, Runtime};
use pintail_worker_api::Secret;
use pintail_worker_api::bootstrap::PostgresTarget;

use crate::connect::{Endpoint, WAIT};
use crate::fresh::Freshness;
use crate::{Error, Sealer};

/// Connections kept to the store; loads and changes share them.
const POOL_SIZE: usize = 8;

/// The store. Clones share everything.
#[derive(Clone)]
pub struct Store {
    pool: Pool,
    pub(crate) endpoint: Endpoint,
    pub(crate) sealer: Arc<Sealer>,
    pub(crate) freshness: Arc<Freshness>,
}

impl Store {
    /// Connects lazily to a store named by URL (`postgres://…` or key=value), with `sslmode` and `sslrootcert` as libpq knows
    /// them.
    pub fn by_url(url: &str, sealer: Sealer) -> Result<Self, Error> {
        Self::at(Endpoint::by_url(url)?, sealer)
    }

    /// Connects lazily to a store given in parts, without TLS.
    pub fn by_target(target: PostgresTarget, sealer: Sealer) -> Result<Self, Error> {
        Self::at(Endpoint::plain(target), sealer)
    }

    fn at(endpoint: Endpoint, sealer: Sealer) -> Result<Self, Error> {
        let pool = Pool::builder(endpoint.manager())
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
            endpoint,
            sealer: Arc::new(sealer),
            freshness: Arc::default(),
        })
    }

    /// The environment in which libpq, and with it a worker, reaches the store as securely as this does: `PGSSLMODE`,
    /// `PGSSLROOTCERT`. No secret is in it.
    pub fn libpq_environment(&self) -> &[(&'static str, String)] {
        self.endpoint.libpq()
    }

    /// Where the store, and with it the lakes' metadata, is.
    pub fn target(&self) -> &PostgresTarget {
        &self.endpoint.target
    }

    pub(crate) async fn client(&self) -> Result<deadpool_postgres::Object, Error> {
        Ok(self.pool.get().await?)
    }

    /// Whether the store answers.
    pub async fn ping(&self) -> Result<(), Error> {
        self.client().await?.simple_query("SELECT 1").await?;
        Ok(())
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
