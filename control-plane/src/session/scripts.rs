//! One parse for each distinct text, shared by all sessions.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use lru::LruCache;
use pintail_transpiler::{Error, Script};

/// Distinct texts kept.
const ENTRIES: NonZeroUsize = NonZeroUsize::new(2048).expect("not zero");
/// Longer texts (bulk inserts) are rarely repeated and are not kept.
const LONGEST: usize = 16 << 10;

/// Bytes of all texts kept: what is parsed takes some hundred times as much.
const KEPT: usize = 1 << 20;

/// A cache of parsed texts.
#[derive(Clone)]
pub struct ScriptCache(Arc<Mutex<Kept>>);

struct Kept {
    scripts: LruCache<String, Script>,
    bytes: usize,
}

impl Kept {
    fn put(&mut self, sql: &str, script: Script) {
        self.bytes += sql.len();
        if let Some((gone, _)) = self.scripts.push(sql.to_owned(), script) {
            self.bytes -= gone.len();
        }
        while self.bytes > KEPT
            && let Some((gone, _)) = self.scripts.pop_lru()
        {
            self.bytes -= gone.len();
        }
    }
}

impl Default for ScriptCache {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Kept {
            scripts: LruCache::new(ENTRIES),
            bytes: 0,
        })))
    }
}

impl ScriptCache {
    /// Parses `sql`, or finds it parsed.
    pub fn parse(&self, sql: &str) -> Result<Script, Error> {
        if sql.len() > LONGEST {
            return pintail_transpiler::parse(sql);
        }
        if let Some(script) = self.lock().scripts.get(sql) {
            return Ok(script.clone());
        }
        let script = pintail_transpiler::parse(sql)?;
        self.lock().put(sql, script.clone());
        Ok(script)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        // A panic while the lock is held leaves a cache that is still a cache.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_bounded_by_its_length() {
        let cache = ScriptCache::default();
        for number in 0..300 {
            let sql = format!("SELECT {number} AS a{}", "a".repeat(10_000));
            cache.parse(&sql).expect("parsed");
            cache.parse(&sql).expect("found");
        }
        let kept = cache.lock();
        assert!(kept.bytes <= KEPT, "{}", kept.bytes);
        let bytes: usize = kept.scripts.iter().map(|(sql, _)| sql.len()).sum();
        assert_eq!(bytes, kept.bytes);
    }
}
