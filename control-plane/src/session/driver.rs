//! Gives a [`Machine`] its sockets and its worker.
//!
//! The driver knows no SQL and makes no decision of the protocol: it does what [`Machine::next`] asks, watches for the
//! client's end and for cancel requests meanwhile, and writes what is queued when nothing more can be read without waiting.

mod copy;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use futures::FutureExt;
use pintail_sqlstate::{Report, Severity, SqlState, ToReport};
use pintail_worker_api::client::{Exchange, ResultStream, WorkerClient};
use pintail_worker_api::error::CallError;
use pintail_worker_api::messages::{Execute, Frame, OpenSession};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadHalf, WriteHalf};
use tokio_util::sync::CancellationToken;

use self::copy::Copying;
use super::copy::CopyAnswer;
use super::machine::{Answer, Call, Event, Forget, Machine, Next, Pace};
use super::opening::{SessionWorker, make_secrets, open_session};
use crate::account::{Account, Standing};
use crate::cancel::Cancellation;
use crate::metrics::Metrics;
use crate::pool::Pool;
use crate::sessions::{Activity, Presence};
use crate::wire::frontend;

/// Output is written once this much waits, even in the middle of a result.
const WRITE_ABOVE: usize = 128 << 10;
/// An idle session that holds nothing keeps its worker at least this long while others wait for one.
const REST: Duration = Duration::from_secs(1);
/// How long the engine may take to stop what was cancelled or is out of time; then its worker is given up.
const STOPPING: Duration = Duration::from_secs(5);
/// Input that arrives while a statement runs is read ahead up to this much; more stays in the socket.
const READ_AHEAD: usize = 256 << 10;

/// What a session needs of its server.
pub struct Services {
    /// Workers.
    pub pool: Pool,
    /// Counters.
    pub metrics: Metrics,
    /// The server stops: idle sessions end, running statements may finish.
    pub draining: CancellationToken,
    /// The server stops now.
    pub ending: CancellationToken,
    /// Whether the kernel wall must be up.
    pub kernel_wall_required: WallDemand,
}

/// What proof of the kernel wall a session asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WallDemand {
    /// Whatever the machine has.
    AsAvailable,
    /// It must be up.
    Required,
}

/// A client that proved who it is, and what goes with it.
pub struct Admitted {
    /// The session.
    pub machine: Machine,
    /// Its key.
    pub cancellation: Cancellation,
    /// What it may have.
    pub account: Account,
    /// Its place on the list of sessions.
    pub presence: Presence,
}

/// Why a session is over.
enum End {
    /// The client went, or asked to go.
    Client,
    /// Everything is written; close.
    Done,
}

type FrameResult = Result<Option<(Frame, Bytes)>, CallError>;

/// One session.
pub struct Driver<S> {
    reader: ReadHalf<S>,
    writer: WriteHalf<S>,
    inbound: BytesMut,
    machine: Machine,
    cancellation: Cancellation,
    services: Services,
    account: Account,
    presence: Presence,
    session_id: String,
    worker: Option<SessionWorker>,
    streams: HashMap<u64, ResultStream>,
    /// The statement whose frames come on the worker's exchange.
    whole: u64,
    running: Option<(u64, Instant)>,
    /// When the running statement must have ended.
    deadline: Option<Instant>,
    /// The COPY that takes the client's data.
    copying: Option<Copying>,
}

impl<S: AsyncRead + AsyncWrite + Send> Driver<S> {
    /// A session on an authenticated connection.
    pub fn new(stream: S, admitted: Admitted, services: Services) -> Self {
        let (reader, writer) = tokio::io::split(stream);
        let Admitted {
            machine,
            cancellation,
            account,
            presence,
        } = admitted;
        let session_id = format!("s{}", cancellation.key().pid);
        Self {
            reader,
            writer,
            inbound: BytesMut::with_capacity(8 << 10),
            machine,
            cancellation,
            services,
            account,
            presence,
            session_id,
            worker: None,
            streams: HashMap::new(),
            whole: 0,
            running: None,
            deadline: None,
            copying: None,
        }
    }

    /// Serves the session to its end.
    pub async fn run(mut self) {
        while self.step().await.is_ok() {}
        self.streams.clear();
        let _ = tokio::time::timeout(Duration::from_secs(1), self.flush()).await;
        let _ = tokio::time::timeout(Duration::from_secs(1), self.writer.shutdown()).await;
    }

    async fn step(&mut self) -> Result<(), End> {
        let next = self.machine.next();
        self.forget();
        let answer = match next {
            Next::Read => return self.read_message().await,
            Next::Close => return Err(End::Done),
            Next::Call(call) => self.answer(call).await?,
            Next::Frame(sequence) => {
                if self.machine.out().len() >= WRITE_ABOVE {
                    self.flush_while_running(sequence).await?;
                }
                Answer::Frame(self.next_frame(sequence).await?)
            }
        };
        self.note_worker(&answer);
        self.machine.on(Event::Answer(answer));
        Ok(())
    }

    async fn answer(&mut self, call: Call) -> Result<Answer, End> {
        Ok(match call {
            Call::Acquire { setup } => Answer::Acquired(self.acquire(setup).await?),
            Call::Release => {
                self.leave_worker();
                Answer::Released
            }
            Call::Relocate { catalogs } => Answer::Relocated(self.relocate(&catalogs)),
            Call::KeepSecret {
                name,
                statement,
                conflict,
            } => Answer::SecretKept(self.account.keep_secret(&name, &statement, conflict).await),
            Call::ForgetSecret { name } => Answer::SecretKept(self.account.forget_secret(&name).await),
            Call::Copy(call) => Answer::Copy(self.copy(call).await?),
            Call::Prepare(prepare) => {
                let client = self.client()?;
                let call = async move { client.prepare(&prepare).await };
                Answer::Prepared(self.call(0, call).await?)
            }
            Call::Execute(execute, pace) => {
                if let Err(error) = self.admit(execute.sequence, execute.timeout_ms, ends_a_transaction(&execute))? {
                    return Ok(Answer::Frame(Err(error)));
                }
                Answer::Frame(match pace {
                    Pace::Whole => self.execute_whole(execute).await?,
                    Pace::Pieces => self.execute_in_pieces(execute).await?,
                })
            }
        })
    }

    /// Lets a statement run, whose time begins to count; the outer error ends the session.
    fn admit(
        &mut self,
        sequence: u64,
        timeout_ms: u64,
        ends_a_transaction: bool,
    ) -> Result<Result<(), CallError>, End> {
        // Statements of one text are looked at one by one.
        if !self.still_stands() {
            return Err(End::Done);
        }
        if !ends_a_transaction && let Err(report) = self.account.run() {
            let report = Box::new(report);
            return Ok(Err(CallError::Statement { report, broken: false }));
        }
        self.presence.does(Activity::Active);
        self.running = Some((sequence, Instant::now()));
        self.deadline = (timeout_ms > 0).then(|| Instant::now() + Duration::from_millis(timeout_ms) + STOPPING);
        Ok(Ok(()))
    }

    /// Whether the session's rights are as they were; ends it where they are not.
    fn still_stands(&mut self) -> bool {
        match self.account.check() {
            Ok(Standing::AsBefore) => true,
            Ok(Standing::Changed) => {
                self.machine.limit_statements(self.account.statement_limit_ms());
                true
            }
            Err(report) => {
                self.machine.end(report);
                false
            }
        }
    }

    fn leave_worker(&mut self) {
        self.streams.clear();
        self.worker = None;
        self.presence.has_worker(None);
    }

    fn relocate(&mut self, catalogs: &[String]) -> Result<Vec<String>, Report> {
        let attached = self.account.attach(catalogs)?;
        self.leave_worker();
        Ok(attached)
    }

    fn client(&self) -> Result<WorkerClient, End> {
        self.worker
            .as_ref()
            .map(|worker| worker.client.clone())
            .ok_or(End::Done)
    }

    /// Sends a statement on the session's stream; gives its first frame.
    async fn execute_whole(&mut self, execute: Execute) -> Result<FrameResult, End> {
        let sequence = execute.sequence;
        let Some(mut exchange) = self.worker.as_mut().and_then(|worker| worker.exchange.take()) else {
            return Err(End::Done);
        };
        let call = async move {
            exchange.send(&execute).await?;
            let first = exchange.next().await;
            Ok((exchange, first))
        };
        self.whole = sequence;
        let outcome = self.call(sequence, call).await?;
        Ok(self.keep_exchange(sequence, outcome))
    }

    /// Runs a statement on a stream of its own; gives its first frame.
    async fn execute_in_pieces(&mut self, execute: Execute) -> Result<FrameResult, End> {
        let client = self.client()?;
        let sequence = execute.sequence;
        let call = async move {
            let mut stream = client.execute(&execute).await?;
            let first = stream.next().await?;
            Ok((stream, first))
        };
        let outcome = self.call(sequence, call).await?;
        Ok(self.keep_stream(sequence, outcome))
    }

    async fn next_frame(&mut self, sequence: u64) -> Result<FrameResult, End> {
        if self.whole == sequence {
            let Some(mut exchange) = self.worker.as_mut().and_then(|worker| worker.exchange.take()) else {
                return Err(End::Done);
            };
            let call = async move {
                let frame = exchange.next().await;
                Ok((exchange, frame))
            };
            let outcome = self.call(sequence, call).await?;
            return Ok(self.keep_exchange(sequence, outcome));
        }
        let Some(mut stream) = self.streams.remove(&sequence) else {
            return Err(End::Done);
        };
        let call = async move {
            let frame = stream.next().await?;
            Ok((stream, frame))
        };
        let outcome = self.call(sequence, call).await?;
        Ok(self.keep_stream(sequence, outcome))
    }

    fn keep_exchange(&mut self, sequence: u64, outcome: Result<(Exchange, FrameResult), CallError>) -> FrameResult {
        let result = outcome.and_then(|(exchange, frame)| {
            if let Some(worker) = &mut self.worker {
                worker.exchange = Some(exchange);
            }
            frame
        });
        self.observe(sequence, &result);
        result
    }

    fn keep_stream(
        &mut self,
        sequence: u64,
        outcome: Result<(ResultStream, Option<(Frame, Bytes)>), CallError>,
    ) -> FrameResult {
        let result = outcome.map(|(stream, frame)| {
            self.streams.insert(sequence, stream);
            frame
        });
        self.observe(sequence, &result);
        result
    }

    /// Hands the next message to the machine, after writing what waits if the client must be waited for.
    async fn read_message(&mut self) -> Result<(), End> {
        loop {
            match frontend::next_frame(&mut self.inbound) {
                Ok(Some((kind, body))) => {
                    if !self.still_stands() {
                        return Ok(());
                    }
                    let sync_follows = frontend::peek(&self.inbound) == Some(b'S');
                    let message = if self.machine.is_copying() && kind == b'd' {
                        copy::joined(body, &mut self.inbound).map(frontend::Message::CopyData)
                    } else {
                        frontend::decode(kind, body)
                    };
                    if !self.machine.is_copying() {
                        self.cancellation.arm();
                    }
                    self.machine.on(Event::Message { message, sync_follows });
                    return Ok(());
                }
                Ok(None) => {}
                Err(error) => {
                    self.machine.on(Event::Message {
                        message: Err(error),
                        sync_follows: false,
                    });
                    return Ok(());
                }
            }
            if self.copying.is_none() {
                self.account.rest();
                self.presence.does(if self.machine.in_transaction() {
                    Activity::IdleInTransaction
                } else {
                    Activity::Idle
                });
            } else {
                self.inbound.reserve(READ_AHEAD);
            }
            self.flush().await?;
            let pool = self.services.pool.clone();
            let wanted = async move {
                tokio::time::sleep(REST).await;
                pool.pressed().await;
            };
            tokio::select! {
                biased;
                read = self.reader.read_buf(&mut self.inbound) => match read {
                    Ok(0) | Err(_) => return Err(End::Client),
                    Ok(_) => {}
                },
                error = Copying::failed(&mut self.copying) => {
                    self.copying = None;
                    self.note_error(&error);
                    self.machine.copy_failed(error);
                    return Ok(());
                }
                () = self.cancellation.requested(), if self.copying.is_some() => {
                    self.send_cancel(self.copying.as_ref().map_or(0, |copying| copying.sequence));
                }
                () = wanted, if self.machine.may_rest() => {
                    tracing::debug!("an idle session gives its worker to one that waits");
                    self.machine.leave_instance();
                    self.leave_worker();
                }
                () = self.services.draining.cancelled() => {
                    self.machine.end(shutting_down());
                    return Ok(());
                }
                () = self.presence.ended().cancelled() => {
                    self.machine.end(shutting_down());
                    return Ok(());
                }
            }
        }
    }

    /// Waits for a call, watching for cancel requests, the client's end and the server's. Input is read ahead.
    async fn call<T>(
        &mut self,
        sequence: u64,
        call: impl Future<Output = Result<T, CallError>>,
    ) -> Result<Result<T, CallError>, End> {
        tokio::pin!(call);
        let mut deadline = self.deadline;
        loop {
            let read_ahead = self.inbound.len() < READ_AHEAD;
            if read_ahead {
                self.inbound.reserve(4 << 10);
            }
            tokio::select! {
                biased;
                result = &mut call => return Ok(result),
                () = self.cancellation.requested() => {
                    self.send_cancel(sequence);
                    let latest = Instant::now() + STOPPING;
                    deadline = Some(deadline.map_or(latest, |known| known.min(latest)));
                }
                () = at(deadline) => return Ok(Err(self.give_up_engine())),
                read = self.reader.read_buf(&mut self.inbound), if read_ahead => {
                    if matches!(read, Ok(0) | Err(_)) {
                        return Err(End::Client);
                    }
                }
                () = self.services.ending.cancelled() => {
                    self.machine.end(shutting_down());
                    return Err(End::Done);
                }
                () = self.presence.ended().cancelled() => {
                    self.machine.end(shutting_down());
                    return Err(End::Done);
                }
            }
        }
    }

    /// The engine does not stop what was cancelled or is out of time: its worker goes. A session that loses nothing by that
    /// stays.
    fn give_up_engine(&mut self) -> CallError {
        tracing::warn!("an engine that does not stop is given up");
        let reason = "the engine did not stop what was cancelled or out of time".into();
        let Some(report) = self.machine.engine_given_up() else {
            return CallError::Lost { reason };
        };
        if let Some(worker) = &mut self.worker {
            worker.lease.mark_broken();
        }
        self.leave_worker();
        let report = Box::new(report);
        CallError::Statement { report, broken: false }
    }

    fn send_cancel(&self, sequence: u64) {
        if let (Some(worker), 1..) = (&self.worker, sequence) {
            let client = worker.client.clone();
            crate::tasks::spawn("cancel", async move {
                if let Err(error) = client.cancel(sequence).await {
                    tracing::warn!(%error, "a cancel request did not reach the worker");
                }
            });
        }
    }

    /// A worker with an open session, proven to stand behind its walls, with the user's secrets made.
    async fn acquire(&mut self, setup: Vec<String>) -> Result<Result<Vec<Report>, Report>, End> {
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
        let worker = loop {
            let read_ahead = self.inbound.len() < READ_AHEAD;
            tokio::select! {
                biased;
                result = &mut acquire => break result,
                () = self.cancellation.requested() => {
                    let report = Report::new(SqlState::QUERY_CANCELED, "canceling statement due to user request");
                    return Ok(Err(report));
                }
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

    /// A worker that was lost or is not to be trusted is never reused.
    fn note_worker(&mut self, answer: &Answer) {
        match answer {
            Answer::Prepared(Err(error))
            | Answer::Frame(Err(error))
            | Answer::Copy(
                CopyAnswer::Ready(Err(error)) | CopyAnswer::Sent(Err(error)) | CopyAnswer::Ended(Err(error)),
            ) => self.note_error(error),
            _ => {}
        }
    }

    fn note_error(&mut self, error: &CallError) {
        let broken = match error {
            CallError::Statement { broken, .. } => *broken,
            CallError::Lost { reason } => {
                tracing::warn!(reason, "a worker was lost in a session");
                self.services.metrics.workers_lost.inc();
                true
            }
        };
        if let (true, Some(worker)) = (broken, &mut self.worker) {
            worker.lease.mark_broken();
        }
    }

    fn observe(&mut self, sequence: u64, result: &FrameResult) {
        let outcome = match result {
            Ok(Some((frame, _))) if frame.trailer.is_none() => return,
            Ok(_) => "ok".to_owned(),
            Err(error) => error.to_report().sqlstate.class().to_owned(),
        };
        self.services
            .metrics
            .statements
            .with_label_values(&[outcome.as_str()])
            .inc();
        if let Some((running, since)) = self.running
            && running == sequence
        {
            self.services
                .metrics
                .statement_seconds
                .observe(since.elapsed().as_secs_f64());
            tracing::debug!(sequence, outcome, micros = since.elapsed().as_micros(), "statement");
        }
    }

    fn forget(&mut self) {
        for item in self.machine.take_forgotten() {
            match item {
                Forget::Stream(sequence) => {
                    if let Some(mut stream) = self.streams.remove(&sequence) {
                        // The end usually stands right behind the trailer; reading it spares a stream reset.
                        let _ = stream.next().now_or_never();
                    }
                }
                Forget::Kept(result) => {
                    if let Ok(client) = self.client() {
                        crate::tasks::spawn("close-kept", async move {
                            let _ = client.close_kept(result).await;
                        });
                    }
                }
                Forget::Statement(handle) => {
                    if let Ok(client) = self.client() {
                        crate::tasks::spawn("close-statement", async move {
                            let _ = client.close_statement(handle).await;
                        });
                    }
                }
            }
        }
    }

    async fn flush(&mut self) -> Result<(), End> {
        if self.machine.out().is_empty() {
            return Ok(());
        }
        while let Some(block) = self.machine.out().take() {
            self.writer.write_all(&block).await.map_err(|_| End::Client)?;
            self.services.metrics.bytes_sent.inc_by(block.len() as u64);
        }
        self.writer.flush().await.map_err(|_| End::Client)
    }

    /// Writes in the middle of a result: a cancel request is passed on even while the client does not read.
    async fn flush_while_running(&mut self, sequence: u64) -> Result<(), End> {
        while let Some(block) = self.machine.out().take() {
            let written = block.len() as u64;
            let mut rest = block;
            while !rest.is_empty() {
                let cancelled = tokio::select! {
                    biased;
                    write = self.writer.write_buf(&mut rest) => match write {
                        Ok(0) | Err(_) => return Err(End::Client),
                        Ok(_) => false,
                    },
                    () = self.cancellation.requested() => true,
                    () = self.services.ending.cancelled() => return Err(End::Done),
                };
                if cancelled {
                    self.send_cancel(sequence);
                }
            }
            self.services.metrics.bytes_sent.inc_by(written);
        }
        Ok(())
    }
}

fn shutting_down() -> Report {
    Report::new(
        SqlState::ADMIN_SHUTDOWN,
        "terminating connection due to administrator command",
    )
    .with_severity(Severity::Fatal)
}

/// Waits until then; for ever without a time.
async fn at(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
        None => std::future::pending().await,
    }
}

/// The end of a transaction is never refused for a limit.
fn ends_a_transaction(execute: &Execute) -> bool {
    matches!(execute.sql.as_str(), "COMMIT" | "ROLLBACK")
}
