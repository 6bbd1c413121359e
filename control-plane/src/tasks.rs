//! The one place that spawns tasks.
//!
//! Every task has a name for the log and belongs to one tracker, so that a drain can wait for all of them.

use std::future::Future;
use std::sync::LazyLock;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio_util::task::TaskTracker;
use tracing::Instrument;

static TRACKER: LazyLock<TaskTracker> = LazyLock::new(TaskTracker::new);

/// Spawns a task under the tracker.
pub fn spawn<F>(name: &'static str, future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    TRACKER.spawn(future.instrument(tracing::debug_span!("task", name)))
}

/// Spawns a task under the tracker, on another runtime.
pub fn spawn_on<F>(runtime: &Handle, name: &'static str, future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    TRACKER.spawn_on(future.instrument(tracing::debug_span!("task", name)), runtime)
}
