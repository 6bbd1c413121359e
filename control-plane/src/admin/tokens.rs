//! Bearer tokens of this port.

use axum::extract::State;
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use pintail_configstore::{TokenEntry, TokenRole};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::auth::Admin;
use super::page::{Json, Page, Path, Query, Wanted};
use super::problem::Problems;
use super::{AdminState, Problem};

/// What a token may do; each may what the one before may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum TokenRoleBody {
    /// Look.
    Viewer,
    /// Act on sessions, workers and provisioning.
    Operator,
    /// Change everything.
    Admin,
}

/// A token to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TokenBody {
    /// Its name, for the audit and for revoking it.
    name: String,
    role: TokenRoleBody,
}

/// A token.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TokenResource {
    name: String,
    role: TokenRoleBody,
    created_at: DateTime<Utc>,
}

/// A token that was made; its text is not shown again.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TokenMade {
    name: String,
    role: TokenRoleBody,
    /// What stands behind `Authorization: Bearer`.
    token: String,
}

/// Lists tokens.
#[utoipa::path(
    get, path = "/tokens", tag = "tokens", params(Wanted),
    responses((status = 200, description = "A page of tokens", body = Page<TokenResource>), Problems),
)]
pub(super) async fn list(
    _: Admin,
    State(state): State<AdminState>,
    Query(wanted): Query<Wanted>,
) -> Result<axum::Json<Page<TokenResource>>, Problem> {
    let mut tokens = state.store.tokens().await?;
    tokens.sort_by(|a, b| a.name.cmp(&b.name));
    let items = tokens.into_iter().map(TokenResource::from);
    Ok(axum::Json(Page::cut(items, &wanted, |token| token.name.clone())?))
}

/// Makes a token and shows it, once.
#[utoipa::path(
    post, path = "/tokens", tag = "tokens", request_body = TokenBody,
    responses((status = 201, description = "The token", body = TokenMade), Problems),
)]
pub(super) async fn create(
    Admin(actor): Admin,
    State(state): State<AdminState>,
    Json(body): Json<TokenBody>,
) -> Result<(StatusCode, axum::Json<TokenMade>), Problem> {
    let role = match body.role {
        TokenRoleBody::Viewer => TokenRole::Viewer,
        TokenRoleBody::Operator => TokenRole::Operator,
        TokenRoleBody::Admin => TokenRole::Admin,
    };
    let token = state.store.create_token(&actor, &body.name, role).await?;
    let made = TokenMade {
        name: body.name,
        role: body.role,
        token: token.expose().clone(),
    };
    Ok((StatusCode::CREATED, axum::Json(made)))
}

/// Makes a token worthless.
#[utoipa::path(
    delete, path = "/tokens/{name}", tag = "tokens", params(("name" = String, Path, description = "Its name")),
    responses((status = 204, description = "It is worthless"), Problems),
)]
pub(super) async fn revoke(
    Admin(actor): Admin,
    State(state): State<AdminState>,
    Path(name): Path<String>,
) -> Result<StatusCode, Problem> {
    state.store.revoke_token(&actor, &name).await?;
    Ok(StatusCode::NO_CONTENT)
}

impl From<TokenEntry> for TokenResource {
    fn from(entry: TokenEntry) -> Self {
        Self {
            name: entry.name,
            role: match entry.role {
                TokenRole::Viewer => TokenRoleBody::Viewer,
                TokenRole::Operator => TokenRoleBody::Operator,
                TokenRole::Admin => TokenRoleBody::Admin,
            },
            created_at: entry.created_at,
        }
    }
}
