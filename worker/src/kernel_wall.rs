//! The kernel wall: the process locks itself into its organisation's directories and ports.
//!
//! Must be raised before any thread starts, because Landlock binds the calling thread and what it starts afterwards. It
//! knows paths and ports only, nothing of the engine.

use std::path::{Path, PathBuf};

use pintail_worker_api::bootstrap::{Bootstrap, KernelWall};

use crate::engine::instance::reach;
use crate::error::Error;
use crate::extensions::Extensions;

/// What the process may still do once the wall is up.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Allowance {
    /// Files and directories to read.
    pub(crate) read: Vec<PathBuf>,
    /// Directories to read and write below.
    pub(crate) write: Vec<PathBuf>,
    /// TCP ports to connect to.
    pub(crate) ports: Vec<u16>,
}

impl Allowance {
    /// What an organisation's worker needs.
    pub(crate) fn of(bootstrap: &Bootstrap, extensions: &Extensions, catalog_file: Option<&Path>) -> Self {
        let mut allowance = Self {
            read: system_paths(),
            ..Self::default()
        };
        allowance.read.extend(extensions.files().map(Path::to_path_buf));
        allowance.read.extend(std::env::current_exe());
        allowance.read.extend(catalog_file.map(Path::to_path_buf));
        // The certificates by which libpq knows the metadata's server, where the operator named a file.
        let root_certificate = std::env::var_os("PGSSLROOTCERT").map(PathBuf::from);
        allowance
            .read
            .extend(root_certificate.filter(|path| path.is_absolute()));
        allowance.write.extend(bootstrap.socket.parent().map(Path::to_path_buf));
        allowance.read.extend(reach::read_directories(bootstrap));
        allowance.write.extend(reach::written_directories(bootstrap));
        allowance.ports = reach::ports(bootstrap);
        allowance
    }
}

/// The wall as raised; must be kept as long as the process lives.
#[derive(Debug)]
pub(crate) struct Wall {
    /// `"up"`, `"partial: …"` or `"off: …"`.
    pub(crate) state: String,
    /// A rule names a file by its inode, and `/proc` makes new ones when it may forget the old; open handles forbid it.
    _pins: Vec<std::os::fd::OwnedFd>,
}

/// Raises the wall.
pub(crate) fn raise(mode: KernelWall, allowance: &Allowance) -> Result<Wall, Error> {
    forbid_core_dumps();
    let wall = match mode {
        KernelWall::Off => Wall {
            state: "off: left out by the operator".to_owned(),
            _pins: Vec::new(),
        },
        KernelWall::Auto | KernelWall::Require => platform::restrict(allowance)?,
    };
    if mode == KernelWall::Require && wall.state != "up" {
        return Err(Error::Start(format!(
            "the kernel wall is required, but it is {}",
            wall.state
        )));
    }
    Ok(wall)
}

fn forbid_core_dumps() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    if let Err(error) = setrlimit(Resource::Core, none) {
        tracing::warn!(%error, "core dumps cannot be switched off");
    }
}

/// Libraries, name resolution, time zones, certificates, random numbers and what the C library asks of the machine.
fn system_paths() -> Vec<PathBuf> {
    const PATHS: &[&str] = &[
        "/lib",
        "/lib64",
        "/usr/lib",
        "/usr/lib64",
        "/usr/share/zoneinfo",
        "/etc/ssl",
        "/etc/pki",
        "/etc/ca-certificates",
        "/usr/share/ca-certificates",
        "/usr/local/share/ca-certificates",
        "/etc/localtime",
        "/etc/ld.so.cache",
        "/etc/resolv.conf",
        "/etc/hosts",
        "/etc/nsswitch.conf",
        "/etc/host.conf",
        "/etc/gai.conf",
        "/dev/urandom",
        "/dev/null",
        "/sys/devices/system/cpu",
        "/sys/fs/cgroup",
        "/proc/meminfo",
        "/proc/cpuinfo",
        "/proc/stat",
        "/proc/self/cgroup",
    ];
    PATHS.iter().map(PathBuf::from).chain(library_directory()).collect()
}

/// Where the engine's library was loaded from: next to the binary, or as the build said.
fn library_directory() -> Option<PathBuf> {
    let given = option_env!("DUCKDB_LIB_DIR")
        .map(PathBuf::from)
        .filter(|path| path.is_dir());
    let beside = std::env::current_exe().ok()?.parent()?.parent()?.join("lib");
    given.or_else(|| beside.is_dir().then_some(beside))
}

#[cfg(target_os = "linux")]
mod platform {
    use std::os::fd::{AsFd, OwnedFd};
    use std::path::Path;

    use landlock::{
        ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, PathBeneath, PathFd, Ruleset,
        RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
    };

    use super::{Allowance, Wall};
    use crate::error::Error;

    /// The newest interface this file was written for; older kernels get what they can do.
    const WANTED: ABI = ABI::V6;

    pub(super) fn restrict(allowance: &Allowance) -> Result<Wall, Error> {
        let failed = |error: RulesetError| Error::Start(format!("the kernel wall could not be raised: {error}"));
        let (status, pins) = apply(allowance).map_err(failed)?;
        let state = match status {
            RulesetStatus::FullyEnforced => "up",
            RulesetStatus::PartiallyEnforced => "partial: this kernel knows only some of the restrictions",
            RulesetStatus::NotEnforced => "off: this kernel has no Landlock",
        };
        Ok(Wall {
            state: state.to_owned(),
            _pins: pins,
        })
    }

    fn apply(allowance: &Allowance) -> Result<(RulesetStatus, Vec<OwnedFd>), RulesetError> {
        let mut rules = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(WANTED))?
            .handle_access(AccessNet::from_all(WANTED))?
            .scope(Scope::from_all(WANTED))?
            .create()?;
        let mut pins = Vec::new();
        let read = allowance.read.iter().map(|path| (path, read_rights(path)));
        let write = allowance
            .write
            .iter()
            .map(|path| (path, AccessFs::from_all(WANTED) & !AccessFs::Execute));
        for (path, rights) in read.chain(write) {
            // What a machine does not have needs no rule.
            let Ok(open) = PathFd::new(path) else { continue };
            rules = rules.add_rule(PathBeneath::new(&open, rights))?;
            pins.extend(open.as_fd().try_clone_to_owned());
        }
        for port in &allowance.ports {
            rules = rules.add_rule(NetPort::new(*port, AccessNet::ConnectTcp))?;
        }
        // `restrict_self` also sets `no_new_privs`.
        Ok((rules.restrict_self()?.ruleset, pins))
    }

    fn read_rights(path: &Path) -> BitFlags<AccessFs> {
        if path.is_dir() {
            AccessFs::from_read(WANTED)
        } else {
            AccessFs::ReadFile | AccessFs::Execute
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod platform {
    use super::{Allowance, Wall};
    use crate::error::Error;

    pub(super) fn restrict(_: &Allowance) -> Result<Wall, Error> {
        Ok(Wall {
            state: "off: this system has no Landlock".to_owned(),
            _pins: Vec::new(),
        })
    }
}
