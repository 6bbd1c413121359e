//! What a catalog is: the names that it is given once, and what of it never changes.

use deadpool_postgres::Transaction;

use crate::{CatalogName, CatalogSpec, Error, OrgSlug, StorageKind, metadata_schema};

/// Names that a catalog is given once, when it is asked for.
pub(super) struct Names {
    pub(super) metadata_schema: Option<String>,
    pub(super) data_prefix: Option<String>,
    pub(super) incarnation: i32,
}

/// The naming contract, and the place after the last tombstone of that name.
pub(super) async fn names(
    tx: &Transaction<'_>,
    org: &OrgSlug,
    name: &CatalogName,
    spec: &CatalogSpec,
) -> Result<Names, Error> {
    // The pair keeps the contract whatever the kind, so that a catalog of another kind may follow.
    let schema = metadata_schema(org, name)?;
    let row = tx
        .query_one(
            "SELECT coalesce(max(incarnation), 0) + 1 FROM pintail.tombstones WHERE org_slug = $1 AND catalog = $2",
            &[&org.as_str(), &name.as_str()],
        )
        .await?;
    let incarnation: i32 = row.get(0);
    // No name holds a dot, so the prefixes of one catalog are never around those of another.
    let prefix = match incarnation {
        1 => format!("{org}/{name}/"),
        later => format!("{org}/{name}.{later}/"),
    };
    let (metadata_schema, data_prefix) = match spec {
        CatalogSpec::DuckLake { .. } => (Some(schema), Some(prefix)),
        CatalogSpec::DuckDbFile { .. } => (None, Some(prefix)),
        CatalogSpec::Iceberg { .. } | CatalogSpec::Memory => (None, None),
    };
    Ok(Names {
        metadata_schema,
        data_prefix,
        incarnation,
    })
}

/// What of a catalog's identity differs, if anything.
pub(super) fn differs(present: &CatalogSpec, wanted: &CatalogSpec) -> Option<&'static str> {
    use CatalogSpec::{DuckDbFile, DuckLake, Iceberg, Memory};
    match (present, wanted) {
        (DuckLake { storage: present }, DuckLake { storage: wanted }) => differs_in_storage(present, wanted),
        (
            Iceberg {
                endpoint: e1,
                warehouse: w1,
                ..
            },
            Iceberg {
                endpoint: e2,
                warehouse: w2,
                ..
            },
        ) => match (e1 == e2, w1 == w2) {
            (false, _) => Some("endpoint"),
            (_, false) => Some("warehouse"),
            _ => None,
        },
        (DuckDbFile { .. }, DuckDbFile { .. }) | (Memory, Memory) => None,
        _ => Some("kind"),
    }
}

fn differs_in_storage(present: &StorageKind, wanted: &StorageKind) -> Option<&'static str> {
    use StorageKind::{Local, S3};
    match (present, wanted) {
        (Local, Local) => None,
        (
            S3 {
                bucket: b1,
                prefix_root: p1,
                target: t1,
            },
            S3 {
                bucket: b2,
                prefix_root: p2,
                target: t2,
            },
        ) => match (b1 == b2, p1 == p2, t1.endpoint == t2.endpoint) {
            (false, ..) => Some("bucket"),
            (_, false, _) => Some("prefix"),
            (.., false) => Some("endpoint"),
            _ => None,
        },
        _ => Some("kind of storage"),
    }
}
