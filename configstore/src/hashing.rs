//! Where passwords are hashed: off the runtime's threads, and few at a time, so that whoever sets many holds up no session.

use tokio::sync::Semaphore;

use crate::Error;

/// Hashes made at a time. Each takes about two milliseconds of a core.
static PLACES: Semaphore = Semaphore::const_new(2);

/// Does what hashes a password.
pub(crate) async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    // The semaphore is never closed, and what is done here does not panic: only a runtime that ends gives no answer.
    let _place = PLACES.acquire().await.map_err(|_| Error::gone())?;
    tokio::task::spawn_blocking(work).await.map_err(|_| Error::gone())
}
