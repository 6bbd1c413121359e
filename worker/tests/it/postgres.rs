//! A `PostgreSQL` of the test's own: private directory, Unix socket only, SCRAM for everybody.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use pintail_worker_api::Secret;
use pintail_worker_api::bootstrap::PostgresTarget;

/// `PostgreSQL` refuses to run as root; then this user serves.
const NOBODY: u32 = 65534;

/// A running server.
pub(crate) struct Postgres {
    child: Child,
    directory: tempfile::TempDir,
    programs: PathBuf,
}

impl Postgres {
    /// Makes a cluster and starts it.
    pub(crate) fn start() -> Result<Self> {
        let directory = tempfile::tempdir()?;
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755))?;
        let programs = readable_installation(directory.path())?;
        let password = directory.path().join("password");
        fs::write(&password, "super-secret")?;
        for name in ["socket", "data"] {
            fs::create_dir(directory.path().join(name))?;
            if is_root() {
                chown(directory.path().join(name), Some(NOBODY), Some(NOBODY))?;
            }
        }
        let data = directory.path().join("data");
        let output = unprivileged(&programs.join("initdb"))
            .args([
                "--auth=scram-sha-256",
                "--username=postgres",
                "--no-sync",
                "--encoding=UTF8",
                "--pwfile",
            ])
            .arg(&password)
            .arg("-D")
            .arg(&data)
            .output()?;
        ensure!(
            output.status.success(),
            "initdb: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let child = unprivileged(&programs.join("postgres"))
            .arg("-D")
            .arg(&data)
            .args([
                "-c",
                "listen_addresses=",
                "-c",
                "fsync=off",
                "-c",
                "max_connections=200",
                "-k",
            ])
            .arg(directory.path().join("socket"))
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .spawn()?;
        let server = Self {
            child,
            directory,
            programs,
        };
        let deadline = Instant::now() + Duration::from_secs(20);
        while server.sql("SELECT 1").is_err() {
            ensure!(Instant::now() < deadline, "PostgreSQL did not start");
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(server)
    }

    /// Makes the role and the schema of a catalog, as provisioning does.
    pub(crate) fn provision(&self, name: &str) -> Result<PostgresTarget> {
        self.sql(&format!("CREATE ROLE {name} LOGIN PASSWORD 'pw-{name}'"))?;
        self.sql(&format!("CREATE SCHEMA {name} AUTHORIZATION {name}"))?;
        Ok(PostgresTarget {
            host: self.socket_directory().to_string_lossy().into_owned(),
            port: 5432,
            database: "postgres".into(),
            user: name.into(),
            password: Secret::new(format!("pw-{name}")),
        })
    }

    /// Runs a statement as the superuser.
    pub(crate) fn sql(&self, sql: &str) -> Result<String> {
        let output = command(&self.programs.join("psql"))
            .env("PGPASSWORD", "super-secret")
            .args(["-XAtq", "-U", "postgres", "-d", "postgres", "-c", sql, "-h"])
            .arg(self.socket_directory())
            .output()
            .context("psql")?;
        ensure!(
            output.status.success(),
            "{sql}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// Where the socket is.
    pub(crate) fn socket_directory(&self) -> PathBuf {
        self.directory.path().join("socket")
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The installation's programs; as root a copy, because another user may not enter root's cache.
fn readable_installation(directory: &Path) -> Result<PathBuf> {
    let installation = std::env::var_os("PINTAIL_POSTGRES_DIR").map(PathBuf::from);
    let installation = installation.unwrap_or_else(|| crate::harness::cache_dir().join("postgres-18.6.3"));
    if !is_root() {
        return Ok(installation.join("bin"));
    }
    let copy = directory.join("postgres");
    let status = Command::new("cp").arg("-a").arg(&installation).arg(&copy).status()?;
    ensure!(status.success(), "the installation could not be copied");
    fs::set_permissions(&copy, fs::Permissions::from_mode(0o755))?;
    Ok(copy.join("bin"))
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|metadata| std::os::unix::fs::MetadataExt::uid(&metadata) == 0)
}

/// A program of the installation, which finds its libraries beside it.
fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    let libraries = program.parent().and_then(Path::parent).map(|root| root.join("lib"));
    command
        .env_clear()
        .current_dir("/")
        .envs(libraries.map(|path| ("LD_LIBRARY_PATH", path)));
    command
}

fn unprivileged(program: &Path) -> Command {
    let mut command = command(program);
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}
