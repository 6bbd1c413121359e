//! Reading the snapshot: four queries in one transaction that sees one moment.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio_postgres::{IsolationLevel, Row};

use crate::{
    Catalog, CatalogId, CatalogKind, CatalogName, CatalogSpec, CatalogState, Error, Org, OrgId, OrgSlug, Role, Sealer,
    Snapshot, Standing, Store, User, UserId, UserName, stored,
};

impl Store {
    pub(crate) async fn load(&self) -> Result<Snapshot, Error> {
        let mut client = self.client().await?;
        let tx = client
            .build_transaction()
            .isolation_level(IsolationLevel::RepeatableRead)
            .read_only(true)
            .start()
            .await?;
        let mut orgs = orgs(&tx).await?;
        for row in read(&tx, "SELECT org_id, host FROM pintail.hosts").await? {
            if let Some(org) = orgs.get_mut(&row.get(0)) {
                org.hosts.insert(row.get(1));
            }
        }
        for row in read(&tx, USERS).await? {
            if let Some(org) = orgs.get_mut(&row.get(0)) {
                let user = user(&row)?;
                org.users.insert(user.name.to_string(), Arc::new(user));
            }
        }
        for row in read(&tx, CATALOGS).await? {
            if let Some(org) = orgs.get_mut(&row.get(0)) {
                let catalog = catalog(&self.sealer, &row)?;
                org.catalogs.insert(catalog.name.to_string(), Arc::new(catalog));
            }
        }
        tx.commit().await?;
        Ok(Snapshot::new(orgs.into_values().collect()))
    }
}

const USERS: &str = "SELECT org_id, user_id, name, verifier, disabled, role, schemas, catalogs, limits, created_at, \
     (SELECT count(*) FROM pintail.secrets s WHERE s.user_id = u.user_id) FROM pintail.users u";
const CATALOGS: &str = "SELECT org_id, catalog_id, name, state, reason, incarnation, created_at, settings, \
     sealed_credentials, sealed_password, metadata_schema, role_name, data_prefix FROM pintail.catalogs";

async fn read(tx: &deadpool_postgres::Transaction<'_>, query: &str) -> Result<Vec<Row>, Error> {
    let query = tx.prepare_cached(query).await?;
    Ok(tx.query(&query, &[]).await?)
}

async fn orgs(tx: &deadpool_postgres::Transaction<'_>) -> Result<BTreeMap<i64, Org>, Error> {
    let rows = read(
        tx,
        "SELECT org_id, slug, disabled, limits, locations, created_at FROM pintail.orgs",
    )
    .await?;
    let org = |row: Row| {
        let id: i64 = row.get(0);
        let org = Org {
            id: OrgId(id),
            slug: OrgSlug::parse(row.get(1))?,
            standing: standing(&row, 2),
            limits: json(row.get(3), "an organisation's limits")?,
            locations: row.get(4),
            hosts: BTreeSet::new(),
            users: BTreeMap::new(),
            catalogs: BTreeMap::new(),
            created_at: row.get(5),
        };
        Ok((id, org))
    };
    rows.into_iter().map(org).collect()
}

fn user(row: &Row) -> Result<User, Error> {
    let catalogs: Option<Vec<String>> = row.get(7);
    let catalogs = catalogs.map(|names| names.iter().map(|name| CatalogName::parse(name)).collect());
    Ok(User {
        id: UserId(row.get(1)),
        name: UserName::parse(row.get(2))?,
        verifier: pintail_worker_api::Secret::new(row.get(3)),
        standing: standing(row, 4),
        role: Role::parse(row.get(5))?,
        schemas: row.get(6),
        catalogs: catalogs.transpose()?,
        limits: json(row.get(8), "a user's limits")?,
        created_at: row.get(9),
        secrets: u32::try_from(row.get::<_, i64>(10)).unwrap_or(u32::MAX),
    })
}

/// A catalog; one whose secrets cannot be opened is shown as failed, so that it alone is out of use.
fn catalog(keys: &Sealer, row: &Row) -> Result<Catalog, Error> {
    let id = CatalogId(row.get(1));
    let mut state = CatalogState::parse(row.get(3))?;
    let mut reason = row.get(4);
    let kind = match kind(keys, id, row) {
        Err(error @ Error::Seal { .. }) => {
            let text = crate::error::chain(&error);
            tracing::error!(catalog = %id, error = text, "a catalog's secrets cannot be opened");
            if state != CatalogState::Deleting {
                state = CatalogState::Failed;
            }
            reason = Some(text);
            blank_kind(row)?
        }
        other => other?,
    };
    Ok(Catalog {
        id,
        name: CatalogName::parse(row.get(2))?,
        state,
        reason,
        incarnation: u32::try_from(row.get::<_, i32>(5)).map_err(|_| Error::corrupt("an incarnation"))?,
        kind,
        created_at: row.get(6),
    })
}

fn kind(keys: &Sealer, id: CatalogId, row: &Row) -> Result<CatalogKind, Error> {
    let spec = stored::open(keys, &id.credentials(), &row.get(7), row.get(8))?;
    let mut kind = with_names(spec, row)?;
    if let CatalogKind::DuckLake { role_password, .. } = &mut kind {
        // Written by the first version, and not yet sealed: nothing to open, and nothing to attach.
        let sealed = row.get::<_, Option<&[u8]>>(9).unwrap_or_default();
        *role_password = keys
            .open_text(&id.role_password(), sealed)
            .map_err(Error::sealed(id.role_password()))?;
    }
    Ok(kind)
}

/// The kind with every secret empty.
fn blank_kind(row: &Row) -> Result<CatalogKind, Error> {
    with_names(stored::blank(&row.get(7))?, row)
}

fn with_names(spec: CatalogSpec, row: &Row) -> Result<CatalogKind, Error> {
    let name = |index: usize, what: &str| {
        row.get::<_, Option<String>>(index)
            .ok_or_else(|| Error::corrupt(format!("a catalog without its {what}")))
    };
    Ok(match spec {
        CatalogSpec::DuckLake { storage } => CatalogKind::DuckLake {
            metadata_schema: name(10, "schema")?,
            role: name(11, "role")?,
            data_prefix: name(12, "prefix")?,
            role_password: pintail_worker_api::Secret::new(String::new()),
            storage,
        },
        CatalogSpec::Iceberg {
            endpoint,
            warehouse,
            auth,
            storage,
            locations,
        } => CatalogKind::Iceberg {
            endpoint,
            warehouse,
            auth,
            storage,
            locations,
        },
        CatalogSpec::DuckDbFile { access } => CatalogKind::DuckDbFile {
            data_prefix: name(12, "prefix")?,
            access,
        },
        CatalogSpec::Memory => CatalogKind::Memory,
    })
}

fn standing(row: &Row, index: usize) -> Standing {
    if row.get(index) {
        Standing::Disabled
    } else {
        Standing::Active
    }
}

fn json<T: DeserializeOwned>(value: Value, what: &str) -> Result<T, Error> {
    serde_json::from_value(value).map_err(|_| Error::corrupt(what))
}
