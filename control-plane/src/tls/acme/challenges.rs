//! The answers to an authority's HTTP-01 challenges (RFC 8555 §8.3).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// The answers that are up, by token.
#[derive(Clone, Default)]
pub(super) struct Challenges {
    answers: Arc<Mutex<HashMap<String, String>>>,
}

/// An answer that is up until this is dropped.
pub(super) struct Answer {
    challenges: Challenges,
    token: String,
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.challenges.lock().remove(&self.token);
    }
}

impl Challenges {
    /// Puts an answer up.
    pub(super) fn put_up(&self, token: &str, answer: &str) -> Answer {
        self.lock().insert(token.to_owned(), answer.to_owned());
        Answer {
            challenges: self.clone(),
            token: token.to_owned(),
        }
    }

    /// Answers until cancelled. Everything but a token that is up is not found.
    pub(super) async fn answer(self, listener: TcpListener, stop: CancellationToken) {
        let router = Router::new()
            .route("/.well-known/acme-challenge/{token}", get(find))
            .with_state(self);
        if let Err(error) = axum::serve(listener, router)
            .with_graceful_shutdown(stop.cancelled_owned())
            .await
        {
            tracing::error!(%error, "challenges are not answered any more");
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn find(State(challenges): State<Challenges>, Path(token): Path<String>) -> Result<String, StatusCode> {
    challenges.lock().get(&token).cloned().ok_or(StatusCode::NOT_FOUND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_answer_is_up_until_it_is_dropped() {
        let challenges = Challenges::default();
        let find = |token: &str| find(State(challenges.clone()), Path(token.to_owned()));
        let answer = challenges.put_up("token", "token.thumbprint");
        assert_eq!(find("token").await, Ok("token.thumbprint".to_owned()));
        assert_eq!(find("other").await, Err(StatusCode::NOT_FOUND));
        drop(answer);
        assert_eq!(find("token").await, Err(StatusCode::NOT_FOUND));
    }
}
