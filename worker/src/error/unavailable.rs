//! Why a catalog cannot be attached, where the reason is known.

use pintail_sqlstate::{Report, SqlState};

/// A known reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unavailable {
    /// The lake's tables are not in its metadata schema.
    NotProvisioned,
    /// The lake's tables are of another version than the engine's.
    OtherVersion,
    /// The database file is open elsewhere.
    InUse,
    /// The database file is not there.
    NoFile,
    /// The file is no database.
    NotADatabase,
    /// The store or the REST catalog refused the catalog's credentials.
    Refused,
}

impl Unavailable {
    /// What a client is told; no credential and no address is in it.
    pub(super) fn report(self, catalog: &str) -> Report {
        let told = |state, text: &str| Report::new(state, format!("catalog \"{catalog}\" {text}"));
        match self {
            Self::NotProvisioned => told(
                SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                "is not provisioned: its metadata has no lake",
            ),
            Self::OtherVersion => told(
                SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                "is of another version than this server's",
            )
            .with_hint("An operator upgrades it by provisioning it again."),
            Self::InUse => told(SqlState::OBJECT_IN_USE, "is open in another session")
                .with_hint("A database file that is written can be open in one session at a time."),
            Self::NoFile => told(SqlState::UNDEFINED_FILE, "has no database file"),
            Self::NotADatabase => told(SqlState::DATA_CORRUPTED, "is in a file that is no database"),
            Self::Refused => told(
                SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
                "cannot be opened: its credentials were refused",
            ),
        }
    }
}
