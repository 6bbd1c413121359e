//! The process: spare, activated, walled in, serving, drained.
//!
//! Everything up to the kernel wall happens on one thread, because the wall binds the thread that raises it and the
//! threads started afterwards.

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use pintail_worker_api::bootstrap::{Bootstrap, WorkerEvent};
use tokio::io::AsyncReadExt;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::engine::instance::{Blueprint, PLACEHOLDER, make_catalog_file};
use crate::error::{Error, StopReason};
use crate::extensions::Extensions;
use crate::flight;
use crate::kernel_wall::{self, Allowance};
use crate::left_out::LeftOut;
use crate::tasks::Tasks;
use crate::worker::Worker;

/// What runs at SIGTERM may go on for this long.
const DRAIN: Duration = Duration::from_secs(25);

/// A Pintail worker: one `DuckDB` session at a time for one organisation. Started by `pintail`, not by hand.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Arguments {
    /// Directory of the engine's extension files.
    #[arg(long, value_name = "DIR")]
    extension_dir: PathBuf,
    /// Checksum of an extension file; the directory's SHA256SUMS serves where none is given.
    #[arg(long = "extension", value_name = "NAME=SHA256", value_parser = pin)]
    extensions: Vec<(String, String)>,
    /// A file made by `--make-catalog-file`, so that instances need not make the catalogs' views themselves.
    #[arg(long, value_name = "FILE")]
    catalog_file: Option<PathBuf>,
    /// Makes that file and ends.
    #[arg(long, value_name = "FILE", conflicts_with = "catalog_file")]
    make_catalog_file: Option<PathBuf>,
}

fn pin(text: &str) -> Result<(String, String), String> {
    let (name, sum) = text.split_once('=').ok_or("expected name=sha256")?;
    Ok((name.to_owned(), sum.to_owned()))
}

/// Runs the worker until its parent is gone or it was told to stop. The error was already told to the parent.
pub fn run(arguments: &Arguments) -> Result<(), Error> {
    let outcome = start(arguments);
    if let Err(error) = &outcome {
        let reason = match error {
            Error::Start(reason) => reason.clone(),
            other => other.to_string(),
        };
        tell(&WorkerEvent::Failed { reason });
    }
    outcome
}

fn start(arguments: &Arguments) -> Result<(), Error> {
    if let Some(file) = &arguments.make_catalog_file {
        return make_catalog_file(file);
    }
    let extensions = Extensions::verify(&arguments.extension_dir, &arguments.extensions)?;
    let catalog_file = absolute(arguments.catalog_file.as_deref())?;
    tell(&WorkerEvent::Spare);
    let Some(bootstrap) = read_bootstrap()? else {
        return Ok(());
    };
    empty(&bootstrap.temp_dir)?;
    enter(bootstrap.socket.parent().unwrap_or(&bootstrap.temp_dir))?;
    let wall = kernel_wall::raise(
        bootstrap.kernel_wall,
        &Allowance::of(&bootstrap, &extensions, catalog_file.as_deref()),
    )?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| Error::Io {
            what: "cannot start the runtime".to_owned(),
            source,
        })?;
    let blueprint = Blueprint {
        bootstrap,
        extensions,
        catalog_file,
        left_out: LeftOut::from_environment(),
    };
    let outcome = runtime.block_on(serve(blueprint, wall.state.clone()));
    // Standard input is read on a thread that only the parent can wake; the process does not wait for it.
    runtime.shutdown_background();
    outcome
}

/// `None` where the parent closed the pipe instead.
fn read_bootstrap() -> Result<Option<Bootstrap>, Error> {
    let mut line = String::new();
    let count = std::io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|source| Error::Io {
            what: "cannot read the bootstrap".to_owned(),
            source,
        })?;
    if count == 0 {
        return Ok(None);
    }
    // The error's text may quote the document, which holds secrets, so only its place is told.
    let malformed =
        |error: serde_json::Error| Error::Start(format!("malformed bootstrap at column {}", error.column()));
    serde_json::from_str(&line).map(Some).map_err(malformed)
}

/// A path of the command line, as it is before the process enters another directory.
fn absolute(path: Option<&Path>) -> Result<Option<PathBuf>, Error> {
    let absolute = path.map(std::path::absolute).transpose();
    absolute.map_err(|source| Error::Io {
        what: "cannot find the catalogs' file".to_owned(),
        source,
    })
}

/// What the engine itself names by a relative path lies in a directory of the worker's own, which SQL may not use.
fn enter(directory: &Path) -> Result<(), Error> {
    let entered = std::env::set_current_dir(directory);
    // Once it is a directory, SQL cannot make a file of that name.
    let made = entered.and_then(|()| std::fs::create_dir_all(PLACEHOLDER));
    made.map_err(|source| Error::Io {
        what: "cannot enter the worker's directory".to_owned(),
        source,
    })
}

fn empty(directory: &Path) -> Result<(), Error> {
    let failed = |source| Error::Io {
        what: "cannot empty the temporary directory".to_owned(),
        source,
    };
    std::fs::create_dir_all(directory).map_err(failed)?;
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_dir() {
            std::fs::remove_dir_all(entry.path())
        } else {
            std::fs::remove_file(entry.path())
        }
        .map_err(failed)?;
    }
    Ok(())
}

async fn serve(blueprint: Blueprint, kernel_wall: String) -> Result<(), Error> {
    let tasks = Tasks::default();
    let (socket, token) = (blueprint.bootstrap.socket.clone(), blueprint.bootstrap.token.clone());
    let listener = flight::listen(&socket)?;
    let worker = Arc::new(Worker::start(blueprint, kernel_wall.clone(), tasks.clone())?);
    let stop = CancellationToken::new();
    watch_signals(&tasks, &stop)?;
    watch_parent(&tasks, Arc::clone(&worker), stop.clone());
    tell(&WorkerEvent::Serving { kernel_wall });
    let draining = stop.clone();
    let deadline = async move {
        draining.cancelled().await;
        tokio::time::sleep(DRAIN).await;
    };
    let outcome = tokio::select! {
        served = flight::serve(listener, Arc::clone(&worker), &token, stop) => served,
        () = deadline => Ok(()),
    };
    worker.close(StopReason::Shutdown);
    tasks.token().cancel();
    // The socket's name is of no use any more; a failure to remove it harms nobody.
    let _ = std::fs::remove_file(&socket);
    outcome
}

fn watch_signals(tasks: &Tasks, stop: &CancellationToken) -> Result<(), Error> {
    let failed = |source| Error::Io {
        what: "cannot watch signals".to_owned(),
        source,
    };
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let stop = stop.clone();
    tasks.spawn(async move {
        terminate.recv().await;
        stop.cancel();
    });
    Ok(())
}

/// Standard input ends when the parent is gone: everything is stopped at once.
fn watch_parent(tasks: &Tasks, worker: Arc<Worker>, stop: CancellationToken) {
    tasks.spawn(async move {
        let mut byte = [0; 64];
        let mut input = tokio::io::stdin();
        while matches!(input.read(&mut byte).await, Ok(count) if count > 0) {}
        worker.close(StopReason::Shutdown);
        stop.cancel();
    });
}

/// Writes an event as a line on standard output, which the parent reads.
fn tell(event: &WorkerEvent) {
    let Ok(mut line) = serde_json::to_string(event) else {
        return;
    };
    line.push('\n');
    let mut output = std::io::stdout().lock();
    // A parent that does not read is gone, which standard input will say too.
    let _ = output.write_all(line.as_bytes()).and_then(|()| output.flush());
}
