//! What a running server leaves in its data directory for `pintail connection`, and the lock that keeps a second one out.

use std::fs::{File, TryLockError};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use crate::unix;

/// File names below the data directory.
const RUNTIME: &str = "runtime.json";
const LOCK: &str = "lock";
pub(super) const DEFAULT_USER: &str = "default-user.json";
/// The local operator's token.
pub(super) const TOKEN: &str = "admin.token";

/// Where a running server listens.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Runtime {
    /// Its process.
    pub pid: u32,
    /// The protocol's address.
    pub listen: SocketAddr,
    /// The admin port's.
    pub admin: SocketAddr,
    /// Whether the admin port speaks TLS.
    #[serde(default)]
    pub admin_tls: bool,
}

/// The default user, as the first start made it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct DefaultUser {
    pub(super) user: String,
    pub(super) password: String,
    pub(super) database: String,
}

/// How to connect to the running server as its default user.
#[derive(Debug, Clone)]
pub struct Connection {
    runtime: Runtime,
    user: DefaultUser,
}

/// The runtime file, removed when dropped.
pub(super) struct RuntimeFile(PathBuf);

impl Drop for RuntimeFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

impl Runtime {
    pub(super) fn write(&self, data_dir: &Path) -> anyhow::Result<RuntimeFile> {
        let path = data_dir.join(RUNTIME);
        unix::write_private(&path, &serde_json::to_vec(self)?).with_context(|| path.display().to_string())?;
        Ok(RuntimeFile(path))
    }
}

impl Runtime {
    /// Reads what a running server left.
    pub fn read(data_dir: &Path) -> anyhow::Result<Self> {
        let content = std::fs::read(data_dir.join(RUNTIME));
        let content = content.with_context(|| format!("no server runs on {}", data_dir.display()))?;
        Ok(serde_json::from_slice(&content)?)
    }

    /// The local operator's token, which only the user that runs the server can read.
    pub fn token(data_dir: &Path) -> anyhow::Result<String> {
        let path = data_dir.join(TOKEN);
        let token = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        Ok(token.trim().to_owned())
    }
}

impl Connection {
    /// Reads what a running server left.
    pub fn read(data_dir: &Path) -> anyhow::Result<Self> {
        let read = |name: &str| std::fs::read(data_dir.join(name));
        let runtime = read(RUNTIME).with_context(|| format!("no server runs on {}", data_dir.display()))?;
        let user = read(DEFAULT_USER).context("the server has no default user")?;
        Ok(Self {
            runtime: serde_json::from_slice(&runtime)?,
            user: serde_json::from_slice(&user)?,
        })
    }

    /// The server's process.
    pub fn pid(&self) -> u32 {
        self.runtime.pid
    }

    /// The admin port's address.
    pub fn admin(&self) -> SocketAddr {
        self.runtime.admin
    }

    /// Variables of libpq (manual, "Environment Variables"), name and value.
    pub fn variables(&self) -> [(&'static str, String); 6] {
        let host = match self.runtime.listen.ip() {
            ip if ip.is_unspecified() => "127.0.0.1".to_owned(),
            ip => ip.to_string(),
        };
        [
            ("PGHOST", host),
            ("PGPORT", self.runtime.listen.port().to_string()),
            ("PGUSER", self.user.user.clone()),
            ("PGPASSWORD", self.user.password.clone()),
            ("PGDATABASE", self.user.database.clone()),
            ("PGSSLMODE", "require".to_owned()),
        ]
    }
}

/// Keeps a second server off the same directory; the lock goes with the process.
pub(super) fn lock(data_dir: &Path) -> anyhow::Result<File> {
    let path = data_dir.join(LOCK);
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .with_context(|| path.display().to_string())?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => anyhow::bail!("another server runs on {}", data_dir.display()),
        Err(TryLockError::Error(error)) => Err(error).with_context(|| path.display().to_string()),
    }
}
