//! Users of an organisation.

use axum::extract::State;
use axum::http::StatusCode;
use pintail_configstore::{CatalogName, UserName, UserSpec};

use super::auth::{Admin, Viewer};
use super::body::{UserBody, UserResource};
use super::orgs::{slug, status};
use super::page::{Json, Page, Path, Query, Wanted};
use super::problem::Problems;
use super::{AdminState, Problem};

/// Lists an organisation's users.
#[utoipa::path(
    get, path = "/orgs/{org}/users", tag = "users",
    params(("org" = String, Path, description = "The organisation"), Wanted),
    responses((status = 200, description = "A page of users", body = Page<UserResource>), Problems),
)]
pub(super) async fn list(
    _: Viewer,
    State(state): State<AdminState>,
    Path(org): Path<String>,
    Query(wanted): Query<Wanted>,
) -> Result<axum::Json<Page<UserResource>>, Problem> {
    let snapshot = state.store.snapshot();
    let org = snapshot
        .org(&org)
        .ok_or_else(|| Problem::missing("organisation", &org))?;
    let items = org.users.values().map(|user| UserResource::from(user.as_ref()));
    Ok(axum::Json(Page::cut(items, &wanted, UserResource::key)?))
}

/// Shows a user.
#[utoipa::path(
    get, path = "/orgs/{org}/users/{user}", tag = "users",
    params(("org" = String, Path, description = "The organisation"), ("user" = String, Path, description = "The user")),
    responses((status = 200, description = "The user", body = UserResource), Problems),
)]
pub(super) async fn show(
    _: Viewer,
    State(state): State<AdminState>,
    Path((org, user)): Path<(String, String)>,
) -> Result<axum::Json<UserResource>, Problem> {
    resource(&state, &org, &user).map(axum::Json)
}

/// Makes a user, or makes an existing one so.
#[utoipa::path(
    put, path = "/orgs/{org}/users/{user}", tag = "users", request_body = UserBody,
    params(
        ("org" = String, Path, description = "The organisation"),
        ("user" = String, Path, description = "The user: 1 to 63 bytes without control characters", min_length = 1, max_length = 63),
    ),
    responses(
        (status = 200, description = "It is so", body = UserResource),
        (status = 201, description = "It was made", body = UserResource),
        Problems,
    ),
)]
pub(super) async fn put(
    Admin(actor): Admin,
    State(state): State<AdminState>,
    Path((org, user)): Path<(String, String)>,
    Json(body): Json<UserBody>,
) -> Result<(StatusCode, axum::Json<UserResource>), Problem> {
    let name = UserName::parse(&user)?;
    if let Some(mistake) = body.limits.mistake().or_else(|| body.limits.only_of_orgs()) {
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, mistake));
    }
    let catalogs = body
        .catalogs
        .map(|names| {
            names
                .iter()
                .map(|name| CatalogName::parse(name))
                .collect::<Result<Vec<_>, _>>()
        })
        .transpose()?;
    let spec = UserSpec {
        password: body.password,
        standing: body.standing.into(),
        role: body.role.into(),
        schemas: body.schemas,
        catalogs,
        limits: body.limits.into(),
    };
    let change = state.store.put_user(&actor, &slug(&org)?, &name, &spec).await?;
    Ok((status(change), axum::Json(resource(&state, &org, &user)?)))
}

/// Removes a user and its secrets.
#[utoipa::path(
    delete, path = "/orgs/{org}/users/{user}", tag = "users",
    params(("org" = String, Path, description = "The organisation"), ("user" = String, Path, description = "The user")),
    responses((status = 204, description = "It is gone"), Problems),
)]
pub(super) async fn remove(
    Admin(actor): Admin,
    State(state): State<AdminState>,
    Path((org, user)): Path<(String, String)>,
) -> Result<StatusCode, Problem> {
    let name = UserName::parse(&user).map_err(|_| Problem::missing("user", &user))?;
    state.store.delete_user(&actor, &slug(&org)?, &name).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn resource(state: &AdminState, org: &str, user: &str) -> Result<UserResource, Problem> {
    let snapshot = state.store.snapshot();
    let org = snapshot.org(org).ok_or_else(|| Problem::missing("organisation", org))?;
    let found = org.users.get(user).ok_or_else(|| Problem::missing("user", user))?;
    Ok(found.as_ref().into())
}
