//! LISTEN, NOTIFY and UNLISTEN, and whatever else of a transaction takes effect outside the engine at its end.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Duration;

use pintail_sqlstate::{Report, SqlState};
use pintail_transpiler::{Kind, Statement};

use super::machine::{Call, Machine, Next, Waiting};
use super::transaction::Block;
use crate::notify::Notification;
use crate::wire::backend;

/// Names of channels are shorter than this, in bytes (`NAMEDATALEN`).
const NAME: usize = 64;
/// Payloads are shorter than this, in bytes (`NOTIFY_PAYLOAD_MAX_LENGTH`).
const PAYLOAD: usize = 8000;

/// A transaction notifies of at most so many bytes.
const MOST: usize = 16 << 20;
/// What a notification costs beside its texts.
const OVERHEAD: usize = 128;
/// A session listens to at most so many channels.
const CHANNELS: usize = 4096;

/// What a transaction leaves outside the engine.
#[derive(Debug, Default)]
pub(super) struct Effects {
    notifications: Vec<(String, String)>,
    /// Those that are there already: a transaction sends each once.
    sent: HashSet<(String, String)>,
    /// How large they are together.
    size: usize,
    changes: Vec<Change>,
    /// Advisory locks that the transaction holds.
    locks: usize,
    /// The session gives up its advisory locks.
    unlocks: bool,
    listening: BTreeSet<String>,
    /// Whether the notifications that were there when `ReadyForQuery` came due have been asked for.
    is_mail_asked: bool,
    /// The text of what the client asked last, until it is shown.
    pub(super) text: Option<Arc<str>>,
    /// The generation of settings of which others know.
    pub(super) generation: Option<u64>,
}

/// A change of what the session listens to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// To a channel too.
    Listen(String),
    /// To a channel no longer.
    Unlisten(String),
    /// To nothing any longer.
    UnlistenAll,
}

/// What the end of a transaction, or the way back to a savepoint, brings about.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TransactionEnd {
    /// Channels and payloads.
    pub notifications: Vec<(String, String)>,
    /// They come before the notifications.
    pub changes: Vec<Change>,
    /// The first advisory locks of the transaction, which it keeps.
    pub keeps: usize,
    /// The session's own advisory locks are given up too.
    pub unlocks: bool,
}

/// How a transaction ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Committed,
    RolledBack,
}

/// A place in a transaction, to go back to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    notifications: usize,
    changes: usize,
    locks: usize,
}

impl Effects {
    /// Whether the end of the transaction brings nothing about.
    pub(super) fn is_empty(&self) -> bool {
        self.notifications.is_empty() && self.changes.is_empty() && self.locks == 0 && !self.unlocks
    }

    /// A savepoint is here.
    pub(super) fn mark(&self) -> Mark {
        Mark {
            notifications: self.notifications.len(),
            changes: self.changes.len(),
            locks: self.locks,
        }
    }

    /// The session forgets what it shares with others.
    pub(super) fn discard(&mut self) {
        self.changes.push(Change::UnlistenAll);
        self.unlocks = true;
    }

    /// The channels that the session listens to.
    pub(super) fn listening(&self) -> impl Iterator<Item = &str> {
        self.listening.iter().map(String::as_str)
    }

    fn take(&mut self, outcome: Outcome) -> TransactionEnd {
        self.locks = 0;
        self.sent.clear();
        self.size = 0;
        let mut end = TransactionEnd {
            notifications: std::mem::take(&mut self.notifications),
            changes: std::mem::take(&mut self.changes),
            keeps: 0,
            unlocks: std::mem::take(&mut self.unlocks),
        };
        if outcome == Outcome::RolledBack {
            end = TransactionEnd::default();
        }
        for change in &end.changes {
            match change {
                Change::Listen(channel) => drop(self.listening.insert(channel.clone())),
                Change::Unlisten(channel) => drop(self.listening.remove(channel)),
                Change::UnlistenAll => self.listening.clear(),
            }
        }
        end
    }
}

impl Machine {
    /// Takes one of the three commands down for the end of the transaction.
    pub(super) fn listen_command(&mut self, statement: &Statement) -> Result<(), Report> {
        let is_full = self.effects.changes.len() + self.effects.listening.len() >= CHANNELS;
        if is_full && matches!(statement.kind, Kind::Listen(_) | Kind::Unlisten(Some(_))) {
            return Err(Report::new(
                SqlState::PROGRAM_LIMIT_EXCEEDED,
                format!("a session has at most {CHANNELS} channels"),
            ));
        }
        match &statement.kind {
            Kind::Listen(channel) => self.effects.changes.push(Change::Listen(cut(channel))),
            Kind::Unlisten(Some(channel)) => self.effects.changes.push(Change::Unlisten(cut(channel))),
            Kind::Unlisten(None) => self.effects.changes.push(Change::UnlistenAll),
            Kind::Notify { channel, payload } => self.notify(&cut(channel), payload)?,
            _ => {}
        }
        self.complete_next(statement.tag.render(0));
        Ok(())
    }

    /// Takes a notification down.
    pub fn notify(&mut self, channel: &str, payload: &str) -> Result<(), Report> {
        let wrong = |message| Err(Report::new(SqlState::INVALID_PARAMETER_VALUE, message));
        if channel.is_empty() {
            return wrong("channel name cannot be empty");
        }
        if channel.len() >= NAME {
            return wrong("channel name too long");
        }
        if payload.len() >= PAYLOAD {
            return wrong("payload string too long");
        }
        let notification = (channel.to_owned(), payload.to_owned());
        let effects = &mut self.effects;
        if effects.sent.contains(&notification) {
            return Ok(());
        }
        effects.size += OVERHEAD + channel.len() + payload.len();
        if effects.size > MOST {
            return Err(Report::new(
                SqlState::PROGRAM_LIMIT_EXCEEDED,
                "too many notifications in the NOTIFY queue",
            )
            .with_detail(format!("A transaction notifies of at most {} MiB.", MOST >> 20)));
        }
        effects.sent.insert(notification.clone());
        effects.notifications.push(notification);
        Ok(())
    }

    /// The running statement reached beyond its worker, so it is not run again on another.
    pub fn note_call(&mut self) {
        if let Some(Waiting::Run(running)) = &mut self.waiting {
            running.answered = true;
        }
    }

    /// How long an advisory lock is waited for; `None` for ever.
    pub fn lock_timeout(&self) -> Option<Duration> {
        let limit = u64::try_from(self.settings.integer("lock_timeout")).unwrap_or(0);
        (limit > 0).then(|| Duration::from_millis(limit))
    }

    /// How many advisory locks the transaction holds now.
    pub fn note_locks(&mut self, locks: usize) {
        self.effects.locks = locks;
    }

    /// The text of what the client asked since this was last asked for.
    pub fn take_text(&mut self) -> Option<Arc<str>> {
        self.effects.text.take()
    }

    /// Brings about what the transaction left, where it is at its end.
    pub(super) fn finish(&mut self, outcome: Outcome) {
        let goes_on = match outcome {
            Outcome::Committed => self.transaction.is_open(),
            Outcome::RolledBack => self.transaction.block == Block::Open,
        };
        if goes_on || self.effects.is_empty() {
            return;
        }
        let end = self.effects.take(outcome);
        self.end_transaction(end);
    }

    /// Goes back to a savepoint.
    pub(super) fn forget_since(&mut self, mark: Mark) {
        let effects = &mut self.effects;
        effects.notifications.truncate(mark.notifications);
        effects.changes.truncate(mark.changes);
        effects.sent = effects.notifications.iter().cloned().collect();
        if effects.locks > mark.locks {
            effects.locks = mark.locks;
            self.end_transaction(TransactionEnd {
                keeps: mark.locks,
                ..TransactionEnd::default()
            });
        }
    }

    fn end_transaction(&mut self, end: TransactionEnd) {
        self.waiting = Some(Waiting::Shared);
        self.call = Some(Next::Call(Call::EndTransaction(end)));
    }

    /// Whether notifications are to be asked for before `ReadyForQuery`.
    pub(super) fn wants_mail(&mut self) -> bool {
        let listens = !self.effects.listening.is_empty() && !self.transaction.is_open();
        self.effects.is_mail_asked = listens && !self.effects.is_mail_asked;
        if !self.effects.is_mail_asked {
            return false;
        }
        self.waiting = Some(Waiting::Shared);
        self.call = Some(Next::Call(Call::Mail));
        true
    }

    /// Whether notifications go to the client as they come: `ReadyForQuery` was the last message.
    pub fn hears(&self) -> bool {
        self.is_ready() && !self.effects.listening.is_empty() && !self.transaction.is_open()
    }

    /// Sends notifications to the client.
    pub fn deliver(&mut self, notifications: &[Notification]) {
        for Notification { pid, channel, payload } in notifications {
            backend::notification(self.out.buffer(), *pid, channel, payload);
        }
    }
}

/// A name as the parser of `PostgreSQL` cuts it.
fn cut(name: &str) -> String {
    let mut end = name.len().min(NAME - 1);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    name[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rollback_leaves_nothing_but_free_locks() {
        let mut effects = Effects {
            locks: 2,
            ..Effects::default()
        };
        effects.changes.push(Change::Listen("a".into()));
        effects.notifications.push(("a".into(), String::new()));
        assert!(!effects.is_empty());
        assert_eq!(effects.take(Outcome::RolledBack), TransactionEnd::default());
        assert!(effects.is_empty() && effects.listening.is_empty());
    }

    #[test]
    fn changes_apply_in_order_at_the_commit() {
        let mut effects = Effects::default();
        for change in [
            Change::Listen("a".into()),
            Change::UnlistenAll,
            Change::Listen("b".into()),
            Change::Listen("c".into()),
            Change::Unlisten("c".into()),
        ] {
            effects.changes.push(change);
        }
        assert_eq!(effects.take(Outcome::Committed).changes.len(), 5);
        assert_eq!(effects.listening().collect::<Vec<_>>(), ["b"]);
    }

    #[test]
    fn names_are_cut_at_characters() {
        assert_eq!(cut(&"é".repeat(40)).len(), 62);
        assert_eq!(cut("short"), "short");
    }
}
