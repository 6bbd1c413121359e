//! Who holds which place, who waits, and who is next. No I/O: grants are handed over through channels.
//!
//! Every worker of an organisation, one that is still starting included, takes a *place* under the ceiling. Within an
//! organisation waiters are served first come, first served. Between organisations the one that holds the fewest places is
//! next, and of those the one whose waiter came first: so none can starve another. A freed worker or place is handed to its
//! waiter under the same lock that freed it, so a later session cannot snatch it.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use pintail_worker_api::provider::WorkerId;
use tokio::sync::oneshot;

use super::{Caps, IllegalMove, Move, TenantKey, WorkerState};

/// The pool's books. `W` is a handle to a running worker.
pub(super) struct Ledger<W> {
    /// Most places.
    max: usize,
    slots: HashMap<WorkerId, Slot<W>>,
    /// Places by organisation.
    places: HashMap<String, usize>,
    /// Catalogs that only one worker may have, and that one has.
    exclusive: HashMap<String, usize>,
    queues: HashMap<String, VecDeque<Waiter<W>>>,
    /// Each organisation's limits as they were last told.
    caps: HashMap<String, Caps>,
    next_ticket: u64,
}

struct Slot<W> {
    state: WorkerState,
    key: TenantKey,
    live: W,
    idle_since: Instant,
}

struct Waiter<W> {
    ticket: u64,
    key: TenantKey,
    grant: oneshot::Sender<Grant<W>>,
}

/// What a waiter is given.
pub(super) enum Grant<W> {
    /// A worker that is now its own.
    Worker(WorkerId, W),
    /// A place to start one in.
    Place,
}

/// What becomes of a session that asks.
pub(super) enum Decision<W> {
    /// An idle worker is its own.
    Take(WorkerId, W),
    /// It has a place to start one in.
    Start,
    /// It has the place of this worker, which must be retired.
    Evict(W),
    /// It waits.
    Wait(oneshot::Receiver<Grant<W>>),
    /// Its organisation's queue is full.
    QueueFull,
}

/// A worker as an operator sees it.
#[derive(Debug, Clone)]
pub struct WorkerEntry {
    /// Its name.
    pub id: WorkerId,
    /// Where it is in its life.
    pub state: WorkerState,
    /// What it is bound to.
    pub key: TenantKey,
    /// How long it has been in this state.
    pub since: Duration,
}

impl<W: Clone> Ledger<W> {
    pub(super) fn new(max: usize) -> Self {
        Self {
            max,
            slots: HashMap::new(),
            places: HashMap::new(),
            exclusive: HashMap::new(),
            queues: HashMap::new(),
            caps: HashMap::new(),
            next_ticket: 0,
        }
    }

    /// Takes note of an organisation's limits; gives the idle workers that are beyond them, which must be retired.
    pub(super) fn limit(&mut self, org: &str, caps: Caps) -> Vec<W> {
        self.caps.insert(org.to_owned(), caps);
        let mut beyond = Vec::new();
        while self.is_beyond(org)
            && let Some(id) = self.idle(|slot| slot.key.org == org)
        {
            beyond.extend(self.take_out(&id));
        }
        if !beyond.is_empty() {
            self.serve();
        }
        beyond
    }

    fn cap_of(&self, org: &str) -> Option<u32> {
        self.caps.get(org).and_then(|caps| caps.workers)
    }

    fn is_beyond(&self, org: &str) -> bool {
        self.cap_of(org).is_some_and(|most| self.places_of(org) > most as usize)
    }

    /// Decides for a session that asks for a worker now.
    pub(super) fn decide(&mut self, key: &TenantKey, caps: Caps) -> Decision<W> {
        self.forget_those_who_left(&key.org);
        let somebody_before = self
            .queues
            .get(&key.org)
            .is_some_and(|queue| queue.iter().any(|waiter| self.may_have_place(&waiter.key)));
        if !somebody_before && let Some(decision) = self.at_once(key) {
            return decision;
        }
        let queue = self.queues.entry(key.org.clone()).or_default();
        if caps.queue.is_some_and(|most| queue.len() >= most as usize) {
            return Decision::QueueFull;
        }
        let (grant, receiver) = oneshot::channel();
        queue.push_back(Waiter {
            ticket: self.next_ticket,
            key: key.clone(),
            grant,
        });
        self.next_ticket += 1;
        Decision::Wait(receiver)
    }

    fn at_once(&mut self, key: &TenantKey) -> Option<Decision<W>> {
        // The longest idle one: its next instance has had the most time to be built.
        if let Some(id) = self.idle(|slot| slot.key == *key)
            && let Some(live) = self.advance(&id, Move::Take)
        {
            return Some(Decision::Take(id, live));
        }
        if self.may_have_place(key) {
            if self.taken() < self.max {
                self.take_place(key);
                return Some(Decision::Start);
            }
            let victim = self.idle(|_| true)?;
            return self.evict_for(&victim, key);
        }
        // At its own limit an organisation may still trade an idle worker of its own for another.
        let held = key
            .exclusive
            .as_ref()
            .is_some_and(|name| self.exclusive.contains_key(name));
        let victim = self.idle(|slot| slot.key.org == key.org && (!held || slot.key.exclusive == key.exclusive))?;
        self.evict_for(&victim, key)
    }

    fn evict_for(&mut self, victim: &WorkerId, key: &TenantKey) -> Option<Decision<W>> {
        let live = self.take_out(victim)?;
        self.take_place(key);
        Some(Decision::Evict(live))
    }

    /// Enters a worker that started in a place taken before.
    pub(super) fn enter(&mut self, id: WorkerId, key: TenantKey, live: W) {
        let slot = Slot {
            state: WorkerState::Busy,
            key,
            live,
            idle_since: Instant::now(),
        };
        self.slots.insert(id, slot);
    }

    /// A session ended and its worker is fit: hands it, or its place, to the next waiter. Gives a worker to retire.
    pub(super) fn release(&mut self, id: &WorkerId) -> Option<W> {
        let key = self.slots.get(id)?.key.clone();
        loop {
            self.drop_place(&key);
            let next = self.next_waiter();
            self.take_place(&key);
            let Some(waiter) = next else {
                if self.is_beyond(&key.org) {
                    return self.give_up(id);
                }
                self.advance(id, Move::Release);
                return None;
            };
            if waiter.key == key {
                let live = self.slots.get(id).map(|slot| slot.live.clone())?;
                if waiter.grant.send(Grant::Worker(id.clone(), live)).is_ok() {
                    return None;
                }
            } else if waiter.grant.send(Grant::Place).is_ok() {
                let live = self.take_out(id);
                self.take_place(&waiter.key);
                return live;
            }
        }
    }

    /// A worker is gone or must go: its place is the next waiter's.
    pub(super) fn give_up(&mut self, id: &WorkerId) -> Option<W> {
        let live = self.take_out(id)?;
        self.serve();
        Some(live)
    }

    /// A place that no worker took is the next waiter's.
    pub(super) fn free_place(&mut self, key: &TenantKey) {
        self.drop_place(key);
        self.serve();
    }

    fn serve(&mut self) {
        while self.taken() < self.max {
            let Some(waiter) = self.next_waiter() else { return };
            if waiter.grant.send(Grant::Place).is_ok() {
                self.take_place(&waiter.key);
            }
        }
    }

    /// Takes the waiter out that is next: of the organisations that may have one more place, the one with the fewest; of
    /// those, the one that waits longest.
    fn next_waiter(&mut self) -> Option<Waiter<W>> {
        let mut best: Option<(usize, u64, String, usize)> = None;
        for (org, queue) in &self.queues {
            let held = self.places_of(org);
            let Some((index, waiter)) = queue
                .iter()
                .enumerate()
                .find(|(_, waiter)| !waiter.grant.is_closed() && self.may_have_place(&waiter.key))
            else {
                continue;
            };
            let rank = (held, waiter.ticket);
            if best.as_ref().is_none_or(|(held, ticket, ..)| rank < (*held, *ticket)) {
                best = Some((held, waiter.ticket, org.clone(), index));
            }
        }
        let (_, _, org, index) = best?;
        let queue = self.queues.get_mut(&org)?;
        let waiter = queue.remove(index);
        if queue.is_empty() {
            self.queues.remove(&org);
        }
        waiter
    }

    fn forget_those_who_left(&mut self, org: &str) {
        if let Some(queue) = self.queues.get_mut(org) {
            queue.retain(|waiter| !waiter.grant.is_closed());
        }
    }

    fn may_have_place(&self, key: &TenantKey) -> bool {
        let under_cap = self
            .cap_of(&key.org)
            .is_none_or(|most| self.places_of(&key.org) < most as usize);
        let exclusive_free = key
            .exclusive
            .as_ref()
            .is_none_or(|name| !self.exclusive.contains_key(name));
        under_cap && exclusive_free
    }

    /// Places that an organisation holds.
    pub(super) fn places_of(&self, org: &str) -> usize {
        self.places.get(org).copied().unwrap_or(0)
    }

    fn taken(&self) -> usize {
        self.places.values().sum()
    }

    fn take_place(&mut self, key: &TenantKey) {
        *self.places.entry(key.org.clone()).or_default() += 1;
        if let Some(name) = &key.exclusive {
            *self.exclusive.entry(name.clone()).or_default() += 1;
        }
    }

    fn drop_place(&mut self, key: &TenantKey) {
        lower(&mut self.places, &key.org);
        if let Some(name) = &key.exclusive {
            lower(&mut self.exclusive, name);
        }
    }

    fn take_out(&mut self, id: &WorkerId) -> Option<W> {
        self.advance(id, Move::Drain)?;
        let slot = self.slots.remove(id)?;
        self.drop_place(&slot.key);
        Some(slot.live)
    }

    /// The longest idle worker that `wanted` accepts.
    fn idle(&self, wanted: impl Fn(&Slot<W>) -> bool) -> Option<WorkerId> {
        self.slots
            .iter()
            .filter(|(_, slot)| slot.state == WorkerState::HotIdle && wanted(slot))
            .min_by_key(|(_, slot)| slot.idle_since)
            .map(|(id, _)| id.clone())
    }

    fn advance(&mut self, id: &WorkerId, step: Move) -> Option<W> {
        let slot = self.slots.get_mut(id)?;
        match slot.state.after(step) {
            Ok(state) => {
                slot.state = state;
                slot.idle_since = Instant::now();
                Some(slot.live.clone())
            }
            Err(error) => {
                alarm(id, &error);
                None
            }
        }
    }

    /// Whether a worker is without a session.
    pub(super) fn is_idle(&self, id: &WorkerId) -> bool {
        self.slots
            .get(id)
            .is_some_and(|slot| slot.state == WorkerState::HotIdle)
    }

    /// Whether a worker that can be used has this catalog attached.
    pub(super) fn is_warm(&self, org: &str, catalog: &str) -> bool {
        self.slots
            .values()
            .any(|slot| slot.key.org == org && slot.key.catalogs.iter().any(|name| name == catalog))
    }

    /// Idle workers that `wanted` accepts, by key and time in that state.
    pub(super) fn idle_workers(&self, wanted: impl Fn(&TenantKey, Duration) -> bool) -> Vec<WorkerId> {
        let now = Instant::now();
        self.slots
            .iter()
            .filter(|(_, slot)| {
                slot.state == WorkerState::HotIdle && wanted(&slot.key, now.duration_since(slot.idle_since))
            })
            .map(|(id, _)| id.clone())
            .collect()
    }

    /// Every worker, in the order of their names.
    pub(super) fn entries(&self) -> Vec<WorkerEntry> {
        let now = Instant::now();
        let mut entries: Vec<_> = self
            .slots
            .iter()
            .map(|(id, slot)| WorkerEntry {
                id: id.clone(),
                state: slot.state,
                key: slot.key.clone(),
                since: now.duration_since(slot.idle_since),
            })
            .collect();
        entries.sort_by(|a, b| a.id.cmp(&b.id));
        entries
    }

    /// Sessions that wait.
    pub(super) fn waiting(&self) -> usize {
        self.queues
            .values()
            .flatten()
            .filter(|waiter| !waiter.grant.is_closed())
            .count()
    }

    /// Takes everything out; those who wait learn that nothing comes.
    pub(super) fn clear(&mut self) -> Vec<W> {
        self.queues.clear();
        self.places.clear();
        self.exclusive.clear();
        self.slots.drain().map(|(_, slot)| slot.live).collect()
    }
}

fn lower(counts: &mut HashMap<String, usize>, name: &str) {
    if let Some(count) = counts.get_mut(name) {
        *count = count.saturating_sub(1);
        if *count == 0 {
            counts.remove(name);
        }
    }
}

fn alarm(id: &WorkerId, error: &IllegalMove) {
    tracing::error!(worker = %id, %error, "alarm");
}

#[cfg(test)]
mod tests;
