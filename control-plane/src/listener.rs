//! The `PostgreSQL` port: from an accepted socket to a session.

mod authenticate;
mod handshake;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use pintail_worker_api::Secret;
use pintail_worker_api::bootstrap::KernelWall;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::account::Accounts;
use crate::cancel::CancelRegistry;
use crate::config::Config;
use crate::metrics::Metrics;
use crate::pool::Pool;
use crate::session::ScriptCache;
use crate::session::driver::{Services, WallDemand};
use crate::sessions::Sessions;
use crate::threads::SessionThreads;

/// What every connection shares.
pub struct Server {
    /// The configuration.
    pub config: Config,
    /// Organisations and users, and what their sessions share.
    pub accounts: Accounts,
    /// Sessions, for the operator.
    pub sessions: Sessions,
    /// Makes fake salts stable.
    pub salt_key: Secret<Vec<u8>>,
    /// TLS.
    pub tls: TlsAcceptor,
    /// Workers.
    pub pool: Pool,
    /// Where sessions run.
    pub threads: SessionThreads,
    /// Counters.
    pub metrics: Metrics,
    /// Keys of running sessions.
    pub cancels: CancelRegistry,
    /// Parsed texts.
    pub scripts: ScriptCache,
    /// See [`Services::draining`].
    pub draining: CancellationToken,
    /// See [`Services::ending`].
    pub ending: CancellationToken,
    /// Where it listens, once it does.
    pub listening: std::sync::OnceLock<SocketAddr>,
}

impl Server {
    /// Where it listens.
    pub fn listening(&self) -> SocketAddr {
        self.listening.get().copied().unwrap_or(self.config.listen)
    }

    /// What a session needs.
    pub fn services(&self) -> Services {
        Services {
            pool: self.pool.clone(),
            metrics: self.metrics.clone(),
            draining: self.draining.clone(),
            ending: self.ending.clone(),
            kernel_wall_required: match self.config.kernel_wall.0 {
                KernelWall::Require => WallDemand::Required,
                KernelWall::Auto | KernelWall::Off => WallDemand::AsAvailable,
            },
        }
    }
}

/// Accepts connections until the server drains.
pub async fn serve(server: Arc<Server>, listener: TcpListener) {
    let limit = match server.config.max_connections {
        0 => Semaphore::MAX_PERMITS,
        limit => limit,
    };
    let places = Arc::new(Semaphore::new(limit));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = server.draining.cancelled() => return,
        };
        let (socket, address) = match accepted {
            Ok(pair) => pair,
            Err(error) => {
                // Out of descriptors, usually: waiting lets connections end.
                tracing::error!(%error, "accept failed");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let place = Arc::clone(&places).try_acquire_owned().ok();
        let server = Arc::clone(&server);
        let span = tracing::info_span!("session", client = %address, user = tracing::field::Empty, org = tracing::field::Empty);
        // The socket is registered anew with the runtime of its session.
        let Ok(socket) = socket.into_std() else { continue };
        crate::tasks::spawn_on(
            Arc::clone(&server).threads.next(),
            "session",
            async move {
                let Ok(socket) = TcpStream::from_std(socket) else {
                    return;
                };
                server.metrics.connections.inc();
                connection(&server, socket, address, place.is_none()).await;
                server.metrics.connections.dec();
                drop(place);
            }
            .instrument(span),
        );
    }
}

async fn connection(server: &Arc<Server>, socket: TcpStream, address: SocketAddr, full: bool) {
    if let Err(error) = socket.set_nodelay(true) {
        tracing::debug!(%error, "set_nodelay");
    }
    let deadline = server.config.authentication_timeout;
    let capacity = if full {
        handshake::Capacity::Full
    } else {
        handshake::Capacity::Free
    };
    match tokio::time::timeout(deadline, handshake::establish(server, socket, address, capacity)).await {
        Ok(Ok(Some(session))) => session.run().await,
        Ok(Ok(None)) => {}
        Ok(Err(error)) => tracing::debug!(%error, "a connection ended before its session"),
        Err(_) => tracing::info!("a connection did not authenticate in time"),
    }
}
