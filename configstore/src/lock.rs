//! One process at a catalog at a time, over the whole installation.
//!
//! A lock is a session's advisory lock on a connection that does nothing else, so that the end of the process or of the
//! machine gives it back.

use std::time::Duration;

use deadpool_postgres::{ClientWrapper, Object};

use crate::{CatalogId, Error, Store};

/// The upper half of the lock's number; the lower one is the catalog's.
const CLASS: i64 = 0x7063_6174 << 32;
/// How long [`Store::lock_catalog`] waits.
const PATIENCE: Duration = Duration::from_secs(30);

/// A catalog's lock; given back by being dropped, or by the end of the process.
pub struct CatalogLock {
    client: ClientWrapper,
}

impl CatalogLock {
    /// Whether the connection that holds the lock still stands.
    pub fn is_held(&self) -> bool {
        !self.client.is_closed()
    }
}

impl Store {
    /// Waits for a catalog's lock. [`Error::Conflict`] after half a minute.
    pub async fn lock_catalog(&self, id: CatalogId) -> Result<CatalogLock, Error> {
        let client = self.lock_connection().await?;
        client
            .batch_execute(&format!("SET lock_timeout = {}", PATIENCE.as_millis()))
            .await?;
        match client.execute("SELECT pg_advisory_lock($1)", &[&number(id)]).await {
            Ok(_) => Ok(CatalogLock { client }),
            Err(error) if error.code() == Some(&tokio_postgres::error::SqlState::LOCK_NOT_AVAILABLE) => {
                Err(Error::conflict("another process is at work on the catalog"))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Takes a catalog's lock if nobody has it.
    pub async fn try_lock_catalog(&self, id: CatalogId) -> Result<Option<CatalogLock>, Error> {
        let client = self.lock_connection().await?;
        let row = client
            .query_one("SELECT pg_try_advisory_lock($1)", &[&number(id)])
            .await?;
        Ok(row.get::<_, bool>(0).then_some(CatalogLock { client }))
    }

    /// A connection out of the pool's count, whose peer's death the server notices within a minute.
    pub(crate) async fn lock_connection(&self) -> Result<ClientWrapper, Error> {
        let client = Object::take(self.client().await?);
        client
            .batch_execute(
                "SET statement_timeout = 0; SET tcp_keepalives_idle = 20; SET tcp_keepalives_interval = 10; \
                 SET tcp_keepalives_count = 3",
            )
            .await?;
        Ok(client)
    }
}

fn number(id: CatalogId) -> i64 {
    CLASS ^ id.0
}
