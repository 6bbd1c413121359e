//! Messages whose error type says nothing of what `PostgreSQL` would call them: known by a piece of their text.

use pintail_sqlstate::{Report, SqlState};

/// What is told in place of a message.
enum Words {
    /// The engine's own, its first line.
    Same,
    /// These.
    Fixed(&'static str),
    /// These, with the message's first quoted part in place of `{}`.
    Named(&'static str),
}

use Words::{Fixed, Named, Same};

const SHAPES: &[(&str, SqlState, Words)] = &[
    (
        "square root of a negative number",
        SqlState::INVALID_ARGUMENT_FOR_POWER_FUNCTION,
        Same,
    ),
    ("cannot take logarithm of", SqlState::INVALID_ARGUMENT_FOR_LOG, Same),
    (
        "is undefined outside [-1,1]",
        SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
        Fixed("input is out of range"),
    ),
    (
        "Invalid escape string",
        SqlState::INVALID_ESCAPE_SEQUENCE,
        Fixed("invalid escape string"),
    ),
    (
        "Ambiguous reference to table \"",
        SqlState::DUPLICATE_ALIAS,
        Named("table name \"{}\" specified more than once"),
    ),
    (
        "Duplicate CTE name \"",
        SqlState::DUPLICATE_ALIAS,
        Named("WITH query name \"{}\" specified more than once"),
    ),
    (
        "term out of range - should be",
        SqlState::INVALID_COLUMN_REFERENCE,
        Same,
    ),
    (
        "interval cannot be 0!",
        SqlState::INVALID_PARAMETER_VALUE,
        Fixed("step size cannot equal zero"),
    ),
    (
        "Date and time not in timestamp range",
        SqlState::DATETIME_FIELD_OVERFLOW,
        Fixed("timestamp out of range"),
    ),
    (
        "extract specifier \"",
        SqlState::INVALID_PARAMETER_VALUE,
        Named("unit \"{}\" not recognized"),
    ),
    (
        "could not convert blob to UTF8 string",
        SqlState::CHARACTER_NOT_IN_REPERTOIRE,
        Fixed("invalid byte sequence for encoding \"UTF8\""),
    ),
    (
        "according to format specifier \"",
        SqlState::INVALID_DATETIME_FORMAT,
        Named("value \"{}\" does not fit the format"),
    ),
    ("Cannot extract field ", SqlState::WRONG_OBJECT_TYPE, Same),
    (
        "is not in the catalog, ",
        SqlState::UNDEFINED_FUNCTION,
        Named("function {} does not exist"),
    ),
    (
        "max_expression_depth",
        SqlState::STATEMENT_TOO_COMPLEX,
        Fixed("stack depth limit exceeded"),
    ),
    (
        "is main key table of",
        SqlState::DEPENDENT_OBJECTS_STILL_EXIST,
        Fixed("cannot drop the table because other objects depend on it"),
    ),
    (
        "because there are entries that depend on it",
        SqlState::DEPENDENT_OBJECTS_STILL_EXIST,
        Named("cannot drop \"{}\" because other objects depend on it"),
    ),
    (
        "has more than one primary key",
        SqlState::INVALID_TABLE_DEFINITION,
        Named("multiple primary keys for table \"{}\" are not allowed"),
    ),
    (
        "DEFAULT value cannot contain column names",
        SqlState::FEATURE_NOT_SUPPORTED,
        Fixed("cannot use column reference in DEFAULT expression"),
    ),
    (
        "Multiple assignments to same column",
        SqlState::SYNTAX_ERROR,
        Named("multiple assignments to same column \"{}\""),
    ),
    (
        "* expression without FROM clause",
        SqlState::SYNTAX_ERROR,
        Fixed("SELECT * with no tables specified is not valid"),
    ),
    (" columns available but ", SqlState::INVALID_COLUMN_REFERENCE, Same),
    (
        "Time out of range",
        SqlState::DATETIME_FIELD_OVERFLOW,
        Fixed("time field value out of range"),
    ),
    (
        "Date out of range",
        SqlState::DATETIME_FIELD_OVERFLOW,
        Fixed("date out of range"),
    ),
    (
        "Invalid hex escape code",
        SqlState::INVALID_PARAMETER_VALUE,
        Fixed("invalid hexadecimal digit"),
    ),
    (
        "Argument for ntile must be greater than zero",
        SqlState::INVALID_ARGUMENT_FOR_NTILE,
        Fixed("argument of ntile must be greater than zero"),
    ),
    (
        "QUANTILE can only take parameters in the range",
        SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
        Fixed("percentile value is not between 0 and 1"),
    ),
    (
        "Cannot deduce template type",
        SqlState::DATATYPE_MISMATCH,
        Fixed("ARRAY types cannot be matched"),
    ),
    (
        "Can only delete from base table",
        SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
        Fixed("cannot delete from a view"),
    ),
    (
        "Can only update base table",
        SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
        Fixed("cannot update a view"),
    ),
    (
        "on database \"__pintail\"",
        SqlState::INSUFFICIENT_PRIVILEGE,
        Fixed("permission denied: the system catalogs cannot be changed"),
    ),
];

/// How RE2 begins what it says of a pattern.
const PATTERNS: &[&str] = &[
    "missing ): ",
    "missing ]: ",
    "missing argument to repetition operator: ",
    "no argument for repetition operator: ",
    "bad repetition operator: ",
    "invalid escape sequence: ",
    "invalid character class: ",
    "invalid character class range: ",
    "invalid perl operator: ",
    "invalid repetition size: ",
    "invalid named capture group: ",
    "unexpected ): ",
    "trailing \\ at end of regexp",
];

/// What the client is told, where the text is known.
pub(super) fn told(message: &str, sql: &str) -> Option<Report> {
    if message.contains("LIMIT/OFFSET cannot be negative") {
        return Some(negative_limit(sql));
    }
    if let Some(zone) = between(message, "Unknown TimeZone '", "'") {
        let text = format!("time zone \"{zone}\" not recognized");
        return Some(Report::new(SqlState::INVALID_PARAMETER_VALUE, text));
    }
    if let Some(name) = between(message, "Column \"", "\" referenced that exists in the SELECT clause") {
        let text = format!("column \"{name}\" does not exist");
        return Some(Report::new(SqlState::UNDEFINED_COLUMN, text));
    }
    if let Some(name) = between(message, "Column with name ", " already exists") {
        let text = format!("column \"{name}\" specified more than once");
        return Some(Report::new(SqlState::DUPLICATE_COLUMN, text));
    }
    if let Some(name) = between(
        message,
        "Table does not contain column ",
        " referenced in check constraint",
    ) {
        return Some(Report::new(
            SqlState::UNDEFINED_COLUMN,
            format!("column \"{name}\" does not exist"),
        ));
    }
    if let Some(name) = between(message, "Existing object ", " is of type ") {
        let wanted = message.rsplit(' ').next().unwrap_or_default().to_ascii_lowercase();
        let text = format!("\"{name}\" is not a {wanted}");
        return Some(Report::new(SqlState::WRONG_OBJECT_TYPE, text));
    }
    if let Some(name) = between(message, "Column \"", "\" does not exist on ") {
        let text = format!("column \"{name}\" specified in USING clause does not exist in one of the tables");
        return Some(Report::new(SqlState::UNDEFINED_COLUMN, text));
    }
    if let Some(name) = message.strip_suffix(" is not an table") {
        return Some(Report::new(
            SqlState::WRONG_OBJECT_TYPE,
            format!("\"{name}\" is not a table"),
        ));
    }
    if PATTERNS.iter().any(|start| message.starts_with(start)) {
        let text = format!("invalid regular expression: {}", first_line(message));
        return Some(Report::new(SqlState::INVALID_REGULAR_EXPRESSION, text));
    }
    let (_, state, words) = SHAPES.iter().find(|(shape, ..)| message.contains(shape))?;
    let text = match words {
        Same => first_line(message).to_owned(),
        Fixed(words) => (*words).to_owned(),
        Named(words) => words.replace("{}", between(message, "\"", "\"").unwrap_or_default()),
    };
    Some(Report::new(*state, text))
}

/// The engine does not say which of the two it was.
fn negative_limit(sql: &str) -> Report {
    if sql.to_ascii_lowercase().contains("limit") {
        Report::new(
            SqlState::INVALID_ROW_COUNT_IN_LIMIT_CLAUSE,
            "LIMIT must not be negative",
        )
    } else {
        Report::new(
            SqlState::INVALID_ROW_COUNT_IN_RESULT_OFFSET_CLAUSE,
            "OFFSET must not be negative",
        )
    }
}

fn first_line(message: &str) -> &str {
    message.lines().next().unwrap_or_default().trim_end()
}

/// A whole number, which can only be too large.
pub(super) fn is_whole(value: &str) -> bool {
    let digits = value.trim().trim_start_matches(['-', '+']);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

pub(super) fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let start = text.find(before)? + before.len();
    let length = text[start..].find(after)?;
    Some(&text[start..start + length])
}

pub(super) fn quoted(text: &str) -> Option<&str> {
    between(text, "\"", "\"")
}
