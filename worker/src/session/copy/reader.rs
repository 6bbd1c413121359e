//! The thread that reads a `COPY`'s data into chunks, and the engine's end of it.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use pintail_pgtypes::CopyDecoder;
use tokio::sync::mpsc;

use super::file_in::{self, Data, Way};
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

/// How data is read.
pub(super) enum Reading {
    /// By a codec.
    Rows(Box<CopyDecoder>),
    /// As an Arrow stream into the table of that name.
    Arrow(String),
    /// As a Parquet file, set aside below a directory.
    Parquet(String, Arc<Path>),
}

/// What the thread found.
pub(super) enum Found {
    /// The columns of a format that has types of its own; before its rows.
    Schema(SchemaRef),
    Rows(Chunk),
    End,
    Failed(Error),
}

/// The engine's end.
pub(super) struct Rows {
    found: Receiver<Found>,
    stop: Arc<Stop>,
}

/// Starts the thread, which ends when the sender of `pieces` is gone, at the latest.
pub(super) fn start(
    reading: Reading,
    connection: Connection,
    pieces: mpsc::Receiver<Piece>,
    stop: Arc<Stop>,
) -> Result<Rows, Error> {
    let (sender, found) = sync_channel(CHUNKS);
    let started = thread::Builder::new().name("copy".to_owned()).spawn(move || {
        let way = Way {
            connection: &connection,
            found: &sender,
        };
        let outcome = match reading {
            Reading::Rows(decoder) => read(*decoder, &connection, pieces, &sender),
            Reading::Arrow(relation) => file_in::arrow(Data::new(pieces, &relation), &way),
            Reading::Parquet(relation, directory) => file_in::parquet(Data::new(pieces, &relation), &directory, &way),
        };
        // An engine that is done with the rows needs no end of them.
        let _ = sender.send(outcome.map_or_else(Found::Failed, |()| Found::End));
    });
    started.map_err(|source| Error::Io {
        what: "cannot start a thread".to_owned(),
        source,
    })?;
    Ok(Rows { found, stop })
}

/// Reads all data by a codec.
fn read(
    mut decoder: CopyDecoder,
    connection: &Connection,
    mut pieces: mpsc::Receiver<Piece>,
    found: &SyncSender<Found>,
) -> Result<(), Error> {
    let mut pass = |batch: RecordBatch| {
        let chunk = connection
            .chunk(&batch)
            .map_err(|failure| mapping::to_error(&failure, ""))?;
        found
            .send(Found::Rows(chunk))
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

impl Rows {
    /// The columns, in a format that says them. Blocks; for the engine's threads only.
    pub(super) fn schema(&self) -> Result<SchemaRef, Error> {
        match self.wait()? {
            Found::Schema(schema) => Ok(schema),
            Found::Failed(error) => Err(error),
            Found::Rows(_) | Found::End => Err(Error::Internal("a COPY without columns".to_owned())),
        }
    }

    /// The rows for the engine; `cause` takes the error by which they end, if they do.
    pub(super) fn into_source(self, cause: Cause) -> Source {
        Box::new(move || {
            self.next().map_err(|error| {
                *cause.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                Broken
            })
        })
    }

    fn next(&self) -> Result<Option<Chunk>, Error> {
        match self.wait()? {
            Found::Rows(chunk) => Ok(Some(chunk)),
            Found::End => Ok(None),
            Found::Failed(error) => Err(error),
            Found::Schema(_) => Err(Error::Internal("a COPY with columns twice".to_owned())),
        }
    }

    fn wait(&self) -> Result<Found, Error> {
        loop {
            if let Some(reason) = self.stop.reason() {
                return Err(Error::Stopped(reason));
            }
            match self.found.recv_timeout(LOOK) {
                Ok(found) => return Ok(found),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::Internal("the reader of a COPY is gone".to_owned()));
                }
            }
        }
    }
}
