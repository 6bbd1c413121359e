//! A table function whose rows come from this process: what `INSERT … SELECT * FROM __pintail_copy()` reads.
//!
//! It is registered once an instance. A feed is put into its slot before a statement that reads it is prepared; without
//! one, binding the function fails. The gate lets no client name it.

use std::ffi::{CString, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arrow_array::RecordBatch;
use libduckdb_sys as sys;

use super::plain::{c_text, untyped};
use super::{Chunk, Connection, LogicalType, Prepared, ResultSet};
use crate::engine::failure::Failure;

/// The function's name.
pub(crate) const FUNCTION: &str = "__pintail_copy";

/// What the engine says when the rows end by an error; the error itself is the feed's owner's.
const FAILED: &std::ffi::CStr = c"the rows of a COPY ended early";

/// How long a thread without work sleeps before it looks for some, at first and at most.
const SHORTEST_PAUSE: Duration = Duration::from_micros(50);
/// See [`SHORTEST_PAUSE`].
const LONGEST_PAUSE: Duration = Duration::from_millis(2);

/// Rows on their way in, chunk by chunk: `None` at the end, an error to make the statement fail. Called by one thread of the
/// engine at a time, which it may block.
pub(crate) type Source = Box<dyn FnMut() -> Result<Option<Chunk>, Broken> + Send>;

/// The rows end by an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Broken;

/// The place for the feed of an instance.
#[derive(Clone, Default)]
pub(crate) struct Feeder(Arc<Slot>);

type Slot = Mutex<Option<Feed>>;

struct Feed {
    columns: Vec<(CString, LogicalType)>,
    source: Source,
    /// The engine may look at a chunk until it has asked for the next one, and is given one more.
    kept: [Option<Chunk>; 2],
}

impl Feeder {
    /// Registers the function with an instance.
    pub(crate) fn register(connection: &Connection) -> Result<Self, Failure> {
        let (feeder, name) = (Self::default(), c_text(FUNCTION)?);
        let extra = Arc::into_raw(Arc::clone(&feeder.0)).cast_mut().cast::<c_void>();
        // SAFETY: the function object is destroyed here; the registered copy shares its extra information, which is an `Arc`
        // of the slot that `release` gives back once. The callbacks have the signatures that the interface declares.
        let state = unsafe {
            let mut function = sys::duckdb_create_table_function();
            sys::duckdb_table_function_set_name(function, name.as_ptr());
            sys::duckdb_table_function_set_extra_info(function, extra, Some(release));
            sys::duckdb_table_function_set_bind(function, Some(bind));
            sys::duckdb_table_function_set_init(function, Some(init));
            sys::duckdb_table_function_set_function(function, Some(fill));
            let state = sys::duckdb_register_table_function(connection.0.raw, function);
            sys::duckdb_destroy_table_function(&raw mut function);
            state
        };
        if state == sys::DuckDBSuccess {
            Ok(feeder)
        } else {
            Err(untyped("a table function could not be registered"))
        }
    }

    /// Puts a feed into the slot; `empty` is a batch without rows that has its columns.
    pub(crate) fn set(&self, connection: &Connection, empty: &RecordBatch, source: Source) -> Result<(), Failure> {
        let types = connection.chunk(empty)?.types();
        let schema = empty.schema();
        let names = schema.fields().iter().map(|field| c_text(field.name()));
        let columns = names.zip(types).map(|(name, logical)| Ok((name?, logical)));
        *locked(&self.0) = Some(Feed {
            columns: columns.collect::<Result<_, Failure>>()?,
            source,
            kept: [None, None],
        });
        Ok(())
    }

    /// Takes the feed away.
    pub(crate) fn clear(&self) {
        *locked(&self.0) = None;
    }
}

impl Prepared {
    /// Executes a statement that reads a feed. While the engine waits for rows on a thread of its own, its `execute` would
    /// keep this one busy.
    pub(crate) fn execute_patiently(&mut self) -> Result<ResultSet, Failure> {
        let mut pending = Pending(std::ptr::null_mut());
        // SAFETY: live statement; the pending result is owned by `pending` even where it holds an error.
        let mut state = unsafe { sys::duckdb_pending_prepared(self.raw, &raw mut pending.0) };
        let mut pause = SHORTEST_PAUSE;
        while state == sys::DuckDBSuccess {
            // SAFETY: live pending result.
            match unsafe { sys::duckdb_pending_execute_task(pending.0) } {
                sys::duckdb_pending_state_DUCKDB_PENDING_RESULT_NOT_READY => pause = SHORTEST_PAUSE,
                sys::duckdb_pending_state_DUCKDB_PENDING_NO_TASKS_AVAILABLE => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                sys::duckdb_pending_state_DUCKDB_PENDING_RESULT_READY => break,
                _ => state = sys::DuckDBError,
            }
        }
        if state != sys::DuckDBSuccess {
            // SAFETY: live pending result, whose text is copied.
            return Err(untyped(super::copy(unsafe { sys::duckdb_pending_error(pending.0) })));
        }
        // SAFETY: an all-zero result is the interface's empty value, owned by `result` even where it holds an error.
        let (raw, connection) = (unsafe { std::mem::zeroed() }, self.connection.clone());
        let mut result = ResultSet { raw, connection };
        // SAFETY: live pending result.
        if unsafe { sys::duckdb_execute_pending(pending.0, &raw mut result.raw) } == sys::DuckDBSuccess {
            Ok(result)
        } else {
            Err(result.failure())
        }
    }
}

/// A statement that was begun.
struct Pending(sys::duckdb_pending_result);

impl Drop for Pending {
    fn drop(&mut self) {
        // SAFETY: made once, destroyed here only; null is accepted.
        unsafe { sys::duckdb_destroy_pending(&raw mut self.0) };
    }
}

fn locked(slot: &Slot) -> MutexGuard<'_, Option<Feed>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The slot behind a callback's extra information.
///
/// SAFETY: `extra` is the pointer that [`Feeder::register`] made, which lives until `release`.
unsafe fn slot<'a>(extra: *mut c_void) -> &'a Slot {
    unsafe { &*extra.cast::<Slot>().cast_const() }
}

unsafe extern "C" fn release(extra: *mut c_void) {
    // SAFETY: called once, with what `Arc::into_raw` gave.
    drop(unsafe { Arc::from_raw(extra.cast::<Slot>().cast_const()) });
}

unsafe extern "C" fn bind(info: sys::duckdb_bind_info) {
    // SAFETY: `info` is live during the call; names and types are copied.
    unsafe {
        let slot = slot(sys::duckdb_bind_get_extra_info(info));
        match locked(slot).as_ref() {
            Some(feed) => {
                for (name, logical) in &feed.columns {
                    sys::duckdb_bind_add_result_column(info, name.as_ptr(), logical.0);
                }
            }
            None => sys::duckdb_bind_set_error(info, c"no COPY is running".as_ptr()),
        }
    }
}

unsafe extern "C" fn init(info: sys::duckdb_init_info) {
    // SAFETY: `info` is live during the call.
    unsafe { sys::duckdb_init_set_max_threads(info, 1) };
}

unsafe extern "C" fn fill(info: sys::duckdb_function_info, output: sys::duckdb_data_chunk) {
    // SAFETY: `info` and `output` are live during the call.
    let slot = unsafe { slot(sys::duckdb_function_get_extra_info(info)) };
    let mut feed = locked(slot);
    // A panic must not cross into the engine.
    let next = feed.as_mut().map_or(Err(Broken), |feed| {
        catch_unwind(AssertUnwindSafe(|| (feed.source)())).unwrap_or(Err(Broken))
    });
    match (next, feed.as_mut()) {
        (Ok(Some(chunk)), Some(feed)) => {
            // SAFETY: both chunks are live and have the columns that `bind` announced; vectors share their buffers by
            // reference counts, and what these point into is kept with the chunk for as long as the engine looks at it.
            unsafe {
                for index in 0..feed.columns.len() as u64 {
                    let to = sys::duckdb_data_chunk_get_vector(output, index);
                    let from = sys::duckdb_data_chunk_get_vector(chunk.raw, index);
                    sys::duckdb_vector_reference_vector(to, from);
                }
                sys::duckdb_data_chunk_set_size(output, sys::duckdb_data_chunk_get_size(chunk.raw));
            }
            feed.kept.swap(0, 1);
            feed.kept[0] = Some(chunk);
        }
        (Ok(_), _) => unsafe { sys::duckdb_data_chunk_set_size(output, 0) },
        (Err(Broken), _) => unsafe { sys::duckdb_function_set_error(info, FAILED.as_ptr()) },
    }
}
