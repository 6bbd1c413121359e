//! Where a test has the process die, to see what becomes of the statement that it was at.
//!
//! A build without debug assertions never dies so.

/// A point in the life of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Point {
    /// It has come, and nothing was done.
    Request,
    /// The engine has done it, and nobody was told.
    Done,
}

/// Ends the process where the environment says so: at a point of statements with some words, as in `done:COMMIT`, once a
/// statement with the comment `/* dies */` has come.
#[cfg(debug_assertions)]
pub(crate) fn at(point: Point, sql: &str) {
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicBool, Ordering};

    static IS_ARMED: AtomicBool = AtomicBool::new(false);

    static PLACE: LazyLock<Option<(Point, String)>> = LazyLock::new(|| {
        let value = std::env::var("PINTAIL_TEST_DIES").ok()?;
        let (point, mark) = value.split_once(':')?;
        let point = match point {
            "request" => Point::Request,
            "done" => Point::Done,
            _ => return None,
        };
        Some((point, mark.to_owned()))
    });
    if sql.contains("/* dies */") {
        IS_ARMED.store(true, Ordering::Relaxed);
    }
    if let Some((place, mark)) = &*PLACE
        && IS_ARMED.load(Ordering::Relaxed)
        && *place == point
        && sql.contains(mark.as_str())
    {
        std::process::abort();
    }
}

/// Does nothing.
#[cfg(not(debug_assertions))]
pub(crate) fn at(_: Point, _: &str) {}
