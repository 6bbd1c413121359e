//! Spares kept ready, idle workers let go, everything ended at shutdown.

use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use pintail_worker_api::provider::LiveWorker;

use super::{Pool, WorkerState};

/// Pause after a spare could not be started.
const RETRY: Duration = Duration::from_secs(2);
/// How often idle workers are looked at.
const SWEEP: Duration = Duration::from_secs(1);

impl Pool {
    /// Keeps spares ready and lets idle workers go, until [`Pool::close`].
    pub async fn maintain(self) {
        let spares = self.clone();
        tokio::join!(spares.keep_spares(), self.sweep());
    }

    async fn keep_spares(&self) {
        while !self.shared.closing.is_cancelled() {
            let missing = {
                let inner = self.lock();
                self.shared.limits.spare > inner.spares.len()
            };
            if !missing {
                tokio::select! {
                    () = self.shared.wake.notified() => {}
                    () = self.shared.closing.cancelled() => return,
                }
                continue;
            }
            let limit = self.shared.limits.start_timeout;
            match tokio::time::timeout(limit, self.shared.provider.spawn()).await {
                Ok(Ok(spare)) => self.lock().spares.push_back(spare),
                Ok(Err(error)) => {
                    tracing::error!(%error, "a spare worker could not be started");
                    tokio::time::sleep(RETRY).await;
                }
                Err(_) => {
                    tracing::error!("a spare worker did not start in time");
                }
            }
        }
    }

    async fn sweep(&self) {
        loop {
            tokio::select! {
                () = tokio::time::sleep(SWEEP) => {}
                () = self.shared.closing.cancelled() => return,
            }
            let ttl = self.shared.limits.idle_ttl;
            let old = self.lock().ledger.idle_workers(|_, since| since > ttl);
            for id in old {
                tracing::info!(worker = %id, "retiring an idle worker");
                self.give_up(&id);
            }
            self.observe();
        }
    }

    /// Publishes the pool's state as metrics.
    fn observe(&self) {
        let inner = self.lock();
        let entries = inner.ledger.entries();
        let count = |state| entries.iter().filter(|entry| entry.state == state).count();
        let metrics = &self.shared.metrics;
        metrics.set_workers("busy", count(WorkerState::Busy));
        metrics.set_workers("hot_idle", count(WorkerState::HotIdle));
        metrics.set_workers("spare", inner.spares.len());
    }

    /// Lets nobody in any more, ends every worker and waits for them.
    pub async fn close(&self) {
        self.shared.closing.cancel();
        let (workers, spares): (Vec<Arc<dyn LiveWorker>>, _) = {
            let mut inner = self.lock();
            (inner.ledger.clear(), std::mem::take(&mut inner.spares))
        };
        drop(spares);
        join_all(workers.iter().map(|live| live.retire(Duration::from_secs(5)))).await;
    }
}
