//! Where values come from, and what is wrong with them.

use std::collections::BTreeMap;
use std::fmt;

use super::{FIELDS, Field, FromText, Secrecy};

/// One thing wrong with the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The field, flag or file.
    pub place: String,
    /// What is wrong and what would be right.
    pub reason: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}

/// The given values by source, unparsed.
#[derive(Debug, Default)]
pub struct Sources {
    flags: BTreeMap<String, String>,
    environment: BTreeMap<String, String>,
    file: BTreeMap<String, String>,
    mistakes: Vec<Mistake>,
}

impl Sources {
    /// `flags` by key, `environment` by variable name (others than `PINTAIL_…` are passed over), `file` as TOML text.
    pub fn new(flags: BTreeMap<String, String>, environment: BTreeMap<String, String>, file: &str) -> Self {
        let mut sources = Self {
            flags,
            environment,
            ..Self::default()
        };
        sources.read_file(file);
        let secret_flags: Vec<&Field> = FIELDS
            .iter()
            .filter(|field| field.secret == Secrecy::Secret && sources.flags.contains_key(field.key))
            .collect();
        for field in secret_flags {
            sources.mistakes.push(Mistake {
                place: format!("--{}", field.key.replace('_', "-")),
                reason: "a secret is given by environment or file, never by flag".into(),
            });
        }
        sources
    }

    /// What was wrong before any value was parsed.
    pub fn mistakes(&self) -> &[Mistake] {
        &self.mistakes
    }

    fn read_file(&mut self, text: &str) {
        let table: toml::Table = match text.parse() {
            Ok(table) => table,
            Err(error) => {
                self.mistakes.push(Mistake {
                    place: "configuration file".into(),
                    reason: error.to_string(),
                });
                return;
            }
        };
        for (key, value) in table {
            let known = FIELDS.iter().any(|field| {
                field.key == key || field.secret == Secrecy::Secret && format!("{}_file", field.key) == key
            });
            if !known {
                self.mistakes.push(Mistake {
                    place: key,
                    reason: "no such key; `pintail config reference` lists them all".into(),
                });
                continue;
            }
            let text = match value {
                toml::Value::String(text) => text,
                toml::Value::Integer(number) => number.to_string(),
                toml::Value::Boolean(value) => value.to_string(),
                other => {
                    self.mistakes.push(Mistake {
                        place: key,
                        reason: format!("a {} is not a value here", other.type_str()),
                    });
                    continue;
                }
            };
            self.file.insert(key, text);
        }
    }

    /// The parsed value of a field from its strongest source; a mistake leaves `None` behind.
    pub fn value<T: FromText>(&self, key: &str, default: &str, mistakes: &mut Vec<Mistake>) -> Option<T> {
        let text = match self.text(key) {
            Ok(text) => text.unwrap_or_else(|| default.to_owned()),
            Err(mistake) => {
                mistakes.push(mistake);
                return None;
            }
        };
        match T::from_text(text.trim()) {
            Ok(value) => Some(value),
            Err(reason) => {
                mistakes.push(Mistake {
                    place: key.to_owned(),
                    reason,
                });
                None
            }
        }
    }

    fn text(&self, key: &str) -> Result<Option<String>, Mistake> {
        let variable = format!("PINTAIL_{}", key.to_uppercase());
        if let Some(text) = self.flags.get(key).or_else(|| self.environment.get(&variable)) {
            return Ok(Some(text.clone()));
        }
        let secret = FIELDS
            .iter()
            .any(|field| field.key == key && field.secret == Secrecy::Secret);
        if secret {
            let by_file = self
                .environment
                .get(&format!("{variable}_FILE"))
                .or_else(|| self.file.get(&format!("{key}_file")));
            if let Some(path) = by_file {
                return std::fs::read_to_string(path).map(Some).map_err(|error| Mistake {
                    place: format!("{key}_file"),
                    reason: format!("{path}: {error}"),
                });
            }
        }
        Ok(self.file.get(key).cloned())
    }
}
