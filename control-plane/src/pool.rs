//! The pool of workers: who gets one, who waits, who is let go.
//!
//! A worker serves one organisation until it is gone, with the catalogs it was started with. A session takes a *lease*; when
//! it ends, the worker is hot idle for its organisation, or goes. Who is next is the ledger's to say.

mod error;
mod lease;
mod ledger;
mod maintain;
mod state;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pintail_worker_api::Secret;
use pintail_worker_api::bootstrap::{Bootstrap, CatalogSpec, KernelWall};
use pintail_worker_api::provider::{LiveWorker, Place, SpareWorker, WorkerId, WorkerProvider};
use tokio::sync::{Notify, oneshot};
use tokio_util::sync::CancellationToken;

use crate::metrics::Metrics;
use ledger::{Decision, Grant, Ledger};

pub use error::PoolError;
pub use lease::Lease;
pub use ledger::WorkerEntry;
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
    /// Its catalogs there, the one that sessions start in first, the others in order.
    pub catalogs: Vec<String>,
    /// Tells apart what else a worker is started with: addresses, credentials, memory, threads.
    pub fingerprint: u64,
    /// A catalog that only one worker may have at a time, as `org/catalog`.
    pub exclusive: Option<String>,
}

/// An organisation's own limits in the pool; `None` where only the installation's hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Caps {
    /// Most workers.
    pub workers: Option<u32>,
    /// Most sessions that wait for one.
    pub queue: Option<u32>,
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
    /// See [`Bootstrap::locations`].
    pub locations: Vec<String>,
    /// See [`Bootstrap::ports`].
    pub ports: Vec<u16>,
    /// See [`Bootstrap::memory_limit`].
    pub memory_limit: u64,
    /// See [`Bootstrap::threads`].
    pub threads: u32,
    /// The organisation's share of the pool.
    pub caps: Caps,
}

/// The pool. Cloning shares it.
#[derive(Clone)]
pub struct Pool {
    shared: Arc<Shared>,
}

type Handle = Arc<dyn LiveWorker>;

struct Shared {
    provider: Box<dyn WorkerProvider>,
    limits: PoolLimits,
    metrics: Metrics,
    closing: CancellationToken,
    wake: Notify,
    /// Told when a session begins to wait.
    pressure: Notify,
    inner: Mutex<Inner>,
    /// One lock for each catalog that is being attached by its first worker.
    cold: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
}

struct Inner {
    ledger: Ledger<Handle>,
    spares: VecDeque<Box<dyn SpareWorker>>,
    /// The kernel wall as the last worker raised it.
    kernel_wall: Option<String>,
}

impl Pool {
    /// A pool without workers; [`Pool::maintain`] starts its spares.
    pub fn new(provider: Box<dyn WorkerProvider>, limits: PoolLimits, metrics: Metrics) -> Self {
        let inner = Inner {
            ledger: Ledger::new(limits.workers_max),
            spares: VecDeque::new(),
            kernel_wall: None,
        };
        Self {
            shared: Arc::new(Shared {
                provider,
                limits,
                metrics,
                closing: CancellationToken::new(),
                wake: Notify::new(),
                pressure: Notify::new(),
                inner: Mutex::new(inner),
                cold: Mutex::default(),
            }),
        }
    }

    /// A worker for a session of `tenant`. Cancel safe: dropping the future gives back what it was granted.
    pub async fn acquire(&self, tenant: &Tenant) -> Result<Lease, PoolError> {
        if self.shared.closing.is_cancelled() {
            return Err(PoolError::Closing);
        }
        let (decision, beyond) = {
            let ledger = &mut self.lock().ledger;
            let beyond = ledger.limit(&tenant.key.org, tenant.caps);
            (ledger.decide(&tenant.key, tenant.caps), beyond)
        };
        beyond.into_iter().for_each(|live| self.retire(live));
        self.observe_waiting();
        if matches!(decision, Decision::Wait(_)) {
            self.shared.pressure.notify_waiters();
        }
        match decision {
            Decision::Take(id, live) => Ok(self.lease(id, live)),
            Decision::Start => self.start(tenant, PlaceGuard::new(self, tenant)).await,
            Decision::Evict(victim) => {
                self.retire(victim);
                self.start(tenant, PlaceGuard::new(self, tenant)).await
            }
            Decision::Wait(receiver) => self.wait(tenant, receiver).await,
            Decision::QueueFull => Err(PoolError::QueueFull {
                org: tenant.key.org.clone(),
                limit: tenant.caps.queue.unwrap_or_default(),
            }),
        }
    }

    /// Every worker of an organisation.
    pub fn workers(&self) -> Vec<WorkerEntry> {
        self.lock().ledger.entries()
    }

    /// Workers that belong to nobody yet.
    pub fn spares(&self) -> usize {
        self.lock().spares.len()
    }

    /// Sessions that wait for a worker.
    pub fn waiting(&self) -> usize {
        self.lock().ledger.waiting()
    }

    /// How long a worker may take to start, and to open a session.
    pub fn start_timeout(&self) -> Duration {
        self.shared.limits.start_timeout
    }

    /// Returns while a session waits for a worker: who has one that it can do without should give it back.
    pub async fn pressed(&self) {
        loop {
            let begins = self.shared.pressure.notified();
            if self.waiting() > 0 {
                return;
            }
            begins.await;
        }
    }

    /// The kernel wall as the last worker raised it; `None` before the first.
    pub fn kernel_wall(&self) -> Option<String> {
        self.lock().kernel_wall.clone()
    }

    /// Retires a worker that has no session. Tells whether there was such a one.
    pub fn retire_idle(&self, id: &WorkerId) -> bool {
        let idle = self.lock().ledger.is_idle(id);
        if idle {
            self.give_up(id);
        }
        idle
    }

    /// Retires the idle workers of an organisation whose catalogs `wanted` accepts.
    pub fn retire_idle_of(&self, org: &str, wanted: impl Fn(&TenantKey) -> bool) {
        let idle = self.lock().ledger.idle_workers(|key, _| key.org == org && wanted(key));
        idle.iter().for_each(|id| self.give_up(id));
    }

    async fn wait(&self, tenant: &Tenant, receiver: oneshot::Receiver<Grant<Handle>>) -> Result<Lease, PoolError> {
        let pending = PendingGrant {
            pool: self.clone(),
            tenant: tenant.clone(),
            receiver: Some(receiver),
        };
        match pending.receive(self.shared.limits.queue_timeout).await? {
            Grant::Worker(id, live) => Ok(self.lease(id, live)),
            Grant::Place => self.start(tenant, PlaceGuard::new(self, tenant)).await,
        }
    }

    async fn start(&self, tenant: &Tenant, place: PlaceGuard) -> Result<Lease, PoolError> {
        let limit = self.shared.limits.start_timeout;
        let live = tokio::time::timeout(limit, self.activate_in_turn(tenant))
            .await
            .map_err(|_| PoolError::Slow { limit })??;
        let live: Handle = Arc::from(live);
        let id = live.id().clone();
        {
            let mut inner = self.lock();
            let wall = live.kernel_wall();
            if wall != "up" && inner.kernel_wall.as_deref() != Some(wall) {
                tracing::warn!("kernel isolation: {wall}");
            }
            inner.kernel_wall = Some(wall.to_owned());
            inner.ledger.enter(id.clone(), tenant.key.clone(), Arc::clone(&live));
        }
        place.keep();
        self.shared.metrics.workers_started.inc();
        self.watch(id.clone(), Arc::clone(&live));
        Ok(self.lease(id, live))
    }

    /// One at a time attaches a catalog that no worker has yet: many sessions of a cold catalog would ask its metadata for
    /// the same things at once.
    async fn activate_in_turn(&self, tenant: &Tenant) -> Result<Box<dyn LiveWorker>, PoolError> {
        let Some(first) = tenant.key.catalogs.first() else {
            return self.activate(tenant).await;
        };
        if self.lock().ledger.is_warm(&tenant.key.org, first) {
            return self.activate(tenant).await;
        }
        let name = format!("{}/{first}", tenant.key.org);
        let turn = Arc::clone(lock(&self.shared.cold).entry(name.clone()).or_default());
        let result = {
            let _held = turn.lock().await;
            self.activate(tenant).await
        };
        drop(turn);
        let mut cold = lock(&self.shared.cold);
        if cold.get(&name).is_some_and(|turn| Arc::strong_count(turn) == 1) {
            cold.remove(&name);
        }
        result
    }

    /// A spare becomes the tenant's. One that has died while it waited is passed over; a fresh one is the last that is tried.
    async fn activate(&self, tenant: &Tenant) -> Result<Box<dyn LiveWorker>, PoolError> {
        loop {
            let spare = self.lock().spares.pop_front();
            self.shared.wake.notify_one();
            let Some(spare) = spare else {
                let fresh = self.shared.provider.spawn().await?;
                return self.activate_spare(fresh, tenant).await;
            };
            let id = spare.id().clone();
            match self.activate_spare(spare, tenant).await {
                Ok(live) => return Ok(live),
                Err(error) => tracing::warn!(worker = %id, %error, "a spare worker could not be used"),
            }
        }
    }

    async fn activate_spare(
        &self,
        spare: Box<dyn SpareWorker>,
        tenant: &Tenant,
    ) -> Result<Box<dyn LiveWorker>, PoolError> {
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
            locations: tenant.locations.clone(),
            ports: tenant.ports.clone(),
            memory_limit: tenant.memory_limit,
            threads: tenant.threads,
            standby_max_age_seconds: limits.standby_max_age.as_secs(),
            kernel_wall: limits.kernel_wall,
        };
        let id = spare.id().clone();
        tracing::info!(worker = %id, org = %tenant.key.org, catalogs = ?tenant.key.catalogs, "activating a worker");
        Ok(spare.activate(&bootstrap).await?)
    }

    fn lease(&self, id: WorkerId, live: Handle) -> Lease {
        Lease::new(self.clone(), id, live)
    }

    /// Notices a worker's end while it is idle; a session notices its own worker's end by itself.
    fn watch(&self, id: WorkerId, live: Handle) {
        let pool = self.clone();
        crate::tasks::spawn("worker-watch", async move {
            live.exited().await;
            if pool.lock().ledger.is_idle(&id) {
                tracing::warn!(worker = %id, "an idle worker ended by itself");
                pool.shared.metrics.workers_lost.inc();
                pool.give_up(&id);
            }
        });
    }

    /// A session is over and its worker fit for another.
    fn give_back(&self, id: &WorkerId) {
        let victim = self.lock().ledger.release(id);
        self.observe_waiting();
        if let Some(live) = victim {
            self.retire(live);
        }
    }

    /// A worker is gone or must go; its place is free.
    fn give_up(&self, id: &WorkerId) {
        let live = self.lock().ledger.give_up(id);
        self.observe_waiting();
        if let Some(live) = live {
            self.retire(live);
        }
    }

    fn retire(&self, live: Handle) {
        self.shared.metrics.workers_retired.inc();
        crate::tasks::spawn("worker-retire", async move {
            live.retire(Duration::from_secs(5)).await;
        });
    }

    fn observe_waiting(&self) {
        let waiting = self.lock().ledger.waiting();
        self.shared
            .metrics
            .waiting
            .set(i64::try_from(waiting).unwrap_or(i64::MAX));
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        lock(&self.shared.inner)
    }
}

// No code that can panic runs under these locks.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A place under the ceiling that is free again unless a worker takes it.
struct PlaceGuard(Option<(Pool, TenantKey)>);

impl PlaceGuard {
    fn new(pool: &Pool, tenant: &Tenant) -> Self {
        Self(Some((pool.clone(), tenant.key.clone())))
    }

    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for PlaceGuard {
    fn drop(&mut self) {
        if let Some((pool, key)) = self.0.take() {
            pool.lock().ledger.free_place(&key);
        }
    }
}

/// A waiter's side of its grant: what was granted to a waiter that gave up goes to the next.
struct PendingGrant {
    pool: Pool,
    tenant: Tenant,
    receiver: Option<oneshot::Receiver<Grant<Handle>>>,
}

impl PendingGrant {
    async fn receive(mut self, limit: Duration) -> Result<Grant<Handle>, PoolError> {
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
            Err(_) => Err(self.exhausted(limit)),
        }
    }

    fn exhausted(&self, waited: Duration) -> PoolError {
        let key = &self.tenant.key;
        let held = self.pool.lock().ledger.places_of(&key.org);
        match (self.tenant.caps.workers, &key.exclusive) {
            (Some(limit), _) if held >= limit as usize => PoolError::OrgExhausted {
                org: key.org.clone(),
                waited,
                limit,
            },
            (_, Some(_)) => PoolError::InUse {
                catalog: key.catalogs.first().cloned().unwrap_or_default(),
                waited,
            },
            _ => PoolError::Exhausted {
                waited,
                limit: self.pool.shared.limits.workers_max,
            },
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
            Ok(Grant::Place) => self.pool.lock().ledger.free_place(&self.tenant.key),
            Err(_) => {}
        }
        self.pool.observe_waiting();
    }
}
