//! Where a session starts: its catalog's schema, with the installed names behind it.

use pintail_sqlstate::{SqlState, ToReport};

use super::sql::{identifier, literal, read_integer, run};
use crate::engine::capi::Connection;
use crate::engine::mapping;
use crate::error::Error;

/// The installed names, behind every catalog.
const INSTALLED: &str = "__pintail.pg";

/// Makes a catalog the session's own.
///
/// `public` is the engine's `main`. A catalog whose schemas are another system's namespaces may have none of that name; then
/// only the installed names are on the path, and its tables are named with their schema.
pub(crate) fn start_in(connection: &Connection, catalog: &str) -> Result<(), Error> {
    let path = |path: &str| {
        let sql = format!("SET search_path = {}", literal(path));
        run(connection, &sql).map_err(|failure| mapping::to_error(&failure, &sql))
    };
    match path(&format!("{}.main,{INSTALLED}", identifier(catalog))) {
        Err(error) if error.to_report().sqlstate == SqlState::INVALID_SCHEMA_NAME => {
            if !is_attached(connection, catalog)? {
                return Err(Error::UnknownCatalog(catalog.to_owned()));
            }
            path(INSTALLED)
        }
        outcome => outcome,
    }
}

fn is_attached(connection: &Connection, catalog: &str) -> Result<bool, Error> {
    let sql = format!(
        "SELECT count(*)::INTEGER FROM duckdb_databases() WHERE lower(database_name) = lower({})",
        literal(catalog)
    );
    let found = read_integer(connection, &connection.arrow_options(), &sql);
    let found = found.map_err(|failure| mapping::to_error(&failure, &sql))?;
    Ok(found.is_some_and(|count| count > 0))
}
