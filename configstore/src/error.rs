//! Why the store could not answer.
//!
//! What `PostgreSQL` says is cut down before it is kept: its DETAIL and CONTEXT can quote whole rows and statements, and
//! with them verifiers and sealed bytes.

use std::error::Error as _;

use pintail_sqlstate::{Report, SqlState, ToReport};

use crate::{InvalidName, SealError};

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
    Unreachable(#[source] Refusal),
    /// A statement failed.
    #[error("the configuration store refused a statement")]
    Statement(#[source] Refusal),
    /// A migration failed.
    #[error("the configuration store could not be migrated")]
    Migration(#[source] Refusal),
    /// A name breaks the naming contract.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// Something asked for does not exist.
    #[error("{what} does not exist")]
    NotFound {
        /// What, with its name.
        what: String,
    },
    /// What is there does not admit the change.
    #[error("{reason}")]
    Conflict {
        /// Why, as a sentence's part.
        reason: String,
    },
    /// A value breaks a rule.
    #[error("{what} is refused: {reason}")]
    Invalid {
        /// Which value.
        what: &'static str,
        /// The rule.
        reason: String,
    },
    /// A secret cannot be sealed or opened.
    #[error("the secrets of {what} cannot be used")]
    Seal {
        /// Whose.
        what: String,
        /// Why.
        #[source]
        source: SealError,
    },
    /// A row holds what this program never writes.
    #[error("the configuration store holds {what}, which this program does not understand")]
    Corrupt {
        /// What, without its secrets.
        what: String,
    },
}

/// What the other side said, without the parts that can quote values.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    sqlstate: Option<String>,
    message: String,
}

impl Refusal {
    /// The SQLSTATE, if a server said it.
    pub fn sqlstate(&self) -> Option<&str> {
        self.sqlstate.as_deref()
    }

    pub(crate) fn plain(message: impl Into<String>) -> Self {
        Self {
            sqlstate: None,
            message: message.into(),
        }
    }
}

impl From<&tokio_postgres::Error> for Refusal {
    fn from(error: &tokio_postgres::Error) -> Self {
        match error.as_db_error() {
            Some(said) => Self {
                sqlstate: Some(said.code().code().to_owned()),
                message: format!("{} ({})", said.message(), said.code().code()),
            },
            None => Self::plain(chain(error)),
        }
    }
}

/// An error and its sources, for those that hold no values.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text = format!("{text}: {inner_text}");
        }
        source = inner.source();
    }
    text
}

impl Error {
    pub(crate) fn invalid(what: &'static str, reason: impl Into<String>) -> Self {
        Self::Invalid {
            what,
            reason: reason.into(),
        }
    }

    pub(crate) fn conflict(reason: impl Into<String>) -> Self {
        Self::Conflict { reason: reason.into() }
    }

    pub(crate) fn missing(what: impl Into<String>) -> Self {
        Self::NotFound { what: what.into() }
    }

    pub(crate) fn corrupt(what: impl Into<String>) -> Self {
        Self::Corrupt { what: what.into() }
    }

    /// The other side fell silent.
    pub(crate) fn gone() -> Self {
        Self::Unreachable(Refusal::plain("the connection was lost"))
    }

    pub(crate) fn sealed(what: impl Into<String>) -> impl FnOnce(SealError) -> Self {
        let what = what.into();
        move |source| Self::Seal { what, source }
    }
}

impl From<tokio_postgres::Error> for Error {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Statement(Refusal::from(&error))
    }
}

impl From<deadpool_postgres::PoolError> for Error {
    fn from(error: deadpool_postgres::PoolError) -> Self {
        Self::Unreachable(match &error {
            deadpool_postgres::PoolError::Backend(error) => Refusal::from(error),
            other => Refusal::plain(other.to_string()),
        })
    }
}

impl From<refinery::Error> for Error {
    fn from(error: refinery::Error) -> Self {
        let cause = error
            .source()
            .and_then(|source| source.downcast_ref::<tokio_postgres::Error>());
        Self::Migration(cause.map_or_else(|| Refusal::plain(error.to_string()), Refusal::from))
    }
}

impl ToReport for Error {
    fn to_report(&self) -> Report {
        match self {
            Self::Url { .. } | Self::Unreachable(_) | Self::Statement(_) | Self::Migration(_) => {
                Report::new(SqlState::CONNECTION_FAILURE, "the configuration store does not answer")
            }
            Self::Name(error) => Report::new(SqlState::INVALID_NAME, error.to_string()),
            Self::NotFound { .. } => Report::new(SqlState::UNDEFINED_OBJECT, self.to_string()),
            Self::Conflict { .. } => Report::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, self.to_string()),
            Self::Invalid { .. } => Report::new(SqlState::INVALID_PARAMETER_VALUE, self.to_string()),
            Self::Seal { .. } => Report::new(SqlState::CONFIG_FILE_ERROR, self.to_string()),
            Self::Corrupt { .. } => Report::new(SqlState::DATA_CORRUPTED, self.to_string()),
        }
    }
}
