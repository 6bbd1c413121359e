//! From the engine's errors to SQLSTATEs and `PostgreSQL`'s wording: the only file that looks at the engine's texts.
//!
//! Instances run with `errors_as_json`, so an error says its type, subtype, name and byte position by itself. Only where
//! the type is too coarse (`Binder`, `Conversion`, `Constraint` …) the fixed shape of the message decides.

use std::collections::HashMap;

use pintail_sqlstate::{Report, SqlState};

use super::failure::Failure;
use crate::error::{Error, StopReason};

mod attaching;
mod casting;
mod http;
mod shapes;
mod system_columns;
mod wording;

pub(crate) use self::attaching::unavailable;

/// The parts of an engine error.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// As in the engine's `ExceptionType` names: `Catalog`, `Binder` …
    pub(super) kind: String,
    /// The message without the type's prefix.
    pub(super) message: String,
    /// `error_subtype`, `name`, `type`, `position`, `candidates`, `call` …
    pub(super) extra: HashMap<String, String>,
}

impl Parts {
    fn extra(&self, name: &str) -> &str {
        self.extra.get(name).map_or("", String::as_str)
    }
}

/// What the client is told of a failure of `sql`.
pub(crate) fn to_error(failure: &Failure, sql: &str) -> Error {
    let parts = parts(failure);
    if parts.kind == "INTERRUPT" || failure.kind == libduckdb_sys::duckdb_error_type_DUCKDB_ERROR_INTERRUPT {
        return Error::Stopped(StopReason::Request);
    }
    let broken = matches!(parts.kind.as_str(), "INTERNAL" | "FATAL");
    if broken {
        tracing::error!(
            kind = parts.kind,
            message = parts.message,
            "the engine reported an error of its own"
        );
    }
    let report = report(&parts, sql);
    Error::Statement {
        report: Box::new(report),
        broken,
    }
}

fn parts(failure: &Failure) -> Parts {
    let text = failure.text.trim();
    let json = text.find('{').map_or("", |start| &text[start..]);
    if let Ok(mut extra) = serde_json::from_str::<HashMap<String, String>>(json)
        && let Some(message) = extra.remove("exception_message")
    {
        let kind = extra.remove("exception_type").unwrap_or_default();
        return Parts { kind, message, extra };
    }
    let (kind, message) = text.split_once(" Error: ").unwrap_or(("", text));
    // A prefix is at most three words ("Out of Range Error: …"); anything longer is a sentence.
    let (kind, message) = if kind.split(' ').count() > 3 {
        ("", text)
    } else {
        (kind, message)
    };
    Parts {
        kind: kind.to_owned(),
        message: message.to_owned(),
        extra: HashMap::new(),
    }
}

fn report(parts: &Parts, sql: &str) -> Report {
    if let Some(report) = own(&parts.message)
        .or_else(|| wording::metadata_away(&parts.message))
        .or_else(|| wording::remote(&parts.message))
        .or_else(|| http::rest(&parts.message))
        .or_else(|| casting::told(parts, sql))
        .or_else(|| shapes::told(&parts.message, sql))
    {
        return placed(report, parts, sql);
    }
    let (mut message, mut hint) = (parts.message.as_str(), None);
    if let Some((head, tail)) = message
        .split_once("\n\nDid you mean")
        .or_else(|| message.split_once("\nDid you mean"))
    {
        message = head;
        // Names of the instance's own are nobody's to be pointed at, and what the engine names with its schema is outside
        // the search path, where the login may not see it.
        let elsewhere = tail.contains('.') || tail.contains("__pintail") || tail.contains("__ducklake_metadata");
        hint = (!elsewhere).then(|| format!("Did you mean{}", tail.trim_end()));
    }
    let mut report = match parts.kind.as_str() {
        "Catalog" => catalog(parts, message),
        "Binder" => wording::binder(parts, message),
        "Parser" | "Syntax" => Report::new(SqlState::SYNTAX_ERROR, message),
        "Conversion" => wording::conversion(message),
        "Constraint" => wording::constraint(message),
        "HTTP" => http::told(parts, message),
        kind => by_kind(kind, message),
    };
    if report.hint.is_none() {
        report.hint = hint;
    }
    system_columns::refused(placed(report, parts, sql))
}

fn placed(mut report: Report, parts: &Parts, sql: &str) -> Report {
    if report.position.is_none() {
        let offset = parts.extra("position").parse().ok();
        // PostgreSQL says where a literal is wrong; a value that is found when the statement runs has no place in it.
        let is_data = report.sqlstate.as_str().starts_with("22");
        let offset = offset.and_then(|offset| if is_data { literal(sql, offset) } else { Some(offset) });
        report.position = offset.and_then(|offset| position(sql, offset));
    }
    report
}

/// Where the literal begins that a cast at `offset` is of.
fn literal(sql: &str, offset: usize) -> Option<usize> {
    let (before, rest) = (sql.get(..offset)?, sql.get(offset..)?);
    if !rest.starts_with("::") {
        // `CAST('…' …`, `date '…'`, or the literal itself.
        let quote = rest.find('\'')?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c.is_ascii_whitespace() || c == '(' || c == ')';
        return rest[..quote].chars().all(is_plain).then_some(offset + quote);
    }
    let body = before.trim_end().strip_suffix('\'')?;
    // Quotes inside are doubled.
    let mut end = body.len();
    loop {
        let quote = body[..end].rfind('\'')?;
        if !body[..quote].ends_with('\'') {
            return Some(quote);
        }
        end = quote - 1;
    }
}

/// `PINTAIL:<sqlstate>:<message>`, raised by this project's own macros through `error()`.
fn own(message: &str) -> Option<Report> {
    let start = message.find("PINTAIL:")? + "PINTAIL:".len();
    let (state, text) = message[start..].split_once(':')?;
    // The engine adds what it cast.
    let text = text.split(" when casting from ").next().unwrap_or(text);
    Some(Report::new(SqlState::parse(state)?, text.trim_end()))
}

/// The position as `PostgreSQL` counts: characters from 1.
fn position(sql: &str, offset: usize) -> Option<u32> {
    let before = sql.get(..offset)?;
    u32::try_from(before.chars().count() + 1).ok()
}

fn catalog(parts: &Parts, message: &str) -> Report {
    let name = parts.extra("name");
    let kind = parts.extra("type");
    match parts.extra("error_subtype") {
        "MISSING_ENTRY" => match kind {
            "Table" | "View" | "Index" | "Sequence" => wording::missing_relation(name),
            "Schema" => Report::new(
                SqlState::INVALID_SCHEMA_NAME,
                format!("schema \"{name}\" does not exist"),
            ),
            "Type" => Report::new(SqlState::UNDEFINED_OBJECT, format!("type \"{name}\" does not exist")),
            kind if kind.contains("Function") || kind.contains("Macro") => {
                Report::new(SqlState::UNDEFINED_FUNCTION, format!("function {name} does not exist"))
                    .with_hint("No function matches the given name and argument types.")
            }
            _ => Report::new(SqlState::UNDEFINED_OBJECT, message),
        },
        "ENTRY_ALREADY_EXISTS" => wording::duplicate(kind, name),
        _ => wording::catalog(message),
    }
}

fn by_kind(kind: &str, message: &str) -> Report {
    let state = match kind {
        "Out of Range" => return wording::out_of_range(message),
        "Divide by Zero" => return Report::new(SqlState::DIVISION_BY_ZERO, "division by zero"),
        "Mismatch Type" | "Invalid type" | "Unknown Type" | "Object Size" => SqlState::DATATYPE_MISMATCH,
        "Decimal" => SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
        "TransactionContext" => return wording::transaction(message),
        "Permission" => return wording::permission(message),
        "Dependency" => SqlState::DEPENDENT_OBJECTS_STILL_EXIST,
        "Out of Memory" => return wording::out_of_memory(message),
        "IO" => return wording::io(message),
        "Network" | "Connection" => SqlState::CONNECTION_FAILURE,
        "Sequence" => SqlState::SEQUENCE_GENERATOR_LIMIT_EXCEEDED,
        "Parameter Not Resolved" => SqlState::INDETERMINATE_DATATYPE,
        "Parameter Not Allowed" => SqlState::UNDEFINED_PARAMETER,
        "Settings" | "Invalid Configuration" => return wording::configuration(message),
        "Not implemented" | "Missing Extension" | "Extension Autoloading" => SqlState::FEATURE_NOT_SUPPORTED,
        "Serialization" => SqlState::T_R_SERIALIZATION_FAILURE,
        "INTERNAL" | "FATAL" => return Report::new(SqlState::INTERNAL_ERROR, "internal error in the engine"),
        _ => return wording::invalid_input(message),
    };
    Report::new(state, message)
}

#[cfg(test)]
mod tests;
