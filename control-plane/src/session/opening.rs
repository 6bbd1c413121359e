//! Opening a session on a worker: the lease, the proof of the walls, the user's secrets.

use pintail_sqlstate::{Report, Severity, SqlState, ToReport};
use pintail_worker_api::client::{CallStream, Exchange, WorkerClient};
use pintail_worker_api::error::CallError;
use pintail_worker_api::messages::{ArrowWanted, Execute, OpenSession, SessionCall, SessionOpened, Want};

use super::driver::WallDemand;
use crate::account::Account;
use crate::pool::{Lease, Pool, Tenant};

/// Workers that a session is tried on: only its opening, which ran nothing yet, is tried twice.
const OPEN_ATTEMPTS: usize = 2;

/// A session's worker: its connection is driven by the session's own runtime. Fields end in this order.
pub(super) struct SessionWorker {
    pub(super) exchange: Option<Exchange>,
    /// `None` once it ended.
    pub(super) calls: Option<CallStream>,
    pub(super) client: WorkerClient,
    pub(super) lease: Lease,
}

/// The next call that a statement of the session waits for; waits for ever without a worker. Cancel safe.
pub(super) async fn next_call(worker: &mut Option<SessionWorker>) -> SessionCall {
    let Some(worker) = worker else {
        return std::future::pending().await;
    };
    if let Some(calls) = &mut worker.calls {
        match calls.next().await {
            Ok(Some(call)) => return call,
            Ok(None) => {}
            // What runs tells of it.
            Err(error) => tracing::debug!(%error, "the stream of a session's calls ended"),
        }
    }
    worker.calls = None;
    std::future::pending().await
}

/// A worker with an open session, proven to stand behind its walls.
pub(super) async fn open_session(
    pool: &Pool,
    tenant: &Tenant,
    open: &OpenSession,
    demand: WallDemand,
) -> Result<SessionWorker, Report> {
    let mut attempt = 1;
    loop {
        let mut lease = pool.acquire(tenant).await.map_err(|error| {
            tracing::warn!(%error, cause = ?std::error::Error::source(&error).map(ToString::to_string), "no worker for a session");
            error.to_report()
        })?;
        let mut open = open.clone();
        open.setup
            .push(format!("SET VARIABLE pintail_worker_id = '{}'", lease.id()));
        lease.mark_opening();
        let opening = tokio::time::timeout(pool.start_timeout(), connect_and_open(&lease, &open));
        let opened = opening.await.unwrap_or_else(|_| {
            // Another one would take as long.
            let report = Report::new(SqlState::CANNOT_CONNECT_NOW, "no session could be opened in time")
                .with_hint("The catalog's metadata may be away. Try again later.");
            Err(CallError::Statement {
                report: Box::new(report),
                broken: true,
            })
        });
        match opened {
            Ok((opened, client, exchange, calls)) => {
                lease.mark_open();
                if let Err(missing) = proven(&opened, demand) {
                    tracing::error!(worker = %lease.id(), missing, "alarm: a worker did not prove its walls");
                    lease.mark_broken();
                    return Err(Report::new(
                        SqlState::INTERNAL_ERROR,
                        "the session's isolation could not be proven",
                    ));
                }
                return Ok(SessionWorker {
                    exchange: Some(exchange),
                    calls: Some(calls),
                    client,
                    lease,
                });
            }
            // Nothing of the client's ran yet, so another worker may be tried.
            Err(CallError::Lost { reason }) if attempt < OPEN_ATTEMPTS => {
                tracing::warn!(worker = %lease.id(), reason, "a worker was lost before its session");
                lease.mark_broken();
                attempt += 1;
            }
            Err(error) => {
                tracing::warn!(worker = %lease.id(), report = %error.to_report(), "a session could not be opened");
                lease.mark_broken();
                // The session lost nothing, so it goes on and may try again.
                return Err(error.to_report().with_severity(Severity::Error));
            }
        }
    }
}

/// Makes the user's persistent secrets in a new session; what cannot be made is told, by name only.
pub(super) async fn make_secrets(account: &Account, client: &WorkerClient) -> Vec<Report> {
    let secrets = match account.secrets().await {
        Ok(secrets) => secrets,
        Err(report) => {
            let text = "the persistent secrets of the user could not be read and are missing in this session";
            return vec![warn(report.sqlstate, text.to_owned())];
        }
    };
    let mut warnings = Vec::new();
    for (name, statement) in secrets {
        if let Err(error) = run_silently(client, statement.expose()).await {
            let sqlstate = error.to_report().sqlstate;
            let text = format!("the persistent secret \"{name}\" could not be made and is missing in this session");
            warnings.push(warn(sqlstate, text));
        }
    }
    warnings
}

/// Runs a statement and drops its rows.
pub(crate) async fn run_silently(client: &WorkerClient, sql: &str) -> Result<(), CallError> {
    let execute = Execute {
        sql: sql.to_owned(),
        want: Some(Want::Arrow(ArrowWanted {})),
        ..Execute::default()
    };
    let mut answer = client.execute(&execute).await?;
    while answer.next().await?.is_some() {}
    Ok(())
}

fn warn(sqlstate: SqlState, text: String) -> Report {
    Report::new(sqlstate, text).with_severity(Severity::Warning)
}

async fn connect_and_open(
    lease: &Lease,
    open: &OpenSession,
) -> Result<(SessionOpened, WorkerClient, Exchange, CallStream), CallError> {
    let client = lease.connect().await?;
    let opened = client.open_session(open).await?;
    let (exchange, calls) = tokio::try_join!(client.exchange(), client.calls())?;
    Ok((opened, client, exchange, calls))
}

fn proven(opened: &SessionOpened, demand: WallDemand) -> Result<(), &'static str> {
    if opened.external_access {
        return Err("external access is on");
    }
    if !opened.configuration_locked {
        return Err("the configuration is not locked");
    }
    if demand == WallDemand::Required && opened.kernel_wall != "up" {
        return Err("the kernel wall is not up");
    }
    Ok(())
}
