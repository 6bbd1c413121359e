//! Arrow IPC streams and Parquet files as the data of a `COPY … FROM STDIN`.
//!
//! A stream is read while it comes. A Parquet file has its directory at its end, so it is set aside in a file without a name
//! first.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::mpsc::SyncSender;

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use arrow_schema::SchemaRef;
use bytes::{Buf, Bytes};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use pintail_sqlstate::SqlState;
use tokio::sync::mpsc;

use super::reader::Found;
use super::{Piece, refused};
use crate::engine::capi::Connection;
use crate::engine::mapping;
use crate::error::{Error, StopReason};
use crate::session::spool;

/// Rows that the engine takes at a time.
const VECTOR: usize = 2048;

/// Where what is found goes.
pub(super) struct Way<'a> {
    /// The session's connection.
    pub(super) connection: &'a Connection,
    /// To the engine.
    pub(super) found: &'a SyncSender<Found>,
}

impl Way<'_> {
    fn begin(&self, schema: SchemaRef) -> Result<(), Error> {
        self.send(Found::Schema(schema))
    }

    fn rows(&self, batch: &RecordBatch) -> Result<(), Error> {
        for start in (0..batch.num_rows()).step_by(VECTOR) {
            let rows = batch.slice(start, VECTOR.min(batch.num_rows() - start));
            let chunk = self
                .connection
                .chunk(&rows)
                .map_err(|failure| mapping::to_error(&failure, ""))?;
            self.send(Found::Rows(chunk))?;
        }
        Ok(())
    }

    fn send(&self, found: Found) -> Result<(), Error> {
        self.found.send(found).map_err(|_| Error::Stopped(StopReason::Dropped))
    }
}

/// Reads an Arrow IPC stream.
pub(super) fn arrow(data: Data, way: &Way<'_>) -> Result<(), Error> {
    let told = |error: &dyn std::error::Error, data: Option<&mut Data>| match data.and_then(|data| data.failure.take())
    {
        Some(failure) => failure,
        None => broken("Arrow stream", error),
    };
    let mut data = data;
    let mut stream = match StreamReader::try_new(&mut data, None) {
        Ok(stream) => stream,
        Err(error) => return Err(told(&error, Some(&mut data))),
    };
    way.begin(stream.schema())?;
    while let Some(batch) = stream.next() {
        match batch {
            Ok(batch) => way.rows(&batch)?,
            Err(error) => return Err(told(&error, Some(stream.get_mut()))),
        }
    }
    drop(stream);
    data.rest()
}

/// Reads a Parquet file, which is set aside below `directory`.
pub(super) fn parquet(mut data: Data, directory: &Path, way: &Way<'_>) -> Result<(), Error> {
    let mut file = spool::nameless(directory).map_err(Error::Spool)?;
    let mut size = 0;
    while let Some(bytes) = data.next()? {
        size += bytes.len() as u64;
        if size > spool::LIMIT {
            let message = "the Parquet file of a COPY exceeds the worker's spool limit";
            return Err(refused(SqlState::CONFIGURATION_LIMIT_EXCEEDED, message));
        }
        file.write_all(&bytes).map_err(Error::Spool)?;
    }
    read_parquet(file, way)
}

fn read_parquet(file: File, way: &Way<'_>) -> Result<(), Error> {
    let fail = |error: &dyn std::error::Error| broken("Parquet file", error);
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| fail(&error))?;
    way.begin(std::sync::Arc::clone(builder.schema()))?;
    let reader = builder.with_batch_size(VECTOR).build().map_err(|error| fail(&error))?;
    for batch in reader {
        way.rows(&batch.map_err(|error| fail(&error))?)?;
    }
    Ok(())
}

fn broken(what: &str, error: &dyn std::error::Error) -> Error {
    refused(
        SqlState::BAD_COPY_FILE_FORMAT,
        format!("COPY data is no valid {what}: {error}"),
    )
}

/// The data as it comes, to be read like a file.
pub(super) struct Data {
    pieces: mpsc::Receiver<Piece>,
    current: Bytes,
    is_done: bool,
    /// Why the data ends early.
    failure: Option<Error>,
    /// The table, for errors.
    relation: String,
}

impl Data {
    pub(super) fn new(pieces: mpsc::Receiver<Piece>, relation: &str) -> Self {
        Self {
            pieces,
            current: Bytes::new(),
            is_done: false,
            failure: None,
            relation: relation.to_owned(),
        }
    }

    /// The next bytes; `None` when the data is complete.
    fn next(&mut self) -> Result<Option<Bytes>, Error> {
        if self.is_done {
            return Ok(None);
        }
        match self.pieces.blocking_recv() {
            Some(Piece::Data(bytes)) => Ok(Some(bytes)),
            Some(Piece::Done) => {
                self.is_done = true;
                Ok(None)
            }
            Some(Piece::Failed(reason)) => Err(Error::CopyFailed {
                reason,
                context: format!("COPY {}", self.relation),
            }),
            None => Err(Error::Stopped(StopReason::Dropped)),
        }
    }

    /// Waits for the end; what follows a stream's own end is nobody's.
    fn rest(mut self) -> Result<(), Error> {
        while self.next()?.is_some() {}
        Ok(())
    }
}

impl Read for Data {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.current.is_empty() {
            match self.next() {
                Ok(Some(bytes)) => self.current = bytes,
                Ok(None) => return Ok(0),
                Err(error) => {
                    self.failure = Some(error);
                    return Err(io::ErrorKind::BrokenPipe.into());
                }
            }
        }
        let length = buffer.len().min(self.current.len());
        self.current.copy_to_slice(&mut buffer[..length]);
        Ok(length)
    }
}
