//! Who changed what.

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::{Error, Store};

/// One change.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AuditEntry {
    /// Its number; later ones are higher.
    pub id: i64,
    /// When.
    pub at: DateTime<Utc>,
    /// Who.
    pub actor: String,
    /// What was done, such as `user.update`.
    pub action: String,
    /// To what, such as `acme/ann`.
    pub object: String,
    /// The new values, without secrets.
    pub detail: serde_json::Value,
}

impl Store {
    /// The latest changes, latest first; with `before`, those before that number.
    pub async fn audit(&self, limit: u32, before: Option<i64>) -> Result<Vec<AuditEntry>, Error> {
        let _ = (limit, before);
        Err(Error::conflict("not built yet"))
    }
}
