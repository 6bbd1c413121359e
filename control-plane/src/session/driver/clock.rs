//! Time limits of a session that waits for its client, and of its transaction (manual, "Client Connection Defaults").

use std::time::{Duration, Instant};

use pintail_sqlstate::{Report, Severity, SqlState};

use super::super::engine::TimeLimits;
use super::super::machine::Machine;

/// Since when a transaction lasts.
#[derive(Debug, Default)]
pub(super) struct Clock {
    transaction_since: Option<Instant>,
}

impl Clock {
    /// A message came: it belongs to the open transaction, or begins one.
    pub(super) fn works(&mut self, machine: &Machine) {
        let now = Instant::now();
        if machine.is_ready() && !machine.in_transaction() {
            self.transaction_since = Some(now);
        }
        self.transaction_since.get_or_insert(now);
    }

    /// When the open transaction has lasted too long.
    pub(super) fn transaction_end(&self, limits: TimeLimits) -> Option<Instant> {
        after(self.transaction_since?, limits.transaction)
    }

    /// The session waits for its client: until when, and what it is told then. A client that is in the middle of a batch is
    /// not idle.
    pub(super) fn rests(&mut self, machine: &mut Machine) -> Option<(Instant, Report)> {
        let (limits, now) = (machine.time_limits(), Instant::now());
        if machine.is_ready() && !machine.in_transaction() {
            self.transaction_since = None;
            return Some((after(now, limits.idle)?, idle_timeout()));
        }
        let idle = after(now, limits.idle_in_transaction).filter(|_| machine.is_ready());
        let transaction = self.transaction_end(limits);
        match (idle, transaction) {
            (Some(idle), transaction) if transaction.is_none_or(|end| idle < end) => {
                Some((idle, idle_in_transaction_timeout()))
            }
            (_, transaction) => Some((transaction?, transaction_timeout())),
        }
    }
}

fn after(since: Instant, limit_ms: u64) -> Option<Instant> {
    (limit_ms > 0).then(|| since + Duration::from_millis(limit_ms))
}

fn terminating(sqlstate: SqlState, reason: &str) -> Report {
    Report::new(sqlstate, format!("terminating connection due to {reason}")).with_severity(Severity::Fatal)
}

fn idle_timeout() -> Report {
    terminating(SqlState::IDLE_SESSION_TIMEOUT, "idle-session timeout")
}

fn idle_in_transaction_timeout() -> Report {
    terminating(
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        "idle-in-transaction timeout",
    )
}

/// What the client of a transaction that lasted too long is told.
pub(super) fn transaction_timeout() -> Report {
    terminating(SqlState::TRANSACTION_TIMEOUT, "transaction timeout")
}
