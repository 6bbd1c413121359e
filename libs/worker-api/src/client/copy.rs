//! The call that carries a `COPY`'s data to the worker.

use arrow_flight::{FlightData, FlightDescriptor, PutResult};
use bytes::Bytes;
use prost::Message;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Streaming;

use super::{WorkerClient, lost};
use crate::error::{CallError, from_status};
use crate::messages::{COPY_IN_TYPE_URL, Column, CopyIn, CopyInAnswer, CopyInEnd};

/// Pieces of data on their way before the sender waits; behind them lies the flow-control window of the stream.
const PIECES: usize = 4;

/// A `COPY … FROM STDIN` that runs. Dropping it stops it with nothing stored.
#[derive(Debug)]
pub struct CopyInCall {
    /// The table's columns in the order in which rows have them.
    pub columns: Vec<Column>,
    data: mpsc::Sender<FlightData>,
    answers: Streaming<PutResult>,
}

impl WorkerClient {
    /// Begins a `COPY`; returns when the worker has found the table and waits for rows.
    pub async fn copy_in(&self, message: &CopyIn) -> Result<CopyInCall, CallError> {
        let any = arrow_flight::sql::Any {
            type_url: COPY_IN_TYPE_URL.to_owned(),
            value: message.encode_to_vec().into(),
        };
        let (data, outgoing) = mpsc::channel(PIECES);
        let descriptor = FlightDescriptor::new_cmd(any.encode_to_vec());
        let first = FlightData::default().with_descriptor(descriptor);
        data.send(first).await.map_err(|error| lost(&error))?;
        let mut flight = self.flight.clone();
        let answer = flight.do_put(ReceiverStream::new(outgoing)).await;
        let answers = answer.map_err(|status| from_status(&status))?.into_inner();
        let mut call = CopyInCall {
            columns: Vec::new(),
            data,
            answers,
        };
        let ready = call.answer().await?.ready.ok_or_else(|| unexpected("is not ready"))?;
        call.columns = ready.columns;
        Ok(call)
    }
}

impl CopyInCall {
    /// Sends a piece of data, cut anywhere, waiting while the worker is behind. Fails as soon as the worker has failed.
    /// Not cancel safe: a piece may have been sent or not.
    pub async fn send(&mut self, piece: Bytes) -> Result<(), CallError> {
        let message = FlightData {
            data_body: piece,
            ..FlightData::default()
        };
        self.push(message).await
    }

    /// Waits until the worker fails, for a caller that waits for its client meanwhile. Cancel safe.
    pub async fn failed(&mut self) -> CallError {
        match self.answer().await {
            Ok(_) => unexpected("ended before its data"),
            Err(error) => error,
        }
    }

    /// Says that the data is complete; the number of rows stored.
    pub async fn finish(mut self) -> Result<u64, CallError> {
        let (fail, complete) = (None, true);
        self.end(CopyInEnd { fail, complete }).await?;
        let answer = self.answer().await?;
        answer.rows.ok_or_else(|| unexpected("ended without a count"))
    }

    /// Gives up for the client's reason; the error is what the client is told.
    pub async fn fail(mut self, reason: &str) -> CallError {
        let end = CopyInEnd {
            fail: Some(reason.to_owned()),
            complete: false,
        };
        match self.end(end).await {
            Ok(()) => self.failed().await,
            Err(error) => error,
        }
    }

    async fn end(&mut self, end: CopyInEnd) -> Result<(), CallError> {
        let message = FlightData {
            app_metadata: end.encode_to_vec().into(),
            ..FlightData::default()
        };
        self.push(message).await
    }

    async fn push(&mut self, message: FlightData) -> Result<(), CallError> {
        let data = self.data.clone();
        tokio::select! {
            biased;
            error = self.failed() => Err(error),
            sent = data.send(message) => match sent {
                Ok(()) => Ok(()),
                // The stream goes down with its status, which says why.
                Err(_) => Err(self.failed().await),
            },
        }
    }

    async fn answer(&mut self) -> Result<CopyInAnswer, CallError> {
        let message = self.answers.message().await.map_err(|status| from_status(&status))?;
        let body = message.ok_or_else(|| unexpected("ended early"))?.app_metadata;
        CopyInAnswer::decode(body).map_err(|error| lost(&error))
    }
}

fn unexpected(what: &str) -> CallError {
    CallError::Lost {
        reason: format!("the worker's COPY {what}"),
    }
}
