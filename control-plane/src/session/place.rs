//! Where in the client's text an error is.

use pintail_sqlstate::{Report, SqlState};
use pintail_transpiler::{Kind, Statement, locate};

/// Errors that PostgreSQL points at a name for.
const NAMING: [SqlState; 7] = [
    SqlState::UNDEFINED_TABLE,
    SqlState::UNDEFINED_COLUMN,
    SqlState::UNDEFINED_FUNCTION,
    SqlState::UNDEFINED_OBJECT,
    SqlState::INVALID_SCHEMA_NAME,
    SqlState::AMBIGUOUS_COLUMN,
    SqlState::GROUPING_ERROR,
];

/// A statement's place in what the client sent.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// The statement as the client wrote it.
    text: String,
    /// Characters before it.
    offset: usize,
    /// Whether the engine saw the client's own bytes.
    unchanged: bool,
    /// Whether PostgreSQL says where in such statements a name is wrong: it does of what it plans, not of utilities.
    planned: bool,
    /// Whether it changes nothing.
    reads: bool,
}

impl Place {
    /// That of a statement, whose text the engine was given as it is or not.
    pub(super) fn of(statement: &Statement, unchanged: bool) -> Self {
        Self {
            text: statement.text.clone(),
            offset: statement.offset,
            unchanged,
            planned: matches!(statement.kind, Kind::Read | Kind::Write | Kind::Explain),
            reads: statement.kind == Kind::Read,
        }
    }

    /// Whether the statement is a query.
    pub(super) fn reads(&self) -> bool {
        self.reads
    }

    /// The position in the client's text: the engine's, or that of the name that the error is about.
    fn position(&self, report: &Report) -> Option<u32> {
        let own = report.position.filter(|_| self.unchanged);
        let position = own.or_else(|| {
            let name = (self.planned && NAMING.contains(&report.sqlstate)).then(|| named(&report.message))??;
            locate(&self.text, name)
        })?;
        Some(position.saturating_add(u32::try_from(self.offset).unwrap_or(u32::MAX)))
    }
}

/// An error of the engine's, placed in the client's text.
pub(super) fn placed(report: &Report, place: Option<&Place>) -> Report {
    Report {
        position: place.and_then(|place| place.position(report)),
        ..report.clone()
    }
}

/// The name that a message is about: quoted, or a function's.
fn named(message: &str) -> Option<&str> {
    if let Some(rest) = message.strip_prefix("function ") {
        return rest.split(['(', ' ']).next();
    }
    message.split('"').nth(1)
}
