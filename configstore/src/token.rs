//! Tokens of the administration's interface.

use chrono::{DateTime, Utc};
use pintail_worker_api::Secret;
use serde::{Deserialize, Serialize};

use crate::{Actor, Error, Store};

/// What a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenRole {
    /// Reads.
    Viewer,
    /// Reads, and changes organisations, users and catalogs.
    Operator,
    /// Everything, tokens included.
    Admin,
}

/// A token that was shown and is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Its name.
    pub name: String,
    /// What it may do.
    pub role: TokenRole,
}

/// A token as listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TokenEntry {
    /// Its name.
    pub name: String,
    /// What it may do.
    pub role: TokenRole,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

impl Store {
    /// Makes a token, `pintail_<43 characters>`; its text is told this once. [`Error::Conflict`] if the name is taken.
    pub async fn create_token(&self, actor: &Actor, name: &str, role: TokenRole) -> Result<Secret<String>, Error> {
        let _ = (actor, name, role);
        Err(Error::conflict("not built yet"))
    }

    /// Makes a token void.
    pub async fn revoke_token(&self, actor: &Actor, name: &str) -> Result<(), Error> {
        let _ = (actor, name);
        Err(Error::conflict("not built yet"))
    }

    /// Every token by name.
    pub async fn tokens(&self) -> Result<Vec<TokenEntry>, Error> {
        Err(Error::conflict("not built yet"))
    }

    /// Whose token this is, if anybody's.
    pub async fn check_token(&self, text: &str) -> Result<Option<Token>, Error> {
        let _ = text;
        Err(Error::conflict("not built yet"))
    }
}
