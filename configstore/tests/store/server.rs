//! A throw-away `PostgreSQL` that all tests share, with a database for each.
//!
//! It listens on a Unix socket and on a TCP port, and demands SCRAM everywhere.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Weak};

use tempfile::TempDir;

/// `nobody`: who the server runs as where the tests run as root, which `PostgreSQL` refuses.
const NOBODY: u32 = 65534;
/// The superuser's password.
pub(crate) const PASSWORD: &str = "super-hush";

/// A running server; stopped and removed with the value.
pub(crate) struct Server {
    directory: TempDir,
    programs: PathBuf,
    as_nobody: bool,
    port: u16,
    databases: AtomicU32,
}

impl Server {
    /// The one that other tests use at the moment, or a new one.
    pub(crate) fn shared() -> Arc<Self> {
        static RUNNING: Mutex<Weak<Server>> = Mutex::new(Weak::new());
        let mut running = RUNNING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        running.upgrade().unwrap_or_else(|| {
            let server = Arc::new(Self::start());
            *running = Arc::downgrade(&server);
            server
        })
    }

    fn start() -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        let as_nobody = std::fs::metadata("/proc/self").is_ok_and(|meta| meta.uid() == 0);
        if as_nobody {
            chown(directory.path(), Some(NOBODY), Some(NOBODY)).expect("root may give a directory away");
        }
        let mut server = Self {
            programs: installation(),
            port: free_port(),
            databases: AtomicU32::new(0),
            directory,
            as_nobody,
        };
        if !server
            .program("initdb")
            .arg("--version")
            .stdout(Stdio::null())
            .status()
            .is_ok_and(|s| s.success())
        {
            // It lies where only root may look.
            let copy = server.path().join("programs");
            run(Command::new("cp").arg("-r").arg(&server.programs).arg(&copy));
            server.programs = copy;
        }
        server.make_cluster();
        server
    }

    fn make_cluster(&self) {
        self.give("password", PASSWORD);
        run(self
            .program("initdb")
            .args([
                "-A",
                "scram-sha-256",
                "-U",
                "postgres",
                "-E",
                "UTF8",
                "--locale=C",
                "--no-sync",
            ])
            .arg("--pwfile")
            .arg(self.path().join("password"))
            .arg("-D")
            .arg(self.data()));
        let options = format!(
            "-k {} -c listen_addresses=127.0.0.1 -c port={} -c fsync=off",
            self.path().display(),
            self.port
        );
        run(self
            .program("pg_ctl")
            .args(["-w", "-o", &options, "-l"])
            .arg(self.path().join("log"))
            .arg("-D")
            .arg(self.data())
            .arg("start"));
    }

    /// Where the socket and the log are.
    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// The port, of the socket and of TCP.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// A database name that no other test has.
    pub(crate) fn next_database(&self) -> String {
        format!("store{}", self.databases.fetch_add(1, Ordering::Relaxed))
    }

    /// A private file of the server's.
    fn give(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        std::fs::write(&path, text).expect("written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("made private");
        if self.as_nobody {
            chown(&path, Some(NOBODY), Some(NOBODY)).expect("given away");
        }
    }

    fn data(&self) -> PathBuf {
        self.path().join("data")
    }

    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join("bin").join(name));
        command
            .current_dir(self.path())
            .env("LD_LIBRARY_PATH", self.programs.join("lib"))
            .env("TZ", "UTC");
        if self.as_nobody {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self
            .program("pg_ctl")
            .args(["-m", "immediate", "-D"])
            .arg(self.data())
            .arg("stop")
            .output();
    }
}

/// `$PINTAIL_POSTGRES_DIR`, or the embedded one below `$PINTAIL_CACHE`.
fn installation() -> PathBuf {
    if let Some(directory) = std::env::var_os("PINTAIL_POSTGRES_DIR") {
        return directory.into();
    }
    let missing = "no PostgreSQL: set PINTAIL_POSTGRES_DIR, or PINTAIL_CACHE and let ./dev fetch the embedded one";
    let cache = std::env::var_os("PINTAIL_CACHE").expect(missing);
    let mut found: Vec<PathBuf> = std::fs::read_dir(cache)
        .expect(missing)
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("bin/initdb").exists())
        .collect();
    found.sort();
    found.pop().expect(missing)
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("bound").port()
}

fn run(command: &mut Command) {
    // Output goes to files or nowhere: a server that inherits a pipe would keep it open.
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}
