//! What a statement is, as far as a session must know before it runs.

use crate::command::{Copy, Cursor, Deallocate, Execute, Prepare, SecretStatement, Session, Transaction};

/// The family of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(
    clippy::large_enum_variant,
    reason = "a statement holds one, and COPY is its own largest part"
)]
pub enum Kind {
    /// Reads only: may be retried, may run in a read-only transaction.
    Read,
    /// Changes rows.
    Write,
    /// Changes definitions, `CREATE TABLE AS` and `SELECT INTO` among them.
    Ddl,
    /// Transaction control.
    Transaction(Transaction),
    /// Settings of the session.
    Session(Session),
    /// `DECLARE`, `FETCH`, `MOVE`, `CLOSE`.
    Cursor(Cursor),
    /// `PREPARE name AS …`.
    Prepare(Prepare),
    /// `EXECUTE name(…)`.
    Execute(Execute),
    /// `DEALLOCATE`.
    Deallocate(Deallocate),
    /// `COPY` by the client's protocol or to a file.
    Copy(Copy),
    /// `LISTEN channel`.
    Listen(String),
    /// `NOTIFY channel, payload`.
    Notify {
        /// The channel.
        channel: String,
        /// Empty where none is given.
        payload: String,
    },
    /// `UNLISTEN channel`, or `*` as `None`.
    Unlisten(Option<String>),
    /// `CREATE SECRET`, `DROP SECRET`; the plan has the engine's statement.
    Secret(SecretStatement),
    /// Housekeeping that means nothing here: accepted, answered with its tag, no step.
    Utility,
    /// `EXPLAIN`; the engine runs the rewritten form.
    Explain,
    /// None of these: sent to the engine, which may refuse it. Treated as a write.
    Other,
}

/// The command tag that ends a statement's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tag {
    /// Complete as it stands.
    Fixed(String),
    /// Followed by a space and the row count; `INSERT 0` carries PostgreSQL's historical zero.
    Rows(&'static str),
}

impl Tag {
    /// The tag for `count` rows.
    pub fn render(&self, count: u64) -> String {
        match self {
            Self::Fixed(tag) => tag.clone(),
            Self::Rows(prefix) => format!("{prefix} {count}"),
        }
    }
}

/// Whether a statement answers with rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Returns {
    /// A row description and rows, perhaps none.
    Rows,
    /// No row description.
    Nothing,
    /// The tree does not tell: prepare it and see.
    Unknown,
}
