//! The stream of a `COPY … FROM STDIN`: messages to pieces of data, and the two answers.

use arrow_flight::{FlightData, PutResult};
use futures::stream::{self, Stream, StreamExt, TryStreamExt};
use pintail_worker_api::messages::{CopyInAnswer, CopyInEnd};
use prost::Message;
use tonic::Status;

use super::actions;
use crate::error::{Error, StopReason};
use crate::session::{CopyPiece, CopyRun};

/// The answers to a `COPY` that is ready.
pub(super) fn answers(
    run: CopyRun,
    messages: impl Stream<Item = Result<FlightData, Status>> + Send + 'static,
) -> impl Stream<Item = Result<PutResult, Status>> + Send + 'static {
    let ready = CopyInAnswer {
        ready: Some(run.ready.clone()),
        rows: None,
    };
    let rows = async move {
        let rows = run.feed(pieces(messages)).await.map_err(|error| error.to_status())?;
        Ok(put(&CopyInAnswer {
            ready: None,
            rows: Some(rows),
        }))
    };
    stream::iter([Ok(put(&ready))]).chain(stream::once(rows))
}

fn put(answer: &CopyInAnswer) -> PutResult {
    PutResult {
        app_metadata: answer.encode_to_vec().into(),
    }
}

/// The data, up to its end; a stream that ends without saying so is one whose sender is gone.
fn pieces(
    messages: impl Stream<Item = Result<FlightData, Status>> + Send + 'static,
) -> impl Stream<Item = Result<CopyPiece, Error>> + Send + 'static {
    let gone = || Error::Stopped(StopReason::Dropped);
    messages
        .map_err(move |_| gone())
        .chain(stream::once(async move { Err(gone()) }))
        .try_filter_map(|message| async move {
            if !message.app_metadata.is_empty() {
                let end: CopyInEnd = actions::read(message.app_metadata)?;
                return match (end.fail, end.complete) {
                    (Some(reason), _) => Ok(Some(CopyPiece::Failed(reason))),
                    (None, true) => Ok(Some(CopyPiece::Done)),
                    (None, false) => Err(Error::BadRequest("an end of COPY data that is none".to_owned())),
                };
            }
            // The first message names the command and has no data.
            Ok((!message.data_body.is_empty()).then_some(CopyPiece::Data(message.data_body)))
        })
}
