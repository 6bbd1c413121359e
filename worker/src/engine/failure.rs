//! What the engine says when something goes wrong, before anybody has made sense of it.

/// An engine error: its type, where it gave one, and its text (JSON where asked for).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// `duckdb_error_type`; 0 where only the text says it.
    pub(crate) kind: u32,
    /// As the engine wrote it.
    pub(crate) text: String,
}

impl Failure {
    /// A failure of that type and text.
    pub(crate) fn new(kind: u32, text: impl Into<String>) -> Self {
        Self {
            kind,
            text: text.into(),
        }
    }
}
