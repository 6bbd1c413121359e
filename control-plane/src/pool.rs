//! The pool of workers: who gets one, who waits, who is let go.
//!
//! A worker serves one organisation's catalog until it is gone. A session takes a *lease*; when it ends, the worker is hot
//! idle for its organisation, or goes. Waiters are served first come, first served: a freed worker or place is handed to
//! the first waiter and never snatched by a later one.

mod lease;
mod maintain;
mod state;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pintail_sqlstate::{Report, SqlState, ToReport};
use pintail_worker_api::Secret;
use pintail_worker_api::bootstrap::{Bootstrap, CatalogSpec, KernelWall};
use pintail_worker_api::provider::{LiveWorker, Place, ProviderError, SpareWorker, WorkerId, WorkerProvider};
use tokio::sync::{Notify, oneshot};
use tokio_util::sync::CancellationToken;

use crate::metrics::Metrics;

pub use lease::Lease;
pub use state::{IllegalMove, Move, WorkerState};

/// Limits of a pool.
#[derive(Debug, Clone)]
pub struct PoolLimits {
    /// Most workers of organisations at a time.
    pub workers_max: usize,
    /// Workers started ahead.
    pub spare: usize,
    /// How long a hot-idle worker is kept.
    pub idle_ttl: Duration,
    /// How long a session waits.
    pub queue_timeout: Duration,
    /// How long a worker may take to start.
    pub start_timeout: Duration,
    /// See [`Bootstrap::memory_limit`].
    pub memory_limit: u64,
    /// See [`Bootstrap::threads`].
    pub threads: u32,
    /// See [`Bootstrap::standby_max_age_seconds`].
    pub standby_max_age: Duration,
    /// See [`KernelWall`].
    pub kernel_wall: KernelWall,
}

/// What a worker is bound to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TenantKey {
    /// The organisation.
    pub org: String,
    /// The catalog that its sessions start in.
    pub catalog: String,
}

/// What a worker needs to know of its organisation.
#[derive(Debug, Clone)]
pub struct Tenant {
    /// Whose it is.
    pub key: TenantKey,
    /// Catalogs to attach, the first one being the default.
    pub catalogs: Vec<CatalogSpec>,
    /// The organisation's own directories.
    pub directories: Vec<std::path::PathBuf>,
}

/// Why no worker could be had.
#[derive(Debug, thiserror::Error)]
pub enum PoolError {
    /// Every worker is in use, and none came free in time.
    #[error("no worker came free within {} seconds (workers_max is {limit})", waited.as_secs())]
    Exhausted {
        /// How long the session waited.
        waited: Duration,
        /// The limit.
        limit: usize,
    },
    /// A worker could not be started.
    #[error("a worker could not be started")]
    Provider(#[from] ProviderError),
    /// A worker did not start in time.
    #[error("a worker did not start within {} seconds", limit.as_secs())]
    Slow {
        /// The limit.
        limit: Duration,
    },
    /// The pool is closing.
    #[error("the server is shutting down")]
    Closing,
}

impl ToReport for PoolError {
    fn to_report(&self) -> Report {
        match self {
            Self::Exhausted { .. } => Report::new(SqlState::TOO_MANY_CONNECTIONS, "sorry, too many clients already")
                .with_detail(self.to_string())
                .with_hint("Try again later, or ask the operator to raise workers_max."),
            Self::Provider(_) | Self::Slow { .. } => Report::new(
                SqlState::CANNOT_CONNECT_NOW,
                "no worker could be started for this session",
            )
            .with_hint("The server's log says why. Try again later."),
            Self::Closing => Report::new(SqlState::ADMIN_SHUTDOWN, self.to_string()),
        }
    }
}

/// The pool. Cloning shares it.
#[derive(Clone)]
pub struct Pool {
    shared: Arc<Shared>,
}

struct Shared {
    provider: Box<dyn WorkerProvider>,
    limits: PoolLimits,
    metrics: Metrics,
    closing: CancellationToken,
    wake: Notify,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    slots: HashMap<WorkerId, Slot>,
    spares: VecDeque<Box<dyn SpareWorker>>,
    /// Places under `workers_max` taken by workers of organisations, those still starting included.
    places: usize,
    waiters: VecDeque<Waiter>,
}

struct Slot {
    state: WorkerState,
    key: TenantKey,
    live: Arc<dyn LiveWorker>,
    idle_since: Instant,
}

struct Waiter {
    key: TenantKey,
    grant: oneshot::Sender<Grant>,
}

enum Grant {
    Worker(WorkerId, Arc<dyn LiveWorker>),
    Place,
}

enum Decision {
    Take(WorkerId, Arc<dyn LiveWorker>),
    Start,
    Evict(Arc<dyn LiveWorker>),
    Wait(oneshot::Receiver<Grant>),
}

impl Pool {
    /// A pool without workers; [`Pool::maintain`] starts its spares.
    pub fn new(provider: Box<dyn WorkerProvider>, limits: PoolLimits, metrics: Metrics) -> Self {
        Self {
            shared: Arc::new(Shared {
                provider,
                limits,
                metrics,
                closing: CancellationToken::new(),
                wake: Notify::new(),
                inner: Mutex::default(),
            }),
        }
    }

    /// A worker for a session of `tenant`. Cancel safe: dropping the future gives back what it was granted.
    pub async fn acquire(&self, tenant: &Tenant) -> Result<Lease, PoolError> {
        if self.shared.closing.is_cancelled() {
            return Err(PoolError::Closing);
        }
        match self.decide(&tenant.key) {
            Decision::Take(id, live) => Ok(self.lease(id, live)),
            Decision::Start => self.start(tenant, PlaceGuard::new(self)).await,
            Decision::Evict(victim) => {
                self.retire(victim);
                self.start(tenant, PlaceGuard::new(self)).await
            }
            Decision::Wait(receiver) => self.wait(tenant, receiver).await,
        }
    }

    fn decide(&self, key: &TenantKey) -> Decision {
        let mut inner = self.lock();
        if inner.waiters.is_empty() {
            // The longest idle one: its next instance has had the most time to be built.
            let idle = inner.idle(|slot| slot.key == *key);
            if let Some(id) = idle {
                let live = inner.advance(&id, Move::Take);
                if let Some(live) = live {
                    return Decision::Take(id, live);
                }
            }
            if inner.places < self.shared.limits.workers_max {
                inner.places += 1;
                return Decision::Start;
            }
            let victim = inner.idle(|_| true);
            if let Some(live) = victim.and_then(|id| inner.remove(&id)) {
                // Its place goes on to the new worker.
                return Decision::Evict(live);
            }
        }
        let (grant, receiver) = oneshot::channel();
        inner.waiters.push_back(Waiter {
            key: key.clone(),
            grant,
        });
        self.shared.metrics.waiting.inc();
        Decision::Wait(receiver)
    }

    async fn wait(&self, tenant: &Tenant, receiver: oneshot::Receiver<Grant>) -> Result<Lease, PoolError> {
        let pending = PendingGrant {
            pool: self.clone(),
            receiver: Some(receiver),
        };
        match pending.receive(self.shared.limits.queue_timeout).await? {
            Grant::Worker(id, live) => Ok(self.lease(id, live)),
            Grant::Place => self.start(tenant, PlaceGuard::new(self)).await,
        }
    }

    async fn start(&self, tenant: &Tenant, place: PlaceGuard) -> Result<Lease, PoolError> {
        let limit = self.shared.limits.start_timeout;
        let live = tokio::time::timeout(limit, self.activate(tenant))
            .await
            .map_err(|_| PoolError::Slow { limit })??;
        let live: Arc<dyn LiveWorker> = Arc::from(live);
        let id = live.id().clone();
        self.lock().slots.insert(
            id.clone(),
            Slot {
                state: WorkerState::Busy,
                key: tenant.key.clone(),
                live: Arc::clone(&live),
                idle_since: Instant::now(),
            },
        );
        place.keep();
        self.shared.metrics.workers_started.inc();
        self.watch(id.clone(), Arc::clone(&live));
        Ok(self.lease(id, live))
    }

    async fn activate(&self, tenant: &Tenant) -> Result<Box<dyn LiveWorker>, PoolError> {
        let spare = self.lock().spares.pop_front();
        let spare = match spare {
            Some(spare) => spare,
            None => self.shared.provider.spawn().await?,
        };
        self.shared.wake.notify_one();
        let Place { socket, temp_dir } = spare.place();
        let limits = &self.shared.limits;
        let token: [u8; 32] = rand::random();
        let bootstrap = Bootstrap {
            worker_id: spare.id().to_string(),
            org: tenant.key.org.clone(),
            token: Secret::new(
                token
                    .iter()
                    .fold(String::new(), |text, byte| text + &format!("{byte:02x}")),
            ),
            socket,
            temp_dir,
            catalogs: tenant.catalogs.clone(),
            directories: tenant.directories.clone(),
            locations: vec![],
            ports: vec![],
            memory_limit: limits.memory_limit,
            threads: limits.threads,
            standby_max_age_seconds: limits.standby_max_age.as_secs(),
            kernel_wall: limits.kernel_wall,
        };
        let id = spare.id().clone();
        tracing::info!(worker = %id, org = %tenant.key.org, catalog = %tenant.key.catalog, "activating a worker");
        Ok(spare.activate(&bootstrap).await?)
    }

    fn lease(&self, id: WorkerId, live: Arc<dyn LiveWorker>) -> Lease {
        Lease::new(self.clone(), id, live)
    }

    /// Notices a worker's end while it is idle; a session notices its own worker's end by itself.
    fn watch(&self, id: WorkerId, live: Arc<dyn LiveWorker>) {
        let pool = self.clone();
        crate::tasks::spawn("worker-watch", async move {
            live.exited().await;
            let idle = pool
                .lock()
                .slots
                .get(&id)
                .is_some_and(|slot| slot.state == WorkerState::HotIdle);
            if idle {
                tracing::warn!(worker = %id, "an idle worker ended by itself");
                pool.shared.metrics.workers_lost.inc();
                pool.give_up(&id);
            }
        });
    }

    /// A session is over and its worker fit for another.
    fn give_back(&self, id: &WorkerId) {
        let victim = {
            let mut inner = self.lock();
            loop {
                let Some(waiter) = inner.waiters.pop_front() else {
                    inner.advance(id, Move::Release);
                    break None;
                };
                self.shared.metrics.waiting.dec();
                let Some(slot) = inner.slots.get(id) else { break None };
                if slot.key == waiter.key {
                    let grant = Grant::Worker(id.clone(), Arc::clone(&slot.live));
                    if waiter.grant.send(grant).is_ok() {
                        break None;
                    }
                } else if waiter.grant.send(Grant::Place).is_ok() {
                    break inner.remove(id);
                }
            }
        };
        if let Some(live) = victim {
            self.retire(live);
        }
    }

    /// A worker is gone or must go; its place is free.
    fn give_up(&self, id: &WorkerId) {
        let live = self.lock().remove(id);
        if let Some(live) = live {
            self.retire(live);
            self.free_place();
        }
    }

    fn free_place(&self) {
        let mut inner = self.lock();
        while let Some(waiter) = inner.waiters.pop_front() {
            self.shared.metrics.waiting.dec();
            if waiter.grant.send(Grant::Place).is_ok() {
                return;
            }
        }
        inner.places = inner.places.saturating_sub(1);
    }

    fn retire(&self, live: Arc<dyn LiveWorker>) {
        self.shared.metrics.workers_retired.inc();
        crate::tasks::spawn("worker-retire", async move {
            live.retire(Duration::from_secs(5)).await;
        });
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // No code that can panic runs under the lock.
        self.shared.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// The longest idle worker that `wanted` accepts.
    fn idle(&self, wanted: impl Fn(&Slot) -> bool) -> Option<WorkerId> {
        self.slots
            .iter()
            .filter(|(_, slot)| slot.state == WorkerState::HotIdle && wanted(slot))
            .min_by_key(|(_, slot)| slot.idle_since)
            .map(|(id, _)| id.clone())
    }

    fn advance(&mut self, id: &WorkerId, step: Move) -> Option<Arc<dyn LiveWorker>> {
        let slot = self.slots.get_mut(id)?;
        match slot.state.after(step) {
            Ok(state) => {
                slot.state = state;
                slot.idle_since = Instant::now();
                Some(Arc::clone(&slot.live))
            }
            Err(error) => {
                tracing::error!(worker = %id, %error, "alarm");
                None
            }
        }
    }

    fn remove(&mut self, id: &WorkerId) -> Option<Arc<dyn LiveWorker>> {
        self.advance(id, Move::Drain)?;
        self.slots.remove(id).map(|slot| slot.live)
    }
}

/// A place under the ceiling that is free again unless a worker takes it.
struct PlaceGuard(Option<Pool>);

impl PlaceGuard {
    fn new(pool: &Pool) -> Self {
        Self(Some(pool.clone()))
    }

    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for PlaceGuard {
    fn drop(&mut self) {
        if let Some(pool) = self.0.take() {
            pool.free_place();
        }
    }
}

/// A waiter's side of its grant: what was granted to a waiter that gave up goes to the next.
struct PendingGrant {
    pool: Pool,
    receiver: Option<oneshot::Receiver<Grant>>,
}

impl PendingGrant {
    async fn receive(mut self, limit: Duration) -> Result<Grant, PoolError> {
        let Some(receiver) = self.receiver.as_mut() else {
            return Err(PoolError::Closing);
        };
        match tokio::time::timeout(limit, receiver).await {
            Ok(Ok(grant)) => {
                self.receiver = None;
                Ok(grant)
            }
            Ok(Err(_)) => {
                self.receiver = None;
                Err(PoolError::Closing)
            }
            Err(_) => Err(PoolError::Exhausted {
                waited: limit,
                limit: self.pool.shared.limits.workers_max,
            }),
        }
    }
}

impl Drop for PendingGrant {
    fn drop(&mut self) {
        let Some(mut receiver) = self.receiver.take() else {
            return;
        };
        receiver.close();
        match receiver.try_recv() {
            Ok(Grant::Worker(id, _)) => self.pool.give_back(&id),
            Ok(Grant::Place) => self.pool.free_place(),
            Err(_) => {}
        }
    }
}
