//! The session's own thread: takes jobs one after the other and drives the engine.
//!
//! Small results are rendered here and leave in one message; what grows beyond a frame is handed to the encoder, and this
//! thread only fetches. A result is always run to its end or stopped before the next job is taken: if its reader pauses,
//! its outlet sets the rest aside.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Instant;

use pintail_worker_api::messages::{Execute, Prepare, Want};
use tokio::sync::oneshot;

use super::Settings;
use super::control::{Control, Stop};
use super::copy::CopyPlace;
use super::encoder::Encoder;
use super::job::{Answer, CopyJob, Described, Early, ExecuteJob, Job};
use super::kept::Look;
use super::origins::Tables;
use super::outlet::Outlet;
use super::render::{self, FRAME, Renderer, count_only};
use super::statement::{Bench, Statement, run_setup};
use crate::dies::{self, Point};
use crate::engine::Returns;
use crate::engine::capi::feed::Feeder;
use crate::engine::capi::{ArrowOptions, Chunk, Connection, ResultSet};
use crate::engine::desk::{Cut, Desk};
use crate::engine::instance::{Instance, start_in};
use crate::engine::mapping;
use crate::error::{Error, StopReason};

struct Runner {
    connection: Connection,
    desk: Arc<Desk>,
    arrow: Arc<ArrowOptions>,
    statements: HashMap<u64, Statement>,
    tables: Tables,
    next_handle: u64,
    control: Arc<Control>,
    encoder: Encoder,
    feeder: Feeder,
    spool_directory: Arc<std::path::Path>,
    broken: Arc<dyn Fn() + Send + Sync>,
}

/// A statement that began.
enum Begun {
    /// It returns no rows; the number it changed.
    Count(u64),
    /// Rows come.
    Rows(Box<Renderer>, ResultSet),
}

/// Starts the thread of a session; it ends with [`Job::End`] or when the session's handle is gone.
pub(crate) fn start(
    instance: Instance,
    settings: Settings,
    control: Arc<Control>,
    inbox: Receiver<Job>,
) -> Result<(), Error> {
    let Settings {
        spool_directory,
        broken,
        discard,
        ..
    } = settings;
    let Instance {
        connection,
        arrow,
        feeder,
        desk,
        ..
    } = instance;
    let runner = Runner {
        connection,
        desk,
        arrow: Arc::new(arrow),
        statements: HashMap::new(),
        tables: Tables::default(),
        next_handle: 1,
        control,
        encoder: Encoder::start()?,
        feeder,
        spool_directory,
        broken,
    };
    let body = move || {
        let mut runner = runner;
        let outcome = catch_unwind(AssertUnwindSafe(|| runner.work(&inbox)));
        if outcome.is_err() {
            (runner.broken)();
        }
        discard(Box::new(runner));
    };
    let started = thread::Builder::new().name("session".to_owned()).spawn(body);
    started.map(drop).map_err(|source| Error::Io {
        what: "cannot start a thread".to_owned(),
        source,
    })
}

impl Runner {
    fn work(&mut self, inbox: &Receiver<Job>) {
        while let Ok(job) = inbox.recv() {
            match job {
                Job::Execute(job) => self.execute(*job),
                Job::Prepare {
                    request,
                    stop,
                    sequence,
                    reply,
                } => {
                    let outcome = self
                        .control
                        .begin(sequence, &stop)
                        .and_then(|()| self.prepare(&request));
                    self.control.end();
                    self.answer(reply, outcome);
                }
                Job::Ingest {
                    ingest,
                    stop,
                    sequence,
                    reply,
                } => {
                    let outcome = self
                        .control
                        .begin(sequence, &stop)
                        .and_then(|()| ingest.run(&self.connection));
                    self.control.end();
                    self.answer(reply, outcome.map_err(|error| self.explained(error, &stop)));
                }
                Job::Copy(job) => self.copy(*job),
                Job::CloseStatement { handle } => drop(self.statements.remove(&handle)),
                Job::Setup { sql, catalog, reply } => {
                    let outcome = self.set_up(&sql, &catalog);
                    self.answer(reply, outcome);
                }
                Job::End => return,
            }
        }
    }

    fn copy(&mut self, job: CopyJob) {
        let CopyJob { copy, stop, reply } = job;
        let place = CopyPlace {
            connection: &self.connection,
            arrow: &self.arrow,
            feeder: &self.feeder,
            spool_directory: &self.spool_directory,
        };
        let outcome = match self.control.begin(copy.request.sequence, &stop) {
            Ok(()) => copy.run(place, &stop),
            Err(error) => Err(error),
        };
        self.control.end();
        self.answer(reply, outcome.map_err(|error| self.explained(error, &stop)));
    }

    fn set_up(&mut self, sql: &[String], catalog: &str) -> Result<(), Error> {
        if !catalog.is_empty() {
            start_in(&self.connection, catalog)?;
        }
        sql.iter().try_for_each(|sql| run_setup(&self.connection, sql))
    }

    fn prepare(&mut self, request: &Prepare) -> Result<Described, Error> {
        self.desk.begin(HashMap::new());
        let bench = Bench {
            connection: &self.connection,
            arrow: &self.arrow,
        };
        let mut statement = Statement::prepare(bench, &request.sql, &request.param_oids)?;
        let origins = self.tables.resolve(bench, request.origins.as_ref());
        statement.announce(&request.column_oids, origins);
        let handle = self.next_handle;
        let mut description = statement.describe(handle, bench)?;
        description.relations = self.desk.bound();
        self.next_handle += 1;
        let schema = statement.schema();
        self.statements.insert(handle, statement);
        Ok(Described { description, schema })
    }

    fn execute(&mut self, job: ExecuteJob) {
        let ExecuteJob {
            request,
            stop,
            early,
            look,
            reply,
        } = job;
        let started = Instant::now();
        let begun = match self.control.begin(request.sequence, &stop) {
            Ok(()) => self.begin_with_relations(&request, look.as_deref()),
            Err(error) => Err(error),
        };
        match begun {
            Ok(Begun::Rows(renderer, result)) => {
                let flow = Flow {
                    sequence: request.sequence,
                    started,
                    stop: &stop,
                    early: &early,
                };
                self.rows(&flow, reply, renderer, result);
            }
            Ok(Begun::Count(count)) => {
                self.control.end();
                let messages = count_only(request.want.as_ref(), count, micros(started));
                self.answer(reply, Ok(Answer::Whole(messages)));
            }
            Err(error) => {
                self.control.end();
                self.answer(reply, Err(self.explained(error, &stop)));
            }
        }
    }

    /// Begins a statement, unless it reads relations that it did not bring: before it runs, or where that shows only then.
    fn begin_with_relations(&mut self, request: &Execute, look: Option<&OnceLock<Look>>) -> Result<Begun, Error> {
        let mut relations = HashMap::with_capacity(request.relations.len());
        for relation in &request.relations {
            let columns = relation
                .texts()
                .map_err(|error| Error::BadRequest(format!("malformed relation: {error}")))?;
            relations.insert(relation.name.clone(), Arc::new(columns));
        }
        self.desk.begin(relations);
        self.begin(request, look).map_err(|error| match self.desk.missing() {
            missing if missing.is_empty() => error,
            missing => Error::Needs(missing),
        })
    }

    fn begin(&mut self, request: &Execute, look: Option<&OnceLock<Look>>) -> Result<Begun, Error> {
        let wanted = match &request.want {
            Some(Want::Rows(wanted)) => Some(wanted),
            Some(Want::Copy(wanted)) => wanted.rows.as_ref(),
            Some(Want::Arrow(_)) | None => None,
        };
        let settings = render::settings(wanted)?;
        let mut adhoc;
        let statement = if request.handle == 0 {
            let bench = Bench {
                connection: &self.connection,
                arrow: &self.arrow,
            };
            adhoc = Statement::prepare_last(bench, &request.sql, &request.param_oids)?;
            match &mut adhoc {
                Some(statement) => {
                    let origins = self.tables.resolve(bench, request.origins.as_ref());
                    statement.announce(&request.column_oids, origins);
                    statement
                }
                None => return Ok(Begun::Count(0)),
            }
        } else {
            self.statements
                .get_mut(&request.handle)
                .ok_or(Error::UnknownStatement(request.handle))?
        };
        let missing = self.desk.missing();
        if !missing.is_empty() {
            return Err(Error::Needs(missing));
        }
        let (statement_type, is_transaction_control) = statement.kind();
        self.tables.note(statement_type, is_transaction_control);
        dies::at(Point::Request, &request.sql);
        let mut result = statement.execute(&request.params, &settings)?;
        dies::at(Point::Done, &request.sql);
        match result.returns() {
            Returns::Changed => Ok(Begun::Count(result.rows_changed())),
            Returns::Nothing => {
                let made = super::made::rows(statement, &mut result, &self.arrow)?;
                Ok(Begun::Count(made))
            }
            Returns::Rows => {
                let shape = statement.shape_of(&mut result, &self.arrow)?;
                if let Some(look) = look {
                    let (shape, arrow) = (Arc::clone(&shape), Arc::clone(&self.arrow));
                    let _ = look.set(Look { shape, arrow });
                }
                let renderer = Renderer::new(request.want.as_ref(), &settings, shape, Arc::clone(&self.arrow))?;
                Ok(Begun::Rows(Box::new(renderer), result))
            }
        }
    }

    /// Fetches and renders rows until the result ends, or is so large or slow that the encoder takes over.
    fn rows(&mut self, flow: &Flow<'_>, reply: Reply, mut renderer: Box<Renderer>, mut result: ResultSet) {
        let outcome = loop {
            let lent = flow.early.lend(renderer, || flow.fetch(&mut result));
            renderer = lent.renderer;
            if let Some(outlet) = lent.outlet {
                return self.hand_over(flow, renderer, result, &outlet, lent.outcome);
            }
            match lent.outcome {
                Ok(Some(chunk)) => {
                    if let Err(error) = renderer.add(&chunk) {
                        break Err(error);
                    }
                }
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
            if renderer.size() >= FRAME {
                let outlet = self.open_outlet(flow, reply);
                let next = flow.fetch(&mut result);
                return self.hand_over(flow, renderer, result, &outlet, next);
            }
        };
        drop(result);
        self.control.end();
        let whole = outcome.and_then(|()| {
            renderer.finish(micros(flow.started))?;
            Ok(Answer::Whole(renderer.take()))
        });
        self.answer(reply, whole.map_err(|error| self.explained(error, flow.stop)));
    }

    /// Answers with a stream.
    fn open_outlet(&self, flow: &Flow<'_>, reply: Reply) -> Arc<Outlet> {
        let outlet = Arc::new(Outlet::new(Arc::clone(&self.spool_directory)));
        self.control.attach(flow.sequence, &outlet);
        if reply.send(Ok(Answer::Stream(Arc::clone(&outlet)))).is_err() {
            outlet.stop(StopReason::Dropped);
        }
        outlet
    }

    /// Fetches the rest of a result for the encoder; `fetched` is what came last.
    fn hand_over(
        &mut self,
        flow: &Flow<'_>,
        renderer: Box<Renderer>,
        mut result: ResultSet,
        outlet: &Arc<Outlet>,
        mut fetched: Fetched,
    ) {
        self.encoder.begin(renderer, Arc::clone(outlet));
        let outcome = loop {
            match fetched {
                Ok(Some(_)) if outlet.is_unwanted() => break Err(Error::Stopped(StopReason::Dropped)),
                Ok(Some(chunk)) => self.encoder.chunk(chunk),
                Ok(None) => break Ok(micros(flow.started)),
                Err(error) => break Err(error),
            }
            fetched = flow.fetch(&mut result);
        };
        drop(result);
        self.control.end();
        let outcome = outcome.map_err(|error| self.explained(error, flow.stop));
        self.note(outcome.as_ref().err());
        self.encoder.end(outcome);
    }

    /// An interruption is told with the reason for which it was made, a failed call with what it said.
    fn explained(&self, error: Error, stop: &Stop) -> Error {
        match (self.desk.take_cut(), error, stop.reason()) {
            (Some(Cut::Failed(report)), ..) => Error::Statement { report, broken: false },
            (Some(Cut::Interrupted), _, reason) => Error::Stopped(reason.unwrap_or(StopReason::Request)),
            (None, Error::Stopped(_), Some(reason)) => Error::Stopped(reason),
            (None, error, _) => error,
        }
    }

    fn answer<T>(&self, reply: oneshot::Sender<Result<T, Error>>, outcome: Result<T, Error>) {
        self.note(outcome.as_ref().err());
        // Whoever asked may have gone.
        let _ = reply.send(outcome);
    }

    fn note(&self, error: Option<&Error>) {
        if error.is_some_and(Error::broken) {
            (self.broken)();
        }
    }
}

/// What belongs to one statement while its rows flow.
struct Flow<'a> {
    sequence: u64,
    started: Instant,
    stop: &'a Stop,
    early: &'a Early,
}

type Reply = oneshot::Sender<Result<Answer, Error>>;
type Fetched = Result<Option<Chunk>, Error>;

impl Flow<'_> {
    /// The next rows, unless the statement was stopped.
    fn fetch(&self, result: &mut ResultSet) -> Fetched {
        let chunk = result.fetch().map_err(|failure| mapping::to_error(&failure, ""))?;
        self.stop
            .reason()
            .map_or(Ok(chunk), |reason| Err(Error::Stopped(reason)))
    }
}

fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}
