//! `PostgreSQL`'s types: their OIDs, results as rows in text and binary, parameters as values,
//! and `COPY`'s formats both ways.
//!
//! Knows Arrow columns as the engine exports them, and `PostgreSQL`'s formats. Does no I/O and knows no clock.

mod calendar;
mod copy;
mod encode;
mod error;
mod kind;
mod mapping;
pub mod oid;
mod params;
mod plain;
mod settings;
mod types;
mod zone;

pub use copy::{CopyColumns, CopyDecoder, CopyEncoder, CopyFormat, CopyHeader, CopyOptions, CopyProblem, read_copy};
pub use encode::{ColumnSpec, Format, RowEncoder};
pub use error::Error;
pub use mapping::{announced_type, pg_type};
pub use params::{ArrayValue, ParamValue, decode_param};
pub use plain::PlainColumns;
pub use settings::{ByteaOutput, DateFormat, DateOrder, DateStyle, IntervalStyle, RenderSettings};
pub use types::{PgType, array_of, element_of, type_by_name, type_info};
pub use zone::TimeZone;
