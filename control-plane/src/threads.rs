//! Threads that drive sessions, one runtime each.
//!
//! A session's socket, its state machine and its connection to the worker live on one thread, so that a statement costs no
//! wake-up of another: that is a third of the time of a short one.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::runtime::{Builder, Handle};
use tokio_util::sync::CancellationToken;

/// Address space of a thread's stack: trees of statements are walked recursively, and the transpiler allows deep ones. Only
/// what is used takes memory.
const STACK: usize = 1 << 30;

/// The threads; they end when this is dropped.
pub struct SessionThreads {
    runtimes: Vec<Handle>,
    next: AtomicUsize,
    end: CancellationToken,
}

impl SessionThreads {
    /// Starts as many threads as the machine has cores.
    pub fn start() -> io::Result<Self> {
        let count = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let end = CancellationToken::new();
        let mut runtimes = Vec::with_capacity(count);
        for number in 0..count {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            runtimes.push(runtime.handle().clone());
            let end = end.clone();
            std::thread::Builder::new()
                .name(format!("sessions-{number}"))
                .stack_size(STACK)
                .spawn(move || runtime.block_on(end.cancelled()))?;
        }
        Ok(Self {
            runtimes,
            next: AtomicUsize::new(0),
            end,
        })
    }

    /// The runtime of the next session, each in turn.
    pub fn next(&self) -> &Handle {
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        &self.runtimes[turn % self.runtimes.len()]
    }
}

impl Drop for SessionThreads {
    fn drop(&mut self) {
        self.end.cancel();
    }
}
