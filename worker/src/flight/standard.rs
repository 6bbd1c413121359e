//! Standard Flight SQL for stock clients: queries and updates as Arrow, prepared statements without parameters, ingestion.
//!
//! A stock client opens no session; its first call does.

use std::sync::Arc;

use arrow_flight::decode::FlightRecordBatchStream;
use arrow_flight::error::FlightError;
use arrow_flight::sql::metadata::SqlInfoDataBuilder;
use arrow_flight::sql::{Any, CommandStatementIngest, SqlInfo};
use arrow_flight::sql::{TableExistsOption, TableNotExistOption};
use arrow_flight::{FlightData, FlightDescriptor, FlightEndpoint, FlightInfo, Ticket};
use arrow_schema::SchemaRef;
use futures::{Stream, StreamExt, TryStreamExt};
use pintail_worker_api::messages::{ArrowWanted, Execute, Frame, Prepare, Want};
use prost::Message;
use tokio::sync::mpsc;

use crate::error::Error;
use crate::session::{Creation, Described, Ingest, Session};
use crate::worker::Worker;

/// Batches that wait for the engine.
const BATCHES: usize = 4;

/// Prepares a query, so that its schema can be told before it runs.
pub(super) async fn prepare(worker: &Arc<Worker>, sql: &str) -> Result<Described, Error> {
    let session = worker.session_or_open().await?;
    session
        .prepare(Prepare {
            sql: sql.to_owned(),
            param_oids: Vec::new(),
            ..Prepare::default()
        })
        .await
}

/// Where the answer to a prepared query can be fetched.
pub(super) fn info(described: &Described, ticket: &Any, descriptor: FlightDescriptor) -> Result<FlightInfo, Error> {
    let endpoint = FlightEndpoint::new().with_ticket(Ticket {
        ticket: ticket.encode_to_vec().into(),
    });
    let info = FlightInfo::new().try_with_schema(&described.schema);
    let info = info.map_err(|error| Error::Internal(error.to_string()))?;
    Ok(info.with_endpoint(endpoint).with_descriptor(descriptor))
}

/// The rows of a prepared statement as plain Arrow.
pub(super) async fn fetch(
    session: Arc<Session>,
    handle: u64,
    keep: Keep,
) -> Result<impl Stream<Item = Result<FlightData, Error>> + Send + 'static, Error> {
    let messages = session
        .execute(Execute {
            handle,
            want: Some(arrow()),
            ..Execute::default()
        })
        .await?;
    if keep == Keep::No {
        session.close_statement(handle)?;
    }
    // The trailer's message holds no Arrow, which some clients do not expect.
    let has_arrow = |message: &Result<FlightData, Error>| {
        let is_empty = message.as_ref().is_ok_and(|message| message.data_header.is_empty());
        futures::future::ready(!is_empty)
    };
    Ok(messages.filter(has_arrow))
}

/// Whether a statement outlives its execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// Until it is closed.
    Yes,
    /// No.
    No,
}

/// Runs a statement for its count.
pub(super) async fn update(session: &Session, execute: Execute) -> Result<i64, Error> {
    let mut messages = session
        .execute(Execute {
            want: Some(arrow()),
            ..execute
        })
        .await?;
    let mut count = 0;
    while let Some(message) = messages.try_next().await? {
        let frame = Frame::decode(message.app_metadata).map_err(|error| Error::Internal(error.to_string()))?;
        count = frame.trailer.map_or(count, |trailer| trailer.count);
    }
    Ok(i64::try_from(count).unwrap_or(i64::MAX))
}

/// Loads a stream of batches into a table.
pub(super) async fn ingest(
    worker: &Arc<Worker>,
    command: CommandStatementIngest,
    messages: impl Stream<Item = Result<FlightData, tonic::Status>> + Send + Unpin + 'static,
) -> Result<i64, Error> {
    let session = worker.session_or_open().await?;
    let lost = |error: FlightError| Error::BadRequest(format!("the batches could not be read: {error}"));
    let mut stream =
        FlightRecordBatchStream::new_from_flight_data(messages.map_err(|status| FlightError::Tonic(Box::new(status))));
    let first = stream.next().await.transpose().map_err(lost)?;
    let schema = stream
        .schema()
        .cloned()
        .ok_or_else(|| Error::BadRequest("no schema came".to_owned()))?;
    let (sender, batches) = mpsc::channel(BATCHES);
    let table = Ingest {
        catalog: command.catalog.clone().unwrap_or_default(),
        schema: command.schema.clone().unwrap_or_default(),
        creation: creation(&command),
        table: if command.temporary {
            return Err(temporary());
        } else {
            command.table
        },
        columns: schema.as_ref().clone(),
        batches,
    };
    let feed = async move {
        if let Some(batch) = first {
            // A load that failed reads no further; its own error is told.
            let _ = sender.send(Ok(batch)).await;
        }
        while let Some(batch) = stream.next().await {
            if sender.send(batch.map_err(lost)).await.is_err() {
                return;
            }
        }
    };
    let (count, ()) = tokio::join!(session.ingest(table), feed);
    count.map(|count| i64::try_from(count).unwrap_or(i64::MAX))
}

fn temporary() -> Error {
    Error::BadRequest("ingestion into temporary tables is not supported".to_owned())
}

fn creation(command: &CommandStatementIngest) -> Creation {
    let Some(options) = &command.table_definition_options else {
        return Creation::Never;
    };
    let creates = options.if_not_exist() == TableNotExistOption::Create;
    match options.if_exists() {
        TableExistsOption::Replace => Creation::Replacing,
        TableExistsOption::Append if creates => Creation::WhereMissing,
        _ if creates => Creation::Always,
        _ => Creation::Never,
    }
}

/// What clients ask about a server before they do anything.
pub(super) fn sql_info() -> Result<arrow_flight::sql::metadata::SqlInfoData, Error> {
    let mut builder = SqlInfoDataBuilder::new();
    builder.append(SqlInfo::FlightSqlServerName, "Pintail");
    builder.append(SqlInfo::FlightSqlServerVersion, env!("CARGO_PKG_VERSION"));
    builder.append(SqlInfo::FlightSqlServerReadOnly, false);
    builder.append(SqlInfo::FlightSqlServerBulkIngestion, true);
    builder.build().map_err(|error| Error::Internal(error.to_string()))
}

/// A schema in the form that a prepared statement's answer carries.
pub(super) fn schema_bytes(schema: &SchemaRef) -> Result<bytes::Bytes, Error> {
    let options = arrow_ipc::writer::IpcWriteOptions::default();
    let message = arrow_flight::IpcMessage::try_from(arrow_flight::SchemaAsIpc::new(schema, &options));
    message
        .map(|message| message.0)
        .map_err(|error| Error::Internal(error.to_string()))
}

fn arrow() -> Want {
    Want::Arrow(ArrowWanted {})
}
