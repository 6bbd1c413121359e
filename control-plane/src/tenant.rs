//! What a worker is told of the organisation that it serves.

use std::path::PathBuf;
use std::sync::Arc;

use pintail_configstore::{Catalog, CatalogKind, StorageKind};
use pintail_worker_api::bootstrap::{
    CatalogSource, CatalogSpec, DataLocation, FileAccess, LakeOpening, PostgresTarget,
};
use sha2::{Digest, Sha256};

use crate::config::Config;
use crate::login::Login;
use crate::pool::{Caps, Tenant, TenantKey};
use crate::unix;

/// The directory of an organisation's own files; no catalog's name begins with an underscore.
const FILES: &str = "_files";
/// The file of a catalog that is one.
pub(crate) const DATABASE_FILE: &str = "catalog.duckdb";
/// The port of stores that an operator opened to an organisation beside its own.
const HTTPS: u16 = 443;

/// Builds tenants of one installation.
#[derive(Debug, Clone)]
pub struct Tenants {
    /// Below it are the directories of all organisations.
    home: PathBuf,
    /// Where the lakes' metadata is; each catalog has its own role there.
    metadata: PostgresTarget,
    memory_limit: u64,
    threads: u32,
}

impl Tenants {
    /// For an installation with this configuration and store.
    pub fn new(config: &Config, metadata: &PostgresTarget) -> Self {
        Self {
            home: config.data_dir().join("orgs"),
            metadata: metadata.clone(),
            memory_limit: config.worker_memory.0,
            threads: config.worker_threads(),
        }
    }

    /// The tenant of a login, with these catalogs beside the one that it starts in. Makes the directories.
    pub fn of(&self, login: &Login, beside: &[Arc<Catalog>]) -> std::io::Result<Tenant> {
        let org = &login.org;
        let files = self.home.join(org.slug.as_str()).join(FILES);
        unix::private_dir(&files)?;
        let catalogs = std::iter::once(&login.catalog)
            .chain(beside)
            .map(|catalog| self.spec(catalog, LakeOpening::Existing))
            .collect::<Result<Vec<_>, _>>()?;
        let least = |a: Option<u64>, b: Option<u64>, rest: u64| a.into_iter().chain(b).fold(rest, u64::min);
        let threads = least(
            org.limits.threads.map(u64::from),
            login.user.limits.threads.map(u64::from),
            u64::from(self.threads),
        );
        let mut tenant = Tenant {
            key: TenantKey {
                org: org.slug.to_string(),
                catalogs: catalogs.iter().map(|spec| spec.name.clone()).collect(),
                fingerprint: 0,
                exclusive: exclusive(login),
            },
            catalogs,
            directories: vec![files],
            locations: org.locations.clone(),
            ports: if org.locations.is_empty() {
                Vec::new()
            } else {
                vec![HTTPS]
            },
            memory_limit: least(org.limits.memory, login.user.limits.memory, self.memory_limit),
            threads: u32::try_from(threads).unwrap_or(self.threads).max(1),
            caps: Caps {
                workers: org.limits.workers,
                queue: org.limits.queue,
            },
        };
        tenant.key.fingerprint = fingerprint(&tenant);
        Ok(tenant)
    }

    /// The tenant that makes a catalog's lake.
    pub fn provisioning(&self, org: &str, catalog: &Catalog) -> std::io::Result<Tenant> {
        let catalogs = vec![self.spec(catalog, LakeOpening::Provision)?];
        let mut tenant = Tenant {
            key: TenantKey {
                org: org.to_owned(),
                catalogs: vec![catalog.name.to_string()],
                fingerprint: 0,
                exclusive: None,
            },
            catalogs,
            directories: Vec::new(),
            locations: Vec::new(),
            ports: Vec::new(),
            memory_limit: self.memory_limit,
            threads: 1,
            caps: Caps::default(),
        };
        tenant.key.fingerprint = fingerprint(&tenant);
        Ok(tenant)
    }

    /// The local directory of a catalog's data, where it has one.
    pub fn directory(&self, data_prefix: &str) -> PathBuf {
        self.home.join(data_prefix)
    }

    fn spec(&self, catalog: &Catalog, opening: LakeOpening) -> std::io::Result<CatalogSpec> {
        let source = match &catalog.kind {
            CatalogKind::DuckLake {
                metadata_schema,
                data_prefix,
                role,
                role_password,
                storage,
            } => CatalogSource::DuckLake {
                metadata: PostgresTarget {
                    user: role.clone(),
                    password: role_password.clone(),
                    ..self.metadata.clone()
                },
                metadata_schema: metadata_schema.clone(),
                data: self.data(data_prefix, storage)?,
                opening,
            },
            CatalogKind::Iceberg {
                endpoint,
                warehouse,
                auth,
                storage,
                locations,
            } => CatalogSource::Iceberg {
                endpoint: endpoint.clone(),
                warehouse: warehouse.clone(),
                auth: auth.clone(),
                storage: storage.clone(),
                locations: locations.clone(),
            },
            CatalogKind::DuckDbFile { data_prefix, access } => {
                let directory = self.directory(data_prefix);
                unix::private_dir(&directory)?;
                CatalogSource::DuckDbFile {
                    path: directory.join(DATABASE_FILE).to_string_lossy().into_owned(),
                    access: *access,
                }
            }
            CatalogKind::Memory => CatalogSource::Memory,
        };
        Ok(CatalogSpec {
            name: catalog.name.to_string(),
            source,
        })
    }

    fn data(&self, data_prefix: &str, storage: &StorageKind) -> std::io::Result<DataLocation> {
        Ok(match storage {
            StorageKind::Local => {
                let directory = self.directory(data_prefix);
                unix::private_dir(&directory)?;
                DataLocation::Local {
                    path: directory.to_string_lossy().into_owned(),
                }
            }
            StorageKind::S3 {
                bucket,
                prefix_root,
                target,
            } => DataLocation::S3 {
                url: format!("s3://{bucket}/{prefix_root}{data_prefix}"),
                store: target.clone(),
            },
        })
    }
}

/// Whether catalogs of this kind can be attached beside another: a database file that is written has one session at a time.
pub fn may_stand_beside(catalog: &Catalog) -> bool {
    !matches!(
        catalog.kind,
        CatalogKind::DuckDbFile {
            access: FileAccess::ReadWrite,
            ..
        }
    )
}

fn exclusive(login: &Login) -> Option<String> {
    (!may_stand_beside(&login.catalog)).then(|| format!("{}/{}", login.org.slug, login.catalog.name))
}

fn fingerprint(tenant: &Tenant) -> u64 {
    let text = serde_json::to_vec(&(
        &tenant.catalogs,
        &tenant.directories,
        &tenant.locations,
        &tenant.ports,
        tenant.memory_limit,
        tenant.threads,
    ));
    let digest = Sha256::digest(text.unwrap_or_default());
    digest.iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}
