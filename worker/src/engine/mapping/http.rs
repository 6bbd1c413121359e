//! What an object store or another server of the catalogs answers, in words for a client.

use pintail_sqlstate::{Report, SqlState};

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

/// The status, which the engine gives as a field or in its text: `(HTTP 403 Forbidden)`, `(HTTP code 403)`.
fn status(parts: &Parts, line: &str) -> Option<u16> {
    let given = parts.extra("status_code").parse().ok();
    given.or_else(|| {
        let after = line.rsplit_once("(HTTP ")?.1.trim_start_matches("code ");
        after.get(..3)?.parse().ok()
    })
}
