//! The bearer token of every call.

use pintail_worker_api::Secret;
use subtle::ConstantTimeEq;
use tonic::service::Interceptor;
use tonic::{Request, Status};

/// Lets calls through that carry the worker's token.
#[derive(Clone)]
pub(super) struct Bearer {
    expected: Secret<Vec<u8>>,
}

impl Bearer {
    /// For a token.
    pub(super) fn new(token: &Secret<String>) -> Self {
        Self {
            expected: Secret::new(format!("Bearer {}", token.expose()).into_bytes()),
        }
    }
}

impl Interceptor for Bearer {
    fn call(&mut self, request: Request<()>) -> Result<Request<()>, Status> {
        let given = request
            .metadata()
            .get("authorization")
            .map(tonic::metadata::MetadataValue::as_encoded_bytes)
            .unwrap_or_default();
        if bool::from(given.ct_eq(self.expected.expose().as_slice())) {
            Ok(request)
        } else {
            Err(Status::unauthenticated("the bearer token is missing or wrong"))
        }
    }
}
