//! What a login may do, as far as its statements tell.
//!
//! Knows roles and schemas by PostgreSQL's names; knows no users and no catalogs' contents.

/// A login's powers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Access<'a> {
    /// What it may do to the schemas it sees.
    pub role: LoginRole,
    /// The schemas it sees, in PostgreSQL's words (`public`, not `main`); `None` for all.
    pub schemas: Option<&'a [String]>,
}

/// What a login may do to the schemas it sees.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LoginRole {
    /// Everything that Pintail lets anybody do.
    #[default]
    Owner,
    /// Reads, changes rows, defines tables and views.
    Writer,
    /// Reads.
    Reader,
}

impl Access<'_> {
    /// Whether every name of a statement must be authorised, and what is not described completely is refused.
    pub fn is_restricted(&self) -> bool {
        self.role != LoginRole::Owner || self.schemas.is_some()
    }

    /// Whether a schema, in PostgreSQL's words, is seen.
    pub fn sees_schema(&self, schema: &str) -> bool {
        self.schemas
            .is_none_or(|schemas| schemas.iter().any(|seen| seen == schema))
    }
}
