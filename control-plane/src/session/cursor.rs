//! SQL cursors: `DECLARE`, `FETCH`, `MOVE`, `CLOSE`, and the protocol's messages about portals that are cursors.
//!
//! A cursor's rows stay in the worker; the session knows where it stands and asks for the rows of each movement.

mod position;

use std::collections::VecDeque;
use std::time::SystemTime;

use bytes::Bytes;
use pintail_sqlstate::{Report, SqlState};
use pintail_transpiler::{Copy, CopyTarget, Count, Cursor as Command, Direction, Kind, Role, Statement, Tag};
use pintail_worker_api::messages::{Column, Param, ReadKept};

use self::position::{Last, Position, Step};
use super::engine::{After, Audience, Described, Run, Source};
use super::machine::{Forget, Machine, Op};
use super::output::rename_told;
use super::place::Place;
use super::portal::{Body, PortalState, describe};
use super::statement::{Delivery, Moved, unsupported};
use super::transaction::Implicit;
use crate::wire::backend::{self, ColumnDescription};

/// An open cursor.
#[derive(Debug)]
pub(super) struct Cursor {
    /// The worker's name for its rows.
    result: u64,
    declared: Declared,
    columns: Vec<ColumnDescription>,
    position: Position,
    /// Whether the transaction that declared it is still open.
    is_pending: bool,
}

/// What DECLARE said.
#[derive(Debug, Clone)]
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) is_binary: bool,
    pub(super) scrolls: bool,
    pub(super) is_held: bool,
    /// The statement, as the client wrote it.
    pub(super) text: String,
    pub(super) since: SystemTime,
    /// The tag of the DECLARE.
    tag: String,
    columns: Columns,
}

/// A cursor's query, for the engine.
#[derive(Debug)]
pub(super) struct Query {
    pub(super) source: Source,
    pub(super) params: Vec<Param>,
    /// See [`Run::place`].
    pub(super) place: Option<Place>,
    pub(super) columns: Columns,
}

/// What is known of a cursor's columns before its query begins.
#[derive(Debug, Clone)]
pub(super) enum Columns {
    /// The engine tells them, but for this.
    Wanted(pintail_transpiler::Output),
    /// All.
    Known(Vec<Column>),
}

/// A FETCH or MOVE under way.
#[derive(Debug)]
pub(super) struct Fetching {
    cursor: String,
    /// Steps whose rows nobody sees.
    before: VecDeque<Step>,
    last: Option<Last>,
    shows: bool,
    formats: Vec<i16>,
    /// Columns that the client is to be told of before its first row.
    undescribed: Option<Vec<ColumnDescription>>,
    tag: Tag,
    /// Rows shown so far, by all Executes.
    shown: u64,
    /// The portal and the row limit of this Execute, 0 for none.
    portal: Option<(String, u32)>,
    /// The row limit of an Execute on the cursor itself.
    limit: Option<u64>,
    /// The step whose rows are being read.
    reading: Option<(Step, Visible)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Visible {
    Shown,
    Passed,
}

impl Cursor {
    /// What DECLARE said of it.
    pub(super) fn said(&self) -> &Declared {
        &self.declared
    }
}

impl Machine {
    /// Carries a cursor statement out.
    pub(super) fn cursor_command(
        &mut self,
        command: &Command,
        statement: &Statement,
        delivery: &Delivery,
    ) -> Result<(), Report> {
        match command {
            Command::Declare { query, .. } => {
                let plan = self.plan(query, &[])?;
                let [step] = plan.steps.as_slice() else {
                    return Err(unsupported(
                        "a cursor over a statement of several steps is not supported",
                    ));
                };
                if step.role != Role::Main || !plan.settings.is_empty() {
                    return Err(unsupported(
                        "a cursor over a query that changes settings is not supported",
                    ));
                }
                let query = Query {
                    place: Some(Place::of(query, step.unchanged)),
                    source: Source::Text(step.sql.clone()),
                    params: Vec::new(),
                    columns: Columns::Wanted(plan.output),
                };
                self.declare(command, statement, query)
            }
            Command::Fetch { name, direction } => self.fetch(name, *direction, true, statement.tag.clone(), delivery),
            Command::Move { name, direction } => self.fetch(name, *direction, false, statement.tag.clone(), delivery),
            Command::Close(Some(name)) => {
                if self.cursors.contains_key(name) {
                    self.drop_cursor(name);
                } else if self.portals.contains_key(name) {
                    self.drop_portal(name);
                } else {
                    return Err(no_cursor(name));
                }
                self.complete_next(statement.tag.render(0));
                Ok(())
            }
            Command::Close(None) => {
                self.drop_cursors(|_| true);
                // The portal that runs this statement is no cursor that it could close.
                let own = delivery.portal.as_ref().map(|(name, _)| name.clone());
                self.drop_portals_but(|name, _| Some(name) == own.as_deref());
                self.complete_next(statement.tag.render(0));
                Ok(())
            }
        }
    }

    /// Has the engine begin a cursor's query, and keep its rows.
    pub(super) fn declare(&mut self, command: &Command, statement: &Statement, query: Query) -> Result<(), Report> {
        let Command::Declare {
            name,
            binary,
            scroll,
            hold,
            ..
        } = command
        else {
            return Ok(());
        };
        if !hold && !self.transaction.is_open() && self.transaction.implicit == Implicit::None {
            return Err(Report::new(
                SqlState::NO_ACTIVE_SQL_TRANSACTION,
                "DECLARE CURSOR can only be used in transaction blocks",
            ));
        }
        if self.cursors.contains_key(name) || self.portals.contains_key(name) {
            return Err(duplicate_cursor(name));
        }
        let declared = Declared {
            name: name.clone(),
            is_binary: *binary,
            scrolls: *scroll == Some(true),
            is_held: *hold,
            text: statement.text.clone(),
            since: SystemTime::now(),
            tag: statement.tag.render(0),
            columns: query.columns,
        };
        self.queue.push_front(Op::Run(Box::new(Run {
            source: query.source,
            params: query.params,
            place: query.place,
            ..*Run::bare(Audience::Cursor(Box::new(declared)))
        })));
        Ok(())
    }

    /// The engine began a cursor's query; `result` is the worker's name for its rows.
    pub(super) fn declared(&mut self, declared: Declared, result: u64) {
        let columns = match &declared.columns {
            Columns::Known(columns) => describe(columns, &[]),
            Columns::Wanted(_) => Vec::new(),
        };
        let (tag, held) = (declared.tag.clone(), declared.is_held);
        self.cursors.insert(
            declared.name.clone(),
            Cursor {
                result,
                declared,
                columns,
                position: Position::default(),
                is_pending: true,
            },
        );
        self.complete_next(tag);
        if held {
            // What it reads is of this transaction, which it outlives.
            let read = ReadKept {
                result,
                discard: true,
                to_end: true,
                ..ReadKept::default()
            };
            self.queue.push_front(Op::Run(Box::new(Run {
                source: Source::Kept(read),
                ..*Run::bare(Audience::Nobody(After::Nothing))
            })));
        }
    }

    fn fetch(
        &mut self,
        name: &str,
        direction: Direction,
        shows: bool,
        tag: Tag,
        delivery: &Delivery,
    ) -> Result<(), Report> {
        let Some(cursor) = self.cursors.get(name) else {
            return self.fetch_from_portal(name, direction, Moved { shows, tag }, delivery);
        };
        let movement = cursor.position.movement(direction, shows);
        let (mut formats, mut undescribed) = (delivery.formats.clone(), None);
        if delivery.described == Described::Now {
            if cursor.declared.is_binary {
                formats = vec![1];
            }
            if shows {
                undescribed = Some(cursor.described(&formats));
            }
        }
        self.queue.push_front(Op::Fetch(Box::new(Fetching {
            cursor: name.to_owned(),
            before: movement.before.into(),
            last: Some(movement.last),
            shows,
            formats,
            undescribed,
            tag,
            shown: 0,
            portal: delivery.portal.clone(),
            limit: None,
            reading: None,
        })));
        Ok(())
    }

    /// FETCH or MOVE on a portal that Bind made: its rows come in the formats of Bind, forward only.
    fn fetch_from_portal(
        &mut self,
        name: &str,
        direction: Direction,
        moved: Moved,
        delivery: &Delivery,
    ) -> Result<(), Report> {
        let Some(portal) = self.portals.get(name) else {
            return Err(no_cursor(name));
        };
        if !matches!(portal.prepared.body, Body::Engine { .. }) {
            return Err(unsupported(
                "FETCH from a portal whose statement is not a plain query is not supported",
            ));
        }
        let limit = match direction {
            Direction::Forward(Count::All) => 0,
            Direction::Forward(Count::Rows(rows @ 1..)) => u32::try_from(rows).unwrap_or(u32::MAX),
            Direction::Relative(1) => 1,
            _ => return Err(position::forward_only()),
        };
        if delivery.described == Described::Now && moved.shows {
            let columns = self.portal_columns(name)?;
            backend::row_description(self.out.buffer(), &columns);
        }
        self.run_portal(name, limit, true, Some(moved))
    }

    /// Execute on a portal that is a cursor.
    pub(super) fn execute_cursor(&mut self, name: &str, limit: u32) -> Result<(), Report> {
        let Some(cursor) = self.cursors.get(name) else {
            return Err(no_portal(name));
        };
        self.transaction.check()?;
        let count = (limit > 0).then_some(u64::from(limit));
        self.queue.push_front(Op::Fetch(Box::new(Fetching {
            cursor: name.to_owned(),
            before: VecDeque::new(),
            last: Some(Last::Rows(Step::Forward(count))),
            shows: true,
            formats: if cursor.declared.is_binary { vec![1] } else { Vec::new() },
            undescribed: None,
            tag: Tag::Rows("SELECT"),
            shown: 0,
            portal: None,
            limit: count,
            reading: None,
        })));
        Ok(())
    }

    /// Goes on with a FETCH that a row limit cut.
    pub(super) fn resume_fetch(&mut self, mut fetching: Box<Fetching>, limit: u32) {
        if let Some((_, known)) = &mut fetching.portal {
            *known = limit;
        }
        self.queue.push_front(Op::Fetch(fetching));
    }

    /// Makes the next step of a movement.
    pub(super) fn fetch_step(&mut self, mut fetching: Box<Fetching>) {
        loop {
            let Some(cursor) = self.cursors.get_mut(&fetching.cursor) else {
                return self.fail(no_cursor(&fetching.cursor));
            };
            let (step, visible) = match fetching.before.pop_front() {
                Some(step) => (step, Visible::Passed),
                None => match fetching.last.take() {
                    Some(Last::Rows(step)) => (fetching.cut(step), Visible::Shown),
                    Some(Last::Counted(count)) => return self.fetched(fetching, count),
                    None => {
                        let shown = fetching.shown;
                        return self.fetched(fetching, shown);
                    }
                },
            };
            let span = match cursor.position.span(step, cursor.declared.scrolls) {
                Ok(span) => span,
                Err(report) => return self.fail(report),
            };
            let shows = visible == Visible::Shown && fetching.shows;
            let read = match span {
                // Rows that were read before are known to be there.
                Some(span) if !shows && span.backwards => {
                    cursor.position.step(step, span.rows);
                    fetching.count(visible, span.rows);
                    continue;
                }
                Some(span) => ReadKept {
                    result: cursor.result,
                    first: span.first,
                    rows: span.rows,
                    backwards: span.backwards,
                    discard: !shows,
                    to_end: false,
                },
                None => {
                    cursor.position.step(step, 0);
                    continue;
                }
            };
            fetching.reading = Some((step, visible));
            let formats = fetching.formats.clone();
            self.start_run(Box::new(Run {
                source: Source::Kept(read),
                formats,
                ..*Run::bare(Audience::Fetch(fetching))
            }));
            return;
        }
    }

    /// A step's rows have all come: `count` of them.
    pub(super) fn step_done(&mut self, mut fetching: Box<Fetching>, count: u64) {
        let Some((step, visible)) = fetching.reading.take() else {
            return;
        };
        if let Some(cursor) = self.cursors.get_mut(&fetching.cursor) {
            cursor.position.step(step, count);
        }
        fetching.count(visible, count);
        if visible == Visible::Shown && fetching.is_cut(count) {
            return self.suspend_fetch(fetching);
        }
        // What a limit cut off ends with the rows.
        if visible == Visible::Shown {
            fetching.last = None;
        }
        self.queue.push_front(Op::Fetch(fetching));
    }

    fn suspend_fetch(&mut self, fetching: Box<Fetching>) {
        let portal = fetching
            .portal
            .as_ref()
            .and_then(|(name, _)| self.portals.get_mut(name));
        match portal {
            Some(portal) => portal.state = PortalState::Fetching(fetching),
            // A cursor run by Execute is its own portal.
            None => drop(fetching),
        }
        backend::portal_suspended(self.out.buffer());
    }

    /// Rows of a movement go to the client.
    pub(super) fn show(&mut self, fetching: &mut Fetching, rows: Bytes) {
        let is_shown = matches!(fetching.reading, Some((_, Visible::Shown)));
        if is_shown && let Some(columns) = fetching.undescribed.take() {
            backend::row_description(self.out.buffer(), &columns);
        }
        self.out.push(rows);
    }

    fn fetched(&mut self, mut fetching: Box<Fetching>, count: u64) {
        if let Some(columns) = fetching.undescribed.take() {
            backend::row_description(self.out.buffer(), &columns);
        }
        if let Some((name, _)) = &fetching.portal
            && let Some(portal) = self.portals.get_mut(name)
        {
            portal.state = PortalState::Done;
        }
        self.complete_next(fetching.tag.render(count));
    }

    /// The columns of a cursor's rows in some formats; `None` where there is no such cursor.
    pub(super) fn cursor_columns(&self, name: &str, formats: &[i16]) -> Option<Vec<ColumnDescription>> {
        self.cursors.get(name).map(|cursor| cursor.described(formats))
    }

    /// The columns of a cursor as Describe of its portal tells them.
    pub(super) fn cursor_portal(&self, name: &str) -> Option<Vec<ColumnDescription>> {
        let cursor = self.cursors.get(name)?;
        Some(cursor.described(if cursor.declared.is_binary { &[1] } else { &[] }))
    }

    pub(super) fn drop_cursor(&mut self, name: &str) {
        if let Some(cursor) = self.cursors.remove(name) {
            self.forget.push(Forget::Kept(cursor.result));
        }
    }

    fn drop_cursors(&mut self, goes: impl Fn(&Cursor) -> bool) {
        let names: Vec<String> = self
            .cursors
            .values()
            .filter(|cursor| goes(cursor))
            .map(|cursor| cursor.declared.name.clone())
            .collect();
        for name in names {
            self.drop_cursor(&name);
        }
    }

    /// The transaction committed: cursors that are held stay.
    pub(super) fn commit_cursors(&mut self) {
        self.drop_cursors(|cursor| !cursor.declared.is_held);
        for cursor in self.cursors.values_mut() {
            cursor.is_pending = false;
        }
    }

    /// The transaction is undone, and the cursors that it declared.
    pub(super) fn undo_cursors(&mut self) {
        self.drop_cursors(|cursor| cursor.is_pending || !cursor.declared.is_held);
    }

    /// What was declared or bound since a savepoint goes with what it rolls back.
    pub(super) fn undo_cursors_since(&mut self, sequence: u64, made: SystemTime) {
        self.drop_cursors(|cursor| cursor.is_pending && cursor.result > sequence);
        self.drop_portals_but(|name, portal| name.is_empty() || portal.made <= made);
    }
}

impl Cursor {
    fn described(&self, formats: &[i16]) -> Vec<ColumnDescription> {
        let mut columns = self.columns.clone();
        for (index, column) in columns.iter_mut().enumerate() {
            column.format = super::portal::format_of(formats, index);
        }
        columns
    }
}

impl Declared {
    /// What the engine does not know of them.
    pub(super) fn wanted(&self) -> Option<&pintail_transpiler::Output> {
        match &self.columns {
            Columns::Wanted(wanted) => Some(wanted),
            Columns::Known(_) => None,
        }
    }

    /// The engine tells what the rows look like.
    pub(super) fn note_columns(&mut self, mut told: Vec<Column>) {
        let Columns::Wanted(wanted) = &mut self.columns else {
            return;
        };
        rename_told(&mut told, std::mem::take(wanted));
        self.columns = Columns::Known(told);
    }
}

impl Fetching {
    /// The rows of a step that this Execute may show; the rest stays for the next one.
    fn cut(&mut self, step: Step) -> Step {
        let Some((_, limit @ 1..)) = &self.portal else {
            return step;
        };
        let limit = u64::from(*limit);
        let (left, again): (Option<u64>, fn(Option<u64>) -> Step) = match step {
            Step::Forward(count) => (count, Step::Forward),
            Step::Backward(count) => (count, Step::Backward),
            Step::Rewind => return step,
        };
        if left.is_some_and(|left| left <= limit) {
            return step;
        }
        self.last = Some(Last::Rows(again(left.map(|left| left - limit))));
        again(Some(limit))
    }

    fn is_cut(&self, count: u64) -> bool {
        match &self.portal {
            Some((_, limit @ 1..)) => self.last.is_some() && count == u64::from(*limit),
            Some(_) => false,
            None => self.limit == Some(count),
        }
    }

    fn count(&mut self, visible: Visible, count: u64) {
        if visible == Visible::Shown {
            self.shown += count;
        }
    }
}

pub(super) fn no_cursor(name: &str) -> Report {
    Report::new(
        SqlState::INVALID_CURSOR_NAME,
        format!("cursor \"{name}\" does not exist"),
    )
}

pub(super) fn no_portal(name: &str) -> Report {
    Report::new(
        SqlState::INVALID_CURSOR_NAME,
        format!("portal \"{name}\" does not exist"),
    )
}

pub(super) fn duplicate_cursor(name: &str) -> Report {
    Report::new(SqlState::DUPLICATE_CURSOR, format!("cursor \"{name}\" already exists"))
}

/// The statement that the engine is asked for: of a DECLARE its query.
pub(super) fn subject(statement: &Statement) -> &Statement {
    match &statement.kind {
        Kind::Cursor(Command::Declare { query, .. }) => query,
        _ => statement,
    }
}

/// The statement whose names are a statement's: of a DECLARE or COPY its query.
pub(super) fn naming(statement: &Statement) -> &Statement {
    match &statement.kind {
        Kind::Copy(Copy {
            target: CopyTarget::Query(query) | CopyTarget::Table { query, .. },
            ..
        }) => query,
        _ => subject(statement),
    }
}
