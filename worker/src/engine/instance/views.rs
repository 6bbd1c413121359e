//! The catalogs' views (`pg_catalog` and its kin) in an instance: attached from a file, or made in each.

use std::path::Path;

use super::sql::literal;
use super::{Builder, failed};
use crate::engine::capi::Database;
use crate::error::Error;

/// Puts the views into an instance.
pub(super) fn install(builder: &mut Builder, file: Option<&Path>) -> Result<(), Error> {
    const STEP: &str = "install the catalogs' views";
    builder.run(STEP, pintail_pgcatalog::INSTANCE)?;
    if let Some(file) = file {
        let path = literal(&file.to_string_lossy());
        return builder.run(STEP, &format!("ATTACH {path} AS __pintail (READ_ONLY)"));
    }
    builder.run(STEP, "ATTACH ':memory:' AS __pintail")?;
    pintail_pgcatalog::install()
        .iter()
        .try_for_each(|sql| builder.run(STEP, sql))
}

/// Makes the file of the catalogs' views, whole or not at all. For a process that does nothing else.
pub(crate) fn make_catalog_file(file: &Path) -> Result<(), Error> {
    const STEP: &str = "make the catalogs' file";
    let io = |source| Error::Io {
        what: format!("cannot write {}", file.display()),
        source,
    };
    let part = file.with_extension(format!("part{}", std::process::id()));
    let database = Database::open(&[("threads", "1")], Vec::new()).map_err(|failure| failed("open", &failure))?;
    let connection = database.connect().map_err(|failure| failed("connect", &failure))?;
    let mut builder = Builder::on(connection)?;
    builder.run(STEP, pintail_pgcatalog::INSTANCE)?;
    let path = literal(&part.to_string_lossy());
    builder.run(STEP, &format!("ATTACH {path} AS __pintail (STORAGE_VERSION 'v1.5.0')"))?;
    pintail_pgcatalog::install()
        .iter()
        .try_for_each(|sql| builder.run(STEP, sql))?;
    builder.run(STEP, "CHECKPOINT __pintail; USE memory; DETACH __pintail")?;
    drop((builder, database));
    std::fs::rename(&part, file).map_err(io)
}
