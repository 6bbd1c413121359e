//! The `PostgreSQL` port: from an accepted socket to a session.

mod authenticate;
mod bans;
mod gate;
mod handshake;
mod keepalive;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use pintail_worker_api::Secret;
use pintail_worker_api::bootstrap::KernelWall;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::account::Accounts;
use crate::config::Config;
use crate::metrics::Metrics;
use crate::pool::Pool;
use crate::session::driver::{Services, WallDemand};
use crate::session::{ScriptCache, Shared};
use crate::threads::SessionThreads;
use crate::tls::Certificates;

pub use bans::{BanLimits, Bans};
pub use gate::{Gate, GateLimits};

/// What every connection shares.
pub struct Server {
    /// The configuration.
    pub config: Config,
    /// Organisations and users, and what their sessions share.
    pub accounts: Accounts,
    /// What sessions share: who is there, cancel keys, notifications, locks.
    pub shared: Shared,
    /// Makes fake salts stable.
    pub salt_key: Secret<Vec<u8>>,
    /// Certificates, by server name.
    pub certificates: Arc<Certificates>,
    /// Places of connections that have not authenticated.
    pub gate: Gate,
    /// Who failed to log in too often.
    pub bans: Bans,
    /// Workers.
    pub pool: Pool,
    /// Where sessions run.
    pub threads: SessionThreads,
    /// Counters.
    pub metrics: Metrics,
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
            shared: self.shared.clone(),
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
    keepalive::set(&server.config, &socket);
    let capacity = if full {
        handshake::Capacity::Full
    } else {
        handshake::Capacity::Free
    };
    // Freed before the session begins: it is larger than an idle session.
    let session = Box::pin(authenticated(server, socket, address, capacity)).await;
    if let Some(session) = session {
        session.run().await;
    }
}

/// The session of a connection, if it comes to one within its time and its place.
async fn authenticated(
    server: &Arc<Server>,
    socket: TcpStream,
    address: SocketAddr,
    capacity: handshake::Capacity,
) -> Option<handshake::Session> {
    let place = server.gate.enter(address.ip());
    let deadline = async {
        match server.config.authentication_timeout {
            Duration::ZERO => std::future::pending().await,
            limit => tokio::time::sleep(limit).await,
        }
    };
    let refused = |outcome: &str| server.metrics.logins.with_label_values(&[outcome]).inc();
    tokio::select! {
        established = handshake::establish(server, socket, address, capacity) => established.unwrap_or_else(|error| {
            tracing::debug!(%error, "a connection ended before its session");
            None
        }),
        () = deadline => {
            tracing::info!("a connection did not authenticate in time");
            refused("late");
            None
        }
        () = place.crowded_out() => {
            tracing::info!("too many connections have not authenticated; the oldest is closed");
            refused("crowded");
            None
        }
    }
}
