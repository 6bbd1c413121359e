//! What an operator asks for: the shapes that the changing functions take.

use std::fmt;

use pintail_worker_api::Secret;
use pintail_worker_api::bootstrap::{FileAccess, IcebergAuth, S3Target};
use serde::{Deserialize, Serialize};

use crate::CatalogName;

/// Who makes a change, as the audit names them: `token:ci`, `cli:root`, `user:ann@acme`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor(String);

impl Actor {
    /// Names somebody.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The program itself, where nobody asked.
    pub fn pintail() -> Self {
        Self::new("pintail")
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a repeatable change did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It was not there.
    Created,
    /// It was there and differed.
    Updated,
    /// It was there as asked for; nothing is written, not even an audit row.
    Unchanged,
}

/// Whether somebody may log in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// May.
    #[default]
    Active,
    /// May not, until made active again.
    Disabled,
}

/// What a user may do in the organisation's catalogs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Everything that the organisation may.
    #[default]
    Owner,
    /// Reads and writes tables.
    Writer,
    /// Reads.
    Reader,
}

/// Limits of an organisation or a user; `None` stands for the next wider one: the organisation's, the installation's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Sessions at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connections: Option<u32>,
    /// Workers at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workers: Option<u32>,
    /// Statements running at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statements: Option<u32>,
    /// Statements and sessions that may wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<u32>,
    /// Memory of one worker's engine, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// Threads of one worker's engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// The longest that a statement may run, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statement_timeout_ms: Option<u64>,
}

/// An organisation as asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OrgSpec {
    /// Whether its users may log in.
    pub standing: Standing,
    /// Its limits.
    pub limits: Limits,
    /// URL prefixes outside its catalogs that its SQL may use, such as `s3://partner/exchange/`.
    pub locations: Vec<String>,
}

/// A user as asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UserSpec {
    /// The password. Needed when the user is made; `None` keeps the present one.
    pub password: Option<Secret<String>>,
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
}

/// A catalog as asked for, with plain credentials.
///
/// Of a catalog that exists only the way to reach it may change: keys, tokens, region, addressing, TLS, an Iceberg
/// catalog's storage and locations, a file's access.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum CatalogSpec {
    /// A lake with its metadata in the store's own `PostgreSQL`.
    #[serde(rename = "ducklake")]
    DuckLake {
        /// Where its Parquet files go.
        #[serde(default)]
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
        #[serde(default)]
        storage: Option<S3Target>,
        /// The prefixes below which the tables' files are.
        #[serde(default)]
        locations: Vec<String>,
    },
    /// A `DuckDB` database file below the installation's data directory.
    #[serde(rename = "duckdb_file")]
    DuckDbFile {
        /// Whether it may be written.
        access: FileAccess,
    },
    /// A database in memory.
    Memory,
}

/// Where a catalog's files are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case", deny_unknown_fields)]
pub enum StorageKind {
    /// Below the installation's data directory.
    #[default]
    Local,
    /// In a bucket, below `<prefix_root><data_prefix>`.
    S3 {
        /// The bucket.
        bucket: String,
        /// Empty, or a prefix that ends in `/`.
        #[serde(default)]
        prefix_root: String,
        /// The store and its keys.
        target: S3Target,
    },
}
