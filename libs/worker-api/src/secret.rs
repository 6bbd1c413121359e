//! A value that must not be printed.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A password, key or token: `Debug` and `Display` are redacted, `expose` names each place that needs the plain value.
///
/// Serialization writes the plain value, because a bootstrap document carries it over a private pipe.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Wraps a plain value.
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// The plain value.
    pub fn expose(&self) -> &T {
        &self.0
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}
