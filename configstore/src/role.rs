//! The role and the schema of a lake's metadata: the wall of credentials.
//!
//! The role may log in, owns its schema, and has no other right: none on the database but CONNECT, nothing on `public`, no
//! membership. The store's own role need not be a superuser: CREATEROLE and ownership of the database suffice. Then it must
//! be a member of the lake's role while it makes or drops the schema (manual, "CREATE SCHEMA", "Role Membership").

mod admin;

use deadpool_postgres::Transaction;

use self::admin::{Admin, Inherit, quoted};
use crate::{Actor, CatalogId, Error, Store, audit, hashing};

/// Taken by whoever changes rights on the database, since two at once fail ("tuple concurrently updated").
const LOCK: i64 = 0x7069_6e74_6169_6c02;

/// A lake's names.
struct Lake {
    object: String,
    schema: String,
    role: String,
    is_deleting: bool,
    sealed_password: Vec<u8>,
}

impl Store {
    /// Makes a lake's role and schema, or puts them right, in one transaction. Repeatable; nothing for kinds without metadata
    /// in the store.
    ///
    /// [`Error::Conflict`] where a role or schema of that name belongs to somebody else, where the role would have rights
    /// beyond its schema, and for a catalog that is being deleted.
    pub async fn make_role_and_schema(&self, id: CatalogId) -> Result<(), Error> {
        let mut client = self.client().await?;
        let tx = client.transaction().await?;
        let Some(lake) = lake(&tx, id).await? else {
            return Ok(());
        };
        if lake.is_deleting {
            return Err(Error::conflict(format!("the catalog {} is being deleted", lake.object)));
        }
        let password = self
            .sealer
            .open_text(&id.role_password(), &lake.sealed_password)
            .map_err(Error::sealed(id.role_password()))?;
        tx.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
        let admin = Admin::load(&tx).await?;
        let made = make_role(&tx, &lake, password.expose()).await?;
        admin.join(&tx, &lake.role, Inherit::No).await?;
        make_schema(&tx, &lake).await?;
        let (database, role, schema) = (quoted(&admin.database), quoted(&lake.role), quoted(&lake.schema));
        tx.batch_execute(&format!(
            "ALTER ROLE {role} SET search_path = {schema}; \
             REVOKE ALL ON DATABASE {database} FROM PUBLIC; \
             GRANT CONNECT ON DATABASE {database} TO {role}"
        ))
        .await?;
        admin.leave(&tx, &lake.role).await?;
        verify(&tx, &lake).await?;
        if made {
            audit::record(
                &tx,
                &Actor::pintail(),
                "catalog.make_role",
                &lake.object,
                serde_json::json!({ "role": lake.role }),
            )
            .await?;
        }
        Ok(tx.commit().await?)
    }

    /// Ends the role's sessions and removes role and schema with everything in it. Repeatable; [`Error::Conflict`] for a
    /// catalog that is not being deleted.
    pub async fn drop_role_and_schema(&self, id: CatalogId) -> Result<(), Error> {
        let mut client = self.client().await?;
        let tx = client.transaction().await?;
        let Some(lake) = lake(&tx, id).await? else {
            return Ok(());
        };
        if !lake.is_deleting {
            return Err(Error::conflict(format!(
                "the catalog {} is not being deleted",
                lake.object
            )));
        }
        if !exists(&tx, &lake.role).await? {
            // A schema cannot outlive its owner, so one of that name is somebody else's.
            return Ok(());
        }
        tx.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
        let admin = Admin::load(&tx).await?;
        admin.join(&tx, &lake.role, Inherit::Yes).await?;
        let role = quoted(&lake.role);
        tx.batch_execute(&format!("ALTER ROLE {role} NOLOGIN")).await?;
        tx.commit().await?;
        // Committed first: nobody can log in again, so those that are in are the last.
        client
            .execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = $1",
                &[&lake.role],
            )
            .await?;
        let tx = client.transaction().await?;
        tx.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
        drop_schema(&tx, &lake).await?;
        let database = quoted(&admin.database);
        tx.batch_execute(&format!(
            "REVOKE ALL ON DATABASE {database} FROM {role}; DROP OWNED BY {role}; DROP ROLE {role}"
        ))
        .await?;
        let detail = serde_json::json!({ "role": lake.role });
        audit::record(&tx, &Actor::pintail(), "catalog.drop_role", &lake.object, detail).await?;
        Ok(tx.commit().await?)
    }
}

/// The names, for a lake; the row stays locked.
async fn lake(tx: &Transaction<'_>, id: CatalogId) -> Result<Option<Lake>, Error> {
    let row = tx
        .query_opt(
            "SELECT o.slug || '/' || c.name, c.metadata_schema, c.role_name, c.state = 'deleting', c.sealed_password \
             FROM pintail.catalogs c JOIN pintail.orgs o USING (org_id) WHERE c.catalog_id = $1 FOR UPDATE OF c",
            &[&id.0],
        )
        .await?
        .ok_or_else(|| Error::missing(format!("catalog {id}")))?;
    let names: (Option<String>, Option<String>) = (row.get(1), row.get(2));
    Ok(match names {
        (Some(schema), Some(role)) => Some(Lake {
            object: row.get(0),
            schema,
            role,
            is_deleting: row.get(3),
            sealed_password: row.get::<_, Option<Vec<u8>>>(4).unwrap_or_default(),
        }),
        _ => None,
    })
}

async fn exists(tx: &Transaction<'_>, role: &str) -> Result<bool, Error> {
    let row = tx
        .query_opt("SELECT FROM pg_roles WHERE rolname = $1", &[&role])
        .await?;
    Ok(row.is_some())
}

/// Makes the role or gives it its password; says whether it was made.
async fn make_role(tx: &Transaction<'_>, lake: &Lake, password: &str) -> Result<bool, Error> {
    let known = tx
        .query_opt(
            "SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls \
               OR EXISTS (SELECT FROM pg_auth_members m WHERE m.member = r.oid) FROM pg_roles r WHERE rolname = $1",
            &[&lake.role],
        )
        .await?;
    let is_powerful = known.as_ref().is_some_and(|row| row.get(0));
    if is_powerful {
        return Err(Error::conflict(format!(
            "the store has a role {} with rights of its own; it was not made for the catalog {}",
            lake.role, lake.object
        )));
    }
    // Attributes that only a superuser may name are left out for a role that is there; it was just seen not to have them.
    let verb = match known {
        Some(_) => "ALTER",
        None => "CREATE",
    };
    // The server gets the verifier; the plain password never stands in a statement that could be logged.
    let password = password.as_bytes().to_vec();
    let verifier = hashing::aside(move || postgres_protocol::password::scram_sha_256(&password)).await?;
    let role = quoted(&lake.role);
    tx.batch_execute(&format!("{verb} ROLE {role} LOGIN NOINHERIT PASSWORD '{verifier}'"))
        .await?;
    Ok(known.is_none())
}

async fn owner(tx: &Transaction<'_>, schema: &str) -> Result<Option<String>, Error> {
    let row = tx
        .query_opt(
            "SELECT pg_get_userbyid(nspowner)::text FROM pg_namespace WHERE nspname = $1",
            &[&schema],
        )
        .await?;
    Ok(row.map(|row| row.get(0)))
}

async fn make_schema(tx: &Transaction<'_>, lake: &Lake) -> Result<(), Error> {
    match owner(tx, &lake.schema).await? {
        Some(owner) if owner == lake.role => Ok(()),
        Some(_) => Err(foreign(lake)),
        None => {
            let (schema, role) = (quoted(&lake.schema), quoted(&lake.role));
            Ok(tx
                .batch_execute(&format!("CREATE SCHEMA {schema} AUTHORIZATION {role}"))
                .await?)
        }
    }
}

async fn drop_schema(tx: &Transaction<'_>, lake: &Lake) -> Result<(), Error> {
    match owner(tx, &lake.schema).await? {
        Some(owner) if owner == lake.role => {
            let schema = quoted(&lake.schema);
            Ok(tx.batch_execute(&format!("DROP SCHEMA {schema} CASCADE")).await?)
        }
        Some(_) => Err(foreign(lake)),
        None => Ok(()),
    }
}

fn foreign(lake: &Lake) -> Error {
    Error::conflict(format!(
        "the store has a schema {} that does not belong to the catalog {}",
        lake.schema, lake.object
    ))
}

/// Looks whether the wall stands: rights that PUBLIC has in this database are the role's as well.
async fn verify(tx: &Transaction<'_>, lake: &Lake) -> Result<(), Error> {
    let row = tx
        .query_one(
            "SELECT array_remove(ARRAY[ \
               CASE WHEN has_database_privilege($1, current_database(), 'CREATE') THEN 'CREATE on the database' END, \
               CASE WHEN has_database_privilege($1, current_database(), 'TEMPORARY') THEN 'TEMPORARY on the database' END \
             ], NULL) || ARRAY( \
               SELECT 'the schema ' || nspname FROM pg_namespace \
               WHERE nspname <> $2 AND nspname NOT IN ('pg_catalog', 'information_schema') AND nspname !~ '^pg_(toast|temp)' \
                 AND (has_schema_privilege($1, oid, 'USAGE') OR has_schema_privilege($1, oid, 'CREATE')) LIMIT 10)",
            &[&lake.role, &lake.schema],
        )
        .await?;
    let rights: Vec<String> = row.get(0);
    if rights.is_empty() {
        Ok(())
    } else {
        Err(Error::conflict(format!(
            "the role {} would have rights beyond its schema: {}; revoke them from PUBLIC",
            lake.role,
            rights.join(", ")
        )))
    }
}
