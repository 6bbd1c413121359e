//! How many rows `CREATE TABLE AS` wrote. The engine says that the statement returns nothing, and gives the count in one row.

use arrow_array::Int64Array;

use super::statement::Statement;
use crate::engine::capi::{ArrowOptions, ResultSet};
use crate::error::Error;

/// The count of a result that is `Returns::Nothing`; 0 where there is none.
pub(super) fn rows(statement: &mut Statement, result: &mut ResultSet, arrow: &ArrowOptions) -> Result<u64, Error> {
    if !matches!(result.columns().as_slice(), [(name, _)] if name == "Count") {
        return Ok(0);
    }
    let shape = statement.shape_of(result, arrow)?;
    let fetched = result.fetch();
    let batch = fetched.and_then(|chunk| chunk.map(|chunk| chunk.to_batch(arrow, &shape.schema)).transpose());
    let batch = batch.map_err(|failure| statement.fail(&failure))?;
    let counts = batch
        .as_ref()
        .and_then(|batch| batch.column(0).as_any().downcast_ref::<Int64Array>());
    let count = counts.filter(|counts| counts.len() == 1).map(|counts| counts.value(0));
    Ok(count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0))
}
