//! Results that stay in the worker while their rows are asked for piece by piece: what SQL cursors are read from.
//!
//! Rows are numbered from 1. The engine runs ahead only as far as its outlet has room, until another statement needs it; then
//! the rest is set aside like that of a suspended portal. Rows are kept as Arrow, so that each reading has its own format.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, RecordBatch, UInt64Array};
use arrow_buffer::Buffer;
use arrow_flight::FlightData;
use arrow_flight::utils::flight_data_to_arrow_batch;
use arrow_ipc::root_as_message;
use arrow_schema::{Schema, SchemaRef};
use futures::StreamExt;
use futures::stream;
use pintail_worker_api::messages::{Frame, ReadKept, Trailer, Want};
use prost::Message;
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::outlet::Outlet;
use super::render::{Renderer, count_only, settings};
use super::spool::History;
use super::{Messages, Reading};
use crate::engine::capi::ArrowOptions;
use crate::engine::shape::Shape;
use crate::error::{Error, StopReason};

/// What the rows look like, told by the engine's thread when the statement began.
pub(crate) struct Look {
    /// Their columns.
    pub(crate) shape: Arc<Shape>,
    /// How the engine writes Arrow.
    pub(crate) arrow: Arc<ArrowOptions>,
}

/// Where rows that nobody has read yet come from.
pub(crate) enum Source {
    /// All of them are here.
    Whole(VecDeque<FlightData>),
    /// The engine is at it.
    Stream(Arc<Outlet>),
}

/// A result and who stops it.
pub(crate) struct Kept {
    rows: Arc<Mutex<Rows>>,
    reading: Arc<Reading>,
}

struct Rows {
    look: Look,
    source: Source,
    schema: Option<SchemaRef>,
    dictionaries: HashMap<i64, ArrayRef>,
    /// Rows that have come from the source.
    taken: u64,
    /// Nothing more comes from the source.
    is_complete: bool,
    /// The batch that was read last, and the number of its first row.
    current: Option<(u64, RecordBatch)>,
    /// What was read, where it may be read again.
    history: Option<History>,
}

/// A reading under way.
struct Cut {
    rows: OwnedMutexGuard<Rows>,
    reading: Arc<Reading>,
    renderer: Option<Renderer>,
    next: u64,
    left: u64,
    backwards: bool,
    read: u64,
    want: Option<Want>,
    patience: Option<Duration>,
    ready: VecDeque<FlightData>,
    is_over: bool,
}

impl Kept {
    /// Keeps a result whose statement began; with `history` its rows can be read again.
    pub(super) fn new(look: Look, source: Source, reading: Reading, history: Option<History>) -> Self {
        let rows = Rows {
            look,
            source,
            schema: None,
            dictionaries: HashMap::new(),
            taken: 0,
            is_complete: false,
            current: None,
            history,
        };
        Self {
            rows: Arc::new(Mutex::new(rows)),
            reading: Arc::new(reading),
        }
    }

    /// The number of the statement that made it.
    pub(super) fn sequence(&self) -> u64 {
        self.reading.guard.sequence()
    }

    /// The answer to the statement that made it: its columns, and no rows yet.
    pub(super) async fn opened(&self) -> Messages {
        let header = self.rows.lock().await.look.shape.header.clone();
        let message = FlightData {
            app_metadata: Frame {
                header: Some(header),
                trailer: Some(Trailer::default()),
                ..Frame::default()
            }
            .encode_to_vec()
            .into(),
            ..FlightData::default()
        };
        stream::iter([Ok(message)]).boxed()
    }

    /// Reads rows; `timeout_ms` counts only what is waited for the engine, 0 for no limit.
    pub(super) async fn read(
        &self,
        request: &ReadKept,
        want: Option<Want>,
        timeout_ms: u64,
    ) -> Result<Messages, Error> {
        let mut rows = Arc::clone(&self.rows).lock_owned().await;
        let mut patience = (timeout_ms > 0).then(|| Duration::from_millis(timeout_ms));
        if request.to_end {
            rows.run_to_end(&mut patience).await?;
        }
        let renderer = if request.discard {
            None
        } else {
            Some(rows.renderer(want.as_ref())?)
        };
        let cut = Cut {
            rows,
            reading: Arc::clone(&self.reading),
            renderer,
            next: request.first.max(1),
            left: request.rows,
            backwards: request.backwards,
            read: 0,
            want,
            patience,
            ready: VecDeque::new(),
            is_over: false,
        };
        Ok(stream::unfold(cut, |mut cut| async move {
            let message = cut.next_message().await?;
            Some((message, cut))
        })
        .boxed())
    }
}

impl Cut {
    async fn next_message(&mut self) -> Option<Result<FlightData, Error>> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(Ok(message));
            }
            if self.is_over {
                return None;
            }
            if let Err(error) = self.advance().await {
                self.is_over = true;
                return Some(Err(error));
            }
        }
    }

    /// Reads up to a batch more.
    async fn advance(&mut self) -> Result<(), Error> {
        if let Some(reason) = self.reading.guard.stop.reason() {
            return Err(Error::Stopped(reason));
        }
        let wanted = if self.next == 0 { 0 } else { self.left };
        let slice = if wanted == 0 {
            None
        } else {
            self.rows.batch_with(self.next, &mut self.patience).await?
        };
        let Some((first, batch)) = slice else {
            return self.finish();
        };
        let offset = usize::try_from(self.next - first).unwrap_or(usize::MAX);
        let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
        let range = if self.backwards {
            (offset + 1).saturating_sub(wanted)..offset + 1
        } else {
            offset..batch.num_rows().min(offset.saturating_add(wanted))
        };
        let count = range.len() as u64;
        if let Some(renderer) = &mut self.renderer {
            renderer.add_batch(&part(&batch, range, self.backwards)?)?;
            self.ready.extend(renderer.take());
        }
        self.read += count;
        self.left = self.left.saturating_sub(count);
        self.next = if self.backwards {
            self.next - count
        } else {
            self.next + count
        };
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.is_over = true;
        match &mut self.renderer {
            Some(renderer) => {
                renderer.finish(0)?;
                self.ready.extend(renderer.take());
            }
            None => self.ready.extend(count_only(self.want.as_ref(), self.read, 0)),
        }
        Ok(())
    }
}

impl Rows {
    fn renderer(&self, want: Option<&Want>) -> Result<Renderer, Error> {
        let render = match want {
            Some(Want::Rows(wanted)) => settings(Some(wanted))?,
            _ => settings(None)?,
        };
        Renderer::new(
            want,
            &render,
            Arc::clone(&self.look.shape),
            Arc::clone(&self.look.arrow),
        )
    }

    /// The batch that holds a row, with the number of its first one; `None` behind the last row.
    async fn batch_with(
        &mut self,
        row: u64,
        patience: &mut Option<Duration>,
    ) -> Result<Option<(u64, RecordBatch)>, Error> {
        while row > self.taken {
            if !self.take_batch(patience).await? {
                return Ok(None);
            }
        }
        if let Some((first, batch)) = &self.current
            && (*first..*first + batch.num_rows() as u64).contains(&row)
        {
            return Ok(Some((*first, batch.clone())));
        }
        let Some(history) = &self.history else {
            return Err(Error::Internal(format!(
                "row {row} of a result that is read forward only is gone"
            )));
        };
        let (first, message) = history.read(row).map_err(Error::Spool)?;
        let batch = self.decode(&message)?;
        self.current = Some((first, batch.clone()));
        Ok(Some((first, batch)))
    }

    /// Takes the next batch from the source; `false` at its end.
    async fn take_batch(&mut self, patience: &mut Option<Duration>) -> Result<bool, Error> {
        while !self.is_complete {
            let Some(message) = self.next_message(patience).await? else {
                self.is_complete = true;
                break;
            };
            let frame = Frame::decode(&*message.app_metadata)
                .map_err(|error| Error::Internal(format!("a kept frame is malformed: {error}")))?;
            if frame.trailer.is_some() {
                self.is_complete = true;
            }
            if frame.rows > 0 {
                let first = self.taken + 1;
                self.taken += u64::from(frame.rows);
                self.current = Some((first, self.decode(&message)?));
                if let Some(history) = &mut self.history {
                    history.append(first, &message)?;
                }
                return Ok(true);
            }
            self.note(&message)?;
        }
        Ok(false)
    }

    async fn next_message(&mut self, patience: &mut Option<Duration>) -> Result<Option<FlightData>, Error> {
        let outlet = match &mut self.source {
            Source::Whole(messages) => return Ok(messages.pop_front()),
            Source::Stream(outlet) => outlet,
        };
        within(patience, outlet.next()).await?.transpose()
    }

    /// A message without rows: the schema or a dictionary.
    fn note(&mut self, message: &FlightData) -> Result<(), Error> {
        if message.data_header.is_empty() {
            return Ok(());
        }
        if self.schema.is_none() {
            self.schema = Some(Arc::new(Schema::try_from(message).map_err(ipc)?));
            return Ok(());
        }
        let header = root_as_message(&message.data_header).map_err(ipc)?;
        if let (Some(dictionary), Some(schema)) = (header.header_as_dictionary_batch(), &self.schema) {
            let body = Buffer::from(message.data_body.as_ref());
            arrow_ipc::reader::read_dictionary(&body, dictionary, schema, &mut self.dictionaries, &header.version())
                .map_err(ipc)?;
        }
        Ok(())
    }

    fn decode(&self, message: &FlightData) -> Result<RecordBatch, Error> {
        let schema = self
            .schema
            .as_ref()
            .ok_or_else(|| Error::Internal("kept rows without a schema".to_owned()))?;
        flight_data_to_arrow_batch(message, Arc::clone(schema), &self.dictionaries).map_err(ipc)
    }

    /// Has the engine give all rows, aside where they have no room, and tells whether that worked.
    async fn run_to_end(&mut self, patience: &mut Option<Duration>) -> Result<(), Error> {
        let Source::Stream(outlet) = &self.source else {
            return Ok(());
        };
        outlet.set_aside();
        within(patience, outlet.completed()).await?
    }
}

/// Waits no longer than is left, and takes off what was used.
async fn within<T>(patience: &mut Option<Duration>, work: impl Future<Output = T>) -> Result<T, Error> {
    let Some(left) = patience else { return Ok(work.await) };
    let started = Instant::now();
    let done = tokio::time::timeout(*left, work).await;
    *left = left.saturating_sub(started.elapsed());
    done.map_err(|_| Error::Stopped(StopReason::Timeout))
}

fn part(batch: &RecordBatch, range: Range<usize>, backwards: bool) -> Result<RecordBatch, Error> {
    if !backwards {
        return Ok(batch.slice(range.start, range.len()));
    }
    let rows = UInt64Array::from_iter_values(range.rev().map(|row| row as u64));
    arrow_select::take::take_record_batch(batch, &rows).map_err(ipc)
}

fn ipc(error: impl std::fmt::Display) -> Error {
    Error::Internal(format!("kept rows cannot be read: {error}"))
}
