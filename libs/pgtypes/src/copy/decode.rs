//! Bytes of a `COPY … FROM STDIN`, cut anywhere, to record batches.

mod fields;
mod frames;
mod lines;

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{Schema, SchemaRef};

use self::fields::Fields;
use self::frames::{Frame, Frames, values};
use self::lines::Lines;
use super::column::{self, Column};
use super::{CopyFormat, CopyHeader, CopyOptions, CopyProblem};
use crate::params::utf8;
use crate::{ColumnSpec, Error, RenderSettings};

/// Rows of a batch: as many as the engine takes at a time.
const ROWS: usize = 2048;
/// A batch that holds more bytes is handed on, though it has fewer rows.
const BYTES: usize = 16 << 20;
/// A row is at most that long, as in `PostgreSQL`.
const LONGEST_ROW: usize = (1 << 30) - 1;
/// Data is looked at in steps of this size, so that a batch is seen in time.
const STEP: usize = 256 << 10;
/// Characters of a value or line that an error shows.
const SHOWN: usize = 100;

/// Turns the bytes of one `COPY … FROM STDIN` into record batches.
pub struct CopyDecoder {
    target: Target,
    input: Input,
    /// The beginning of a row whose end has not come.
    held: Vec<u8>,
    is_over: bool,
    ready: Vec<RecordBatch>,
}

/// Where rows go.
struct Target {
    relation: String,
    columns: Vec<Slot>,
    schema: SchemaRef,
    /// The present line or row, from 1.
    line: u64,
    /// Rows in the columns' builders.
    rows: usize,
    /// Bytes that these rows had.
    bytes: usize,
}

struct Slot {
    name: String,
    column: Box<dyn Column>,
    not_null: bool,
    null: bool,
}

enum Input {
    Lines {
        lines: Lines,
        fields: Fields,
        header: CopyHeader,
        /// How NULL is written.
        null: String,
    },
    Binary(Frames),
}

impl std::fmt::Debug for CopyDecoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CopyDecoder")
            .field("relation", &self.target.relation)
            .field("line", &self.target.line)
            .finish_non_exhaustive()
    }
}

impl CopyDecoder {
    /// A decoder for rows of such columns; `relation` is what errors call the table.
    pub fn new(
        relation: &str,
        columns: &[ColumnSpec],
        options: &CopyOptions,
        settings: &RenderSettings,
    ) -> Result<Self, Error> {
        let names: Vec<_> = columns.iter().map(|column| column.field.name().as_str()).collect();
        let not_null = options.force_not_null.flags(&names, "FORCE_NOT_NULL")?;
        let null = options.force_null.flags(&names, "FORCE_NULL")?;
        let slots = columns.iter().zip(not_null.into_iter().zip(null));
        let slots: Vec<_> = slots
            .map(|(spec, (not_null, null))| Slot {
                name: spec.field.name().clone(),
                column: column::of(spec, settings),
                not_null,
                null,
            })
            .collect();
        let schema = Schema::new(
            slots
                .iter()
                .map(|slot| slot.column.field(&slot.name))
                .collect::<Vec<_>>(),
        );
        let input = match options.format {
            CopyFormat::Binary => Input::Binary(Frames::new(columns.len())),
            format => Input::Lines {
                lines: if format == CopyFormat::Csv {
                    Lines::csv(options)
                } else {
                    Lines::text()
                },
                fields: Fields::new(options),
                header: options.header,
                null: options.null.clone(),
            },
        };
        Ok(Self {
            target: Target {
                relation: relation.to_owned(),
                columns: slots,
                schema: Arc::new(schema),
                line: 0,
                rows: 0,
                bytes: 0,
            },
            input,
            held: Vec::new(),
            is_over: false,
            ready: Vec::new(),
        })
    }

    /// The schema of the batches. A type that Arrow cannot hold as the column does comes as text, for the engine to cast.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.target.schema)
    }

    /// Where the next row is to come: `COPY t, line 3`.
    pub fn place(&self) -> String {
        format!("COPY {}, line {}", self.target.relation, self.target.line + 1)
    }

    /// Reads a piece and hands each batch that is full to `ready`, whose error ends the reading. After an error the decoder
    /// is of no further use.
    pub fn read<E: From<Error>>(
        &mut self,
        piece: &[u8],
        mut ready: impl FnMut(RecordBatch) -> Result<(), E>,
    ) -> Result<(), E> {
        for step in piece.chunks(STEP) {
            self.step(step)?;
            self.ready.drain(..).try_for_each(&mut ready)?;
        }
        Ok(())
    }

    /// Reads what is left, nothing following it, and hands on the last batches.
    pub fn finish<E: From<Error>>(&mut self, mut ready: impl FnMut(RecordBatch) -> Result<(), E>) -> Result<(), E> {
        let held = std::mem::take(&mut self.held);
        self.rows(&held, true)?;
        self.hand_on()?;
        self.ready.drain(..).try_for_each(&mut ready)
    }

    fn step(&mut self, piece: &[u8]) -> Result<(), Error> {
        if self.held.is_empty() {
            let used = self.rows(piece, false)?;
            self.held.extend_from_slice(piece.get(used..).unwrap_or_default());
            return Ok(());
        }
        let mut held = std::mem::take(&mut self.held);
        held.extend_from_slice(piece);
        let used = self.rows(&held, false)?;
        held.drain(..used);
        if held.len() > LONGEST_ROW {
            return Err(self.target.error(CopyProblem::RowTooLong.into(), At::Line));
        }
        if held.is_empty() && held.capacity() > BYTES {
            held = Vec::new();
        }
        self.held = held;
        Ok(())
    }

    /// Reads whole rows; how many bytes they are.
    fn rows(&mut self, data: &[u8], complete: bool) -> Result<usize, Error> {
        let mut used = 0;
        while !self.is_over {
            let Some(step) = self.row(&data[used..], complete)? else {
                break;
            };
            used += step;
            if self.target.rows >= ROWS || self.target.bytes >= BYTES {
                self.hand_on()?;
            }
        }
        // What follows the end of text or CSV is nobody's.
        Ok(if self.is_over { data.len() } else { used })
    }

    /// Reads one row; how many bytes it is, `None` if it is not there.
    fn row(&mut self, data: &[u8], complete: bool) -> Result<Option<usize>, Error> {
        match &mut self.input {
            Input::Lines {
                lines,
                fields,
                header,
                null,
            } => {
                let found = lines.next(data, complete);
                let found = found.map_err(|problem| self.target.in_next_line(problem, lines.inner))?;
                let Some(line) = found else { return Ok(None) };
                self.target.line += 1 + std::mem::take(&mut lines.inner);
                self.is_over = line.is_last;
                let content = &data[..line.len];
                match std::mem::take(header) {
                    CopyHeader::Present => {}
                    CopyHeader::Match => self.target.header(content, fields, null)?,
                    CopyHeader::Absent if line.is_last && content.is_empty() => {}
                    CopyHeader::Absent => self.target.line(content, fields, null)?,
                }
                Ok(Some(line.next))
            }
            Input::Binary(frames) => {
                let frame = frames.next(data, complete);
                let frame = frame.map_err(|(problem, column)| match column {
                    _ if !frames.is_past_head() => problem.into(),
                    Some(column) => self.target.in_next_row(problem, Some(column)),
                    None => self.target.in_next_row(problem, None),
                })?;
                match frame {
                    Frame::More | Frame::Skip(0) => Ok(None),
                    Frame::Skip(length) => Ok(Some(length)),
                    Frame::Trailer(length) => {
                        self.target.line += 1;
                        // Whatever follows is an error, which the next look finds.
                        Ok(Some(length))
                    }
                    Frame::Row(length) => {
                        self.target.line += 1;
                        self.target.binary(&data[..length])?;
                        Ok(Some(length))
                    }
                }
            }
        }
    }

    /// Makes a batch of the rows that are there.
    fn hand_on(&mut self) -> Result<(), Error> {
        let target = &mut self.target;
        let rows = std::mem::take(&mut target.rows);
        target.bytes = 0;
        if rows == 0 {
            return Ok(());
        }
        let arrays: Vec<ArrayRef> = target.columns.iter_mut().map(|slot| slot.column.finish()).collect();
        let count = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&target.schema), arrays, &count);
        self.ready
            .push(batch.map_err(|error| Error::layout("a batch of the columns", &error))?);
        Ok(())
    }
}

/// Where an error is.
#[derive(Clone, Copy)]
enum At<'a> {
    /// In the line or row.
    Line,
    /// In a line that reads so.
    Text(&'a [u8]),
    /// In a column.
    Column(usize),
    /// In a column whose value reads so, or is NULL.
    Value(usize, Option<&'a str>),
}

impl Target {
    /// Adds a line of text or CSV.
    fn line(&mut self, content: &[u8], fields: &mut Fields, null: &str) -> Result<(), Error> {
        let line = utf8(content).map_err(|error| self.error(error, At::Line))?;
        fields
            .split(line)
            .map_err(|error| self.error(error, At::Text(content)))?;
        if fields.len() > self.columns.len() {
            return Err(self.error(CopyProblem::ExtraData.into(), At::Text(content)));
        }
        for index in 0..self.columns.len() {
            if index >= fields.len() {
                let column = self.columns[index].name.clone();
                return Err(self.error(CopyProblem::MissingData { column }.into(), At::Text(content)));
            }
            let slot = &mut self.columns[index];
            let value = match fields.get(line, index) {
                None if slot.not_null => Some(null),
                Some(value) if slot.null && value == null => None,
                value => value,
            };
            let added = match value {
                None => {
                    slot.column.null();
                    Ok(())
                }
                Some(text) => slot.column.text(text),
            };
            added.map_err(|error| self.error(error, At::Value(index, value)))?;
        }
        self.rows += 1;
        self.bytes += content.len();
        Ok(())
    }

    /// Compares a header line with the columns' names.
    fn header(&self, content: &[u8], fields: &mut Fields, null: &str) -> Result<(), Error> {
        let fail = |error| self.error(error, At::Text(content));
        let line = utf8(content).map_err(|error| self.error(error, At::Line))?;
        fields.split(line).map_err(fail)?;
        let (got, expected) = (fields.len(), self.columns.len());
        if got != expected {
            return Err(fail(CopyProblem::HeaderCount { got, expected }.into()));
        }
        for (index, slot) in self.columns.iter().enumerate() {
            let got = match fields.get(line, index) {
                Some(name) if name == slot.name => continue,
                Some(name) => format!("\"{name}\""),
                None => format!("null value (\"{null}\")"),
            };
            let (field, expected) = (index + 1, slot.name.clone());
            return Err(fail(CopyProblem::HeaderName { field, got, expected }.into()));
        }
        Ok(())
    }

    /// Adds a whole binary row.
    fn binary(&mut self, row: &[u8]) -> Result<(), Error> {
        for (index, value) in values(row).enumerate().take(self.columns.len()) {
            let column = &mut self.columns[index].column;
            let added = match value {
                None => {
                    column.null();
                    Ok(())
                }
                Some(bytes) => column.binary(bytes),
            };
            added.map_err(|error| {
                let error = match error {
                    Error::BadBinary { .. } => CopyProblem::BadBinary.into(),
                    error => error,
                };
                self.error(error, At::Column(index))
            })?;
        }
        self.rows += 1;
        self.bytes += row.len();
        Ok(())
    }

    /// An error in the line after the present one, whose end was not found.
    fn in_next_line(&mut self, problem: CopyProblem, inner: u64) -> Error {
        self.line += 1 + inner;
        self.error(problem.into(), At::Line)
    }

    /// An error in the binary row after the present one.
    fn in_next_row(&mut self, problem: CopyProblem, column: Option<usize>) -> Error {
        // The trailer is no row; what follows it is found while it is still the present one.
        self.line += u64::from(problem != CopyProblem::AfterEnd);
        self.error(problem.into(), column.map_or(At::Line, At::Column))
    }

    /// An error with its place (`CopyFromErrorCallback`).
    fn error(&self, cause: Error, at: At<'_>) -> Error {
        let (relation, line) = (&self.relation, self.line);
        let name = |index: usize| self.columns.get(index).map_or("", |slot| slot.name.as_str());
        let place = match at {
            At::Line => String::new(),
            At::Text(text) => format!(": \"{}\"", shown(&String::from_utf8_lossy(text))),
            At::Column(index) => format!(", column {}", name(index)),
            At::Value(index, Some(text)) => format!(", column {}: \"{}\"", name(index), shown(text)),
            At::Value(index, None) => format!(", column {}: null input", name(index)),
        };
        Error::InCopy {
            cause: Box::new(cause),
            context: format!("COPY {relation}, line {line}{place}"),
        }
    }
}

/// A text cut to what an error shows (`limit_printout_length`).
fn shown(text: &str) -> String {
    if text.len() <= SHOWN {
        return text.to_owned();
    }
    let mut end = SHOWN;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}...", &text[..end])
}

/// Reads whole data of a `COPY` in pieces of `cut` bytes and says how many rows it has: what a fuzzer calls.
pub fn read_copy(data: &[u8], cut: usize, columns: &[ColumnSpec], options: &CopyOptions) -> Result<u64, Error> {
    let mut decoder = CopyDecoder::new("t", columns, options, &RenderSettings::default())?;
    let mut rows = 0;
    let mut count = |batch: RecordBatch| {
        rows += batch.num_rows() as u64;
        Ok::<_, Error>(())
    };
    for piece in data.chunks(cut.max(1)) {
        decoder.read(piece, &mut count)?;
    }
    decoder.finish(&mut count)?;
    Ok(rows)
}
