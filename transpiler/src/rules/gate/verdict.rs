//! What is known of a function by its name.

use super::functions;

/// Who may call a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Everyone,
    /// Everyone, but not in FROM.
    Expressions,
    /// Logins without restrictions.
    Owners(Argument),
    Nobody,
    Unknown,
}

/// What a function's arguments are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Argument {
    /// Values.
    Value,
    /// Names of files.
    File,
    /// The name of a relation.
    Relation,
}

/// The verdict on a function by its folded name.
pub(super) fn verdict(name: &str) -> Verdict {
    let listed = |list: &[&str]| list.binary_search(&name).is_ok();
    let begins = functions::REFUSED_PREFIXES
        .iter()
        .any(|prefix| name.starts_with(prefix));
    if listed(functions::REFUSED) {
        Verdict::Nobody
    } else if listed(functions::EVERYONE) {
        Verdict::Everyone
    } else if listed(functions::EXPRESSIONS) {
        Verdict::Expressions
    } else if listed(functions::OWNERS) {
        Verdict::Owners(Argument::Value)
    } else if listed(functions::FILES) {
        Verdict::Owners(Argument::File)
    } else if listed(functions::NAMES) {
        Verdict::Owners(Argument::Relation)
    } else if begins {
        Verdict::Nobody
    } else {
        Verdict::Unknown
    }
}
