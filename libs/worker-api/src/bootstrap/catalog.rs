//! Where a catalog's metadata and data live, and with which credentials a worker reaches them.
//!
//! Everything that a catalog needs is named here: a worker has no environment, no cloud identity and no home to fall back to.

use serde::{Deserialize, Serialize};

use crate::Secret;

/// One catalog of the organisation, attached under `name`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CatalogSpec {
    /// The organisation's own name for it: `current_database()` and the first part of three-part names.
    pub name: String,
    /// Where it lives.
    pub source: CatalogSource,
}

/// Where a catalog's metadata and data live.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum CatalogSource {
    /// A `DuckLake`: metadata in a `PostgreSQL` schema, Parquet below `data`.
    #[serde(rename = "ducklake")]
    DuckLake {
        /// Where the metadata is.
        metadata: PostgresTarget,
        /// The `PostgreSQL` schema that holds this lake's metadata only.
        metadata_schema: String,
        /// Where the Parquet files are: a prefix of this organisation's own.
        data: DataLocation,
        /// Whether attaching may make or upgrade the lake's tables.
        opening: LakeOpening,
    },
    /// Iceberg tables of a REST catalog; its namespaces are the schemas.
    Iceberg {
        /// `https://host[:port][/path]`, without the `/v1` that requests add.
        endpoint: String,
        /// The warehouse's name, as the REST catalog knows it.
        warehouse: String,
        /// How requests to the endpoint are authorised.
        auth: IcebergAuth,
        /// The object store's keys; `None` where the REST catalog vends credentials for each table.
        storage: Option<S3Target>,
        /// The prefixes below which the tables' files are, such as `s3://bucket/warehouse/`. The engine opens no others.
        locations: Vec<String>,
    },
    /// A `DuckDB` database file. One that is written is open in one session at a time.
    #[serde(rename = "duckdb_file")]
    DuckDbFile {
        /// The file (absolute), in a directory of this catalog's own.
        path: String,
        /// Whether it may be written.
        access: FileAccess,
    },
    /// A database in memory that dies with the session.
    Memory,
}

/// Whether attaching a lake may change its metadata's tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LakeOpening {
    /// A session's: the lake must be there in the engine's version; it is neither made nor migrated.
    Existing,
    /// Provisioning's: makes the lake where it is missing and migrates an older one.
    Provision,
}

/// Where a lake's Parquet files are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case", deny_unknown_fields)]
pub enum DataLocation {
    /// A local directory.
    Local {
        /// Absolute.
        path: String,
    },
    /// An S3 bucket's prefix.
    S3 {
        /// `s3://bucket/prefix/`; the last `/` belongs to it.
        url: String,
        /// The store and its keys.
        store: S3Target,
    },
}

/// An S3 store and the keys that open (part of) it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct S3Target {
    /// `host[:port]`; empty for AWS.
    pub endpoint: String,
    /// The region that requests are signed for.
    pub region: String,
    /// How a bucket is addressed.
    pub path_style: UrlStyle,
    /// Whether requests go through TLS.
    pub tls: Tls,
    /// The access key's id.
    pub key_id: Secret<String>,
    /// The secret access key.
    pub secret: Secret<String>,
}

/// How a URL names a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UrlStyle {
    /// `https://host/bucket/key`.
    Path,
    /// `https://bucket.host/key`.
    Vhost,
}

/// Whether a store is reached through TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tls {
    /// `https`.
    On,
    /// `http`, for a store on the same machine or network.
    Off,
}

/// How requests to an Iceberg REST catalog are authorised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum IcebergAuth {
    /// `OAuth2` client credentials, exchanged for a token when the catalog is attached.
    #[serde(rename = "oauth2")]
    OAuth2 {
        /// The token endpoint's URL.
        server_uri: String,
        /// The client's id.
        client_id: Secret<String>,
        /// The client's secret.
        client_secret: Secret<String>,
        /// The scope asked for, such as `PRINCIPAL_ROLE:ALL`; empty for none.
        scope: String,
    },
    /// A bearer token.
    Token(Secret<String>),
    /// None.
    None,
}

/// Whether a database file may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileAccess {
    /// By one session at a time.
    ReadWrite,
    /// By any number of sessions, and by nobody in between.
    ReadOnly,
}

/// How to reach a `PostgreSQL`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PostgresTarget {
    /// A host name, an address, or the absolute directory of a Unix socket.
    pub host: String,
    /// TCP port, or the number in the socket's name.
    pub port: u16,
    /// Database name.
    pub database: String,
    /// Role.
    pub user: String,
    /// The role's password.
    pub password: Secret<String>,
}
