//! Sessions of this server.

use axum::extract::State;
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::auth::{Operator, Viewer};
use super::page::{Page, Path, Query, limit};
use super::problem::Problems;
use super::{AdminState, Problem};
use crate::sessions::{Activity, SessionInfo};

/// A session. No text of a statement is in it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SessionResource {
    /// What `pg_backend_pid()` says.
    pid: i32,
    org: String,
    user: String,
    catalog: String,
    /// The client's address.
    client: String,
    application: String,
    started: DateTime<Utc>,
    activity: ActivityBody,
    /// Since when it does so.
    since: DateTime<Utc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    worker: Option<String>,
}

/// What a session does.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum ActivityBody {
    Idle,
    IdleInTransaction,
    Waiting,
    Active,
}

/// Which sessions are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct SessionsWanted {
    /// Those of this organisation only.
    org: Option<String>,
    /// Most entries, up to 1000; 100 without it.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
    /// The `next` of the page before.
    after: Option<i32>,
}

/// Lists sessions in the order of their process ids.
#[utoipa::path(
    get, path = "/sessions", tag = "sessions", params(SessionsWanted),
    responses((status = 200, description = "A page of sessions", body = Page<SessionResource>), Problems),
)]
pub(super) async fn list(
    _: Viewer,
    State(state): State<AdminState>,
    Query(wanted): Query<SessionsWanted>,
) -> Result<axum::Json<Page<SessionResource>>, Problem> {
    let most = limit(wanted.limit)?;
    let mut found: Vec<_> = state
        .server()?
        .shared
        .sessions
        .list()
        .into_iter()
        .filter(|session| wanted.org.as_ref().is_none_or(|org| *org == session.org))
        .filter(|session| wanted.after.is_none_or(|after| session.pid > after))
        .take(most + 1)
        .collect();
    let more = found.len() > most;
    found.truncate(most);
    let next = more
        .then(|| found.last().map(|session| session.pid.to_string()))
        .flatten();
    let items = found.into_iter().map(SessionResource::from).collect();
    Ok(axum::Json(Page { items, next }))
}

/// Shows a session.
#[utoipa::path(
    get, path = "/sessions/{pid}", tag = "sessions", params(("pid" = i32, Path, description = "Its process id")),
    responses((status = 200, description = "The session", body = SessionResource), Problems),
)]
pub(super) async fn show(
    _: Viewer,
    State(state): State<AdminState>,
    Path(pid): Path<i32>,
) -> Result<axum::Json<SessionResource>, Problem> {
    let found = state.server()?.shared.sessions.get(pid);
    let session = found.ok_or_else(|| Problem::missing("session", &pid.to_string()))?;
    Ok(axum::Json(session.into()))
}

/// Cancels what a session runs.
#[utoipa::path(
    post, path = "/sessions/{pid}/cancel", tag = "sessions", params(("pid" = i32, Path, description = "Its process id")),
    responses((status = 204, description = "It was asked to stop"), Problems),
)]
pub(super) async fn cancel(
    Operator(actor): Operator,
    State(state): State<AdminState>,
    Path(pid): Path<i32>,
) -> Result<StatusCode, Problem> {
    if state.server()?.shared.cancels.cancel_pid(pid) {
        state.store.note(&actor, "session.cancel", &pid.to_string()).await?;
        return Ok(StatusCode::NO_CONTENT);
    }
    Err(Problem::missing("session", &pid.to_string()))
}

/// Ends a session.
#[utoipa::path(
    delete, path = "/sessions/{pid}", tag = "sessions", params(("pid" = i32, Path, description = "Its process id")),
    responses((status = 204, description = "It was asked to end"), Problems),
)]
pub(super) async fn end(
    Operator(actor): Operator,
    State(state): State<AdminState>,
    Path(pid): Path<i32>,
) -> Result<StatusCode, Problem> {
    if state.server()?.shared.sessions.end(pid) {
        state.store.note(&actor, "session.end", &pid.to_string()).await?;
        return Ok(StatusCode::NO_CONTENT);
    }
    Err(Problem::missing("session", &pid.to_string()))
}

impl From<SessionInfo> for SessionResource {
    fn from(session: SessionInfo) -> Self {
        Self {
            pid: session.pid,
            org: session.org,
            user: session.user,
            catalog: session.catalog,
            client: session.client.to_string(),
            application: session.application,
            started: session.started.into(),
            activity: match session.activity {
                Activity::Idle => ActivityBody::Idle,
                Activity::IdleInTransaction | Activity::IdleInFailedTransaction => ActivityBody::IdleInTransaction,
                Activity::Waiting => ActivityBody::Waiting,
                Activity::Active => ActivityBody::Active,
            },
            since: session.since.into(),
            worker: session.worker,
        }
    }
}
