//! Backend messages into a buffer. `DataRow` messages come whole from workers and do not pass here.

use bytes::{BufMut, BytesMut};
use pgwire::messages::Message;
use pgwire::messages::copy::{CopyDone, CopyInResponse, CopyOutResponse};
use pgwire::messages::data::{FieldDescription, NoData, ParameterDescription, RowDescription};
use pgwire::messages::extendedquery::{BindComplete, CloseComplete, ParseComplete, PortalSuspended};
use pgwire::messages::response::{
    CommandComplete, EmptyQueryResponse, ErrorResponse, NoticeResponse, ReadyForQuery, TransactionStatus,
};
use pgwire::messages::startup::{Authentication, BackendKeyData, NegotiateProtocolVersion, ParameterStatus, SecretKey};
use pintail_sqlstate::{Report, Severity, SqlState};

use super::startup::CancelKey;

/// Longest text of an error's field; the rest is cut.
const LONGEST_FIELD: usize = 64 << 10;

/// What a prepared statement says whose result is another than it was described as.
const RESULT_TYPE_CHANGED: &str = "cached plan must not change result type";
/// The routine by which asyncpg and pgjdbc know that error, to prepare the statement again.
const REVALIDATE: &str = "RevalidateCachedQuery";

/// One column of a row description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnDescription {
    /// Its name.
    pub name: String,
    /// Type OID.
    pub type_oid: u32,
    /// `typlen`.
    pub type_len: i16,
    /// Typmod, −1 for none.
    pub typmod: i32,
    /// The table that it is a column of, 0 where it is none.
    pub table_oid: u32,
    /// Its number in that table, 0 where it is none.
    pub number: i16,
    /// 0 text, 1 binary.
    pub format: i16,
}

/// Appends one message.
///
/// Encoding fails only where a message is larger than the protocol allows, which none built here can be.
fn put(buffer: &mut BytesMut, message: &impl Message) {
    let start = buffer.len();
    if let Err(error) = message.encode(buffer) {
        buffer.truncate(start);
        tracing::error!(%error, "a backend message could not be encoded");
    }
}

/// `AuthenticationSASL` with the mechanisms offered.
pub fn authentication_sasl(buffer: &mut BytesMut, mechanisms: Vec<String>) {
    put(buffer, &Authentication::SASL(mechanisms));
}

/// `AuthenticationSASLContinue`.
pub fn authentication_continue(buffer: &mut BytesMut, data: String) {
    put(buffer, &Authentication::SASLContinue(data.into_bytes().into()));
}

/// `AuthenticationSASLFinal`, then `AuthenticationOk`.
pub fn authentication_ok(buffer: &mut BytesMut, data: String) {
    put(buffer, &Authentication::SASLFinal(data.into_bytes().into()));
    put(buffer, &Authentication::Ok);
}

/// `NegotiateProtocolVersion` with the version that is spoken from here on, which is never newer than the one asked for.
pub fn negotiate_version(buffer: &mut BytesMut, minor: u16, unknown_options: Vec<String>) {
    let version = 3 << 16 | i32::from(minor);
    put(buffer, &NegotiateProtocolVersion::new(version, unknown_options));
}

/// `ParameterStatus`.
pub fn parameter_status(buffer: &mut BytesMut, name: &str, value: &str) {
    put(buffer, &ParameterStatus::new(name.to_owned(), value.to_owned()));
}

/// `BackendKeyData`.
pub fn backend_key(buffer: &mut BytesMut, key: &CancelKey) {
    put(
        buffer,
        &BackendKeyData::new(key.pid, SecretKey::Bytes(key.secret.clone())),
    );
}

/// `ReadyForQuery` with `I`, `T` or `E`.
pub fn ready(buffer: &mut BytesMut, status: TransactionStatus) {
    put(buffer, &ReadyForQuery::new(status));
}

/// `CommandComplete`.
pub fn command_complete(buffer: &mut BytesMut, tag: String) {
    put(buffer, &CommandComplete::new(tag));
}

/// `EmptyQueryResponse`.
pub fn empty_query(buffer: &mut BytesMut) {
    put(buffer, &EmptyQueryResponse::new());
}

/// `ParseComplete`.
pub fn parse_complete(buffer: &mut BytesMut) {
    put(buffer, &ParseComplete::new());
}

/// `BindComplete`.
pub fn bind_complete(buffer: &mut BytesMut) {
    put(buffer, &BindComplete::new());
}

/// `CloseComplete`.
pub fn close_complete(buffer: &mut BytesMut) {
    put(buffer, &CloseComplete::new());
}

/// `NoData`.
pub fn no_data(buffer: &mut BytesMut) {
    put(buffer, &NoData::new());
}

/// `PortalSuspended`.
pub fn portal_suspended(buffer: &mut BytesMut) {
    put(buffer, &PortalSuspended::new());
}

/// `ParameterDescription`.
pub fn parameter_description(buffer: &mut BytesMut, types: &[u32]) {
    put(buffer, &ParameterDescription::new(types.to_vec()));
}

/// `RowDescription`.
pub fn row_description(buffer: &mut BytesMut, columns: &[ColumnDescription]) {
    let fields = columns
        .iter()
        .map(|column| {
            FieldDescription::new(
                column.name.clone(),
                // An OID is unsigned, the message's field is not.
                column.table_oid.cast_signed(),
                column.number,
                column.type_oid,
                column.type_len,
                column.typmod,
                column.format,
            )
        })
        .collect();
    put(buffer, &RowDescription::new(fields));
}

/// `DataRow` of text values that the control plane itself knows.
pub fn text_row(buffer: &mut BytesMut, values: &[Option<&str>]) {
    let size: usize = values.iter().map(|value| 4 + value.map_or(0, str::len)).sum();
    buffer.put_u8(b'D');
    buffer.put_u32(wire_length(size + 6));
    buffer.put_u16(u16::try_from(values.len()).unwrap_or(u16::MAX));
    for value in values {
        match value {
            Some(text) => {
                buffer.put_u32(wire_length(text.len()));
                buffer.put_slice(text.as_bytes());
            }
            None => buffer.put_i32(-1),
        }
    }
}

/// `CopyInResponse`: 0 text or 1 binary, for so many columns.
pub fn copy_in_response(buffer: &mut BytesMut, format: i8, columns: usize) {
    let columns = i16::try_from(columns).unwrap_or(i16::MAX);
    let formats = vec![i16::from(format); usize::try_from(columns).unwrap_or(0)];
    put(buffer, &CopyInResponse::new(format, columns, formats));
}

/// `CopyOutResponse`: 0 text or 1 binary, for so many columns.
pub fn copy_out_response(buffer: &mut BytesMut, format: i8, columns: usize) {
    let columns = i16::try_from(columns).unwrap_or(i16::MAX);
    let formats = vec![i16::from(format); usize::try_from(columns).unwrap_or(0)];
    put(buffer, &CopyOutResponse::new(format, columns, formats));
}

/// `CopyDone`.
pub fn copy_done(buffer: &mut BytesMut) {
    put(buffer, &CopyDone::new());
}

/// `NotificationResponse`.
pub fn notification(buffer: &mut BytesMut, pid: i32, channel: &str, payload: &str) {
    buffer.put_u8(b'A');
    buffer.put_u32(wire_length(channel.len() + payload.len() + 10));
    buffer.put_i32(pid);
    for text in [channel, payload] {
        buffer.put_slice(text.as_bytes());
        buffer.put_u8(0);
    }
}

fn wire_length(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// `ErrorResponse` or `NoticeResponse`, by severity.
pub fn report(buffer: &mut BytesMut, report: &Report) {
    let fields = fields(report);
    match report.severity {
        Severity::Error | Severity::Fatal | Severity::Panic => put(buffer, &ErrorResponse::new(fields)),
        _ => put(buffer, &NoticeResponse::new(fields)),
    }
}

/// An error in the form of protocol 2, for a client that knows no other: a type byte and a line.
pub fn error_of_protocol_2(report: &Report) -> Vec<u8> {
    format!("E{}:  {}\n\0", report.severity.as_str(), text(&report.message)).into_bytes()
}

fn fields(report: &Report) -> Vec<(u8, String)> {
    let severity = report.severity.as_str().to_owned();
    let mut fields = vec![
        (b'S', severity.clone()),
        (b'V', severity),
        (b'C', report.sqlstate.as_str().to_owned()),
        (b'M', text(&report.message)),
    ];
    let position = report.position.map(|position| position.to_string());
    for (code, value) in [
        (b'D', &report.detail),
        (b'H', &report.hint),
        (b'P', &position),
        (b's', &report.schema),
        (b't', &report.table),
        (b'c', &report.column),
        (b'n', &report.constraint),
        (b'W', &report.context),
    ] {
        if let Some(value) = value {
            fields.push((code, text(value)));
        }
    }
    if report.sqlstate == SqlState::FEATURE_NOT_SUPPORTED && report.message == RESULT_TYPE_CHANGED {
        fields.push((b'R', REVALIDATE.to_owned()));
    }
    fields
}

/// A field ends at its zero byte and is kept to a length that every client takes.
fn text(value: &str) -> String {
    let mut end = value.len().min(LONGEST_FIELD);
    while !value.is_char_boundary(end) {
        end -= 1;
    }
    value[..end].replace('\0', "")
}
