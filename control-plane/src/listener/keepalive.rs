//! How long a client may be silent before its machine is taken for gone.

use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::net::TcpStream;

use crate::config::Config;

/// Sets a connection's options. One that cannot be set is no reason to refuse a client.
pub(super) fn set(config: &Config, socket: &TcpStream) {
    if let Err(error) = socket.set_nodelay(true).and_then(|()| watch(config, socket)) {
        tracing::debug!(%error, "a socket's options");
    }
}

fn watch(config: &Config, socket: &TcpStream) -> std::io::Result<()> {
    let socket = SockRef::from(socket);
    if config.tcp_keepalive_idle > Duration::ZERO {
        let keepalive = TcpKeepalive::new()
            .with_time(config.tcp_keepalive_idle)
            .with_interval(config.tcp_keepalive_interval.max(Duration::from_secs(1)))
            .with_retries(config.tcp_keepalive_count.max(1));
        socket.set_tcp_keepalive(&keepalive)?;
    }
    #[cfg(target_os = "linux")]
    if config.tcp_user_timeout > Duration::ZERO {
        socket.set_tcp_user_timeout(Some(config.tcp_user_timeout))?;
    }
    Ok(())
}
