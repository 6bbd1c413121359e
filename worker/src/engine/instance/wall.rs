//! The engine's own wall: what an instance can no longer do once its catalogs are attached.
//!
//! The order is the point. After `enable_external_access=false` nothing more can be attached or loaded, and after
//! `lock_configuration=true` no setting moves except those of [`FREE_SETTINGS`]. The engine compares the names of files and
//! objects with the allowed prefixes as texts: a link in a directory is the kernel's to stop, and `..` in the name of an
//! object the store's, whose signature covers another name then.

use pintail_worker_api::bootstrap::{Bootstrap, CatalogSource};

use super::sql::{literal, read_integer};
use super::{Builder, failed, iceberg, reach};
use crate::engine::capi::ArrowOptions;
use crate::error::Error;

/// Settings that a session may change after the wall is up: they change no more than how values are shown.
const FREE_SETTINGS: &[&str] = &["timezone", "calendar"];

/// Raises the wall.
pub(super) fn raise(builder: &mut Builder, bootstrap: &Bootstrap) -> Result<(), Error> {
    let own: Vec<_> = reach::prefixes(bootstrap)
        .iter()
        .map(|prefix| literal(prefix))
        .collect();
    let free: Vec<_> = FREE_SETTINGS.iter().map(|name| literal(name)).collect();
    let iceberg = |source: &CatalogSource| matches!(source, CatalogSource::Iceberg { .. });
    if bootstrap.catalogs.iter().any(|spec| iceberg(&spec.source)) {
        // Relative: a directory of the process's own, in which SQL can name nothing else.
        let sql = format!("SET allowed_paths = [{}]", literal(iceberg::PLACEHOLDER));
        builder.run("raise the engine's wall", &sql)?;
    }
    for sql in [
        format!("SET allowed_directories = [{}]", own.join(", ")),
        "SET enable_external_access = false".to_owned(),
        format!("SET allowed_configs = [{}]", free.join(", ")),
        "SET lock_configuration = true".to_owned(),
    ] {
        builder.run("raise the engine's wall", &sql)?;
    }
    Ok(())
}

/// A boolean setting as the instance has it.
pub(super) fn read_flag(builder: &Builder, arrow: &ArrowOptions, name: &str) -> Result<bool, Error> {
    let sql = format!("SELECT current_setting({})::BOOLEAN::INTEGER", literal(name));
    let step = "read the settings back";
    let value = read_integer(&builder.connection, arrow, &sql).map_err(|failure| failed(step, &failure))?;
    value
        .map(|value| value != 0)
        .ok_or_else(|| Error::Internal(format!("{step}: no answer")))
}
