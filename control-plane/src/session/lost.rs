//! A worker that is lost in the midst of a call: what is tried again, and what the client is told.
//!
//! A statement is tried once more on another worker where it provably never reached the first one, or where it only reads and
//! nothing of its answer has been sent; and only while the session has nothing that went down with the worker. Everything else
//! is told as of unknown outcome, and nothing is sent twice.

use pintail_sqlstate::{Severity, ToReport};
use pintail_worker_api::error::CallError;

use super::engine::{After, Audience, Running, Source};
use super::machine::{Machine, Op, PendingParse};
use super::relocate::Renewal;
use super::statement::Delivery;
use super::transaction::Implicit;

impl Machine {
    /// An error of a call: of the statement, or of the worker itself.
    pub(super) fn call_failed(&mut self, error: &CallError) {
        match error {
            CallError::Statement { .. } => self.fail(error.to_report()),
            CallError::Lost { .. } | CallError::Unsent { .. } => self.worker_lost(error),
        }
    }

    /// Whether nothing of the session's goes down with its worker.
    fn loses_nothing(&self) -> bool {
        !self.transaction.is_open() && self.transaction.implicit != Implicit::Open && self.holds().is_none()
    }

    /// The worker of a running statement is gone.
    pub(super) fn run_lost(&mut self, running: Running, error: &CallError) {
        // A transaction that was to be rolled back is, with its worker.
        if let Audience::Nobody(after @ After::RolledBack { .. }) = &running.run.audience
            && self.cursors.is_empty()
            && !self.left_state
        {
            self.leave_instance();
            if let Err(report) = self.after(after) {
                self.fail(report);
            }
            return;
        }
        if !self.loses_nothing() {
            return self.worker_lost(error);
        }
        let never_arrived = matches!(error, CallError::Unsent { .. });
        let may_again = !running.run.was_lost && !running.answered && (never_arrived || running.run.reads());
        let again = may_again.then(|| again(running)).flatten();
        match again {
            Some(op) => {
                tracing::info!(never_arrived, "a statement is tried on another worker");
                self.leave_instance();
                self.queue.push_front(op);
            }
            None => self.worker_lost(error),
        }
    }

    /// The worker is gone while it prepared a statement, which changes nothing.
    pub(super) fn parse_lost(&mut self, parse: PendingParse, error: &CallError) {
        let mut parsing = parse.parsing;
        if parsing.was_lost || !self.loses_nothing() {
            return self.worker_lost(error);
        }
        parsing.was_lost = true;
        self.leave_instance();
        self.queue.push_front(Op::Parse(Box::new(parsing)));
    }

    /// Tells the client. The session goes on where it lost nothing but the statement.
    pub(super) fn worker_lost(&mut self, error: &CallError) {
        let report = error.to_report();
        if !self.loses_nothing() {
            return self.fail(report.with_severity(Severity::Fatal).with_hint("Connect again."));
        }
        self.leave_instance();
        self.fail(report);
    }
}

/// The operation that runs a statement once more; `None` for one that is the session's own.
fn again(running: Running) -> Option<Op> {
    let mut run = running.run;
    let Audience::Client(client) = &run.audience else {
        return None;
    };
    match &run.source {
        Source::Text(_) => {
            run.was_lost = true;
            Some(Op::Run(Box::new(run)))
        }
        Source::Prepared(prepared) => Some(Op::Renew(Box::new(Renewal {
            prepared: prepared.clone(),
            params: run.params.clone(),
            delivery: Delivery {
                described: client.described,
                formats: run.formats.clone(),
                portal: client.portal.clone(),
                copy: client.copy.clone(),
                was_lost: true,
                moved: client.moved.clone(),
            },
        }))),
        Source::Kept(_) => None,
    }
}
