//! The engine: one `DuckDB` instance a session, opened, walled in and driven here.
//!
//! Knows `DuckDB`'s settings, types, values and errors. Knows nothing of Flight, of tokio or of the client's protocol.

pub(crate) mod capi;
pub(crate) mod desk;
pub(crate) mod failure;
pub(crate) mod instance;
pub(crate) mod mapping;
pub(crate) mod parameters;
pub(crate) mod shape;
pub(crate) mod standby;

use libduckdb_sys as sys;

use self::capi::LogicalType;

/// How a statement answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Returns {
    /// Rows.
    Rows,
    /// A number of changed rows.
    Changed,
    /// Nothing.
    Nothing,
}

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

impl LogicalType {
    /// Whether it has named parts, members or labels.
    pub(crate) fn is_composite(&self) -> bool {
        matches!(
            self.id(),
            sys::DUCKDB_TYPE_DUCKDB_TYPE_STRUCT
                | sys::DUCKDB_TYPE_DUCKDB_TYPE_MAP
                | sys::DUCKDB_TYPE_DUCKDB_TYPE_UNION
                | sys::DUCKDB_TYPE_DUCKDB_TYPE_ENUM
        )
    }

    /// Whether it is a `DECIMAL`.
    pub(crate) fn is_decimal(&self) -> bool {
        self.id() == sys::DUCKDB_TYPE_DUCKDB_TYPE_DECIMAL
    }

    /// Whether it is a `BIGINT`.
    pub(crate) fn is_bigint(&self) -> bool {
        self.id() == sys::DUCKDB_TYPE_DUCKDB_TYPE_BIGINT
    }

    /// Whether it is a `BOOLEAN`.
    pub(crate) fn is_boolean(&self) -> bool {
        self.id() == sys::DUCKDB_TYPE_DUCKDB_TYPE_BOOLEAN
    }

    /// Whether the engine leaves it open until a value is bound.
    pub(crate) fn is_unknown(&self) -> bool {
        matches!(
            self.id(),
            sys::DUCKDB_TYPE_DUCKDB_TYPE_INVALID | sys::DUCKDB_TYPE_DUCKDB_TYPE_ANY
        )
    }
}
