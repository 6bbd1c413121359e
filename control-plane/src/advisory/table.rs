//! The table of advisory locks: who holds what, who waits, and who waits for whom (manual, "Advisory Locks"). No I/O.
//!
//! A lock is granted in the order of requests, except that a session which holds it already goes first. Waiting is checked
//! for deadlocks when it begins: the request that would close a circle is refused.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::time::SystemTime;

use pintail_configstore::OrgId;
use tokio::sync::oneshot;

/// `pg_backend_pid()`.
pub type SessionId = i32;

/// What is locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lock {
    /// Whose.
    pub org: OrgId,
    /// Its key.
    pub key: Key,
}

/// The two spaces of keys, which do not overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    /// One `bigint`.
    One(i64),
    /// Two `integer`s.
    Two(i32, i32),
}

impl Key {
    /// `classid`, `objid` and `objsubid` in `pg_locks`.
    pub fn parts(self) -> (u32, u32, u16) {
        match self {
            #[allow(
                clippy::cast_sign_loss,
                clippy::cast_possible_truncation,
                reason = "the halves of the key's bits"
            )]
            Self::One(key) => ((key as u64 >> 32) as u32, key as u64 as u32, 1),
            #[allow(clippy::cast_sign_loss, reason = "the key's bits")]
            Self::Two(one, two) => (one as u32, two as u32, 2),
        }
    }
}

/// How it is locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Beside other shared ones.
    Shared,
    /// Alone.
    Exclusive,
}

impl Mode {
    /// Its name in `pg_locks` and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shared => "ShareLock",
            Self::Exclusive => "ExclusiveLock",
        }
    }

    fn conflicts(self, other: Self) -> bool {
        self == Self::Exclusive || other == Self::Exclusive
    }
}

/// Until when it is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Until it is unlocked as often as it was locked.
    Session,
    /// Until the transaction ends.
    Transaction,
}

/// An organisation has at most so many locks, held or waited for.
pub(super) const MOST_OF_ORG: usize = 1000;
/// All organisations together: the store's PostgreSQL, which holds them too, has room for some thousands.
const MOST: usize = 4000;

/// A request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request {
    /// By whom.
    pub session: SessionId,
    /// For what.
    pub lock: Lock,
    /// How.
    pub mode: Mode,
    /// Until when.
    pub scope: Scope,
}

/// What became of a request.
#[derive(Debug)]
pub(super) enum Requested {
    /// It is held.
    Granted,
    /// It waits; told when it is granted.
    Queued(u64, oneshot::Receiver<()>),
    /// Waiting would never end: each of these waits for the next, the last for the first.
    Deadlock(Vec<Wait>),
}

/// A session that waits for a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wait {
    /// Who.
    pub session: SessionId,
    /// For what.
    pub lock: Lock,
    /// How.
    pub mode: Mode,
    /// A session that it waits for.
    pub blocker: SessionId,
}

/// A lock as `pg_locks` shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shown {
    /// The key.
    pub key: Key,
    /// Who.
    pub session: SessionId,
    /// How.
    pub mode: Mode,
    /// Since when it is waited for; `None` where it is held.
    pub waits_since: Option<SystemTime>,
}

/// The table.
#[derive(Debug, Default)]
pub(super) struct Table {
    locks: HashMap<Lock, Entry>,
    /// What each session's transaction took, in order.
    transactions: HashMap<SessionId, Vec<(Lock, Mode)>>,
    tickets: u64,
}

#[derive(Debug, Default)]
struct Entry {
    holders: BTreeMap<SessionId, Held>,
    queue: VecDeque<Waiter>,
}

/// How often a session holds a lock.
#[derive(Debug, Default, Clone, Copy)]
struct Held {
    session: Counts,
    transaction: Counts,
}

#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    shared: u32,
    exclusive: u32,
}

#[derive(Debug)]
struct Waiter {
    ticket: u64,
    request: Request,
    since: SystemTime,
    granted: oneshot::Sender<()>,
}

impl Counts {
    fn of(&mut self, mode: Mode) -> &mut u32 {
        match mode {
            Mode::Shared => &mut self.shared,
            Mode::Exclusive => &mut self.exclusive,
        }
    }
}

impl Held {
    fn counts(&mut self, scope: Scope) -> &mut Counts {
        match scope {
            Scope::Session => &mut self.session,
            Scope::Transaction => &mut self.transaction,
        }
    }

    fn has(&self, mode: Mode) -> bool {
        match mode {
            Mode::Shared => self.session.shared + self.transaction.shared > 0,
            Mode::Exclusive => self.session.exclusive + self.transaction.exclusive > 0,
        }
    }

    fn is_empty(&self) -> bool {
        !self.has(Mode::Shared) && !self.has(Mode::Exclusive)
    }

    fn conflicts(&self, mode: Mode) -> bool {
        self.has(Mode::Exclusive) || mode == Mode::Exclusive && self.has(Mode::Shared)
    }
}

impl Entry {
    /// Sessions that keep a request from being granted: holders, and those that wait before `place`.
    fn blockers(&self, request: &Request, place: usize) -> Vec<SessionId> {
        let holders = self.holders.iter().filter(|(_, held)| held.conflicts(request.mode));
        let before = self.queue.iter().take(place);
        let waiters = before.filter(|waiter| waiter.request.mode.conflicts(request.mode));
        holders
            .map(|(session, _)| *session)
            .chain(waiters.map(|waiter| waiter.request.session))
            .filter(|session| *session != request.session)
            .collect()
    }

    /// Where a request would wait: before everybody where its session holds the lock already.
    fn place(&self, request: &Request) -> usize {
        if self.holders.contains_key(&request.session) {
            0
        } else {
            self.queue.len()
        }
    }
}

impl Table {
    /// Whether a lock is there already, or one more may be.
    pub(super) fn has_room(&self, lock: Lock) -> bool {
        let of_org = || self.locks.keys().filter(|known| known.org == lock.org).count();
        self.locks.contains_key(&lock) || self.locks.len() < MOST && of_org() < MOST_OF_ORG
    }

    /// Takes a lock, or waits for it.
    pub(super) fn request(&mut self, request: Request) -> Requested {
        if self.try_lock(request) {
            return Requested::Granted;
        }
        self.tickets += 1;
        let ticket = self.tickets;
        let (granted, grant) = oneshot::channel();
        let entry = self.locks.entry(request.lock).or_default();
        let place = entry.place(&request);
        let since = SystemTime::now();
        let waiter = Waiter {
            ticket,
            request,
            since,
            granted,
        };
        entry.queue.insert(place, waiter);
        match self.circle(request.session) {
            Some(circle) => {
                self.give_up(ticket, &request);
                Requested::Deadlock(circle)
            }
            None => Requested::Queued(ticket, grant),
        }
    }

    /// Takes a lock if it can be had at once.
    pub(super) fn try_lock(&mut self, request: Request) -> bool {
        let entry = self.locks.entry(request.lock).or_default();
        let has_it = entry
            .holders
            .get(&request.session)
            .is_some_and(|held| held.has(request.mode) || held.has(Mode::Exclusive));
        let is_free = has_it || entry.blockers(&request, entry.place(&request)).is_empty();
        if is_free {
            self.grant(&request);
        }
        is_free
    }

    /// Ends the wait for a lock. One that was granted meanwhile is given back.
    pub(super) fn give_up(&mut self, ticket: u64, request: &Request) {
        let Some(entry) = self.locks.get_mut(&request.lock) else {
            return;
        };
        if let Some(place) = entry.queue.iter().position(|waiter| waiter.ticket == ticket) {
            entry.queue.remove(place);
            self.wake(request.lock);
        } else {
            self.give_back(request);
        }
    }

    /// Gives one count of a request back that was granted.
    pub(super) fn give_back(&mut self, request: &Request) {
        if request.scope == Scope::Transaction
            && let Some(taken) = self.transactions.get_mut(&request.session)
            && let Some(last) = taken.iter().rposition(|it| *it == (request.lock, request.mode))
        {
            taken.remove(last);
        }
        self.release(request.session, request.lock, request.mode, request.scope);
    }

    /// Unlocks once what was locked for the session; `false` where it does not hold it so.
    pub(super) fn unlock(&mut self, session: SessionId, lock: Lock, mode: Mode) -> bool {
        self.release(session, lock, mode, Scope::Session)
    }

    /// Unlocks everything that was locked for the session, and gives the locks.
    pub(super) fn unlock_all(&mut self, session: SessionId) -> Vec<Lock> {
        self.drop_counts(session, |held| held.session = Counts::default())
    }

    /// How many locks the session's transaction took.
    pub(super) fn taken(&self, session: SessionId) -> usize {
        self.transactions.get(&session).map_or(0, Vec::len)
    }

    /// Gives back what the session's transaction took, but for the first `keep`, and gives the locks.
    pub(super) fn end_transaction(&mut self, session: SessionId, keep: usize) -> Vec<Lock> {
        let Some(taken) = self.transactions.get_mut(&session) else {
            return Vec::new();
        };
        let given_back = taken.split_off(keep.min(taken.len()));
        if taken.is_empty() {
            self.transactions.remove(&session);
        }
        for (lock, mode) in &given_back {
            self.release(session, *lock, *mode, Scope::Transaction);
        }
        given_back.into_iter().map(|(lock, _)| lock).collect()
    }

    /// A session is over: all it holds is free, and it waits for nothing. Gives the locks.
    pub(super) fn leave(&mut self, session: SessionId) -> Vec<Lock> {
        self.transactions.remove(&session);
        let waited: Vec<Lock> = self
            .locks
            .iter_mut()
            .filter_map(|(lock, entry)| {
                let before = entry.queue.len();
                entry.queue.retain(|waiter| waiter.request.session != session);
                (entry.queue.len() < before).then_some(*lock)
            })
            .collect();
        for lock in waited {
            self.wake(lock);
        }
        self.drop_counts(session, |held| *held = Held::default())
    }

    /// The locks of an organisation.
    pub(super) fn list(&self, org: OrgId) -> Vec<Shown> {
        let mut shown = Vec::new();
        for (lock, entry) in self.locks.iter().filter(|(lock, _)| lock.org == org) {
            for (session, held) in &entry.holders {
                let modes = [Mode::Shared, Mode::Exclusive].into_iter();
                shown.extend(modes.filter(|mode| held.has(*mode)).map(|mode| Shown {
                    key: lock.key,
                    session: *session,
                    mode,
                    waits_since: None,
                }));
            }
            shown.extend(entry.queue.iter().map(|waiter| Shown {
                key: lock.key,
                session: waiter.request.session,
                mode: waiter.request.mode,
                waits_since: Some(waiter.since),
            }));
        }
        shown.sort_by_key(|it| (it.key, it.session));
        shown
    }

    /// Whether a session waits for a lock.
    pub(super) fn waits(&self, session: SessionId) -> bool {
        let mut queues = self.locks.values().flat_map(|entry| &entry.queue);
        queues.any(|waiter| waiter.request.session == session)
    }

    /// The modes in which a lock is held by anybody here.
    pub(super) fn modes(&self, lock: Lock) -> Vec<Mode> {
        let Some(entry) = self.locks.get(&lock) else {
            return Vec::new();
        };
        let held = |mode: &Mode| entry.holders.values().any(|held| held.has(*mode));
        [Mode::Shared, Mode::Exclusive].into_iter().filter(held).collect()
    }

    /// Everybody who holds a lock.
    pub(super) fn holders(&self, lock: Lock) -> Vec<SessionId> {
        let entry = self.locks.get(&lock);
        entry
            .map(|entry| entry.holders.keys().copied().collect())
            .unwrap_or_default()
    }

    fn grant(&mut self, request: &Request) {
        let entry = self.locks.entry(request.lock).or_default();
        let held = entry.holders.entry(request.session).or_default();
        *held.counts(request.scope).of(request.mode) += 1;
        if request.scope == Scope::Transaction {
            let taken = self.transactions.entry(request.session).or_default();
            taken.push((request.lock, request.mode));
        }
    }

    fn release(&mut self, session: SessionId, lock: Lock, mode: Mode, scope: Scope) -> bool {
        let Some(entry) = self.locks.get_mut(&lock) else {
            return false;
        };
        let Some(held) = entry.holders.get_mut(&session) else {
            return false;
        };
        let count = held.counts(scope).of(mode);
        if *count == 0 {
            return false;
        }
        *count -= 1;
        if held.is_empty() {
            entry.holders.remove(&session);
        }
        self.wake(lock);
        true
    }

    fn drop_counts(&mut self, session: SessionId, change: impl Fn(&mut Held)) -> Vec<Lock> {
        let mut touched = Vec::new();
        for (lock, entry) in &mut self.locks {
            let Some(held) = entry.holders.get_mut(&session) else {
                continue;
            };
            change(held);
            if held.is_empty() {
                entry.holders.remove(&session);
            }
            touched.push(*lock);
        }
        for lock in &touched {
            self.wake(*lock);
        }
        touched
    }

    /// Grants what can be granted now, in order.
    fn wake(&mut self, lock: Lock) {
        let mut place = 0;
        while let Some(entry) = self.locks.get_mut(&lock) {
            let Some(waiter) = entry.queue.get(place) else {
                if entry.holders.is_empty() && entry.queue.is_empty() {
                    self.locks.remove(&lock);
                }
                return;
            };
            let request = waiter.request;
            if !entry.blockers(&request, place).is_empty() {
                place += 1;
                continue;
            }
            let waiter = entry.queue.remove(place);
            self.grant(&request);
            // Who went away meanwhile gives the lock back by itself.
            if let Some(waiter) = waiter {
                let _ = waiter.granted.send(());
            }
        }
    }

    /// A circle of waits through a session.
    fn circle(&self, start: SessionId) -> Option<Vec<Wait>> {
        let mut path = Vec::new();
        self.follow(start, start, &mut path, &mut HashSet::new())
            .then_some(path)
    }

    fn follow(&self, start: SessionId, now: SessionId, path: &mut Vec<Wait>, seen: &mut HashSet<SessionId>) -> bool {
        if !seen.insert(now) {
            return false;
        }
        for (lock, entry) in &self.locks {
            for (place, waiter) in entry.queue.iter().enumerate() {
                if waiter.request.session != now {
                    continue;
                }
                for blocker in entry.blockers(&waiter.request, place) {
                    path.push(Wait {
                        session: now,
                        lock: *lock,
                        mode: waiter.request.mode,
                        blocker,
                    });
                    if blocker == start || self.follow(start, blocker, path, seen) {
                        return true;
                    }
                    path.pop();
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests;
