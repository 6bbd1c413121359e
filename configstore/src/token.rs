//! Tokens of the administration's interface. Kept as SHA-256: their text has 256 bits of randomness, so that is enough.

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use pintail_worker_api::Secret;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{Actor, Error, Store, audit};

/// What every token begins with, so that scanners for leaked secrets can tell.
const PREFIX: &str = "pintail_";
/// Length of 32 bytes in base64 without padding.
const RANDOM_LENGTH: usize = 43;

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
        if !(1..=63).contains(&name.len()) || !name.chars().all(|c| c.is_ascii_graphic()) {
            return Err(Error::invalid(
                "the token's name",
                "it must have 1 to 63 printable ASCII characters",
            ));
        }
        let bytes: [u8; 32] = rand::random();
        let text = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes));
        let mut client = self.client().await?;
        let tx = client.transaction().await?;
        let made = tx
            .execute(
                "INSERT INTO pintail.tokens (name, role, hash) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING",
                &[&name, &role.as_str(), &hash(&text)],
            )
            .await?;
        if made == 0 {
            return Err(Error::conflict(format!("there is a token of the name {name}")));
        }
        audit::record(&tx, actor, "token.create", name, json!({ "role": role })).await?;
        tx.commit().await?;
        Ok(Secret::new(text))
    }

    /// Makes a token void.
    pub async fn revoke_token(&self, actor: &Actor, name: &str) -> Result<(), Error> {
        let mut client = self.client().await?;
        let tx = client.transaction().await?;
        let gone = tx
            .execute("DELETE FROM pintail.tokens WHERE name = $1", &[&name])
            .await?;
        if gone == 0 {
            return Err(Error::missing(format!("the token {name}")));
        }
        audit::record(&tx, actor, "token.revoke", name, json!({})).await?;
        Ok(tx.commit().await?)
    }

    /// Every token by name.
    pub async fn tokens(&self) -> Result<Vec<TokenEntry>, Error> {
        let client = self.client().await?;
        let rows = client
            .query("SELECT name, role, created_at FROM pintail.tokens ORDER BY name", &[])
            .await?;
        let entries = rows.iter().map(|row| {
            Ok(TokenEntry {
                name: row.get(0),
                role: TokenRole::parse(row.get(1))?,
                created_at: row.get(2),
            })
        });
        entries.collect()
    }

    /// Whose token this is, if anybody's. Asks the store each time, so a revoked token is void at once everywhere.
    pub async fn check_token(&self, text: &str) -> Result<Option<Token>, Error> {
        // What cannot be a token costs no question.
        if text.strip_prefix(PREFIX).map(str::len) != Some(RANDOM_LENGTH) {
            return Ok(None);
        }
        let client = self.client().await?;
        let query = client
            .prepare_cached("SELECT name, role FROM pintail.tokens WHERE hash = $1")
            .await?;
        let row = client.query_opt(&query, &[&hash(text)]).await?;
        let token = |row: tokio_postgres::Row| {
            Ok(Token {
                name: row.get(0),
                role: TokenRole::parse(row.get(1))?,
            })
        };
        row.map(token).transpose()
    }
}

impl TokenRole {
    fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Operator => "operator",
            Self::Admin => "admin",
        }
    }

    fn parse(word: &str) -> Result<Self, Error> {
        [Self::Viewer, Self::Operator, Self::Admin]
            .into_iter()
            .find(|role| role.as_str() == word)
            .ok_or_else(|| Error::corrupt("a token's role"))
    }
}

fn hash(text: &str) -> Vec<u8> {
    digest(&SHA256, text.as_bytes()).as_ref().to_vec()
}
