//! Arrow batches to the engine's chunks, and the appender that takes them.

use std::ffi::CString;
use std::ptr;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::{Array, RecordBatch, StructArray};
use libduckdb_sys as sys;

use super::plain::{arrow_failure, c_text, untyped};
use super::{Chunk, Connection, LogicalType, take_error};
use crate::engine::failure::Failure;

impl Connection {
    /// An appender for a table's columns, all of them in order where `columns` is empty.
    pub(crate) fn appender(
        &self,
        catalog: &str,
        schema: &str,
        table: &str,
        columns: &[String],
    ) -> Result<Appender, Failure> {
        let given = |name: &str| (!name.is_empty()).then(|| c_text(name)).transpose();
        let (catalog, schema, table) = (given(catalog)?, given(schema)?, c_text(table)?);
        let pointer = |name: &Option<CString>| name.as_ref().map_or(ptr::null(), |name| name.as_ptr());
        let (catalog_name, schema_name) = (pointer(&catalog), pointer(&schema));
        let (mut raw, connection) = (ptr::null_mut(), self.clone());
        // SAFETY: valid pointers (the names live on), null for "the default"; owned by the returned value.
        let state = unsafe {
            sys::duckdb_appender_create_ext(self.0.raw, catalog_name, schema_name, table.as_ptr(), &raw mut raw)
        };
        let appender = Appender { raw, connection };
        appender.check(state)?;
        for column in columns {
            let column = c_text(column)?;
            // SAFETY: the appender is live.
            appender.check(unsafe { sys::duckdb_appender_add_column(appender.raw, column.as_ptr()) })?;
        }
        Ok(appender)
    }

    /// A batch of at most 2048 rows in the engine's layout. Callable from any thread.
    pub(crate) fn chunk(&self, batch: &RecordBatch) -> Result<Chunk, Failure> {
        let mut schema = FFI_ArrowSchema::try_from(batch.schema().as_ref()).map_err(|e| arrow_failure(&e))?;
        let mut array = FFI_ArrowArray::new(&StructArray::from(batch.clone()).into_data());
        let mut chunk = Chunk {
            raw: ptr::null_mut(),
            _owner: self.clone(),
            _kept: Some(batch.clone()),
        };
        let (connection, mut converted) = (self.0.raw, ptr::null_mut());
        let (schema, array) = ((&raw mut schema).cast(), (&raw mut array).cast());
        // SAFETY: the structs share the C layout. The engine takes the array over (it clears `release`); the schema stays
        // ours. The converted schema is destroyed, the chunk is owned by `chunk`, which also keeps the batch's buffers.
        unsafe {
            take_error(sys::duckdb_schema_from_arrow(connection, schema, &raw mut converted))?;
            let error = sys::duckdb_data_chunk_from_arrow(connection, array, converted, &raw mut chunk.raw);
            sys::duckdb_destroy_arrow_converted_schema(&raw mut converted);
            take_error(error)?;
        }
        Ok(chunk)
    }
}

impl Chunk {
    /// The columns' types.
    pub(super) fn types(&self) -> Vec<LogicalType> {
        // SAFETY: live chunk, indices below the count; each type is owned by its value.
        unsafe {
            let count = sys::duckdb_data_chunk_get_column_count(self.raw);
            (0..count)
                .map(|index| sys::duckdb_data_chunk_get_vector(self.raw, index))
                .map(|vector| LogicalType(sys::duckdb_vector_get_column_type(vector)))
                .collect()
        }
    }
}

/// Writes batches into a table past the SQL layer.
pub(crate) struct Appender {
    raw: sys::duckdb_appender,
    connection: Connection,
}

impl Drop for Appender {
    fn drop(&mut self) {
        // SAFETY: made once, destroyed here only; null is accepted.
        unsafe { sys::duckdb_appender_destroy(&raw mut self.raw) };
    }
}

impl Appender {
    /// Appends a batch of at most 2048 rows; its types are cast to the table's.
    pub(crate) fn append(&mut self, batch: &RecordBatch) -> Result<(), Failure> {
        let chunk = self.connection.chunk(batch)?;
        // SAFETY: live appender and chunk; the rows are copied.
        self.check(unsafe { sys::duckdb_append_data_chunk(self.raw, chunk.raw) })
    }

    /// Flushes everything.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        // SAFETY: live appender; closing twice (in `drop`) is harmless.
        self.check(unsafe { sys::duckdb_appender_close(self.raw) })
    }

    fn check(&self, state: sys::duckdb_state) -> Result<(), Failure> {
        if state == sys::DuckDBSuccess {
            return Ok(());
        }
        // SAFETY: live appender; the error data is destroyed by `take_error`.
        take_error(unsafe { sys::duckdb_appender_error_data(self.raw) })?;
        Err(untyped("the appender failed"))
    }
}
