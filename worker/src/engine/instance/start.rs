//! Where a session starts: its catalog's schema, with the installed names behind it.

use pintail_sqlstate::{SqlState, ToReport};

use super::sql::{identifier, literal, run};
use crate::engine::capi::Connection;
use crate::engine::mapping;
use crate::error::Error;

/// Makes a catalog the session's own.
///
/// `public` is the engine's `main`, which every kind of catalog has: an Iceberg catalog takes the name for the namespace
/// `public`, whether that exists or not.
pub(crate) fn start_in(connection: &Connection, catalog: &str) -> Result<(), Error> {
    let path = literal(&format!("{}.main,__pintail.pg", identifier(catalog)));
    let sql = format!("SET search_path = {path}");
    let failure = match run(connection, &sql) {
        Ok(()) => return Ok(()),
        Err(failure) => failure,
    };
    let error = mapping::to_error(&failure, &sql);
    if error.to_report().sqlstate == SqlState::INVALID_SCHEMA_NAME {
        return Err(Error::UnknownCatalog(catalog.to_owned()));
    }
    Err(error)
}
