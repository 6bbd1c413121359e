//! What bytes can be that are not the protocol.

use pintail_sqlstate::{Report, Severity, SqlState, ToReport};

/// Why bytes are not the protocol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    /// The stream can no longer be understood; the connection ends.
    #[error("{0}")]
    Fatal(&'static str),
    /// A version of the protocol that is not spoken; the connection ends.
    #[error("unsupported frontend protocol {major}.{minor}: server supports 3.0 to 3.2")]
    Version {
        /// As asked for.
        major: u32,
        /// As asked for.
        minor: u32,
    },
    /// The message is whole and its content wrong; the connection goes on.
    #[error("{0}")]
    Message(&'static str),
    /// Text that is not UTF-8.
    #[error("invalid byte sequence for encoding \"UTF8\"")]
    Encoding,
}

impl ToReport for ProtocolError {
    fn to_report(&self) -> Report {
        match self {
            Self::Fatal(message) => Report::new(SqlState::PROTOCOL_VIOLATION, *message).with_severity(Severity::Fatal),
            Self::Version { .. } => {
                Report::new(SqlState::FEATURE_NOT_SUPPORTED, self.to_string()).with_severity(Severity::Fatal)
            }
            Self::Message(message) => Report::new(SqlState::PROTOCOL_VIOLATION, *message),
            Self::Encoding => Report::new(SqlState::CHARACTER_NOT_IN_REPERTOIRE, self.to_string()),
        }
    }
}
