//! One worker at a catalog at a time, over every process of the installation.

use crate::{CatalogId, Error, Store};

/// A catalog's lock; given back by being dropped, or by the end of the process.
pub struct CatalogLock {
    client: deadpool_postgres::ClientWrapper,
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
        let _ = id;
        Err(Error::conflict("not built yet"))
    }

    /// Takes a catalog's lock if nobody has it.
    pub async fn try_lock_catalog(&self, id: CatalogId) -> Result<Option<CatalogLock>, Error> {
        let _ = id;
        Err(Error::conflict("not built yet"))
    }
}
