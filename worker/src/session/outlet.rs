//! The queue between the engine's side of a result and the Flight stream that sends it.
//!
//! Bounded in bytes, so that a slow reader slows the engine down. When another statement needs the engine while a reader
//! pauses (a suspended portal), the outlet turns to setting aside: what does not fit in memory goes to a file, and the
//! reader gets it from there later.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use arrow_flight::FlightData;
use tokio::sync::Notify;

use super::spool::Spool;
use crate::error::{Error, StopReason};

/// Bytes that wait in memory before the engine's side waits, or before the file is used.
const CAPACITY: usize = 4 << 20;

/// One result on its way out.
pub(crate) struct Outlet {
    state: Mutex<State>,
    room: Condvar,
    ready: Notify,
    spool_directory: Arc<Path>,
}

#[derive(Default)]
struct State {
    queue: VecDeque<FlightData>,
    bytes: usize,
    mode: Mode,
    spool: Option<Spool>,
    end: Option<End>,
}

/// What the engine's side does when the queue is full.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// It waits; left when another statement needs the engine.
    #[default]
    Waiting,
    /// It writes to the file; never left.
    SettingAside,
}

/// Why nothing more will come.
enum End {
    /// The trailer is in the queue.
    Complete,
    /// The error follows what is in the queue.
    Failed(Error),
    /// Stopped: the queue is void.
    Stopped(StopReason),
    /// The error was told.
    Told,
}

/// The engine's side is told that nobody wants more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unwanted;

impl Outlet {
    /// An empty outlet that sets aside below `spool_directory`.
    pub(crate) fn new(spool_directory: Arc<Path>) -> Self {
        Self {
            state: Mutex::default(),
            room: Condvar::new(),
            ready: Notify::new(),
            spool_directory,
        }
    }

    /// Adds a message, waiting for room where the reader is slow. Blocks; for the engine's threads only.
    pub(crate) fn push(&self, message: FlightData) -> Result<(), Unwanted> {
        let size = message.data_body.len() + message.data_header.len() + message.app_metadata.len();
        let mut state = self.lock();
        while state.bytes >= CAPACITY && state.mode == Mode::Waiting && state.end.is_none() {
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.end.is_some() {
            return Err(Unwanted);
        }
        let to_file = state.spool.as_ref().is_some_and(|spool| !spool.is_empty()) || state.bytes >= CAPACITY;
        if !to_file {
            state.bytes += size;
            state.queue.push_back(message);
        } else if let Err(error) = state.set_aside(&message, &self.spool_directory) {
            state.end = Some(End::Failed(error));
            drop(state);
            self.ready.notify_one();
            return Err(Unwanted);
        }
        drop(state);
        self.ready.notify_one();
        Ok(())
    }

    /// Says that the last message was pushed, or that an error ends the result.
    pub(crate) fn finish(&self, outcome: Result<(), Error>) {
        let mut state = self.lock();
        if state.end.is_none() {
            state.end = Some(match outcome {
                Ok(()) => End::Complete,
                Err(error) => End::Failed(error),
            });
        }
        drop(state);
        self.ready.notify_one();
    }

    /// Makes the result void for both sides.
    pub(crate) fn stop(&self, reason: StopReason) {
        let mut state = self.lock();
        if !matches!(state.end, Some(End::Told | End::Stopped(_))) {
            state.end = Some(End::Stopped(reason));
            state.queue.clear();
            state.bytes = 0;
            state.spool = None;
        }
        drop(state);
        self.room.notify_all();
        self.ready.notify_one();
    }

    /// From now on the engine's side never waits.
    pub(crate) fn set_aside(&self) {
        self.lock().mode = Mode::SettingAside;
        self.room.notify_all();
    }

    /// Whether the engine's side waits for the reader.
    pub(crate) fn is_full(&self) -> bool {
        let state = self.lock();
        state.bytes >= CAPACITY && state.mode == Mode::Waiting && state.end.is_none()
    }

    /// Whether a push would be refused.
    pub(crate) fn is_unwanted(&self) -> bool {
        self.lock().end.is_some()
    }

    /// Waits until the engine's side has ended; the error with which it did is told here or by [`Outlet::next`], not twice.
    pub(crate) async fn completed(&self) -> Result<(), Error> {
        loop {
            if let Some(outcome) = self.outcome() {
                return outcome;
            }
            self.ready.notified().await;
        }
    }

    fn outcome(&self) -> Option<Result<(), Error>> {
        let mut state = self.lock();
        match state.end.take()? {
            End::Failed(error) => {
                state.end = Some(End::Told);
                Some(Err(error))
            }
            End::Stopped(reason) => {
                state.end = Some(End::Told);
                Some(Err(Error::Stopped(reason)))
            }
            end => {
                state.end = Some(end);
                Some(Ok(()))
            }
        }
    }

    /// The next message; `None` after the last. Cancel safe: a message is taken whole or stays.
    pub(crate) async fn next(&self) -> Option<Result<FlightData, Error>> {
        loop {
            match self.take() {
                Taken::Message(message) => return Some(Ok(message)),
                Taken::Failed(error) => return Some(Err(error)),
                Taken::Ended => return None,
                Taken::Nothing => self.ready.notified().await,
            }
        }
    }

    fn take(&self) -> Taken {
        let mut state = self.lock();
        if let Some(message) = state.queue.pop_front() {
            let size = message.data_body.len() + message.data_header.len() + message.app_metadata.len();
            let was_full = state.bytes >= CAPACITY;
            state.bytes = state.bytes.saturating_sub(size);
            if was_full && state.bytes < CAPACITY {
                drop(state);
                self.room.notify_all();
            }
            return Taken::Message(message);
        }
        match state.spool.as_mut().map(Spool::read) {
            Some(Ok(Some(message))) => return Taken::Message(message),
            Some(Err(error)) => {
                state.spool = None;
                state.end = Some(End::Told);
                return Taken::Failed(Error::Spool(error));
            }
            Some(Ok(None)) | None => {}
        }
        match state.end.take() {
            None => Taken::Nothing,
            Some(End::Complete) => {
                state.end = Some(End::Complete);
                Taken::Ended
            }
            Some(End::Failed(error)) => {
                state.end = Some(End::Told);
                Taken::Failed(error)
            }
            Some(End::Stopped(reason)) => {
                state.end = Some(End::Told);
                Taken::Failed(Error::Stopped(reason))
            }
            Some(End::Told) => {
                state.end = Some(End::Told);
                Taken::Ended
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Taken {
    Message(FlightData),
    Failed(Error),
    Ended,
    Nothing,
}

impl State {
    fn set_aside(&mut self, message: &FlightData, directory: &Path) -> Result<(), Error> {
        let spool = match &mut self.spool {
            Some(spool) => spool,
            place @ None => place.insert(Spool::create(directory).map_err(Error::Spool)?),
        };
        spool.write(message)
    }
}

#[cfg(test)]
mod tests;
