//! Advisory locks of all sessions of this control plane, and their hold over those of others.
//!
//! A session's locks live here and not in its worker, so a worker that rests takes none along. What is granted here is held
//! against other control planes by a lock in the store's `PostgreSQL` ([`replicas`]), which comes after the local one.

mod replicas;
mod table;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pintail_configstore::OrgId;
use pintail_sqlstate::{Report, SqlState};
use tokio::sync::mpsc;

pub use self::replicas::Replicas;
use self::replicas::{Order, Patience};
pub use self::table::{Key, Lock, Mode, Scope, SessionId, Shown};
use self::table::{MOST_OF_ORG, Request, Requested, Table, Wait};

/// All locks. Cloning shares them.
#[derive(Clone, Default)]
pub struct Locks {
    table: Arc<Mutex<Table>>,
    /// Asks for the hold over other control planes; without it there are none.
    orders: Option<mpsc::UnboundedSender<Order>>,
}

/// A session's own. Dropping it gives everything back.
pub struct Holder {
    locks: Locks,
    org: OrgId,
    session: SessionId,
}

impl Locks {
    /// The locks of a control plane beside which others may serve, and what keeps the hold over those.
    pub fn beside_others(key: Vec<u8>) -> (Self, Replicas) {
        let (orders, inbox) = mpsc::unbounded_channel();
        let locks = Self {
            table: Arc::default(),
            orders: Some(orders),
        };
        let replicas = Replicas::new(key, Arc::clone(&locks.table), inbox);
        (locks, replicas)
    }

    /// A session's handle.
    pub fn holder(&self, org: OrgId, session: SessionId) -> Holder {
        Holder {
            locks: self.clone(),
            org,
            session,
        }
    }

    /// The locks of an organisation.
    pub fn list(&self, org: OrgId) -> Vec<Shown> {
        self.lock().list(org)
    }

    /// Whether a session waits for a lock.
    pub fn waits(&self, session: SessionId) -> bool {
        self.lock().waits(session)
    }

    /// Has others take what is free here now.
    fn freed(&self, locks: impl IntoIterator<Item = Lock>) {
        if let Some(orders) = &self.orders {
            for lock in locks {
                // Without the task the process ends, and its connection's locks with it.
                let _ = orders.send(Order::Freed(lock));
            }
        }
    }

    /// The table; an error where it has no room for a further lock.
    fn with_room_for(&self, lock: Lock) -> Result<MutexGuard<'_, Table>, Report> {
        let table = self.lock();
        if table.has_room(lock) { Ok(table) } else { Err(full()) }
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Holder {
    /// Takes a lock if it can be had at once.
    pub async fn try_lock(&self, key: Key, mode: Mode, scope: Scope) -> Result<bool, Report> {
        let request = self.request(key, mode, scope);
        if !self.locks.with_room_for(request.lock)?.try_lock(request) {
            return Ok(false);
        }
        let granted = Granted::new(&self.locks, request);
        if self.hold(request, Patience::None).await? {
            granted.keep();
            return Ok(true);
        }
        Ok(false)
    }

    /// Waits for a lock, at most so long. Dropped before its end it takes none.
    pub async fn lock(&self, key: Key, mode: Mode, scope: Scope, limit: Option<Duration>) -> Result<(), Report> {
        let waiting = self.wait(self.request(key, mode, scope));
        match limit {
            None => waiting.await,
            Some(limit) => tokio::time::timeout(limit, waiting).await.unwrap_or_else(|_| {
                Err(Report::new(
                    SqlState::LOCK_NOT_AVAILABLE,
                    "canceling statement due to lock timeout",
                ))
            }),
        }
    }

    async fn wait(&self, request: Request) -> Result<(), Report> {
        let requested = self.locks.with_room_for(request.lock)?.request(request);
        let granted = match requested {
            Requested::Granted => Granted::new(&self.locks, request),
            Requested::Deadlock(circle) => return Err(deadlock(&circle)),
            Requested::Queued(ticket, grant) => {
                let mut waiting = Granted::new(&self.locks, request);
                waiting.ticket = ticket;
                grant.await.map_err(|_| gone())?;
                waiting
            }
        };
        self.hold(request, Patience::Endless).await?;
        granted.keep();
        Ok(())
    }

    /// Takes the lock from other control planes.
    async fn hold(&self, request: Request, patience: Patience) -> Result<bool, Report> {
        let Some(orders) = &self.locks.orders else {
            return Ok(true);
        };
        let (reply, answer) = tokio::sync::oneshot::channel();
        let order = Order::Hold {
            lock: request.lock,
            mode: request.mode,
            patience,
            reply,
        };
        orders.send(order).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    /// Unlocks once; `false` where the session does not hold the lock so.
    pub fn unlock(&self, key: Key, mode: Mode) -> bool {
        let lock = self.lock_of(key);
        let unlocked = self.locks.lock().unlock(self.session, lock, mode);
        self.locks.freed(unlocked.then_some(lock));
        unlocked
    }

    /// Unlocks all that the session holds beyond its transaction.
    pub fn unlock_all(&self) {
        let freed = self.locks.lock().unlock_all(self.session);
        self.locks.freed(freed);
    }

    /// How many locks the transaction took.
    pub fn taken(&self) -> usize {
        self.locks.lock().taken(self.session)
    }

    /// Gives back what the transaction took, but for the first `keep`.
    pub fn end_transaction(&self, keep: usize) {
        let freed = self.locks.lock().end_transaction(self.session, keep);
        self.locks.freed(freed);
    }

    fn request(&self, key: Key, mode: Mode, scope: Scope) -> Request {
        Request {
            session: self.session,
            lock: self.lock_of(key),
            mode,
            scope,
        }
    }

    fn lock_of(&self, key: Key) -> Lock {
        Lock { org: self.org, key }
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        let freed = self.locks.lock().leave(self.session);
        self.locks.freed(freed);
    }
}

/// A grant, or the wait for one, that is given back unless it is kept.
struct Granted {
    locks: Locks,
    request: Request,
    /// The wait's; 0 where there was none.
    ticket: u64,
    is_kept: bool,
}

impl Granted {
    fn new(locks: &Locks, request: Request) -> Self {
        Self {
            locks: locks.clone(),
            request,
            ticket: 0,
            is_kept: false,
        }
    }

    fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for Granted {
    fn drop(&mut self) {
        if !self.is_kept {
            self.locks.lock().give_up(self.ticket, &self.request);
            self.locks.freed([self.request.lock]);
        }
    }
}

fn deadlock(circle: &[Wait]) -> Report {
    let lines: Vec<String> = circle
        .iter()
        .map(|wait| {
            let (class, object, kind) = wait.lock.key.parts();
            format!(
                "Process {} waits for {} on advisory lock [5,{class},{object},{kind}]; blocked by process {}.",
                wait.session,
                wait.mode.name(),
                wait.blocker
            )
        })
        .collect();
    Report::new(SqlState::T_R_DEADLOCK_DETECTED, "deadlock detected").with_detail(lines.join("\n"))
}

fn full() -> Report {
    Report::new(SqlState::OUT_OF_MEMORY, "out of shared memory")
        .with_detail(format!(
            "An organization has at most {MOST_OF_ORG} advisory locks at a time, and all of them together have some thousands."
        ))
        .with_hint("Unlock what is not needed.")
}

fn gone() -> Report {
    Report::new(SqlState::ADMIN_SHUTDOWN, "the server stops")
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: Key = Key::One(1);

    #[tokio::test]
    async fn a_wait_that_is_dropped_takes_nothing_and_lets_the_next_pass() {
        let locks = Locks::default();
        let holders: Vec<Holder> = (1..=3).map(|session| locks.holder(OrgId(1), session)).collect();
        let [first, second, third] = holders.as_slice() else {
            panic!("three")
        };
        first
            .lock(KEY, Mode::Exclusive, Scope::Session, None)
            .await
            .expect("free");
        let error = second
            .lock(KEY, Mode::Exclusive, Scope::Session, Some(Duration::from_millis(1)))
            .await
            .expect_err("taken");
        assert_eq!(error.sqlstate, SqlState::LOCK_NOT_AVAILABLE);
        assert!(!locks.waits(2));
        let (granted, ()) = tokio::join!(third.lock(KEY, Mode::Shared, Scope::Transaction, None), async {
            assert!(first.unlock(KEY, Mode::Exclusive));
        });
        assert!(granted.is_ok());
        assert!(
            !second
                .try_lock(KEY, Mode::Exclusive, Scope::Session)
                .await
                .expect("answers")
        );
        third.end_transaction(0);
        assert!(
            second
                .try_lock(KEY, Mode::Exclusive, Scope::Session)
                .await
                .expect("answers")
        );
    }

    #[tokio::test]
    async fn a_session_that_ends_holds_nothing() {
        let locks = Locks::default();
        let (first, second) = (locks.holder(OrgId(1), 1), locks.holder(OrgId(1), 2));
        assert!(
            first
                .try_lock(KEY, Mode::Exclusive, Scope::Session)
                .await
                .expect("answers")
        );
        drop(first);
        assert!(
            second
                .try_lock(KEY, Mode::Exclusive, Scope::Session)
                .await
                .expect("answers")
        );
        assert_eq!(locks.list(OrgId(1)).len(), 1);
    }
}
