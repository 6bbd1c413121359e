//! The engine's ways to the desk: a table function that reads a relation's rows, and a scalar function that makes a call.
//!
//! `__pintail_rows('name')` gives texts; `__pintail_call('function', argument…)` takes texts and gives one. Both names are
//! Pintail's own, which no client's text may hold.

use std::ffi::{CStr, CString, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::Array;
use libduckdb_sys as sys;

use super::{Connection, LogicalType, copy, untyped};
use crate::engine::desk::{Desk, Table};
use crate::engine::failure::Failure;

/// The table function's name.
const ROWS: &CStr = c"__pintail_rows";
/// The scalar function's name.
const CALL: &CStr = c"__pintail_call";

/// A reading of a relation.
struct Scan {
    table: Table,
    at: AtomicUsize,
}

impl Connection {
    /// Makes the two functions known to the connection's instance. They keep the desk as long as the instance lives.
    pub(crate) fn register_hooks(&self, desk: &Arc<Desk>) -> Result<(), Failure> {
        let text = LogicalType::of(sys::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR);
        // SAFETY: the objects are live until they are destroyed at the end; registration copies them. Each takes one count
        // of the desk, which `drop_desk` gives back when the engine drops its last copy.
        let states = unsafe {
            let mut rows = sys::duckdb_create_table_function();
            sys::duckdb_table_function_set_name(rows, ROWS.as_ptr());
            sys::duckdb_table_function_add_parameter(rows, text.0);
            sys::duckdb_table_function_set_extra_info(rows, owned(desk), Some(drop_desk));
            sys::duckdb_table_function_set_bind(rows, Some(bind_rows));
            sys::duckdb_table_function_set_init(rows, Some(init_rows));
            sys::duckdb_table_function_set_function(rows, Some(scan_rows));
            let registered = sys::duckdb_register_table_function(self.0.raw, rows);
            sys::duckdb_destroy_table_function(&raw mut rows);

            let mut call = sys::duckdb_create_scalar_function();
            sys::duckdb_scalar_function_set_name(call, CALL.as_ptr());
            sys::duckdb_scalar_function_set_varargs(call, text.0);
            sys::duckdb_scalar_function_set_return_type(call, text.0);
            sys::duckdb_scalar_function_set_volatile(call);
            sys::duckdb_scalar_function_set_special_handling(call);
            sys::duckdb_scalar_function_set_extra_info(call, owned(desk), Some(drop_desk));
            sys::duckdb_scalar_function_set_function(call, Some(make_calls));
            let also = sys::duckdb_register_scalar_function(self.0.raw, call);
            sys::duckdb_destroy_scalar_function(&raw mut call);
            [registered, also]
        };
        if states == [sys::DuckDBSuccess; 2] {
            Ok(())
        } else {
            Err(untyped("the instance's own functions could not be registered"))
        }
    }
}

/// A count of the desk for the engine.
fn owned(desk: &Arc<Desk>) -> *mut c_void {
    Arc::into_raw(Arc::clone(desk)).cast_mut().cast()
}

/// SAFETY: `desk` is a pointer that `owned` made, given back once.
unsafe extern "C" fn drop_desk(desk: *mut c_void) {
    drop(unsafe { Arc::from_raw(desk.cast_const().cast::<Desk>()) });
}

/// SAFETY: `data` is a `Box<T>` turned into a pointer, given back once.
unsafe extern "C" fn drop_box<T>(data: *mut c_void) {
    drop(unsafe { Box::from_raw(data.cast::<T>()) });
}

/// SAFETY: called by the engine with a live `info`, whose extra info is the desk; objects made here are freed here.
unsafe extern "C" fn bind_rows(info: sys::duckdb_bind_info) {
    unsafe {
        let desk = &*sys::duckdb_bind_get_extra_info(info).cast::<Desk>();
        let mut value = sys::duckdb_bind_get_parameter(info, 0);
        let text = sys::duckdb_get_varchar(value);
        let name = copy(text);
        sys::duckdb_free(text.cast());
        sys::duckdb_destroy_value(&raw mut value);
        let Some((_, columns)) = pintail_pgcatalog::LIVE.iter().find(|(known, _)| *known == name) else {
            sys::duckdb_bind_set_error(info, c"no such relation".as_ptr());
            return;
        };
        let text = LogicalType::of(sys::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR);
        for column in *columns {
            let column = CString::new(*column).unwrap_or_default();
            sys::duckdb_bind_add_result_column(info, column.as_ptr(), text.0);
        }
        desk.bind(&name);
        let data = Box::into_raw(Box::new(name));
        sys::duckdb_bind_set_bind_data(info, data.cast(), Some(drop_box::<String>));
    }
}

/// SAFETY: as for `bind_rows`, whose data is a `String`.
unsafe extern "C" fn init_rows(info: sys::duckdb_init_info) {
    unsafe {
        let desk = &*sys::duckdb_init_get_extra_info(info).cast::<Desk>();
        let name = &*sys::duckdb_init_get_bind_data(info).cast::<String>();
        let Some(table) = desk.table(name) else {
            sys::duckdb_init_set_error(info, c"the relation has no rows in this statement".as_ptr());
            return;
        };
        let at = AtomicUsize::new(0);
        let data = Box::into_raw(Box::new(Scan { table, at }));
        sys::duckdb_init_set_init_data(info, data.cast(), Some(drop_box::<Scan>));
        sys::duckdb_init_set_max_threads(info, 1);
    }
}

/// SAFETY: called by the engine with the data of `init_rows` and a chunk of that many columns of text.
unsafe extern "C" fn scan_rows(info: sys::duckdb_function_info, output: sys::duckdb_data_chunk) {
    unsafe {
        let scan = &*sys::duckdb_function_get_init_data(info).cast::<Scan>();
        let most = usize::try_from(sys::duckdb_vector_size()).unwrap_or(1024);
        let from = scan.at.fetch_add(most, Ordering::Relaxed);
        let rows = scan.table.first().map_or(0, Array::len);
        let count = rows.saturating_sub(from).min(most);
        for (column, values) in scan.table.iter().enumerate() {
            let vector = sys::duckdb_data_chunk_get_vector(output, column as u64);
            for row in 0..count {
                if values.is_null(from + row) {
                    set_null(vector, row as u64);
                } else {
                    set_text(vector, row as u64, values.value(from + row));
                }
            }
        }
        sys::duckdb_data_chunk_set_size(output, count as u64);
    }
}

/// SAFETY: called by the engine on flat vectors of texts; the first is the function's name.
unsafe extern "C" fn make_calls(
    info: sys::duckdb_function_info,
    input: sys::duckdb_data_chunk,
    output: sys::duckdb_vector,
) {
    unsafe {
        let desk = &*sys::duckdb_scalar_function_get_extra_info(info).cast::<Desk>();
        let columns: Vec<_> = (0..sys::duckdb_data_chunk_get_column_count(input))
            .map(|column| {
                let vector = sys::duckdb_data_chunk_get_vector(input, column);
                let texts = sys::duckdb_vector_get_data(vector).cast::<sys::duckdb_string_t>();
                (texts, sys::duckdb_vector_get_validity(vector))
            })
            .collect();
        for row in 0..sys::duckdb_data_chunk_get_size(input) {
            let mut texts = columns.iter().map(|(texts, validity)| {
                let is_there = validity.is_null() || sys::duckdb_validity_row_is_valid(*validity, row);
                is_there.then(|| read_text(texts.add(usize::try_from(row).unwrap_or(0))))
            });
            let function = texts.next().flatten().unwrap_or_default();
            match desk.call(&function, texts.collect()) {
                Ok(Some(text)) => set_text(output, row, &text),
                Ok(None) => set_null(output, row),
                Err(()) => {
                    sys::duckdb_scalar_function_set_error(info, c"the call failed".as_ptr());
                    return;
                }
            }
        }
    }
}

/// SAFETY: `text` is a live string of the engine's, which is UTF-8.
unsafe fn read_text(text: *mut sys::duckdb_string_t) -> String {
    unsafe {
        let length = sys::duckdb_string_t_length(*text) as usize;
        let bytes = std::slice::from_raw_parts(sys::duckdb_string_t_data(text).cast::<u8>(), length);
        String::from_utf8_lossy(bytes).into_owned()
    }
}

/// SAFETY: a writable vector of texts with that row; the text is copied.
unsafe fn set_text(vector: sys::duckdb_vector, row: u64, text: &str) {
    unsafe {
        sys::duckdb_vector_assign_string_element_len(vector, row, text.as_ptr().cast(), text.len() as u64);
    }
}

/// SAFETY: a writable vector with that row.
unsafe fn set_null(vector: sys::duckdb_vector, row: u64) {
    unsafe {
        sys::duckdb_vector_ensure_validity_writable(vector);
        sys::duckdb_validity_set_row_invalid(sys::duckdb_vector_get_validity(vector), row);
    }
}
