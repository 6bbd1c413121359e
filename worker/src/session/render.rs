//! From chunks of the engine to Flight messages: `DataRow` or `CopyData` messages in large frames, or Arrow record batches.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_flight::{FlightData, SchemaAsIpc};
use arrow_ipc::writer::{CompressionContext, DictionaryTracker, IpcDataGenerator, IpcWriteOptions};
use arrow_schema::Schema;
use pintail_pgtypes::{CopyEncoder, Format, RenderSettings, RowEncoder};
use pintail_worker_api::messages::{CopyWanted, Frame, Header, RowsWanted, Trailer, Want};
use prost::Message;

use super::copy::{FileOut, options as copy_options};
use crate::engine::capi::{ArrowOptions, Chunk};
use crate::engine::mapping;
use crate::engine::shape::Shape;
use crate::error::Error;

/// A frame is ready when it holds that many bytes of rows.
pub(crate) const FRAME: usize = 512 << 10;

/// Renders one result into messages, which wait here until they are taken.
pub(crate) struct Renderer {
    shape: Arc<Shape>,
    arrow: Arc<ArrowOptions>,
    kind: Kind,
    header_due: bool,
    total: u64,
    ready: Vec<FlightData>,
    sent: usize,
}

enum Kind {
    Wire {
        encoder: Encoder,
        buffer: Vec<u8>,
        rows: u32,
    },
    Arrow(Box<Ipc>),
}

/// What writes messages for the wire.
enum Encoder {
    Rows(RowEncoder),
    Copy(Box<CopyEncoder>),
    File(Box<FileOut>),
}

impl Encoder {
    fn encode(&mut self, batch: &RecordBatch, rows: Range<usize>, out: &mut Vec<u8>) -> Result<(), Error> {
        match self {
            Self::Rows(encoder) => Ok(encoder.encode(batch, rows, out)?),
            Self::Copy(encoder) => Ok(encoder.encode(batch, rows, out)?),
            Self::File(file) => file.add(&batch.slice(rows.start, rows.len()), out),
        }
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), Error> {
        match self {
            Self::Rows(_) => Ok(()),
            Self::Copy(encoder) => Ok(encoder.finish(out)?),
            Self::File(file) => file.finish(out),
        }
    }
}

/// The Arrow writer's state; dictionaries of enums are sent before the first batch that uses them.
struct Ipc {
    generator: IpcDataGenerator,
    tracker: DictionaryTracker,
    options: IpcWriteOptions,
    compression: CompressionContext,
}

impl Renderer {
    /// A renderer for a wish; no wish is one for text rows.
    pub(crate) fn new(
        want: Option<&Want>,
        settings: &RenderSettings,
        shape: Arc<Shape>,
        arrow: Arc<ArrowOptions>,
    ) -> Result<Self, Error> {
        let kind = match want {
            Some(Want::Arrow(_)) => Kind::Arrow(Box::default()),
            Some(Want::Copy(wanted)) => copy(wanted, settings, &shape)?,
            Some(Want::Rows(wanted)) => rows(&wanted.formats, settings, &shape)?,
            None => rows(&[], settings, &shape)?,
        };
        Ok(Self {
            shape,
            arrow,
            kind,
            header_due: true,
            total: 0,
            ready: Vec::new(),
            sent: 0,
        })
    }

    /// Bytes rendered so far, taken or not.
    pub(crate) fn size(&self) -> usize {
        self.sent + self.pending()
    }

    /// Whether rows wait for their frame to be full.
    pub(crate) fn has_pending(&self) -> bool {
        self.pending() > 0
    }

    /// Renders a chunk.
    pub(crate) fn add(&mut self, chunk: &Chunk) -> Result<(), Error> {
        let batch = chunk
            .to_batch(&self.arrow, &self.shape.schema)
            .map_err(|failure| mapping::to_error(&failure, ""))?;
        self.add_batch(&batch)
    }

    /// Renders rows that are Arrow already.
    pub(crate) fn add_batch(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        self.total += batch.num_rows() as u64;
        if matches!(self.kind, Kind::Arrow(_)) {
            self.add_arrow(batch)
        } else {
            self.add_rows(batch)
        }
    }

    /// Makes a frame of what is pending, though it is not full.
    pub(crate) fn flush(&mut self) {
        if self.has_pending() {
            self.frame(None);
        }
    }

    /// Ends the result with its trailer.
    pub(crate) fn finish(&mut self, engine_us: u64) -> Result<(), Error> {
        self.arrow_header();
        if let Kind::Wire { encoder, buffer, .. } = &mut self.kind {
            encoder.finish(buffer)?;
        }
        self.frame(Some(Trailer {
            count: self.total,
            engine_us,
        }));
        Ok(())
    }

    /// The messages that are ready.
    pub(crate) fn take(&mut self) -> Vec<FlightData> {
        std::mem::take(&mut self.ready)
    }

    fn pending(&self) -> usize {
        match &self.kind {
            Kind::Wire { buffer, .. } => buffer.len(),
            Kind::Arrow(_) => 0,
        }
    }

    fn add_rows(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        // Wide values are cut into small steps, so that a frame does not grow to a whole chunk of them.
        let bytes_a_row = batch.get_array_memory_size() / batch.num_rows().max(1);
        let step = (FRAME / bytes_a_row.max(1)).clamp(1, batch.num_rows().max(1));
        let mut start = 0;
        while start < batch.num_rows() {
            let end = batch.num_rows().min(start + step);
            if let Kind::Wire { encoder, buffer, rows } = &mut self.kind {
                encoder.encode(batch, start..end, buffer)?;
                *rows += u32::try_from(end - start).unwrap_or(u32::MAX);
            }
            if self.pending() >= FRAME {
                self.frame(None);
            }
            start = end;
        }
        Ok(())
    }

    fn add_arrow(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        self.arrow_header();
        let Kind::Arrow(ipc) = &mut self.kind else {
            return Ok(());
        };
        let encoded = ipc
            .generator
            .encode(batch, &mut ipc.tracker, &ipc.options, &mut ipc.compression);
        let (dictionaries, data) = encoded.map_err(|error| Error::Internal(error.to_string()))?;
        let rows = u32::try_from(batch.num_rows()).unwrap_or(u32::MAX);
        for dictionary in dictionaries {
            self.send(&Frame::default(), dictionary.into());
        }
        self.send(
            &Frame {
                rows,
                ..Frame::default()
            },
            data.into(),
        );
        Ok(())
    }

    fn arrow_header(&mut self) {
        let Kind::Arrow(ipc) = &mut self.kind else { return };
        if std::mem::take(&mut self.header_due) {
            // The tracker learns here which dictionary belongs to which column.
            let message = ipc
                .generator
                .schema_to_bytes_with_dictionary_tracker(&self.shape.schema, &mut ipc.tracker, &ipc.options)
                .into();
            self.send(
                &Frame {
                    header: Some(self.shape.header.clone()),
                    ..Frame::default()
                },
                message,
            );
        }
    }

    fn frame(&mut self, trailer: Option<Trailer>) {
        let header = std::mem::take(&mut self.header_due).then(|| self.shape.header.clone());
        let mut frame = Frame {
            header,
            rows: 0,
            trailer,
            error: None,
            needs: Vec::new(),
        };
        let mut message = FlightData::default();
        if let Kind::Wire { buffer, rows, .. } = &mut self.kind {
            frame.rows = std::mem::take(rows);
            let next = if frame.trailer.is_none() {
                buffer.len() + buffer.len() / 8
            } else {
                0
            };
            message.data_body = std::mem::replace(buffer, Vec::with_capacity(next)).into();
        }
        self.send(&frame, message);
    }

    fn send(&mut self, frame: &Frame, mut message: FlightData) {
        message.app_metadata = frame.encode_to_vec().into();
        self.sent += message.data_body.len();
        self.ready.push(message);
    }
}

impl Default for Ipc {
    fn default() -> Self {
        Self {
            generator: IpcDataGenerator::default(),
            tracker: DictionaryTracker::new(false),
            options: IpcWriteOptions::default(),
            compression: CompressionContext::default(),
        }
    }
}

fn rows(formats: &[u32], settings: &RenderSettings, shape: &Shape) -> Result<Kind, Error> {
    let formats = formats
        .iter()
        .map(|code| Format::parse(*code))
        .collect::<Result<Vec<_>, _>>()?;
    let encoder = RowEncoder::new(&shape.columns, &formats, settings)?;
    Ok(wire(Encoder::Rows(encoder)))
}

fn copy(wanted: &CopyWanted, settings: &RenderSettings, shape: &Shape) -> Result<Kind, Error> {
    let given = wanted.options.clone().unwrap_or_default();
    if let Some(file) = FileOut::new(&given, settings, shape)? {
        return Ok(wire(Encoder::File(Box::new(file))));
    }
    let encoder = CopyEncoder::new(&shape.columns, &copy_options(&given)?, settings)?;
    Ok(wire(Encoder::Copy(Box::new(encoder))))
}

fn wire(encoder: Encoder) -> Kind {
    Kind::Wire {
        encoder,
        buffer: Vec::new(),
        rows: 0,
    }
}

/// The answer of a statement that returns no rows: one message, and before it an empty schema where Arrow is wanted.
pub(crate) fn count_only(want: Option<&Want>, count: u64, engine_us: u64) -> Vec<FlightData> {
    let (header, trailer) = (Some(Header::default()), Some(Trailer { count, engine_us }));
    let message = |frame: Frame, message| FlightData {
        app_metadata: frame.encode_to_vec().into(),
        ..message
    };
    if !matches!(want, Some(Want::Arrow(_))) {
        return vec![message(
            Frame {
                header,
                rows: 0,
                trailer,
                ..Frame::default()
            },
            FlightData::default(),
        )];
    }
    let schema = SchemaAsIpc::new(&Schema::empty(), &IpcWriteOptions::default()).into();
    vec![
        message(
            Frame {
                header,
                ..Frame::default()
            },
            schema,
        ),
        message(
            Frame {
                trailer,
                ..Frame::default()
            },
            FlightData::default(),
        ),
    ]
}

/// The session's settings as a ticket carries them.
pub(crate) fn settings(wanted: Option<&RowsWanted>) -> Result<RenderSettings, Error> {
    let Some(wanted) = wanted else {
        return Ok(RenderSettings::default());
    };
    Ok(RenderSettings::parse(
        &wanted.date_style,
        &wanted.interval_style,
        &wanted.time_zone,
        &wanted.bytea_output,
        wanted.extra_float_digits,
    )?)
}
