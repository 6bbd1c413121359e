//! Failures of attaching a catalog whose reason is known.

use super::parts;
use crate::engine::failure::Failure;
use crate::error::Unavailable;

/// What the engine says where the reason is known.
const KNOWN: &[(&str, Unavailable)] = &[
    (
        "creating a new DuckLake is explicitly disabled",
        Unavailable::NotProvisioned,
    ),
    ("DuckLake catalog version mismatch", Unavailable::OtherVersion),
    ("Could not set lock on file", Unavailable::InUse),
    ("in read-only mode: database does not exist", Unavailable::NoFile),
    ("not a valid DuckDB database file", Unavailable::NotADatabase),
    // The metadata's PostgreSQL, the REST catalog or its token endpoint.
    ("password authentication failed", Unavailable::Refused),
    ("OAuth2 token request failed", Unavailable::Refused),
    ("Unauthorized", Unavailable::Refused),
    ("Forbidden", Unavailable::Refused),
];

/// The reason, if it is a known one.
pub(crate) fn unavailable(failure: &Failure) -> Option<Unavailable> {
    let message = parts(failure).message;
    let known = KNOWN.iter().find(|(text, _)| message.contains(text));
    known.map(|(_, problem)| *problem)
}
