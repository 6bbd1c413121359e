//! Host names of organisations' own.

use axum::extract::State;
use axum::http::StatusCode;

use super::auth::{Admin, Viewer};
use super::orgs::{slug, status};
use super::page::{Page, Path, Query, Wanted};
use super::problem::Problems;
use super::{AdminState, Problem};
use crate::routing;

/// Lists an organisation's host names.
#[utoipa::path(
    get, path = "/orgs/{org}/hosts", tag = "organisations",
    params(("org" = String, Path, description = "The organisation"), Wanted),
    responses((status = 200, description = "A page of host names", body = Page<String>), Problems),
)]
pub(super) async fn list(
    _: Viewer,
    State(state): State<AdminState>,
    Path(org): Path<String>,
    Query(wanted): Query<Wanted>,
) -> Result<axum::Json<Page<String>>, Problem> {
    let snapshot = state.store.snapshot();
    let org = snapshot
        .org(&org)
        .ok_or_else(|| Problem::missing("organisation", &org))?;
    Ok(axum::Json(Page::cut(
        org.hosts.iter().cloned(),
        &wanted,
        String::clone,
    )?))
}

/// Gives an organisation a host name.
#[utoipa::path(
    put, path = "/orgs/{org}/hosts/{host}", tag = "organisations",
    params(("org" = String, Path, description = "The organisation"), ("host" = String, Path, description = "A DNS name")),
    responses(
        (status = 200, description = "It has it"),
        (status = 201, description = "It was given"),
        Problems,
    ),
)]
pub(super) async fn put(
    Admin(actor): Admin,
    State(state): State<AdminState>,
    Path((org, host)): Path<(String, String)>,
) -> Result<StatusCode, Problem> {
    let name = host.trim_end_matches('.').to_ascii_lowercase();
    if let Ok(server) = state.server()
        && routing::below_suffix(&server.config, &name).is_some()
    {
        return Err(Problem::new(
            StatusCode::CONFLICT,
            "names below host_suffixes name their organisations already",
        ));
    }
    Ok(status(state.store.put_host(&actor, &slug(&org)?, &host).await?))
}

/// Takes a host name from an organisation.
#[utoipa::path(
    delete, path = "/orgs/{org}/hosts/{host}", tag = "organisations",
    params(("org" = String, Path, description = "The organisation"), ("host" = String, Path, description = "A DNS name")),
    responses((status = 204, description = "It is gone"), Problems),
)]
pub(super) async fn remove(
    Admin(actor): Admin,
    State(state): State<AdminState>,
    Path((org, host)): Path<(String, String)>,
) -> Result<StatusCode, Problem> {
    state.store.delete_host(&actor, &slug(&org)?, &host).await?;
    Ok(StatusCode::NO_CONTENT)
}
