//! `DuckDB`'s C interface as safe values: the one module of the worker that holds `unsafe`.
//!
//! Each type owns its C object, frees it once, and keeps alive what the object points into. What is safe by itself is in
//! [`plain`]; batches on their way in are [`append`]'s and [`feed`]'s; the rest is the callers'.
#![allow(unsafe_code)]

mod append;
mod casts;
pub(crate) mod feed;
mod hooks;
mod plain;

use std::any::Any;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ffi::{CStr, c_char};
use std::ptr;
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::{RecordBatch, RecordBatchOptions, StructArray};
use arrow_schema::{DataType, Schema, SchemaRef};
use libduckdb_sys as sys;

use self::plain::{arrow_failure, c_text, hugeint, low_half, untyped};
use super::Returns;
use super::failure::Failure;

/// SAFETY of all: the object was made once, is destroyed here only, and after everything that points into it, because what
/// points into it holds an `Arc` of it. Null and empty objects are accepted.
macro_rules! destroyed {
    ($($name:ident.$field:tt by $destroy:ident;)*) => {
        $(impl Drop for $name {
            fn drop(&mut self) {
                unsafe { sys::$destroy(&raw mut self.$field) };
            }
        })*
    };
}

destroyed! {
    RawDatabase.0 by duckdb_close;
    RawConnection.raw by duckdb_disconnect;
    Statements.raw by duckdb_destroy_extracted;
    Prepared.raw by duckdb_destroy_prepare;
    ResultSet.raw by duckdb_destroy_result;
    Chunk.raw by duckdb_destroy_data_chunk;
    ArrowOptions.raw by duckdb_destroy_arrow_options;
    LogicalType.0 by duckdb_destroy_logical_type;
    Value.0 by duckdb_destroy_value;
}

/// The instance, and what must be kept until it is closed.
struct RawDatabase(
    sys::duckdb_database,
    #[expect(dead_code, reason = "held for its drop")] Vec<Box<dyn Any + Send + Sync>>,
);
// SAFETY: a database handle is a shared pointer inside; the C interface documents it as usable from any thread.
unsafe impl Send for RawDatabase {}
unsafe impl Sync for RawDatabase {}

/// A `DuckDB` instance.
#[derive(Clone)]
pub(crate) struct Database(Arc<RawDatabase>);

impl Database {
    /// Opens an instance in memory with start-up settings. `kept` is dropped after the instance was closed.
    pub(crate) fn open(settings: &[(&str, &str)], kept: Vec<Box<dyn Any + Send + Sync>>) -> Result<Self, Failure> {
        let (mut config, mut raw, mut message) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        let path = c_text(":memory:")?;
        let text = |(name, value): &(&str, &str)| Ok((c_text(name)?, c_text(value)?));
        let settings = settings.iter().map(text).collect::<Result<Vec<_>, Failure>>()?;
        // SAFETY: all pointers are valid for the calls; the configuration is destroyed on each way out and the message
        // is freed after it was copied.
        unsafe {
            sys::duckdb_create_config(&raw mut config);
            for (name, value) in &settings {
                sys::duckdb_set_config(config, name.as_ptr(), value.as_ptr());
            }
            let state = sys::duckdb_open_ext(path.as_ptr(), &raw mut raw, config, &raw mut message);
            sys::duckdb_destroy_config(&raw mut config);
            if state != sys::DuckDBSuccess {
                let text = copy(message);
                sys::duckdb_free(message.cast());
                return Err(untyped(text));
            }
        }
        Ok(Self(Arc::new(RawDatabase(raw, kept))))
    }

    /// Opens a connection.
    pub(crate) fn connect(&self) -> Result<Connection, Failure> {
        let mut raw = ptr::null_mut();
        // SAFETY: the database is open as long as `self` is.
        if unsafe { sys::duckdb_connect(self.0.0, &raw mut raw) } != sys::DuckDBSuccess {
            return Err(untyped("cannot open a connection"));
        }
        let owner = Arc::clone(&self.0);
        Ok(Connection(Arc::new(RawConnection { raw, _owner: owner })))
    }
}

struct RawConnection {
    raw: sys::duckdb_connection,
    _owner: Arc<RawDatabase>,
}
// SAFETY: the client context locks itself on every call, and interruption is an atomic flag.
unsafe impl Send for RawConnection {}
unsafe impl Sync for RawConnection {}

/// One connection; statements and results made from it keep it alive.
#[derive(Clone)]
pub(crate) struct Connection(Arc<RawConnection>);

impl Connection {
    /// Parses a text into its statements.
    pub(crate) fn split(&self, sql: &str) -> Result<Statements, Failure> {
        let sql = c_text(sql)?;
        let mut raw = ptr::null_mut();
        // SAFETY: valid pointers; the object is owned by the returned value, which destroys it.
        let count = unsafe { sys::duckdb_extract_statements(self.0.raw, sql.as_ptr(), &raw mut raw) };
        let connection = self.clone();
        let statements = Statements { raw, count, connection };
        // SAFETY: the object was just made.
        let message = unsafe { sys::duckdb_extract_statements_error(raw) };
        if message.is_null() {
            Ok(statements)
        } else {
            Err(untyped(copy(message)))
        }
    }

    /// Stops what the connection does now, if anything; callable from any thread.
    pub(crate) fn interrupt(&self) {
        // SAFETY: sets an atomic flag of a live connection.
        unsafe { sys::duckdb_interrupt(self.0.raw) }
    }

    /// How the connection writes Arrow, as its settings are now.
    pub(crate) fn arrow_options(&self) -> ArrowOptions {
        let mut raw = ptr::null_mut();
        // SAFETY: valid pointers; owned by the returned value.
        unsafe { sys::duckdb_connection_get_arrow_options(self.0.raw, &raw mut raw) };
        let owner = self.clone();
        ArrowOptions { raw, _owner: owner }
    }
}

/// The statements of one text.
pub(crate) struct Statements {
    raw: sys::duckdb_extracted_statements,
    count: u64,
    connection: Connection,
}

impl Statements {
    /// How many.
    pub(crate) fn len(&self) -> u64 {
        self.count
    }

    /// Prepares one of them; each can be taken once.
    pub(crate) fn prepare(&mut self, index: u64) -> Result<Prepared, Failure> {
        let mut raw = ptr::null_mut();
        // SAFETY: the object is live; the statement is owned by the returned value even where it holds an error.
        let state =
            unsafe { sys::duckdb_prepare_extracted_statement(self.connection.0.raw, self.raw, index, &raw mut raw) };
        let connection = self.connection.clone();
        let prepared = Prepared {
            raw,
            connection,
            indexes: OnceCell::new(),
        };
        if state == sys::DuckDBSuccess {
            Ok(prepared)
        } else {
            Err(prepared.failure())
        }
    }
}

/// A prepared statement.
pub(crate) struct Prepared {
    raw: sys::duckdb_prepared_statement,
    connection: Connection,
    /// The engine's indexes of `$number`: to ask for each by its name takes it a look at all.
    indexes: OnceCell<HashMap<usize, u64>>,
}
// SAFETY: used by one thread at a time; it holds no thread-bound state.
unsafe impl Send for Prepared {}

impl Prepared {
    /// Whether it begins or ends a transaction.
    pub(crate) fn is_transaction_control(&self) -> bool {
        self.statement_type() == sys::duckdb_statement_type_DUCKDB_STATEMENT_TYPE_TRANSACTION
    }

    /// `duckdb_statement_type`.
    pub(crate) fn statement_type(&self) -> u32 {
        // SAFETY: live statement.
        unsafe { sys::duckdb_prepared_statement_type(self.raw) }
    }

    /// Names and types of the result's columns as the engine knows them before parameters are bound.
    pub(crate) fn columns(&self) -> Vec<(String, LogicalType)> {
        // SAFETY: live statement, indices below the count; names are copied and freed.
        unsafe {
            let count = sys::duckdb_prepared_statement_column_count(self.raw);
            (0..count)
                .map(|index| {
                    let name = sys::duckdb_prepared_statement_column_name(self.raw, index);
                    let (text, logical) = (
                        copy(name),
                        sys::duckdb_prepared_statement_column_logical_type(self.raw, index),
                    );
                    sys::duckdb_free(name.cast_mut().cast());
                    (text, LogicalType(logical))
                })
                .collect()
        }
    }

    /// How many distinct parameters the statement names.
    pub(crate) fn param_count(&self) -> u64 {
        // SAFETY: live statement.
        unsafe { sys::duckdb_nparams(self.raw) }
    }

    /// The engine's index of `$number`, if the statement names it.
    pub(crate) fn param_index(&self, number: usize) -> Option<u64> {
        let indexes = self.indexes.get_or_init(|| {
            let named = (1..=self.param_count()).filter_map(|index| Some((self.param_number(index)?, index)));
            named.collect()
        });
        indexes.get(&number).copied()
    }

    fn param_number(&self, index: u64) -> Option<usize> {
        // SAFETY: live statement; the name is copied and freed.
        let name = unsafe {
            let raw = sys::duckdb_parameter_name(self.raw, index);
            let name = (!raw.is_null()).then(|| copy(raw));
            sys::duckdb_free(raw.cast_mut().cast());
            name
        };
        name?.parse().ok()
    }

    /// The type that the engine inferred for a parameter.
    pub(crate) fn param_type(&self, index: u64) -> Option<LogicalType> {
        // SAFETY: live statement; null means unknown.
        let raw = unsafe { sys::duckdb_param_logical_type(self.raw, index) };
        (!raw.is_null()).then_some(LogicalType(raw))
    }

    /// Binds a value.
    pub(crate) fn bind(&mut self, index: u64, value: &Value) -> Result<(), Failure> {
        // SAFETY: live statement and value; the value is copied.
        let state = unsafe { sys::duckdb_bind_value(self.raw, index, value.0) };
        if state == sys::DuckDBSuccess {
            Ok(())
        } else {
            Err(self.failure())
        }
    }

    fn failure(&self) -> Failure {
        // SAFETY: null is accepted, and the text lives as long as the statement.
        untyped(copy(unsafe { sys::duckdb_prepare_error(self.raw) }))
    }

    /// Executes; rows are produced while they are fetched.
    pub(crate) fn execute(&mut self) -> Result<ResultSet, Failure> {
        // SAFETY: an all-zero result is the interface's empty value.
        let (raw, connection) = (unsafe { std::mem::zeroed() }, self.connection.clone());
        let mut result = ResultSet { raw, connection };
        // SAFETY: live statement; the result is owned by `result` even where it holds an error.
        let state = unsafe { sys::duckdb_execute_prepared_streaming(self.raw, &raw mut result.raw) };
        if state == sys::DuckDBSuccess {
            Ok(result)
        } else {
            Err(result.failure())
        }
    }
}

/// A result whose rows are fetched chunk by chunk.
pub(crate) struct ResultSet {
    raw: sys::duckdb_result,
    connection: Connection,
}
// SAFETY: used by one thread at a time.
unsafe impl Send for ResultSet {}

impl ResultSet {
    /// Rows, a count, or nothing.
    pub(crate) fn returns(&self) -> Returns {
        // SAFETY: live result.
        match unsafe { sys::duckdb_result_return_type(self.raw) } {
            sys::duckdb_result_type_DUCKDB_RESULT_TYPE_QUERY_RESULT => Returns::Rows,
            sys::duckdb_result_type_DUCKDB_RESULT_TYPE_CHANGED_ROWS => Returns::Changed,
            _ => Returns::Nothing,
        }
    }

    /// The number of changed rows of a result that is `Returns::Changed`.
    pub(crate) fn rows_changed(&mut self) -> u64 {
        // SAFETY: the engine materialises such a result; for a streaming one the cast inside would be wrong.
        unsafe {
            if sys::duckdb_result_is_streaming(self.raw) {
                return 0;
            }
            sys::duckdb_rows_changed(&raw mut self.raw)
        }
    }

    /// Names and types of the columns.
    pub(crate) fn columns(&mut self) -> Vec<(String, LogicalType)> {
        // SAFETY: live result, indices below the count, names copied.
        unsafe {
            let count = sys::duckdb_column_count(&raw mut self.raw);
            (0..count)
                .map(|index| {
                    let name = copy(sys::duckdb_column_name(&raw mut self.raw, index));
                    let logical = sys::duckdb_column_logical_type(&raw mut self.raw, index);
                    (name, LogicalType(logical))
                })
                .collect()
        }
    }

    /// The columns' types only.
    pub(crate) fn types(&mut self) -> impl Iterator<Item = LogicalType> + '_ {
        // SAFETY: live result, indices below the count.
        let count = unsafe { sys::duckdb_column_count(&raw mut self.raw) };
        (0..count).map(|index| LogicalType(unsafe { sys::duckdb_column_logical_type(&raw mut self.raw, index) }))
    }

    /// The next rows; `None` at the end.
    pub(crate) fn fetch(&mut self) -> Result<Option<Chunk>, Failure> {
        // SAFETY: live result; the chunk is owned by the returned value.
        let raw = unsafe { sys::duckdb_fetch_chunk(self.raw) };
        if !raw.is_null() {
            let owner = self.connection.clone();
            return Ok(Some(Chunk {
                raw,
                _owner: owner,
                _kept: None,
            }));
        }
        // SAFETY: live result.
        let failed = !unsafe { sys::duckdb_result_error(&raw mut self.raw) }.is_null();
        if failed { Err(self.failure()) } else { Ok(None) }
    }

    fn failure(&mut self) -> Failure {
        // SAFETY: live result; the text is copied.
        unsafe {
            let text = copy(sys::duckdb_result_error(&raw mut self.raw));
            Failure::new(sys::duckdb_result_error_type(&raw mut self.raw), text)
        }
    }
}

/// At most 2048 rows in the engine's own layout.
pub(crate) struct Chunk {
    raw: sys::duckdb_data_chunk,
    _owner: Connection,
    /// What vectors made from Arrow point into.
    _kept: Option<RecordBatch>,
}
// SAFETY: a fetched chunk owns its vectors, or shares them by atomic reference counts.
unsafe impl Send for Chunk {}

impl Chunk {
    /// The rows as an Arrow batch of a schema that [`ArrowOptions::schema`] made for the same types.
    pub(crate) fn to_batch(&self, options: &ArrowOptions, schema: &SchemaRef) -> Result<RecordBatch, Failure> {
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: the two structs are the same C layout (the Arrow C data interface); the array is released by its owner.
        let error = unsafe {
            sys::duckdb_data_chunk_to_arrow(options.raw, self.raw, (&raw mut array).cast::<sys::ArrowArray>())
        };
        take_error(error)?;
        let data_type = DataType::Struct(schema.fields().clone());
        // SAFETY: the engine filled the array for exactly these types.
        let data = unsafe { from_ffi_and_data_type(array, data_type) }.map_err(|e| arrow_failure(&e))?;
        let rows = data.len();
        let (_, columns, _) = StructArray::from(data).into_parts();
        let row_count = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(schema), columns, &row_count).map_err(|e| arrow_failure(&e))
    }
}

/// How Arrow is written for one connection.
pub(crate) struct ArrowOptions {
    raw: sys::duckdb_arrow_options,
    _owner: Connection,
}
// SAFETY: read-only after it was made; the context it points to is kept alive and locks itself.
unsafe impl Send for ArrowOptions {}
unsafe impl Sync for ArrowOptions {}

impl ArrowOptions {
    /// The Arrow schema of such columns.
    pub(crate) fn schema(&self, columns: &[(String, LogicalType)]) -> Result<SchemaRef, Failure> {
        let names: Vec<_> = columns.iter().map(|(name, _)| c_text(name)).collect::<Result<_, _>>()?;
        let mut names: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
        let mut types: Vec<_> = columns.iter().map(|(_, logical)| logical.0).collect();
        let (count, mut schema) = (columns.len() as u64, FFI_ArrowSchema::empty());
        let out = (&raw mut schema).cast::<sys::ArrowSchema>();
        // SAFETY: the arrays have `columns.len()` live entries; the structs share the C layout.
        let error =
            unsafe { sys::duckdb_to_arrow_schema(self.raw, types.as_mut_ptr(), names.as_mut_ptr(), count, out) };
        take_error(error)?;
        Schema::try_from(&schema).map(Arc::new).map_err(|e| arrow_failure(&e))
    }
}

/// A type of the engine.
pub(crate) struct LogicalType(sys::duckdb_logical_type);
// SAFETY: an owned, immutable object.
unsafe impl Send for LogicalType {}

impl LogicalType {
    /// The plain type of a `duckdb_type`.
    pub(crate) fn of(id: u32) -> Self {
        // SAFETY: any number is accepted.
        Self(unsafe { sys::duckdb_create_logical_type(id) })
    }

    /// A list of that type.
    pub(crate) fn list_of(child: &Self) -> Self {
        // SAFETY: live type, copied by the call.
        Self(unsafe { sys::duckdb_create_list_type(child.0) })
    }

    /// `DECIMAL(width, scale)`.
    pub(crate) fn decimal_of(width: u8, scale: u8) -> Self {
        // SAFETY: plain numbers.
        Self(unsafe { sys::duckdb_create_decimal_type(width, scale) })
    }

    /// `duckdb_type`.
    pub(crate) fn id(&self) -> u32 {
        // SAFETY: live type.
        unsafe { sys::duckdb_get_type_id(self.0) }
    }

    /// The name that `CREATE TYPE` or the engine gave it; empty for none.
    pub(crate) fn alias(&self) -> String {
        // SAFETY: live type; the text is copied and freed.
        unsafe {
            let name = sys::duckdb_logical_type_get_alias(self.0);
            let text = copy(name);
            sys::duckdb_free(name.cast());
            text
        }
    }

    /// Width and scale of a `DECIMAL`.
    pub(crate) fn decimal(&self) -> (u8, u8) {
        // SAFETY: live type; 0 for other types.
        unsafe { (sys::duckdb_decimal_width(self.0), sys::duckdb_decimal_scale(self.0)) }
    }

    /// The element type of a `LIST` or `ARRAY`.
    pub(crate) fn element(&self) -> Option<Self> {
        // SAFETY: live type, each call for the id it is made for.
        unsafe {
            match self.id() {
                sys::DUCKDB_TYPE_DUCKDB_TYPE_LIST => Some(Self(sys::duckdb_list_type_child_type(self.0))),
                sys::DUCKDB_TYPE_DUCKDB_TYPE_ARRAY => Some(Self(sys::duckdb_array_type_child_type(self.0))),
                _ => None,
            }
        }
    }
}

/// A value to bind.
pub(crate) struct Value(sys::duckdb_value);

/// SAFETY of all: each call copies its plain arguments into a new object that the returned value owns.
macro_rules! values {
    ($($name:ident($($argument:ident: $kind:ty),*) = $call:expr;)*) => {
        impl Value {
            $(pub(crate) fn $name($($argument: $kind),*) -> Self { Self(unsafe { $call }) })*
        }
    };
}

values! {
    null() = sys::duckdb_create_null_value();
    boolean(value: bool) = sys::duckdb_create_bool(value);
    int16(value: i16) = sys::duckdb_create_int16(value);
    int32(value: i32) = sys::duckdb_create_int32(value);
    int64(value: i64) = sys::duckdb_create_int64(value);
    uint32(value: u32) = sys::duckdb_create_uint32(value);
    float(value: f32) = sys::duckdb_create_float(value);
    double(value: f64) = sys::duckdb_create_double(value);
    text(value: &str) = sys::duckdb_create_varchar_length(value.as_ptr().cast(), value.len() as u64);
    blob(value: &[u8]) = sys::duckdb_create_blob(value.as_ptr(), value.len() as u64);
    bit(data: &mut [u8]) =
        sys::duckdb_create_bit(sys::duckdb_bit { data: data.as_mut_ptr(), size: data.len() as u64 });
    date(days: i32) = sys::duckdb_create_date(sys::duckdb_date { days });
    time(micros: i64) = sys::duckdb_create_time(sys::duckdb_time { micros });
    time_tz(micros: i64, east: i32) = sys::duckdb_create_time_tz_value(sys::duckdb_create_time_tz(micros, east));
    timestamp(micros: i64) = sys::duckdb_create_timestamp(sys::duckdb_timestamp { micros });
    timestamp_tz(micros: i64) = sys::duckdb_create_timestamp_tz(sys::duckdb_timestamp { micros });
    interval(months: i32, days: i32, micros: i64) =
        sys::duckdb_create_interval(sys::duckdb_interval { months, days, micros });
    uuid(value: u128) =
        sys::duckdb_create_uuid(sys::duckdb_uhugeint { lower: low_half(value), upper: low_half(value >> 64) });
    decimal(value: i128, width: u8, scale: u8) =
        sys::duckdb_create_decimal(sys::duckdb_decimal { width, scale, value: hugeint(value) });
}

impl Value {
    /// A list; the values are cast to the element type.
    pub(crate) fn list(element: &LogicalType, values: &[Self]) -> Self {
        let mut raw: Vec<_> = values.iter().map(|value| value.0).collect();
        // SAFETY: live type and values, which are copied.
        Self(unsafe { sys::duckdb_create_list_value(element.0, raw.as_mut_ptr(), raw.len() as u64) })
    }
}

fn take_error(mut error: sys::duckdb_error_data) -> Result<(), Failure> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: live error data, destroyed here.
    unsafe {
        let failed = sys::duckdb_error_data_has_error(error);
        let kind = sys::duckdb_error_data_error_type(error);
        let text = copy(sys::duckdb_error_data_message(error));
        sys::duckdb_destroy_error_data(&raw mut error);
        if failed { Err(Failure::new(kind, text)) } else { Ok(()) }
    }
}

fn copy(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the engine's texts end in a zero byte and live until the call that frees them.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
