//! Housekeeping of a PostgreSQL server that a lakehouse has no use for.

use super::Parsed;
use crate::Kind;

/// The statement that begins with `word`: accepted and answered with its tag.
pub(super) fn parse(word: &str) -> Option<Parsed> {
    let tag = match word {
        "VACUUM" => "VACUUM",
        "ANALYZE" | "ANALYSE" => "ANALYZE",
        "LOCK" => "LOCK TABLE",
        "CLUSTER" => "CLUSTER",
        "REINDEX" => "REINDEX",
        "CHECKPOINT" => "CHECKPOINT",
        _ => return None,
    };
    Some(Parsed::new(Kind::Utility, tag))
}
