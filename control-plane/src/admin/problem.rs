//! Errors as `application/problem+json` (RFC 9457).

use std::collections::BTreeMap;

use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use pintail_configstore::Error;
use serde::{Deserialize, Serialize};
use utoipa::openapi::{self, ContentBuilder, Ref, RefOr, ResponseBuilder};
use utoipa::{IntoResponses, ToSchema};

use crate::provision;

/// Why a request was not done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// Always `about:blank`: the status says what kind of problem it is.
    #[serde(rename = "type")]
    kind: String,
    /// The status in words.
    title: String,
    /// The HTTP status.
    status: u16,
    /// What is wrong, for a person.
    detail: String,
}

impl Problem {
    /// A problem with its explanation.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self {
            kind: "about:blank".to_owned(),
            title: status.canonical_reason().unwrap_or_default().to_owned(),
            status: status.as_u16(),
            detail: detail.into(),
        }
    }

    /// Nothing has this name.
    pub fn missing(what: &str, name: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("there is no {what} {name:?}"))
    }

    /// The explanation.
    pub fn detail(&self) -> &str {
        &self.detail
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, axum::Json(self)).into_response();
        let kind = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        if status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
        }
        response
    }
}

/// The answers that every request may get.
pub(super) struct Problems;

impl IntoResponses for Problems {
    fn responses() -> BTreeMap<String, RefOr<openapi::Response>> {
        let content = ContentBuilder::new()
            .schema(Some(Ref::from_schema_name("Problem")))
            .build();
        let answer = |description: &str| {
            ResponseBuilder::new()
                .description(description)
                .content("application/problem+json", content.clone())
                .build()
        };
        BTreeMap::from([
            (
                "4XX".to_owned(),
                RefOr::T(answer("The request cannot be done; the detail says why")),
            ),
            ("503".to_owned(), RefOr::T(answer("It cannot be done at the moment"))),
        ])
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        match &error {
            Error::NotFound { .. } => Self::new(StatusCode::NOT_FOUND, error.to_string()),
            Error::Conflict { .. } => Self::new(StatusCode::CONFLICT, error.to_string()),
            Error::Invalid { .. } | Error::Name(_) => Self::new(StatusCode::UNPROCESSABLE_ENTITY, error.to_string()),
            _ => {
                tracing::error!(error = %crate::chain(&error), "the configuration store");
                Self::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "the configuration store does not answer; the server's log says why",
                )
            }
        }
    }
}

impl From<pintail_configstore::InvalidName> for Problem {
    fn from(error: pintail_configstore::InvalidName) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, error.to_string())
    }
}

impl From<provision::Error> for Problem {
    fn from(error: provision::Error) -> Self {
        match error {
            provision::Error::Store(error) => error.into(),
            other => Self::new(StatusCode::CONFLICT, crate::chain(&other)),
        }
    }
}

impl From<JsonRejection> for Problem {
    fn from(rejection: JsonRejection) -> Self {
        Self::new(rejection.status(), rejection.body_text())
    }
}

impl From<PathRejection> for Problem {
    fn from(rejection: PathRejection) -> Self {
        Self::new(rejection.status(), rejection.body_text())
    }
}

impl From<QueryRejection> for Problem {
    fn from(rejection: QueryRejection) -> Self {
        Self::new(rejection.status(), rejection.body_text())
    }
}
