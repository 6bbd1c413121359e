//! Who has a database file open.
//!
//! The engine locks its file with a POSIX record lock, which belongs to the whole process: a second instance of this process
//! gets it too (and both then write one file), and any other handle of the file that the process closes gives it up, such
//! as `read_blob` of it by SQL. So an instance holds a lock of its own besides, on the file's directory, which belongs to
//! an open handle: other instances and other processes are refused alike.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

use pintail_worker_api::bootstrap::FileAccess;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::error::{Error, Unavailable};

/// A session that ends closes its file a moment later; the next one waits so long.
const PATIENCE: Duration = Duration::from_secs(3);
const STEP: Duration = Duration::from_millis(10);

/// The right to have a file open; given back when dropped.
#[derive(Debug)]
pub(crate) struct FileLock {
    _directory: File,
}

impl FileLock {
    /// Takes the lock, waiting a moment for a session that is just ending.
    pub(super) fn take(catalog: &str, path: &Path, access: FileAccess) -> Result<Self, Error> {
        let failed = |source| Error::Io {
            what: format!("cannot lock the directory of catalog \"{catalog}\""),
            source,
        };
        let directory = path.parent().unwrap_or(Path::new("/"));
        let directory = File::open(directory).map_err(failed)?;
        let operation = match access {
            FileAccess::ReadWrite => FlockOperation::NonBlockingLockExclusive,
            FileAccess::ReadOnly => FlockOperation::NonBlockingLockShared,
        };
        let deadline = Instant::now() + PATIENCE;
        loop {
            match flock(&directory, operation) {
                Ok(()) => return Ok(Self { _directory: directory }),
                Err(Errno::WOULDBLOCK) if Instant::now() < deadline => std::thread::sleep(STEP),
                Err(Errno::WOULDBLOCK) => {
                    return Err(Error::Catalog {
                        catalog: catalog.to_owned(),
                        problem: Unavailable::InUse,
                    });
                }
                Err(error) => return Err(failed(error.into())),
            }
        }
    }
}
