//! `COPY`: how rows are written or read, and the stream that carries them in.

use prost::{Enumeration, Message};

use super::{Column, RowsWanted};

/// Type URL of a [`CopyIn`] inside a `google.protobuf.Any`, the command of a `DoPut`'s first message.
///
/// That message has no data. Those after it carry `CopyData` payloads in `data_body`, cut anywhere; the last one a
/// [`CopyInEnd`] in `app_metadata`. A stream that ends without it stops the `COPY` with nothing stored. The answers, in
/// `PutResult`'s `app_metadata`, are [`CopyInAnswer`]s: `ready` before data is read, `rows` when everything is stored.
pub const COPY_IN_TYPE_URL: &str = "type.googleapis.com/pintail.v1.CopyIn";

/// A representation of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Enumeration)]
#[repr(i32)]
pub enum CopyFormat {
    /// `PostgreSQL`'s text.
    Text = 0,
    /// CSV.
    Csv = 1,
    /// `PostgreSQL`'s binary.
    Binary = 2,
    /// A Parquet file.
    Parquet = 3,
    /// An Arrow IPC stream.
    Arrow = 4,
}

/// A header line of text or CSV.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Enumeration)]
#[repr(i32)]
pub enum CopyHeader {
    /// None.
    Absent = 0,
    /// Written with the columns' names; skipped.
    Present = 1,
    /// Read and compared with the columns' names.
    Match = 2,
}

/// Columns that a `FORCE_…` option applies to.
#[derive(Clone, PartialEq, Message)]
pub struct CopyForce {
    /// `*`.
    #[prost(bool, tag = "1")]
    pub all: bool,
    /// These, by name.
    #[prost(string, repeated, tag = "2")]
    pub columns: Vec<String>,
}

/// An option of a format beyond `PostgreSQL`'s.
#[derive(Clone, PartialEq, Message)]
pub struct CopySetting {
    /// Lower case, as `compression`.
    #[prost(string, tag = "1")]
    pub name: String,
    /// As written.
    #[prost(string, tag = "2")]
    pub value: String,
}

/// Options of a `COPY`, validated by the control plane; an absent one is the format's default.
#[derive(Clone, PartialEq, Message)]
pub struct CopyOptions {
    /// The representation.
    #[prost(enumeration = "CopyFormat", tag = "1")]
    pub format: i32,
    /// One byte; empty for the default.
    #[prost(string, tag = "2")]
    pub delimiter: String,
    /// How NULL is written.
    #[prost(string, optional, tag = "3")]
    pub null: Option<String>,
    /// The header line.
    #[prost(enumeration = "CopyHeader", tag = "5")]
    pub header: i32,
    /// One byte; empty for the default.
    #[prost(string, tag = "6")]
    pub quote: String,
    /// One byte; empty for the quote.
    #[prost(string, tag = "7")]
    pub escape: String,
    /// Columns always quoted on output.
    #[prost(message, optional, tag = "8")]
    pub force_quote: Option<CopyForce>,
    /// Columns whose input is never NULL.
    #[prost(message, optional, tag = "9")]
    pub force_not_null: Option<CopyForce>,
    /// Columns whose quoted input can be NULL.
    #[prost(message, optional, tag = "10")]
    pub force_null: Option<CopyForce>,
    /// Options of other formats.
    #[prost(message, repeated, tag = "11")]
    pub settings: Vec<CopySetting>,
}

/// Rows ready to leave as `CopyData` messages.
#[derive(Clone, PartialEq, Message)]
pub struct CopyWanted {
    /// How rows are written.
    #[prost(message, optional, tag = "1")]
    pub options: Option<CopyOptions>,
    /// The session's settings; `formats` is not looked at.
    #[prost(message, optional, tag = "2")]
    pub rows: Option<RowsWanted>,
}

/// `COPY … FROM STDIN`.
#[derive(Clone, PartialEq, Message)]
pub struct CopyIn {
    /// The table's name as the engine is to find it, one to three parts, unquoted.
    #[prost(string, repeated, tag = "1")]
    pub table: Vec<String>,
    /// The columns named; empty for all.
    #[prost(string, repeated, tag = "2")]
    pub columns: Vec<String>,
    /// How rows are read.
    #[prost(message, optional, tag = "3")]
    pub options: Option<CopyOptions>,
    /// The session's settings; `formats` is not looked at.
    #[prost(message, optional, tag = "4")]
    pub rows: Option<RowsWanted>,
    /// See [`Execute::sequence`](super::Execute::sequence).
    #[prost(uint64, tag = "5")]
    pub sequence: u64,
    /// See [`Execute::timeout_ms`](super::Execute::timeout_ms). Time in which the worker waits for data counts.
    #[prost(uint64, tag = "6")]
    pub timeout_ms: u64,
    /// The table's name for errors; empty for the last part of `table`.
    #[prost(string, tag = "7")]
    pub relation: String,
}

/// The last message of a `COPY`'s data.
#[derive(Clone, PartialEq, Message)]
pub struct CopyInEnd {
    /// The client's reason to give up (`CopyFail`), empty included.
    #[prost(string, optional, tag = "1")]
    pub fail: Option<String>,
    /// In its place: the data is complete.
    #[prost(bool, tag = "2")]
    pub complete: bool,
}

/// The table is there and the rows can come.
#[derive(Clone, PartialEq, Message)]
pub struct CopyInReady {
    /// The columns in the order in which rows have them.
    #[prost(message, repeated, tag = "1")]
    pub columns: Vec<Column>,
}

/// One answer of a `COPY`.
#[derive(Clone, PartialEq, Message)]
pub struct CopyInAnswer {
    /// In the first.
    #[prost(message, optional, tag = "1")]
    pub ready: Option<CopyInReady>,
    /// In the last: the number of rows stored.
    #[prost(uint64, optional, tag = "2")]
    pub rows: Option<u64>,
}
