//! Small statements: quoting, running for effect, reading one number back.

use crate::engine::capi::{ArrowOptions, Connection};
use crate::engine::failure::Failure;

/// Runs a text's statements and drops their rows.
pub(crate) fn run(connection: &Connection, sql: &str) -> Result<(), Failure> {
    let mut statements = connection.split(sql)?;
    for index in 0..statements.len() {
        let mut result = statements.prepare(index)?.execute()?;
        while result.fetch()?.is_some() {}
    }
    Ok(())
}

/// The first value of a text's first statement, which must be an `INTEGER`.
pub(crate) fn read_integer(connection: &Connection, arrow: &ArrowOptions, sql: &str) -> Result<Option<i32>, Failure> {
    let mut result = connection.split(sql)?.prepare(0)?.execute()?;
    let schema = arrow.schema(&result.columns())?;
    let Some(chunk) = result.fetch()? else { return Ok(None) };
    let batch = chunk.to_batch(arrow, &schema)?;
    let values = batch.column(0).as_any().downcast_ref::<arrow_array::Int32Array>();
    Ok(values.map(|values| values.value(0)))
}

/// A quoted string.
pub(crate) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A quoted name.
pub(crate) fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
