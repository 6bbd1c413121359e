//! Serving the admin port, in plain HTTP or over TLS.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

/// How long a client may take for its TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Handshakes done and not yet served.
const READY: usize = 16;

/// Serves until `stop`.
pub async fn serve(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
    stop: CancellationToken,
) -> std::io::Result<()> {
    let ended = stop.clone();
    let shutdown = async move { ended.cancelled().await };
    match tls {
        None => axum::serve(listener, router).with_graceful_shutdown(shutdown).await,
        Some(tls) => {
            let address = listener.local_addr()?;
            let (ready, streams) = mpsc::channel(READY);
            crate::tasks::spawn("admin-accept", accept(listener, tls, ready, stop));
            axum::serve(TlsListener { address, streams }, router)
                .with_graceful_shutdown(shutdown)
                .await
        }
    }
}

/// Handshakes run beside each other: a silent client holds up nobody.
async fn accept(
    listener: TcpListener,
    tls: TlsAcceptor,
    ready: mpsc::Sender<(TlsStream<TcpStream>, SocketAddr)>,
    stop: CancellationToken,
) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => return,
        };
        let Ok((socket, address)) = accepted else {
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let (tls, ready) = (tls.clone(), ready.clone());
        crate::tasks::spawn("admin-handshake", async move {
            match tokio::time::timeout(HANDSHAKE, tls.accept(socket)).await {
                Ok(Ok(stream)) => drop(ready.send((stream, address)).await),
                Ok(Err(error)) => tracing::debug!(%address, %error, "an admin connection failed"),
                Err(_) => tracing::debug!(%address, "an admin connection did not shake hands in time"),
            }
        });
    }
}

struct TlsListener {
    address: SocketAddr,
    streams: mpsc::Receiver<(TlsStream<TcpStream>, SocketAddr)>,
}

impl axum::serve::Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        match self.streams.recv().await {
            Some(accepted) => accepted,
            // The server is stopping.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> std::io::Result<Self::Addr> {
        Ok(self.address)
    }
}
