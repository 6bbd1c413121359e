//! The session's state machine: events in, bytes and calls out, no I/O.
//!
//! Work is a queue of operations. A driver asks [`Machine::next`] what is needed, does it, and reports back with
//! [`Machine::on`]. One path runs every statement, whichever protocol brought it: the simple protocol queues operations
//! that end in `ReadyForQuery`, the extended one queues those of one message.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use pintail_sqlstate::{Report, Severity, SqlState, ToReport};
use pintail_transpiler::{SecretConflict, Statement};
use pintail_worker_api::Secret;
use pintail_worker_api::error::CallError;
use pintail_worker_api::messages::{Execute, Frame, Prepare, Prepared as WorkerPrepared};

use super::copy::{CopyAnswer, CopyCall, Copying};
use super::cursor::{Cursor, Fetching};
use super::engine::{Derived, Run, Running};
use super::identity::Identity;
use super::listen::{Effects, Outcome, TransactionEnd};
use super::out::Out;
use super::portal::{Portal, Prepared};
use super::relocate::Renewal;
use super::scripts::ScriptCache;
use super::secret::Kept;
use super::settings::Settings;
use super::statement::Delivery;
use super::transaction::Transaction;
use crate::notify::Notification;
use crate::wire::ProtocolError;
use crate::wire::backend;
use crate::wire::frontend::{Class, Message};

/// What happened.
#[derive(Debug)]
pub enum Event {
    /// A message of the client; the flag tells whether a Sync stands right behind it.
    Message {
        /// The message, or what is wrong with it.
        message: Result<Message, ProtocolError>,
        /// A Sync is already there behind it.
        sync_follows: bool,
        /// What follows from an error in it.
        class: Class,
    },
    /// A call has its answer.
    Answer(Answer),
}

/// What a call gave.
#[derive(Debug)]
pub enum Answer {
    /// To [`Call::Acquire`]; what the client is to be warned of.
    Acquired(Result<Vec<Report>, Report>),
    /// To [`Call::Relocate`]: the names of the catalogs that the next instance has attached.
    Relocated(Result<Vec<String>, Report>),
    /// To [`Call::KeepSecret`] and [`Call::ForgetSecret`].
    SecretKept(Result<(), Report>),
    /// To [`Call::Release`].
    Released,
    /// To [`Call::EndTransaction`].
    TransactionEnded,
    /// To [`Call::Mail`].
    Mail(Vec<Notification>),
    /// To [`Call::Copy`].
    Copy(CopyAnswer),
    /// To [`Call::Prepare`].
    Prepared(Result<WorkerPrepared, CallError>),
    /// To [`Call::Execute`] and to [`Next::Frame`]: the next frame, or `None` where the stream ended without a trailer.
    Frame(Result<Option<(Frame, Bytes)>, CallError>),
}

/// What the machine needs.
#[derive(Debug)]
pub enum Next {
    /// The client's next message.
    Read,
    /// A call to the worker or the pool.
    Call(Call),
    /// The next frame of a stream.
    Frame(u64),
    /// Nothing more: write what is queued, then close.
    Close,
}

/// A call.
#[derive(Debug)]
pub enum Call {
    /// The worker goes back, and the next one has these catalogs attached too.
    Relocate {
        /// Names that the user may attach.
        catalogs: Vec<String>,
    },
    /// A secret is kept for the user's later sessions.
    KeepSecret {
        /// Its name.
        name: String,
        /// The engine's statement that makes it.
        statement: Secret<String>,
        /// What to do where one of that name is kept already.
        conflict: SecretConflict,
    },
    /// A secret is kept no longer.
    ForgetSecret {
        /// Its name.
        name: String,
    },
    /// A worker with a session that ran `setup`.
    Acquire {
        /// Session macros and settings.
        setup: Vec<String>,
    },
    /// Give the worker back; its instance dies.
    Release,
    /// What a transaction left outside the engine takes effect.
    EndTransaction(TransactionEnd),
    /// The notifications that have arrived.
    Mail,
    /// A part of a `COPY … FROM STDIN`.
    Copy(CopyCall),
    /// Prepare a statement.
    Prepare(Prepare),
    /// Run one; its stream is known by [`Execute::sequence`].
    Execute(Execute, Pace),
}

/// How a result is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// To its end before anything else is asked.
    Whole,
    /// Perhaps in pieces, with other statements in between.
    Pieces,
}

/// What can be freed without waiting.
#[derive(Debug, PartialEq, Eq)]
pub enum Forget {
    /// A prepared statement in the worker.
    Statement(u64),
    /// A stream.
    Stream(u64),
    /// The rows of a cursor.
    Kept(u64),
}

/// One piece of work.
#[derive(Debug)]
pub(super) enum Op {
    /// A statement of a simple query.
    Statement(Statement),
    /// A statement for the engine.
    Run(Box<Run>),
    /// A Parse that waited for a worker.
    Parse(Box<Parsing>),
    /// A statement that waited for the session to move.
    Dispatch(Box<(Statement, Delivery)>),
    /// A prepared statement that the session's instance does not know.
    Renew(Box<Renewal>),
    /// A `COPY … FROM STDIN`.
    CopyIn(Box<Copying>),
    /// The next step of a FETCH or MOVE.
    Fetch(Box<Fetching>),
    /// The store's part of a statement about a persistent secret.
    Secret(Box<Kept>),
    /// Commits the implicit transaction if one is open.
    EndImplicit,
    /// Rolls the implicit transaction back if one is open.
    UndoImplicit,
    /// What the transaction left outside the engine takes effect, if it is over.
    Finish(Outcome),
    /// `CommandComplete`.
    Complete(String),
    /// The `CommandComplete` of a main step that others followed.
    CompleteHeld,
    /// `ReadyForQuery`.
    Ready,
}

/// What an outstanding call's answer is for.
#[derive(Debug)]
pub(super) enum Waiting {
    Acquire,
    Release,
    Relocate,
    Shared,
    Secret(Box<Kept>),
    Copy(Box<Copying>),
    Prepare(Box<PendingParse>),
    Run(Box<Running>),
}

/// A Parse or PREPARE.
#[derive(Debug)]
pub(super) struct Parsing {
    pub(super) name: String,
    pub(super) statement: Statement,
    /// The client's parameter types.
    pub(super) types: Vec<u32>,
    pub(super) purpose: Purpose,
    /// A worker was lost over it once.
    pub(super) was_lost: bool,
}

/// One whose text is with the worker.
#[derive(Debug)]
pub(super) struct PendingParse {
    pub(super) parsing: Parsing,
    pub(super) output: pintail_transpiler::Output,
    pub(super) settings: Vec<pintail_transpiler::SettingChange>,
    pub(super) unchanged: bool,
    pub(super) stage: Stage,
}

/// What a Parse's call is to tell.
#[derive(Debug)]
pub(super) enum Stage {
    /// All of it: one step runs as it was prepared.
    Whole,
    /// Of a statement of several steps its parameters; then its columns, by this text.
    Parameters(String),
    /// Of a statement of several steps its columns; its parameters are known.
    Columns(Vec<u32>),
}

/// Why a statement is prepared.
#[derive(Debug)]
pub(super) enum Purpose {
    /// A Parse message.
    Message,
    /// `PREPARE`, with the client's text.
    Sql(Arc<str>),
    /// It was prepared in an instance that the session has left; it runs afterwards.
    Again(Box<Renewal>),
}

/// How bytes reach the client, and what is asked of the driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Messages are answered.
    Serving,
    /// An error in the extended protocol: everything up to Sync is passed over.
    Skipping,
    /// The connection ends.
    Closing,
}

/// The state of one session.
pub struct Machine {
    pub(super) identity: Identity,
    pub(super) scripts: ScriptCache,
    pub(super) settings: Settings,
    pub(super) transaction: Transaction,
    pub(super) statements: HashMap<String, Arc<Prepared>>,
    pub(super) portals: HashMap<String, Portal>,
    pub(super) cursors: HashMap<String, Cursor>,
    pub(super) queue: VecDeque<Op>,
    pub(super) waiting: Option<Waiting>,
    /// A COPY that takes the client's data.
    pub(super) copying: Option<Box<Copying>>,
    pub(super) call: Option<Next>,
    pub(super) phase: Phase,
    /// Whether the client was told last that it may send a query.
    ready: bool,
    pub(super) out: Out,
    pub(super) forget: Vec<Forget>,
    pub(super) sequence: u64,
    /// The tag of a main step, until the steps behind it have run.
    pub(super) held_tag: Option<String>,
    /// What the engine was last told of settings that act there; `None` without a worker.
    pub(super) engine: Option<EngineSettings>,
    pub(super) derived: Option<Derived>,
    /// Instances that the session has had.
    pub(super) instance: u32,
    /// Whether its instance holds something that would be lost with it.
    pub(super) left_state: bool,
    /// Databases in memory that the session attached.
    pub(super) own_databases: Vec<String>,
    /// Its temporary tables.
    pub(super) temporary: Vec<String>,
    /// What the transaction leaves outside the engine.
    pub(super) effects: Effects,
}

/// Settings that live in the engine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct EngineSettings {
    pub(super) time_zone: String,
    pub(super) search_path: String,
}

impl Machine {
    /// A session right after authentication. `start` are the settings of its start-up packet.
    pub fn new(identity: Identity, scripts: ScriptCache, start: &[(String, String)]) -> Result<Self, Report> {
        let mut settings = Settings::new(&identity.user);
        for (name, value) in start {
            settings.start_with(name, value)?;
        }
        Ok(Self {
            identity,
            scripts,
            settings,
            transaction: Transaction::default(),
            statements: HashMap::new(),
            portals: HashMap::new(),
            cursors: HashMap::new(),
            queue: VecDeque::new(),
            waiting: None,
            copying: None,
            call: None,
            phase: Phase::Serving,
            ready: false,
            out: Out::default(),
            forget: Vec::new(),
            sequence: 0,
            held_tag: None,
            engine: None,
            derived: None,
            instance: 0,
            left_state: false,
            own_databases: Vec::new(),
            temporary: Vec::new(),
            effects: Effects::default(),
        })
    }

    /// Queues what follows `AuthenticationOk` and `BackendKeyData`: parameter statuses and the first `ReadyForQuery`.
    pub fn greet(&mut self) {
        self.tell_settings();
        self.tell_ready();
    }

    fn tell_ready(&mut self) {
        backend::ready(self.out.buffer(), self.transaction.status());
        self.ready = true;
        self.out.promise();
    }

    /// Whether the client was told last that it may send a query.
    pub fn is_ready(&self) -> bool {
        self.ready
    }

    /// What waits to be written.
    pub fn out(&mut self) -> &mut Out {
        &mut self.out
    }

    /// What may be freed now.
    pub fn take_forgotten(&mut self) -> Vec<Forget> {
        std::mem::take(&mut self.forget)
    }

    /// Whether a transaction is open, failed or not.
    pub fn in_transaction(&self) -> bool {
        self.transaction.is_open()
    }

    /// Ends the session with a report (a time limit, a shutdown).
    pub fn end(&mut self, report: Report) {
        self.queue.clear();
        self.call = None;
        backend::report(self.out.buffer(), &report.with_severity(Severity::Fatal));
        self.phase = Phase::Closing;
    }

    /// What is needed now.
    pub fn next(&mut self) -> Next {
        loop {
            if self.phase == Phase::Closing {
                return Next::Close;
            }
            if let Some(call) = self.call.take() {
                return call;
            }
            if self.is_copying() {
                return Next::Read;
            }
            let Some(op) = self.queue.pop_front() else {
                return Next::Read;
            };
            self.perform(op);
        }
    }

    /// Takes an event.
    pub fn on(&mut self, event: Event) {
        match event {
            Event::Message {
                message,
                sync_follows,
                class,
            } => {
                self.ready = false;
                self.on_message(message, sync_follows, class);
            }
            Event::Answer(answer) => self.on_answer(answer),
        }
    }

    fn perform(&mut self, op: Op) {
        match op {
            Op::Statement(statement) => {
                self.share_transaction();
                self.run_statement(&statement);
            }
            Op::Run(run) => self.start_run(run),
            Op::Parse(parsing) => {
                if let Err(report) = self.start_parse(*parsing) {
                    self.fail(report);
                }
            }
            Op::Dispatch(waiting) => {
                let (statement, delivery) = *waiting;
                if let Err(report) = self.dispatch(&statement, &delivery) {
                    self.fail(report);
                }
            }
            Op::Renew(renewal) => {
                if let Err(report) = self.renew(renewal) {
                    self.fail(report);
                }
            }
            Op::CopyIn(copying) => self.begin_copy(copying),
            Op::Fetch(fetching) => self.fetch_step(fetching),
            Op::Secret(kept) => self.keep_secret(kept),
            Op::EndImplicit => self.end_implicit(),
            Op::UndoImplicit => self.undo_implicit(),
            Op::Finish(outcome) => self.finish(outcome),
            Op::CompleteHeld => {
                if let Some(tag) = self.held_tag.take() {
                    self.complete_next(tag);
                }
            }
            Op::Complete(tag) => backend::command_complete(self.out.buffer(), tag),
            Op::Ready if self.wants_mail() => self.queue.push_front(Op::Ready),
            Op::Ready => {
                self.tell_settings();
                if !self.transaction.is_open() {
                    self.drop_portals();
                    self.commit_cursors();
                }
                self.tell_ready();
            }
        }
    }

    fn on_message(&mut self, message: Result<Message, ProtocolError>, sync_follows: bool, class: Class) {
        let message = match message {
            Ok(message) => message,
            Err(error @ (ProtocolError::Fatal(_) | ProtocolError::Version { .. })) => {
                return self.end(error.to_report());
            }
            Err(error) => {
                if class == Class::Sync && !self.is_copying() {
                    // It ends the batch all the same.
                    self.extended_error(&error.to_report());
                    self.sync();
                } else if self.phase == Phase::Serving && class == Class::Simple {
                    self.queue.push_back(Op::Ready);
                    self.fail(error.to_report());
                } else if self.phase == Phase::Serving {
                    self.extended_error(&error.to_report());
                }
                return;
            }
        };
        if self.is_copying() {
            return self.copy_message(message);
        }
        match message {
            Message::Terminate => self.phase = Phase::Closing,
            Message::Sync => self.sync(),
            _ if self.phase == Phase::Skipping => {}
            Message::Query(sql) => self.query(&sql),
            Message::FunctionCall => {
                let report = Report::new(
                    SqlState::FEATURE_NOT_SUPPORTED,
                    "the function-call protocol is not supported",
                );
                backend::report(self.out.buffer(), &report);
                self.queue.push_back(Op::Ready);
            }
            Message::Password(_) => {
                self.end(Report::new(
                    SqlState::PROTOCOL_VIOLATION,
                    "unexpected message of authentication",
                ));
            }
            // Left over from a COPY that failed: the client had not seen the error yet.
            Message::CopyData(_) | Message::CopyDone | Message::CopyFail(_) => {}
            Message::Flush => self.out.promise(),
            extended => {
                if let Err(report) = self.extended(extended, sync_follows) {
                    self.extended_error(&report);
                }
            }
        }
    }

    fn query(&mut self, sql: &str) {
        self.drop_statement("");
        self.drop_portal("");
        let script = match self.scripts.parse(sql) {
            Ok(script) => script,
            Err(error) => {
                self.hide_text();
                self.queue.push_back(Op::Ready);
                return self.fail(error.to_report());
            }
        };
        self.note_text(sql, &script.statements);
        if script.statements.is_empty() {
            backend::empty_query(self.out.buffer());
        }
        self.queue.extend(script.statements.iter().cloned().map(Op::Statement));
        self.queue.push_back(Op::EndImplicit);
        self.queue.push_back(Op::Ready);
    }

    fn on_answer(&mut self, answer: Answer) {
        match (self.waiting.take(), answer) {
            (Some(Waiting::Acquire), Answer::Acquired(Ok(warnings))) => {
                warnings.iter().for_each(|report| self.notice(report));
                // What the session wants instead is told before its next statement.
                self.engine = Some(self.instance_settings());
            }
            (Some(Waiting::Acquire), Answer::Acquired(Err(report))) => self.fail(report),
            (Some(Waiting::Release), Answer::Released) => {
                self.leave_instance();
            }
            (Some(Waiting::Shared), Answer::TransactionEnded) => {}
            (Some(Waiting::Shared), Answer::Mail(notifications)) => self.deliver(&notifications),
            (Some(Waiting::Relocate), Answer::Relocated(result)) => self.relocated(result),
            (Some(Waiting::Secret(kept)), Answer::SecretKept(result)) => self.secret_kept(&kept, result),
            (Some(Waiting::Copy(copying)), Answer::Copy(answer)) => self.copy_answer(copying, answer),
            (Some(Waiting::Prepare(parse)), Answer::Prepared(result)) => self.finish_parse(*parse, result),
            (Some(Waiting::Run(running)), Answer::Frame(result)) => self.on_frame(running, result),
            (waiting, answer) => {
                tracing::error!(?waiting, ?answer, "an answer to no question");
                self.end(Report::new(SqlState::INTERNAL_ERROR, "the session lost its place"));
            }
        }
    }

    /// An error of the current statement: tells it and drops what depended on it.
    pub(super) fn fail(&mut self, report: Report) {
        let fatal = report.severity == Severity::Fatal;
        backend::report(self.out.buffer(), &report);
        if fatal {
            self.phase = Phase::Closing;
            return;
        }
        let simple = self.queue.iter().any(|op| matches!(op, Op::Ready));
        self.drop_queue();
        if simple {
            self.queue.push_back(Op::UndoImplicit);
            self.queue.push_back(Op::Ready);
        } else {
            self.phase = Phase::Skipping;
        }
    }

    fn extended_error(&mut self, report: &Report) {
        backend::report(self.out.buffer(), report);
        self.drop_queue();
        self.phase = Phase::Skipping;
    }

    /// A transaction that fails leaves nothing, and what it locked is free at once.
    fn drop_queue(&mut self) {
        self.queue.clear();
        self.transaction.fail();
        if !self.effects.is_empty() {
            self.queue.push_back(Op::Finish(Outcome::RolledBack));
        }
    }

    pub(super) fn notice(&mut self, report: &Report) {
        backend::report(self.out.buffer(), report);
    }

    /// Tells the client of something that is no error, in the midst of a statement.
    pub fn tell(&mut self, report: &Report) {
        self.notice(report);
    }

    pub(super) fn tell_settings(&mut self) {
        if self.transaction.has_failed() {
            self.settings.fail();
        }
        for (name, value) in self.settings.untold() {
            backend::parameter_status(self.out.buffer(), name, &value);
        }
    }
}
