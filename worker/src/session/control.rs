//! Which statement runs, which ones stream, and how they are stopped from outside.
//!
//! One lock orders everything: a statement is interrupted only while it is the one that runs, so a late cancel cannot hit
//! the next one. The lock is never held while the engine works.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::outlet::Outlet;
use crate::engine::capi::Connection;
use crate::engine::desk::Desk;
use crate::error::{Error, StopReason};
use crate::tasks::Tasks;

/// The engine forgets an interruption that comes while it sets a statement up, so it is repeated until it took.
const REPEAT: Duration = Duration::from_millis(10);

/// The session's statements as the outside sees them.
pub(crate) struct Control {
    connection: Connection,
    desk: Arc<Desk>,
    state: Mutex<State>,
    tasks: Tasks,
}

struct State {
    used: Instant,
    running: Option<u64>,
    queued: usize,
    live: Vec<Live>,
}

struct Live {
    sequence: u64,
    /// The engine is done; rows may still be on their way.
    is_done: bool,
    stop: Arc<Stop>,
    outlet: Option<Arc<Outlet>>,
}

/// Who has a statement in hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hand {
    /// It waits or runs.
    Engine,
    /// Rows wait for whoever reads them.
    Reader,
    /// The engine is done with it.
    Nobody,
}

/// Whether and why a statement was stopped.
#[derive(Debug, Default)]
pub(crate) struct Stop(AtomicU8);

impl Stop {
    fn set(&self, reason: StopReason) {
        let code = match reason {
            StopReason::Request => 1,
            StopReason::Timeout => 2,
            StopReason::Dropped => 3,
            StopReason::Shutdown => 4,
        };
        // The first reason is the one that is told.
        let _ = self.0.compare_exchange(0, code, Ordering::AcqRel, Ordering::Acquire);
    }

    /// The reason, once stopped.
    pub(crate) fn reason(&self) -> Option<StopReason> {
        match self.0.load(Ordering::Acquire) {
            1 => Some(StopReason::Request),
            2 => Some(StopReason::Timeout),
            3 => Some(StopReason::Dropped),
            4 => Some(StopReason::Shutdown),
            _ => None,
        }
    }
}

/// Held by whoever reads an answer; dropping it before the end stops the statement.
pub(crate) struct Guard {
    control: Arc<Control>,
    sequence: u64,
    /// Shared with the engine's thread.
    pub(crate) stop: Arc<Stop>,
}

impl Guard {
    /// The statement's number.
    pub(crate) fn sequence(&self) -> u64 {
        self.sequence
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.control.leave(self.sequence, &self.stop);
    }
}

impl Control {
    /// Control of a connection on which nothing runs.
    pub(crate) fn new(connection: Connection, desk: Arc<Desk>, tasks: Tasks) -> Self {
        Self {
            connection,
            desk,
            state: Mutex::new(State {
                used: Instant::now(),
                running: None,
                queued: 0,
                live: Vec::new(),
            }),
            tasks,
        }
    }

    /// Registers a statement before it is handed to the engine's thread; results that wait are set aside for it.
    pub(crate) fn enter(self: &Arc<Self>, sequence: u64) -> Guard {
        let stop = Arc::new(Stop::default());
        let mut state = self.lock();
        state.queued += 1;
        state.used = Instant::now();
        state
            .live
            .iter()
            .filter_map(|live| live.outlet.as_ref())
            .for_each(|outlet| outlet.set_aside());
        state.live.push(Live {
            sequence,
            is_done: false,
            stop: Arc::clone(&stop),
            outlet: None,
        });
        Guard {
            control: Arc::clone(self),
            sequence,
            stop,
        }
    }

    /// How long ago the last statement was registered; `None` while one is being answered.
    pub(crate) fn idle_for(&self) -> Option<Duration> {
        let state = self.lock();
        state.live.is_empty().then(|| state.used.elapsed())
    }

    /// The engine's thread takes the statement up.
    pub(crate) fn begin(&self, sequence: u64, stop: &Stop) -> Result<(), Error> {
        let mut state = self.lock();
        state.queued = state.queued.saturating_sub(1);
        if let Some(reason) = stop.reason() {
            return Err(Error::Stopped(reason));
        }
        state.running = Some(sequence);
        self.desk.resume();
        Ok(())
    }

    /// The engine is done with the statement that runs; its rows may still be on their way.
    pub(crate) fn end(&self) {
        let mut state = self.lock();
        let ended = state.running.take();
        if let Some(live) = state.live.iter_mut().find(|live| Some(live.sequence) == ended) {
            live.is_done = true;
        }
    }

    /// Connects the statement's outlet, which is set aside at once where another statement waits already.
    pub(crate) fn attach(&self, sequence: u64, outlet: &Arc<Outlet>) {
        let mut state = self.lock();
        if state.queued > 0 {
            outlet.set_aside();
        }
        if let Some(live) = state.live.iter_mut().find(|live| live.sequence == sequence) {
            live.outlet = Some(Arc::clone(outlet));
        } else {
            outlet.stop(StopReason::Dropped);
        }
    }

    /// Stops a statement if it waits, runs or streams.
    pub(crate) fn stop(self: &Arc<Self>, sequence: u64, reason: StopReason) {
        let state = self.lock();
        if let Some(live) = state.live.iter().find(|live| live.sequence == sequence) {
            self.halt(&state, live, reason);
        }
    }

    /// Who has a statement in hand. While it is the reader, as with a suspended portal, the engine is not to blame.
    pub(crate) fn hand(&self, sequence: u64) -> Hand {
        let state = self.lock();
        match state.live.iter().find(|live| live.sequence == sequence) {
            Some(live) if live.is_done => Hand::Nobody,
            Some(live) if live.outlet.as_ref().is_some_and(|outlet| outlet.is_full()) => Hand::Reader,
            Some(_) => Hand::Engine,
            None => Hand::Nobody,
        }
    }

    /// Stops everything.
    pub(crate) fn stop_all(self: &Arc<Self>, reason: StopReason) {
        let state = self.lock();
        state.live.iter().for_each(|live| self.halt(&state, live, reason));
    }

    fn halt(self: &Arc<Self>, state: &State, live: &Live, reason: StopReason) {
        live.stop.set(reason);
        if let Some(outlet) = &live.outlet {
            outlet.stop(reason);
        }
        if state.running == Some(live.sequence) {
            self.interrupt();
            self.keep_interrupting(live.sequence);
        }
    }

    fn leave(self: &Arc<Self>, sequence: u64, stop: &Stop) {
        let mut state = self.lock();
        let Some(index) = state.live.iter().position(|live| live.sequence == sequence) else {
            return;
        };
        let live = state.live.swap_remove(index);
        if let Some(outlet) = &live.outlet {
            outlet.stop(StopReason::Dropped);
        }
        // A statement that waits finds this when it is taken up.
        stop.set(StopReason::Dropped);
        if state.running == Some(sequence) {
            self.interrupt();
            self.keep_interrupting(sequence);
        }
    }

    fn keep_interrupting(self: &Arc<Self>, sequence: u64) {
        let control = Arc::clone(self);
        self.tasks.spawn(async move {
            loop {
                tokio::time::sleep(REPEAT).await;
                let state = control.lock();
                if state.running != Some(sequence) {
                    return;
                }
                control.interrupt();
            }
        });
    }

    fn interrupt(&self) {
        self.connection.interrupt();
        self.desk.interrupt();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
