//! Workers as child processes of this one.
//!
//! A worker gets an environment that tells no more than how its metadata's TLS is checked, its bootstrap on standard input, and a directory of its own. It ends when its
//! standard input ends, so none survives this process.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use pintail_worker_api::Secret;
use pintail_worker_api::bootstrap::{Bootstrap, WorkerEvent};
use pintail_worker_api::client::WorkerClient;
use pintail_worker_api::error::CallError;
use pintail_worker_api::provider::{LiveWorker, Place, ProviderError, SpareWorker, WorkerId, WorkerProvider};
use sha2::{Digest, Sha256};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{OnceCell, watch};

use crate::unix;

/// The longest path of a worker's directory for which its socket's address still fits.
const LONGEST_DIR: usize = 80;

/// Starts `pintail-worker` children.
pub struct ChildProvider {
    program: PathBuf,
    extension_dir: PathBuf,
    directory: PathBuf,
    catalog_file: PathBuf,
    catalog_made: OnceCell<()>,
    started: AtomicU32,
    environment: Vec<(&'static str, String)>,
}

impl ChildProvider {
    /// Workers live below `data_dir`; what an earlier run left there is removed.
    ///
    /// `environment` is all that workers find in theirs.
    pub fn new(
        program: PathBuf,
        extension_dir: PathBuf,
        data_dir: &Path,
        environment: Vec<(&'static str, String)>,
    ) -> std::io::Result<Self> {
        let inside = data_dir.join("workers");
        let directory = if inside.as_os_str().len() <= LONGEST_DIR {
            inside
        } else {
            std::env::temp_dir().join(format!("pintail-workers-{}", std::process::id()))
        };
        if directory.exists() {
            std::fs::remove_dir_all(&directory)?;
        }
        unix::private_dir(&directory)?;
        Ok(Self {
            program,
            extension_dir,
            directory,
            catalog_file: data_dir.join(format!("catalog-{}.duckdb", catalog_version())),
            catalog_made: OnceCell::new(),
            started: AtomicU32::new(0),
            environment,
        })
    }
}

impl ChildProvider {
    /// Has the file of the catalogs' views made, once for each version of them.
    async fn make_catalog(&self) -> Result<(), ProviderError> {
        if self.catalog_file.is_file() {
            return Ok(());
        }
        let start = |reason: String| ProviderError::Start { reason };
        let output = Command::new(&self.program)
            .arg("--extension-dir")
            .arg(&self.extension_dir)
            .arg("--make-catalog-file")
            .arg(&self.catalog_file)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output()
            .await
            .map_err(|error| start(format!("{}: {error}", self.program.display())))?;
        if output.status.success() {
            return Ok(());
        }
        Err(start(format!(
            "the catalogs' file could not be made: {}{}",
            String::from_utf8_lossy(&output.stdout).trim(),
            String::from_utf8_lossy(&output.stderr).trim()
        )))
    }
}

/// Names the views by their content, so that a new program makes a new file.
fn catalog_version() -> String {
    let mut hash = Sha256::new();
    hash.update(pintail_pgcatalog::INSTANCE);
    for sql in pintail_pgcatalog::install() {
        hash.update(sql);
    }
    hash.finalize()
        .iter()
        .take(8)
        .fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

#[async_trait]
impl WorkerProvider for ChildProvider {
    async fn spawn(&self) -> Result<Box<dyn SpareWorker>, ProviderError> {
        let start = |reason: String| ProviderError::Start { reason };
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        let id = WorkerId(format!("w{}-{number}", std::process::id()));
        let directory = self.directory.join(&id.0);
        unix::private_dir(&directory).map_err(|error| start(error.to_string()))?;
        self.catalog_made.get_or_try_init(|| self.make_catalog()).await?;
        let mut command = Command::new(&self.program);
        command
            .arg("--extension-dir")
            .arg(&self.extension_dir)
            .arg("--catalog-file")
            .arg(&self.catalog_file)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .process_group(0)
            .kill_on_drop(true);
        let mut child = command
            .spawn()
            .map_err(|error| start(format!("{}: {error}", self.program.display())))?;
        let stdin = child.stdin.take().ok_or_else(|| start("no standard input".into()))?;
        let stdout = child.stdout.take().ok_or_else(|| start("no standard output".into()))?;
        let mut spare = ChildSpare {
            id,
            directory: OwnDirectory(directory),
            child,
            stdin,
            events: BufReader::new(stdout).lines(),
        };
        match spare.event().await {
            Ok(WorkerEvent::Spare) => Ok(Box::new(spare)),
            Ok(WorkerEvent::Failed { reason }) => Err(start(reason)),
            Ok(other) => Err(start(format!("unexpected event {other:?}"))),
            Err(reason) => Err(start(reason)),
        }
    }
}

/// A directory that goes with its owner.
struct OwnDirectory(PathBuf);

impl Drop for OwnDirectory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

struct ChildSpare {
    id: WorkerId,
    directory: OwnDirectory,
    child: Child,
    stdin: ChildStdin,
    events: Lines<BufReader<ChildStdout>>,
}

impl ChildSpare {
    async fn event(&mut self) -> Result<WorkerEvent, String> {
        match self.events.next_line().await {
            Ok(Some(line)) => serde_json::from_str(&line).map_err(|error| format!("{line:?}: {error}")),
            Ok(None) => Err("it ended at once; its log says why".into()),
            Err(error) => Err(error.to_string()),
        }
    }
}

#[async_trait]
impl SpareWorker for ChildSpare {
    fn id(&self) -> &WorkerId {
        &self.id
    }

    fn place(&self) -> Place {
        Place {
            socket: self.directory.0.join("socket"),
            temp_dir: self.directory.0.join("temp"),
        }
    }

    async fn activate(mut self: Box<Self>, bootstrap: &Bootstrap) -> Result<Box<dyn LiveWorker>, ProviderError> {
        let failed = |reason: String| ProviderError::Activate { reason };
        unix::private_dir(&bootstrap.temp_dir).map_err(|error| failed(error.to_string()))?;
        let mut line = serde_json::to_vec(bootstrap).map_err(|error| failed(error.to_string()))?;
        line.push(b'\n');
        self.stdin
            .write_all(&line)
            .await
            .map_err(|error| failed(error.to_string()))?;
        let kernel_wall = match self.event().await {
            Ok(WorkerEvent::Serving { kernel_wall }) => kernel_wall,
            Ok(WorkerEvent::Failed { reason }) | Err(reason) => return Err(failed(reason)),
            Ok(other) => return Err(failed(format!("unexpected event {other:?}"))),
        };
        let client = WorkerClient::connect(&bootstrap.socket, &bootstrap.token)
            .await
            .map_err(|error| failed(error.to_string()))?;
        let endpoint = (bootstrap.socket.clone(), bootstrap.token.clone());
        Ok(Box::new(ChildWorker::new(*self, client, endpoint, kernel_wall)))
    }
}

struct ChildWorker {
    id: WorkerId,
    client: WorkerClient,
    endpoint: (PathBuf, Secret<String>),
    kernel_wall: String,
    pid: Option<i32>,
    exited: watch::Receiver<bool>,
    end: tokio_util::sync::CancellationToken,
}

impl ChildWorker {
    fn new(spare: ChildSpare, client: WorkerClient, endpoint: (PathBuf, Secret<String>), kernel_wall: String) -> Self {
        let (told, exited) = watch::channel(false);
        let end = tokio_util::sync::CancellationToken::new();
        let asked = end.clone();
        let ChildSpare {
            id,
            directory,
            mut child,
            stdin,
            mut events,
        } = spare;
        let pid = child.id().and_then(|pid| i32::try_from(pid).ok());
        crate::tasks::spawn("worker-child", async move {
            tokio::select! {
                status = child.wait() => tracing::debug!(?status, "a worker ended"),
                () = asked.cancelled() => {
                    let _ = child.kill().await;
                }
                // Nothing is expected on standard output, and nothing may fill the pipe.
                () = async { while let Ok(Some(_)) = events.next_line().await {} std::future::pending().await } => {}
            }
            drop((stdin, directory));
            let _ = told.send(true);
        });
        Self {
            id,
            client,
            endpoint,
            kernel_wall,
            pid,
            exited,
            end,
        }
    }
}

impl Drop for ChildWorker {
    fn drop(&mut self) {
        self.end.cancel();
    }
}

#[async_trait]
impl LiveWorker for ChildWorker {
    fn id(&self) -> &WorkerId {
        &self.id
    }

    fn client(&self) -> WorkerClient {
        self.client.clone()
    }

    async fn connect(&self) -> Result<WorkerClient, CallError> {
        WorkerClient::connect(&self.endpoint.0, &self.endpoint.1).await
    }

    fn kernel_wall(&self) -> &str {
        &self.kernel_wall
    }

    async fn exited(&self) {
        let mut exited = self.exited.clone();
        let _ = exited.wait_for(|gone| *gone).await;
    }

    async fn retire(&self, grace: Duration) {
        if !*self.exited.borrow()
            && let Some(pid) = self.pid
        {
            unix::signal(pid, unix::Signal::Terminate);
        }
        if tokio::time::timeout(grace, self.exited()).await.is_err() {
            self.end.cancel();
            self.exited().await;
        }
    }
}
