//! The secrets of an instance: one for each credential, each with its own scope and every key named.
//!
//! An instance keeps them in memory only, and neither `duckdb_secrets()` nor `duckdb_databases()` shows their values. No
//! secret is of a provider that looks elsewhere: not in the environment, not in files, not in a cloud's metadata service.

use pintail_worker_api::bootstrap::{IcebergAuth, PostgresTarget, S3Target, Tls, UrlStyle};

use super::sql::{identifier, literal};

/// The region that requests are signed for where the operator gave none; stores that are not AWS take any.
const REGION: &str = "us-east-1";

/// A lake's metadata store.
pub(super) fn postgres(name: &str, target: &PostgresTarget) -> String {
    format!(
        "CREATE SECRET {} (TYPE postgres, HOST {}, PORT {}, DATABASE {}, USER {}, PASSWORD {})",
        identifier(name),
        literal(&target.host),
        target.port,
        literal(&target.database),
        literal(&target.user),
        literal(target.password.expose()),
    )
}

/// A store's keys for the objects below some prefixes.
pub(super) fn s3(name: &str, target: &S3Target, scope: &[String]) -> String {
    let scope: Vec<_> = scope.iter().map(|prefix| literal(prefix)).collect();
    let endpoint = match target.endpoint.as_str() {
        "" => String::new(),
        endpoint => format!(", ENDPOINT {}", literal(endpoint)),
    };
    let region = if target.region.is_empty() {
        REGION
    } else {
        &target.region
    };
    let style = match target.path_style {
        UrlStyle::Path => "path",
        UrlStyle::Vhost => "vhost",
    };
    format!(
        "CREATE SECRET {} (TYPE s3, PROVIDER config, KEY_ID {}, SECRET {}, REGION {}{endpoint}, URL_STYLE '{style}', \
         USE_SSL {}, SCOPE [{}])",
        identifier(name),
        literal(target.key_id.expose()),
        literal(target.secret.expose()),
        literal(region),
        target.tls == Tls::On,
        scope.join(", "),
    )
}

/// A REST catalog's credentials; `None` where it asks for none.
pub(super) fn iceberg(name: &str, auth: &IcebergAuth) -> Option<String> {
    let keys = match auth {
        IcebergAuth::None => return None,
        IcebergAuth::Token(token) => format!("TOKEN {}", literal(token.expose())),
        IcebergAuth::OAuth2 {
            server_uri,
            client_id,
            client_secret,
            scope,
        } => {
            let scope = match scope.as_str() {
                "" => String::new(),
                scope => format!(", OAUTH2_SCOPE {}", literal(scope)),
            };
            format!(
                "CLIENT_ID {}, CLIENT_SECRET {}, OAUTH2_SERVER_URI {}, OAUTH2_GRANT_TYPE 'client_credentials'{scope}",
                literal(client_id.expose()),
                literal(client_secret.expose()),
                literal(server_uri),
            )
        }
    };
    Some(format!("CREATE SECRET {} (TYPE iceberg, {keys})", identifier(name)))
}
