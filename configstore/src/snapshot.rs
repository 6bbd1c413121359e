//! Everything that a login needs, as of one moment: built once, immutable, shared.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use pintail_worker_api::Secret;
use pintail_worker_api::bootstrap::{FileAccess, IcebergAuth, S3Target};
use serde::Serialize;

use crate::{CatalogId, CatalogName, Limits, OrgId, OrgSlug, Role, Standing, StorageKind, UserId, UserName};

/// The organisations of the installation. Secrets are unsealed.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// Grows with every snapshot that differs from the one before; counted by each process for itself, from 1. The empty
    /// snapshot before the first load has 0.
    pub generation: u64,
    orgs: BTreeMap<String, Arc<Org>>,
    hosts: BTreeMap<String, Arc<Org>>,
}

/// An organisation.
#[derive(Debug, PartialEq, Eq)]
pub struct Org {
    /// Its number.
    pub id: OrgId,
    /// Its short name.
    pub slug: OrgSlug,
    /// Whether its users may log in.
    pub standing: Standing,
    /// Its limits.
    pub limits: Limits,
    /// URL prefixes outside its catalogs that its SQL may use.
    pub locations: Vec<String>,
    /// Its host names, in lower case.
    pub hosts: BTreeSet<String>,
    /// Its users by name.
    pub users: BTreeMap<String, Arc<User>>,
    /// Its catalogs by name, whatever their state.
    pub catalogs: BTreeMap<String, Arc<Catalog>>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// A user of an organisation.
#[derive(Debug, PartialEq, Eq)]
pub struct User {
    /// The number.
    pub id: UserId,
    /// The name.
    pub name: UserName,
    /// `SCRAM-SHA-256$<iterations>:<salt>$<StoredKey>:<ServerKey>`.
    pub verifier: Secret<String>,
    /// Whether the user may log in.
    pub standing: Standing,
    /// What the user may do.
    pub role: Role,
    /// The only schemas that the user may touch; `None` for all.
    pub schemas: Option<Vec<String>>,
    /// The only catalogs that the user may use; `None` for all.
    pub catalogs: Option<Vec<CatalogName>>,
    /// The user's limits.
    pub limits: Limits,
    /// When the user was made.
    pub created_at: DateTime<Utc>,
    /// How many persistent secrets it has.
    pub secrets: u32,
}

/// A catalog of an organisation.
#[derive(Debug, PartialEq, Eq)]
pub struct Catalog {
    /// Its number.
    pub id: CatalogId,
    /// Its name.
    pub name: CatalogName,
    /// Where it is in its life.
    pub state: CatalogState,
    /// Why it failed, or why its removal did not come to an end.
    pub reason: Option<String>,
    /// 1 for the first catalog of that name in that organisation, one more for each that was removed before.
    pub incarnation: u32,
    /// What it is.
    pub kind: CatalogKind,
    /// When it was asked for.
    pub created_at: DateTime<Utc>,
}

/// What a catalog is and how it is reached.
#[derive(Debug, PartialEq, Eq)]
pub enum CatalogKind {
    /// A lake: metadata in a schema of the store's database, Parquet in `storage`.
    DuckLake {
        /// The metadata's schema.
        metadata_schema: String,
        /// `<slug>/<catalog>/` or `<slug>/<catalog>.<incarnation>/`.
        data_prefix: String,
        /// The role that owns the schema.
        role: String,
        /// The role's password.
        role_password: Secret<String>,
        /// Where the files are.
        storage: StorageKind,
    },
    /// A warehouse of an Iceberg REST catalog.
    Iceberg {
        /// `https://host[:port][/path]`.
        endpoint: String,
        /// The warehouse's name.
        warehouse: String,
        /// How requests are authorised.
        auth: IcebergAuth,
        /// The object store's keys; `None` where the REST catalog vends them.
        storage: Option<S3Target>,
        /// The prefixes below which the tables' files are.
        locations: Vec<String>,
    },
    /// A `DuckDB` database file.
    DuckDbFile {
        /// `<slug>/<catalog>/` or `<slug>/<catalog>.<incarnation>/`, below the installation's data directory.
        data_prefix: String,
        /// Whether it may be written.
        access: FileAccess,
    },
    /// A database in memory.
    Memory,
}

/// Where a catalog is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CatalogState {
    /// Written down, nothing made yet. Left for `Provisioning`.
    Pending,
    /// Being made. Left for `Ready` or `Failed`.
    Provisioning,
    /// May be attached.
    Ready,
    /// Could not be made; the reason says why. Left for `Pending` by the next put, or for `Provisioning`.
    Failed,
    /// Being removed; left only by being buried.
    Deleting,
}

impl CatalogState {
    /// The word in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Provisioning => "provisioning",
            Self::Ready => "ready",
            Self::Failed => "failed",
            Self::Deleting => "deleting",
        }
    }
}

impl Snapshot {
    pub(crate) fn new(orgs: Vec<Org>) -> Self {
        let orgs: BTreeMap<String, Arc<Org>> = orgs
            .into_iter()
            .map(|org| (org.slug.to_string(), Arc::new(org)))
            .collect();
        let hosts = orgs
            .values()
            .flat_map(|org| org.hosts.iter().map(|host| (host.clone(), Arc::clone(org))))
            .collect();
        Self {
            generation: 0,
            orgs,
            hosts,
        }
    }

    pub(crate) fn says_the_same(&self, other: &Self) -> bool {
        self.orgs == other.orgs
    }

    /// An organisation by its short name.
    pub fn org(&self, slug: &str) -> Option<&Arc<Org>> {
        self.orgs.get(slug)
    }

    /// An organisation by one of its host names, in any case, with or without the root's dot.
    pub fn org_by_host(&self, host: &str) -> Option<&Arc<Org>> {
        let host = host.strip_suffix('.').unwrap_or(host);
        self.hosts.get(&host.to_ascii_lowercase())
    }

    /// Every organisation, by short name.
    pub fn orgs(&self) -> impl Iterator<Item = &Arc<Org>> {
        self.orgs.values()
    }

    /// A catalog by its number, with its organisation.
    pub fn catalog(&self, id: CatalogId) -> Option<(&Arc<Org>, &Arc<Catalog>)> {
        self.orgs().find_map(|org| {
            let catalog = org.catalogs.values().find(|catalog| catalog.id == id)?;
            Some((org, catalog))
        })
    }
}

impl Catalog {
    /// The data's prefix, for the kinds that have data of their own.
    pub fn data_prefix(&self) -> Option<&str> {
        match &self.kind {
            CatalogKind::DuckLake { data_prefix, .. } | CatalogKind::DuckDbFile { data_prefix, .. } => {
                Some(data_prefix)
            }
            CatalogKind::Iceberg { .. } | CatalogKind::Memory => None,
        }
    }
}
