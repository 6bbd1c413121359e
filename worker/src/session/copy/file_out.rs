//! Results as Arrow IPC streams and Parquet files, cut into `CopyData` messages while they grow.

use std::io;

use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use pintail_pgtypes::{PlainColumns, RenderSettings};
use pintail_sqlstate::SqlState;
use pintail_worker_api::messages::{CopyFormat, CopyOptions, CopySetting};

use super::refused;
use crate::engine::shape::Shape;
use crate::error::Error;

/// Bytes of a message.
const MESSAGE: usize = 64 << 10;
/// Rows of a row group, and bytes that one may take while it is made.
const GROUP_ROWS: usize = 122_880;
/// See [`GROUP_ROWS`].
const GROUP_BYTES: usize = 32 << 20;

/// A file on its way out.
pub(in crate::session) struct FileOut {
    plain: PlainColumns,
    writer: Writer,
}

enum Writer {
    Arrow(Box<StreamWriter<Vec<u8>>>),
    Parquet(Box<ArrowWriter<Vec<u8>>>),
}

impl FileOut {
    /// A file of a format that is none of the codecs'; `None` for those.
    pub(in crate::session) fn new(
        options: &CopyOptions,
        settings: &RenderSettings,
        shape: &Shape,
    ) -> Result<Option<Self>, Error> {
        let format = options.format();
        if !matches!(format, CopyFormat::Arrow | CopyFormat::Parquet) {
            return Ok(None);
        }
        let plain = PlainColumns::new(&shape.columns, settings)?;
        let writer = if format == CopyFormat::Arrow {
            no_settings(&options.settings, "arrow")?;
            let writer = StreamWriter::try_new(Vec::new(), &plain.schema());
            Writer::Arrow(Box::new(writer.map_err(|error| failed(&error))?))
        } else {
            let properties = properties(&options.settings)?;
            let writer = ArrowWriter::try_new(Vec::new(), plain.schema(), Some(properties));
            Writer::Parquet(Box::new(writer.map_err(|error| failed(&error))?))
        };
        Ok(Some(Self { plain, writer }))
    }

    /// Adds rows; what is ready goes to `out` as messages.
    pub(in crate::session) fn add(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<(), Error> {
        let batch = self.plain.convert(batch)?;
        match &mut self.writer {
            Writer::Arrow(writer) => {
                writer.write(&batch).map_err(|error| failed(&error))?;
                messages(&std::mem::take(writer.get_mut()), out);
            }
            Writer::Parquet(writer) => {
                writer.write(&batch).map_err(|error| failed(&error))?;
                if writer.memory_size() >= GROUP_BYTES {
                    writer.flush().map_err(|error| failed(&error))?;
                }
                messages(&std::mem::take(writer.inner_mut()), out);
            }
        }
        Ok(())
    }

    /// Ends the file.
    pub(in crate::session) fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), Error> {
        match &mut self.writer {
            Writer::Arrow(writer) => {
                writer.finish().map_err(|error| failed(&error))?;
                messages(&std::mem::take(writer.get_mut()), out);
            }
            Writer::Parquet(writer) => {
                writer.finish().map_err(|error| failed(&error))?;
                messages(&std::mem::take(writer.inner_mut()), out);
            }
        }
        Ok(())
    }
}

/// Appends bytes as messages.
fn messages(bytes: &[u8], out: &mut Vec<u8>) {
    for piece in bytes.chunks(MESSAGE) {
        out.push(b'd');
        // A piece is no longer than a message may be.
        out.extend_from_slice(&u32::try_from(piece.len() + 4).unwrap_or(u32::MAX).to_be_bytes());
        out.extend_from_slice(piece);
    }
}

fn properties(settings: &[CopySetting]) -> Result<WriterProperties, Error> {
    let mut builder = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(Some(GROUP_ROWS));
    for setting in settings {
        let unknown = |what: &str| {
            let message = format!("unrecognized {what} for COPY format \"parquet\": \"{}\"", setting.value);
            refused(SqlState::INVALID_PARAMETER_VALUE, message)
        };
        builder = match setting.name.as_str() {
            "compression" => builder.set_compression(match setting.value.to_lowercase().as_str() {
                "uncompressed" | "none" => Compression::UNCOMPRESSED,
                "snappy" => Compression::SNAPPY,
                "zstd" => Compression::ZSTD(ZstdLevel::default()),
                _ => return Err(unknown("compression")),
            }),
            "row_group_size" => {
                let rows = setting.value.parse().ok().filter(|rows| (1..=1 << 20).contains(rows));
                builder.set_max_row_group_row_count(Some(rows.ok_or_else(|| unknown("row group size"))?))
            }
            name => {
                return Err(refused(
                    SqlState::SYNTAX_ERROR,
                    format!("option \"{name}\" not recognized"),
                ));
            }
        };
    }
    Ok(builder.build())
}

/// Options of a format that has none.
pub(super) fn no_settings(settings: &[CopySetting], format: &str) -> Result<(), Error> {
    match settings.first() {
        None => Ok(()),
        Some(setting) => Err(refused(
            SqlState::SYNTAX_ERROR,
            format!(
                "option \"{}\" not recognized for COPY format \"{format}\"",
                setting.name
            ),
        )),
    }
}

/// Writing to memory fails for what cannot be written in the format.
fn failed(error: &(dyn std::error::Error + 'static)) -> Error {
    let out_of_memory = error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::OutOfMemory);
    let code = if out_of_memory {
        SqlState::OUT_OF_MEMORY
    } else {
        SqlState::FEATURE_NOT_SUPPORTED
    };
    refused(code, format!("the rows cannot be written in this COPY format: {error}"))
}
