//! Cancel requests: from a key to the session that holds it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use tokio::sync::Notify;

use crate::wire::startup::CancelKey;

/// Every session that can be cancelled. Cloning shares it.
#[derive(Clone, Default)]
pub struct CancelRegistry {
    sessions: Arc<Mutex<HashMap<CancelKey, Arc<Signal>>>>,
    next_pid: Arc<AtomicI32>,
}

#[derive(Default)]
struct Signal {
    requests: AtomicU64,
    notify: Notify,
}

/// A session's side. Dropping it makes its key unknown.
pub struct Cancellation {
    registry: CancelRegistry,
    key: CancelKey,
    signal: Arc<Signal>,
    seen: u64,
}

impl CancelRegistry {
    /// Registers a session; its secret has `secret_length` bytes.
    pub fn register(&self, secret_length: usize) -> Cancellation {
        let pid = self.next_pid.fetch_add(1, Ordering::Relaxed).wrapping_add(1) & i32::MAX;
        let random: [u8; 32] = rand::random();
        let key = CancelKey {
            pid,
            secret: Bytes::copy_from_slice(&random[..secret_length.min(random.len())]),
        };
        let signal = Arc::<Signal>::default();
        self.lock().insert(key.clone(), Arc::clone(&signal));
        Cancellation {
            registry: self.clone(),
            key,
            signal,
            seen: 0,
        }
    }

    /// Delivers a request; a key that nobody holds is passed over in silence.
    pub fn cancel(&self, key: &CancelKey) {
        if let Some(signal) = self.lock().get(key) {
            signal.requests.fetch_add(1, Ordering::Release);
            signal.notify.notify_waiters();
        }
    }

    /// Delivers an operator's request; tells whether there was such a session.
    pub fn cancel_pid(&self, pid: i32) -> bool {
        let sessions = self.lock();
        let found = sessions.iter().find(|(key, _)| key.pid == pid);
        if let Some((_, signal)) = found {
            signal.requests.fetch_add(1, Ordering::Release);
            signal.notify.notify_waiters();
        }
        found.is_some()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<CancelKey, Arc<Signal>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cancellation {
    /// The key that the client is told.
    pub fn key(&self) -> &CancelKey {
        &self.key
    }

    /// Forgets earlier requests: they were for what ran before.
    pub fn arm(&mut self) {
        self.seen = self.signal.requests.load(Ordering::Acquire);
    }

    /// Waits for a request that came after [`Cancellation::arm`]; returns once for each. Cancel safe.
    pub async fn requested(&mut self) {
        loop {
            let notified = self.signal.notify.notified();
            let now = self.signal.requests.load(Ordering::Acquire);
            if now > self.seen {
                self.seen = now;
                return;
            }
            notified.await;
        }
    }
}

impl Drop for Cancellation {
    fn drop(&mut self) {
        self.registry.lock().remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_late_request_is_forgotten_and_a_wrong_key_ignored() {
        let registry = CancelRegistry::default();
        let mut session = registry.register(4);
        let key = session.key().clone();
        registry.cancel(&CancelKey {
            pid: key.pid,
            secret: Bytes::from_static(b"nope"),
        });
        registry.cancel(&key);
        session.arm();
        let idle = tokio::time::timeout(std::time::Duration::from_millis(20), session.requested()).await;
        assert!(idle.is_err(), "the request came before the statement");
        registry.cancel(&key);
        session.requested().await;
    }
}
