//! The one place that spawns: every task belongs to a tracker and ends with a token.

use std::future::Future;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// The worker's tasks; cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tasks {
    tracker: TaskTracker,
    token: CancellationToken,
}

impl Tasks {
    /// Runs a future until it ends or the worker stops.
    pub(crate) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) -> tokio::task::AbortHandle {
        let token = self.token.clone();
        let bounded = async move {
            token.run_until_cancelled(future).await;
        };
        self.tracker.spawn(bounded).abort_handle()
    }

    /// Counts something that is no task, a session for instance, as one.
    pub(crate) fn count(&self) -> TaskTrackerToken {
        self.tracker.token()
    }

    /// The token that ends everything.
    pub(crate) fn token(&self) -> &CancellationToken {
        &self.token
    }
}
