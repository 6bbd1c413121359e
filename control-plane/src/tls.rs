//! The server's certificate: the operator's, or a self-signed one made at first start.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::unix;

/// Why there is no TLS.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read or written.
    #[error("{path}")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A file does not hold what it should.
    #[error("{path}: {reason}")]
    Pem {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Certificate and key do not fit.
    #[error("the certificate cannot be used")]
    Rustls(#[from] tokio_rustls::rustls::Error),
    /// A self-signed certificate could not be made.
    #[error("a self-signed certificate could not be made")]
    SelfSigned(#[from] rcgen::Error),
}

/// Reads certificate chain and key.
pub fn acceptor(certificate: &Path, key: &Path) -> Result<TlsAcceptor, Error> {
    let pem = |path: &Path, reason: String| Error::Pem {
        path: path.to_owned(),
        reason,
    };
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect)
        .map_err(|error| pem(certificate, error.to_string()))?;
    let key = PrivateKeyDer::from_pem_file(key).map_err(|error| pem(key, error.to_string()))?;
    let provider = Arc::new(tokio_rustls::rustls::crypto::aws_lc_rs::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"postgresql".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// The self-signed certificate below `data_dir`, made if missing: paths of certificate and key.
pub fn self_signed(data_dir: &Path) -> Result<(PathBuf, PathBuf), Error> {
    let directory = data_dir.join("tls");
    let (certificate, key) = (directory.join("certificate.pem"), directory.join("key.pem"));
    if certificate.is_file() && key.is_file() {
        return Ok((certificate, key));
    }
    let file = |path: &Path| {
        let path = path.to_owned();
        |source| Error::File { path, source }
    };
    unix::private_dir(&directory).map_err(file(&directory))?;
    let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
    let made = rcgen::generate_simple_self_signed(names)?;
    unix::write_private(&key, made.signing_key.serialize_pem().as_bytes()).map_err(file(&key))?;
    std::fs::write(&certificate, made.cert.pem()).map_err(file(&certificate))?;
    Ok((certificate, key))
}
