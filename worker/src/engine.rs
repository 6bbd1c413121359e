//! The engine: one `DuckDB` instance a session, opened, walled in and driven here.
//!
//! Knows `DuckDB`'s settings, types, values and errors. Knows nothing of Flight, of tokio or of the client's protocol.

pub(crate) mod capi;
pub(crate) mod instance;
pub(crate) mod mapping;
pub(crate) mod standby;

use libduckdb_sys as sys;

/// Whether preparing alone shows that a statement of this type answers with rows; `None` where it depends on the text.
pub(crate) fn rows_by_type(statement_type: u32) -> Option<bool> {
    match statement_type {
        sys::duckdb_statement_type_DUCKDB_STATEMENT_TYPE_SELECT
        | sys::duckdb_statement_type_DUCKDB_STATEMENT_TYPE_EXPLAIN
        | sys::duckdb_statement_type_DUCKDB_STATEMENT_TYPE_CALL
        | sys::duckdb_statement_type_DUCKDB_STATEMENT_TYPE_RELATION
        | sys::duckdb_statement_type_DUCKDB_STATEMENT_TYPE_LOGICAL_PLAN => Some(true),
        sys::duckdb_statement_type_DUCKDB_STATEMENT_TYPE_INSERT
        | sys::duckdb_statement_type_DUCKDB_STATEMENT_TYPE_UPDATE
        | sys::duckdb_statement_type_DUCKDB_STATEMENT_TYPE_DELETE
        | sys::duckdb_statement_type_DUCKDB_STATEMENT_TYPE_MERGE_INTO
        | sys::duckdb_statement_type_DUCKDB_STATEMENT_TYPE_EXECUTE
        | sys::duckdb_statement_type_DUCKDB_STATEMENT_TYPE_COPY
        | sys::duckdb_statement_type_DUCKDB_STATEMENT_TYPE_PRAGMA => None,
        _ => Some(false),
    }
}
