//! The state of the installation: its walls, its workers, its catalogs.

use axum::extract::State;
use pintail_configstore::CatalogState;
use serde::Serialize;
use utoipa::ToSchema;

use super::auth::{Admin, Viewer};
use super::problem::Problems;
use super::{AdminState, Problem};

/// What an installation is and does.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StatusResource {
    /// The program's version.
    version: &'static str,
    walls: Walls,
    /// Counts.
    organisations: usize,
    catalogs: usize,
    /// Catalogs that are not ready, as `org/catalog: state (reason)`.
    unready: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<Running>,
}

/// The four walls between organisations.
#[derive(Debug, Serialize, ToSchema)]
struct Walls {
    /// Each catalog's own role in the metadata store, and what was found of object-store keys.
    credentials: String,
    /// Landlock, as the last worker raised it.
    kernel: String,
    /// `DuckDB`'s own settings, proven before each session.
    engine: String,
    /// The judgement of each statement.
    gate: String,
}

/// What a running server does.
#[derive(Debug, Serialize, ToSchema)]
struct Running {
    /// The address of the PostgreSQL protocol.
    listen: String,
    /// Domains below which each organisation has a host name.
    host_suffixes: Vec<String>,
    /// How clients may name their organisation otherwise.
    org_fallbacks: Vec<&'static str>,
    /// The organisation of clients that name none.
    default_org: String,
    sessions: usize,
    workers: usize,
    spares: usize,
    /// Sessions that wait for a worker.
    waiting: usize,
    draining: bool,
}

/// Shows the walls, the counts and what is not as it should be.
#[utoipa::path(
    get, path = "/status", tag = "status",
    responses((status = 200, description = "The state of the installation", body = StatusResource), Problems),
)]
pub(super) async fn show(_: Viewer, State(state): State<AdminState>) -> Result<axum::Json<StatusResource>, Problem> {
    let snapshot = state.store.snapshot();
    let catalogs = || {
        snapshot
            .orgs()
            .flat_map(|org| org.catalogs.values().map(move |catalog| (org, catalog)))
    };
    let reason = |text: &Option<String>| text.as_ref().map(|text| format!(" ({text})")).unwrap_or_default();
    let unready = catalogs()
        .filter(|(_, catalog)| catalog.state != CatalogState::Ready)
        .map(|(org, catalog)| {
            let (slug, name, state) = (&org.slug, &catalog.name, catalog.state.as_str());
            format!("{slug}/{name}: {state}{}", reason(&catalog.reason))
        })
        .collect();
    let single: Vec<String> = catalogs()
        .filter(|(_, catalog)| catalog.state == CatalogState::Ready && catalog.reason.is_some())
        .map(|(org, catalog)| format!("{}/{}{}", org.slug, catalog.name, reason(&catalog.reason)))
        .collect();
    let credentials = if single.is_empty() {
        "up".to_owned()
    } else {
        format!("partial: {}", single.join("; "))
    };
    let server = state.server.as_ref().map(|server| Running {
        listen: server.listening().to_string(),
        host_suffixes: server.config.host_suffixes.0.clone(),
        org_fallbacks: server.config.org_fallbacks.0.iter().map(|way| way.name()).collect(),
        default_org: server.config.default_org.clone(),
        sessions: server.shared.sessions.list().len(),
        workers: server.pool.workers().len(),
        spares: server.pool.spares(),
        waiting: server.pool.waiting(),
        draining: server.draining.is_cancelled(),
    });
    let kernel = state
        .server
        .as_ref()
        .and_then(|server| server.pool.kernel_wall())
        .unwrap_or_else(|| "unknown: no worker has started yet".to_owned());
    Ok(axum::Json(StatusResource {
        version: env!("CARGO_PKG_VERSION"),
        walls: Walls {
            credentials,
            kernel,
            engine: "up: proven before each session".to_owned(),
            gate: "up".to_owned(),
        },
        organisations: snapshot.orgs().count(),
        catalogs: catalogs().count(),
        unready,
        server,
    }))
}

/// What was sealed anew.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Rotated {
    /// How many secrets now are under the first sealing key.
    sealed: u64,
}

/// Seals every credential anew under the first of the sealing keys.
#[utoipa::path(
    post, path = "/seals/rotate", tag = "status",
    responses((status = 200, description = "How many were sealed anew", body = Rotated), Problems),
)]
pub(super) async fn rotate(
    Admin(actor): Admin,
    State(state): State<AdminState>,
) -> Result<axum::Json<Rotated>, Problem> {
    let sealed = state.store.rotate_seals(&actor).await?;
    Ok(axum::Json(Rotated { sealed }))
}
