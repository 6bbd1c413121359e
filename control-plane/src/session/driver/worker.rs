//! The session's worker: it comes, goes back, and is changed for one that has another catalog.

use pintail_sqlstate::{Report, SqlState};
use pintail_worker_api::messages::OpenSession;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};

use super::super::opening::{make_secrets, open_session};
use super::{Driver, End, READ_AHEAD, at, shutting_down};
use crate::sessions::Activity;

impl<S: AsyncRead + AsyncWrite + Send> Driver<S> {
    pub(super) fn leave_worker(&mut self) {
        self.streams.clear();
        self.worker = None;
        self.presence.has_worker(None);
    }

    pub(super) fn relocate(&mut self, catalogs: &[String]) -> Result<Vec<String>, Report> {
        let attached = self.account.attach(catalogs)?;
        self.leave_worker();
        Ok(attached)
    }

    /// A worker with an open session, proven to stand behind its walls, with the user's secrets made.
    pub(super) async fn acquire(&mut self, setup: Vec<String>) -> Result<Result<Vec<Report>, Report>, End> {
        self.leave_worker();
        let open = OpenSession {
            session_id: self.session_id.clone(),
            setup,
            catalog: String::new(),
        };
        let (pool, tenant, demand) = (
            self.services.pool.clone(),
            self.account.tenant().clone(),
            self.services.kernel_wall_required,
        );
        self.presence.does(Activity::Waiting);
        let acquire = async move { open_session(&pool, &tenant, &open, demand).await };
        tokio::pin!(acquire);
        let transaction_end = self.clock.transaction_end(self.machine.time_limits());
        let worker = loop {
            let read_ahead = self.inbound.len() < READ_AHEAD;
            tokio::select! {
                biased;
                result = &mut acquire => break result,
                () = self.cancellation.requested() => {
                    let report = Report::new(SqlState::QUERY_CANCELED, "canceling statement due to user request");
                    return Ok(Err(report));
                }
                () = at(transaction_end) => return Err(self.end_transaction()),
                read = self.reader.read_buf(&mut self.inbound), if read_ahead => {
                    if matches!(read, Ok(0) | Err(_)) {
                        return Err(End::Client);
                    }
                }
                () = self.services.draining.cancelled() => return Ok(Err(shutting_down())),
                () = self.presence.ended().cancelled() => return Ok(Err(shutting_down())),
            }
        };
        match worker {
            Ok(worker) => {
                tracing::debug!(worker = %worker.lease.id(), "session opened");
                self.presence.has_worker(Some(worker.lease.id().to_string()));
                let warnings = make_secrets(&self.account, &worker.client).await;
                self.worker = Some(worker);
                Ok(Ok(warnings))
            }
            Err(report) => Ok(Err(report)),
        }
    }
}
