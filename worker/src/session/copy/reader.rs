//! The thread that reads a `COPY`'s data into chunks, and the engine's end of it.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::Duration;

use arrow_array::RecordBatch;
use pintail_pgtypes::CopyDecoder;
use tokio::sync::mpsc;

use super::{Cause, Piece};
use crate::engine::capi::feed::{Broken, Source};
use crate::engine::capi::{Chunk, Connection};
use crate::engine::mapping;
use crate::error::{Error, StopReason};
use crate::session::control::Stop;

/// Chunks that wait for the engine.
const CHUNKS: usize = 4;
/// How long the engine waits for rows before it looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(20);

/// What the thread found.
enum Read {
    Rows(Chunk),
    End,
    Failed(Error),
}

/// Starts the thread, which ends when the sender of `pieces` is gone, at the latest. The engine's end notes the error by which
/// it ended the rows, if it did.
pub(super) fn start(
    decoder: CopyDecoder,
    connection: Connection,
    pieces: mpsc::Receiver<Piece>,
    stop: Arc<Stop>,
) -> Result<(Source, Cause), Error> {
    let (sender, chunks) = sync_channel(CHUNKS);
    let started = thread::Builder::new().name("copy".to_owned()).spawn(move || {
        let outcome = read(decoder, &connection, pieces, &sender);
        // An engine that is done with the rows needs no end of them.
        let _ = sender.send(outcome.map_or_else(Read::Failed, |()| Read::End));
    });
    started.map_err(|source| Error::Io {
        what: "cannot start a thread".to_owned(),
        source,
    })?;
    let cause = Cause::default();
    let noted = Arc::clone(&cause);
    let source = move || {
        next(&chunks, &stop).map_err(|error| {
            *noted.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            Broken
        })
    };
    Ok((Box::new(source), cause))
}

/// Reads all data.
fn read(
    mut decoder: CopyDecoder,
    connection: &Connection,
    mut pieces: mpsc::Receiver<Piece>,
    rows: &SyncSender<Read>,
) -> Result<(), Error> {
    let mut pass = |batch: RecordBatch| {
        let chunk = connection
            .chunk(&batch)
            .map_err(|failure| mapping::to_error(&failure, ""))?;
        rows.send(Read::Rows(chunk))
            .map_err(|_| Error::Stopped(StopReason::Dropped))
    };
    loop {
        match pieces.blocking_recv() {
            Some(Piece::Data(data)) => decoder.read(&data, &mut pass)?,
            Some(Piece::Done) => return decoder.finish(&mut pass),
            Some(Piece::Failed(reason)) => {
                let context = decoder.place();
                return Err(Error::CopyFailed { reason, context });
            }
            None => return Err(Error::Stopped(StopReason::Dropped)),
        }
    }
}

/// The next rows for the engine.
fn next(chunks: &Receiver<Read>, stop: &Stop) -> Result<Option<Chunk>, Error> {
    loop {
        if let Some(reason) = stop.reason() {
            return Err(Error::Stopped(reason));
        }
        match chunks.recv_timeout(LOOK) {
            Ok(Read::Rows(chunk)) => return Ok(Some(chunk)),
            Ok(Read::End) => return Ok(None),
            Ok(Read::Failed(error)) => return Err(error),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::Internal("the reader of a COPY is gone".to_owned()));
            }
        }
    }
}
