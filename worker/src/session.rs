//! The one session of a worker: an instance with a thread of its own, and the handle by which calls reach it.
//!
//! Knows jobs, results and how they are stopped. Knows nothing of Flight's services.

mod control;
mod copy;
mod encoder;
mod ingest;
mod job;
mod keeping;
mod kept;
mod made;
mod origins;
mod outlet;
mod placeholders;
mod render;
mod runner;
mod spool;
mod statement;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arrow_flight::FlightData;
use futures::stream::{self, BoxStream, Stream, StreamExt};
use pintail_worker_api::error::report_of;
use pintail_worker_api::messages::{
    ArrowWanted, CallAnswer, CopyIn, CopyInReady, Execute, OpenSession, Prepare, SessionCall, Want,
};
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::task_tracker::TaskTrackerToken;

use self::control::{Control, Guard, Hand};
pub(crate) use self::copy::Piece as CopyPiece;
use self::copy::{Copy, Piece};
pub(crate) use self::ingest::{Creation, Ingest};
pub(crate) use self::job::Described;
use self::job::{Answer, CopyJob, Early, ExecuteJob, Job};
use self::keeping::Keeping;
use self::kept::Look;
use self::outlet::Outlet;
use self::spool::History;
use crate::engine::desk::Desk;
use crate::engine::instance::Instance;
use crate::error::{Error, StopReason};
use crate::tasks::Tasks;

/// A result's first rows wait so long, at most, for its end to leave in the same message.
const PATIENCE: Duration = Duration::from_millis(5);

/// A statement's time is counted in steps, so that those in which its reader pauses can be left out.
const LEAST_STEP: Duration = Duration::from_millis(5);
/// See [`LEAST_STEP`].
const MOST_STEP: Duration = Duration::from_millis(100);

/// Sequences of statements that the contract's client did not number.
const UNNUMBERED: u64 = 1 << 63;

/// What a session is made with, besides its instance.
pub(crate) struct Settings {
    /// Where results of suspended portals are set aside.
    pub(crate) spool_directory: Arc<Path>,
    /// Told when the engine reports an error of its own.
    pub(crate) broken: Arc<dyn Fn() + Send + Sync>,
    /// Takes what is to be dropped off the session's path.
    pub(crate) discard: Box<dyn FnOnce(Box<dyn Send>) + Send>,
    /// The worker's tasks.
    pub(crate) tasks: Tasks,
}

/// The handle of an open session; cheap to clone through its `Arc`.
pub(crate) struct Session {
    jobs: Sender<Job>,
    control: Arc<Control>,
    desk: Arc<Desk>,
    spool_directory: Arc<Path>,
    tasks: Tasks,
    numbers: AtomicU64,
    kept: Keeping,
    _counted: TaskTrackerToken,
}

/// The messages that answer a statement.
pub(crate) type Messages = BoxStream<'static, Result<FlightData, Error>>;

impl Session {
    /// Starts the session's thread and runs the control plane's set-up.
    pub(crate) async fn open(
        instance: Instance,
        settings: Settings,
        opening: &OpenSession,
    ) -> Result<Arc<Self>, Error> {
        let desk = Arc::clone(&instance.desk);
        let control = Control::new(instance.connection.clone(), Arc::clone(&desk), settings.tasks.clone());
        let control = Arc::new(control);
        let (jobs, inbox) = channel();
        let session = Self {
            jobs,
            control: Arc::clone(&control),
            desk,
            spool_directory: Arc::clone(&settings.spool_directory),
            tasks: settings.tasks.clone(),
            numbers: AtomicU64::new(UNNUMBERED),
            kept: Keeping::default(),
            _counted: settings.tasks.count(),
        };
        runner::start(instance, settings, control, inbox)?;
        let (reply, answer) = oneshot::channel();
        session.submit(Job::Setup {
            sql: opening.setup.clone(),
            catalog: opening.catalog.clone(),
            reply,
        })?;
        answer.await.map_err(|_| gone())??;
        Ok(Arc::new(session))
    }

    /// Runs a statement; the stream ends with the trailer or an error, and dropping it stops the statement.
    pub(crate) async fn execute(&self, mut request: Execute) -> Result<Messages, Error> {
        if request.sequence == 0 {
            request.sequence = self.numbers.fetch_add(1, Ordering::Relaxed);
        }
        if let Some(read) = request.read.take() {
            return self
                .kept
                .read(request.sequence, &read, request.want.take(), request.timeout_ms)
                .await;
        }
        let keep = request.keep.take();
        if keep.is_some() {
            request.want = Some(Want::Arrow(ArrowWanted {}));
        }
        let look = keep.as_ref().map(|_| Arc::<OnceLock<Look>>::default());
        let guard = self.control.enter(request.sequence);
        let deadline = self.watch(request.sequence, request.timeout_ms);
        let early = Arc::new(Early::default());
        let (reply, mut answer) = oneshot::channel();
        let job = ExecuteJob {
            request,
            stop: Arc::clone(&guard.stop),
            early: Arc::clone(&early),
            look: look.clone(),
            reply,
        };
        self.submit(Job::Execute(Box::new(job)))?;
        let mut reading = Reading { guard, deadline };
        let first = loop {
            match tokio::time::timeout(PATIENCE, &mut answer).await {
                Ok(first) => break first.map_err(|_| gone())??,
                Err(_) => {
                    if let Some(outlet) = self.first_rows(&early, &reading) {
                        break Answer::Stream(outlet);
                    }
                }
            }
        };
        if let (Some(keep), Some(look)) = (keep, look) {
            // From here on time is counted for each reading.
            reading.deadline = None;
            let history = keep.rewind.then(|| History::create(&self.spool_directory));
            let history = history.transpose().map_err(Error::Spool)?;
            return self.kept.keep(first, &look, reading, history).await;
        }
        match first {
            Answer::Whole(messages) => Ok(stream::iter(messages.into_iter().map(Ok)).boxed()),
            Answer::Stream(outlet) => Ok(stream_of(outlet, reading)),
        }
    }

    /// Prepares a statement.
    pub(crate) async fn prepare(&self, request: Prepare) -> Result<Described, Error> {
        let guard = self.control.enter(self.numbers.fetch_add(1, Ordering::Relaxed));
        let (reply, answer) = oneshot::channel();
        self.submit(Job::Prepare {
            request,
            stop: Arc::clone(&guard.stop),
            sequence: guard.sequence(),
            reply,
        })?;
        answer.await.map_err(|_| gone())?
    }

    /// Loads batches into a table; the number of rows.
    pub(crate) async fn ingest(&self, ingest: Ingest) -> Result<u64, Error> {
        let guard = self.control.enter(self.numbers.fetch_add(1, Ordering::Relaxed));
        let (reply, answer) = oneshot::channel();
        let (ingest, stop, sequence) = (Box::new(ingest), Arc::clone(&guard.stop), guard.sequence());
        self.submit(Job::Ingest {
            ingest,
            stop,
            sequence,
            reply,
        })?;
        answer.await.map_err(|_| gone())?
    }

    /// Begins a `COPY … FROM STDIN`; returns when the table is found and rows can come.
    pub(crate) async fn copy_in(&self, mut request: CopyIn) -> Result<CopyRun, Error> {
        if request.sequence == 0 {
            request.sequence = self.numbers.fetch_add(1, Ordering::Relaxed);
        }
        let guard = self.control.enter(request.sequence);
        let deadline = self.watch(request.sequence, request.timeout_ms);
        let (copy, pieces, ready) = Copy::new(request);
        let (reply, answer) = oneshot::channel();
        let stop = Arc::clone(&guard.stop);
        self.submit(Job::Copy(Box::new(CopyJob { copy, stop, reply })))?;
        let reading = Reading { guard, deadline };
        match ready.await {
            Ok(ready) => Ok(CopyRun {
                ready,
                pieces,
                answer,
                _reading: reading,
            }),
            Err(_) => Err(answer.await.map_err(|_| gone())?.err().unwrap_or_else(gone)),
        }
    }

    /// Frees a prepared statement; takes effect after what runs now.
    pub(crate) fn close_statement(&self, handle: u64) -> Result<(), Error> {
        self.submit(Job::CloseStatement { handle })
    }

    /// Frees a kept result.
    pub(crate) fn close_kept(&self, result: u64) {
        self.kept.close(result);
    }

    /// Stops the statement of that number, if it waits, runs or streams.
    pub(crate) fn cancel(&self, sequence: u64) {
        self.control.stop(self.kept.behind(sequence), StopReason::Request);
    }

    /// Takes the calls that statements wait for, in place of whoever took them before.
    pub(crate) fn calls(&self) -> mpsc::UnboundedReceiver<SessionCall> {
        self.desk.listen()
    }

    /// Answers a call.
    pub(crate) fn answer(&self, answer: CallAnswer) {
        let outcome = match answer.error {
            Some(error) => Err(report_of(error)),
            None => Ok(answer.value),
        };
        self.desk.answer(answer.id, outcome);
    }

    /// How long the session was not used; `None` while a statement is being answered.
    pub(crate) fn idle_for(&self) -> Option<Duration> {
        self.control.idle_for()
    }

    /// Ends the session: what runs is stopped, then the thread ends and the instance goes.
    pub(crate) fn close(&self, reason: StopReason) {
        self.control.stop_all(reason);
        self.kept.close_all();
        self.desk.hang_up();
        // A thread that is gone needs no order.
        let _ = self.jobs.send(Job::End);
    }

    fn submit(&self, job: Job) -> Result<(), Error> {
        self.jobs.send(job).map_err(|_| gone())
    }

    /// Turns an answer whose first rows are there, but not its end, into a stream.
    fn first_rows(&self, early: &Early, reading: &Reading) -> Option<Arc<Outlet>> {
        early.take_over(|| {
            let outlet = Arc::new(Outlet::new(Arc::clone(&self.spool_directory)));
            self.control.attach(reading.guard.sequence(), &outlet);
            outlet
        })
    }

    fn watch(&self, sequence: u64, timeout_ms: u64) -> Option<Deadline> {
        if timeout_ms == 0 {
            return None;
        }
        let control = Arc::clone(&self.control);
        let mut left = Duration::from_millis(timeout_ms);
        let step = (left / 10).clamp(LEAST_STEP, MOST_STEP);
        let task = self.tasks.spawn(async move {
            while !left.is_zero() {
                tokio::time::sleep(step.min(left)).await;
                match control.hand(sequence) {
                    Hand::Engine => left = left.saturating_sub(step),
                    Hand::Reader => {}
                    Hand::Nobody => return,
                }
            }
            control.stop(sequence, StopReason::Timeout);
        });
        Some(Deadline(task))
    }
}

/// A `COPY … FROM STDIN` that runs; dropping it stops it with nothing stored.
pub(crate) struct CopyRun {
    /// What the control plane is told first.
    pub(crate) ready: CopyInReady,
    pieces: mpsc::Sender<Piece>,
    answer: oneshot::Receiver<Result<u64, Error>>,
    _reading: Reading,
}

impl CopyRun {
    /// Hands over the data as it comes, and waits for the number of rows stored; an error is told as soon as it is there.
    pub(crate) async fn feed(mut self, data: impl Stream<Item = Result<Piece, Error>>) -> Result<u64, Error> {
        let pieces = self.pieces;
        let pump = async move {
            tokio::pin!(data);
            while let Some(piece) = data.next().await {
                let piece = piece?;
                let is_last = !matches!(piece, Piece::Data(_));
                // A COPY that failed reads no further; its own error is told.
                if pieces.send(piece).await.is_err() || is_last {
                    break;
                }
            }
            Ok(())
        };
        tokio::pin!(pump);
        let pumped: Result<(), Error> = tokio::select! {
            biased;
            answer = &mut self.answer => return answer.map_err(|_| gone())?,
            pumped = &mut pump => pumped,
        };
        pumped?;
        self.answer.await.map_err(|_| gone())?
    }
}

/// What must live as long as an answer is read.
struct Reading {
    guard: Guard,
    deadline: Option<Deadline>,
}

struct Deadline(tokio::task::AbortHandle);

impl Drop for Deadline {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn stream_of(outlet: Arc<Outlet>, reading: Reading) -> Messages {
    stream::unfold((outlet, reading), |(outlet, reading)| async move {
        let message = outlet.next().await?;
        Some((message, (outlet, reading)))
    })
    .boxed()
}

fn gone() -> Error {
    Error::Internal("the session's thread is gone".to_owned())
}
