//! The embedded `PostgreSQL`: a real one, started as a child when no store URL is given.
//!
//! Private data directory, Unix socket only, SCRAM for every role, an unprivileged user even when started as root, stopped
//! with its parent, adopted after a crash of its parent. Knows processes and files; knows nothing of what is stored.

mod cluster;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pintail_worker_api::Secret;
use pintail_worker_api::bootstrap::PostgresTarget;
use tokio::process::Child;
use tokio_util::sync::CancellationToken;

use cluster::Cluster;

/// How long the server may take to answer after its start; recovery after a crash is part of it.
const START_DEADLINE: Duration = Duration::from_mins(2);
/// How long a fast shutdown may take.
const STOP_DEADLINE: Duration = Duration::from_secs(20);
/// Pause before a server that ended by itself is started again.
const RESTART_PAUSE: Duration = Duration::from_secs(1);

/// Why the embedded `PostgreSQL` does not run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No installation where one was expected.
    #[error("no PostgreSQL at {path}: `./dev up` fetches one, or name a store with PINTAIL_STORE_URL")]
    NoInstallation {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// Started as root, and no other user to run as.
    #[error("PostgreSQL does not run as root, and neither a user `postgres` nor `nobody` exists")]
    NoUser,
    /// A file operation failed.
    #[error("{path}")]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A program ended with an error; the text is its own.
    #[error("{program} failed: {output}")]
    Program {
        /// Which program.
        program: &'static str,
        /// The end of what it wrote.
        output: String,
    },
    /// It started and did not answer in time.
    #[error("PostgreSQL did not answer within {} seconds; its log is {log}", START_DEADLINE.as_secs())]
    Silent {
        /// The log.
        log: PathBuf,
    },
}

/// A running embedded server, supervised until [`EmbeddedPostgres::stop`].
pub struct EmbeddedPostgres {
    target: PostgresTarget,
    stop: CancellationToken,
    supervisor: tokio::task::JoinHandle<()>,
}

impl EmbeddedPostgres {
    /// Makes the cluster on first start, starts or adopts the server, and waits until it answers.
    pub async fn start(installation: &Path, data_dir: &Path) -> Result<Self, Error> {
        let cluster = Cluster::prepare(installation, data_dir).await?;
        let child = match cluster.running_pid() {
            Some(pid) => {
                tracing::info!(pid, "adopting the embedded PostgreSQL of an earlier run");
                None
            }
            None => Some(cluster.launch()?),
        };
        wait_until_ready(&cluster).await?;
        let stop = CancellationToken::new();
        let target = cluster.target().clone();
        let supervisor = crate::tasks::spawn("embedded-postgres", supervise(cluster, child, stop.clone()));
        Ok(Self {
            target,
            stop,
            supervisor,
        })
    }

    /// How to reach it as its superuser.
    pub fn target(&self) -> &PostgresTarget {
        &self.target
    }

    /// Ends the server and waits for it.
    pub async fn stop(self) {
        self.stop.cancel();
        let _ = self.supervisor.await;
    }
}

async fn wait_until_ready(cluster: &Cluster) -> Result<(), Error> {
    let deadline = tokio::time::Instant::now() + START_DEADLINE;
    loop {
        if answers(cluster.target()).await {
            return Ok(());
        }
        if tokio::time::Instant::now() > deadline {
            return Err(Error::Silent { log: cluster.log() });
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn answers(target: &PostgresTarget) -> bool {
    let Ok(sealer) = pintail_configstore::Sealer::fresh() else {
        return false;
    };
    match pintail_configstore::Store::by_target(target.clone(), sealer) {
        Ok(store) => store.ping().await.is_ok(),
        Err(_) => false,
    }
}

async fn supervise(cluster: Cluster, mut child: Option<Child>, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => {
                shut_down(&cluster, child).await;
                return;
            }
            () = ended(&cluster, child.as_mut()) => {}
        }
        tracing::error!(log = %cluster.log().display(), "the embedded PostgreSQL ended by itself; starting it again");
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(RESTART_PAUSE) => {}
        }
        match cluster.launch() {
            Ok(started) => child = Some(started),
            Err(error) => tracing::error!(%error, "the embedded PostgreSQL could not be started"),
        }
    }
}

/// Waits for the end of a child, or of an adopted process, which is nobody's child here.
async fn ended(cluster: &Cluster, child: Option<&mut Child>) {
    if let Some(child) = child {
        let _ = child.wait().await;
        return;
    }
    while cluster.running_pid().is_some() {
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// SIGINT is `PostgreSQL`'s fast shutdown (manual, "Shutting Down the Server").
async fn shut_down(cluster: &Cluster, child: Option<Child>) {
    if let Some(pid) = cluster.running_pid() {
        crate::unix::signal(pid, crate::unix::Signal::Interrupt);
    }
    let gone = async {
        if let Some(mut child) = child {
            let _ = child.wait().await;
        }
        while cluster.running_pid().is_some() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    if tokio::time::timeout(STOP_DEADLINE, gone).await.is_err() {
        tracing::warn!("the embedded PostgreSQL did not stop in time");
    }
}

/// A password of the operating system's randomness.
fn fresh_password() -> Secret<String> {
    use base64::Engine as _;
    let bytes: [u8; 24] = rand::random();
    Secret::new(base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes))
}
