//! Who asks, and whether they may.
//!
//! A handler names the role it needs by the extractor it takes, so that none can forget to ask.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use pintail_configstore::{Actor, Token, TokenRole};

use super::{AdminState, Problem};

/// How long the store may take to know a token.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(5);

/// A request from this process.
#[derive(Debug, Clone)]
pub(super) struct Local(pub(super) Token);

/// Somebody who may look.
pub(super) struct Viewer;
/// Somebody who may act on sessions, workers and catalogs' provisioning.
pub(super) struct Operator(pub(super) Actor);
/// Somebody who may change organisations, users, catalogs and tokens.
pub(super) struct Admin(pub(super) Actor);

impl FromRequestParts<AdminState> for Viewer {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AdminState) -> Result<Self, Problem> {
        caller(parts, state, TokenRole::Viewer).await.map(|_| Self)
    }
}

impl FromRequestParts<AdminState> for Operator {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AdminState) -> Result<Self, Problem> {
        caller(parts, state, TokenRole::Operator).await.map(Self)
    }
}

impl FromRequestParts<AdminState> for Admin {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AdminState) -> Result<Self, Problem> {
        caller(parts, state, TokenRole::Admin).await.map(Self)
    }
}

async fn caller(parts: &Parts, state: &AdminState, needed: TokenRole) -> Result<Actor, Problem> {
    let token = match parts.extensions.get::<Local>() {
        Some(Local(token)) => token.clone(),
        None => bearer(parts, state).await?,
    };
    if token.role < needed {
        let role = format!("{needed:?}").to_lowercase();
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            format!("this needs a token with the role {role}"),
        ));
    }
    Ok(Actor::new(format!("token {}", token.name)))
}

async fn bearer(parts: &Parts, state: &AdminState) -> Result<Token, Problem> {
    let refused = || Problem::new(StatusCode::UNAUTHORIZED, "a valid bearer token is needed");
    let text = parts
        .headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, token)| token.trim())
        .ok_or_else(refused)?;
    let checked = tokio::time::timeout(PATIENCE, state.store.check_token(text)).await;
    let checked = checked.map_err(|_| {
        Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the configuration store does not answer",
        )
    })?;
    checked?.ok_or_else(refused)
}
