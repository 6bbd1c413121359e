//! How many files a test may open.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Raises this process's limit of open files, and that of the servers that it starts, to at least `count`.
pub fn allow_files(count: u64) -> anyhow::Result<()> {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < count) {
        limit.current = Some(count);
        setrlimit(Resource::Nofile, limit)?;
    }
    Ok(())
}
