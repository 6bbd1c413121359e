//! Users' persistent secrets: the statements that make them again in a new instance.

use deadpool_postgres::Transaction;
use pintail_worker_api::Secret;
use serde_json::json;

use crate::{Actor, Change, Error, OrgId, Store, UserId, audit, check};

/// The most secrets of one user.
const MOST: i64 = 100;
/// The longest statement, in bytes.
const LONGEST: usize = 64 << 10;

impl Store {
    /// Keeps a secret's statement, in place of one of that name. Audited by name only.
    pub async fn save_secret(
        &self,
        org: OrgId,
        user: UserId,
        name: &str,
        statement: &Secret<String>,
    ) -> Result<Change, Error> {
        check::text("the secret's name", name)?;
        if statement.expose().len() > LONGEST {
            return Err(Error::invalid("the secret", "its statement may have at most 64 KiB"));
        }
        let mut client = self.client().await?;
        let tx = client.transaction().await?;
        let owner = owner(&tx, org, user).await?;
        let purpose = purpose(user, name);
        let known = tx
            .query_opt(
                "SELECT sealed FROM pintail.secrets WHERE user_id = $1 AND name = $2",
                &[&user.0, &name],
            )
            .await?;
        let change = match known {
            Some(row) if self.sealer.open_text(&purpose, row.get(0)).ok().as_ref() == Some(statement) => {
                return Ok(Change::Unchanged);
            }
            Some(_) => Change::Updated,
            None => {
                admit_another(&tx, user).await?;
                Change::Created
            }
        };
        let sealed = self
            .sealer
            .seal(&purpose, statement.expose().as_bytes())
            .map_err(Error::sealed("a secret"))?;
        tx.execute(
            "INSERT INTO pintail.secrets (user_id, name, sealed) VALUES ($1, $2, $3) \
             ON CONFLICT (user_id, name) DO UPDATE SET sealed = EXCLUDED.sealed",
            &[&user.0, &name, &sealed],
        )
        .await?;
        audit::record(&tx, &owner.actor, "secret.save", &owner.object(name), json!({})).await?;
        tx.commit().await?;
        drop(client);
        self.refresh().await?;
        Ok(change)
    }

    /// Forgets a secret; whether it was there.
    pub async fn drop_secret(&self, org: OrgId, user: UserId, name: &str) -> Result<bool, Error> {
        let mut client = self.client().await?;
        let tx = client.transaction().await?;
        let owner = owner(&tx, org, user).await?;
        let gone = tx
            .execute(
                "DELETE FROM pintail.secrets WHERE user_id = $1 AND name = $2",
                &[&user.0, &name],
            )
            .await?;
        if gone > 0 {
            audit::record(&tx, &owner.actor, "secret.drop", &owner.object(name), json!({})).await?;
        }
        tx.commit().await?;
        drop(client);
        self.refresh().await?;
        Ok(gone > 0)
    }

    /// A user's secrets by name. One that no configured key opens is left out, and logged.
    pub async fn secrets(&self, user: UserId) -> Result<Vec<(String, Secret<String>)>, Error> {
        let client = self.client().await?;
        let query = client
            .prepare_cached("SELECT name, sealed FROM pintail.secrets WHERE user_id = $1 ORDER BY name")
            .await?;
        let rows = client.query(&query, &[&user.0]).await?;
        let mut secrets = Vec::with_capacity(rows.len());
        for row in rows {
            let name: String = row.get(0);
            match self.sealer.open_text(&purpose(user, &name), row.get(1)) {
                Ok(statement) => secrets.push((name, statement)),
                Err(error) => tracing::error!(%user, name, %error, "a stored secret cannot be opened"),
            }
        }
        Ok(secrets)
    }
}

/// The purpose that a secret's statement is sealed for.
pub(crate) fn purpose(user: UserId, name: &str) -> String {
    format!("secret:{user}:{name}")
}

/// A user as the audit names it.
struct Owner {
    actor: Actor,
    path: String,
}

impl Owner {
    fn object(&self, name: &str) -> String {
        format!("{}/{name}", self.path)
    }
}

async fn owner(tx: &Transaction<'_>, org: OrgId, user: UserId) -> Result<Owner, Error> {
    let row = tx
        .query_opt(
            "SELECT o.slug, u.name FROM pintail.users u JOIN pintail.orgs o USING (org_id) \
             WHERE u.user_id = $1 AND u.org_id = $2 FOR UPDATE OF u",
            &[&user.0, &org.0],
        )
        .await?
        .ok_or_else(|| Error::missing(format!("user {user}")))?;
    let (slug, name): (&str, &str) = (row.get(0), row.get(1));
    Ok(Owner {
        actor: Actor::new(format!("user:{name}@{slug}")),
        path: format!("{slug}/{name}"),
    })
}

async fn admit_another(tx: &Transaction<'_>, user: UserId) -> Result<(), Error> {
    let row = tx
        .query_one("SELECT count(*) FROM pintail.secrets WHERE user_id = $1", &[&user.0])
        .await?;
    if row.get::<_, i64>(0) < MOST {
        Ok(())
    } else {
        Err(Error::conflict(format!(
            "a user may have at most {MOST} persistent secrets"
        )))
    }
}
