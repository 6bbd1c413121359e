//! The results that a session keeps, by the number of their statement, and which of them is being read.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use futures::StreamExt;
use pintail_worker_api::messages::{ReadKept, Want};

use super::job::Answer;
use super::kept::{Kept, Look, Source};
use super::spool::History;
use super::{Messages, Reading};
use crate::error::Error;

/// See the module.
#[derive(Default)]
pub(super) struct Keeping {
    results: Mutex<HashMap<u64, Arc<Kept>>>,
    /// Readings under way, with the result that each one reads.
    readings: Arc<Mutex<HashMap<u64, u64>>>,
}

/// A reading; told to the registry until it is dropped.
struct Registered {
    readings: Arc<Mutex<HashMap<u64, u64>>>,
    sequence: u64,
}

impl Drop for Registered {
    fn drop(&mut self) {
        lock(&self.readings).remove(&self.sequence);
    }
}

impl Keeping {
    /// Keeps the answer of a statement that began; the messages tell its columns.
    pub(super) async fn keep(
        &self,
        answer: Answer,
        look: &Arc<OnceLock<Look>>,
        reading: Reading,
        history: Option<History>,
    ) -> Result<Messages, Error> {
        let source = match answer {
            Answer::Whole(messages) => Source::Whole(messages.into()),
            Answer::Stream(outlet) => Source::Stream(outlet),
        };
        let look = look
            .get()
            .ok_or_else(|| Error::BadRequest("the rows of a statement that returns none cannot be kept".to_owned()))?;
        let look = Look {
            shape: Arc::clone(&look.shape),
            arrow: Arc::clone(&look.arrow),
        };
        let kept = Arc::new(Kept::new(look, source, reading, history));
        lock(&self.results).insert(kept.sequence(), Arc::clone(&kept));
        Ok(kept.opened().await)
    }

    /// Reads rows of a kept result.
    pub(super) async fn read(
        &self,
        sequence: u64,
        request: &ReadKept,
        want: Option<Want>,
        timeout_ms: u64,
    ) -> Result<Messages, Error> {
        let kept = lock(&self.results).get(&request.result).cloned();
        let kept = kept.ok_or_else(|| Error::BadRequest(format!("no result is kept as {}", request.result)))?;
        lock(&self.readings).insert(sequence, request.result);
        let registered = Registered {
            readings: Arc::clone(&self.readings),
            sequence,
        };
        let messages = kept.read(request, want, timeout_ms).await?;
        Ok(messages
            .map(move |message| {
                let _ = &registered;
                message
            })
            .boxed())
    }

    /// The statement that works for a reading; any other number is its own.
    pub(super) fn behind(&self, sequence: u64) -> u64 {
        lock(&self.readings).get(&sequence).copied().unwrap_or(sequence)
    }

    /// Frees a result.
    pub(super) fn close(&self, result: u64) {
        lock(&self.results).remove(&result);
    }

    /// Frees all.
    pub(super) fn close_all(&self) {
        lock(&self.results).clear();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
