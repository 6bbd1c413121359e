//! The worker's state: its standby, its one session, and whether the engine is still to be trusted.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pintail_worker_api::messages::{OpenSession, SessionOpened, WorkerStatus};

use crate::engine::instance::{Blueprint, Instance};
use crate::engine::standby::Standbys;
use crate::error::{Error, StopReason};
use crate::session::{self, Session};
use crate::tasks::Tasks;

/// A stock client's session ends after this time without a call.
const IDLE: Duration = Duration::from_mins(5);

/// One organisation's worker.
pub(crate) struct Worker {
    name: String,
    kernel_wall: String,
    spool_directory: Arc<Path>,
    standby: Arc<Standbys>,
    slot: Mutex<Slot>,
    broken: Arc<AtomicBool>,
    tasks: Tasks,
}

/// The worker's one session.
enum Slot {
    /// None; left by `open`.
    Idle,
    /// One is being opened; left when that succeeds or fails.
    Opening,
    /// Open; left by `close`.
    Open(Arc<Session>),
}

impl Worker {
    /// A worker whose first standby instance is being built.
    pub(crate) fn start(blueprint: Blueprint, kernel_wall: String, tasks: Tasks) -> Result<Self, Error> {
        let name = blueprint.bootstrap.worker_id.clone();
        let spool_directory = Arc::from(blueprint.bootstrap.temp_dir.as_path());
        let standby = Arc::new(Standbys::start(blueprint)?);
        let (slot, broken) = (Mutex::new(Slot::Idle), Arc::default());
        Ok(Self {
            name,
            kernel_wall,
            spool_directory,
            standby,
            slot,
            broken,
            tasks,
        })
    }

    /// Opens the session. Not cancel safe: dropped half-way it leaves the slot taken.
    pub(crate) async fn open(&self, opening: &OpenSession) -> Result<SessionOpened, Error> {
        {
            let mut slot = self.lock();
            if !matches!(*slot, Slot::Idle) {
                return Err(Error::SessionOpen);
            }
            *slot = Slot::Opening;
        }
        match self.open_in_slot(opening).await {
            Ok((session, opened)) => {
                *self.lock() = Slot::Open(session);
                self.standby.refill();
                Ok(opened)
            }
            Err(error) => {
                *self.lock() = Slot::Idle;
                Err(error)
            }
        }
    }

    async fn open_in_slot(&self, opening: &OpenSession) -> Result<(Arc<Session>, SessionOpened), Error> {
        let instance = self.take_instance().await?;
        let opened = SessionOpened {
            external_access: instance.external_access,
            configuration_locked: instance.configuration_locked,
            kernel_wall: self.kernel_wall.clone(),
            worker_id: self.name.clone(),
        };
        let (standby, broken) = (Arc::clone(&self.standby), Arc::clone(&self.broken));
        let settings = session::Settings {
            spool_directory: Arc::clone(&self.spool_directory),
            broken: Arc::new(move || broken.store(true, Ordering::Release)),
            discard: Box::new(move |value| standby.discard(value)),
            tasks: self.tasks.clone(),
        };
        let session = Session::open(instance, settings, opening).await?;
        tracing::info!(session = opening.session_id, "session opened");
        Ok((session, opened))
    }

    async fn take_instance(&self) -> Result<Instance, Error> {
        let standby = Arc::clone(&self.standby);
        let taken = tokio::task::spawn_blocking(move || standby.take()).await;
        taken.map_err(|_| Error::Internal("taking the standby instance panicked".to_owned()))?
    }

    /// Ends the session, if there is one.
    pub(crate) fn close(&self, reason: StopReason) {
        let mut slot = self.lock();
        if let Slot::Open(session) = &*slot {
            session.close(reason);
            *slot = Slot::Idle;
            tracing::info!("session closed");
        }
    }

    /// The open session.
    pub(crate) fn session(&self) -> Result<Arc<Session>, Error> {
        match &*self.lock() {
            Slot::Open(session) => Ok(Arc::clone(session)),
            Slot::Idle | Slot::Opening => Err(Error::NoSession),
        }
    }

    /// The open session, or a new one for a client that knows only standard Flight SQL.
    pub(crate) async fn session_or_open(self: &Arc<Self>) -> Result<Arc<Session>, Error> {
        if let Ok(session) = self.session() {
            return Ok(session);
        }
        let opening = OpenSession {
            session_id: "flight-sql".to_owned(),
            ..OpenSession::default()
        };
        match self.open(&opening).await {
            Ok(_) => {
                let session = self.session()?;
                self.close_when_idle(&session);
                Ok(session)
            }
            Err(Error::SessionOpen) => self.session(),
            Err(error) => Err(error),
        }
    }

    /// Nobody ends the session of a stock client, so it ends when it was not used for a while.
    fn close_when_idle(self: &Arc<Self>, session: &Arc<Session>) {
        let (worker, session) = (Arc::clone(self), Arc::downgrade(session));
        self.tasks.spawn(async move {
            loop {
                tokio::time::sleep(IDLE / 10).await;
                let Some(session) = session.upgrade() else { return };
                let is_current = worker.session().is_ok_and(|current| Arc::ptr_eq(&current, &session));
                if is_current && session.idle_for().is_some_and(|time| time > IDLE) {
                    worker.close(StopReason::Request);
                    return;
                }
            }
        });
    }

    /// The worker's account of itself.
    pub(crate) fn status(&self) -> WorkerStatus {
        WorkerStatus {
            worker_id: self.name.clone(),
            busy: !matches!(*self.lock(), Slot::Idle),
            broken: self.broken.load(Ordering::Acquire),
            standby_ready: self.standby.is_ready(),
            kernel_wall: self.kernel_wall.clone(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
