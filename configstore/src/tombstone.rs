//! What is left of a removed catalog: its number in the line of that name, and data to be purged later.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use tokio_postgres::Row;

use crate::stored::{self, Stored};
use crate::{Actor, CatalogId, CatalogName, CatalogSpec, Error, OrgSlug, StorageKind, Store, TombstoneId, audit};

/// A removed catalog whose data is still there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tombstone {
    /// Its number.
    pub id: TombstoneId,
    /// The organisation's short name; the organisation may be gone, or another one of that name.
    pub org: OrgSlug,
    /// The catalog's name.
    pub catalog: CatalogName,
    /// Which catalog of that name.
    pub incarnation: u32,
    /// The prefix to purge, as in the catalog.
    pub data_prefix: String,
    /// Where the prefix is.
    pub storage: StorageKind,
    /// When the catalog was buried.
    pub deleted_at: DateTime<Utc>,
    /// Until when the data is kept.
    pub keep_until: DateTime<Utc>,
}

impl Store {
    /// Turns a catalog that is being deleted into a tombstone, in one transaction. [`Error::NotFound`] once that is done.
    pub async fn bury(&self, id: CatalogId, keep_until: DateTime<Utc>) -> Result<(), Error> {
        {
            let mut client = self.client().await?;
            let tx = client.transaction().await?;
            let row = tx
                .query_opt(
                    "SELECT o.slug, c.name, c.state, c.incarnation, c.settings, c.sealed_credentials, c.data_prefix \
                     FROM pintail.catalogs c JOIN pintail.orgs o USING (org_id) WHERE c.catalog_id = $1 FOR UPDATE OF c",
                    &[&id.0],
                )
                .await?
                .ok_or_else(|| Error::missing(format!("catalog {id}")))?;
            let (org, name, incarnation): (&str, &str, i32) = (row.get(0), row.get(1), row.get(3));
            let object = format!("{org}/{name}");
            if row.get::<_, &str>(2) != "deleting" {
                return Err(Error::conflict(format!("the catalog {object} is not being deleted")));
            }
            let prefix: Option<&str> = row.get(6);
            let Stored { settings, sealed } = self.reseal(id, &row)?;
            tx.execute(
                "INSERT INTO pintail.tombstones (org_slug, catalog, incarnation, settings, sealed_credentials, \
                   data_prefix, keep_until, purged_at) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, CASE WHEN $6::text IS NULL THEN now() END)",
                &[&org, &name, &incarnation, &settings, &sealed, &prefix, &keep_until],
            )
            .await?;
            tx.execute("DELETE FROM pintail.catalogs WHERE catalog_id = $1", &[&id.0])
                .await?;
            let detail = json!({ "incarnation": incarnation, "data_prefix": prefix, "keep_until": keep_until });
            audit::record(&tx, &Actor::pintail(), "catalog.bury", &object, detail).await?;
            tx.commit().await?;
        }
        self.refresh().await
    }

    /// Tombstones whose data is due to be purged, oldest first. One that no configured key opens is left out, and logged.
    pub async fn due_tombstones(&self) -> Result<Vec<Tombstone>, Error> {
        let client = self.client().await?;
        let rows = client
            .query(
                "SELECT tombstone_id, org_slug, catalog, incarnation, data_prefix, settings, sealed_credentials, \
                   deleted_at, keep_until FROM pintail.tombstones \
                 WHERE purged_at IS NULL AND keep_until <= now() ORDER BY keep_until, tombstone_id",
                &[],
            )
            .await?;
        drop(client);
        let mut due = Vec::with_capacity(rows.len());
        for row in &rows {
            match self.tombstone(row) {
                Ok(tombstone) => due.push(tombstone),
                Err(error @ Error::Seal { .. }) => {
                    tracing::error!(tombstone = row.get::<_, i64>(0), %error, "a removed catalog's data cannot be purged");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(due)
    }

    /// Notes that a tombstone's data is purged: its credentials are forgotten, its incarnation never is. Repeatable.
    pub async fn forget_tombstone(&self, id: TombstoneId) -> Result<(), Error> {
        let mut client = self.client().await?;
        let tx = client.transaction().await?;
        let row = tx
            .query_opt(
                "UPDATE pintail.tombstones SET purged_at = now(), sealed_credentials = NULL \
                 WHERE tombstone_id = $1 AND purged_at IS NULL \
                 RETURNING org_slug || '/' || catalog, incarnation, data_prefix",
                &[&id.0],
            )
            .await?;
        if let Some(row) = row {
            let detail = json!({ "incarnation": row.get::<_, i32>(1), "data_prefix": row.get::<_, Option<&str>>(2) });
            audit::record(&tx, &Actor::pintail(), "tombstone.purge", row.get(0), detail).await?;
        }
        Ok(tx.commit().await?)
    }

    /// A catalog's credentials, sealed for its tombstone. Those that purging cannot use are left behind.
    fn reseal(&self, id: CatalogId, row: &Row) -> Result<Stored, Error> {
        let (settings, sealed): (Value, Option<&[u8]>) = (row.get(4), row.get(5));
        if row.get::<_, Option<&str>>(6).is_none() {
            return Ok(Stored { settings, sealed: None });
        }
        let spec = stored::open(&self.sealer, &id.credentials(), &settings, sealed)?;
        stored::seal(&self.sealer, &purpose(row.get(0), row.get(1), row.get(3)), &spec)
    }

    fn tombstone(&self, row: &Row) -> Result<Tombstone, Error> {
        let purpose = purpose(row.get(1), row.get(2), row.get(3));
        let spec = stored::open(&self.sealer, &purpose, &row.get(5), row.get(6))?;
        Ok(Tombstone {
            id: TombstoneId(row.get(0)),
            org: OrgSlug::parse(row.get(1))?,
            catalog: CatalogName::parse(row.get(2))?,
            incarnation: u32::try_from(row.get::<_, i32>(3)).map_err(|_| Error::corrupt("an incarnation"))?,
            data_prefix: row
                .get::<_, Option<String>>(4)
                .ok_or_else(|| Error::corrupt("a tombstone without a prefix"))?,
            storage: match spec {
                CatalogSpec::DuckLake { storage } => storage,
                CatalogSpec::DuckDbFile { .. } | CatalogSpec::Iceberg { .. } | CatalogSpec::Memory => {
                    StorageKind::Local
                }
            },
            deleted_at: row.get(7),
            keep_until: row.get(8),
        })
    }
}

/// The purpose that a tombstone's credentials are sealed for.
pub(crate) fn purpose(org: &str, catalog: &str, incarnation: i32) -> String {
    format!("tombstone:{org}/{catalog}.{incarnation}:credentials")
}
