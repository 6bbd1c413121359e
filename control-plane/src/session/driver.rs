//! Gives a [`Machine`] its sockets and its worker.
//!
//! The driver knows no SQL and makes no decision of the protocol: it does what [`Machine::next`] asks, watches for the
//! client's end and for cancel requests meanwhile, and writes what is queued when nothing more can be read without waiting.

mod calls;
mod clock;
mod copy;
mod worker;
mod writing;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use pintail_sqlstate::{Report, Severity, SqlState};
use pintail_worker_api::client::ResultStream;
use pintail_worker_api::error::CallError;
use pintail_worker_api::messages::Frame;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadHalf, WriteHalf};
use tokio_util::sync::CancellationToken;

use self::clock::Clock;
use self::copy::Copying;
use super::calls::{Place, Shared};
use super::machine::{Answer, Event, Machine, Next};
use super::opening::SessionWorker;
use crate::account::{Account, Standing};
use crate::cancel::Cancellation;
use crate::metrics::Metrics;
use crate::pool::Pool;
use crate::sessions::Presence;
use crate::wire::frontend;

/// Output is written once this much waits, even in the middle of a result.
const WRITE_ABOVE: usize = 128 << 10;
/// An idle session that holds nothing keeps its worker at least this long while others wait for one.
const REST: Duration = Duration::from_secs(1);
/// Input that a session is ready for while it waits.
const INBOUND: usize = 8 << 10;
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
    /// Other sessions.
    pub shared: Shared,
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
    /// Whether the input's buffer grew; it goes when the session waits again.
    is_swollen: bool,
    machine: Machine,
    cancellation: Cancellation,
    services: Services,
    account: Account,
    presence: Presence,
    place: Place,
    session_id: String,
    worker: Option<SessionWorker>,
    streams: HashMap<u64, ResultStream>,
    /// The statement whose frames come on the worker's exchange.
    whole: u64,
    running: Option<(u64, Instant)>,
    /// When the running statement must have ended.
    deadline: Option<Instant>,
    /// Since when the transaction lasts.
    clock: Clock,
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
        let pid = cancellation.key().pid;
        let place = Place::new(services.shared.clone(), account.login(), pid, presence.ended());
        let session_id = format!("s{pid}");
        Self {
            reader,
            writer,
            inbound: BytesMut::with_capacity(INBOUND),
            is_swollen: false,
            machine,
            cancellation,
            services,
            account,
            presence,
            place,
            session_id,
            worker: None,
            streams: HashMap::new(),
            whole: 0,
            running: None,
            deadline: None,
            clock: Clock::default(),
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
            Next::Call(call) => {
                if self.machine.out().is_promised() {
                    self.flush().await?;
                }
                self.answer(call).await?
            }
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

    /// The transaction lasted too long: the session ends.
    fn end_transaction(&mut self) -> End {
        self.machine.end(clock::transaction_timeout());
        End::Done
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

    /// Hands the next message to the machine, after writing what waits if the client must be waited for.
    async fn read_message(&mut self) -> Result<(), End> {
        let mut limit = None;
        loop {
            match frontend::next_frame(&mut self.inbound) {
                Ok(Some((kind, body))) => {
                    if !self.still_stands() {
                        return Ok(());
                    }
                    let sync_follows = frontend::peek(&self.inbound) == Some(b'S');
                    let class = frontend::Class::of(kind);
                    let message = if self.machine.is_copying() && kind == b'd' {
                        copy::joined(body, &mut self.inbound).map(frontend::Message::CopyData)
                    } else {
                        frontend::decode(kind, body)
                    };
                    if !self.machine.is_copying() {
                        self.cancellation.arm();
                    }
                    self.clock.works(&self.machine);
                    self.machine.on(Event::Message {
                        message,
                        sync_follows,
                        class,
                    });
                    if let Some(text) = self.machine.take_text() {
                        self.presence.takes_up(text);
                    }
                    return Ok(());
                }
                Ok(None) => {}
                Err(error) => {
                    self.machine.on(Event::Message {
                        message: Err(error),
                        sync_follows: false,
                        class: frontend::Class::Extended,
                    });
                    return Ok(());
                }
            }
            if self.copying.is_none() {
                self.account.rest();
                self.presence.does(self.machine.rest_state());
                if let Some(name) = self.machine.take_application_name() {
                    self.presence.is_called(name);
                }
            } else {
                self.inbound.reserve(READ_AHEAD);
            }
            self.is_swollen |= self.inbound.capacity() > INBOUND;
            if self.is_swollen && self.inbound.is_empty() && self.copying.is_none() {
                self.inbound = BytesMut::with_capacity(INBOUND);
                self.is_swollen = false;
            }
            self.flush().await?;
            let limit = limit.get_or_insert_with(|| self.clock.rests(&mut self.machine)).clone();
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
                () = at(limit.as_ref().map(|(end, _)| *end)) => {
                    if let Some((_, report)) = limit {
                        self.machine.end(report);
                    }
                    return Ok(());
                }
                () = self.place.arrival(), if self.machine.hears() => {
                    let mail = self.place.mail();
                    self.machine.deliver(&mail);
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
