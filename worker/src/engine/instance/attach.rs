//! Attaching the organisation's catalogs, each in the way of its kind.

use pintail_worker_api::bootstrap::{Bootstrap, CatalogSource, CatalogSpec, DataLocation, FileAccess, LakeOpening};
use pintail_worker_api::bootstrap::{PostgresTarget, S3Target};

use super::sql::{identifier, literal};
use super::{Builder, iceberg, secrets};
use crate::error::Error;
use crate::left_out::{LeftOut, Part};

/// A lake's parts, borrowed from its source.
struct Lake<'a> {
    name: &'a str,
    metadata: &'a PostgresTarget,
    metadata_schema: &'a str,
    data: &'a DataLocation,
    opening: LakeOpening,
}

/// The extensions that the bootstrap's catalogs and locations need, in the order in which they are loaded.
///
/// `iceberg` reads manifests through `avro` and objects through `httpfs`, so it comes after both.
pub(super) fn needed_extensions(bootstrap: &Bootstrap) -> Vec<&'static str> {
    let any = |wanted: fn(&CatalogSource) -> bool| bootstrap.catalogs.iter().any(|spec| wanted(&spec.source));
    let lake = any(|source| matches!(source, CatalogSource::DuckLake { .. }));
    let iceberg = any(|source| matches!(source, CatalogSource::Iceberg { .. }));
    let objects = any(|source| {
        let CatalogSource::DuckLake { data, .. } = source else {
            return false;
        };
        matches!(data, DataLocation::S3 { .. })
    });
    let mut needed = Vec::new();
    if lake {
        needed.extend(["ducklake", "postgres_scanner"]);
    }
    if objects || iceberg || !bootstrap.locations.is_empty() {
        needed.push("httpfs");
    }
    if iceberg {
        needed.extend(["avro", "iceberg"]);
    }
    needed
}

/// Attaches one catalog under its name.
pub(super) fn attach(builder: &mut Builder, spec: &CatalogSpec, left_out: &LeftOut) -> Result<(), Error> {
    let name = &spec.name;
    match &spec.source {
        CatalogSource::Memory => builder.attach(name, &format!("ATTACH ':memory:' AS {}", identifier(name))),
        CatalogSource::DuckDbFile { path, access } => {
            let mode = match access {
                FileAccess::ReadWrite => "READ_WRITE",
                FileAccess::ReadOnly => "READ_ONLY",
            };
            let sql = format!("ATTACH {} AS {} (TYPE duckdb, {mode})", literal(path), identifier(name));
            builder.attach(name, &sql)
        }
        CatalogSource::DuckLake {
            metadata,
            metadata_schema,
            data,
            opening,
        } => {
            let lake = Lake {
                name,
                metadata,
                metadata_schema,
                data,
                opening: *opening,
            };
            lake.attach(builder, left_out)
        }
        CatalogSource::Iceberg { .. } => iceberg::attach(builder, spec),
    }
}

impl Lake<'_> {
    /// A session's attaching neither makes the lake's tables nor migrates them (the options default to making and refusing);
    /// rows are never kept in the metadata, where the store's keys would not guard them.
    fn attach(&self, builder: &mut Builder, left_out: &LeftOut) -> Result<(), Error> {
        let secret = secret_name(self.name);
        builder.attach(self.name, &secrets::postgres(&secret, self.metadata))?;
        let data_path = match self.data {
            DataLocation::Local { path } => path,
            DataLocation::S3 { url, store } => {
                store_secret(builder, self.name, store, std::slice::from_ref(url))?;
                url
            }
        };
        let schema = if left_out.contains(Part::MetadataSchema) {
            String::new()
        } else {
            // The second keeps the instance from knowing so much as the names of other schemas there.
            let name = literal(self.metadata_schema);
            format!("METADATA_SCHEMA {name}, META_SCHEMA {name}, ")
        };
        let opening = match self.opening {
            LakeOpening::Existing => "CREATE_IF_NOT_EXISTS false, AUTOMATIC_MIGRATION false",
            LakeOpening::Provision => "CREATE_IF_NOT_EXISTS true, AUTOMATIC_MIGRATION true",
        };
        let sql = format!(
            "ATTACH 'ducklake:postgres:' AS {} (META_SECRET {}, {schema}DATA_PATH {}, DATA_INLINING_ROW_LIMIT 0, {opening})",
            identifier(self.name),
            literal(&secret),
            literal(data_path),
        );
        builder.attach(self.name, &sql)
    }
}

/// The name of the secret that opens a catalog itself.
pub(super) fn secret_name(catalog: &str) -> String {
    format!("__pintail_{catalog}")
}

/// Makes the keys of a catalog's store known, for the objects below its prefixes only.
pub(super) fn store_secret(
    builder: &mut Builder,
    catalog: &str,
    store: &S3Target,
    prefixes: &[String],
) -> Result<(), Error> {
    let scope: Vec<_> = prefixes.iter().map(|prefix| super::reach::closed(prefix)).collect();
    builder.attach(
        catalog,
        &secrets::s3(&format!("__pintail_store_{catalog}"), store, &scope),
    )
}
