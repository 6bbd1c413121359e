//! TLS to the store: what each `sslmode` demands of the server's certificate.

use std::sync::Arc;

use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error as TlsError, RootCertStore, SignatureScheme,
};

use super::bad;
use super::parameters::Ssl;
use crate::Error;

/// What is asked of a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// Nothing: encryption only.
    Anything,
    /// A chain to a root.
    Chain,
    /// A chain to a root, and the host's name.
    ChainAndName,
}

/// A connector, or none for the modes without TLS. `prefer` and `allow` mean none: a server that is not asked to prove
/// itself protects nothing that matters here.
pub(super) fn connector(ssl: &Ssl) -> Result<Option<MakeRustlsConnect>, Error> {
    let trust = match ssl.mode.as_deref() {
        None | Some("disable" | "allow" | "prefer") => return Ok(None),
        // With a root, libpq checks the chain in this mode as well.
        Some("require") if ssl.root_certificate.is_some() => Trust::Chain,
        Some("require") => Trust::Anything,
        Some("verify-ca") => Trust::Chain,
        Some("verify-full") => Trust::ChainAndName,
        Some(_) => {
            return Err(bad(
                "sslmode is none of disable, prefer, require, verify-ca and verify-full",
            ));
        }
    };
    let provider = Arc::new(aws_lc_rs::default_provider());
    let chain = match trust {
        Trust::Anything => None,
        Trust::Chain | Trust::ChainAndName => Some(chain_verifier(ssl.root_certificate.as_deref(), &provider)?),
    };
    let verifier = Arc::new(Verifier {
        trust,
        chain,
        provider: Arc::clone(&provider),
    });
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| bad(error.to_string()))?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    Ok(Some(MakeRustlsConnect::new(config)))
}

fn chain_verifier(path: Option<&str>, provider: &Arc<CryptoProvider>) -> Result<Arc<WebPkiServerVerifier>, Error> {
    let mut roots = RootCertStore::empty();
    match path {
        None | Some("system") => {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
        Some(path) => {
            let unreadable = |error: String| bad(format!("sslrootcert {path}: {error}"));
            let certificates = CertificateDer::pem_file_iter(path).map_err(|error| unreadable(error.to_string()))?;
            for certificate in certificates {
                let certificate = certificate.map_err(|error| unreadable(error.to_string()))?;
                roots.add(certificate).map_err(|error| unreadable(error.to_string()))?;
            }
        }
    }
    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
        .build()
        .map_err(|_| bad("there is no root certificate to verify the server's by; name one with sslrootcert"))
}

#[derive(Debug)]
struct Verifier {
    trust: Trust,
    chain: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        let Some(chain) = &self.chain else {
            return Ok(ServerCertVerified::assertion());
        };
        match chain.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            // The name is looked at last, so everything else was right.
            Err(TlsError::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if self.trust == Trust::Chain => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        verify_tls12_signature(
            message,
            certificate,
            signed,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        verify_tls13_signature(
            message,
            certificate,
            signed,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
