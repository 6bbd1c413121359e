//! The service itself: the contract's ticket and actions beside standard Flight SQL.

use std::sync::Arc;

use arrow_flight::encode::FlightDataEncoderBuilder;
use arrow_flight::flight_service_server::FlightService;
use arrow_flight::sql::server::{FlightSqlService, PeekableFlightDataStream};
use arrow_flight::sql::{
    ActionBeginTransactionRequest, ActionBeginTransactionResult, ActionClosePreparedStatementRequest,
    ActionCreatePreparedStatementRequest, ActionCreatePreparedStatementResult, ActionEndTransactionRequest, Any,
    CommandGetSqlInfo, CommandPreparedStatementQuery, CommandPreparedStatementUpdate, CommandStatementIngest,
    CommandStatementQuery, CommandStatementUpdate, EndTransaction, ProstMessageExt, SqlInfo, TicketStatementQuery,
};
use arrow_flight::{Action, FlightData, FlightDescriptor, FlightEndpoint, FlightInfo, Ticket};
use bytes::Bytes;
use futures::{Stream, StreamExt, TryStreamExt};
use pintail_sqlstate::ToReport;
use pintail_worker_api::error::to_detail;
use pintail_worker_api::messages::{CALLS, COPY_IN_TYPE_URL, EXECUTE_TYPE_URL, Execute, Frame};
use prost::Message;
use tonic::{Request, Response, Status, Streaming};

use super::standard::{self, Keep};
use super::{actions, copy};
use crate::error::Error;
use crate::worker::Worker;

/// The worker as a Flight service.
pub(super) struct Service {
    worker: Arc<Worker>,
}

type DoGet = Response<<Service as FlightService>::DoGetStream>;
type DoAction = Response<<Service as FlightService>::DoActionStream>;

impl Service {
    /// Serves a worker.
    pub(super) fn new(worker: Arc<Worker>) -> Self {
        Self { worker }
    }

    async fn fetch(&self, handle: &[u8], keep: Keep) -> Result<DoGet, Error> {
        let rows = standard::fetch(self.worker.session()?, read_handle(handle)?, keep).await?;
        Ok(answer(rows))
    }

    async fn info(&self, sql: &str, descriptor: FlightDescriptor) -> Result<FlightInfo, Error> {
        let described = standard::prepare(&self.worker, sql).await?;
        let handle = write_handle(described.description.handle);
        standard::info(
            &described,
            &TicketStatementQuery {
                statement_handle: handle,
            }
            .as_any(),
            descriptor,
        )
    }

    async fn update(&self, execute: Execute) -> Result<i64, Error> {
        let session = self.worker.session_or_open().await?;
        standard::update(&session, execute).await
    }

    async fn create(&self, sql: &str) -> Result<ActionCreatePreparedStatementResult, Error> {
        let described = standard::prepare(&self.worker, sql).await?;
        Ok(ActionCreatePreparedStatementResult {
            prepared_statement_handle: write_handle(described.description.handle),
            dataset_schema: standard::schema_bytes(&described.schema)?,
            parameter_schema: Bytes::new(),
        })
    }
}

#[tonic::async_trait]
impl FlightSqlService for Service {
    type FlightService = Self;

    async fn do_get_fallback(&self, _: Request<Ticket>, message: Any) -> Result<DoGet, Status> {
        if message.type_url != EXECUTE_TYPE_URL {
            return Err(Status::unimplemented(format!("unknown ticket {}", message.type_url)));
        }
        let session = told(self.worker.session())?;
        let execute = told(actions::read(message.value))?;
        match session.execute(execute).await {
            Err(Error::Needs(relations)) => Ok(answer(futures::stream::iter([Ok(framed(&needs(relations)))]))),
            outcome => told(outcome).map(answer),
        }
    }

    async fn do_exchange_fallback(
        &self,
        request: Request<Streaming<FlightData>>,
    ) -> Result<Response<<Self as FlightService>::DoExchangeStream>, Status> {
        let session = told(self.worker.session())?;
        let answers = request.into_inner().then(move |message| {
            let session = Arc::clone(&session);
            async move {
                let execute = actions::read(message?.app_metadata).map_err(|error| error.to_status())?;
                Ok::<_, Status>(match session.execute(execute).await {
                    Ok(frames) => frames.map(|frame| frame.unwrap_or_else(failed)).boxed(),
                    Err(error) => futures::stream::iter([failed(error)]).boxed(),
                })
            }
        });
        Ok(Response::new(Box::pin(
            answers.map_ok(|frames| frames.map(Ok)).try_flatten(),
        )))
    }

    async fn do_action_fallback(&self, request: Request<Action>) -> Result<DoAction, Status> {
        if request.get_ref().r#type == CALLS {
            return told(actions::calls(&self.worker)).map(Response::new);
        }
        let answer = told(actions::run(&self.worker, request.into_inner()).await)?;
        Ok(Response::new(Box::pin(futures::stream::iter([Ok(answer)]))))
    }

    async fn get_flight_info_statement(
        &self,
        query: CommandStatementQuery,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        told(self.info(&query.query, request.into_inner()).await).map(Response::new)
    }

    async fn do_get_statement(&self, ticket: TicketStatementQuery, _: Request<Ticket>) -> Result<DoGet, Status> {
        told(self.fetch(&ticket.statement_handle, Keep::No).await)
    }

    async fn do_put_statement_update(
        &self,
        command: CommandStatementUpdate,
        _: Request<PeekableFlightDataStream>,
    ) -> Result<i64, Status> {
        told(
            self.update(Execute {
                sql: command.query,
                ..Execute::default()
            })
            .await,
        )
    }

    async fn do_put_statement_ingest(
        &self,
        command: CommandStatementIngest,
        request: Request<PeekableFlightDataStream>,
    ) -> Result<i64, Status> {
        told(standard::ingest(&self.worker, command, request.into_inner().into_peekable()).await)
    }

    async fn do_put_fallback(
        &self,
        request: Request<PeekableFlightDataStream>,
        message: Any,
    ) -> Result<Response<<Self as FlightService>::DoPutStream>, Status> {
        if message.type_url != COPY_IN_TYPE_URL {
            return Err(Status::unimplemented(format!("unknown command {}", message.type_url)));
        }
        let copy = told(actions::read(message.value))?;
        let session = told(self.worker.session())?;
        let run = told(session.copy_in(copy).await)?;
        Ok(Response::new(Box::pin(copy::answers(
            run,
            request.into_inner().into_inner(),
        ))))
    }

    async fn do_action_create_prepared_statement(
        &self,
        command: ActionCreatePreparedStatementRequest,
        _: Request<Action>,
    ) -> Result<ActionCreatePreparedStatementResult, Status> {
        told(self.create(&command.query).await)
    }

    async fn do_action_close_prepared_statement(
        &self,
        command: ActionClosePreparedStatementRequest,
        _: Request<Action>,
    ) -> Result<(), Status> {
        let handle = told(read_handle(&command.prepared_statement_handle))?;
        told(
            self.worker
                .session()
                .and_then(|session| session.close_statement(handle)),
        )
    }

    async fn get_flight_info_prepared_statement(
        &self,
        command: CommandPreparedStatementQuery,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        let ticket = Ticket {
            ticket: command.as_any().encode_to_vec().into(),
        };
        let endpoint = FlightEndpoint::new().with_ticket(ticket);
        Ok(Response::new(
            FlightInfo::new()
                .with_endpoint(endpoint)
                .with_descriptor(request.into_inner()),
        ))
    }

    async fn do_get_prepared_statement(
        &self,
        command: CommandPreparedStatementQuery,
        _: Request<Ticket>,
    ) -> Result<DoGet, Status> {
        told(self.fetch(&command.prepared_statement_handle, Keep::Yes).await)
    }

    async fn do_put_prepared_statement_update(
        &self,
        command: CommandPreparedStatementUpdate,
        _: Request<PeekableFlightDataStream>,
    ) -> Result<i64, Status> {
        let handle = told(read_handle(&command.prepared_statement_handle))?;
        told(
            self.update(Execute {
                handle,
                ..Execute::default()
            })
            .await,
        )
    }

    async fn do_action_begin_transaction(
        &self,
        _: ActionBeginTransactionRequest,
        _: Request<Action>,
    ) -> Result<ActionBeginTransactionResult, Status> {
        told(
            self.update(Execute {
                sql: "BEGIN".to_owned(),
                ..Execute::default()
            })
            .await,
        )?;
        // A session has one transaction at a time, so its name says nothing.
        Ok(ActionBeginTransactionResult {
            transaction_id: Bytes::from_static(b"transaction"),
        })
    }

    async fn do_action_end_transaction(
        &self,
        command: ActionEndTransactionRequest,
        _: Request<Action>,
    ) -> Result<(), Status> {
        let sql = if command.action() == EndTransaction::Commit {
            "COMMIT"
        } else {
            "ROLLBACK"
        };
        told(
            self.update(Execute {
                sql: sql.to_owned(),
                ..Execute::default()
            })
            .await,
        )
        .map(drop)
    }

    async fn get_flight_info_sql_info(
        &self,
        command: CommandGetSqlInfo,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        let ticket = Ticket {
            ticket: command.as_any().encode_to_vec().into(),
        };
        let info = FlightInfo::new().with_endpoint(FlightEndpoint::new().with_ticket(ticket));
        Ok(Response::new(info.with_descriptor(request.into_inner())))
    }

    async fn do_get_sql_info(&self, command: CommandGetSqlInfo, _: Request<Ticket>) -> Result<DoGet, Status> {
        let info = told(standard::sql_info())?;
        let builder = command.into_builder(&info);
        let batch = builder.build();
        let stream = FlightDataEncoderBuilder::new()
            .with_schema(info.schema())
            .build(futures::stream::iter([batch]));
        Ok(Response::new(Box::pin(stream.map_err(Status::from))))
    }

    async fn register_sql_info(&self, _: i32, _: &SqlInfo) {}
}

/// An error of one statement on a stream that goes on.
fn failed(error: Error) -> FlightData {
    framed(&match error {
        Error::Needs(relations) => needs(relations),
        error => Frame {
            error: Some(to_detail(&error.to_report(), error.broken())),
            ..Frame::default()
        },
    })
}

/// Asks for a statement's relations.
fn needs(relations: Vec<String>) -> Frame {
    Frame {
        needs: relations,
        ..Frame::default()
    }
}

fn framed(frame: &Frame) -> FlightData {
    FlightData {
        app_metadata: frame.encode_to_vec().into(),
        ..FlightData::default()
    }
}

fn answer(messages: impl Stream<Item = Result<FlightData, Error>> + Send + 'static) -> DoGet {
    Response::new(Box::pin(messages.map(told)))
}

fn told<T>(outcome: Result<T, Error>) -> Result<T, Status> {
    outcome.map_err(|error| error.to_status())
}

fn write_handle(handle: u64) -> Bytes {
    Bytes::copy_from_slice(&handle.to_be_bytes())
}

fn read_handle(bytes: &[u8]) -> Result<u64, Error> {
    let bytes = bytes
        .try_into()
        .map_err(|_| Error::BadRequest("a malformed statement handle".to_owned()))?;
    Ok(u64::from_be_bytes(bytes))
}
