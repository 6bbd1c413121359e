//! What can be wrong with a client's statement before an engine sees it.

use pintail_sqlstate::{Report, SqlState, ToReport};

/// A statement that is refused without asking the engine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The text is not SQL (42601, or what the lexical mistake has of its own).
    #[error("{message}")]
    SyntaxError {
        /// `PostgreSQL`'s wording.
        message: String,
        /// 1-based, in characters of the client's text.
        position: u32,
    },
    /// `PostgreSQL` accepts it and Pintail does not (0A000).
    #[error("{message}")]
    Unsupported {
        /// A sentence that says what is missing.
        message: String,
    },
    /// The gate keeps it from everybody (42501).
    #[error("permission denied for {what}")]
    Forbidden {
        /// `function postgres_scan`, `catalog __ducklake_metadata_x`.
        what: String,
    },
    /// Anything else that `PostgreSQL` would refuse by itself.
    #[error("{message}")]
    Invalid {
        /// Its code.
        sqlstate: SqlState,
        /// Its wording.
        message: String,
    },
}

impl Error {
    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Self::Unsupported {
            message: message.into(),
        }
    }

    pub(crate) fn invalid(sqlstate: SqlState, message: impl Into<String>) -> Self {
        Self::Invalid {
            sqlstate,
            message: message.into(),
        }
    }

    pub(crate) fn forbidden(what: impl Into<String>) -> Self {
        Self::Forbidden { what: what.into() }
    }
}

impl ToReport for Error {
    fn to_report(&self) -> Report {
        let message = self.to_string();
        match self {
            Self::SyntaxError { position, .. } => {
                Report::new(SqlState::SYNTAX_ERROR, message).with_position(Some(*position))
            }
            Self::Unsupported { .. } => Report::new(SqlState::FEATURE_NOT_SUPPORTED, message),
            Self::Forbidden { .. } => Report::new(SqlState::INSUFFICIENT_PRIVILEGE, message),
            Self::Invalid { sqlstate, .. } => Report::new(*sqlstate, message),
        }
    }
}
