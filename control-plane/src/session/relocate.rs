//! Moving a session to an instance that has further catalogs attached.
//!
//! An instance attaches nothing once its wall is up, so a statement that names a catalog which is not there is run on
//! another one. Settings are brought there like after any start, prepared statements are prepared again when they are next
//! used; what cannot be brought along keeps the session where it is.

use std::sync::Arc;

use pintail_sqlstate::{Report, SqlState};
use pintail_transpiler::{Leaves, Statement};
use pintail_worker_api::messages::Param;

use super::engine::{After, Audience, Run};
use super::machine::{Call, Machine, Next, Op, Parsing, Purpose, Waiting};
use super::portal::{PortalState, Prepared};
use super::statement::Delivery;
use super::transaction::Implicit;
use crate::wire::backend;

/// What a statement's success leaves in the instance.
#[derive(Debug, Default)]
pub(super) struct Left {
    pub(super) state: Leaves,
    pub(super) database: Option<String>,
    /// A temporary table.
    pub(super) temporary: Option<String>,
    /// Tables that are there no more.
    pub(super) dropped: Vec<String>,
}

impl Left {
    /// By a statement.
    pub(super) fn by(statement: &Statement) -> Self {
        Self {
            state: statement.leaves(),
            database: statement.attaches(),
            temporary: statement.makes_temporary(),
            dropped: statement.drops(),
        }
    }
}

/// A prepared statement to be prepared again and then run.
#[derive(Debug)]
pub(super) struct Renewal {
    pub(super) prepared: Arc<Prepared>,
    pub(super) params: Vec<Param>,
    pub(super) delivery: Delivery,
}

impl Machine {
    /// The catalogs for which a statement must move the session first; an error where it cannot.
    pub(super) fn elsewhere(&self, statement: &Statement) -> Result<Option<Vec<String>>, Report> {
        let home = self.identity.catalog.as_str();
        let named: Vec<String> = statement
            .catalogs()
            .iter()
            .filter(|name| *name != home && !self.own_databases.contains(name) && self.identity.may_reach(name))
            .cloned()
            .collect();
        let missing = named.iter().find(|name| !self.identity.attached.contains(name));
        let Some(first) = missing else { return Ok(None) };
        match self.holds() {
            // All of them, lest one that is there makes room for one that is not.
            None => Ok(Some(named)),
            Some(what) => Err(Report::new(
                SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                format!("database \"{first}\" is not attached in this session"),
            )
            .with_detail(format!(
                "It could be attached by a move to another instance, which would lose {what}."
            ))
            .with_hint(format!(
                "Connect with \"{first}\" as the database, or give up what the session holds with DISCARD ALL."
            ))),
        }
    }

    /// Has the session moved; `again` is done there.
    pub(super) fn move_to(&mut self, catalogs: Vec<String>, again: Op) {
        self.queue.push_front(again);
        if self.transaction.is_open() {
            self.queue.push_front(Op::Run(Run::silent("BEGIN", After::BegunAgain)));
        }
        self.waiting = Some(Waiting::Relocate);
        self.call = Some(Next::Call(Call::Relocate { catalogs }));
    }

    pub(super) fn relocated(&mut self, result: Result<Vec<String>, Report>) {
        match result {
            Ok(attached) => {
                self.identity.attached = attached;
                self.leave_instance();
            }
            Err(report) => self.fail(report),
        }
    }

    /// Whether the session waits for its client with a worker that it could do without.
    pub fn may_rest(&self) -> bool {
        self.engine.is_some() && self.holds().is_none() && !self.transaction.is_open()
    }

    /// The engine is given up in the midst of a statement. Gives what the client is told, or `None` where the session's
    /// state goes with it. It was cancelled, or it was out of time.
    pub fn engine_given_up(&mut self, cancelled: bool) -> Option<Report> {
        let reads = match &self.waiting {
            Some(Waiting::Run(running)) => running.run.reads(),
            Some(Waiting::Prepare(_)) => true,
            _ => return None,
        };
        let reason = if cancelled { "user request" } else { "statement timeout" };
        let canceled = Report::new(SqlState::QUERY_CANCELED, format!("canceling statement due to {reason}"))
            .with_detail("The engine did not stop in time and was given up.");
        if self.holds().is_some() || self.transaction.is_open() {
            // The session ends with the transaction that its instance held; the client learns why first.
            if let Some(Waiting::Run(running)) = &self.waiting
                && matches!(running.run.audience, Audience::Client(_))
            {
                backend::report(self.out.buffer(), &canceled);
            }
            return None;
        }
        self.leave_instance();
        Some(if reads {
            canceled
        } else {
            Report::new(
                SqlState::CONNECTION_FAILURE,
                "the outcome of the statement is unknown because the engine did not stop in time",
            )
        })
    }

    /// The instance is gone with all it held; the next statement gets another.
    pub fn leave_instance(&mut self) {
        self.engine = None;
        self.instance += 1;
        self.left_state = false;
        self.own_databases.clear();
        self.temporary.clear();
        self.cursors.clear();
    }

    /// What a move would lose.
    pub(super) fn holds(&self) -> Option<&'static str> {
        self.engine.as_ref()?;
        let open = self.transaction.is_open() && self.transaction.used;
        if open || self.transaction.implicit == Implicit::Open {
            return Some("the open transaction");
        }
        if self
            .portals
            .values()
            .any(|portal| matches!(portal.state, PortalState::Suspended(_)))
        {
            return Some("an open portal");
        }
        if !self.cursors.is_empty() {
            return Some("an open cursor");
        }
        self.left_state
            .then_some("temporary objects, variables or secrets of the session")
    }

    /// Remembers what a statement that ended left in the instance.
    pub(super) fn note_left(&mut self, left: &Left) {
        if left.state == Leaves::SessionState {
            self.left_state = true;
        }
        self.own_databases.extend(left.database.clone());
        // Of two tables with one name the temporary one is dropped first.
        self.temporary.retain(|name| !left.dropped.contains(name));
        self.temporary.extend(left.temporary.clone());
    }

    /// Prepares a statement for the instance that the session has now.
    pub(super) fn renew(&mut self, renewal: Box<Renewal>) -> Result<(), Report> {
        let prepared = Arc::clone(&renewal.prepared);
        let Some(statement) = prepared.statement.clone() else {
            return Ok(());
        };
        let was_lost = renewal.delivery.was_lost;
        self.start_parse(Parsing {
            name: String::new(),
            statement,
            types: prepared.param_oids.clone(),
            purpose: Purpose::Again(renewal),
            was_lost,
        })
    }

    /// Puts a statement in the place of what it renews, and runs it.
    pub(super) fn renewed(&mut self, renewal: Renewal, prepared: &Arc<Prepared>) {
        let old = &renewal.prepared;
        for known in self.statements.values_mut().filter(|known| Arc::ptr_eq(known, old)) {
            *known = Arc::clone(prepared);
        }
        for portal in self.portals.values_mut() {
            if Arc::ptr_eq(&portal.prepared, old) {
                portal.prepared = Arc::clone(prepared);
            }
        }
        let Some(statement) = &prepared.statement else { return };
        if let Err(report) = self.run_prepared(prepared, statement, renewal.params, &renewal.delivery) {
            self.fail(report);
        }
    }
}
