//! TLS to the store, as `sslmode` asks for it. The embedded server speaks none, so a proxy stands before it.

use std::path::PathBuf;
use std::sync::Arc;

use pintail_configstore::{Sealer, Store};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::harness::{Fixture, said};
use crate::server::PASSWORD;

/// The request for TLS (manual, "Message Formats", `SSLRequest`).
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// A server with TLS only, whose certificate is for `localhost`.
struct Proxy {
    port: u16,
    certificate: tempfile::NamedTempFile,
}

impl Proxy {
    async fn start(fixture: &Fixture) -> Self {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
        let certificate = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(certificate.path(), made.cert.pem()).expect("written");
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).expect("a key");
        let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .expect("they fit");
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
        let port = listener.local_addr().expect("bound").port();
        let socket = fixture
            .server
            .path()
            .join(format!(".s.PGSQL.{}", fixture.server.port()));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(relay(stream, acceptor.clone(), socket.clone()));
            }
        });
        Self { port, certificate }
    }

    async fn ping(&self, fixture: &Fixture, host: &str, parameters: &str) -> Result<(), String> {
        let (port, database) = (self.port, &fixture.target.database);
        let url = format!("postgres://postgres:{PASSWORD}@{host}:{port}/{database}?{parameters}");
        let store = Store::by_url(&url, Sealer::fresh().expect("key")).map_err(|error| said(&error))?;
        store.ping().await.map_err(|error| said(&error))
    }
}

async fn relay(mut stream: TcpStream, acceptor: TlsAcceptor, socket: PathBuf) -> std::io::Result<()> {
    let mut request = [0; 8];
    stream.read_exact(&mut request).await?;
    if request != SSL_REQUEST {
        return Ok(());
    }
    stream.write_all(b"S").await?;
    let mut client = acceptor.accept(stream).await?;
    let mut server = UnixStream::connect(socket).await?;
    copy_bidirectional(&mut client, &mut server).await?;
    Ok(())
}

#[tokio::test]
async fn each_mode_demands_what_its_name_says() {
    let fixture = Fixture::new().await;
    let proxy = Proxy::start(&fixture).await;
    let root = format!("sslrootcert={}", proxy.certificate.path().display());
    for (host, parameters) in [
        ("127.0.0.1", "sslmode=require".to_owned()),
        ("127.0.0.1", format!("sslmode=verify-ca&{root}")),
        ("localhost", format!("sslmode=verify-full&{root}")),
    ] {
        let answer = proxy.ping(&fixture, host, &parameters).await;
        answer.unwrap_or_else(|error| panic!("{host} {parameters}: {error}"));
    }
    // The certificate is for `localhost`, and no root of the system's stands for it.
    for (host, parameters) in [
        ("127.0.0.1", format!("sslmode=verify-full&{root}")),
        ("localhost", "sslmode=verify-full".to_owned()),
        ("localhost", "sslmode=verify-ca".to_owned()),
        ("localhost", "sslmode=verify-ca&sslrootcert=/none.pem".to_owned()),
        ("localhost", "sslmode=sometimes".to_owned()),
        ("localhost", "sslmode=disable".to_owned()),
        ("localhost", "sslmode=prefer".to_owned()),
    ] {
        let answer = proxy.ping(&fixture, host, &parameters).await;
        assert!(answer.is_err(), "{host} {parameters}");
    }
}

#[tokio::test]
async fn without_tls_the_modes_that_need_it_fail() {
    let fixture = Fixture::new().await;
    let (port, database) = (fixture.server.port(), &fixture.target.database);
    for (mode, works) in [
        ("disable", true),
        ("prefer", true),
        ("require", false),
        ("verify-full", false),
    ] {
        let pairs =
            format!("host=127.0.0.1 port={port} dbname={database} user=postgres password='{PASSWORD}' sslmode={mode}");
        let store = Store::by_url(&pairs, Sealer::fresh().expect("key")).expect("a store");
        assert_eq!(store.ping().await.is_ok(), works, "{mode}");
    }
}
