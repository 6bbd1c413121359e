//! TLS, start-up packet, cancel requests: consuming steps from a socket to an authenticated session.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use futures::FutureExt as _;
use tokio_rustls::LazyConfigAcceptor;
use tokio_rustls::rustls::server::Acceptor;

use bytes::{Bytes, BytesMut};
use pintail_sqlstate::{Report, Severity, SqlState, ToReport};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

use super::Server;
use super::authenticate::authenticate;
use crate::session::driver::Driver;
use crate::tls::ALPN;
use crate::wire::scram::Binding;
use crate::wire::startup::{self, FirstPacket, Startup};
use crate::wire::{ProtocolError, backend};

/// The first byte of a TLS record: a client that starts with TLS at once.
const TLS_HANDSHAKE: u8 = 0x16;
/// A polite client asks for GSSAPI, then TLS, then starts: no more than these.
const FIRST_PACKETS: usize = 3;
/// The newest minor version of protocol 3 that is spoken.
const NEWEST_MINOR: u16 = 2;

/// Whether a place is free for one more connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Capacity {
    Free,
    Full,
}

/// Who is at the other end, before it said anything.
#[derive(Debug, Clone)]
pub(super) struct Client {
    /// Its address.
    pub(super) address: SocketAddr,
    /// The TLS server name that it asked for.
    pub(super) server_name: Option<String>,
    /// What its proof can be bound to: the certificate that it was shown.
    pub(super) binding: Option<Binding>,
}

/// An authenticated session on one of the two kinds of connection.
pub(super) enum Session {
    Plain(Box<Driver<TcpStream>>),
    Tls(Box<Driver<TlsStream<TcpStream>>>),
}

impl Session {
    pub(super) async fn run(self) {
        match self {
            Self::Plain(driver) => driver.run().await,
            Self::Tls(driver) => driver.run().await,
        }
    }
}

/// Takes a socket to its session. `None` where the connection had another purpose or was refused.
pub(super) async fn establish(
    server: &Arc<Server>,
    mut socket: TcpStream,
    address: SocketAddr,
    capacity: Capacity,
) -> io::Result<Option<Session>> {
    let mut first = [0u8; 1];
    if socket.peek(&mut first).await? == 1 && first[0] == TLS_HANDSHAKE {
        let (stream, binding) = tls(server, socket).await?;
        // A client that starts with TLS at once must name the protocol (manual, "SSL Session Encryption").
        if stream.get_ref().1.alpn_protocol() != Some(ALPN) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "direct TLS without the protocol's name",
            ));
        }
        return over_tls(server, stream, binding, address, capacity).await;
    }
    for _ in 0..FIRST_PACKETS {
        match first_packet(&mut socket).await? {
            FirstPacket::Tls => {
                nothing_unencrypted(&mut socket).await?;
                socket.write_all(b"S").await?;
                let (stream, binding) = tls(server, socket).await?;
                return over_tls(server, stream, binding, address, capacity).await;
            }
            FirstPacket::Gss => socket.write_all(b"N").await?,
            FirstPacket::Cancel(key) => {
                server.shared.cancels.cancel(&key);
                return Ok(None);
            }
            FirstPacket::Start(startup) => {
                if !server.config.allow_plaintext.allows(address.ip()) {
                    let report = Report::new(
                        SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
                        "this server accepts sessions over TLS only",
                    )
                    .with_hint("Connect with sslmode=require.");
                    refuse(&mut socket, &report).await?;
                    return Ok(None);
                }
                let client = Client {
                    address,
                    server_name: None,
                    binding: None,
                };
                let driver = start(server, socket, startup, client, capacity).await?;
                return Ok(driver.map(|driver| Session::Plain(Box::new(driver))));
            }
        }
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidData,
        "too many negotiation requests",
    ))
}

/// TLS with the certificate that fits the client's server name, and what a proof over it is bound to.
async fn tls(server: &Server, socket: TcpStream) -> io::Result<(TlsStream<TcpStream>, Option<Binding>)> {
    let hello = LazyConfigAcceptor::new(Acceptor::default(), socket).await?;
    let shown = server.certificates.find(hello.client_hello().server_name());
    let stream = hello.into_stream(Arc::clone(&shown.config)).await?;
    Ok((stream, shown.binding.clone()))
}

/// Refuses bytes that came before TLS began: somebody may have put them there for the session to find.
async fn nothing_unencrypted(socket: &mut TcpStream) -> io::Result<()> {
    let mut byte = [0u8; 1];
    match socket.peek(&mut byte).now_or_never() {
        Some(Ok(1..)) => {
            let report = Report::new(
                SqlState::PROTOCOL_VIOLATION,
                "received unencrypted data after SSL request",
            )
            .with_detail(
                "This could be either a client-software bug or evidence of an attempted man-in-the-middle attack.",
            );
            Err(protocol(socket, &report).await)
        }
        Some(Err(error)) => Err(error),
        Some(Ok(0)) | None => Ok(()),
    }
}

async fn over_tls(
    server: &Arc<Server>,
    mut stream: TlsStream<TcpStream>,
    binding: Option<Binding>,
    address: SocketAddr,
    capacity: Capacity,
) -> io::Result<Option<Session>> {
    match first_packet(&mut stream).await? {
        FirstPacket::Start(startup) => {
            let client = Client {
                address,
                server_name: stream.get_ref().1.server_name().map(str::to_owned),
                binding,
            };
            let driver = start(server, stream, startup, client, capacity).await?;
            Ok(driver.map(|driver| Session::Tls(Box::new(driver))))
        }
        FirstPacket::Cancel(key) => {
            server.shared.cancels.cancel(&key);
            Ok(None)
        }
        FirstPacket::Tls | FirstPacket::Gss => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "a second encryption request",
        )),
    }
}

async fn first_packet(stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) -> io::Result<FirstPacket> {
    let mut length = [0u8; 4];
    stream.read_exact(&mut length).await?;
    let length = match startup::body_length(length) {
        Ok(length) => length,
        Err(error) => return Err(protocol(stream, &error.to_report()).await),
    };
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    match startup::decode(Bytes::from(body)) {
        Ok(packet) => Ok(packet),
        Err(error @ ProtocolError::Version { major: 0..3, .. }) => {
            let _ = stream
                .write_all(&backend::error_of_protocol_2(&error.to_report()))
                .await;
            Err(io::Error::new(io::ErrorKind::InvalidData, error))
        }
        Err(error) => Err(protocol(stream, &error.to_report()).await),
    }
}

async fn protocol(stream: &mut (impl AsyncWrite + Unpin), report: &Report) -> io::Error {
    let _ = refuse(stream, report).await;
    io::Error::new(io::ErrorKind::InvalidData, report.message.clone())
}

/// Tells why, and ends.
pub(super) async fn refuse(stream: &mut (impl AsyncWrite + Unpin), report: &Report) -> io::Result<()> {
    let mut buffer = BytesMut::new();
    backend::report(&mut buffer, &report.clone().with_severity(Severity::Fatal));
    stream.write_all(&buffer).await?;
    stream.shutdown().await
}

async fn start<S: AsyncRead + AsyncWrite + Unpin + Send>(
    server: &Arc<Server>,
    mut stream: S,
    startup: Startup,
    client: Client,
    capacity: Capacity,
) -> io::Result<Option<Driver<S>>> {
    if capacity == Capacity::Full {
        let report = Report::new(SqlState::TOO_MANY_CONNECTIONS, "sorry, too many clients already")
            .with_detail(format!("max_connections is {}.", server.config.max_connections));
        refuse(&mut stream, &report).await?;
        return Ok(None);
    }
    let unknown: Vec<String> = startup
        .parameters
        .keys()
        .filter(|name| name.starts_with("_pq_."))
        .cloned()
        .collect();
    if startup.minor > NEWEST_MINOR || !unknown.is_empty() {
        let mut buffer = BytesMut::new();
        backend::negotiate_version(&mut buffer, startup.minor.min(NEWEST_MINOR), unknown);
        stream.write_all(&buffer).await?;
    }
    match authenticate(server, &mut stream, &startup, &client).await? {
        Ok(admitted) => Ok(Some(Driver::new(stream, admitted, server.services()))),
        Err(report) => {
            refuse(&mut stream, &report).await?;
            Ok(None)
        }
    }
}
