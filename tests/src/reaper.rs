//! Ends a server whose test is gone: killed, or ended with the server in a `static`, which nothing drops.

use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Waits for the end of its input, which only this process holds open.
const SCRIPT: &str =
    r#"cat; kill -TERM "$1" 2>/dev/null; while kill -0 "$1" 2>/dev/null; do sleep 0.1; done; rm -rf "$2""#;

/// A shell beside the server.
pub(crate) struct Reaper {
    shell: Child,
}

impl Reaper {
    /// Watches over a server and its directory.
    pub(crate) fn watch(server: u32, directory: &Path) -> std::io::Result<Self> {
        let shell = Command::new("sh")
            .args(["-c", SCRIPT, "reaper", &server.to_string()])
            .arg(directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self { shell })
    }
}

impl Drop for Reaper {
    fn drop(&mut self) {
        // The shell goes before its input ends, so that it does nothing more; `cat` then ends by itself.
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}
