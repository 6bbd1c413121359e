//! Statements at the engine: what is asked, and what becomes of the frames that answer.

use std::sync::Arc;

use bytes::Bytes;
use pintail_pgtypes::RenderSettings;
use pintail_sqlstate::Report;
use pintail_transpiler::{Returns, Tag, TransactionModes};
use pintail_worker_api::error::CallError;
use pintail_worker_api::messages::{
    CopyOptions, CopyWanted, Execute, Frame, Keep, Param, ReadKept, RowsWanted, Trailer, Want,
};

use super::copy::is_binary;
use super::cursor::{Declared, Fetching};
use super::machine::{Call, EngineSettings, Machine, Next, Op, Pace, Waiting};
use super::output::{announced, origins, rename};
use super::place::{Place, placed};
use super::portal::{Body, PortalState, Prepared, Rows, Suspended, describe};
use super::relocate::Left;
use super::secret::redacted;
use super::statement::Moved;
use super::transaction::Implicit;
use crate::wire::backend;

/// Time limits that the settings put, milliseconds; 0 for none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TimeLimits {
    /// Of a statement.
    pub statement: u64,
    /// Of a session that waits for its client outside a transaction.
    pub idle: u64,
    /// The same inside one.
    pub idle_in_transaction: u64,
    /// Of a transaction, that of a single statement included.
    pub transaction: u64,
}

/// What the settings mean for a statement.
#[derive(Debug, Default)]
pub(super) struct Derived {
    generation: u64,
    pub(super) engine: EngineSettings,
    limits: TimeLimits,
    rows: RowsWanted,
    /// How texts of parameters are read.
    pub(super) render: RenderSettings,
}

/// A statement for the engine.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) source: Source,
    pub(super) params: Vec<Param>,
    pub(super) formats: Vec<i16>,
    pub(super) audience: Audience,
    /// Where the client wrote it.
    pub(super) place: Option<Place>,
    /// Literals that must not be repeated to anybody.
    pub(super) redacted: Vec<String>,
    /// What its success leaves in the instance.
    pub(super) left: Left,
    /// A worker was lost over it once.
    pub(super) was_lost: bool,
    /// Relations of the control plane's that it reads.
    pub(super) relations: Vec<String>,
}

/// Where the engine finds the text.
#[derive(Debug)]
pub(super) enum Source {
    /// Here.
    Text(String),
    /// In a statement that it has prepared.
    Prepared(Arc<Prepared>),
    /// Nowhere: these rows of a kept result are read.
    Kept(ReadKept),
}

/// Who sees the result.
#[derive(Debug)]
pub(super) enum Audience {
    /// The client.
    Client(ToClient),
    /// Nobody; success has a consequence.
    Nobody(After),
    /// A cursor: the rows stay in the worker.
    Cursor(Box<Declared>),
    /// The client, as far as a movement of a cursor shows them.
    Fetch(Box<Fetching>),
}

/// How a result reaches the client.
#[derive(Debug)]
pub(super) struct ToClient {
    /// Whether a `RowDescription` precedes the rows (simple protocol).
    pub(super) described: Described,
    /// What the engine does not know of it.
    pub(super) output: pintail_transpiler::Output,
    pub(super) tag: Tag,
    pub(super) returns: Returns,
    /// The portal and its row limit, 0 for none (extended protocol).
    pub(super) portal: Option<(String, u32)>,
    /// What its calls of `set_config` change.
    pub(super) settings: Vec<pintail_transpiler::SettingChange>,
    /// The rows leave as `CopyData` in this way.
    pub(super) copy: Option<CopyOptions>,
    /// Further steps follow: the tag is held back until they have run.
    pub(super) holds_tag: bool,
    /// FETCH or MOVE has the portal run.
    pub(super) moved: Option<Moved>,
}

/// Whether the client knows the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Described {
    /// It learns them from the result.
    Now,
    /// It asked before.
    Before,
}

/// What a silent statement's success brings about.
#[derive(Debug, Clone)]
pub(super) enum After {
    Nothing,
    ImplicitBegun,
    Begun(TransactionModes),
    /// In the instance that the session moved to; the client's block goes on.
    BegunAgain,
    Committed {
        chain: bool,
    },
    RolledBack {
        chain: bool,
    },
    EngineSettings(EngineSettings),
    /// What was done before is undone; the client hears of the reason.
    Undone(Report),
}

/// A statement whose frames come in.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) run: Run,
    pub(super) stream: u64,
    /// Rows that may still be sent before the portal is suspended.
    pub(super) room: Option<u32>,
    /// Rows sent by this Execute.
    pub(super) sent: u64,
    /// A part of the answer has come, so that it cannot begin once more.
    pub(super) answered: bool,
}

impl Run {
    /// A statement whose result nobody sees.
    pub(super) fn silent(sql: impl Into<String>, after: After) -> Box<Self> {
        Box::new(Self {
            source: Source::Text(sql.into()),
            ..*Self::bare(Audience::Nobody(after))
        })
    }

    /// Nothing yet, for somebody.
    pub(super) fn bare(audience: Audience) -> Box<Self> {
        Box::new(Self {
            source: Source::Text(String::new()),
            params: Vec::new(),
            formats: Vec::new(),
            audience,
            place: None,
            redacted: Vec::new(),
            left: Left::default(),
            was_lost: false,
            relations: Vec::new(),
        })
    }

    /// Whether it changes nothing, as far as its tag tells; of a COPY, its query.
    pub(super) fn reads(&self) -> bool {
        match &self.audience {
            Audience::Client(ToClient {
                tag: Tag::Rows("SELECT"),
                ..
            }) => true,
            Audience::Client(ToClient { copy: Some(_), .. }) => self.place.as_ref().is_some_and(Place::reads),
            _ => false,
        }
    }

    fn is_control(&self) -> bool {
        matches!(&self.audience, Audience::Nobody(after) if !matches!(after, After::Nothing))
            || matches!(&self.source, Source::Text(sql) if sql == "COMMIT" || sql == "ROLLBACK")
            || matches!(&self.source, Source::Kept(_))
    }
}

impl Machine {
    /// Sends a statement to the engine, after what must come before it: a worker, settings, an implicit transaction.
    pub(super) fn start_run(&mut self, run: Box<Run>) {
        if !self.has_worker() {
            self.queue.push_front(Op::Run(run));
            return;
        }
        if !run.is_control()
            && let Some(before) = self.before_run()
        {
            self.queue.push_front(Op::Run(run));
            self.queue.push_front(before);
            return;
        }
        if !run.is_control() {
            self.transaction.used = true;
        }
        self.sequence += 1;
        let (handle, sql) = match &run.source {
            Source::Text(sql) => (0, sql.clone()),
            Source::Prepared(prepared) => match prepared.body {
                Body::Engine { handle, .. } => (handle, String::new()),
                Body::Session | Body::Steps { .. } => (0, String::new()),
            },
            Source::Kept(_) => (0, String::new()),
        };
        let (mut rows, timeout_ms) = self.rows_wanted();
        rows.formats = run.formats.iter().map(|format| u32::from(*format == 1)).collect();
        let want = match &run.audience {
            Audience::Client(ToClient {
                copy: Some(options), ..
            }) => Want::Copy(CopyWanted {
                options: Some(options.clone()),
                rows: Some(rows),
            }),
            _ => Want::Rows(rows),
        };
        let output = match &run.audience {
            Audience::Client(client) => Some(&client.output),
            Audience::Cursor(declared) => declared.wanted(),
            Audience::Nobody(_) | Audience::Fetch(_) => None,
        };
        let execute = Execute {
            handle,
            sql,
            params: run.params.clone(),
            sequence: self.sequence,
            timeout_ms,
            want: Some(want),
            param_oids: match &run.source {
                Source::Text(_) => run.params.iter().map(|param| param.type_oid).collect(),
                Source::Prepared(_) | Source::Kept(_) => Vec::new(),
            },
            column_oids: output.map(announced).unwrap_or_default(),
            origins: output.and_then(origins),
            keep: match &run.audience {
                Audience::Cursor(declared) => Some(Keep {
                    rewind: declared.scrolls,
                }),
                _ => None,
            },
            read: match &run.source {
                Source::Kept(read) => Some(read.clone()),
                _ => None,
            },
            relations: self.relations(&run.relations),
        };
        let room = match &run.audience {
            Audience::Client(ToClient {
                portal: Some((_, limit)),
                ..
            }) if *limit > 0 => Some(*limit),
            _ => None,
        };
        let pace = if room.is_some() { Pace::Pieces } else { Pace::Whole };
        self.waiting = Some(Waiting::Run(Box::new(Running {
            run: *run,
            stream: self.sequence,
            room,
            sent: 0,
            answered: false,
        })));
        self.call = Some(Next::Call(Call::Execute(execute, pace)));
    }

    /// What the engine must be told before a statement: settings, or the beginning of an implicit transaction.
    pub(super) fn before_run(&mut self) -> Option<Op> {
        if let Some(op) = self.settings_op() {
            return Some(op);
        }
        let begins = self.transaction.implicit == Implicit::Wanted;
        begins.then(|| Op::Run(Run::silent("BEGIN", After::ImplicitBegun)))
    }

    /// How a statement's rows are to be written, and how long it may take in milliseconds, 0 for ever.
    pub(super) fn rows_wanted(&mut self) -> (RowsWanted, u64) {
        let derived = self.derived();
        (derived.rows.clone(), derived.limits.statement)
    }

    /// The longest that a statement may take from now on, milliseconds; 0 for no limit.
    pub fn limit_statements(&mut self, limit_ms: u64) {
        self.identity.statement_limit_ms = limit_ms;
        self.derived = None;
    }

    /// The time limits in force.
    pub fn time_limits(&mut self) -> TimeLimits {
        self.derived().limits
    }

    /// What the settings mean for a statement, made anew after each change.
    pub(super) fn derived(&mut self) -> &Derived {
        let generation = self.settings.generation();
        if self
            .derived
            .as_ref()
            .is_none_or(|derived| derived.generation != generation)
        {
            let setting = |name: &str| self.settings.get(name).unwrap_or_default();
            let milliseconds = |name: &str| u64::try_from(self.settings.integer(name)).unwrap_or(0);
            let rows = RowsWanted {
                formats: Vec::new(),
                date_style: setting("DateStyle"),
                interval_style: setting("IntervalStyle"),
                time_zone: setting("TimeZone"),
                bytea_output: setting("bytea_output"),
                extra_float_digits: i32::try_from(self.settings.integer("extra_float_digits")).unwrap_or(1),
            };
            let render = RenderSettings::parse(
                &rows.date_style,
                &rows.interval_style,
                &rows.time_zone,
                &rows.bytea_output,
                rows.extra_float_digits,
            );
            self.derived = Some(Derived {
                generation,
                engine: self.engine_settings(),
                limits: TimeLimits {
                    statement: shorter(milliseconds("statement_timeout"), self.identity.statement_limit_ms),
                    idle: milliseconds("idle_session_timeout"),
                    idle_in_transaction: milliseconds("idle_in_transaction_session_timeout"),
                    transaction: milliseconds("transaction_timeout"),
                },
                rows,
                // Settings are looked at when they are set.
                render: render.unwrap_or_default(),
            });
        }
        self.derived.get_or_insert_default()
    }

    pub(super) fn on_frame(&mut self, running: Box<Running>, result: Result<Option<(Frame, Bytes)>, CallError>) {
        match result {
            Ok(Some((frame, bytes))) => self.take_frame(running, frame, bytes),
            Ok(None) => self.run_failed(
                *running,
                &CallError::Lost {
                    reason: "a result ended without its trailer".into(),
                },
            ),
            Err(error) => self.run_failed(*running, &error),
        }
    }

    fn run_failed(&mut self, running: Running, error: &CallError) {
        if let Audience::Nobody(after) = &running.run.audience {
            self.after_failure(after);
        }
        if let Audience::Client(ToClient {
            portal: Some((name, _)),
            ..
        }) = &running.run.audience
            && let Some(portal) = self.portals.get_mut(name)
        {
            portal.state = PortalState::Done;
        }
        let error = match error {
            CallError::Statement { report, broken } => CallError::Statement {
                report: Box::new(redacted(
                    &placed(report, running.run.place.as_ref()),
                    &running.run.redacted,
                )),
                broken: *broken,
            },
            lost @ (CallError::Lost { .. } | CallError::Unsent { .. }) => return self.run_lost(running, lost),
        };
        self.call_failed(&error);
    }

    fn take_frame(&mut self, mut running: Box<Running>, mut frame: Frame, bytes: Bytes) {
        if !frame.needs.is_empty() {
            return self.supply(*running, frame.needs);
        }
        running.answered = true;
        let client = match &mut running.run.audience {
            Audience::Client(client) => client,
            Audience::Nobody(_) => return self.take_silent(running, &frame),
            Audience::Cursor(declared) => {
                if let Some(header) = frame.header.take() {
                    declared.note_columns(header.columns);
                }
                return self.take_silent(running, &frame);
            }
            Audience::Fetch(fetching) => {
                self.show(fetching, bytes);
                return self.take_silent(running, &frame);
            }
        };
        if let (Some(options), Some(header)) = (&client.copy, &frame.header) {
            backend::copy_out_response(self.out.buffer(), i8::from(is_binary(options)), header.columns.len());
        }
        if let Some(header) = frame.header.take()
            && client.copy.is_none()
            && client.described == Described::Now
            && header.returns_rows
            && client.returns != Returns::Nothing
        {
            let mut columns = describe(&header.columns, &running.run.formats);
            rename(&mut columns, &client.output);
            backend::row_description(self.out.buffer(), &columns);
        }
        let mut rows = Rows {
            count: frame.rows,
            bytes,
        };
        // A statement that PostgreSQL answers without rows may give some here (a count of the engine's own).
        if client.returns == Returns::Nothing {
            rows = Rows::default();
        }
        if client.copy.is_some() {
            // A header line and a trailer are messages without a row.
            self.out.push(std::mem::take(&mut rows.bytes));
        }
        let sendable = rows.split(running.room.unwrap_or(u32::MAX));
        running.sent += u64::from(sendable.count);
        if let Some(room) = &mut running.room {
            *room -= sendable.count;
        }
        let is_hidden = client.moved.as_ref().is_some_and(|moved| !moved.shows);
        if !sendable.bytes.is_empty() && !is_hidden {
            self.out.push(sendable.bytes);
        }
        if running.room == Some(0) {
            return self.suspend(*running, rows, frame.trailer);
        }
        if let Some(trailer) = frame.trailer {
            self.complete(*running, &trailer)
        } else {
            self.call = Some(Next::Frame(running.stream));
            self.waiting = Some(Waiting::Run(running));
        }
    }

    fn take_silent(&mut self, running: Box<Running>, frame: &Frame) {
        if frame.trailer.is_none() {
            self.call = Some(Next::Frame(running.stream));
            self.waiting = Some(Waiting::Run(running));
            return;
        }
        self.forget.push(super::machine::Forget::Stream(running.stream));
        self.note_left(&running.run.left);
        let count = frame.trailer.as_ref().map_or(0, |trailer| trailer.count);
        match running.run.audience {
            Audience::Nobody(after) => {
                if let Err(report) = self.after(&after) {
                    self.fail(report);
                }
            }
            Audience::Cursor(declared) => self.declared(*declared, running.stream),
            Audience::Fetch(fetching) => self.step_done(fetching, count),
            Audience::Client(_) => {}
        }
    }

    fn complete(&mut self, running: Running, trailer: &Trailer) {
        self.forget.push(super::machine::Forget::Stream(running.stream));
        self.note_left(&running.run.left);
        let Audience::Client(client) = running.run.audience else {
            return;
        };
        let count = match client.returns {
            Returns::Nothing => trailer.count,
            Returns::Rows | Returns::Unknown if running.sent > 0 || client.portal.is_some() => running.sent,
            Returns::Rows | Returns::Unknown => trailer.count,
        };
        if let Some((name, _)) = &client.portal
            && let Some(portal) = self.portals.get_mut(name)
        {
            portal.state = PortalState::Done;
        }
        if let Some(moved) = &client.moved {
            return self.complete_next(moved.tag.render(running.sent));
        }
        for change in &client.settings {
            if let Err(report) = self.set_config(change, &running.run.params) {
                return self.fail(report);
            }
        }
        if client.copy.is_some() {
            backend::copy_done(self.out.buffer());
        }
        if client.holds_tag {
            self.held_tag = Some(client.tag.render(count));
            return;
        }
        backend::command_complete(self.out.buffer(), client.tag.render(count));
    }

    fn suspend(&mut self, running: Running, rest: Rows, trailer: Option<Trailer>) {
        let Audience::Client(ToClient {
            portal: Some((name, _)),
            moved,
            ..
        }) = running.run.audience
        else {
            return;
        };
        if let Some(portal) = self.portals.get_mut(&name) {
            portal.state = PortalState::Suspended(Suspended {
                stream: running.stream,
                rest,
                trailer,
            });
        }
        match moved {
            Some(moved) => self.complete_next(moved.tag.render(running.sent)),
            None => backend::portal_suspended(self.out.buffer()),
        }
    }

    /// Goes on with a suspended portal.
    pub(super) fn resume(&mut self, suspended: Suspended, run: Run, limit: u32) {
        let running = Box::new(Running {
            run,
            stream: suspended.stream,
            room: (limit > 0).then_some(limit),
            sent: 0,
            answered: true,
        });
        let frame = Frame {
            header: None,
            rows: suspended.rest.count,
            trailer: suspended.trailer,
            ..Frame::default()
        };
        self.take_frame(running, frame, suspended.rest.bytes);
    }
}

/// The shorter of two time limits, 0 being none.
fn shorter(a: u64, b: u64) -> u64 {
    if a == 0 || b == 0 { a.max(b) } else { a.min(b) }
}

/// An identifier in double quotes.
pub(super) fn pintail_quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
