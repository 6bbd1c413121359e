//! The port that answers an ACME authority's challenges (RFC 8555 §8.3). It knows nothing else.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::tls::acme::Challenges;

/// Answers until cancelled. Everything but a token that is up is not found.
pub async fn answer_challenges(challenges: Challenges, listener: TcpListener, stop: CancellationToken) {
    let router = Router::new()
        .route("/.well-known/acme-challenge/{token}", get(find))
        .with_state(challenges);
    let serving = axum::serve(listener, router).with_graceful_shutdown(stop.cancelled_owned());
    if let Err(error) = serving.await {
        tracing::error!(%error, "challenges are not answered any more");
    }
}

async fn find(State(challenges): State<Challenges>, Path(token): Path<String>) -> Result<String, StatusCode> {
    challenges.find(&token).ok_or(StatusCode::NOT_FOUND)
}
