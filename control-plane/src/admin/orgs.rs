//! Organisations.

use axum::extract::State;
use axum::http::StatusCode;
use pintail_configstore::{Change, OrgSlug, OrgSpec};

use super::auth::{Admin, Viewer};
use super::body::{OrgBody, OrgResource};
use super::page::{Json, Page, Path, Query, Wanted};
use super::problem::Problems;
use super::{AdminState, Problem};

type Found = Result<axum::Json<OrgResource>, Problem>;

/// Lists organisations.
#[utoipa::path(
    get, path = "/orgs", tag = "organisations", params(Wanted),
    responses(
        (status = 200, description = "A page of organisations", body = Page<OrgResource>),
        Problems,
    ),
)]
pub(super) async fn list(
    _: Viewer,
    State(state): State<AdminState>,
    Query(wanted): Query<Wanted>,
) -> Result<axum::Json<Page<OrgResource>>, Problem> {
    let snapshot = state.store.snapshot();
    let items = snapshot.orgs().map(|org| OrgResource::from(org.as_ref()));
    Ok(axum::Json(Page::cut(items, &wanted, OrgResource::key)?))
}

/// Shows an organisation.
#[utoipa::path(
    get, path = "/orgs/{org}", tag = "organisations", params(("org" = String, Path, description = "Its short name")),
    responses(
        (status = 200, description = "The organisation", body = OrgResource),
        Problems,
    ),
)]
pub(super) async fn show(_: Viewer, State(state): State<AdminState>, Path(org): Path<String>) -> Found {
    resource(&state, &org).map(axum::Json)
}

/// Makes an organisation, or makes an existing one so.
#[utoipa::path(
    put, path = "/orgs/{org}", tag = "organisations", request_body = OrgBody,
    params((
        "org" = String, Path,
        description = "Its short name: no __, no _ at its end",
        min_length = 2, max_length = 31, pattern = "^[a-z](_?[a-z0-9])+$",
    )),
    responses(
        (status = 200, description = "It is so", body = OrgResource),
        (status = 201, description = "It was made", body = OrgResource),
        Problems,
    ),
)]
pub(super) async fn put(
    Admin(actor): Admin,
    State(state): State<AdminState>,
    Path(org): Path<String>,
    Json(body): Json<OrgBody>,
) -> Result<(StatusCode, axum::Json<OrgResource>), Problem> {
    let slug = OrgSlug::parse(&org)?;
    if let Some(mistake) = body.limits.mistake() {
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, mistake));
    }
    let spec = OrgSpec {
        standing: body.standing.into(),
        limits: body.limits.into(),
        locations: body.locations,
    };
    let change = state.store.put_org(&actor, &slug, &spec).await?;
    Ok((status(change), axum::Json(resource(&state, &org)?)))
}

/// Removes an organisation that has no catalogs.
#[utoipa::path(
    delete, path = "/orgs/{org}", tag = "organisations", params(("org" = String, Path, description = "Its short name")),
    responses(
        (status = 204, description = "It is gone"),
        Problems,
    ),
)]
pub(super) async fn remove(
    Admin(actor): Admin,
    State(state): State<AdminState>,
    Path(org): Path<String>,
) -> Result<StatusCode, Problem> {
    state.store.delete_org(&actor, &slug(&org)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The slug in a path; one that breaks the contract names nothing.
pub(super) fn slug(org: &str) -> Result<OrgSlug, Problem> {
    OrgSlug::parse(org).map_err(|_| Problem::missing("organisation", org))
}

/// 201 for what was made, 200 otherwise.
pub(super) fn status(change: Change) -> StatusCode {
    match change {
        Change::Created => StatusCode::CREATED,
        Change::Updated | Change::Unchanged => StatusCode::OK,
    }
}

fn resource(state: &AdminState, org: &str) -> Result<OrgResource, Problem> {
    let snapshot = state.store.snapshot();
    let found = snapshot.org(org).ok_or_else(|| Problem::missing("organisation", org))?;
    Ok(found.as_ref().into())
}
