//! A real `PostgreSQL` beside Pintail, whose answers are the expected ones.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::eventually;
use crate::raw::{Endpoint, Raw};
use crate::reaper::Reaper;

/// The version that Pintail says it is.
const WANTED: &str = "/usr/lib/postgresql/15";
/// `PostgreSQL` does not run as root; this is `nobody`.
const NOBODY: u32 = 65_534;
const START: Duration = Duration::from_mins(1);
const PASSWORD: &str = "reference";

/// A server and its directory; both go when it is dropped.
pub struct Reference {
    child: Child,
    _reaper: Reaper,
    _directory: tempfile::TempDir,
    port: u16,
    major: u32,
}

impl Reference {
    /// Starts `PostgreSQL` 15: that of `PINTAIL_REFERENCE_POSTGRES_DIR`, the system's, or else the newer one that Pintail
    /// embeds. `None` where no such program can be run.
    pub fn start() -> anyhow::Result<Option<Self>> {
        let Some((binaries, major)) = installed() else {
            return Ok(None);
        };
        let directory = tempfile::Builder::new().prefix("pr").tempdir()?;
        let root = rustix::process::geteuid().is_root();
        if root {
            chown(directory.path(), Some(NOBODY), Some(NOBODY))?;
        }
        let program = |name: &str| {
            let mut command = Command::new(binaries.join(name));
            command.current_dir(directory.path()).stdin(Stdio::null());
            if root {
                command.uid(NOBODY).gid(NOBODY);
            }
            command
        };
        let owned = |name: &str, content: &str| -> anyhow::Result<PathBuf> {
            let path = directory.path().join(name);
            fs::write(&path, content)?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
            if root {
                chown(&path, Some(NOBODY), Some(NOBODY))?;
            }
            Ok(path)
        };
        let password = owned("password", PASSWORD)?;
        let certificate = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()])?;
        let key = owned("server.key", &certificate.signing_key.serialize_pem())?;
        let certificate = owned("server.crt", &certificate.cert.pem())?;
        let data = directory.path().join("data");
        let made = program("initdb")
            .args(["-U", "pintail", "-A", "scram-sha-256", "-E", "UTF8", "--locale=C", "-N"])
            .arg("-D")
            .arg(&data)
            .arg("--pwfile")
            .arg(&password)
            .output()?;
        anyhow::ensure!(
            made.status.success(),
            "initdb: {}",
            String::from_utf8_lossy(&made.stderr)
        );
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut server = program("postgres");
        server.arg("-D").arg(&data).args(["-p", &port.to_string(), "-k", ""]);
        let log = fs::File::create(directory.path().join("log"))?;
        for setting in [
            "listen_addresses=127.0.0.1",
            "fsync=off",
            "timezone=UTC",
            "max_connections=40",
            "authentication_timeout=3s",
            "ssl=on",
            &format!("ssl_cert_file={}", certificate.display()),
            &format!("ssl_key_file={}", key.display()),
        ] {
            server.args(["-c", setting]);
        }
        let child = server.stdout(log.try_clone()?).stderr(log).spawn()?;
        let reference = Self {
            _reaper: Reaper::watch(child.id(), directory.path())?,
            child,
            port,
            major,
            _directory: directory,
        };
        eventually("the reference starts", START, || Raw::session(&reference).ok())?;
        Ok(Some(reference))
    }

    /// Its major version.
    pub fn major(&self) -> u32 {
        self.major
    }
}

impl Endpoint for Reference {
    fn port(&self) -> u16 {
        self.port
    }

    fn user(&self) -> &'static str {
        "pintail"
    }

    fn password(&self) -> &'static str {
        PASSWORD
    }

    fn database(&self) -> &'static str {
        "postgres"
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        let pid = i32::try_from(self.child.id())
            .ok()
            .and_then(rustix::process::Pid::from_raw);
        if let Some(pid) = pid {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::QUIT);
        }
        let _ = self.child.wait();
    }
}

/// The programs and their major version.
fn installed() -> Option<(PathBuf, u32)> {
    let named = ["PINTAIL_REFERENCE_POSTGRES_DIR", "PINTAIL_POSTGRES_DIR"].map(std::env::var_os);
    let [reference, embedded] = named.map(|path| path.map(PathBuf::from));
    [reference, Some(WANTED.into()), embedded]
        .into_iter()
        .flatten()
        .find_map(|directory| {
            let binaries = directory.join("bin");
            major(&binaries).map(|major| (binaries, major))
        })
}

/// The version, asked as the user that will run it.
fn major(binaries: &Path) -> Option<u32> {
    let mut command = Command::new(binaries.join("postgres"));
    command.arg("--version").current_dir("/");
    if rustix::process::geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    let output = command.output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.split_whitespace().nth(2)?.split('.').next()?.parse().ok()
}
