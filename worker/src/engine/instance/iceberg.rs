//! Attaching an Iceberg REST catalog.

use pintail_worker_api::bootstrap::{CatalogSource, CatalogSpec, IcebergAuth};

use super::attach::{secret_name, store_secret};
use super::sql::{identifier, literal};
use super::{Builder, secrets};
use crate::error::Error;

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
        "ATTACH {} AS {} (TYPE iceberg, ENDPOINT {}, {authorization}, ACCESS_DELEGATION_MODE '{delegation}')",
        literal(warehouse),
        identifier(&spec.name),
        literal(endpoint),
    );
    builder.attach(&spec.name, &sql)
}
