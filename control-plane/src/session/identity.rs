//! Whose session it is.

use pintail_transpiler::Storage;

/// Who the session belongs to. Fixed after authentication.
#[derive(Debug, Clone)]
pub struct Identity {
    /// The user.
    pub user: String,
    /// The catalog it starts in.
    pub catalog: String,
    /// What the catalog's tables can do.
    pub storage: Storage,
    /// What the user may do.
    pub access: UserAccess,
    /// Names of the catalogs that its instance has attached.
    pub attached: Vec<String>,
    /// The catalogs that its user may have attached, by name, with what their tables can do.
    pub reachable: Vec<(String, Storage)>,
    /// The longest that a statement may take, milliseconds; 0 for no limit.
    pub statement_limit_ms: u64,
    /// `pg_backend_pid()`.
    pub backend_pid: i32,
    /// The client's address.
    pub client_address: Option<String>,
}

impl Identity {
    /// Whether the user may have a catalog attached.
    pub(super) fn may_reach(&self, catalog: &str) -> bool {
        self.reachable.iter().any(|(name, _)| name == catalog)
    }

    /// Whether the user may see a schema.
    pub(super) fn sees_schema(&self, schema: &str) -> bool {
        self.access
            .schemas
            .as_ref()
            .is_none_or(|seen| seen.iter().any(|name| name == schema))
    }
}

/// What a user may do in its catalogs.
#[derive(Debug, Clone, Default)]
pub struct UserAccess {
    /// Its role.
    pub role: pintail_transpiler::LoginRole,
    /// The schemas that it is confined to; `None` for all.
    pub schemas: Option<Vec<String>>,
}
