//! A look at the object store with a catalog's own key: does it open the catalog's prefix, and only that.

use futures::{StreamExt, TryStreamExt};
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use pintail_worker_api::bootstrap::{S3Target, Tls, UrlStyle};

use super::Error;

/// How far a key reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Isolation {
    /// It opens the catalog's prefix only.
    OwnPrefix,
    /// It opens other prefixes too: only the engine's wall holds the catalog in.
    SingleLayer,
}

impl Isolation {
    /// What the operator is told about it.
    pub(super) fn note(self) -> Option<String> {
        match self {
            Self::OwnPrefix => None,
            Self::SingleLayer => {
                Some("storage isolation: single layer (the key opens more than the catalog's prefix)".to_owned())
            }
        }
    }
}

/// Writes, reads and removes an object under the prefix, and tries to list what is beside it.
pub(super) async fn check(bucket: &str, prefix: &str, target: &S3Target) -> Result<Isolation, Error> {
    let store = connect(bucket, target)?;
    let probe = Path::from(format!("{}/.pintail-check", prefix.trim_end_matches('/')));
    store.put(&probe, "pintail".into()).await.map_err(failed)?;
    let content = store.get(&probe).await.map_err(failed)?.bytes().await.map_err(failed)?;
    store.delete(&probe).await.map_err(failed)?;
    if content.as_ref() != b"pintail" {
        return Err(Error::ObjectStore {
            reason: "what was written is not what was read".into(),
        });
    }
    let beside = store.list_with_delimiter(None).await;
    Ok(if beside.is_ok() {
        Isolation::SingleLayer
    } else {
        Isolation::OwnPrefix
    })
}

/// Removes every object under the prefix.
pub(super) async fn purge(bucket: &str, prefix: &str, target: &S3Target) -> Result<(), Error> {
    let store = connect(bucket, target)?;
    let listed = store.list(Some(&Path::from(prefix))).map_ok(|object| object.location);
    let found: Vec<_> = listed.try_collect().await.map_err(failed)?;
    let found = futures::stream::iter(found.into_iter().map(Ok)).boxed();
    store
        .delete_stream(found)
        .try_collect::<Vec<_>>()
        .await
        .map_err(failed)?;
    Ok(())
}

fn connect(bucket: &str, target: &S3Target) -> Result<AmazonS3, Error> {
    let mut builder = AmazonS3Builder::new()
        .with_bucket_name(bucket)
        .with_region(&target.region)
        .with_access_key_id(target.key_id.expose())
        .with_secret_access_key(target.secret.expose())
        .with_virtual_hosted_style_request(target.path_style == UrlStyle::Vhost)
        .with_allow_http(target.tls == Tls::Off)
        .with_disable_bulk_delete(true)
        .with_retry(object_store::RetryConfig {
            max_retries: 2,
            retry_timeout: std::time::Duration::from_secs(10),
            ..object_store::RetryConfig::default()
        });
    if !target.endpoint.is_empty() {
        let scheme = if target.tls == Tls::Off { "http" } else { "https" };
        let host = if target.path_style == UrlStyle::Vhost {
            format!("{bucket}.{}", target.endpoint)
        } else {
            target.endpoint.clone()
        };
        builder = builder.with_endpoint(format!("{scheme}://{host}"));
    }
    builder.build().map_err(failed)
}

/// The store's words, without the keys that it may repeat.
fn failed(error: object_store::Error) -> Error {
    let reason = match error {
        object_store::Error::NotFound { path, .. } => format!("{path} is not there"),
        object_store::Error::PermissionDenied { path, .. } => format!("the key does not open {path}"),
        object_store::Error::Unauthenticated { .. } => "it does not know the key".to_owned(),
        other => {
            let text = other.to_string();
            text.lines().next().unwrap_or_default().chars().take(300).collect()
        }
    };
    Error::ObjectStore { reason }
}
