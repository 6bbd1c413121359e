//! The server's certificates: the operator's, or a self-signed one made at first start.

pub mod acme;
mod certificates;
mod validity;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::CryptoProvider;
use tokio_util::sync::CancellationToken;

pub use certificates::{ALPN, Certificates, Places, Shown};

use crate::unix;

/// How often the files are looked at.
const RELOAD: Duration = Duration::from_secs(10);

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

/// A TLS server with these certificates, and the certificates, for reloading. `protocols` are the names that it agrees to.
pub fn acceptor(certificates: Arc<Certificates>, protocols: &[&[u8]]) -> Result<TlsAcceptor, Error> {
    let mut config = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_cert_resolver(certificates);
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// The cryptography that everything here uses.
pub fn provider() -> Arc<CryptoProvider> {
    Arc::new(tokio_rustls::rustls::crypto::aws_lc_rs::default_provider())
}

/// Reads certificates again when their files change or when asked, until `stop`.
pub async fn keep_fresh(certificates: Arc<Certificates>, asked: Arc<Notify>, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(RELOAD) => if !certificates.is_stale() { continue },
            () = asked.notified() => {}
            () = stop.cancelled() => return,
        }
        match certificates.reload() {
            Ok(()) => tracing::info!("certificates were read again"),
            Err(error) => tracing::error!(error = %crate::chain(&error), "certificates stay as they were"),
        }
    }
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
