//! A throw-away `PostgreSQL` on a Unix socket.

use std::error::Error;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, Config, NoTls};

/// `nobody`: who the server runs as where the tests run as root, which `PostgreSQL` refuses.
const NOBODY: u32 = 65534;

/// A running server; stopped and removed with the value.
pub(crate) struct Server {
    directory: TempDir,
    programs: PathBuf,
    as_nobody: bool,
}

impl Server {
    /// Starts one.
    ///
    /// # Panics
    ///
    /// Where the binaries are missing or the server does not start.
    pub(crate) fn start() -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        let as_nobody = std::fs::metadata("/proc/self").is_ok_and(|meta| meta.uid() == 0);
        let mut programs = installation();
        if as_nobody {
            // The cache may lie where only root may look.
            let copy = directory.path().join("programs");
            run(Command::new("cp").arg("-r").arg(&programs).arg(&copy));
            programs = copy;
            chown(directory.path(), Some(NOBODY), Some(NOBODY)).expect("root may give a directory away");
        }
        let server = Self {
            directory,
            programs,
            as_nobody,
        };
        let data = server.data();
        run(server
            .program("initdb")
            .args([
                "-A",
                "trust",
                "-U",
                "postgres",
                "-E",
                "UTF8",
                "--locale=C",
                "--no-sync",
                "-D",
            ])
            .arg(&data));
        let options = format!(
            "-k {} -c listen_addresses= -c fsync=off",
            server.directory.path().display()
        );
        let log = server.directory.path().join("log");
        run(server
            .program("pg_ctl")
            .args(["-w", "-o", &options, "-l"])
            .arg(log)
            .arg("-D")
            .arg(&data)
            .arg("start"));
        server
    }

    /// A new session.
    pub(crate) async fn connect(&self) -> Client {
        let mut config = Config::new();
        config
            .host_path(self.directory.path())
            .user("postgres")
            .dbname("postgres");
        let (client, connection) = config.connect(NoTls).await.expect("the server accepts");
        tokio::spawn(connection);
        client
    }

    fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join("bin").join(name));
        command
            .current_dir(self.directory.path())
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

fn installation() -> PathBuf {
    let missing = "no PostgreSQL under $PINTAIL_CACHE: set PINTAIL_CACHE and let ./dev fetch the embedded PostgreSQL";
    let cache = std::env::var_os("PINTAIL_CACHE").expect(missing);
    let mut found: Vec<PathBuf> = std::fs::read_dir(Path::new(&cache))
        .expect(missing)
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("postgres-"))
        })
        .filter(|path| path.join("bin/initdb").exists())
        .collect();
    found.sort();
    found.pop().expect(missing)
}

fn run(command: &mut Command) {
    // Output goes to files or nowhere: a server that inherits a pipe would keep it open.
    let status = command
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .status();
    let status = status.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}

/// Bytes sent or received as they are, whatever the type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Raw(pub(crate) Vec<u8>);

impl<'a> FromSql<'a> for Raw {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(raw.to_vec()))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

impl ToSql for Raw {
    fn to_sql(
        &self,
        _: &Type,
        out: &mut tokio_postgres::types::private::BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.extend_from_slice(&self.0);
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}
