//! Making organisations, users and catalogs. Each step may be repeated after a crash and ends in the same state.

use pintail_worker_api::Secret;
use rand::RngExt;
use tokio_postgres::types::ToSql;

use crate::{CatalogName, CatalogState, Error, OrgSlug, Store, UserName, metadata_schema};

/// A catalog as it was found or made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewCatalog {
    /// Its schema and role exist; its lake is still to be initialised.
    ToInitialise,
    /// It is ready.
    Ready,
}

impl Store {
    /// Makes an organisation unless it exists.
    pub async fn ensure_org(&self, org: &OrgSlug) -> Result<(), Error> {
        self.execute(
            "INSERT INTO pintail.orgs (slug) VALUES ($1) ON CONFLICT DO NOTHING",
            &[&org.as_str()],
        )
        .await
    }

    /// Makes a user with this password, or gives an existing one this password.
    pub async fn ensure_user(&self, org: &OrgSlug, user: &UserName, password: &Secret<String>) -> Result<(), Error> {
        let verifier = postgres_protocol::password::scram_sha_256(password.expose().as_bytes());
        self.execute(
            "INSERT INTO pintail.users (org_id, name, verifier) \
             SELECT org_id, $2, $3 FROM pintail.orgs WHERE slug = $1 \
             ON CONFLICT (org_id, name) DO UPDATE SET verifier = EXCLUDED.verifier",
            &[&org.as_str(), &user.as_str(), &verifier],
        )
        .await
    }

    /// Whether a user exists.
    pub async fn has_user(&self, org: &OrgSlug, user: &UserName) -> Result<bool, Error> {
        let client = self.client().await?;
        let row = client
            .query_one(
                "SELECT count(*) FROM pintail.users JOIN pintail.orgs USING (org_id) WHERE slug = $1 AND name = $2",
                &[&org.as_str(), &user.as_str()],
            )
            .await?;
        Ok(row.get::<_, i64>(0) > 0)
    }

    /// Writes a `DuckLake` catalog down and makes its metadata schema and role.
    ///
    /// The role may log in, owns its schema, and has no other right: nothing on `public`, no CREATE on the database.
    pub async fn ensure_lake(&self, org: &OrgSlug, catalog: &CatalogName) -> Result<NewCatalog, Error> {
        let schema = metadata_schema(org, catalog)?;
        let prefix = format!("{org}/{catalog}/");
        let password = random_password();
        let client = self.client().await?;
        let row = client
            .query_one(
                "INSERT INTO pintail.catalogs (org_id, name, metadata_schema, data_prefix, role_name, role_password, state) \
                 SELECT org_id, $2, $3, $4, $3, $5, 'provisioning' FROM pintail.orgs WHERE slug = $1 \
                 ON CONFLICT (org_id, name) DO UPDATE SET name = EXCLUDED.name \
                 RETURNING state, role_name, role_password, metadata_schema",
                &[&org.as_str(), &catalog.as_str(), &schema, &prefix, &password],
            )
            .await?;
        if row.get::<_, &str>(0) == "ready" {
            return Ok(NewCatalog::Ready);
        }
        let (role, password, schema): (String, String, String) = (row.get(1), row.get(2), row.get(3));
        let known = client
            .query_opt("SELECT 1 FROM pg_roles WHERE rolname = $1", &[&role])
            .await?;
        let verb = if known.is_some() { "ALTER" } else { "CREATE" };
        // The store keeps the verifier; the plain password never stands in a statement that could be logged.
        let verifier = postgres_protocol::password::scram_sha_256(password.as_bytes());
        client
            .batch_execute(&format!(
                "{verb} ROLE \"{role}\" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT PASSWORD '{verifier}'; \
                 CREATE SCHEMA IF NOT EXISTS \"{schema}\" AUTHORIZATION \"{role}\"; \
                 REVOKE ALL ON SCHEMA \"{schema}\" FROM PUBLIC; \
                 ALTER ROLE \"{role}\" SET search_path = \"{schema}\""
            ))
            .await?;
        let database = self.target().database.replace('"', "\"\"");
        client
            .batch_execute(&format!(
                "REVOKE ALL ON DATABASE \"{database}\" FROM PUBLIC; GRANT CONNECT ON DATABASE \"{database}\" TO \"{role}\""
            ))
            .await?;
        Ok(NewCatalog::ToInitialise)
    }

    /// Marks a catalog.
    pub async fn mark_catalog(&self, org: &OrgSlug, catalog: &CatalogName, state: CatalogState) -> Result<(), Error> {
        self.execute(
            "UPDATE pintail.catalogs c SET state = $3 FROM pintail.orgs o \
             WHERE o.org_id = c.org_id AND o.slug = $1 AND c.name = $2",
            &[&org.as_str(), &catalog.as_str(), &state.as_str()],
        )
        .await
    }

    async fn execute(&self, statement: &str, values: &[&(dyn ToSql + Sync)]) -> Result<(), Error> {
        self.client().await?.execute(statement, values).await?;
        Ok(())
    }
}

/// 144 bits from the operating system, in characters that need no quoting anywhere.
pub(crate) fn random_password() -> String {
    let mut source = rand::rng();
    (0..24)
        .map(|_| char::from(source.sample(rand::distr::Alphanumeric)))
        .collect()
}
