//! The protobuf messages inside Flight's tickets, actions and `app_metadata`.
//!
//! A session is opened with [`OPEN_SESSION`], statements run with `DoGet` on an [`Execute`] ticket, and every Flight
//! message of the answer carries a [`Frame`] in `app_metadata`. Small results are one message: header, rows and trailer
//! together. A session's statements travel best on one `DoExchange` stream: each message of the client carries an
//! [`Execute`] in `app_metadata`, and its frames come back before the next one's. `DoGet` serves statements that are read in
//! pieces. For [`want::Rows`](Want) the message's `data_body` holds whole `DataRow` messages, ready for the client's
//! socket; for [`Want::Copy`] whole `CopyData` messages; for [`Want::Arrow`] it holds an ordinary Arrow IPC record batch
//! whose schema came first. `COPY … FROM STDIN` is a `DoPut` on a [`CopyIn`] descriptor.

mod copy;
mod origins;
mod session;

use prost::{Message, Oneof};

pub use self::copy::{
    COPY_IN_TYPE_URL, CopyForce, CopyFormat, CopyHeader, CopyIn, CopyInAnswer, CopyInEnd, CopyInReady, CopyOptions,
    CopySetting, CopyWanted,
};
pub use self::origins::{OriginColumn, OriginFrom, OriginName, OriginPlace, OriginTable, Origins};
pub use self::session::{ANSWER_CALL, CALLS, CallAnswer, CallArgument, Relation, SessionCall};

/// Type URL of an [`Execute`] ticket inside a `google.protobuf.Any`, beside the standard Flight SQL tickets.
pub const EXECUTE_TYPE_URL: &str = "type.googleapis.com/pintail.v1.Execute";

/// `DoAction` type: [`OpenSession`] → [`SessionOpened`]. Fails with 53300 while another session is open.
pub const OPEN_SESSION: &str = "pintail.open_session";
/// `DoAction` type: empty → empty. Ends the session and its instance; the worker is hot idle afterwards.
pub const CLOSE_SESSION: &str = "pintail.close_session";
/// `DoAction` type: [`Prepare`] → [`Prepared`]. Executes nothing.
pub const PREPARE: &str = "pintail.prepare";
/// `DoAction` type: [`CloseStatement`] → empty.
pub const CLOSE_STATEMENT: &str = "pintail.close_statement";
/// `DoAction` type: [`CloseKept`] → empty.
pub const CLOSE_KEPT: &str = "pintail.close_kept";
/// `DoAction` type: [`Cancel`] → empty. Interrupts the named statement if it is the one that runs or streams.
pub const CANCEL: &str = "pintail.cancel";
/// `DoAction` type: empty → [`WorkerStatus`].
pub const STATUS: &str = "pintail.status";

/// Starts the one session of a worker.
#[derive(Clone, PartialEq, Message)]
pub struct OpenSession {
    /// The control plane's session id, for logs.
    #[prost(string, tag = "1")]
    pub session_id: String,
    /// SQL that the control plane wants run before the client's first statement (session macros), trusted.
    #[prost(string, repeated, tag = "2")]
    pub setup: Vec<String>,
    /// The catalog to start in; empty for the first of the bootstrap.
    #[prost(string, tag = "3")]
    pub catalog: String,
}

/// The proof that a session may use the instance.
#[derive(Clone, PartialEq, Message)]
pub struct SessionOpened {
    /// `enable_external_access` read back from the instance; must be false.
    #[prost(bool, tag = "1")]
    pub external_access: bool,
    /// `lock_configuration` read back; must be true.
    #[prost(bool, tag = "2")]
    pub configuration_locked: bool,
    /// The kernel wall as raised: `"up"`, `"partial: …"`, `"off: …"`.
    #[prost(string, tag = "3")]
    pub kernel_wall: String,
    /// The worker's process-wide name.
    #[prost(string, tag = "4")]
    pub worker_id: String,
}

/// A statement to prepare once.
#[derive(Clone, PartialEq, Message)]
pub struct Prepare {
    /// One `DuckDB` statement with `$n` parameters.
    #[prost(string, tag = "1")]
    pub sql: String,
    /// The client's parameter types by position; 0 where it left the choice to the server.
    #[prost(uint32, repeated, tag = "2")]
    pub param_oids: Vec<u32>,
    /// Types that the result's columns are announced under, by position; 0 where the engine's own is right. An announced
    /// type that the engine's values cannot be written as is passed over.
    #[prost(uint32, repeated, tag = "3")]
    pub column_oids: Vec<u32>,
    /// Where the result's columns come from; absent where nobody can tell.
    #[prost(message, optional, tag = "4")]
    pub origins: Option<Origins>,
}

/// What a prepared statement takes and returns.
#[derive(Clone, PartialEq, Message)]
pub struct Prepared {
    /// The name by which tickets call it; never 0.
    #[prost(uint64, tag = "1")]
    pub handle: u64,
    /// Result columns; empty where the statement returns no rows.
    #[prost(message, repeated, tag = "2")]
    pub columns: Vec<Column>,
    /// One type a parameter: the client's, else the engine's, else text (25).
    #[prost(uint32, repeated, tag = "3")]
    pub param_oids: Vec<u32>,
    /// Whether execution yields rows (a `SELECT` of no columns cannot be told apart by `columns`).
    #[prost(bool, tag = "4")]
    pub returns_rows: bool,
    /// Relations of the control plane's that execution needs, see [`Execute::relations`].
    #[prost(string, repeated, tag = "5")]
    pub relations: Vec<String>,
}

/// A result column as `RowDescription` wants it.
#[derive(Clone, PartialEq, Message)]
pub struct Column {
    /// The engine's name for it.
    #[prost(string, tag = "1")]
    pub name: String,
    /// `PostgreSQL` type OID.
    #[prost(uint32, tag = "2")]
    pub type_oid: u32,
    /// `PostgreSQL` typmod, −1 for none.
    #[prost(sint32, tag = "3")]
    pub typmod: i32,
    /// `typlen` of the type: a byte count, −1 for variable length.
    #[prost(sint32, tag = "4")]
    pub type_len: i32,
    /// `pg_class.oid` of the table that it is a column of, 0 where it is none.
    #[prost(uint32, tag = "5")]
    pub table_oid: u32,
    /// `pg_attribute.attnum` in that table.
    #[prost(sint32, tag = "6")]
    pub number: i32,
}

/// Frees a prepared statement.
#[derive(Clone, PartialEq, Message)]
pub struct CloseStatement {
    /// From [`Prepared::handle`].
    #[prost(uint64, tag = "1")]
    pub handle: u64,
}

/// Frees a result that was kept; its statement is stopped if it still runs.
#[derive(Clone, PartialEq, Message)]
pub struct CloseKept {
    /// [`Execute::sequence`] of its statement.
    #[prost(uint64, tag = "1")]
    pub result: u64,
}

/// Interrupts one statement.
#[derive(Clone, PartialEq, Message)]
pub struct Cancel {
    /// [`Execute::sequence`] of the statement meant; a statement with another number is left alone.
    #[prost(uint64, tag = "1")]
    pub sequence: u64,
}

/// A worker's account of itself.
#[derive(Clone, PartialEq, Message)]
pub struct WorkerStatus {
    /// The worker's name.
    #[prost(string, tag = "1")]
    pub worker_id: String,
    /// Whether a session is open.
    #[prost(bool, tag = "2")]
    pub busy: bool,
    /// Whether an instance reported an internal or fatal error: retire, do not reuse.
    #[prost(bool, tag = "3")]
    pub broken: bool,
    /// Whether a standby instance is ready.
    #[prost(bool, tag = "4")]
    pub standby_ready: bool,
    /// The kernel wall as raised.
    #[prost(string, tag = "5")]
    pub kernel_wall: String,
}

/// One statement in one round trip.
#[derive(Clone, PartialEq, Message)]
pub struct Execute {
    /// A prepared statement's handle, or 0 with `sql`.
    #[prost(uint64, tag = "1")]
    pub handle: u64,
    /// The text where `handle` is 0.
    #[prost(string, tag = "2")]
    pub sql: String,
    /// Parameters as the client sent them, by position.
    #[prost(message, repeated, tag = "3")]
    pub params: Vec<Param>,
    /// The control plane's number for this statement, unique in the session, for [`Cancel`].
    #[prost(uint64, tag = "4")]
    pub sequence: u64,
    /// Milliseconds that the statement may take in the worker; 0 for no limit. Past it: 57014.
    #[prost(uint64, tag = "5")]
    pub timeout_ms: u64,
    /// The representation wanted.
    #[prost(oneof = "Want", tags = "6, 7, 10")]
    pub want: Option<Want>,
    /// The client's parameter types where `sql` is given and has parameters.
    #[prost(uint32, repeated, tag = "8")]
    pub param_oids: Vec<u32>,
    /// See [`Prepare::column_oids`]; for `sql` only.
    #[prost(uint32, repeated, tag = "9")]
    pub column_oids: Vec<u32>,
    /// See [`Prepare::origins`]; for `sql` only.
    #[prost(message, optional, tag = "12")]
    pub origins: Option<Origins>,
    /// Rows of relations that only the control plane can answer, for this statement.
    #[prost(message, repeated, tag = "11")]
    pub relations: Vec<Relation>,
    /// Keeps the rows in the worker under `sequence`: the answer is header and trailer at once.
    #[prost(message, optional, tag = "20")]
    pub keep: Option<Keep>,
    /// Reads rows of a kept result in place of running a statement; of the rest of the message only `sequence`,
    /// `timeout_ms` and `want` count.
    #[prost(message, optional, tag = "21")]
    pub read: Option<ReadKept>,
}

/// How a result is kept.
#[derive(Clone, PartialEq, Message)]
pub struct Keep {
    /// Whether its rows can be read again; otherwise each reading begins behind the last row of the one before.
    #[prost(bool, tag = "1")]
    pub rewind: bool,
}

/// Rows of a kept result. The answer's trailer counts those that there were, read or discarded.
#[derive(Clone, PartialEq, Message)]
pub struct ReadKept {
    /// [`Execute::sequence`] of the statement that made it.
    #[prost(uint64, tag = "1")]
    pub result: u64,
    /// The number of the first row wanted, from 1.
    #[prost(uint64, tag = "2")]
    pub first: u64,
    /// How many at most.
    #[prost(uint64, tag = "3")]
    pub rows: u64,
    /// From the first row wanted back to the beginning.
    #[prost(bool, tag = "4")]
    pub backwards: bool,
    /// Count the rows only.
    #[prost(bool, tag = "5")]
    pub discard: bool,
    /// Have the engine give all rows first, and fail where it fails.
    #[prost(bool, tag = "6")]
    pub to_end: bool,
}

/// A parameter value as it came in Bind.
#[derive(Clone, PartialEq, Message)]
pub struct Param {
    /// 0 text, 1 binary.
    #[prost(uint32, tag = "1")]
    pub format: u32,
    /// The bytes; absent for NULL.
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub value: Option<bytes::Bytes>,
    /// The parameter's type OID as described to the client or declared by it.
    #[prost(uint32, tag = "3")]
    pub type_oid: u32,
}

/// The representation of a result.
#[expect(clippy::large_enum_variant, reason = "there is one a statement")]
#[derive(Clone, PartialEq, Oneof)]
pub enum Want {
    /// Whole `DataRow` messages.
    #[prost(message, tag = "6")]
    Rows(RowsWanted),
    /// Arrow record batches.
    #[prost(message, tag = "7")]
    Arrow(ArrowWanted),
    /// Whole `CopyData` messages.
    #[prost(message, tag = "10")]
    Copy(CopyWanted),
}

/// Rows ready for the wire.
#[derive(Clone, PartialEq, Message)]
pub struct RowsWanted {
    /// Result formats as in Bind: none (all text), one for all, or one a column.
    #[prost(uint32, repeated, tag = "1")]
    pub formats: Vec<u32>,
    /// `DateStyle`, as `ISO, MDY`; empty for the default.
    #[prost(string, tag = "2")]
    pub date_style: String,
    /// `IntervalStyle`; empty for `postgres`.
    #[prost(string, tag = "3")]
    pub interval_style: String,
    /// IANA time zone; empty for UTC.
    #[prost(string, tag = "4")]
    pub time_zone: String,
    /// `hex` or `escape`; empty for `hex`.
    #[prost(string, tag = "5")]
    pub bytea_output: String,
    /// `extra_float_digits`; 1 is the default.
    #[prost(sint32, tag = "6")]
    pub extra_float_digits: i32,
}

/// Arrow batches.
#[derive(Clone, PartialEq, Message)]
pub struct ArrowWanted {}

/// `app_metadata` of each Flight message of an [`Execute`] answer.
#[derive(Clone, PartialEq, Message)]
pub struct Frame {
    /// In the first message.
    #[prost(message, optional, tag = "1")]
    pub header: Option<Header>,
    /// How many rows `data_body` holds: `DataRow` messages, or rows of a `COPY`, whose `CopyData` messages can be more (a
    /// header line, a binary trailer) or fewer (a Parquet file's).
    #[prost(uint32, tag = "2")]
    pub rows: u32,
    /// In the last message.
    #[prost(message, optional, tag = "3")]
    pub trailer: Option<Trailer>,
    /// In place of a trailer, on a `DoExchange` stream, whose status belongs to the session and not to one statement.
    #[prost(message, optional, tag = "4")]
    pub error: Option<ErrorDetail>,
    /// In place of everything else: nothing ran, and the statement is to be sent again with these relations.
    #[prost(string, repeated, tag = "5")]
    pub needs: Vec<String>,
}

/// What the result looks like.
#[derive(Clone, PartialEq, Message)]
pub struct Header {
    /// Result columns; empty where the statement returns no rows.
    #[prost(message, repeated, tag = "1")]
    pub columns: Vec<Column>,
    /// Whether rows follow (perhaps none).
    #[prost(bool, tag = "2")]
    pub returns_rows: bool,
}

/// How the statement ended.
#[derive(Clone, PartialEq, Message)]
pub struct Trailer {
    /// Rows returned, or rows changed where the statement returns none.
    #[prost(uint64, tag = "1")]
    pub count: u64,
    /// Time in the engine, microseconds.
    #[prost(uint64, tag = "2")]
    pub engine_us: u64,
}

/// In `tonic::Status::details` of a failed call.
#[derive(Clone, PartialEq, Message)]
pub struct ErrorDetail {
    /// Five characters.
    #[prost(string, tag = "1")]
    pub sqlstate: String,
    /// The primary message, fit for the client.
    #[prost(string, tag = "2")]
    pub message: String,
    /// `D`; empty for none.
    #[prost(string, tag = "3")]
    pub detail: String,
    /// `H`; empty for none.
    #[prost(string, tag = "4")]
    pub hint: String,
    /// `P`: a 1-based character offset into the text that the worker was given; 0 for none.
    #[prost(uint32, tag = "5")]
    pub position: u32,
    /// `s`, `t`, `c`, `n`; empty for none.
    #[prost(string, tag = "6")]
    pub schema: String,
    /// See `schema`.
    #[prost(string, tag = "7")]
    pub table: String,
    /// See `schema`.
    #[prost(string, tag = "8")]
    pub column: String,
    /// See `schema`.
    #[prost(string, tag = "9")]
    pub constraint: String,
    /// The instance is not to be trusted any more; the worker must be retired.
    #[prost(bool, tag = "10")]
    pub worker_broken: bool,
    /// `W`; empty for none.
    #[prost(string, tag = "11")]
    pub context: String,
}
