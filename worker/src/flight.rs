//! The Flight service on the worker's Unix socket.
//!
//! Knows the contract's tickets and actions and standard Flight SQL; what they do is the session's.

mod actions;
mod bearer;
mod copy;
mod service;
mod standard;

use std::path::Path;
use std::sync::Arc;

use arrow_flight::flight_service_server::FlightServiceServer;
use pintail_worker_api::Secret;
use tokio::net::UnixListener;
use tokio_stream::wrappers::UnixListenerStream;
use tokio_util::sync::CancellationToken;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Server;

use self::bearer::Bearer;
use self::service::Service;
use crate::error::Error;
use crate::worker::Worker;

/// HTTP/2 flow-control windows for what clients send (ingestion); what they receive is governed by their own.
const WINDOW: u32 = 4 << 20;
/// HTTP/2 frame size: large, so that a batch needs few system calls.
const FRAME_SIZE: u32 = 1 << 20;

/// Binds the socket; the kernel wall may be up already.
pub(crate) fn listen(socket: &Path) -> Result<UnixListener, Error> {
    let failed = |source| Error::Io {
        what: "cannot listen on the worker's socket".to_owned(),
        source,
    };
    match std::fs::remove_file(socket) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    UnixListener::bind(socket).map_err(failed)
}

/// Serves until the token is cancelled; calls that run then end first.
pub(crate) async fn serve(
    listener: UnixListener,
    worker: Arc<Worker>,
    token: &Secret<String>,
    stop: CancellationToken,
) -> Result<(), Error> {
    let flight = FlightServiceServer::new(Service::new(worker))
        .max_decoding_message_size(usize::MAX)
        .max_encoding_message_size(usize::MAX);
    let served = Server::builder()
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW * 2)
        .max_frame_size(FRAME_SIZE)
        .add_service(InterceptedService::new(flight, Bearer::new(token)))
        .serve_with_incoming_shutdown(UnixListenerStream::new(listener), stop.cancelled_owned())
        .await;
    served.map_err(|error| Error::Io {
        what: "the Flight service failed".to_owned(),
        source: std::io::Error::other(error),
    })
}
