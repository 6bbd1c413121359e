//! Catalogs' bodies: what is said of a store, and what the installation adds.

use chrono::{DateTime, Utc};
use pintail_configstore::{Catalog, CatalogKind, CatalogSpec, CatalogState, StorageKind};
use pintail_worker_api::Secret;
use pintail_worker_api::bootstrap::{FileAccess, IcebergAuth, S3Target, Tls, UrlStyle};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::config::{Config, OnOff, UrlStyleName};

/// What catalogs on an object store get where their request says nothing.
#[derive(Debug, Clone)]
pub struct StorageDefaults {
    bucket: String,
    target: S3Target,
}

/// How an object store is reached; absent parts are the installation's.
#[derive(Debug, Clone, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct S3Body {
    /// Host and port; empty for AWS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    endpoint: Option<String>,
    /// The region.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    region: Option<String>,
    /// How buckets are addressed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    url_style: Option<UrlStyleBody>,
    /// Whether over TLS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tls: Option<bool>,
    /// An access key that opens the catalog's prefix only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = Password, write_only)]
    key_id: Option<Secret<String>>,
    /// Its secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = Password, write_only)]
    secret: Option<Secret<String>>,
}

/// How a bucket is addressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum UrlStyleBody {
    /// In the path.
    Path,
    /// In the host name.
    Vhost,
}

/// Where a lake's data is.
#[derive(Debug, Clone, Default, Deserialize, Serialize, ToSchema)]
#[serde(tag = "at", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum StorageBody {
    /// A directory of the server's machine.
    #[default]
    Local,
    /// A prefix of a bucket.
    S3 {
        /// The bucket; absent for the installation's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bucket: Option<String>,
        /// What stands before the catalog's own prefix; empty, or ending in `/`.
        #[serde(default)]
        prefix_root: String,
        /// How the store is reached.
        #[serde(default)]
        target: S3Body,
    },
}

/// How an Iceberg catalog knows the client.
#[derive(Debug, Clone, Default, Deserialize, Serialize, ToSchema)]
#[serde(tag = "by", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum IcebergAuthBody {
    /// It does not ask.
    #[default]
    None,
    /// A bearer token.
    Token {
        /// The token.
        #[schema(value_type = String, format = Password, write_only)]
        token: Secret<String>,
    },
    /// `OAuth2` client credentials.
    Oauth2 {
        /// Where tokens are had.
        server_uri: String,
        /// The client.
        #[schema(value_type = String, format = Password, write_only)]
        client_id: Secret<String>,
        /// Its secret.
        #[schema(value_type = String, format = Password, write_only)]
        client_secret: Secret<String>,
        /// The scope asked for.
        #[serde(default)]
        scope: String,
    },
}

/// How a database file is opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum AccessBody {
    /// By one session at a time, which may write.
    #[default]
    ReadWrite,
    /// By many, which may not.
    ReadOnly,
}

/// What a catalog is to be.
#[derive(Debug, Clone, Deserialize, Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum CatalogBody {
    /// A `DuckLake`: metadata in a schema of the installation's `PostgreSQL`, Parquet in a store.
    Ducklake {
        /// Where its data is.
        #[serde(default)]
        storage: StorageBody,
    },
    /// A warehouse of an Iceberg REST catalog.
    Iceberg {
        /// The catalog's address.
        endpoint: String,
        /// The warehouse.
        warehouse: String,
        /// How it knows the client.
        #[serde(default)]
        auth: IcebergAuthBody,
        /// How the data's store is reached; absent where the catalog vends credentials.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        storage: Option<S3Body>,
        /// The prefixes below which its tables' files lie, such as `s3://warehouse/acme/`.
        #[serde(default)]
        locations: Vec<String>,
    },
    /// A `DuckDB` database file in the organisation's own directory.
    DuckdbFile {
        /// How it is opened.
        #[serde(default)]
        access: AccessBody,
    },
    /// A database in memory, new in each session.
    Memory,
}

/// A catalog.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct CatalogResource {
    name: String,
    kind: &'static str,
    /// `pending`, `provisioning`, `ready`, `failed` or `deleting`.
    state: CatalogStateBody,
    /// Why it failed, or what there is to know.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Counts the catalogs that have had this name.
    incarnation: u32,
    /// The schema of its metadata.
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata_schema: Option<String>,
    /// Its prefix in the store, or below the server's directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    data_prefix: Option<String>,
    /// Where its data is.
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<String>,
    created_at: DateTime<Utc>,
}

/// Where a catalog is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum CatalogStateBody {
    Pending,
    Provisioning,
    Ready,
    Failed,
    Deleting,
}

impl StorageDefaults {
    /// From the installation's configuration.
    pub fn new(config: &Config) -> Self {
        let key = config.s3_key_id.expose().zip(config.s3_secret.expose());
        let target = S3Target {
            endpoint: config.s3_endpoint.clone(),
            region: config.s3_region.clone(),
            path_style: match config.s3_url_style {
                UrlStyleName::Path => UrlStyle::Path,
                UrlStyleName::Vhost => UrlStyle::Vhost,
            },
            tls: match config.s3_tls {
                OnOff::On => Tls::On,
                OnOff::Off => Tls::Off,
            },
            key_id: Secret::new(key.map(|(id, _)| id.to_owned()).unwrap_or_default()),
            secret: Secret::new(key.map(|(_, secret)| secret.to_owned()).unwrap_or_default()),
        };
        Self {
            bucket: config.s3_bucket.clone(),
            target,
        }
    }

    fn target(&self, body: S3Body) -> Result<S3Target, String> {
        let default = &self.target;
        let own_key = body.key_id.is_some() || body.secret.is_some();
        let key = |own: Option<Secret<String>>, installation: &Secret<String>| {
            let key = if own_key { own } else { Some(installation.clone()) };
            key.filter(|key| !key.expose().is_empty())
                .ok_or("the store needs both key_id and secret: the installation has none of its own")
        };
        Ok(S3Target {
            endpoint: body.endpoint.unwrap_or_else(|| default.endpoint.clone()),
            region: body.region.unwrap_or_else(|| default.region.clone()),
            path_style: body.url_style.map_or(default.path_style, UrlStyle::from),
            tls: match body.tls {
                Some(true) => Tls::On,
                Some(false) => Tls::Off,
                None => default.tls,
            },
            key_id: key(body.key_id, &default.key_id)?,
            secret: key(body.secret, &default.secret)?,
        })
    }

    /// A catalog's description with the installation's part filled in.
    pub(super) fn complete(&self, body: CatalogBody) -> Result<CatalogSpec, String> {
        Ok(match body {
            CatalogBody::Ducklake {
                storage: StorageBody::Local,
            } => CatalogSpec::DuckLake {
                storage: StorageKind::Local,
            },
            CatalogBody::Ducklake {
                storage:
                    StorageBody::S3 {
                        bucket,
                        prefix_root,
                        target,
                    },
            } => {
                let bucket = bucket.unwrap_or_else(|| self.bucket.clone());
                if bucket.is_empty() {
                    return Err("the storage names no bucket, and the installation has none".to_owned());
                }
                CatalogSpec::DuckLake {
                    storage: StorageKind::S3 {
                        bucket,
                        prefix_root,
                        target: self.target(target)?,
                    },
                }
            }
            CatalogBody::Iceberg {
                endpoint,
                warehouse,
                auth,
                storage,
                locations,
            } => CatalogSpec::Iceberg {
                endpoint,
                warehouse,
                auth: auth.into(),
                storage: storage.map(|body| self.target(body)).transpose()?,
                locations,
            },
            CatalogBody::DuckdbFile { access } => CatalogSpec::DuckDbFile {
                access: match access {
                    AccessBody::ReadWrite => FileAccess::ReadWrite,
                    AccessBody::ReadOnly => FileAccess::ReadOnly,
                },
            },
            CatalogBody::Memory => CatalogSpec::Memory,
        })
    }
}

impl From<UrlStyleBody> for UrlStyle {
    fn from(body: UrlStyleBody) -> Self {
        match body {
            UrlStyleBody::Path => Self::Path,
            UrlStyleBody::Vhost => Self::Vhost,
        }
    }
}

impl From<IcebergAuthBody> for IcebergAuth {
    fn from(body: IcebergAuthBody) -> Self {
        match body {
            IcebergAuthBody::None => Self::None,
            IcebergAuthBody::Token { token } => Self::Token(token),
            IcebergAuthBody::Oauth2 {
                server_uri,
                client_id,
                client_secret,
                scope,
            } => Self::OAuth2 {
                server_uri,
                client_id,
                client_secret,
                scope,
            },
        }
    }
}

impl From<&Catalog> for CatalogResource {
    fn from(catalog: &Catalog) -> Self {
        let (kind, location, schema) = match &catalog.kind {
            CatalogKind::DuckLake {
                metadata_schema,
                data_prefix,
                storage,
                ..
            } => {
                let location = match storage {
                    StorageKind::Local => None,
                    StorageKind::S3 {
                        bucket, prefix_root, ..
                    } => Some(format!("s3://{bucket}/{prefix_root}{data_prefix}")),
                };
                ("ducklake", location, Some(metadata_schema.clone()))
            }
            CatalogKind::Iceberg {
                endpoint, warehouse, ..
            } => ("iceberg", Some(format!("{endpoint} {warehouse}")), None),
            CatalogKind::DuckDbFile { .. } => ("duckdb_file", None, None),
            CatalogKind::Memory => ("memory", None, None),
        };
        Self {
            name: catalog.name.to_string(),
            kind,
            state: match catalog.state {
                CatalogState::Pending => CatalogStateBody::Pending,
                CatalogState::Provisioning => CatalogStateBody::Provisioning,
                CatalogState::Ready => CatalogStateBody::Ready,
                CatalogState::Failed => CatalogStateBody::Failed,
                CatalogState::Deleting => CatalogStateBody::Deleting,
            },
            reason: catalog.reason.clone(),
            incarnation: catalog.incarnation,
            metadata_schema: schema,
            data_prefix: catalog.data_prefix().map(str::to_owned),
            location,
            created_at: catalog.created_at,
        }
    }
}

impl CatalogResource {
    pub(super) fn key(&self) -> String {
        self.name.clone()
    }
}
