//! The admin port: `/api/v1`, `/metrics`, `/healthz`, `/readyz`.
//!
//! One router serves the network and the command line's `--offline`, which asks it in its own process.

mod audit;
mod auth;
mod body;
mod catalogs;
mod challenges;
mod hosts;
mod listener;
mod local;
mod orgs;
mod page;
mod problem;
mod sessions;
mod status;
mod storage;
mod tokens;
mod users;
mod workers;

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::get;
use pintail_configstore::Store;
use utoipa::Modify;
use utoipa::OpenApi;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::listener::Server;
use crate::provision::Provisioner;

pub use challenges::answer_challenges;
pub use listener::serve;
pub use local::{LocalApi, Verb};
pub use problem::Problem;
pub use storage::StorageDefaults;

/// How long the store may take to say that it is there.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(3);

/// What the handlers need.
#[derive(Clone)]
pub struct AdminState {
    /// The store.
    pub store: Store,
    /// Makes and removes catalogs.
    pub provisioner: Provisioner,
    /// What catalogs that name no store get.
    pub defaults: StorageDefaults,
    /// The running server; `None` offline.
    pub server: Option<Arc<Server>>,
}

impl AdminState {
    /// The running server, or why there is none.
    fn server(&self) -> Result<&Arc<Server>, Problem> {
        self.server.as_ref().ok_or_else(|| {
            Problem::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "only a running server knows its sessions and workers",
            )
        })
    }
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Pintail",
        description = "Organisations, users, catalogs, host names, limits, sessions and workers of a Pintail installation. \
                       Every request carries a bearer token; a token's role is viewer, operator or admin, each of which may \
                       what the one before may.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    components(schemas(Problem)),
    modifiers(&Bearer),
    security(("bearer" = [])),
)]
struct Document;

struct Bearer;

impl Modify for Bearer {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let components = openapi.components.get_or_insert_default();
        let scheme = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        components.add_security_scheme("bearer", scheme);
    }
}

fn api() -> OpenApiRouter<AdminState> {
    let routes = OpenApiRouter::new()
        .routes(routes!(orgs::list))
        .routes(routes!(orgs::show, orgs::put, orgs::remove))
        .routes(routes!(hosts::list))
        .routes(routes!(hosts::put, hosts::remove))
        .routes(routes!(users::list))
        .routes(routes!(users::show, users::put, users::remove))
        .routes(routes!(catalogs::list))
        .routes(routes!(catalogs::show, catalogs::put, catalogs::remove))
        .routes(routes!(catalogs::provision))
        .routes(routes!(sessions::list))
        .routes(routes!(sessions::show, sessions::end))
        .routes(routes!(sessions::cancel))
        .routes(routes!(workers::list))
        .routes(routes!(workers::retire))
        .routes(routes!(audit::list))
        .routes(routes!(tokens::list, tokens::create))
        .routes(routes!(tokens::revoke))
        .routes(routes!(status::rotate))
        .routes(routes!(status::show));
    OpenApiRouter::with_openapi(Document::openapi()).nest("/api/v1", routes)
}

/// The OpenAPI document, as it is served and as it stands in the tree.
pub fn document() -> String {
    let mut text = api()
        .into_openapi()
        .to_pretty_json()
        .unwrap_or_else(|error| error.to_string());
    text.push('\n');
    text
}

/// Every route, asked with bearer tokens.
pub fn router(state: AdminState) -> Router {
    let (api, document) = api().split_for_parts();
    let served = document.clone();
    api.route("/api/v1/openapi.json", get(|| async move { axum::Json(served) }))
        .route("/metrics", get(metrics))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .fallback(async || Problem::new(StatusCode::NOT_FOUND, "there is nothing at this path"))
        .method_not_allowed_fallback(async || {
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "this path does not take this method")
        })
        .with_state(state)
}

async fn metrics(State(state): State<AdminState>) -> Result<String, Problem> {
    Ok(state.server()?.metrics.render())
}

async fn ready(State(state): State<AdminState>) -> impl IntoResponse {
    let draining = state
        .server
        .as_ref()
        .is_some_and(|server| server.draining.is_cancelled());
    if draining {
        return (StatusCode::SERVICE_UNAVAILABLE, "draining\n");
    }
    match tokio::time::timeout(PATIENCE, state.store.ping()).await {
        Ok(Ok(())) => (StatusCode::OK, "ok\n"),
        _ => (
            StatusCode::SERVICE_UNAVAILABLE,
            "the configuration store does not answer\n",
        ),
    }
}

#[cfg(test)]
mod tests {
    /// `pintail api document` writes it again.
    #[test]
    fn the_document_in_the_tree_is_the_one_that_is_served() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/openapi.json");
        let committed = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            committed == super::document(),
            "docs/openapi.json is out of date: run `just generate`"
        );
    }
}
