//! Result columns to rows in `PostgreSQL`'s text and binary formats.
//!
//! Encoders are chosen once a statement. A batch is taken in runs of a few hundred rows: each column encodes its run into
//! cells, then one assembler gathers the cells into rows while they are in the processor's cache. No value is boxed, and
//! no row allocates.
//! Gathering takes a quarter of the time of a row of text, so writing values straight to their rows, which needs every
//! length first, has little to win.

mod binary;
mod bits;
mod bytes;
pub(crate) mod cells;
pub(crate) mod datetime;
mod digits;
pub(crate) mod fixed;
mod float;
pub(crate) mod gather;
mod interval;
mod json;
mod list;
mod numeric;
mod pen;
pub(crate) mod plan;
mod record;
mod text;

use std::ops::Range;

use arrow_array::RecordBatch;
use arrow_schema::FieldRef;

use cells::Encode;
pub(crate) use list::MAX_DIMENSIONS;

use crate::{Error, PgType, RenderSettings};

/// A format code of Bind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// 0
    #[default]
    Text,
    /// 1
    Binary,
}

impl Format {
    /// Reads a format code.
    pub fn parse(code: u32) -> Result<Self, Error> {
        match code {
            0 => Ok(Self::Text),
            1 => Ok(Self::Binary),
            _ => Err(Error::FormatCode { code }),
        }
    }
}

/// A result column: what it holds and what it is announced as.
#[derive(Clone, Debug)]
pub struct ColumnSpec {
    /// The engine's field.
    pub field: FieldRef,
    /// The type announced, from [`pg_type`](crate::pg_type).
    pub pg: PgType,
}

/// Turns record batches of one statement into `DataRow` messages.
pub struct RowEncoder {
    columns: Vec<Box<dyn Encode>>,
}

impl std::fmt::Debug for RowEncoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RowEncoder")
            .field("columns", &self.columns.len())
            .finish()
    }
}

/// Rows that are encoded at a time.
const RUN: usize = 256;

impl RowEncoder {
    /// Chooses encoders. `formats` are as in Bind: none for all text, one for all columns, or one a column.
    pub fn new(columns: &[ColumnSpec], formats: &[Format], settings: &RenderSettings) -> Result<Self, Error> {
        let format = |index: usize| match formats {
            [] => Ok(Format::Text),
            [one] => Ok(*one),
            many if many.len() == columns.len() => Ok(many[index]),
            many => Err(Error::FormatCount {
                formats: many.len(),
                columns: columns.len(),
            }),
        };
        let encoder = |(index, column): (usize, &ColumnSpec)| {
            plan::encoder(&column.field, column.pg.oid, format(index)?.into(), settings)
        };
        let columns = columns.iter().enumerate().map(encoder).collect::<Result<_, _>>()?;
        Ok(Self { columns })
    }

    /// Appends `rows` of `batch` to `out` as whole `DataRow` messages. After an error `out` holds what it held before.
    pub fn encode(&mut self, batch: &RecordBatch, rows: Range<usize>, out: &mut Vec<u8>) -> Result<(), Error> {
        let before = out.len();
        let result = self.encode_runs(batch, rows, out);
        if result.is_err() {
            out.truncate(before);
        }
        result
    }

    fn encode_runs(&mut self, batch: &RecordBatch, rows: Range<usize>, out: &mut Vec<u8>) -> Result<(), Error> {
        if batch.num_columns() != self.columns.len() || rows.end > batch.num_rows() {
            return Err(Error::layout("a batch of the announced columns", batch.schema_ref()));
        }
        let mut start = rows.start;
        while start < rows.end {
            let run = start..rows.end.min(start + RUN);
            start = run.end;
            let columns = self.columns.iter_mut().zip(batch.columns());
            let cells = columns.map(|(encoder, array)| encoder.fill(array.as_ref(), run.clone()));
            let cells = cells.collect::<Result<Vec<_>, _>>()?;
            gather::data_rows(&cells, run.len(), out)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
