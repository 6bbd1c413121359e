//! A session's hold on a worker.

use std::sync::Arc;

use pintail_worker_api::client::WorkerClient;
use pintail_worker_api::error::CallError;
use pintail_worker_api::provider::{LiveWorker, WorkerId};

use super::Pool;

/// Exclusive use of a worker. Dropping it ends the worker's session and gives the worker back.
pub struct Lease {
    pool: Pool,
    id: WorkerId,
    live: Arc<dyn LiveWorker>,
    condition: Condition,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Condition {
    /// A session is being opened. Left here, the session may come to be after its end was asked for.
    Opening,
    Fit,
    Broken,
}

impl Lease {
    pub(super) fn new(pool: Pool, id: WorkerId, live: Arc<dyn LiveWorker>) -> Self {
        Self {
            pool,
            id,
            live,
            condition: Condition::Fit,
        }
    }

    /// The worker's name.
    pub fn id(&self) -> &WorkerId {
        &self.id
    }

    /// The connection to it.
    pub fn client(&self) -> WorkerClient {
        self.live.client()
    }

    /// A connection of the session's own, driven by the caller's runtime.
    pub async fn connect(&self) -> Result<WorkerClient, CallError> {
        self.live.connect().await
    }

    /// A session is about to be opened: a lease dropped before [`Lease::mark_open`] retires its worker.
    pub fn mark_opening(&mut self) {
        self.condition = Condition::Opening;
    }

    /// The session is open.
    pub fn mark_open(&mut self) {
        self.condition = Condition::Fit;
    }

    /// The worker is not to be used again.
    pub fn mark_broken(&mut self) {
        self.condition = Condition::Broken;
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let (pool, id, client, condition) = (self.pool.clone(), self.id.clone(), self.live.client(), self.condition);
        crate::tasks::spawn("lease-end", async move {
            let fit = condition == Condition::Fit
                && matches!(
                    tokio::time::timeout(std::time::Duration::from_secs(10), client.close_session()).await,
                    Ok(Ok(()))
                );
            if fit {
                pool.give_back(&id);
            } else {
                tracing::warn!(worker = %id, "a worker is retired after its session");
                pool.give_up(&id);
            }
        });
    }
}
