//! Keeping the snapshot fresh.

use std::sync::Arc;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::{Error, Snapshot, Store};

impl Store {
    /// The present snapshot; empty before the first refresh.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.fresh.borrow().clone()
    }

    /// Tells of each snapshot that differs from the one before.
    pub fn watch(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.fresh.subscribe()
    }

    /// Reads the store. When it returns, the snapshot holds everything that was committed before the call.
    pub async fn refresh(&self) -> Result<(), Error> {
        Err(Error::conflict("not built yet"))
    }

    /// Follows the changes that other processes make, until cancelled: by notification, and by a look every 15 seconds.
    pub async fn keep_fresh(&self, stop: CancellationToken) {
        stop.cancelled().await;
    }
}
