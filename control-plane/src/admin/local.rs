//! The API asked from this process.

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, header};
use pintail_configstore::{Token, TokenRole};
use tower::ServiceExt;

use super::{AdminState, auth, router};

/// Most bytes of an answer.
const LARGEST: usize = 64 << 20;

/// What is done to a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// It is read.
    Get,
    /// It is made, or made so.
    Put,
    /// Something is done with it.
    Post,
    /// It is removed.
    Delete,
}

impl Verb {
    /// The method's name in HTTP.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Put => "PUT",
            Self::Post => "POST",
            Self::Delete => "DELETE",
        }
    }
}

/// Every route, asked by somebody of this process.
#[derive(Clone)]
pub struct LocalApi(Router);

impl LocalApi {
    /// The routes for somebody who may what `role` may.
    pub fn new(state: AdminState, role: TokenRole) -> Self {
        let token = Token {
            name: "offline".to_owned(),
            role,
        };
        Self(router(state).layer(axum::Extension(auth::Local(token))))
    }

    /// Status and content of the answer to a request with a JSON body.
    pub async fn ask(&self, verb: Verb, path: &str, body: Vec<u8>) -> anyhow::Result<(u16, Vec<u8>)> {
        let request = Request::builder()
            .method(Method::from_bytes(verb.name().as_bytes())?)
            .uri(path)
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(body))?;
        let answer = self.0.clone().oneshot(request).await?;
        let status = answer.status().as_u16();
        Ok((
            status,
            axum::body::to_bytes(answer.into_body(), LARGEST).await?.to_vec(),
        ))
    }
}
