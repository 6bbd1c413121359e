//! A running `pintail serve` on a fresh directory.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::Context as _;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::eventually;
use crate::reaper::Reaper;
use crate::tls::client_config;

/// A cold start makes a data directory, a cluster and a lake; under a busy build that takes a while.
const START: Duration = Duration::from_mins(2);
const STOP: Duration = Duration::from_secs(40);

/// What differs from the defaults.
#[derive(Debug, Default, Clone)]
pub struct Options {
    /// Environment variables of the server (`PINTAIL_…`).
    pub settings: Vec<(&'static str, String)>,
}

/// A server and its directory; both go when it is dropped.
pub struct Installation {
    directory: tempfile::TempDir,
    child: Option<Child>,
    reaper: Option<Reaper>,
    options: Options,
    variables: BTreeMap<String, String>,
}

impl Installation {
    /// Starts a server with the defaults, on free ports.
    pub fn start() -> anyhow::Result<Self> {
        Self::start_with(Options::default())
    }

    /// Starts a server with settings of one's own.
    pub fn start_with(options: Options) -> anyhow::Result<Self> {
        let directory = tempfile::Builder::new().prefix("pt").tempdir()?;
        let mut installation = Self {
            directory,
            child: None,
            reaper: None,
            options,
            variables: BTreeMap::new(),
        };
        installation.launch()?;
        Ok(installation)
    }

    /// Starts a second server over the store of the first, which must outlive it. Their files are not the same, so of the
    /// first one's catalogs it serves those in memory.
    pub fn beside(first: &Self) -> anyhow::Result<Self> {
        let read = |name: &str| std::fs::read_to_string(first.data_dir().join(name)).with_context(|| name.to_owned());
        let store = format!(
            "host={} port=5432 dbname=postgres user=pintail password={}",
            first.data_dir().join("run").display(),
            read("postgres.password")?.trim()
        );
        let settings = vec![
            ("PINTAIL_STORE_URL", store),
            ("PINTAIL_SEAL_KEYS", read("sealing.keys")?.trim().replace('\n', ",")),
        ];
        let mut installation = Self {
            directory: tempfile::Builder::new().prefix("pt").tempdir()?,
            child: None,
            reaper: None,
            options: Options { settings },
            variables: BTreeMap::new(),
        };
        for name in ["default-user.json", "admin.token"] {
            std::fs::write(installation.data_dir().join(name), read(name)?)?;
        }
        installation.launch()?;
        Ok(installation)
    }

    /// Starts the server again on the same directory, after it was stopped or killed.
    pub fn launch(&mut self) -> anyhow::Result<()> {
        let cache = cache()?;
        let _ = std::fs::remove_file(self.data_dir().join("runtime.json"));
        let log = File::options().create(true).append(true).open(self.log_path())?;
        let child = Command::new(program("pintail")?)
            .arg("serve")
            .env("PINTAIL_DATA_DIR", self.data_dir())
            .env("PINTAIL_LISTEN", "127.0.0.1:0")
            .env("PINTAIL_ADMIN_LISTEN", "127.0.0.1:0")
            .env("PINTAIL_ALLOW_PLAINTEXT", "loopback")
            .env("PINTAIL_POSTGRES_DIR", cache.join("postgres-18.6.3"))
            .env("PINTAIL_EXTENSION_DIR", cache.join("extensions-1.5.5"))
            .env("PINTAIL_WORKER_PROGRAM", program("pintail-worker")?)
            .envs(
                self.options
                    .settings
                    .iter()
                    .map(|(name, value)| (*name, value.as_str())),
            )
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()?;
        self.reaper = Some(Reaper::watch(child.id(), self.data_dir())?);
        self.child = Some(child);
        let started = eventually("the server starts", START, || {
            if let Some(Ok(Some(status))) = self.child.as_mut().map(Child::try_wait) {
                return Some(Err(anyhow::anyhow!("the server ended: {status}")));
            }
            self.connection().map(Ok)
        })
        .and_then(|result| result);
        self.variables = started.with_context(|| self.log())?;
        Ok(())
    }

    /// The environment that the server was started with, for the command line.
    pub(crate) fn settings(&self) -> Vec<(&'static str, String)> {
        let mut settings = self.options.settings.clone();
        let found = |name: &str| program(name).map(|path| path.display().to_string());
        if let (Ok(cache), Ok(worker)) = (cache(), found("pintail-worker")) {
            let below = |name: &str| cache.join(name).display().to_string();
            settings.push(("PINTAIL_POSTGRES_DIR", below("postgres-18.6.3")));
            settings.push(("PINTAIL_EXTENSION_DIR", below("extensions-1.5.5")));
            settings.push(("PINTAIL_WORKER_PROGRAM", worker));
        }
        settings
    }

    fn connection(&self) -> Option<BTreeMap<String, String>> {
        let output = Command::new(program("pintail").ok()?)
            .args(["connection", "--format", "env"])
            .env("PINTAIL_DATA_DIR", self.data_dir())
            .output()
            .ok()?;
        output.status.success().then(|| {
            String::from_utf8_lossy(&output.stdout)
                .lines()
                .filter_map(|line| line.strip_prefix("export ")?.split_once('='))
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect()
        })
    }

    /// The server's data directory.
    pub fn data_dir(&self) -> &Path {
        self.directory.path()
    }

    fn log_path(&self) -> PathBuf {
        self.directory.path().join("pintail.log")
    }

    /// The server's log so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.log_path()).unwrap_or_default()
    }

    /// A `PG…` variable of the default user's connection.
    pub fn variable(&self, name: &str) -> &str {
        self.variables.get(name).map_or("", String::as_str)
    }

    /// All of them.
    pub fn variables(&self) -> &BTreeMap<String, String> {
        &self.variables
    }

    /// The protocol's port.
    pub fn port(&self) -> u16 {
        self.variable("PGPORT").parse().unwrap_or(0)
    }

    /// The admin port's address.
    pub fn admin(&self) -> anyhow::Result<String> {
        let runtime = std::fs::read(self.data_dir().join("runtime.json"))?;
        let runtime: serde_json::Value = serde_json::from_slice(&runtime)?;
        Ok(runtime["admin"].as_str().unwrap_or_default().to_owned())
    }

    /// The server's process id.
    pub fn pid(&self) -> Option<i32> {
        self.child.as_ref().and_then(|child| i32::try_from(child.id()).ok())
    }

    /// A client's configuration as the default user, over TLS.
    pub fn config(&self) -> tokio_postgres::Config {
        let mut config = tokio_postgres::Config::new();
        config
            .host(self.variable("PGHOST"))
            .port(self.port())
            .user(self.variable("PGUSER"))
            .password(self.variable("PGPASSWORD"))
            .dbname(self.variable("PGDATABASE"))
            .ssl_mode(tokio_postgres::config::SslMode::Require);
        config
    }

    /// The TLS connector that goes with [`Installation::config`].
    pub fn tls(&self) -> anyhow::Result<MakeRustlsConnect> {
        Ok(MakeRustlsConnect::new(client_config()?))
    }

    /// A connected client; its connection runs on a task of its own.
    pub async fn connect(&self) -> anyhow::Result<tokio_postgres::Client> {
        let (client, connection) = self.config().connect(self.tls()?).await?;
        tokio::spawn(connection);
        Ok(client)
    }

    /// `psql` as the default user, quiet, unaligned, without a start-up file.
    pub fn psql(&self) -> anyhow::Result<Command> {
        // The fetched psql has no TLS; it serves where the machine has none of its own.
        let own = Command::new("psql")
            .arg("--version")
            .output()
            .is_ok_and(|output| output.status.success());
        let mut command = if own {
            Command::new("psql")
        } else {
            Command::new(cache()?.join("postgres-18.6.3/bin/psql"))
        };
        command.args(["-XAtq"]).envs(&self.variables);
        if !own {
            command.env("PGSSLMODE", "disable");
        }
        Ok(command)
    }

    /// What `psql` prints for a text of SQL; its complaints follow its output.
    pub fn sql(&self, text: &str) -> anyhow::Result<String> {
        let output = self.psql()?.args(["-c", text]).output()?;
        let (out, err) = (
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
        Ok(format!("{out}{err}").trim_end().to_owned())
    }

    /// Ends the server as an operator would.
    pub fn stop(&mut self) -> anyhow::Result<()> {
        self.reaper = None;
        let Some(mut child) = self.child.take() else {
            return Ok(());
        };
        signal(&child, rustix::process::Signal::TERM);
        let ended = eventually("the server stops", STOP, || child.try_wait().ok().flatten());
        if ended.is_err() {
            let _ = child.kill();
            let _ = child.wait();
        }
        ended.map(|_| ())
    }

    /// Kills the server, and it alone, without warning.
    pub fn kill(&mut self) -> anyhow::Result<()> {
        self.reaper = None;
        if let Some(mut child) = self.child.take() {
            child.kill()?;
            child.wait()?;
        }
        Ok(())
    }

    /// Process ids of this installation's workers.
    pub fn workers(&self) -> Vec<i32> {
        let Some(parent) = self.pid() else { return Vec::new() };
        let output = Command::new("pgrep")
            .args(["-P", &parent.to_string(), "pintail-worker"])
            .output();
        output
            .map(|output| {
                String::from_utf8_lossy(&output.stdout)
                    .lines()
                    .filter_map(|line| line.parse().ok())
                    .collect()
            })
            .unwrap_or_default()
    }
}

impl Drop for Installation {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let log = self.log();
            let tail: Vec<&str> = log.lines().rev().take(40).collect();
            for line in tail.iter().rev() {
                show(line);
            }
        }
        let _ = self.stop();
        // After a kill the embedded PostgreSQL still runs: it would be adopted by the next start, which never comes.
        let lock = self.data_dir().join("postgres/data/postmaster.pid");
        let pid = std::fs::read_to_string(lock)
            .ok()
            .and_then(|text| text.lines().next()?.parse().ok());
        if let Some(pid) = pid.and_then(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::QUIT);
        }
    }
}

#[allow(clippy::print_stderr, reason = "the server's log belongs to a failing test's output")]
fn show(line: &str) {
    eprintln!("{line}");
}

fn signal(child: &Child, signal: rustix::process::Signal) {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process(pid, signal);
    }
}

/// A program of this workspace, built beside the running test.
pub fn program(name: &str) -> anyhow::Result<PathBuf> {
    let test = std::env::current_exe()?;
    let directory = test.ancestors().nth(2).context("the test binary's directory")?;
    let path = directory.join(name);
    anyhow::ensure!(
        path.is_file(),
        "{} is missing: run the tests with `./dev test`",
        path.display()
    );
    Ok(path)
}

fn cache() -> anyhow::Result<PathBuf> {
    std::env::var_os("PINTAIL_CACHE")
        .map(PathBuf::from)
        .context("PINTAIL_CACHE is not set: run the tests with `./dev test`")
}
