//! The keys that seal the store's secrets: the operator's, or one in a file of the data directory.

use anyhow::Context as _;
use pintail_configstore::{Sealer, SealingKey};

use crate::config::Config;
use crate::unix;

/// Below the data directory: keys one a line, the first of which seals.
const FILE: &str = "sealing.keys";

/// Reads the keys, or makes the first one.
pub(super) fn sealer(config: &Config) -> anyhow::Result<Sealer> {
    if let Some(keys) = config.seal_keys.expose() {
        return Sealer::parse(&keys.replace(',', "\n")).context("key `seal_keys`");
    }
    let path = config.data_dir().join(FILE);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let text = format!("{}\n", SealingKey::fresh()?.text().expose());
            unix::write_private(&path, text.as_bytes()).with_context(|| path.display().to_string())?;
            text
        }
        Err(error) => return Err(error).with_context(|| path.display().to_string()),
    };
    Sealer::parse(&text).with_context(|| path.display().to_string())
}
