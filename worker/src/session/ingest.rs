//! Bulk loading: Arrow batches into a table, as one transaction.

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema, TimeUnit};
use tokio::sync::mpsc::Receiver;

use crate::engine::capi::Connection;
use crate::engine::failure::Failure;
use crate::engine::instance::sql::{identifier, run};
use crate::engine::mapping;
use crate::error::Error;

/// Rows that the engine takes at a time.
const VECTOR: usize = 2048;

/// What to load where.
pub(crate) struct Ingest {
    /// Empty for the session's catalog.
    pub(crate) catalog: String,
    /// Empty for the session's schema.
    pub(crate) schema: String,
    /// The table's name.
    pub(crate) table: String,
    /// Whether the table is made first.
    pub(crate) creation: Creation,
    /// The batches' columns.
    pub(crate) columns: Schema,
    /// The batches; an error ends the load with nothing stored.
    pub(crate) batches: Receiver<Result<RecordBatch, Error>>,
}

/// Whether and how the table is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Creation {
    /// It must be there.
    Never,
    /// It must not be there.
    Always,
    /// Where it is missing.
    WhereMissing,
    /// In place of one that is there.
    Replacing,
}

impl Ingest {
    /// Loads everything; the number of rows.
    pub(crate) fn run(mut self, connection: &Connection) -> Result<u64, Error> {
        // Inside a transaction of the client's the load is part of it.
        let is_own = run(connection, "BEGIN").is_ok();
        let outcome = self.load(connection);
        if is_own {
            let end = if outcome.is_ok() { "COMMIT" } else { "ROLLBACK" };
            let ended = run(connection, end).map_err(|failure| mapping::to_error(&failure, ""));
            return outcome.and_then(|rows| ended.map(|()| rows));
        }
        outcome
    }

    fn load(&mut self, connection: &Connection) -> Result<u64, Error> {
        let fail = |failure: Failure| mapping::to_error(&failure, "");
        if let Some(sql) = self.definition() {
            run(connection, &sql).map_err(fail)?;
        }
        let columns: Vec<_> = self.columns.fields().iter().map(|field| field.name().clone()).collect();
        let mut appender = connection
            .appender(&self.catalog, &self.schema, &self.table, &columns)
            .map_err(fail)?;
        let mut rows = 0;
        while let Some(batch) = self.batches.blocking_recv() {
            let batch = batch?;
            rows += batch.num_rows() as u64;
            for start in (0..batch.num_rows()).step_by(VECTOR) {
                let slice = batch.slice(start, VECTOR.min(batch.num_rows() - start));
                appender.append(&slice).map_err(fail)?;
            }
        }
        appender.finish().map_err(fail)?;
        Ok(rows)
    }

    fn definition(&self) -> Option<String> {
        let beginning = match self.creation {
            Creation::Never => return None,
            Creation::Always => "CREATE TABLE",
            Creation::WhereMissing => "CREATE TABLE IF NOT EXISTS",
            Creation::Replacing => "CREATE OR REPLACE TABLE",
        };
        let path = [&self.catalog, &self.schema, &self.table]
            .into_iter()
            .filter(|part| !part.is_empty());
        let path: Vec<_> = path.map(|part| identifier(part)).collect();
        let column =
            |field: &arrow_schema::FieldRef| format!("{} {}", identifier(field.name()), sql_type(field.data_type()));
        let columns: Vec<_> = self.columns.fields().iter().map(column).collect();
        Some(format!("{beginning} {} ({})", path.join("."), columns.join(", ")))
    }
}

/// The engine's type for a column that is made for Arrow data.
fn sql_type(data_type: &DataType) -> String {
    let plain = match data_type {
        DataType::Boolean => "BOOLEAN",
        DataType::Int8 => "TINYINT",
        DataType::Int16 => "SMALLINT",
        DataType::Int32 => "INTEGER",
        DataType::Int64 => "BIGINT",
        DataType::UInt8 => "UTINYINT",
        DataType::UInt16 => "USMALLINT",
        DataType::UInt32 => "UINTEGER",
        DataType::UInt64 => "UBIGINT",
        DataType::Float16 | DataType::Float32 => "FLOAT",
        DataType::Float64 => "DOUBLE",
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => "BLOB",
        DataType::Date32 | DataType::Date64 => "DATE",
        DataType::Time32(_) | DataType::Time64(_) => "TIME",
        DataType::Timestamp(_, Some(_)) => "TIMESTAMPTZ",
        DataType::Timestamp(TimeUnit::Nanosecond, None) => "TIMESTAMP_NS",
        DataType::Timestamp(_, None) => "TIMESTAMP",
        DataType::Duration(_) | DataType::Interval(_) => "INTERVAL",
        DataType::Decimal128(width, scale) => return format!("DECIMAL({width}, {scale})"),
        DataType::Dictionary(_, value) => return sql_type(value),
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            return format!("{}[]", sql_type(item.data_type()));
        }
        DataType::Struct(fields) => {
            let member = |field: &arrow_schema::FieldRef| {
                format!("{} {}", identifier(field.name()), sql_type(field.data_type()))
            };
            return format!("STRUCT({})", fields.iter().map(member).collect::<Vec<_>>().join(", "));
        }
        _ => "VARCHAR",
    };
    plain.to_owned()
}
