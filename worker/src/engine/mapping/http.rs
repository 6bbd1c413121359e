//! What an object store or another server of the catalogs answers, in words for a client.

use pintail_sqlstate::{Report, SqlState};
use serde::Deserialize;

use super::Parts;

/// A request that failed: refused, not found, or not answered.
///
/// Only the engine's own first line is told. What follows may quote the server's answer, which is not ours to vouch for.
pub(super) fn told(parts: &Parts, message: &str) -> Report {
    let line = message.lines().next().unwrap_or_default().trim_end();
    match status(parts, line) {
        Some(401 | 403) => Report::new(
            SqlState::INSUFFICIENT_PRIVILEGE,
            format!("the object store refused the request: {line}"),
        ),
        Some(404) => Report::new(SqlState::UNDEFINED_FILE, line),
        _ => Report::new(SqlState::CONNECTION_FAILURE, line),
    }
}

/// What an Iceberg REST catalog answered, where the text is of one that refused: `… returned a non-200 status code
/// (Conflict_409), with reason: …, body: {"error":{"message":…,"type":…}}`.
///
/// The body may hold the server's stack; only its message goes on.
pub(super) fn rest(message: &str) -> Option<Report> {
    let (_, after) = message.split_once("returned a non-200 status code (")?;
    let (status, after) = after.split_once(')')?;
    let status: u16 = status.rsplit('_').next()?.parse().ok()?;
    let body = after.split_once("body: ").map_or("", |(_, body)| body.trim());
    let error = error_of(body);
    let text = error.message.as_deref().unwrap_or("the catalog gave no reason");
    let state = match (status, error.kind.as_deref().unwrap_or_default()) {
        (_, "NamespaceNotEmptyException") => SqlState::DEPENDENT_OBJECTS_STILL_EXIST,
        (401 | 403, _) => SqlState::INSUFFICIENT_PRIVILEGE,
        (404, _) => SqlState::UNDEFINED_OBJECT,
        (406, _) => SqlState::FEATURE_NOT_SUPPORTED,
        (409, "AlreadyExistsException") => SqlState::DUPLICATE_OBJECT,
        (409, _) => SqlState::T_R_SERIALIZATION_FAILURE,
        (400, _) => SqlState::INVALID_PARAMETER_VALUE,
        _ => SqlState::CONNECTION_FAILURE,
    };
    Some(Report::new(
        state,
        format!("the Iceberg catalog refused the request: {text}"),
    ))
}

/// The parts of a REST catalog's error that are told.
#[derive(Debug, Default, Deserialize)]
struct RestError {
    message: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
}

/// The `error` of a body; the engine may have cut the body's end off.
fn error_of(body: &str) -> RestError {
    #[derive(Deserialize)]
    struct Body {
        error: RestError,
    }
    let mut values = serde_json::Deserializer::from_str(body).into_iter::<Body>();
    values
        .next()
        .and_then(Result::ok)
        .map(|body| body.error)
        .unwrap_or_default()
}

/// The status, which the engine gives as a field or in its text: `(HTTP 403 Forbidden)`, `(HTTP code 403)`.
fn status(parts: &Parts, line: &str) -> Option<u16> {
    let given = parts.extra("status_code").parse().ok();
    given.or_else(|| {
        let after = line.rsplit_once("(HTTP ")?.1.trim_start_matches("code ");
        after.get(..3)?.parse().ok()
    })
}
