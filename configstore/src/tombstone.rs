//! What is left of a removed catalog: its number in the line of that name, and data to be purged later.

use chrono::{DateTime, Utc};

use crate::{CatalogId, CatalogName, Error, OrgSlug, StorageKind, Store, TombstoneId};

/// A removed catalog whose data is still there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tombstone {
    /// Its number.
    pub id: TombstoneId,
    /// The organisation's short name; the organisation may be gone, or another one of that name.
    pub org: OrgSlug,
    /// The catalog's name.
    pub catalog: CatalogName,
    /// Which catalog of that name.
    pub incarnation: u32,
    /// The prefix to purge, as in the catalog.
    pub data_prefix: String,
    /// Where the prefix is.
    pub storage: StorageKind,
    /// When the catalog was buried.
    pub deleted_at: DateTime<Utc>,
    /// Until when the data is kept.
    pub keep_until: DateTime<Utc>,
}

impl Store {
    /// Turns a catalog that is being deleted into a tombstone, in one transaction.
    pub async fn bury(&self, id: CatalogId, keep_until: DateTime<Utc>) -> Result<(), Error> {
        let _ = (id, keep_until);
        Err(Error::conflict("not built yet"))
    }

    /// Tombstones whose data is due to be purged, oldest first.
    pub async fn due_tombstones(&self) -> Result<Vec<Tombstone>, Error> {
        Err(Error::conflict("not built yet"))
    }

    /// Notes that a tombstone's data is purged: its credentials are forgotten, its incarnation never is. Repeatable.
    pub async fn forget_tombstone(&self, id: TombstoneId) -> Result<(), Error> {
        let _ = id;
        Err(Error::conflict("not built yet"))
    }
}
