//! A catalog's specification as it is kept: the settings as JSON with every secret empty, the secrets sealed beside it.

use pintail_worker_api::Secret;
use pintail_worker_api::bootstrap::{IcebergAuth, S3Target};
use serde_json::Value;

use crate::{CatalogSpec, Error, SealError, Sealer, StorageKind};

/// The kept form.
pub(crate) struct Stored {
    pub(crate) settings: Value,
    /// `None` where the specification has no secrets.
    pub(crate) sealed: Option<Vec<u8>>,
}

/// Seals a specification for a purpose.
pub(crate) fn seal(keys: &Sealer, purpose: &str, spec: &CatalogSpec) -> Result<Stored, Error> {
    let (settings, secrets) = split(spec)?;
    let sealed = if secrets.is_empty() {
        None
    } else {
        Some(seal_all(keys, purpose, &secrets)?)
    };
    Ok(Stored { settings, sealed })
}

/// The settings alone, which may be shown and written down.
pub(crate) fn settings(spec: &CatalogSpec) -> Result<Value, Error> {
    Ok(split(spec)?.0)
}

/// The settings as a specification whose secrets are empty.
pub(crate) fn blank(settings: &Value) -> Result<CatalogSpec, Error> {
    serde_json::from_value(settings.clone()).map_err(|_| Error::corrupt("a catalog's settings"))
}

/// Puts a specification together again.
pub(crate) fn open(
    keys: &Sealer,
    purpose: &str,
    settings: &Value,
    sealed: Option<&[u8]>,
) -> Result<CatalogSpec, Error> {
    let mut spec = blank(settings)?;
    let slots = slots(&mut spec);
    let secrets = match sealed {
        Some(sealed) => keys
            .open(purpose, sealed)
            .and_then(|plain| serde_json::from_slice(plain.expose()).map_err(|_| SealError::Form))
            .map_err(Error::sealed(purpose))?,
        None => Vec::new(),
    };
    if secrets.len() != slots.len() {
        return Err(Error::corrupt(format!("another number of secrets for {purpose}")));
    }
    for (slot, secret) in slots.into_iter().zip(secrets) {
        *slot = secret;
    }
    Ok(spec)
}

fn split(spec: &CatalogSpec) -> Result<(Value, Vec<Secret<String>>), Error> {
    let mut blank = spec.clone();
    let secrets = slots(&mut blank)
        .into_iter()
        .map(|slot| std::mem::replace(slot, Secret::new(String::new())))
        .collect();
    let settings = serde_json::to_value(&blank).map_err(|_| Error::corrupt("a catalog's settings"))?;
    Ok((settings, secrets))
}

fn seal_all(keys: &Sealer, purpose: &str, secrets: &[Secret<String>]) -> Result<Vec<u8>, Error> {
    let plain = serde_json::to_vec(secrets).map_err(|_| Error::corrupt("a catalog's secrets"))?;
    keys.seal(purpose, &plain).map_err(Error::sealed(purpose))
}

/// Every secret of a specification, in an order that never changes: sealed lists depend on it.
fn slots(spec: &mut CatalogSpec) -> Vec<&mut Secret<String>> {
    match spec {
        CatalogSpec::DuckLake { storage } => match storage {
            StorageKind::Local => Vec::new(),
            StorageKind::S3 { target, .. } => keys(target),
        },
        CatalogSpec::Iceberg { auth, storage, .. } => {
            let mut slots = match auth {
                IcebergAuth::OAuth2 {
                    client_id,
                    client_secret,
                    ..
                } => vec![client_id, client_secret],
                IcebergAuth::Token(token) => vec![token],
                IcebergAuth::None => Vec::new(),
            };
            slots.extend(storage.iter_mut().flat_map(keys));
            slots
        }
        CatalogSpec::DuckDbFile { .. } | CatalogSpec::Memory => Vec::new(),
    }
}

fn keys(target: &mut S3Target) -> Vec<&mut Secret<String>> {
    vec![&mut target.key_id, &mut target.secret]
}

#[cfg(test)]
mod tests {
    use pintail_worker_api::bootstrap::{Tls, UrlStyle};

    use super::*;

    fn iceberg() -> CatalogSpec {
        let secret = |text: &str| Secret::new(text.to_owned());
        CatalogSpec::Iceberg {
            endpoint: "https://rest.example.com/api".into(),
            warehouse: "w".into(),
            auth: IcebergAuth::OAuth2 {
                server_uri: "https://rest.example.com/token".into(),
                client_id: secret("plain-1"),
                client_secret: secret("plain-2"),
                scope: String::new(),
            },
            storage: Some(S3Target {
                endpoint: String::new(),
                region: "eu-west-1".into(),
                path_style: UrlStyle::Vhost,
                tls: Tls::On,
                key_id: secret("plain-3"),
                secret: secret("plain-4"),
            }),
            locations: vec!["s3://bucket/w/".into()],
        }
    }

    #[test]
    fn settings_hold_no_secret_and_nothing_is_lost() {
        let keys = Sealer::fresh().expect("key");
        let spec = iceberg();
        let stored = seal(&keys, "catalog:1:credentials", &spec).expect("sealed");
        assert!(!stored.settings.to_string().contains("plain-"), "{}", stored.settings);
        let opened = open(
            &keys,
            "catalog:1:credentials",
            &stored.settings,
            stored.sealed.as_deref(),
        );
        assert_eq!(opened.expect("opens"), spec);
        let elsewhere = open(
            &keys,
            "catalog:2:credentials",
            &stored.settings,
            stored.sealed.as_deref(),
        );
        assert!(matches!(
            elsewhere,
            Err(Error::Seal {
                source: SealError::Tampered,
                ..
            })
        ));
    }

    #[test]
    fn settings_without_their_secrets_do_not_pass_for_complete() {
        let keys = Sealer::fresh().expect("key");
        let stored = seal(&keys, "catalog:1:credentials", &iceberg()).expect("sealed");
        assert!(open(&keys, "catalog:1:credentials", &stored.settings, None).is_err());
        let memory = seal(&keys, "catalog:1:credentials", &CatalogSpec::Memory).expect("sealed");
        assert!(memory.sealed.is_none());
    }
}
