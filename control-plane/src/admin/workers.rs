//! Workers of this server.

use axum::extract::State;
use axum::http::StatusCode;
use pintail_worker_api::provider::WorkerId;
use serde::Serialize;
use utoipa::ToSchema;

use super::auth::{Operator, Viewer};
use super::page::{Page, Path, Query, Wanted};
use super::problem::Problems;
use super::{AdminState, Problem};
use crate::pool::{WorkerEntry, WorkerState};

/// A worker.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct WorkerResource {
    /// Its name.
    id: String,
    org: String,
    /// The catalogs that its instances attach.
    catalogs: Vec<String>,
    state: WorkerStateBody,
    /// Seconds in this state.
    seconds: u64,
}

/// Where a worker of an organisation is in its life.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum WorkerStateBody {
    Starting,
    Busy,
    HotIdle,
    Ending,
}

/// Lists workers.
#[utoipa::path(
    get, path = "/workers", tag = "workers", params(Wanted),
    responses((status = 200, description = "A page of workers", body = Page<WorkerResource>), Problems),
)]
pub(super) async fn list(
    _: Viewer,
    State(state): State<AdminState>,
    Query(wanted): Query<Wanted>,
) -> Result<axum::Json<Page<WorkerResource>>, Problem> {
    let workers = state.server()?.pool.workers();
    let items = workers.into_iter().map(WorkerResource::from);
    Ok(axum::Json(Page::cut(items, &wanted, |worker| worker.id.clone())?))
}

/// Retires a worker that has no session.
#[utoipa::path(
    delete, path = "/workers/{id}", tag = "workers", params(("id" = String, Path, description = "Its name")),
    responses((status = 204, description = "It ends"), Problems),
)]
pub(super) async fn retire(
    Operator(actor): Operator,
    State(state): State<AdminState>,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let pool = &state.server()?.pool;
    if pool.retire_idle(&WorkerId(id.clone())) {
        state.store.note(&actor, "worker.retire", &id).await?;
        return Ok(StatusCode::NO_CONTENT);
    }
    if pool.workers().iter().any(|worker| worker.id.0 == id) {
        return Err(Problem::new(
            StatusCode::CONFLICT,
            "the worker serves a session; end the session instead",
        ));
    }
    Err(Problem::missing("worker", &id))
}

impl From<WorkerEntry> for WorkerResource {
    fn from(entry: WorkerEntry) -> Self {
        Self {
            id: entry.id.to_string(),
            org: entry.key.org,
            catalogs: entry.key.catalogs,
            state: match entry.state {
                WorkerState::Spawning | WorkerState::Spare | WorkerState::Activating => WorkerStateBody::Starting,
                WorkerState::Busy => WorkerStateBody::Busy,
                WorkerState::HotIdle => WorkerStateBody::HotIdle,
                WorkerState::Draining | WorkerState::Gone => WorkerStateBody::Ending,
            },
            seconds: entry.since.as_secs(),
        }
    }
}
