//! Why no worker could be had.

use std::time::Duration;

use pintail_sqlstate::{Report, SqlState, ToReport};
use pintail_worker_api::provider::ProviderError;

/// Why no worker could be had.
#[derive(Debug, thiserror::Error)]
pub enum PoolError {
    /// Every worker is in use, and none came free in time.
    #[error("no worker came free within {} seconds (the installation's limit workers_max is {limit})", waited.as_secs())]
    Exhausted {
        /// How long the session waited.
        waited: Duration,
        /// The limit.
        limit: usize,
    },
    /// Every worker that the organisation may have is in use, and none came free in time.
    #[error("no worker came free within {} seconds (the limit \"workers\" of organization \"{org}\" is {limit})", waited.as_secs())]
    OrgExhausted {
        /// The organisation.
        org: String,
        /// How long the session waited.
        waited: Duration,
        /// The limit.
        limit: u32,
    },
    /// Too many sessions of the organisation wait already.
    #[error("too many sessions wait for a worker (the limit \"queue\" of organization \"{org}\" is {limit})")]
    QueueFull {
        /// The organisation.
        org: String,
        /// The limit.
        limit: u32,
    },
    /// A database file stayed in the hands of another session.
    #[error("catalog \"{catalog}\" was in use by another session for {} seconds", waited.as_secs())]
    InUse {
        /// The catalog.
        catalog: String,
        /// How long the session waited.
        waited: Duration,
    },
    /// A worker could not be started.
    #[error("a worker could not be started")]
    Provider(#[from] ProviderError),
    /// A worker did not start in time.
    #[error("a worker did not start within {} seconds", limit.as_secs())]
    Slow {
        /// The limit.
        limit: Duration,
    },
    /// The pool is closing.
    #[error("the server is shutting down")]
    Closing,
}

impl ToReport for PoolError {
    fn to_report(&self) -> Report {
        match self {
            Self::Exhausted { .. } => Report::new(SqlState::TOO_MANY_CONNECTIONS, "sorry, too many clients already")
                .with_detail(self.to_string())
                .with_hint("Try again later, or ask the operator to raise workers_max."),
            Self::OrgExhausted { .. } | Self::QueueFull { .. } => {
                Report::new(SqlState::TOO_MANY_CONNECTIONS, "sorry, too many clients already")
                    .with_detail(self.to_string())
                    .with_hint("Try again later, or ask the operator to raise the organization's limit.")
            }
            Self::InUse { .. } => Report::new(SqlState::OBJECT_IN_USE, self.to_string())
                .with_hint("A database file serves one session at a time; a read-only one serves many."),
            Self::Provider(_) | Self::Slow { .. } => Report::new(
                SqlState::CANNOT_CONNECT_NOW,
                "no worker could be started for this session",
            )
            .with_hint("The server's log says why. Try again later."),
            Self::Closing => Report::new(SqlState::ADMIN_SHUTDOWN, self.to_string()),
        }
    }
}
