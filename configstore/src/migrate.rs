//! Bringing the store's schema and rows to this program's version.

use deadpool_postgres::{ClientWrapper, Object};

use crate::{CatalogId, Error, Store};

mod migrations {
    refinery::embed_migrations!("migrations");
}

/// Any number will do that no other program takes as its advisory lock.
const LOCK: i64 = 0x7069_6e74_6169_6c00;
/// The row that shows whether the configured keys are the installation's.
pub(crate) const SEAL_CHECK: &str = "seal_check";

impl Store {
    /// Brings the store to this program's version, and checks that the sealing keys are this installation's. Several may try
    /// at once; one does it.
    ///
    /// [`Error::Seal`] where no configured key opens what the installation sealed. Needs ownership of the database.
    pub async fn migrate(&self) -> Result<(), Error> {
        // A connection of its own: its end gives the lock back, however this ends.
        let mut client = Object::take(self.client().await?);
        client
            .batch_execute("SET statement_timeout = 0; SET lock_timeout = 0")
            .await?;
        client.execute("SELECT pg_advisory_lock($1)", &[&LOCK]).await?;
        client
            .batch_execute("CREATE SCHEMA IF NOT EXISTS pintail; REVOKE ALL ON SCHEMA pintail FROM PUBLIC")
            .await?;
        close_public(&client).await?;
        let mut runner = migrations::migrations::runner();
        runner.set_migration_table_name("pintail.schema_history");
        runner.run_async(&mut *client).await?;
        self.check_seal(&client).await?;
        self.seal_plain_passwords(&mut client).await
    }

    /// Seals a fixed text at the first start, and opens it at every other.
    async fn check_seal(&self, client: &ClientWrapper) -> Result<(), Error> {
        let sealing = Error::sealed("this installation");
        let fresh = match self.sealer.seal(SEAL_CHECK, SEAL_CHECK.as_bytes()) {
            Ok(fresh) => fresh,
            Err(error) => return Err(sealing(error)),
        };
        let row = client
            .query_one(
                "INSERT INTO pintail.installation (key, value) VALUES ($1, $2) \
                 ON CONFLICT (key) DO UPDATE SET value = pintail.installation.value RETURNING value",
                &[&SEAL_CHECK, &fresh],
            )
            .await?;
        self.sealer.open(SEAL_CHECK, row.get(0)).map_err(sealing)?;
        Ok(())
    }

    /// Seals the passwords that the first version kept as they were.
    async fn seal_plain_passwords(&self, client: &mut ClientWrapper) -> Result<(), Error> {
        let tx = client.transaction().await?;
        let rows = tx
            .query(
                "SELECT catalog_id, role_password FROM pintail.catalogs WHERE role_password <> '' FOR UPDATE",
                &[],
            )
            .await?;
        for row in &rows {
            let id = CatalogId(row.get(0));
            let sealed = self.seal_password(id, row.get(1))?;
            tx.execute(
                "UPDATE pintail.catalogs SET sealed_password = $2, role_password = '' WHERE catalog_id = $1",
                &[&id.0, &sealed],
            )
            .await?;
        }
        tx.commit().await?;
        if !rows.is_empty() {
            // The plain passwords leave the table's file, too.
            client.batch_execute("VACUUM FULL pintail.catalogs").await?;
        }
        Ok(())
    }
}

/// Nobody gets anything from `public`, which may be missing.
async fn close_public(client: &ClientWrapper) -> Result<(), Error> {
    let open = client
        .query_one(
            "SELECT EXISTS (SELECT FROM pg_namespace n, \
               aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a WHERE n.nspname = 'public' AND a.grantee = 0)",
            &[],
        )
        .await?;
    if open.get(0) {
        client.batch_execute("REVOKE ALL ON SCHEMA public FROM PUBLIC").await?;
    }
    Ok(())
}
