//! The schema inside each lake that holds what the lake's tables cannot.

/// Statements that make it, with `{catalog}` where the lake's quoted name goes; safe to run again.
pub const HIDDEN_SCHEMA: &[&str] = &[
    "CREATE SCHEMA IF NOT EXISTS {catalog}.\"__pintail\"",
    include_str!("../sql/hidden/constraints.sql"),
];

/// [`HIDDEN_SCHEMA`] for the attached catalog of that name.
pub fn hidden_schema(catalog: &str) -> Vec<String> {
    let quoted = format!("\"{}\"", catalog.replace('"', "\"\""));
    HIDDEN_SCHEMA
        .iter()
        .map(|statement| statement.replace("{catalog}", &quoted))
        .collect()
}
