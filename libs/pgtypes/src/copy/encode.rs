//! Record batches to `CopyData` messages.
//!
//! Columns are encoded as for `DataRow` messages, in runs of a few hundred rows; what differs is how the cells of a row
//! are put together.

mod fields;

use std::ops::Range;

use arrow_array::RecordBatch;

use self::fields::{Csv, Text};
use super::{CopyFormat, CopyHeader, CopyOptions, SIGNATURE};
use crate::encode::cells::{Cells, Encode};
use crate::encode::fixed::BLOCK;
use crate::encode::gather::copy;
use crate::encode::plan::{self, Form};
use crate::kind::Kind;
use crate::settings::DateFormat;
use crate::{ColumnSpec, Error, RenderSettings};

/// Rows that are encoded at a time.
const RUN: usize = 256;
/// Type byte and length of a message.
const HEAD: usize = 5;

/// Turns record batches of one `COPY … TO STDOUT` into `CopyData` messages.
pub struct CopyEncoder {
    columns: Vec<Box<dyn Encode>>,
    names: Vec<String>,
    /// What comes before the first row, in a message with it: the head of a binary `COPY`.
    begun: Begun,
    form: Layout,
    header: bool,
}

impl std::fmt::Debug for CopyEncoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CopyEncoder")
            .field("columns", &self.columns.len())
            .finish_non_exhaustive()
    }
}

/// Whether anything was written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begun {
    No,
    Yes,
}

/// How a row's cells are put together.
enum Layout {
    Text(Text),
    Csv(Csv),
    Binary,
}

impl CopyEncoder {
    /// Chooses encoders.
    pub fn new(columns: &[ColumnSpec], options: &CopyOptions, settings: &RenderSettings) -> Result<Self, Error> {
        let form = match options.format {
            CopyFormat::Text | CopyFormat::Csv => Form::Text,
            CopyFormat::Binary => Form::Binary,
        };
        let encoder = |column: &ColumnSpec| plan::encoder(&column.field, column.pg.oid, form, settings);
        let encoders = columns.iter().map(encoder).collect::<Result<_, _>>()?;
        let names: Vec<_> = columns.iter().map(|column| column.field.name().as_str()).collect();
        let plain: Vec<_> = columns.iter().map(|c| is_plain(c, options, settings)).collect();
        let form = match options.format {
            CopyFormat::Text => Layout::Text(Text::new(options, plain)),
            CopyFormat::Csv => {
                let forced = options.force_quote.flags(&names, "FORCE_QUOTE")?;
                Layout::Csv(Csv::new(options, plain, forced))
            }
            CopyFormat::Binary => Layout::Binary,
        };
        Ok(Self {
            columns: encoders,
            names: names.into_iter().map(str::to_owned).collect(),
            begun: Begun::No,
            form,
            header: options.header != CopyHeader::Absent && options.format != CopyFormat::Binary,
        })
    }

    /// Appends `rows` of `batch` to `out`, one message a row. After an error `out` holds what it held before.
    pub fn encode(&mut self, batch: &RecordBatch, rows: Range<usize>, out: &mut Vec<u8>) -> Result<(), Error> {
        let (before, begun) = (out.len(), self.begun);
        let result = self.encode_runs(batch, rows, out);
        if result.is_err() {
            out.truncate(before);
            self.begun = begun;
        }
        result
    }

    /// Appends what ends the data, and what begins it if there was no row.
    pub fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), Error> {
        if matches!(self.form, Layout::Binary) {
            let start = open(out);
            self.begin_binary(out);
            out.extend_from_slice(&(-1_i16).to_be_bytes());
            return close(out, start);
        }
        self.begin_lines(out)
    }

    fn encode_runs(&mut self, batch: &RecordBatch, rows: Range<usize>, out: &mut Vec<u8>) -> Result<(), Error> {
        if batch.num_columns() != self.columns.len() || rows.end > batch.num_rows() {
            return Err(Error::layout("a batch of the announced columns", batch.schema_ref()));
        }
        if !rows.is_empty() {
            self.begin_lines(out)?;
        }
        let mut start = rows.start;
        while start < rows.end {
            let run = start..rows.end.min(start + RUN);
            start = run.end;
            let head = matches!(self.form, Layout::Binary) && self.begun == Begun::No;
            self.begun = Begun::Yes;
            let columns = self.columns.iter_mut().zip(batch.columns());
            let cells = columns.map(|(encoder, array)| encoder.fill(array.as_ref(), run.clone()));
            let cells = cells.collect::<Result<Vec<_>, _>>()?;
            match &self.form {
                Layout::Text(text) => text.rows(&cells, run.len(), out)?,
                Layout::Csv(csv) => csv.rows(&cells, run.len(), out)?,
                Layout::Binary => binary_rows(&cells, run.len(), head, out)?,
            }
        }
        Ok(())
    }

    /// The header line, once.
    fn begin_lines(&mut self, out: &mut Vec<u8>) -> Result<(), Error> {
        if !self.header {
            return Ok(());
        }
        self.header = false;
        let start = open(out);
        for (index, name) in self.names.iter().enumerate() {
            match &self.form {
                Layout::Text(text) => text.name(index, name, out),
                Layout::Csv(csv) => csv.name(index, name, self.names.len() == 1, out),
                Layout::Binary => {}
            }
        }
        out.push(b'\n');
        close(out, start)
    }

    fn begin_binary(&mut self, out: &mut Vec<u8>) {
        if self.begun == Begun::No {
            self.begun = Begun::Yes;
            binary_head(out);
        }
    }
}

/// Signature, no flags, no extension.
fn binary_head(out: &mut Vec<u8>) {
    out.extend_from_slice(SIGNATURE);
    out.extend_from_slice(&[0; 8]);
}

/// Begins a message.
fn open(out: &mut Vec<u8>) -> usize {
    let start = out.len();
    out.extend_from_slice(b"d\0\0\0\0");
    start
}

/// Ends it.
fn close(out: &mut [u8], start: usize) -> Result<(), Error> {
    let len = i32::try_from(out.len() - start - 1).map_err(|_| Error::TooLarge)?;
    out[start + 1..start + HEAD].copy_from_slice(&len.to_be_bytes());
    Ok(())
}

/// Appends `rows` binary rows; the first with the head before it, if it is the very first.
fn binary_rows(columns: &[Cells<'_>], rows: usize, head: bool, out: &mut Vec<u8>) -> Result<(), Error> {
    let count = i16::try_from(columns.len()).map_err(|_| Error::TooLarge)?;
    for row in 0..rows {
        let start = open(out);
        if head && row == 0 {
            binary_head(out);
        }
        out.extend_from_slice(&count.to_be_bytes());
        let values = columns.iter().map(|column| column.spans[row]);
        let room: usize = values.map(|span| 4 + usize::try_from(span.len).unwrap_or(0)).sum();
        let mut at = out.len();
        out.resize(at + room + BLOCK, 0);
        for column in columns {
            let span = column.spans[row];
            out[at..at + 4].copy_from_slice(&span.len.to_be_bytes());
            at += 4;
            if let Ok(len) = usize::try_from(span.len) {
                copy(column.data, span.start as usize, len, out, at);
                at += len;
            }
        }
        out.truncate(at);
        close(out, start)?;
    }
    Ok(())
}

/// Whether no value of a column needs escapes or quotes, so that it need not be looked at: numbers, dates and the like,
/// unless a delimiter or NULL is chosen that could be among them.
fn is_plain(column: &ColumnSpec, options: &CopyOptions, settings: &RenderSettings) -> bool {
    let by_kind = match Kind::of(&column.field) {
        Kind::Bool
        | Kind::Integer
        | Kind::HugeInt
        | Kind::UHugeInt
        | Kind::Decimal(..)
        | Kind::Float4
        | Kind::Float8
        | Kind::Uuid
        | Kind::Time(_)
        | Kind::TimeTz => true,
        Kind::Date | Kind::Timestamp(_) | Kind::TimestampTz(_) => settings.date_style.format == DateFormat::Iso,
        _ => false,
    };
    by_kind
        && matches!(options.delimiter, b'\t' | b',' | b'|' | b';')
        && matches!(options.quote, b'"' | b'\'')
        && matches!(options.null.as_str(), "" | "\\N")
}
