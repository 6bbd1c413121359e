//! The contract's actions.

use arrow_flight::{Action, Result as FlightResult};
use bytes::Bytes;
use futures::stream::{BoxStream, StreamExt};
use pintail_worker_api::messages::{
    ANSWER_CALL, CANCEL, CLOSE_KEPT, CLOSE_SESSION, CLOSE_STATEMENT, CallAnswer, Cancel, CloseKept, CloseStatement,
    OPEN_SESSION, OpenSession, PREPARE, Prepare, STATUS, SessionCall,
};
use prost::Message;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::Status;

use crate::error::{Error, StopReason};
use crate::worker::Worker;

/// Runs an action; the answer is one message.
pub(super) async fn run(worker: &Worker, action: Action) -> Result<FlightResult, Error> {
    let body = match action.r#type.as_str() {
        OPEN_SESSION => worker.open(&read::<OpenSession>(action.body)?).await?.encode_to_vec(),
        CLOSE_SESSION => {
            worker.close(StopReason::Request);
            Vec::new()
        }
        PREPARE => {
            let described = worker.session()?.prepare(read::<Prepare>(action.body)?).await?;
            described.description.encode_to_vec()
        }
        CLOSE_STATEMENT => {
            worker
                .session()?
                .close_statement(read::<CloseStatement>(action.body)?.handle)?;
            Vec::new()
        }
        CLOSE_KEPT => {
            worker.session()?.close_kept(read::<CloseKept>(action.body)?.result);
            Vec::new()
        }
        CANCEL => {
            worker.session()?.cancel(read::<Cancel>(action.body)?.sequence);
            Vec::new()
        }
        ANSWER_CALL => {
            worker.session()?.answer(read::<CallAnswer>(action.body)?);
            Vec::new()
        }
        STATUS => worker.status().encode_to_vec(),
        other => return Err(Error::BadRequest(format!("unknown action {other}"))),
    };
    Ok(FlightResult { body: body.into() })
}

/// The calls of the session, as they come.
pub(super) fn calls(worker: &Worker) -> Result<BoxStream<'static, Result<FlightResult, Status>>, Error> {
    let calls = UnboundedReceiverStream::new(worker.session()?.calls());
    let result = |call: SessionCall| FlightResult {
        body: call.encode_to_vec().into(),
    };
    Ok(calls.map(move |call| Ok(result(call))).boxed())
}

/// Reads a message of the contract.
pub(super) fn read<M: Message + Default>(body: Bytes) -> Result<M, Error> {
    M::decode(body).map_err(|error| Error::BadRequest(format!("malformed message: {error}")))
}
