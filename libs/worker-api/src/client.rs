//! The typed client of a worker: one method a command of [`crate::messages`].

mod calls;
mod copy;

use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use arrow_flight::flight_service_client::FlightServiceClient;
use arrow_flight::{Action, FlightData, Ticket};
use bytes::Bytes;
use futures::FutureExt;
use hyper_util::rt::TokioIo;
use prost::Message;
use tokio::net::UnixStream;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::metadata::MetadataValue;
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status, Streaming};

pub use self::calls::CallStream;
pub use self::copy::CopyInCall;
use crate::Secret;
use crate::error::{CallError, from_detail, from_status};
use crate::messages::{
    CANCEL, CLOSE_KEPT, CLOSE_SESSION, CLOSE_STATEMENT, Cancel, CloseKept, CloseStatement, EXECUTE_TYPE_URL, Execute,
    Frame, OPEN_SESSION, OpenSession, PREPARE, Prepare, Prepared, STATUS, SessionOpened, WorkerStatus,
};

/// HTTP/2 flow-control window of one result; back-pressure reaches the engine when this much is unread.
const STREAM_WINDOW: u32 = 4 << 20;
/// HTTP/2 frame size: large, so that a batch needs few system calls.
const FRAME_SIZE: u32 = 1 << 20;
/// A worker on the same machine answers a connect at once or never.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A connection to one worker. Cheap to clone; clones share the connection.
#[derive(Clone)]
pub struct WorkerClient {
    flight: FlightServiceClient<InterceptedService<Channel, Bearer>>,
}

#[derive(Clone)]
struct Bearer(MetadataValue<tonic::metadata::Ascii>);

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        request.metadata_mut().insert("authorization", self.0.clone());
        Ok(request)
    }
}

impl std::fmt::Debug for WorkerClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("WorkerClient")
    }
}

impl WorkerClient {
    /// Connects to a worker's Unix socket.
    pub async fn connect(socket: &Path, token: &Secret<String>) -> Result<Self, CallError> {
        let path = socket.to_owned();
        let channel = Endpoint::from_static("http://worker.invalid")
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(STREAM_WINDOW * 2)
            .max_frame_size(FRAME_SIZE)
            .connect_timeout(CONNECT_TIMEOUT)
            .connect_with_connector(tower::service_fn(move |_| {
                let path = path.clone();
                async move { UnixStream::connect(path).await.map(TokioIo::new) }
            }))
            .await
            .map_err(|error| lost(&error))?;
        let mut value = MetadataValue::from_str(&format!("Bearer {}", token.expose())).map_err(|error| lost(&error))?;
        value.set_sensitive(true);
        let flight = FlightServiceClient::with_interceptor(channel, Bearer(value))
            .max_decoding_message_size(usize::MAX)
            .max_encoding_message_size(usize::MAX);
        Ok(Self { flight })
    }

    /// Opens the worker's one session.
    pub async fn open_session(&self, message: &OpenSession) -> Result<SessionOpened, CallError> {
        self.action(OPEN_SESSION, message).await
    }

    /// Ends the session; its instance dies.
    pub async fn close_session(&self) -> Result<(), CallError> {
        self.action(CLOSE_SESSION, &()).await
    }

    /// Prepares a statement; nothing is executed.
    pub async fn prepare(&self, message: &Prepare) -> Result<Prepared, CallError> {
        self.action(PREPARE, message).await
    }

    /// Frees a prepared statement.
    pub async fn close_statement(&self, handle: u64) -> Result<(), CallError> {
        self.action(CLOSE_STATEMENT, &CloseStatement { handle }).await
    }

    /// Frees a kept result.
    pub async fn close_kept(&self, result: u64) -> Result<(), CallError> {
        self.action(CLOSE_KEPT, &CloseKept { result }).await
    }

    /// Interrupts the statement with this sequence number, if it still runs.
    pub async fn cancel(&self, sequence: u64) -> Result<(), CallError> {
        self.action(CANCEL, &Cancel { sequence }).await
    }

    /// Asks for the worker's account of itself.
    pub async fn status(&self) -> Result<WorkerStatus, CallError> {
        self.action(STATUS, &()).await
    }

    /// Runs a statement. The stream must be read to its end or dropped; dropping it stops the statement.
    pub async fn execute(&self, message: &Execute) -> Result<ResultStream, CallError> {
        let any = arrow_flight::sql::Any {
            type_url: EXECUTE_TYPE_URL.to_owned(),
            value: message.encode_to_vec().into(),
        };
        let ticket = Ticket {
            ticket: any.encode_to_vec().into(),
        };
        let answer = self
            .flight
            .clone()
            .do_get(ticket)
            .await
            .map_err(|status| from_status(&status))?;
        Ok(ResultStream {
            frames: answer.into_inner(),
        })
    }

    /// Opens the stream on which a session's statements travel one after the other.
    pub async fn exchange(&self) -> Result<Exchange, CallError> {
        let (statements, outgoing) = mpsc::channel(1);
        let answer = self
            .flight
            .clone()
            .do_exchange(ReceiverStream::new(outgoing))
            .await
            .map_err(|status| from_status(&status))?;
        Ok(Exchange {
            statements,
            frames: answer.into_inner(),
        })
    }

    async fn action<A: Message + Default>(&self, name: &str, message: &impl Message) -> Result<A, CallError> {
        let action = Action {
            r#type: name.to_owned(),
            body: message.encode_to_vec().into(),
        };
        let answer = self
            .flight
            .clone()
            .do_action(action)
            .await
            .map_err(|status| from_status(&status))?;
        let first = answer
            .into_inner()
            .message()
            .await
            .map_err(|status| from_status(&status))?;
        let body = first.map(|result| result.body).unwrap_or_default();
        A::decode(body).map_err(|error| lost(&error))
    }
}

/// The answer to a statement, frame by frame.
#[derive(Debug)]
pub struct ResultStream {
    frames: Streaming<FlightData>,
}

impl ResultStream {
    /// The next frame with its `data_body`; `None` after the trailer. Cancel safe: a frame is returned whole or not taken.
    pub async fn next(&mut self) -> Result<Option<(Frame, Bytes)>, CallError> {
        match self.frames.message().await {
            Ok(Some(data)) => {
                let frame = Frame::decode(data.app_metadata).map_err(|error| lost(&error))?;
                Ok(Some((frame, data.data_body)))
            }
            Ok(None) => Ok(None),
            Err(status) => Err(from_status(&status)),
        }
    }
}

/// A session's stream of statements. Dropping it stops the one that runs.
#[derive(Debug)]
pub struct Exchange {
    statements: mpsc::Sender<FlightData>,
    frames: Streaming<FlightData>,
}

impl Exchange {
    /// Sends a statement; the frames of the one before must have been read to their trailer or error.
    pub async fn send(&mut self, message: &Execute) -> Result<(), CallError> {
        let data = FlightData {
            app_metadata: message.encode_to_vec().into(),
            ..FlightData::default()
        };
        self.statements.send(data).await.map_err(|error| lost(&error))
    }

    /// Whether the stream has ended, so that nothing that is sent would arrive.
    pub fn is_gone(&mut self) -> bool {
        self.frames.message().now_or_never().is_some()
    }

    /// The next frame of the statement that was sent; an error of the statement leaves the stream usable. Cancel safe.
    pub async fn next(&mut self) -> Result<Option<(Frame, Bytes)>, CallError> {
        let data = self.frames.message().await.map_err(|status| from_status(&status))?;
        let data = data.ok_or_else(|| CallError::Lost {
            reason: "the session's stream ended".into(),
        })?;
        let mut frame = Frame::decode(data.app_metadata).map_err(|error| lost(&error))?;
        match frame.error.take() {
            None => Ok(Some((frame, data.data_body))),
            Some(detail) => Err(from_detail(detail).unwrap_or_else(|| CallError::Lost {
                reason: "an error without a code".into(),
            })),
        }
    }
}

fn lost(error: &dyn std::error::Error) -> CallError {
    let reason = pintail_sqlstate::chain(error);
    CallError::Lost { reason }
}
