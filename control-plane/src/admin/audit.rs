//! The record of changes.

use axum::extract::State;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::auth::Admin;
use super::page::{Page, Query, limit};
use super::problem::Problems;
use super::{AdminState, Problem};

/// A change. No secret is in it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AuditResource {
    id: i64,
    at: DateTime<Utc>,
    /// Who made it.
    actor: String,
    /// What was done.
    action: String,
    /// To what.
    object: String,
    /// What it became.
    #[schema(value_type = Object)]
    detail: serde_json::Value,
}

/// Which changes are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct AuditWanted {
    /// Most entries, up to 1000; 100 without it.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
    /// The `next` of the page before.
    before: Option<i64>,
}

/// Lists changes, the latest first.
#[utoipa::path(
    get, path = "/audit", tag = "audit", params(AuditWanted),
    responses((status = 200, description = "A page of changes", body = Page<AuditResource>), Problems),
)]
pub(super) async fn list(
    _: Admin,
    State(state): State<AdminState>,
    Query(wanted): Query<AuditWanted>,
) -> Result<axum::Json<Page<AuditResource>>, Problem> {
    let most = limit(wanted.limit)?;
    let asked = u32::try_from(most + 1).unwrap_or(u32::MAX);
    let mut entries = state.store.audit(asked, wanted.before).await?;
    let more = entries.len() > most;
    entries.truncate(most);
    let next = more.then(|| entries.last().map(|entry| entry.id.to_string())).flatten();
    let items = entries
        .into_iter()
        .map(|entry| AuditResource {
            id: entry.id,
            at: entry.at,
            actor: entry.actor,
            action: entry.action,
            object: entry.object,
            detail: entry.detail,
        })
        .collect();
    Ok(axum::Json(Page { items, next }))
}
