//! How a control plane gets workers, wherever they run.
//!
//! A provider starts *spares*: processes or pods that belong to no organisation yet. Activating one with a [`Bootstrap`]
//! consumes it and gives a live worker, which belongs to that organisation until it is gone.

use std::time::Duration;

use async_trait::async_trait;

use crate::bootstrap::Bootstrap;
use crate::client::WorkerClient;
use crate::error::CallError;

/// A worker's name, unique in an installation's lifetime.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkerId(pub String);

impl std::fmt::Display for WorkerId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a worker could not be had.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// The process or pod did not start.
    #[error("a worker could not be started: {reason}")]
    Start {
        /// For the operator's log.
        reason: String,
    },
    /// It started, and then did not take its bootstrap.
    #[error("a worker could not be activated: {reason}")]
    Activate {
        /// For the operator's log.
        reason: String,
    },
}

/// Starts workers.
#[async_trait]
pub trait WorkerProvider: Send + Sync + 'static {
    /// Starts a spare and waits until it is ready for a bootstrap. Dropping the future gives the spare up.
    async fn spawn(&self) -> Result<Box<dyn SpareWorker>, ProviderError>;
}

/// A started worker that belongs to nobody yet. Dropping it ends it.
#[async_trait]
pub trait SpareWorker: Send + Sync {
    /// Its name.
    fn id(&self) -> &WorkerId;

    /// Where a worker of this provider listens and spills; the pool writes it into the bootstrap.
    fn place(&self) -> Place;

    /// Gives it to an organisation. Returns once it listens.
    async fn activate(self: Box<Self>, bootstrap: &Bootstrap) -> Result<Box<dyn LiveWorker>, ProviderError>;
}

/// The directories that a provider chose for one worker.
#[derive(Debug, Clone)]
pub struct Place {
    /// See [`Bootstrap::socket`].
    pub socket: std::path::PathBuf,
    /// See [`Bootstrap::temp_dir`].
    pub temp_dir: std::path::PathBuf,
}

/// An organisation's worker. Dropping it ends it.
#[async_trait]
pub trait LiveWorker: Send + Sync {
    /// Its name.
    fn id(&self) -> &WorkerId;

    /// The connection to it that its activation made.
    fn client(&self) -> WorkerClient;

    /// A connection of its own for a session, driven by the runtime of the caller.
    async fn connect(&self) -> Result<WorkerClient, CallError>;

    /// The kernel wall as the worker raised it.
    fn kernel_wall(&self) -> &str;

    /// Waits until it is gone; returns at once where it already is.
    async fn exited(&self);

    /// Asks it to end, and ends it by force after `grace`.
    async fn retire(&self, grace: Duration);
}
