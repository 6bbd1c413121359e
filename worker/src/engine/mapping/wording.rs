//! The fixed shapes of the engine's messages, where its error type is too coarse, and `PostgreSQL`'s words for them.

use super::shapes::{between, is_whole, quoted};
use pintail_sqlstate::{Report, SqlState};

use super::Parts;

/// `relation "x" does not exist`.
pub(super) fn missing_relation(name: &str) -> Report {
    Report::new(SqlState::UNDEFINED_TABLE, format!("relation \"{name}\" does not exist"))
}

/// An object that is there already.
pub(super) fn duplicate(kind: &str, name: &str) -> Report {
    // What PostgreSQL calls "public" is "main" in the engine.
    let name = if kind == "Schema" && name == "main" {
        "public"
    } else {
        name
    };
    let (state, noun) = match kind {
        "Schema" => (SqlState::DUPLICATE_SCHEMA, "schema"),
        "Type" => (SqlState::DUPLICATE_OBJECT, "type"),
        kind if kind.contains("Function") || kind.contains("Macro") => (SqlState::DUPLICATE_FUNCTION, "function"),
        _ => (SqlState::DUPLICATE_TABLE, "relation"),
    };
    Report::new(state, format!("{noun} \"{name}\" already exists"))
}

/// The metadata's `PostgreSQL` is away. Where it is, is nobody's business here.
pub(super) fn metadata_away(message: &str) -> Option<Report> {
    const SHAPES: &[&str] = &[
        "connection to server",
        "Unable to connect to Postgres",
        "server closed the connection",
        "no connection to the server",
        "could not receive data from server",
        "could not send data to server",
        "terminating connection due to administrator command",
        "the database system is",
        "Connection is already closed",
    ];
    SHAPES.iter().any(|shape| message.contains(shape)).then(|| {
        Report::new(SqlState::IO_ERROR, "the catalog's metadata cannot be reached")
            .with_hint("Try again later. The transaction, if there was one, is lost.")
    })
}

/// An error of the metadata's `PostgreSQL`, which reaches the engine as text: only its message goes on.
pub(super) fn remote(message: &str) -> Option<Report> {
    let text = message.split("ERROR:  ").nth(1)?.lines().next()?.trim_end();
    let state = match text {
        text if text.starts_with("permission denied") || text.starts_with("must be owner") => {
            SqlState::INSUFFICIENT_PRIVILEGE
        }
        text if text.starts_with("could not serialize") || text.starts_with("deadlock") => return Some(serialization()),
        text if text.starts_with("duplicate key") => return Some(serialization()),
        _ => return None,
    };
    Some(Report::new(state, text))
}

/// Catalog errors without a subtype.
pub(super) fn catalog(message: &str) -> Report {
    if let Some(name) = between(message, "unrecognized configuration parameter \"", "\"") {
        return Report::new(
            SqlState::UNDEFINED_OBJECT,
            format!("unrecognized configuration parameter \"{name}\""),
        );
    }
    if message.contains("because schema \"") || message.starts_with("Table with name") && message.contains("not exist")
    {
        return missing_relation(quoted(message).unwrap_or_default());
    }
    if let Some(name) = between(message, "Catalog \"", "\" does not exist") {
        return missing_database(name);
    }
    if let Some(name) = between(message, "Schema with name ", " does not exist")
        .or_else(|| between(message, "Schema with name ", " not found"))
    {
        return missing_schema(name.trim_matches('"'));
    }
    if let Some(name) = between(message, "catalog + schema named \"", "\"") {
        return missing_schema(name);
    }
    let state = match message {
        m if m.contains("already exists") => return exists(m),
        m if m.contains("write-write conflict")
            || m.contains("has been altered")
            || m.contains("is already modified") =>
        {
            return serialization();
        }
        m if m.contains("is not a table") || m.contains("is not a view") || m.contains("is of type") => {
            SqlState::WRONG_OBJECT_TYPE
        }
        m if m.contains("No function matches") => return no_function(m, ""),
        m if m.contains("Could not rename") || m.contains("Cannot rename") => SqlState::DUPLICATE_TABLE,
        m if m.contains("does not exist") => SqlState::UNDEFINED_OBJECT,
        _ => SqlState::SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION,
    };
    Report::new(state, message)
}

fn exists(message: &str) -> Report {
    let name = quoted(message).unwrap_or_default();
    let kind = message.split(' ').next().unwrap_or_default();
    duplicate(kind, name)
}

fn missing_database(name: &str) -> Report {
    Report::new(
        SqlState::INVALID_CATALOG_NAME,
        format!("database \"{name}\" does not exist"),
    )
}

/// Errors of name and type resolution.
pub(super) fn binder(parts: &Parts, message: &str) -> Report {
    match parts.extra("error_subtype") {
        "COLUMN_NOT_FOUND" => return missing_column(parts.extra("name")),
        "NO_MATCHING_FUNCTION" => return no_function(message, parts.extra("call")),
        _ => {}
    }
    let first = message.lines().next().unwrap_or_default();
    if let Some(name) = between(first, "Referenced table \"", "\" not found") {
        let text = format!("missing FROM-clause entry for table \"{name}\"");
        return Report::new(SqlState::UNDEFINED_TABLE, text);
    }
    if let Some(name) = between(first, "Ambiguous reference to column name \"", "\"")
        .or_else(|| between(first, "Ambiguous reference to \"", "\""))
    {
        return Report::new(
            SqlState::AMBIGUOUS_COLUMN,
            format!("column reference \"{name}\" is ambiguous"),
        );
    }
    if let Some(name) = between(first, "column \"", "\" must appear in the GROUP BY clause") {
        let text = format!("column \"{name}\" must appear in the GROUP BY clause or be used in an aggregate function");
        return Report::new(SqlState::GROUPING_ERROR, text);
    }
    if first.contains("does not have a column")
        || first.contains("Referenced column")
        || first.contains("not found in FROM")
        || first.contains("Referenced update column")
    {
        return column_of_table(first);
    }
    if let Some(name) = between(first, "Prepared statement \"", "\" does not exist") {
        return Report::new(
            SqlState::INVALID_SQL_STATEMENT_NAME,
            format!("prepared statement \"{name}\" does not exist"),
        );
    }
    if let Some(name) = between(first, "Catalog \"", "\" does not exist") {
        return missing_database(name);
    }
    if let Some(name) = between(first, "Schema \"", "\" not found in") {
        return missing_schema(name);
    }
    if let Some(name) = between(first, "Duplicate alias \"", "\"") {
        return Report::new(
            SqlState::DUPLICATE_ALIAS,
            format!("table name \"{name}\" specified more than once"),
        );
    }
    Report::new(binder_state(first), first_sentence(message))
}

fn binder_state(first: &str) -> SqlState {
    const SHAPES: &[(&str, SqlState)] = &[
        ("No function matches", SqlState::UNDEFINED_FUNCTION),
        ("Could not choose a best candidate", SqlState::AMBIGUOUS_FUNCTION),
        ("GROUP BY", SqlState::GROUPING_ERROR),
        ("aggregates", SqlState::GROUPING_ERROR),
        ("aggregate function", SqlState::GROUPING_ERROR),
        ("HAVING", SqlState::GROUPING_ERROR),
        ("window function", SqlState::WINDOWING_ERROR),
        ("Window function", SqlState::WINDOWING_ERROR),
        ("columns but", SqlState::SYNTAX_ERROR),
        ("number of columns", SqlState::SYNTAX_ERROR),
        ("same number of", SqlState::SYNTAX_ERROR),
        ("values were supplied", SqlState::SYNTAX_ERROR),
        ("VALUES lists must all be the same length", SqlState::SYNTAX_ERROR),
        ("ORDER term out of range", SqlState::INVALID_COLUMN_REFERENCE),
        ("term out of range", SqlState::INVALID_COLUMN_REFERENCE),
        ("Subquery returns", SqlState::SYNTAX_ERROR),
        ("Duplicate column", SqlState::DUPLICATE_COLUMN),
        ("duplicate column", SqlState::DUPLICATE_COLUMN),
        ("Cannot mix values of type", SqlState::DATATYPE_MISMATCH),
        ("Cannot compare values of type", SqlState::UNDEFINED_FUNCTION),
        ("Cannot combine types", SqlState::DATATYPE_MISMATCH),
        ("Unimplemented type for cast", SqlState::CANNOT_COERCE),
        ("cannot be cast", SqlState::CANNOT_COERCE),
        ("but required type", SqlState::DATATYPE_MISMATCH),
        ("read-only", SqlState::READ_ONLY_SQL_TRANSACTION),
        ("permission", SqlState::INSUFFICIENT_PRIVILEGE),
        ("NULL values are not allowed", SqlState::NOT_NULL_VIOLATION),
        ("not supported", SqlState::FEATURE_NOT_SUPPORTED),
        ("not yet supported", SqlState::FEATURE_NOT_SUPPORTED),
        ("not implemented", SqlState::FEATURE_NOT_SUPPORTED),
        ("There are no UNIQUE/PRIMARY KEY", SqlState::INVALID_COLUMN_REFERENCE),
        ("is not referenced by a UNIQUE", SqlState::INVALID_COLUMN_REFERENCE),
        ("parameter", SqlState::INDETERMINATE_DATATYPE),
    ];
    let shape = SHAPES.iter().find(|(shape, _)| first.contains(shape));
    shape.map_or(SqlState::SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION, |(_, state)| *state)
}

fn missing_column(name: &str) -> Report {
    Report::new(SqlState::UNDEFINED_COLUMN, format!("column \"{name}\" does not exist"))
}

fn column_of_table(first: &str) -> Report {
    if let Some(table) = between(first, "Table \"", "\" does not have a column") {
        let column = between(first, "with name \"", "\"").or_else(|| between(first, "named \"", "\""));
        let column = column.unwrap_or_default();
        let text = format!("column \"{column}\" of relation \"{table}\" does not exist");
        return Report::new(SqlState::UNDEFINED_COLUMN, text);
    }
    missing_column(
        between(first, "column \"", "\"")
            .or_else(|| between(first, "column named \"", "\""))
            .or_else(|| between(first, "update column ", " not found"))
            .unwrap_or_default(),
    )
}

fn no_function(message: &str, call: &str) -> Report {
    const HINT: &str =
        "No function matches the given name and argument types. You might need to add explicit type casts.";
    const OPERATOR_HINT: &str =
        "No operator matches the given name and argument types. You might need to add explicit type casts.";
    let call = if call.is_empty() {
        between(message, "argument types '", "'").unwrap_or_default()
    } else {
        call
    };
    let Some((name, types)) = call.strip_suffix(')').and_then(|call| call.split_once('(')) else {
        return Report::new(SqlState::UNDEFINED_FUNCTION, first_sentence(message)).with_hint(HINT);
    };
    let types: Vec<_> = types
        .split(", ")
        .filter(|name| !name.is_empty())
        .map(type_name)
        .collect();
    let is_operator = !name.is_empty() && name.chars().all(|c| "+-*/<>=~!@#%^&|`?".contains(c));
    if is_operator && let [left, right] = types.as_slice() {
        let text = format!("operator does not exist: {left} {name} {right}");
        return Report::new(SqlState::UNDEFINED_FUNCTION, text).with_hint(OPERATOR_HINT);
    }
    if is_operator && let [operand] = types.as_slice() {
        let text = format!("operator does not exist: {name} {operand}");
        return Report::new(SqlState::UNDEFINED_FUNCTION, text).with_hint(OPERATOR_HINT);
    }
    let text = format!("function {name}({}) does not exist", types.join(", "));
    Report::new(SqlState::UNDEFINED_FUNCTION, text).with_hint(HINT)
}

/// A value that does not fit its target type.
pub(super) fn conversion(message: &str) -> Report {
    let first = message.lines().next().unwrap_or_default();
    let first = first.split(" when casting from ").next().unwrap_or(first);
    if let Some(value) = between(first, "Could not convert string '", "' to ")
        .or_else(|| between(first, "Could not convert string \"", "\" to "))
    {
        let target = first
            .rsplit(" to ")
            .next()
            .map(|t| t.trim_matches(|c| c == '\'' || c == '"' || c == '.'));
        return bad_text(&type_name(target.unwrap_or_default()), value);
    }
    for (field, kind) in [
        ("timestamp", "timestamp"),
        ("date", "date"),
        ("time", "time"),
        ("interval", "interval"),
    ] {
        let shape = format!("invalid {field} field format: \"");
        if let Some(value) = between(first, &shape, "\"") {
            return bad_date(kind, value);
        }
        if first.contains(&format!("{field} field value out of range")) {
            let value = quoted(first).unwrap_or_default();
            // The engine says so of everything that is no time.
            if !value.contains(|c: char| c.is_ascii_digit()) {
                return bad_date(kind, value);
            }
            let text = format!("date/time field value out of range: \"{value}\"");
            return Report::new(SqlState::DATETIME_FIELD_OVERFLOW, text);
        }
    }
    if let Some(target) = first.split("destination type ").nth(1) {
        return out_of_range_of(&type_name(target.trim()));
    }
    let state = match first {
        m if m.contains("out of range")
            || m.contains("Could not cast value")
            || m.contains("Could not convert DECIMAL") =>
        {
            return out_of_range(first);
        }
        m if m.contains("Could not convert Interval") || m.contains("interval") => SqlState::INVALID_DATETIME_FORMAT,
        m if m.contains("Malformed JSON") => {
            return Report::new(
                SqlState::INVALID_TEXT_REPRESENTATION,
                "invalid input syntax for type json",
            )
            .with_detail(first.to_owned());
        }
        m if m.contains("Unimplemented type for cast") => SqlState::CANNOT_COERCE,
        _ => SqlState::INVALID_TEXT_REPRESENTATION,
    };
    Report::new(state, first)
}

fn bad_text(kind: &str, value: &str) -> Report {
    match kind {
        "date" | "interval" => bad_date(kind, value),
        _ if kind.starts_with("time") => bad_date(kind, value),
        "smallint" | "integer" | "bigint" if is_whole(value) => Report::new(
            SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
            format!("value \"{value}\" is out of range for type {kind}"),
        ),
        _ => Report::new(
            SqlState::INVALID_TEXT_REPRESENTATION,
            format!("invalid input syntax for type {kind}: \"{value}\""),
        ),
    }
}

fn bad_date(kind: &str, value: &str) -> Report {
    Report::new(
        SqlState::INVALID_DATETIME_FORMAT,
        format!("invalid input syntax for type {kind}: \"{value}\""),
    )
}

fn out_of_range_of(kind: &str) -> Report {
    let text = if kind == "numeric" {
        "numeric field overflow".to_owned()
    } else {
        format!("{kind} out of range")
    };
    Report::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, text)
}

/// Arithmetic past a type's range.
pub(super) fn out_of_range(message: &str) -> Report {
    let first = message.lines().next().unwrap_or_default();
    let lower = first.to_ascii_lowercase();
    if lower.contains("timestamp") || lower.contains("date ") || lower.contains("interval") {
        let kind = if lower.contains("interval") {
            "interval"
        } else {
            "timestamp"
        };
        return Report::new(SqlState::DATETIME_FIELD_OVERFLOW, format!("{kind} out of range"));
    }
    for name in [
        "INT8", "INT16", "INT32", "INT64", "INT128", "DECIMAL", "FLOAT", "DOUBLE",
    ] {
        if first
            .split(|c: char| !c.is_ascii_alphanumeric())
            .any(|word| word == name)
        {
            return out_of_range_of(&type_name(name));
        }
    }
    Report::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, first)
}

/// A broken constraint.
pub(super) fn constraint(message: &str) -> Report {
    let first = message.lines().next().unwrap_or_default();
    if let Some(name) = first.split("NOT NULL constraint failed: ").nth(1) {
        let (table, column) = name.rsplit_once('.').unwrap_or(("", name));
        let column = column.trim();
        let table = table.rsplit('.').next().unwrap_or_default();
        let text = if table.is_empty() {
            format!("null value in column \"{column}\" violates not-null constraint")
        } else {
            format!("null value in column \"{column}\" of relation \"{table}\" violates not-null constraint")
        };
        let mut report = Report::new(SqlState::NOT_NULL_VIOLATION, text);
        report.column = Some(column.to_owned());
        report.table = (!table.is_empty()).then(|| table.to_owned());
        return report;
    }
    if first.contains("duplicate key") || first.contains("Duplicate key") || first.contains("unique constraint") {
        let key = quoted(first).unwrap_or_default();
        return Report::new(
            SqlState::UNIQUE_VIOLATION,
            "duplicate key value violates unique constraint",
        )
        .with_detail(format!("Key ({key}) already exists."));
    }
    if first.to_ascii_lowercase().contains("foreign key") {
        return Report::new(SqlState::FOREIGN_KEY_VIOLATION, first);
    }
    if let Some(table) = first.split("CHECK constraint failed on table ").nth(1) {
        let table = table.split(' ').next().unwrap_or_default();
        let text = format!("new row for relation \"{table}\" violates check constraint");
        let mut report = Report::new(SqlState::CHECK_VIOLATION, text).with_detail(first.to_owned());
        report.table = Some(table.to_owned());
        return report;
    }
    let state = if first.contains("CHECK") {
        SqlState::CHECK_VIOLATION
    } else {
        SqlState::INTEGRITY_CONSTRAINT_VIOLATION
    };
    Report::new(state, first)
}

/// Transaction control and conflicts.
pub(super) fn transaction(message: &str) -> Report {
    let lower = message.to_ascii_lowercase();
    if lower.contains("conflict") || lower.contains("serializ") || lower.contains("another transaction") {
        return serialization().with_detail(first_sentence(message));
    }
    if lower.contains("is aborted") {
        let text = "current transaction is aborted, commands ignored until end of transaction block";
        return Report::new(SqlState::IN_FAILED_SQL_TRANSACTION, text);
    }
    if lower.contains("within a transaction") {
        return Report::new(
            SqlState::ACTIVE_SQL_TRANSACTION,
            "there is already a transaction in progress",
        );
    }
    if lower.contains("no transaction is active") {
        return Report::new(
            SqlState::NO_ACTIVE_SQL_TRANSACTION,
            "there is no transaction in progress",
        );
    }
    if lower.contains("read-only") || lower.contains("read only") {
        let text = "cannot execute this statement in a read-only transaction";
        return Report::new(SqlState::READ_ONLY_SQL_TRANSACTION, text);
    }
    // The lake rolls back what it could not commit; where it cannot even do that, its metadata is out of reach.
    if lower.contains("failed to commit") && lower.contains("failed to execute query \"rollback\"") {
        let text = "the catalog's metadata cannot be reached, and whether the transaction took effect is not known";
        return Report::new(SqlState::TRANSACTION_RESOLUTION_UNKNOWN, text);
    }
    if lower.contains("failed to commit") {
        return constraint_or_conflict(message);
    }
    Report::new(SqlState::INVALID_TRANSACTION_STATE, first_sentence(message))
}

fn constraint_or_conflict(message: &str) -> Report {
    if message.contains("duplicate key") || message.contains("constraint") {
        return constraint(message);
    }
    serialization().with_detail(first_sentence(message))
}

fn serialization() -> Report {
    Report::new(
        SqlState::T_R_SERIALIZATION_FAILURE,
        "could not serialize access due to concurrent update",
    )
    .with_hint("The transaction might succeed if retried.")
}

fn missing_schema(name: &str) -> Report {
    Report::new(
        SqlState::INVALID_SCHEMA_NAME,
        format!("schema \"{name}\" does not exist"),
    )
}

/// Refusals of the engine's wall.
pub(super) fn permission(message: &str) -> Report {
    Report::new(SqlState::INSUFFICIENT_PRIVILEGE, first_sentence(message))
}

/// The engine's catch-all.
pub(super) fn invalid_input(message: &str) -> Report {
    const SHAPES: &[(&str, SqlState)] = &[
        ("schema with name", SqlState::INVALID_SCHEMA_NAME),
        ("configuration has been locked", SqlState::INSUFFICIENT_PRIVILEGE),
        ("has been disabled", SqlState::INSUFFICIENT_PRIVILEGE),
        ("is disabled", SqlState::INSUFFICIENT_PRIVILEGE),
        ("read-only", SqlState::READ_ONLY_SQL_TRANSACTION),
        (
            "more than one row returned by a subquery",
            SqlState::CARDINALITY_VIOLATION,
        ),
        ("more than one row", SqlState::CARDINALITY_VIOLATION),
        ("division by zero", SqlState::DIVISION_BY_ZERO),
        ("out of range", SqlState::NUMERIC_VALUE_OUT_OF_RANGE),
        ("overflow", SqlState::NUMERIC_VALUE_OUT_OF_RANGE),
        ("conflict", SqlState::T_R_SERIALIZATION_FAILURE),
        ("regular expression", SqlState::INVALID_REGULAR_EXPRESSION),
        ("regex", SqlState::INVALID_REGULAR_EXPRESSION),
        ("values were not provided", SqlState::UNDEFINED_PARAMETER),
        ("parameter", SqlState::UNDEFINED_PARAMETER),
        ("malformed json", SqlState::INVALID_TEXT_REPRESENTATION),
        ("not implemented", SqlState::FEATURE_NOT_SUPPORTED),
        ("not supported", SqlState::FEATURE_NOT_SUPPORTED),
    ];
    if let Some(name) = between(message, "ecret with name '", "' already exists") {
        return Report::new(SqlState::DUPLICATE_OBJECT, format!("secret \"{name}\" already exists"));
    }
    if let Some(name) = between(message, "non-existent secret with name '", "'") {
        return Report::new(SqlState::UNDEFINED_OBJECT, format!("secret \"{name}\" does not exist"));
    }
    let lower = message.to_ascii_lowercase();
    let state = SHAPES
        .iter()
        .find(|(shape, _)| lower.contains(shape))
        .map(|(_, state)| *state);
    if state == Some(SqlState::CARDINALITY_VIOLATION) {
        return Report::new(
            SqlState::CARDINALITY_VIOLATION,
            "more than one row returned by a subquery used as an expression",
        );
    }
    Report::new(
        state.unwrap_or(SqlState::INVALID_PARAMETER_VALUE),
        first_sentence(message),
    )
}

/// Settings that cannot be.
pub(super) fn configuration(message: &str) -> Report {
    let state = if message.contains("locked") {
        SqlState::INSUFFICIENT_PRIVILEGE
    } else {
        SqlState::INVALID_PARAMETER_VALUE
    };
    Report::new(state, first_sentence(message))
}

/// Memory, and the temporary directory's room.
pub(super) fn out_of_memory(message: &str) -> Report {
    let lower = message.to_ascii_lowercase();
    if lower.contains("temp_directory_size") || lower.contains("failed to offload") {
        return Report::new(SqlState::DISK_FULL, "the temporary directory is full")
            .with_detail(first_sentence(message));
    }
    Report::new(SqlState::OUT_OF_MEMORY, "out of memory").with_detail(first_sentence(message))
}

/// Files and what is behind them.
pub(super) fn io(message: &str) -> Report {
    let lower = message.to_ascii_lowercase();
    let state = match () {
        () if lower.contains("no space left") || lower.contains("disk full") => SqlState::DISK_FULL,
        () if lower.contains("permission denied") || lower.contains("operation not permitted") => {
            SqlState::INSUFFICIENT_PRIVILEGE
        }
        () if lower.contains("conflict")
            || lower.contains("could not serialize")
            || lower.contains("failed to commit ducklake") =>
        {
            return serialization().with_detail(first_sentence(message));
        }
        () if lower.contains("no such file") || lower.contains("no files found") => SqlState::UNDEFINED_FILE,
        () if lower.contains("permission denied for") || lower.contains("must be owner") => {
            SqlState::INSUFFICIENT_PRIVILEGE
        }
        () if lower.contains("unable to connect") || lower.contains("connection refused") => {
            SqlState::CONNECTION_FAILURE
        }
        () => SqlState::IO_ERROR,
    };
    Report::new(state, first_sentence(message))
}

/// The first paragraph, which the engine's advice follows.
fn first_sentence(message: &str) -> &str {
    message.split("\n\n").next().unwrap_or(message).trim_end()
}

/// `PostgreSQL`'s name of a type as the engine writes it in messages.
pub(super) fn type_name(engine: &str) -> String {
    let (base, rest) = engine.find(['(', '[']).map_or((engine, ""), |at| engine.split_at(at));
    let name = match base {
        "INT8" | "TINYINT" | "INT16" | "SMALLINT" | "UINT8" | "UTINYINT" => "smallint",
        "INT32" | "INTEGER" | "INTEGER_LITERAL" | "UINT16" | "USMALLINT" => "integer",
        "INT64" | "BIGINT" | "UINT32" | "UINTEGER" => "bigint",
        "INT128" | "HUGEINT" | "UHUGEINT" | "UBIGINT" | "UINT64" | "DECIMAL" => return "numeric".to_owned(),
        "BOOL" | "BOOLEAN" => "boolean",
        "FLOAT" => "real",
        "DOUBLE" => "double precision",
        "VARCHAR" => "text",
        "STRING_LITERAL" | "\"NULL\"" | "SQLNULL" => "unknown",
        "BLOB" => "bytea",
        "TIMESTAMP" => "timestamp without time zone",
        "TIMESTAMP WITH TIME ZONE" => "timestamp with time zone",
        "TIME" => "time without time zone",
        "TIME WITH TIME ZONE" => "time with time zone",
        other => return engine.replacen(other, &other.to_ascii_lowercase(), 1),
    };
    format!("{name}{rest}")
}
