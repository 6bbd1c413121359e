//! Sealing everything anew after a change of keys.

use deadpool_postgres::Transaction;
use serde_json::json;

use crate::{Actor, CatalogId, Error, Store, UserId, audit, migrate, secret, tombstone};

/// Rows of one kind: key columns first, the sealed bytes last.
struct Place {
    read: &'static str,
    write: &'static str,
}

const PASSWORDS: Place = Place {
    read: "SELECT catalog_id, sealed_password FROM pintail.catalogs WHERE sealed_password IS NOT NULL FOR UPDATE",
    write: "UPDATE pintail.catalogs SET sealed_password = $2 WHERE catalog_id = $1",
};
const CREDENTIALS: Place = Place {
    read: "SELECT catalog_id, sealed_credentials FROM pintail.catalogs WHERE sealed_credentials IS NOT NULL FOR UPDATE",
    write: "UPDATE pintail.catalogs SET sealed_credentials = $2 WHERE catalog_id = $1",
};

impl Store {
    /// Seals with the present key what others sealed; returns how much. All of it or, on an error, nothing.
    pub async fn rotate_seals(&self, actor: &Actor) -> Result<u64, Error> {
        let mut client = self.client().await?;
        let tx = client.transaction().await?;
        let mut count = 0;
        for (place, purpose) in [
            (PASSWORDS, CatalogId::role_password as fn(CatalogId) -> String),
            (CREDENTIALS, CatalogId::credentials),
        ] {
            for row in tx.query(place.read, &[]).await? {
                let id = CatalogId(row.get(0));
                if let Some(sealed) = self.anew(&purpose(id), row.get(1))? {
                    count += tx.execute(place.write, &[&id.0, &sealed]).await?;
                }
            }
        }
        count += self.rotate_tombstones(&tx).await?;
        count += self.rotate_secrets(&tx).await?;
        let row = tx
            .query_opt(
                "SELECT value FROM pintail.installation WHERE key = $1 FOR UPDATE",
                &[&migrate::SEAL_CHECK],
            )
            .await?;
        if let Some(sealed) = row
            .map(|row| self.anew(migrate::SEAL_CHECK, row.get(0)))
            .transpose()?
            .flatten()
        {
            count += tx
                .execute(
                    "UPDATE pintail.installation SET value = $2 WHERE key = $1",
                    &[&migrate::SEAL_CHECK, &sealed],
                )
                .await?;
        }
        if count > 0 {
            let detail = json!({ "key": self.sealer.key_id(), "count": count });
            audit::record(&tx, actor, "seals.rotate", "installation", detail).await?;
        }
        tx.commit().await?;
        Ok(count)
    }

    async fn rotate_tombstones(&self, tx: &Transaction<'_>) -> Result<u64, Error> {
        let rows = tx
            .query(
                "SELECT tombstone_id, org_slug, catalog, incarnation, sealed_credentials FROM pintail.tombstones \
                 WHERE sealed_credentials IS NOT NULL FOR UPDATE",
                &[],
            )
            .await?;
        let mut count = 0;
        for row in rows {
            let purpose = tombstone::purpose(row.get(1), row.get(2), row.get(3));
            if let Some(sealed) = self.anew(&purpose, row.get(4))? {
                count += tx
                    .execute(
                        "UPDATE pintail.tombstones SET sealed_credentials = $2 WHERE tombstone_id = $1",
                        &[&row.get::<_, i64>(0), &sealed],
                    )
                    .await?;
            }
        }
        Ok(count)
    }

    async fn rotate_secrets(&self, tx: &Transaction<'_>) -> Result<u64, Error> {
        let rows = tx
            .query("SELECT user_id, name, sealed FROM pintail.secrets FOR UPDATE", &[])
            .await?;
        let mut count = 0;
        for row in rows {
            let (user, name): (i64, &str) = (row.get(0), row.get(1));
            if let Some(sealed) = self.anew(&secret::purpose(UserId(user), name), row.get(2))? {
                count += tx
                    .execute(
                        "UPDATE pintail.secrets SET sealed = $3 WHERE user_id = $1 AND name = $2",
                        &[&user, &name, &sealed],
                    )
                    .await?;
            }
        }
        Ok(count)
    }

    /// The same secret under the present key, unless that sealed it already.
    fn anew(&self, purpose: &str, sealed: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        if self.sealer.is_current(sealed) {
            return Ok(None);
        }
        let again = self
            .sealer
            .open(purpose, sealed)
            .and_then(|plain| self.sealer.seal(purpose, plain.expose()))
            .map_err(Error::sealed(purpose))?;
        Ok(Some(again))
    }
}
