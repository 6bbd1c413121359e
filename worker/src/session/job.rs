//! What the session's thread is asked to do, and how it answers.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use arrow_flight::FlightData;
use arrow_schema::SchemaRef;
use pintail_worker_api::messages::{Execute, Prepare, Prepared};
use tokio::sync::oneshot;

use super::control::Stop;
use super::copy::Copy;
use super::ingest::Ingest;
use super::kept::Look;
use super::outlet::Outlet;
use super::render::Renderer;
use crate::error::Error;

/// One order for the session's thread.
pub(crate) enum Job {
    /// Run a statement.
    Execute(Box<ExecuteJob>),
    /// Prepare a statement.
    Prepare {
        /// The statement.
        request: Prepare,
        /// Set when nobody waits any more.
        stop: Arc<Stop>,
        /// The number under which it is registered.
        sequence: u64,
        /// Where the answer goes.
        reply: oneshot::Sender<Result<Described, Error>>,
    },
    /// Load batches into a table.
    Ingest {
        /// What and where.
        ingest: Box<Ingest>,
        /// Set when nobody waits any more.
        stop: Arc<Stop>,
        /// The number under which it is registered.
        sequence: u64,
        /// Where the number of rows goes.
        reply: oneshot::Sender<Result<u64, Error>>,
    },
    /// Load the rows of a `COPY`.
    Copy(Box<CopyJob>),
    /// Free a statement.
    CloseStatement {
        /// Its handle.
        handle: u64,
    },
    /// Run the control plane's set-up.
    Setup {
        /// Texts to run.
        sql: Vec<String>,
        /// The catalog to start in; empty for the first.
        catalog: String,
        /// Told when it is done.
        reply: oneshot::Sender<Result<(), Error>>,
    },
    /// End.
    End,
}

/// A prepared statement, as described.
pub(crate) struct Described {
    /// For the contract.
    pub(crate) description: Prepared,
    /// For Arrow clients; without fields where no rows come.
    pub(crate) schema: SchemaRef,
}

/// A statement to run.
pub(crate) struct ExecuteJob {
    /// As it came.
    pub(crate) request: Execute,
    /// Set when it is to stop.
    pub(crate) stop: Arc<Stop>,
    /// First rows that wait for the end.
    pub(crate) early: Arc<Early>,
    /// Told what the rows look like, where they are kept.
    pub(crate) look: Option<Arc<OnceLock<Look>>>,
    /// Where the answer goes.
    pub(crate) reply: oneshot::Sender<Result<Answer, Error>>,
}

/// A `COPY … FROM STDIN` to run.
pub(crate) struct CopyJob {
    /// What and where.
    pub(crate) copy: Copy,
    /// Set when it is to stop.
    pub(crate) stop: Arc<Stop>,
    /// Where the number of rows goes.
    pub(crate) reply: oneshot::Sender<Result<u64, Error>>,
}

/// The answer to a statement.
pub(crate) enum Answer {
    /// All of it.
    Whole(Vec<FlightData>),
    /// It comes through the outlet.
    Stream(Arc<Outlet>),
}

/// First rows of a result whose end is not known yet: the engine's thread hopes to send both in one message, and whoever
/// waits for the answer loses patience first if the end does not come.
#[derive(Default)]
pub(crate) struct Early(Mutex<EarlyState>);

/// What comes back from [`Early::lend`].
pub(crate) struct Lent<T> {
    /// The renderer.
    pub(crate) renderer: Box<Renderer>,
    /// The outlet, if the answer was taken over.
    pub(crate) outlet: Option<Arc<Outlet>>,
    /// What the work gave.
    pub(crate) outcome: T,
}

#[derive(Default)]
struct EarlyState {
    renderer: Option<Box<Renderer>>,
    outlet: Option<Arc<Outlet>>,
}

impl Early {
    /// Lends the renderer with its first rows while `work` goes on; gives it back with the outlet, if the answer was taken
    /// over meanwhile.
    pub(crate) fn lend<T>(&self, renderer: Box<Renderer>, work: impl FnOnce() -> T) -> Lent<T> {
        self.lock().renderer = Some(renderer);
        let outcome = work();
        let mut state = self.lock();
        let Some(renderer) = state.renderer.take() else {
            unreachable!("only this function takes the renderer")
        };
        Lent {
            renderer,
            outlet: state.outlet.take(),
            outcome,
        }
    }

    /// Takes the answer over if rows were deposited.
    pub(crate) fn take_over(&self, outlet: impl FnOnce() -> Arc<Outlet>) -> Option<Arc<Outlet>> {
        let mut state = self.lock();
        let renderer = state.renderer.as_mut().filter(|renderer| renderer.size() > 0)?;
        renderer.flush();
        let outlet = outlet();
        for message in renderer.take() {
            // An empty outlet has room; a stopped one needs nothing.
            let _ = outlet.push(message);
        }
        state.outlet = Some(Arc::clone(&outlet));
        Some(outlet)
    }

    fn lock(&self) -> MutexGuard<'_, EarlyState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
