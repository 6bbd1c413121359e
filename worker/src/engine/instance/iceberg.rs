//! Attaching an Iceberg REST catalog, whose namespaces are the schemas.
//!
//! Measured with the extension for `DuckDB` 1.5.5 and Iceberg's reference catalog 1.10.0:
//!
//! - Making the secret asks for a token, and attaching asks for `/v1/config` once, whose prefix all later requests carry.
//!   So a wrong client secret fails here, and a session costs two requests before its first statement.
//! - Requests to the REST catalog go on behind the engine's wall, because the extension does not make them through the
//!   engine's file system; they are the kernel's to confine. Every object is read and written through it, so tables outside
//!   the allowed prefixes are refused whatever their metadata says.
//! - A token that expires is replaced by the client's credentials, between two statements and inside a transaction. A
//!   plain token is not; a session that outlives it fails with the REST catalog's 401.
//! - Vended keys work behind the wall: each table's become a secret whose scope is the table's location, and are asked
//!   for again when they expire.
//! - `CREATE TABLE AS` is planned with the relative path [`PLACEHOLDER`] before the table has a place; the files are then
//!   written, and checked, at the table's location.
//! - A warehouse named like a URL is attached read-only unless told otherwise.
//! - The extension takes the engine's `main` for the option `DEFAULT_SCHEMA`. Set to `public`, `public.t` means the
//!   namespace `public`; a namespace `main` cannot be named.
//! - A namespace that was looked up in vain stays missing for the session, whoever makes it afterwards; the next session
//!   finds it.
//! - `CREATE SCHEMA` and `DROP SCHEMA` mean the namespace of that name, `main` too. `public` is listed whether it is there
//!   or not.
//! - Names of schemas and tables become parts of their objects' names as they are; what follows a `?` there is taken for
//!   settings of the request, the store's host among them. Names and values of partitions are encoded.
//! - Keys, `UNIQUE` and `CHECK` are taken and forgotten.
//! - Not to be had: views, `CREATE OR REPLACE TABLE`, `DROP SCHEMA … CASCADE`, and defaults in tables of format 2.

use pintail_worker_api::bootstrap::{CatalogSource, CatalogSpec, IcebergAuth};

use super::attach::{secret_name, store_secret};
use super::sql::{identifier, literal};
use super::{Builder, secrets};
use crate::error::Error;

/// The path by which the extension plans `CREATE TABLE AS`; the engine makes a directory of that name where the process is.
pub(crate) const PLACEHOLDER: &str = "data";

/// Attaches an Iceberg catalog under its name.
pub(super) fn attach(builder: &mut Builder, spec: &CatalogSpec) -> Result<(), Error> {
    let CatalogSource::Iceberg {
        endpoint,
        warehouse,
        auth,
        storage,
        locations,
    } = &spec.source
    else {
        return Err(Error::Internal("not an Iceberg catalog".to_owned()));
    };
    let secret = secret_name(&spec.name);
    if let Some(sql) = secrets::iceberg(&secret, auth) {
        builder.attach(&spec.name, &sql)?;
    }
    let authorization = match auth {
        IcebergAuth::None => "AUTHORIZATION_TYPE 'none'".to_owned(),
        IcebergAuth::OAuth2 { .. } | IcebergAuth::Token(_) => {
            format!("AUTHORIZATION_TYPE 'oauth2', SECRET {}", literal(&secret))
        }
    };
    let delegation = match storage {
        Some(store) => {
            store_secret(builder, &spec.name, store, locations)?;
            "none"
        }
        None => "vended_credentials",
    };
    let sql = format!(
        "ATTACH {} AS {} (TYPE iceberg, READ_ONLY false, ENDPOINT {}, {authorization}, \
         ACCESS_DELEGATION_MODE '{delegation}', DEFAULT_SCHEMA 'public')",
        literal(warehouse),
        identifier(&spec.name),
        literal(endpoint),
    );
    builder.attach(&spec.name, &sql)
}
