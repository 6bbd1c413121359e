//! A session's place among others: the functions by which it reaches them, its notifications, its advisory locks.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::{BoxFuture, ready};
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use pintail_configstore::{OrgId, Role};
use pintail_sqlstate::{Report, SqlState};
use pintail_worker_api::client::WorkerClient;
use pintail_worker_api::error::to_detail;
use pintail_worker_api::messages::{CallAnswer, SessionCall};
use tokio_util::sync::CancellationToken;

use super::listen::{Change, TransactionEnd};
use super::machine::Machine;
use super::transaction::warning;
use crate::advisory::{Holder, Key, Locks, Mode, Scope, Shown};
use crate::cancel::CancelRegistry;
use crate::login::Login;
use crate::notify::{Hub, Mailbox, Notification};
use crate::sessions::{SessionInfo, SessionView, Sessions};

/// How often a session that was told to end is looked for.
const LOOK: Duration = Duration::from_millis(10);

/// What the sessions of a control plane share.
#[derive(Clone, Default)]
pub struct Shared {
    /// Who is there.
    pub sessions: Sessions,
    /// How they are cancelled.
    pub cancels: CancelRegistry,
    /// NOTIFY.
    pub hub: Hub,
    /// Advisory locks.
    pub locks: Locks,
}

/// A session's place. Dropping it gives its locks back and ends its listening.
pub(super) struct Place {
    shared: Shared,
    org: OrgId,
    slug: String,
    user: String,
    role: Role,
    pid: i32,
    holder: Arc<Holder>,
    mailbox: Mailbox,
}

/// What a call gives: a text, NULL, or an error.
type Outcome = Result<Option<String>, Report>;

impl Place {
    /// The place of a session, which `end` ends.
    pub(super) fn new(shared: Shared, login: &Login, pid: i32, end: &CancellationToken) -> Self {
        let org = login.org.id;
        Self {
            org,
            slug: login.org.slug.to_string(),
            user: login.user.name.to_string(),
            role: login.user.role,
            pid,
            holder: Arc::new(shared.locks.holder(org, pid)),
            mailbox: shared.hub.mailbox(org, pid, end),
            shared,
        }
    }

    /// The organisation's sessions.
    pub(super) fn sessions(&self) -> Vec<SessionView> {
        let mut views = self.shared.sessions.view();
        views.retain(|view| view.info.org == self.slug);
        views
    }

    /// The organisation's advisory locks.
    pub(super) fn locks(&self) -> Vec<Shown> {
        self.shared.locks.list(self.org)
    }

    /// Whether a session waits for an advisory lock.
    pub(super) fn waits_for_lock(&self, pid: i32) -> bool {
        self.shared.locks.waits(pid)
    }

    /// Whether what a session of the organisation does may be seen.
    pub(super) fn may_look_at(&self, session: &SessionInfo) -> bool {
        self.role == Role::Owner || session.user == self.user
    }

    /// How many advisory locks the transaction holds.
    pub(super) fn locks_taken(&self) -> usize {
        self.holder.taken()
    }

    /// Takes the notifications that have arrived.
    pub(super) fn mail(&self) -> Vec<Notification> {
        self.mailbox.take()
    }

    /// Waits for a notification. Cancel safe.
    pub(super) async fn arrival(&self) {
        self.mailbox.arrival().await;
    }

    /// Brings about what a transaction left.
    pub(super) fn end_transaction(&mut self, end: TransactionEnd) {
        for change in end.changes {
            match change {
                Change::Listen(channel) => self.mailbox.listen(&channel),
                Change::Unlisten(channel) => self.mailbox.unlisten(&channel),
                Change::UnlistenAll => self.mailbox.unlisten_all(),
            }
        }
        if !end.notifications.is_empty() {
            let pid = self.pid;
            let sent = end.notifications.into_iter();
            let notifications = sent.map(|(channel, payload)| Notification { pid, channel, payload });
            self.shared.hub.publish(self.org, notifications.collect());
        }
        self.holder.end_transaction(end.keeps);
        if end.unlocks {
            self.holder.unlock_all();
        }
    }

    /// Begins a call of a statement. Dropped before its end it has no effect that it would have had then.
    pub(super) fn begin(&self, call: SessionCall, machine: &mut Machine) -> BoxFuture<'static, CallAnswer> {
        machine.note_call();
        let id = call.id;
        let arguments: Vec<Option<String>> = call.arguments.into_iter().map(|it| it.text).collect();
        let outcome = self.run(&call.function, &arguments, machine);
        outcome
            .map(move |outcome| match outcome {
                Ok(value) => CallAnswer { id, value, error: None },
                Err(report) => CallAnswer {
                    id,
                    value: None,
                    error: Some(to_detail(&report, false)),
                },
            })
            .boxed()
    }

    fn run(&self, function: &str, arguments: &[Option<String>], machine: &mut Machine) -> BoxFuture<'static, Outcome> {
        if function == "pg_notify" {
            let part = |index: usize| arguments.get(index).and_then(Option::as_deref).unwrap_or_default();
            return at_once(machine.notify(part(0), part(1)).map(|()| nothing()));
        }
        let Some(values) = arguments.iter().cloned().collect::<Option<Vec<String>>>() else {
            return at_once(Ok(None));
        };
        let number = |index: usize| values.get(index).and_then(|text| text.parse::<i64>().ok()).unwrap_or(0);
        match function {
            "pg_cancel_backend" => at_once(self.cancel(number(0), machine)),
            "pg_terminate_backend" => self.terminate(number(0), number(1), machine),
            "pg_advisory_unlock_all" => {
                self.holder.unlock_all();
                at_once(Ok(nothing()))
            }
            _ => match (advisory(function), key(&values)) {
                (Some(action), Some(key)) => self.advisory(action, key, machine),
                _ => at_once(Err(Report::new(
                    SqlState::INTERNAL_ERROR,
                    format!("function {function} is unknown to the session"),
                ))),
            },
        }
    }

    fn advisory(&self, action: Action, key: Key, machine: &mut Machine) -> BoxFuture<'static, Outcome> {
        let holder = Arc::clone(&self.holder);
        match action {
            Action::Lock(mode, scope) => {
                let limit = machine.lock_timeout();
                async move { holder.lock(key, mode, scope, limit).await.map(|()| nothing()) }.boxed()
            }
            Action::TryLock(mode, scope) => async move { holder.try_lock(key, mode, scope).await.map(truth) }.boxed(),
            Action::Unlock(mode) => {
                let unlocked = holder.unlock(key, mode);
                if !unlocked {
                    let text = format!("you don't own a lock of type {}", mode.name());
                    machine.tell(&warning(SqlState::WARNING, &text));
                }
                at_once(Ok(truth(unlocked)))
            }
        }
    }

    fn cancel(&self, pid: i64, machine: &mut Machine) -> Outcome {
        let refused = "must be a member of the role whose query is being canceled or member of pg_signal_backend";
        let Some(pid) = self.reach(pid, refused, machine)? else {
            return Ok(truth(false));
        };
        Ok(truth(self.shared.cancels.cancel_pid(pid)))
    }

    fn terminate(&self, pid: i64, timeout_ms: i64, machine: &mut Machine) -> BoxFuture<'static, Outcome> {
        let Ok(timeout) = u64::try_from(timeout_ms).map(Duration::from_millis) else {
            return at_once(Err(Report::new(
                SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
                "\"timeout\" must not be negative",
            )));
        };
        let refused = "must be a member of the role whose process is being terminated or member of pg_signal_backend";
        let pid = match self.reach(pid, refused, machine) {
            Ok(Some(pid)) => pid,
            Ok(None) => return at_once(Ok(truth(false))),
            Err(report) => return at_once(Err(report)),
        };
        self.shared.sessions.end(pid);
        if timeout.is_zero() {
            return at_once(Ok(truth(true)));
        }
        let sessions = self.shared.sessions.clone();
        async move {
            let end = Instant::now() + timeout;
            while sessions.get(pid).is_some() {
                if Instant::now() >= end {
                    return Ok(truth(false));
                }
                tokio::time::sleep(LOOK).await;
            }
            Ok(truth(true))
        }
        .boxed()
    }

    /// A session of the organisation that this one may end; `None`, and a warning, where there is none of that number.
    fn reach(&self, pid: i64, refused: &str, machine: &mut Machine) -> Result<Option<i32>, Report> {
        let session = i32::try_from(pid).ok().and_then(|pid| self.shared.sessions.get(pid));
        let Some(session) = session.filter(|session| session.org == self.slug) else {
            let text = format!("PID {pid} is not a PostgreSQL server process");
            machine.tell(&warning(SqlState::WARNING, &text));
            return Ok(None);
        };
        if self.may_look_at(&session) {
            Ok(Some(session.pid))
        } else {
            Err(Report::new(SqlState::INSUFFICIENT_PRIVILEGE, refused))
        }
    }
}

/// The calls that a statement made, and the answers that are on their way.
#[derive(Default)]
pub(super) struct Made {
    going: FuturesUnordered<BoxFuture<'static, Option<CallAnswer>>>,
    made: usize,
}

impl Made {
    /// Whether there was none.
    pub(super) fn is_empty(&self) -> bool {
        self.made == 0
    }

    /// One more.
    pub(super) fn begin(&mut self, call: BoxFuture<'static, CallAnswer>) {
        self.made += 1;
        self.going.push(call.map(Some).boxed());
    }

    /// The next that has its answer; waits for ever where none goes on. Cancel safe.
    pub(super) async fn next(&mut self) -> CallAnswer {
        loop {
            match self.going.next().await {
                Some(Some(answer)) => return answer,
                Some(None) => {}
                None => std::future::pending().await,
            }
        }
    }

    /// Sends an answer to the worker.
    pub(super) fn send(&mut self, answer: CallAnswer, worker: WorkerClient) {
        let sending = async move {
            if let Err(error) = worker.answer_call(&answer).await {
                // The statement itself tells of a worker that is lost.
                tracing::debug!(%error, "a call's answer did not reach the worker");
            }
            None
        };
        self.going.push(sending.boxed());
    }
}

/// What a function does with an advisory lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Lock(Mode, Scope),
    TryLock(Mode, Scope),
    Unlock(Mode),
}

fn advisory(function: &str) -> Option<Action> {
    let (name, mode) = match function.strip_suffix("_shared") {
        Some(name) => (name, Mode::Shared),
        None => (function, Mode::Exclusive),
    };
    Some(match name {
        "pg_advisory_lock" => Action::Lock(mode, Scope::Session),
        "pg_advisory_xact_lock" => Action::Lock(mode, Scope::Transaction),
        "pg_try_advisory_lock" => Action::TryLock(mode, Scope::Session),
        "pg_try_advisory_xact_lock" => Action::TryLock(mode, Scope::Transaction),
        "pg_advisory_unlock" => Action::Unlock(mode),
        _ => return None,
    })
}

fn key(values: &[String]) -> Option<Key> {
    match values {
        [one] => Some(Key::One(one.parse().ok()?)),
        [one, two] => Some(Key::Two(one.parse().ok()?, two.parse().ok()?)),
        _ => None,
    }
}

fn at_once(outcome: Outcome) -> BoxFuture<'static, Outcome> {
    ready(outcome).boxed()
}

#[allow(clippy::unnecessary_wraps, reason = "a result that could be NULL")]
fn truth(value: bool) -> Option<String> {
    Some(if value { "true" } else { "false" }.to_owned())
}

/// The value of a function that returns `void`.
#[allow(clippy::unnecessary_wraps, reason = "a result that could be NULL")]
fn nothing() -> Option<String> {
    Some(String::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_functions_say_what_they_do() {
        let shared = Action::TryLock(Mode::Shared, Scope::Transaction);
        assert_eq!(advisory("pg_try_advisory_xact_lock_shared"), Some(shared));
        assert_eq!(advisory("pg_advisory_unlock"), Some(Action::Unlock(Mode::Exclusive)));
        assert_eq!(
            advisory("pg_advisory_lock"),
            Some(Action::Lock(Mode::Exclusive, Scope::Session))
        );
        assert_eq!(advisory("pg_sleep"), None);
        let texts = |values: &[&str]| values.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(key(&texts(&["-5"])), Some(Key::One(-5)));
        assert_eq!(key(&texts(&["1", "2"])), Some(Key::Two(1, 2)));
    }
}
