//! The hold of this control plane's advisory locks over those of others: a lock of the store's `PostgreSQL`, on one
//! connection, in each mode in which anybody here holds it.
//!
//! What is asked for is looked up in the table at the moment it is done, so the order of requests and releases does not
//! matter. Between control planes there is no order of waiting and no look for deadlocks: whoever asks next when a lock is
//! free has it, and a limit of time ends the rest.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pintail_configstore::{LockMode, ReplicaLocks, Store};
use pintail_sqlstate::{Report, SqlState};
use sha2::{Digest, Sha256};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::table::{Key, Lock, Mode, Table};
use crate::sessions::Sessions;

/// Between two attempts at a lock that another control plane holds.
const AGAIN: Duration = Duration::from_millis(50);
/// Between two looks whether the connection still stands.
const LOOK: Duration = Duration::from_secs(1);

/// What the keeper is asked.
pub(super) enum Order {
    /// Hold a lock that was granted here.
    Hold {
        lock: Lock,
        mode: Mode,
        patience: Patience,
        reply: oneshot::Sender<Result<bool, Report>>,
    },
    /// A lock was given back here.
    Freed(Lock),
}

/// How long a lock that another control plane holds is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    None,
    Endless,
}

/// A request that waits.
struct Waiting {
    lock: Lock,
    mode: Mode,
    reply: oneshot::Sender<Result<bool, Report>>,
}

/// Keeps the hold.
pub struct Replicas {
    key: Vec<u8>,
    table: Arc<Mutex<Table>>,
    orders: mpsc::UnboundedReceiver<Order>,
    connection: Option<ReplicaLocks>,
    held: HashMap<Lock, Vec<Mode>>,
    waiting: Vec<Waiting>,
    /// Whether the last attempt to connect failed, so that it is logged once.
    is_away: bool,
}

impl Replicas {
    pub(super) fn new(key: Vec<u8>, table: Arc<Mutex<Table>>, orders: mpsc::UnboundedReceiver<Order>) -> Self {
        Self {
            key,
            table,
            orders,
            connection: None,
            held: HashMap::new(),
            waiting: Vec::new(),
            is_away: false,
        }
    }

    /// Works until cancelled. Sessions whose locks were lost with the connection, and taken by others, end.
    pub async fn keep(mut self, store: Store, sessions: Sessions, stop: CancellationToken) {
        let mut again = Instant::now();
        loop {
            let pause = if self.waiting.is_empty() { LOOK } else { AGAIN };
            tokio::select! {
                () = stop.cancelled() => return,
                order = self.orders.recv() => match order {
                    Some(order) => self.take(order, &store, &sessions).await,
                    None => return,
                },
                () = sleep_until(again) => {
                    again = Instant::now() + pause;
                    self.tend(&store, &sessions).await;
                }
            }
            again = again.min(Instant::now() + if self.waiting.is_empty() { LOOK } else { AGAIN });
        }
    }

    async fn take(&mut self, order: Order, store: &Store, sessions: &Sessions) {
        match order {
            Order::Freed(lock) => self.free(lock).await,
            Order::Hold {
                lock,
                mode,
                patience,
                reply,
            } => {
                if self.connection.is_none() {
                    self.connect(store, sessions).await;
                }
                match (self.hold(lock, mode).await, patience) {
                    (Some(false) | None, Patience::Endless) => {
                        self.waiting.push(Waiting { lock, mode, reply });
                    }
                    // Whoever asked may have gone.
                    (Some(held), _) => drop(reply.send(Ok(held))),
                    (None, Patience::None) => drop(reply.send(Err(away()))),
                }
            }
        }
    }

    /// Tries again what waits, and looks after the connection.
    async fn tend(&mut self, store: &Store, sessions: &Sessions) {
        if self.connection.as_ref().is_some_and(|connection| !connection.stands()) {
            tracing::warn!("the connection that holds advisory locks against other control planes was lost");
            self.connection = None;
        }
        let is_needed = !self.waiting.is_empty() || !self.held.is_empty();
        if self.connection.is_none() && is_needed {
            self.connect(store, sessions).await;
        }
        for waiting in std::mem::take(&mut self.waiting) {
            if waiting.reply.is_closed() {
                self.free(waiting.lock).await;
            } else if self.hold(waiting.lock, waiting.mode).await == Some(true) {
                let _ = waiting.reply.send(Ok(true));
            } else {
                self.waiting.push(waiting);
            }
        }
    }

    /// Holds a lock; `None` where the store cannot be reached.
    async fn hold(&mut self, lock: Lock, mode: Mode) -> Option<bool> {
        if self.held.get(&lock).is_some_and(|modes| modes.contains(&mode)) && self.connection.is_some() {
            return Some(true);
        }
        let number = self.number(lock);
        let tried = self.connection.as_ref()?.try_lock(number, of_store(mode)).await;
        match tried {
            Ok(true) => {
                self.held.entry(lock).or_default().push(mode);
                Some(true)
            }
            Ok(false) => Some(false),
            Err(error) => {
                self.lost(&error);
                None
            }
        }
    }

    /// Gives back the modes in which nobody here holds a lock any more.
    async fn free(&mut self, lock: Lock) {
        let needed = self.table.lock().unwrap_or_else(PoisonError::into_inner).modes(lock);
        let Some(modes) = self.held.get_mut(&lock) else { return };
        let free: Vec<Mode> = modes.iter().filter(|mode| !needed.contains(mode)).copied().collect();
        modes.retain(|mode| needed.contains(mode));
        if modes.is_empty() {
            self.held.remove(&lock);
        }
        let number = self.number(lock);
        for mode in free {
            let Some(connection) = &self.connection else { return };
            if let Err(error) = connection.unlock(number, of_store(mode)).await {
                return self.lost(&error);
            }
        }
    }

    /// Connects, and takes again what was held. What another took meanwhile is lost to its holders.
    async fn connect(&mut self, store: &Store, sessions: &Sessions) {
        match store.replica_locks().await {
            Ok(connection) => self.connection = Some(connection),
            Err(error) => {
                if !std::mem::replace(&mut self.is_away, true) {
                    tracing::error!(error = %crate::chain(&error), "advisory locks cannot be held against other control planes");
                }
                return;
            }
        }
        self.is_away = false;
        for (lock, modes) in std::mem::take(&mut self.held) {
            for mode in modes {
                if self.hold(lock, mode).await == Some(false) {
                    self.end_holders(lock, sessions);
                }
            }
        }
    }

    fn end_holders(&self, lock: Lock, sessions: &Sessions) {
        let holders = self.table.lock().unwrap_or_else(PoisonError::into_inner).holders(lock);
        for session in holders {
            tracing::error!(
                pid = session,
                "a session ends because another took its advisory lock while the store was away"
            );
            sessions.end(session);
        }
    }

    fn lost(&mut self, error: &pintail_configstore::Error) {
        tracing::warn!(error = %crate::chain(error), "the connection that holds advisory locks against other control planes failed");
        self.connection = None;
    }

    /// The lock's number in the store. It depends on the installation's key, so that nobody can choose one that another
    /// organisation uses.
    fn number(&self, lock: Lock) -> i64 {
        let mut hash = Sha256::new();
        hash.update(&self.key);
        hash.update(lock.org.0.to_be_bytes());
        match lock.key {
            Key::One(key) => {
                hash.update([1]);
                hash.update(key.to_be_bytes());
            }
            Key::Two(one, two) => {
                hash.update([2]);
                hash.update(one.to_be_bytes());
                hash.update(two.to_be_bytes());
            }
        }
        let digest = hash.finalize();
        let mut number = [0; 8];
        number.copy_from_slice(&digest[..8]);
        i64::from_be_bytes(number)
    }
}

fn of_store(mode: Mode) -> LockMode {
    match mode {
        Mode::Shared => LockMode::Shared,
        Mode::Exclusive => LockMode::Exclusive,
    }
}

fn away() -> Report {
    Report::new(SqlState::CANNOT_CONNECT_NOW, "advisory locks cannot be had now")
        .with_detail("The configuration store, which holds them against other control planes, cannot be reached.")
        .with_hint("Try again later.")
}
