//! Keeping the snapshot fresh: after one's own changes at once, after those of others by notification, and by a look
//! every now and then in case a notification was lost with its connection.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::{FutureExt as _, StreamExt as _};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_postgres::AsyncMessage;
use tokio_util::sync::CancellationToken;

use crate::connect::Messages;
use crate::{Error, Snapshot, Store};

/// Told by the triggers on the tables that the snapshot is made of.
const CHANNEL: &str = "pintail_changed";
/// How often to look without having been told.
const POLL: Duration = Duration::from_secs(15);
/// Notifications this close together cost one look: whoever may connect can notify.
const GATHER: Duration = Duration::from_millis(50);
/// Between attempts to listen again.
const PAUSE: Duration = Duration::from_millis(500);
/// How long an answer on the listening connection may take.
const ANSWER: Duration = Duration::from_secs(5);

/// The snapshot and the order of its loads.
pub(crate) struct Freshness {
    snapshot: watch::Sender<Arc<Snapshot>>,
    /// One load at a time, so that a later one never shows an earlier moment.
    turn: Semaphore,
    asked: AtomicU64,
    served: AtomicU64,
}

impl Default for Freshness {
    fn default() -> Self {
        Self {
            snapshot: watch::Sender::default(),
            turn: Semaphore::new(1),
            asked: AtomicU64::new(0),
            served: AtomicU64::new(0),
        }
    }
}

impl Store {
    /// The present snapshot; empty before the first refresh.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.freshness.snapshot.borrow().clone()
    }

    /// Tells of each snapshot that differs from the one before.
    pub fn watch(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.freshness.snapshot.subscribe()
    }

    /// Reads the store. When it returns, the snapshot holds everything that was committed before the call.
    pub async fn refresh(&self) -> Result<(), Error> {
        let fresh = &self.freshness;
        let mine = fresh.asked.fetch_add(1, Ordering::SeqCst) + 1;
        let _turn = fresh.turn.acquire().await;
        // A load that began after this call has ended: it saw what this one would look for.
        if fresh.served.load(Ordering::SeqCst) >= mine {
            return Ok(());
        }
        let serves = fresh.asked.load(Ordering::SeqCst);
        let mut loaded = self.load().await?;
        fresh.snapshot.send_if_modified(|present| {
            if present.generation > 0 && present.says_the_same(&loaded) {
                return false;
            }
            loaded.generation = present.generation + 1;
            *present = Arc::new(loaded);
            true
        });
        fresh.served.store(serves, Ordering::SeqCst);
        Ok(())
    }

    /// Follows the changes that other processes make, until cancelled.
    pub async fn keep_fresh(&self, stop: CancellationToken) {
        let mut troubled = false;
        let following = async {
            loop {
                match self.listen(&mut troubled).await {
                    Ok(()) => tracing::warn!("the connection that tells of changes was lost; listening again"),
                    Err(error) if !troubled => {
                        troubled = true;
                        let error = crate::error::chain(&error);
                        tracing::error!(
                            error,
                            "changes in the configuration store cannot be followed; trying on"
                        );
                    }
                    Err(_) => {}
                }
                sleep(PAUSE).await;
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = following => {}
        }
    }

    /// Listens on a connection of its own, and follows until that ends.
    async fn listen(&self, troubled: &mut bool) -> Result<(), Error> {
        let (client, mut messages) = self.endpoint.connect().await?;
        answer(client.batch_execute(&format!("LISTEN {CHANNEL}")), &mut messages).await?;
        // What happened while nobody listened.
        self.refresh().await?;
        if std::mem::take(troubled) {
            tracing::info!("changes in the configuration store are followed again");
        }
        let mut next_look = Instant::now() + POLL;
        loop {
            tokio::select! {
                message = messages.next() => match message {
                    Some(Ok(AsyncMessage::Notification(_))) => {
                        sleep(GATHER).await;
                        while let Some(Some(Ok(_))) = messages.next().now_or_never() {}
                        self.refresh().await?;
                    }
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => return Ok(()),
                },
                () = sleep_until(next_look) => {
                    next_look = Instant::now() + POLL;
                    // A peer that is gone without a word is noticed by its silence. A notification that comes with the
                    // answer is served by the look that follows.
                    answer(client.batch_execute("SELECT 1"), &mut messages).await?;
                    self.refresh().await?;
                }
            }
        }
    }
}

/// Waits for a request's answer while driving its connection. Notifications in between are dropped: every caller looks
/// right afterwards.
async fn answer(
    request: impl Future<Output = Result<(), tokio_postgres::Error>>,
    messages: &mut Messages,
) -> Result<(), Error> {
    let mut request = pin!(request);
    let both = async {
        loop {
            tokio::select! {
                result = &mut request => return Ok(result?),
                message = messages.next() => if !matches!(message, Some(Ok(_))) {
                    return Err(Error::gone());
                },
            }
        }
    };
    timeout(ANSWER, both).await.unwrap_or_else(|_| Err(Error::gone()))
}
