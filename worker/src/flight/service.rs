//! The service itself: the contract's ticket and actions beside standard Flight SQL.

use std::sync::Arc;

use arrow_flight::flight_service_server::FlightService;
use arrow_flight::sql::server::FlightSqlService;
use arrow_flight::sql::{Any, SqlInfo};
use arrow_flight::{Action, Ticket};
use futures::StreamExt;
use pintail_worker_api::messages::{EXECUTE_TYPE_URL, Execute};
use tonic::{Request, Response, Status};

use super::actions;
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

    async fn execute(&self, execute: Execute) -> Result<DoGet, Error> {
        let messages = self.worker.session()?.execute(execute).await?;
        let stream = messages.map(|message| message.map_err(|error| error.to_status()));
        Ok(Response::new(Box::pin(stream)))
    }
}

#[tonic::async_trait]
impl FlightSqlService for Service {
    type FlightService = Self;

    async fn do_get_fallback(&self, _: Request<Ticket>, message: Any) -> Result<DoGet, Status> {
        if message.type_url != EXECUTE_TYPE_URL {
            return Err(Status::unimplemented(format!("unknown ticket {}", message.type_url)));
        }
        let execute = actions::read(message.value).map_err(|error| error.to_status())?;
        self.execute(execute).await.map_err(|error| error.to_status())
    }

    async fn do_action_fallback(&self, request: Request<Action>) -> Result<DoAction, Status> {
        let answer = actions::run(&self.worker, request.into_inner())
            .await
            .map_err(|error| error.to_status())?;
        Ok(Response::new(Box::pin(futures::stream::iter([Ok(answer)]))))
    }

    async fn register_sql_info(&self, _: i32, _: &SqlInfo) {}
}
