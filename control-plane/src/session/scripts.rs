//! One parse for each distinct text, shared by all sessions.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use lru::LruCache;
use pintail_transpiler::{Error, Script};

/// Distinct texts kept.
const ENTRIES: NonZeroUsize = NonZeroUsize::new(2048).expect("not zero");
/// Longer texts (bulk inserts) are rarely repeated and are not kept.
const LONGEST: usize = 16 << 10;

/// A cache of parsed texts.
#[derive(Clone)]
pub struct ScriptCache(Arc<Mutex<LruCache<String, Script>>>);

impl Default for ScriptCache {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(LruCache::new(ENTRIES))))
    }
}

impl ScriptCache {
    /// Parses `sql`, or finds it parsed.
    pub fn parse(&self, sql: &str) -> Result<Script, Error> {
        if sql.len() > LONGEST {
            return pintail_transpiler::parse(sql);
        }
        if let Some(script) = self.lock().get(sql) {
            return Ok(script.clone());
        }
        let script = pintail_transpiler::parse(sql)?;
        self.lock().put(sql.to_owned(), script.clone());
        Ok(script)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, LruCache<String, Script>> {
        // A panic while the lock is held leaves a cache that is still a cache.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
