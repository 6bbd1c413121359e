//! `COPY … FROM STDIN`: data as it comes to rows of a table, as one `INSERT … SELECT`.
//!
//! A thread of its own reads the data into the engine's chunks; the engine takes them by a table function while it runs the
//! `INSERT`, so columns that are not named get their defaults, values are cast, and an error stores nothing.

mod file_in;
mod file_out;
mod reader;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bytes::Bytes;
use pintail_pgtypes::{CopyColumns, CopyDecoder, CopyFormat, CopyHeader, CopyOptions};
use pintail_sqlstate::{Report, SqlState};
use pintail_worker_api::messages::{self, CopyForce, CopyIn, CopyInReady};
use tokio::sync::{mpsc, oneshot};

pub(super) use self::file_out::FileOut;
use self::reader::Reading;
use super::control::Stop;
use super::render;
use crate::engine::capi::feed::{FUNCTION, Feeder, Source};
use crate::engine::capi::{ArrowOptions, Connection, LogicalType, Prepared};
use crate::engine::failure::Failure;
use crate::engine::instance::sql::identifier;
use crate::engine::mapping;
use crate::engine::shape::Shape;
use crate::error::Error;

/// Pieces of data that wait for the reader.
const PIECES: usize = 4;

/// A step of a `COPY`'s data.
pub(crate) enum Piece {
    /// Bytes, cut anywhere.
    Data(Bytes),
    /// The data is complete.
    Done,
    /// The client gave up.
    Failed(String),
}

/// A `COPY … FROM STDIN`.
pub(crate) struct Copy {
    /// As it came.
    pub(crate) request: CopyIn,
    pieces: mpsc::Receiver<Piece>,
    ready: oneshot::Sender<CopyInReady>,
}

/// Where a `COPY` runs.
#[derive(Clone, Copy)]
pub(crate) struct CopyPlace<'a> {
    /// The session's connection.
    pub(crate) connection: &'a Connection,
    /// How it writes Arrow.
    pub(crate) arrow: &'a ArrowOptions,
    /// Where rows come in.
    pub(crate) feeder: &'a Feeder,
    /// Where data is set aside that cannot be read as it comes.
    pub(crate) spool_directory: &'a Arc<Path>,
}

/// The error by which rows ended, which is told in place of the engine's about it.
pub(super) type Cause = Arc<Mutex<Option<Error>>>;

impl Copy {
    /// A `COPY`, where its data goes, and where its readiness is told.
    pub(crate) fn new(request: CopyIn) -> (Self, mpsc::Sender<Piece>, oneshot::Receiver<CopyInReady>) {
        let (sender, pieces) = mpsc::channel(PIECES);
        let (ready, told) = oneshot::channel();
        let copy = Self { request, pieces, ready };
        (copy, sender, told)
    }

    /// Runs it; the number of rows stored.
    pub(crate) fn run(self, place: CopyPlace<'_>, stop: &Arc<Stop>) -> Result<u64, Error> {
        let outcome = self.load(place, stop);
        place.feeder.clear();
        outcome
    }

    fn load(self, place: CopyPlace<'_>, stop: &Arc<Stop>) -> Result<u64, Error> {
        let Self { request, pieces, ready } = self;
        let fail = |failure: Failure| mapping::to_error(&failure, "");
        let target = Target::find(&request, place)?;
        let (reading, schema) = target.reading(&request, place)?;
        let columns = target.shape.header.columns.clone();
        let rows = reader::start(reading, place.connection.clone(), pieces, Arc::clone(stop))?;
        // Whoever asked may have gone; the reader finds that.
        let tell = move || drop(ready.send(CopyInReady { columns }));
        let cause = Cause::default();
        let mut insert = if let Some(schema) = schema {
            let insert = target.insert(place, schema, rows.into_source(Arc::clone(&cause)))?;
            tell();
            insert
        } else {
            // The data says its types first.
            tell();
            let schema = rows.schema()?;
            target.insert(place, schema, rows.into_source(Arc::clone(&cause)))?
        };
        let done = insert.execute_patiently().map(|mut result| result.rows_changed());
        let cause = cause.lock().unwrap_or_else(PoisonError::into_inner).take();
        match (done, cause) {
            (_, Some(cause)) => Err(cause),
            (done, None) => done.map_err(fail),
        }
    }
}

/// The table and columns that take rows.
struct Target {
    /// The table's name, quoted.
    path: String,
    relation: String,
    shape: Arc<Shape>,
}

impl Target {
    fn find(request: &CopyIn, place: CopyPlace<'_>) -> Result<Self, Error> {
        let path = request
            .table
            .iter()
            .map(|name| identifier(name))
            .collect::<Vec<_>>()
            .join(".");
        let relation = match request.relation.as_str() {
            "" => request.table.last().cloned().unwrap_or_default(),
            name => name.to_owned(),
        };
        let described = place.connection.split(&format!("SELECT * FROM {path}"));
        let described = described.and_then(|mut statements| Ok(statements.prepare(0)?.columns()));
        let mut columns = described.map_err(|failure| mapping::to_error(&failure, ""))?;
        if !request.columns.is_empty() {
            columns = named(columns, &request.columns, &relation)?;
        }
        let shape = Shape::of(&columns, place.arrow, &[], &[]);
        Ok(Self {
            path,
            relation,
            shape: shape.map_err(|failure| mapping::to_error(&failure, ""))?,
        })
    }

    /// How the data is read, and its columns if they are known before it comes.
    fn reading(&self, request: &CopyIn, place: CopyPlace<'_>) -> Result<(Reading, Option<SchemaRef>), Error> {
        let given = request.options.clone().unwrap_or_default();
        let relation = self.relation.clone();
        match given.format() {
            messages::CopyFormat::Arrow => {
                file_out::no_settings(&given.settings, "arrow")?;
                Ok((Reading::Arrow(relation), None))
            }
            messages::CopyFormat::Parquet => {
                file_out::no_settings(&given.settings, "parquet")?;
                Ok((Reading::Parquet(relation, Arc::clone(place.spool_directory)), None))
            }
            _ => {
                let options = options(&given)?;
                let settings = render::settings(request.rows.as_ref())?;
                let decoder = CopyDecoder::new(&relation, &self.shape.columns, &options, &settings)?;
                let schema = decoder.schema();
                Ok((Reading::Rows(Box::new(decoder)), Some(schema)))
            }
        }
    }

    /// The statement that takes rows of such columns, by position.
    fn insert(&self, place: CopyPlace<'_>, schema: SchemaRef, rows: Source) -> Result<Prepared, Error> {
        let fail = |failure: Failure| mapping::to_error(&failure, "");
        let (got, expected) = (schema.fields().len(), self.shape.columns.len());
        if got != expected {
            let message = format!("COPY data has {got} columns, but {expected} are expected");
            return Err(refused(SqlState::BAD_COPY_FILE_FORMAT, message));
        }
        place
            .feeder
            .set(place.connection, &RecordBatch::new_empty(schema), rows)
            .map_err(fail)?;
        let columns = self.shape.columns.iter().map(|column| identifier(column.field.name()));
        let columns = columns.collect::<Vec<_>>().join(", ");
        let sql = format!("INSERT INTO {} ({columns}) SELECT * FROM {FUNCTION}()", self.path);
        let statements = place.connection.split(&sql);
        statements
            .and_then(|mut statements| statements.prepare(0))
            .map_err(fail)
    }
}

/// The columns of a table that a statement names, in its order (`CopyGetAttnums`).
fn named(
    mut columns: Vec<(String, LogicalType)>,
    names: &[String],
    relation: &str,
) -> Result<Vec<(String, LogicalType)>, Error> {
    let mut found = Vec::with_capacity(names.len());
    for (index, name) in names.iter().enumerate() {
        if names[..index].contains(name) {
            let message = format!("column \"{name}\" specified more than once");
            return Err(refused(SqlState::DUPLICATE_COLUMN, message));
        }
        // Names differ in more than their case.
        let place = columns.iter().position(|(column, _)| column.eq_ignore_ascii_case(name));
        let place = place.ok_or_else(|| {
            let message = format!("column \"{name}\" of relation \"{relation}\" does not exist");
            refused(SqlState::UNDEFINED_COLUMN, message)
        })?;
        found.push(columns.swap_remove(place));
    }
    Ok(found)
}

/// Options as they came to options of the codecs.
pub(super) fn options(given: &messages::CopyOptions) -> Result<CopyOptions, Error> {
    let format = match given.format() {
        messages::CopyFormat::Text => CopyFormat::Text,
        messages::CopyFormat::Csv => CopyFormat::Csv,
        messages::CopyFormat::Binary => CopyFormat::Binary,
        other => return Err(Error::Internal(format!("{other:?} is no codec's format"))),
    };
    let plain = CopyOptions::new(format);
    let quote = byte(&given.quote, plain.quote)?;
    Ok(CopyOptions {
        format,
        delimiter: byte(&given.delimiter, plain.delimiter)?,
        null: given.null.clone().unwrap_or(plain.null),
        header: match given.header() {
            messages::CopyHeader::Absent => CopyHeader::Absent,
            messages::CopyHeader::Present => CopyHeader::Present,
            messages::CopyHeader::Match => CopyHeader::Match,
        },
        quote,
        escape: byte(&given.escape, quote)?,
        force_quote: forced(given.force_quote.as_ref()),
        force_not_null: forced(given.force_not_null.as_ref()),
        force_null: forced(given.force_null.as_ref()),
    })
}

fn byte(text: &str, otherwise: u8) -> Result<u8, Error> {
    match text.as_bytes() {
        [] => Ok(otherwise),
        [byte] => Ok(*byte),
        _ => Err(Error::BadRequest("a COPY option is longer than one byte".to_owned())),
    }
}

fn forced(columns: Option<&CopyForce>) -> CopyColumns {
    match columns {
        None => CopyColumns::None,
        Some(force) if force.all => CopyColumns::All,
        Some(force) => CopyColumns::Named(force.columns.clone()),
    }
}

/// An error of the request, in the words that the client is told.
fn refused(code: SqlState, message: impl Into<String>) -> Error {
    Error::Statement {
        report: Box::new(Report::new(code, message)),
        broken: false,
    }
}
