//! Waiting without sleeping blindly.

use std::time::{Duration, Instant};

/// Asks `condition` until it gives a value, or fails with `what` after `limit`.
pub fn eventually<T>(what: &str, limit: Duration, mut condition: impl FnMut() -> Option<T>) -> anyhow::Result<T> {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(value) = condition() {
            return Ok(value);
        }
        anyhow::ensure!(Instant::now() < deadline, "not within {limit:?}: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
