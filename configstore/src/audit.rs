//! Who changed what.
//!
//! A row is written in the transaction of its change, so that neither is there without the other.

use chrono::{DateTime, Utc};
use deadpool_postgres::Transaction;
use serde::Serialize;
use serde_json::Value;

use crate::{Actor, Error, Store};

/// The most entries in one answer.
const MOST: u32 = 1_000;

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
    pub detail: Value,
}

impl Store {
    /// Records a deed that changes nothing in the store, such as the end of a session.
    pub async fn note(&self, actor: &Actor, action: &str, object: &str) -> Result<(), Error> {
        let mut client = self.client().await?;
        let tx = client.transaction().await?;
        record(&tx, actor, action, object, Value::Object(serde_json::Map::new())).await?;
        Ok(tx.commit().await?)
    }

    /// The latest changes, latest first, at most a thousand; with `before`, those before that number.
    pub async fn audit(&self, limit: u32, before: Option<i64>) -> Result<Vec<AuditEntry>, Error> {
        let client = self.client().await?;
        let rows = client
            .query(
                "SELECT audit_id, at, actor, action, object, detail FROM pintail.audit \
                 WHERE audit_id < coalesce($2, 9223372036854775807) ORDER BY audit_id DESC LIMIT $1",
                &[&i64::from(limit.min(MOST)), &before],
            )
            .await?;
        let entries = rows.iter().map(|row| AuditEntry {
            id: row.get(0),
            at: row.get(1),
            actor: row.get(2),
            action: row.get(3),
            object: row.get(4),
            detail: row.get(5),
        });
        Ok(entries.collect())
    }
}

/// Writes a change down. `detail` must be free of secrets.
pub(crate) async fn record(
    tx: &Transaction<'_>,
    actor: &Actor,
    action: &str,
    object: &str,
    detail: Value,
) -> Result<(), Error> {
    tx.execute(
        "INSERT INTO pintail.audit (actor, action, object, detail) VALUES ($1, $2, $3, $4)",
        &[&actor.as_str(), &action, &object, &detail],
    )
    .await?;
    Ok(())
}
