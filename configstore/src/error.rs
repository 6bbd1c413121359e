//! Why the store could not answer.

use pintail_sqlstate::{Report, SqlState, ToReport};

use crate::InvalidName;

/// An error of the configuration store.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The URL cannot be understood. The text is free of the password.
    #[error("the store's URL is not valid: {reason}")]
    Url {
        /// What is wrong.
        reason: String,
    },
    /// No connection within the pool's limits.
    #[error("the configuration store does not answer")]
    Unreachable(#[source] deadpool_postgres::PoolError),
    /// A statement failed.
    #[error("the configuration store refused a statement")]
    Statement(#[from] tokio_postgres::Error),
    /// A migration failed.
    #[error("the configuration store could not be migrated")]
    Migration(#[from] refinery::Error),
    /// A name breaks the naming contract.
    #[error(transparent)]
    Name(#[from] InvalidName),
}

impl ToReport for Error {
    fn to_report(&self) -> Report {
        match self {
            Self::Url { .. } | Self::Unreachable(_) | Self::Statement(_) | Self::Migration(_) => {
                Report::new(SqlState::CONNECTION_FAILURE, "the configuration store does not answer")
            }
            Self::Name(error) => Report::new(SqlState::INVALID_NAME, error.to_string()),
        }
    }
}
