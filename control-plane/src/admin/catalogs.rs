//! Catalogs of an organisation.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use pintail_configstore::{Catalog, CatalogId, CatalogName};

use super::auth::{Admin, Operator, Viewer};
use super::orgs::{slug, status};
use super::page::{Json, Page, Path, Query, Wanted};
use super::problem::Problems;
use super::storage::{CatalogBody, CatalogResource};
use super::{AdminState, Problem};

/// Lists an organisation's catalogs.
#[utoipa::path(
    get, path = "/orgs/{org}/catalogs", tag = "catalogs",
    params(("org" = String, Path, description = "The organisation"), Wanted),
    responses((status = 200, description = "A page of catalogs", body = Page<CatalogResource>), Problems),
)]
pub(super) async fn list(
    _: Viewer,
    State(state): State<AdminState>,
    Path(org): Path<String>,
    Query(wanted): Query<Wanted>,
) -> Result<axum::Json<Page<CatalogResource>>, Problem> {
    let snapshot = state.store.snapshot();
    let org = snapshot
        .org(&org)
        .ok_or_else(|| Problem::missing("organisation", &org))?;
    let items = org
        .catalogs
        .values()
        .map(|catalog| CatalogResource::from(catalog.as_ref()));
    Ok(axum::Json(Page::cut(items, &wanted, CatalogResource::key)?))
}

/// Shows a catalog.
#[utoipa::path(
    get, path = "/orgs/{org}/catalogs/{catalog}", tag = "catalogs",
    params(("org" = String, Path, description = "The organisation"), ("catalog" = String, Path, description = "The catalog")),
    responses((status = 200, description = "The catalog", body = CatalogResource), Problems),
)]
pub(super) async fn show(
    _: Viewer,
    State(state): State<AdminState>,
    Path((org, catalog)): Path<(String, String)>,
) -> Result<axum::Json<CatalogResource>, Problem> {
    Ok(axum::Json(find(&state, &org, &catalog)?.as_ref().into()))
}

/// Makes a catalog and waits until it is ready or failed. Of an existing one only credentials can change.
#[utoipa::path(
    put, path = "/orgs/{org}/catalogs/{catalog}", tag = "catalogs", request_body = CatalogBody,
    params(
        ("org" = String, Path, description = "The organisation"),
        (
            "catalog" = String, Path,
            description = "The catalog: no __, no _ at its end, with the organisation's name at most 58 characters",
            min_length = 2, max_length = 31, pattern = "^[a-z](_?[a-z0-9])+$",
        ),
    ),
    responses(
        (status = 200, description = "It is so; its state tells whether it is ready", body = CatalogResource),
        (status = 201, description = "It was made; its state tells whether it is ready", body = CatalogResource),
        Problems,
    ),
)]
pub(super) async fn put(
    Admin(actor): Admin,
    State(state): State<AdminState>,
    Path((org, catalog)): Path<(String, String)>,
    Json(body): Json<CatalogBody>,
) -> Result<(StatusCode, axum::Json<CatalogResource>), Problem> {
    let name = CatalogName::parse(&catalog)?;
    let invalid = |reason: String| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, reason);
    let spec = state.defaults.complete(body).map_err(invalid)?;
    let change = state.store.put_catalog(&actor, &slug(&org)?, &name, &spec).await?;
    make(&state, find(&state, &org, &catalog)?.id).await?;
    Ok((
        status(change),
        axum::Json(find(&state, &org, &catalog)?.as_ref().into()),
    ))
}

/// Goes on with a catalog that is not ready, and waits until it is ready or failed.
#[utoipa::path(
    post, path = "/orgs/{org}/catalogs/{catalog}/provision", tag = "catalogs",
    params(("org" = String, Path, description = "The organisation"), ("catalog" = String, Path, description = "The catalog")),
    responses(
        (status = 200, description = "Its state tells whether it is ready", body = CatalogResource),
        Problems,
    ),
)]
pub(super) async fn provision(
    Operator(actor): Operator,
    State(state): State<AdminState>,
    Path((org, catalog)): Path<(String, String)>,
) -> Result<axum::Json<CatalogResource>, Problem> {
    let id = find(&state, &org, &catalog)?.id;
    let object = format!("{org}/{catalog}");
    state.store.note(&actor, "catalog.provision", &object).await?;
    make(&state, id).await?;
    Ok(axum::Json(find(&state, &org, &catalog)?.as_ref().into()))
}

/// Removes a catalog: its metadata at once, its data after the retention time.
#[utoipa::path(
    delete, path = "/orgs/{org}/catalogs/{catalog}", tag = "catalogs",
    params(("org" = String, Path, description = "The organisation"), ("catalog" = String, Path, description = "The catalog")),
    responses((status = 204, description = "It is gone"), Problems),
)]
pub(super) async fn remove(
    Admin(actor): Admin,
    State(state): State<AdminState>,
    Path((org, catalog)): Path<(String, String)>,
) -> Result<StatusCode, Problem> {
    let name = CatalogName::parse(&catalog).map_err(|_| Problem::missing("catalog", &catalog))?;
    let id = state.store.mark_deleting(&actor, &slug(&org)?, &name).await?;
    let provisioner = state.provisioner.clone();
    finish(async move { provisioner.remove(id).await }).await??;
    Ok(StatusCode::NO_CONTENT)
}

/// A catalog that cannot be made says so in its state, which is the answer.
async fn make(state: &AdminState, id: CatalogId) -> Result<(), Problem> {
    let provisioner = state.provisioner.clone();
    match finish(async move { provisioner.make(id).await }).await? {
        Ok(()) => Ok(()),
        Err(crate::provision::Error::Store(error)) => Err(error.into()),
        Err(error @ crate::provision::Error::State { .. }) => Err(error.into()),
        Err(_) => Ok(()),
    }
}

/// Work that a client who hangs up does not stop half-way.
async fn finish<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Result<T, Problem> {
    crate::tasks::spawn("provision", work).await.map_err(|error| {
        tracing::error!(%error, "provisioning panicked");
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the server's log says why")
    })
}

fn find(state: &AdminState, org: &str, catalog: &str) -> Result<Arc<Catalog>, Problem> {
    let snapshot = state.store.snapshot();
    let org = snapshot.org(org).ok_or_else(|| Problem::missing("organisation", org))?;
    let found = org.catalogs.get(catalog);
    found.cloned().ok_or_else(|| Problem::missing("catalog", catalog))
}
