//! Casts that the engine does not have: whether the client wrote them shows in where the engine points.

use pintail_sqlstate::{Report, SqlState};

use super::Parts;
use super::shapes::between;
use super::wording::type_name;

/// How far the name of a type is looked for, characters.
const NEAR: usize = 60;

/// What the client is told of a cast that is none, and of a text that is no `uuid`, which the engine calls by what it keeps.
pub(super) fn told(parts: &Parts, sql: &str) -> Option<Report> {
    let position = parts.extra("position").parse::<usize>().ok();
    let rest = position.and_then(|at| sql.get(at..)).map(str::to_ascii_lowercase);
    if let Some(value) = between(&parts.message, "Could not convert string '", "' to INT128") {
        // The position is that of the cast, or of what is cast.
        let near: String = rest?.chars().take(NEAR).collect();
        return near.contains("uuid").then(|| {
            Report::new(
                SqlState::INVALID_TEXT_REPRESENTATION,
                format!("invalid input syntax for type uuid: \"{value}\""),
            )
        });
    }
    let types = between(&parts.message, "Unimplemented type for cast (", ")\n")
        .or_else(|| between(&parts.message, "Unimplemented type for cast (", ")"))?;
    let (from, to) = types.split_once(" -> ")?;
    let (from, to) = (type_name(from), type_name(to));
    let is_written = |rest: &String| {
        ["::", "cast(", "cast (", "try_cast"]
            .iter()
            .any(|cast| rest.starts_with(cast))
    };
    if rest.as_ref().is_some_and(is_written) {
        let text = format!("cannot cast type {from} to {to}");
        return Some(Report::new(SqlState::CANNOT_COERCE, text));
    }
    if is_change(sql) {
        let text = format!("column is of type {to} but expression is of type {from}");
        return Some(
            Report::new(SqlState::DATATYPE_MISMATCH, text)
                .with_hint("You will need to rewrite or cast the expression."),
        );
    }
    rest?;
    let words = sql.to_ascii_lowercase();
    if ["union", "intersect", "except"].iter().any(|word| words.contains(word)) {
        let text = format!("UNION types {from} and {to} cannot be matched");
        return Some(Report::new(SqlState::DATATYPE_MISMATCH, text));
    }
    let text = format!("operator does not exist: {from} = {to}");
    Some(
        Report::new(SqlState::UNDEFINED_FUNCTION, text).with_hint(
            "No operator matches the given name and argument types. You might need to add explicit type casts.",
        ),
    )
}

/// Whether a statement changes rows, so that values must fit columns.
fn is_change(sql: &str) -> bool {
    let word = sql.split_whitespace().next().unwrap_or_default();
    ["insert", "update", "merge"]
        .iter()
        .any(|change| word.eq_ignore_ascii_case(change))
}
