//! Calls to the worker, and what is watched while one runs: cancel requests, time limits, the client's end, the server's.

use std::time::{Duration, Instant};

use bytes::Bytes;
use futures::FutureExt;
use pintail_sqlstate::ToReport;
use pintail_worker_api::client::{Exchange, ResultStream, WorkerClient};
use pintail_worker_api::error::CallError;
use pintail_worker_api::messages::{Execute, Frame};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};

use super::super::calls::Made;
use super::super::copy::CopyAnswer;
use super::super::machine::{Answer, Call, Forget, Pace};
use super::super::opening::next_call;
use super::super::relations;
use super::{Driver, End, FrameResult, READ_AHEAD, at, shutting_down};
use crate::sessions::Activity;

/// How long the engine may take to stop what was cancelled or is out of time; then its worker is given up.
const STOPPING: Duration = Duration::from_secs(5);

/// When the engine must have ended what may take so many milliseconds, 0 for any time.
fn latest(timeout_ms: u64) -> Option<Instant> {
    (timeout_ms > 0).then(|| Instant::now() + Duration::from_millis(timeout_ms) + STOPPING)
}

impl<S: AsyncRead + AsyncWrite + Send> Driver<S> {
    pub(super) async fn answer(&mut self, call: Call) -> Result<Answer, End> {
        Ok(match call {
            Call::Acquire { setup } => Answer::Acquired(Box::pin(self.acquire(setup)).await?),
            Call::Release => {
                self.leave_worker();
                Answer::Released
            }
            Call::EndTransaction(end) => {
                self.place.end_transaction(end);
                Answer::TransactionEnded
            }
            Call::Mail => Answer::Mail(self.place.mail()),
            Call::Relocate { catalogs } => Answer::Relocated(self.relocate(&catalogs)),
            Call::KeepSecret {
                name,
                statement,
                conflict,
            } => Answer::SecretKept(Box::pin(self.account.keep_secret(&name, &statement, conflict)).await),
            Call::ForgetSecret { name } => Answer::SecretKept(Box::pin(self.account.forget_secret(&name)).await),
            Call::Copy(call) => Answer::Copy(Box::pin(self.copy(call)).await?),
            Call::Prepare(prepare) => {
                self.deadline = latest(self.machine.time_limits().statement);
                let client = self.client()?;
                let call = async move { client.prepare(&prepare).await };
                Answer::Prepared(self.call(0, call).await?)
            }
            Call::Execute(mut execute, pace) => {
                if let Err(error) = self.admit(execute.sequence, execute.timeout_ms, ends_a_transaction(&execute))? {
                    return Ok(Answer::Frame(Err(error)));
                }
                relations::fill(&mut execute.relations, &self.place);
                Answer::Frame(match pace {
                    Pace::Whole => self.execute_whole(execute).await?,
                    Pace::Pieces => self.execute_in_pieces(execute).await?,
                })
            }
        })
    }

    /// Lets a statement run, whose time begins to count; the outer error ends the session.
    pub(super) fn admit(
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
        self.deadline = latest(timeout_ms);
        Ok(Ok(()))
    }

    pub(super) fn client(&self) -> Result<WorkerClient, End> {
        self.worker
            .as_ref()
            .map(|worker| worker.client.clone())
            .ok_or(End::Done)
    }

    /// Sends a statement on the session's stream; gives its first frame.
    async fn execute_whole(&mut self, execute: Execute) -> Result<FrameResult, End> {
        let sequence = execute.sequence;
        let Some(mut exchange) = self.worker.as_mut().and_then(|worker| worker.exchange.take()) else {
            return Ok(Err(never_sent()));
        };
        if exchange.is_gone() {
            return Ok(Err(never_sent()));
        }
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

    pub(super) async fn next_frame(&mut self, sequence: u64) -> Result<FrameResult, End> {
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

    /// Waits for a call, watching for cancel requests, the client's end and the server's. Input is read ahead.
    pub(super) async fn call<T>(
        &mut self,
        sequence: u64,
        call: impl Future<Output = Result<T, CallError>>,
    ) -> Result<Result<T, CallError>, End> {
        tokio::pin!(call);
        let mut deadline = self.deadline;
        let transaction_end = self.clock.transaction_end(self.machine.time_limits());
        let mut made = Made::default();
        let mut cancelled = false;
        loop {
            let read_ahead = self.inbound.len() < READ_AHEAD;
            if read_ahead {
                self.inbound.reserve(4 << 10);
            }
            tokio::select! {
                biased;
                result = &mut call => {
                    if !made.is_empty() {
                        self.machine.note_locks(self.place.locks_taken());
                    }
                    return Ok(result);
                }
                () = self.cancellation.requested() => {
                    self.send_cancel(sequence);
                    cancelled = true;
                    let latest = Instant::now() + STOPPING;
                    deadline = Some(deadline.map_or(latest, |known| known.min(latest)));
                }
                () = at(deadline) => return Ok(Err(self.give_up_engine(cancelled))),
                () = at(transaction_end) => return Err(self.end_transaction()),
                asked = next_call(&mut self.worker) => made.begin(self.place.begin(asked, &mut self.machine)),
                answer = made.next() => made.send(answer, self.client()?),
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
    fn give_up_engine(&mut self, cancelled: bool) -> CallError {
        tracing::warn!("an engine that does not stop is given up");
        let reason = "the engine did not stop what was cancelled or out of time".into();
        let Some(report) = self.machine.engine_given_up(cancelled) else {
            return CallError::Lost { reason };
        };
        if let Some(worker) = &mut self.worker {
            worker.lease.mark_broken();
        }
        self.leave_worker();
        let report = Box::new(report);
        CallError::Statement { report, broken: false }
    }

    pub(super) fn send_cancel(&self, sequence: u64) {
        if let (Some(worker), 1..) = (&self.worker, sequence) {
            let client = worker.client.clone();
            crate::tasks::spawn("cancel", async move {
                if let Err(error) = client.cancel(sequence).await {
                    tracing::warn!(%error, "a cancel request did not reach the worker");
                }
            });
        }
    }

    /// A worker that was lost or is not to be trusted is never reused.
    pub(super) fn note_worker(&mut self, answer: &Answer) {
        match answer {
            Answer::Prepared(Err(error))
            | Answer::Frame(Err(error))
            | Answer::Copy(
                CopyAnswer::Ready(Err(error)) | CopyAnswer::Sent(Err(error)) | CopyAnswer::Ended(Err(error)),
            ) => self.note_error(error),
            _ => {}
        }
    }

    pub(super) fn note_error(&mut self, error: &CallError) {
        let broken = match error {
            CallError::Statement { broken, .. } => *broken,
            CallError::Lost { reason } | CallError::Unsent { reason } => {
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

    pub(super) fn forget(&mut self) {
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
}

/// The end of a transaction is never refused for a limit.
fn ends_a_transaction(execute: &Execute) -> bool {
    matches!(execute.sql.as_str(), "COMMIT" | "ROLLBACK")
}

/// The worker was gone before the statement left.
fn never_sent() -> CallError {
    CallError::Unsent {
        reason: "the session's stream had ended".into(),
    }
}
