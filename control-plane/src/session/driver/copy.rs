//! `COPY … FROM STDIN`: the client's data on its way to the worker.

use bytes::{Bytes, BytesMut};
use pintail_worker_api::client::CopyInCall;
use pintail_worker_api::error::CallError;
use pintail_worker_api::messages::CopyIn;
use tokio::io::{AsyncRead, AsyncWrite};

use super::{Driver, End};
use crate::session::copy::{CopyAnswer, CopyCall};
use crate::wire::ProtocolError;
use crate::wire::frontend;

/// Small messages of the client's are sent on together, up to this much.
const PIECE: usize = 256 << 10;

/// A COPY that takes the client's data.
pub(super) struct Copying {
    /// The number of its statement.
    pub(super) sequence: u64,
    call: CopyInCall,
}

impl Copying {
    /// Waits until the worker fails. Cancel safe.
    pub(super) async fn failed(copying: &mut Option<Self>) -> CallError {
        match copying {
            Some(copying) => copying.call.failed().await,
            None => std::future::pending().await,
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Send> Driver<S> {
    /// Does a part of a COPY.
    pub(super) async fn copy(&mut self, call: CopyCall) -> Result<CopyAnswer, End> {
        let call = match call {
            CopyCall::Begin(message) => return self.begin_copy(message).await,
            other => other,
        };
        let Some(Copying {
            sequence,
            call: mut running,
        }) = self.copying.take()
        else {
            return Err(End::Done);
        };
        Ok(match call {
            CopyCall::Data(data) => {
                let sending = async move {
                    running.send(data).await?;
                    Ok(running)
                };
                let sent = self.call(sequence, sending).await?;
                CopyAnswer::Sent(sent.map(|call| self.copying = Some(Copying { sequence, call })))
            }
            CopyCall::Fail(reason) => {
                let failing = async move { Err(running.fail(&reason).await) };
                CopyAnswer::Ended(self.call(sequence, failing).await?)
            }
            CopyCall::Begin(_) | CopyCall::Finish => CopyAnswer::Ended(self.call(sequence, running.finish()).await?),
        })
    }

    async fn begin_copy(&mut self, message: CopyIn) -> Result<CopyAnswer, End> {
        let (client, sequence) = (self.client()?, message.sequence);
        if let Err(error) = self.admit(sequence, message.timeout_ms, false)? {
            return Ok(CopyAnswer::Ready(Err(error)));
        }
        let beginning = async move { client.copy_in(&message).await };
        let begun = self.call(sequence, beginning).await?;
        Ok(CopyAnswer::Ready(begun.map(|call| {
            let columns = call.columns.clone();
            self.copying = Some(Copying { sequence, call });
            columns
        })))
    }
}

/// A piece of data, joined with those that are there behind it.
pub(super) fn joined(first: Bytes, inbound: &mut BytesMut) -> Result<Bytes, ProtocolError> {
    if first.len() >= PIECE || frontend::peek(inbound) != Some(b'd') {
        return Ok(first);
    }
    let mut piece = BytesMut::with_capacity(PIECE);
    piece.extend_from_slice(&first);
    while piece.len() < PIECE && frontend::peek(inbound) == Some(b'd') {
        if let Some((_, body)) = frontend::next_frame(inbound)? {
            piece.extend_from_slice(&body);
        }
    }
    Ok(piece.freeze())
}
