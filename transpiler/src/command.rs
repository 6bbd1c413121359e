//! Statements that the control plane carries out itself, by small grammars over tokens.
//!
//! Transaction control, settings, cursors, prepared statements, COPY, LISTEN and housekeeping never reach a SQL parser:
//! each grammar here is PostgreSQL's own (manual, part VI), and a statement that none of them takes is left to the tree.

mod copy;
mod cursor;
mod notify;
mod prepare;
mod reader;
mod secret;
mod session;
mod transaction;
mod utility;

use crate::lex::Token;
use crate::{Error, Kind, Returns, Tag};

pub use copy::{Copy, CopyFormat, CopyOptions, CopySide, CopyTarget, ForceColumns};
pub use cursor::{Count, Cursor, Direction};
pub use prepare::{Deallocate, Execute, Prepare};
pub use secret::{SecretAction, SecretConflict, SecretPersistence, SecretStatement};
pub use session::{Session, SetScope, SetValue};
pub use transaction::{Transaction, TransactionModes};

pub(crate) use reader::Reader;

/// A command with its tag.
pub(crate) struct Parsed {
    pub(crate) kind: Kind,
    pub(crate) tag: Tag,
    pub(crate) returns: Returns,
}

impl Parsed {
    fn new(kind: Kind, tag: impl Into<String>) -> Self {
        Self {
            kind,
            tag: Tag::Fixed(tag.into()),
            returns: Returns::Nothing,
        }
    }
}

/// Reads the command that `tokens` spell; `None` where it is none of them.
pub(crate) fn parse(sql: &str, tokens: &[Token<'_>]) -> Result<Option<Parsed>, Error> {
    let Some(first) = tokens.first() else { return Ok(None) };
    let mut reader = Reader::new(sql, tokens);
    let word = first.text.to_ascii_uppercase();
    match word.as_str() {
        "BEGIN" | "START" | "COMMIT" | "END" | "ROLLBACK" | "ABORT" | "SAVEPOINT" | "RELEASE" => {
            transaction::parse(&mut reader).map(Some)
        }
        "SET" | "RESET" | "SHOW" | "DISCARD" => session::parse(&mut reader),
        "DECLARE" | "FETCH" | "MOVE" | "CLOSE" => cursor::parse(&mut reader).map(Some),
        "PREPARE" | "EXECUTE" | "DEALLOCATE" => prepare::parse(&mut reader).map(Some),
        "COPY" => copy::parse(&mut reader).map(Some),
        "LISTEN" | "NOTIFY" | "UNLISTEN" => notify::parse(&mut reader).map(Some),
        "CREATE" | "DROP" if secret::is_secret(tokens) => secret::parse(&mut reader).map(Some),
        "VACUUM" | "ANALYZE" | "ANALYSE" | "LOCK" | "CLUSTER" | "REINDEX" | "CHECKPOINT" => Ok(utility::parse(&word)),
        _ => Ok(None),
    }
}
