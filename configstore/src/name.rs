//! The naming contract: names made once at provisioning, stored, and opaque afterwards.

use std::fmt;

use serde::{Deserialize, Serialize};

/// `PostgreSQL` keeps 63 bytes of an identifier, and `dl_<slug>__<catalog>` has five of its own.
const LONGEST_PAIR: usize = 58;

/// Why a name is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the {what} {name:?} is refused: {reason}")]
pub struct InvalidName {
    what: &'static str,
    name: String,
    reason: &'static str,
}

/// An organisation's short name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OrgSlug(String);

/// A catalog's name inside its organisation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CatalogName(String);

/// A user's name inside an organisation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct UserName(String);

macro_rules! name {
    ($type:ident, $what:literal, $check:path) => {
        impl $type {
            /// Checks and wraps a name.
            pub fn parse(name: &str) -> Result<Self, InvalidName> {
                match $check(name) {
                    Ok(()) => Ok(Self(name.to_owned())),
                    Err(reason) => Err(InvalidName {
                        what: $what,
                        name: name.to_owned(),
                        reason,
                    }),
                }
            }

            /// The name itself.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $type {
            type Error = InvalidName;

            fn try_from(name: String) -> Result<Self, InvalidName> {
                Self::parse(&name)
            }
        }

        impl From<$type> for String {
            fn from(name: $type) -> Self {
                name.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

name!(OrgSlug, "organisation", contract);
name!(CatalogName, "catalog", catalog);
name!(UserName, "user", user);

/// `^[a-z][a-z0-9_]{1,30}$` without `__` and without `_` at the end.
fn contract(name: &str) -> Result<(), &'static str> {
    let bytes = name.as_bytes();
    if !(2..=31).contains(&bytes.len()) {
        return Err("it must have 2 to 31 characters");
    }
    if !bytes[0].is_ascii_lowercase() {
        return Err("it must start with a letter from a to z");
    }
    if !bytes
        .iter()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'_')
    {
        return Err("it may hold only a to z, 0 to 9 and _");
    }
    if name.contains("__") {
        return Err("it may not hold two _ in a row");
    }
    if name.ends_with('_') {
        return Err("it may not end in _");
    }
    Ok(())
}

/// The contract, and none of the names that every instance has for its own databases and schemas.
fn catalog(name: &str) -> Result<(), &'static str> {
    const TAKEN: &[&str] = &["main", "memory", "system", "temp", "pg_catalog", "information_schema"];
    contract(name)?;
    if TAKEN.contains(&name) {
        return Err("it is a name of the engine's own");
    }
    Ok(())
}

/// What `PostgreSQL` takes as a role name in a start-up packet.
fn user(name: &str) -> Result<(), &'static str> {
    if name.is_empty() || name.len() > 63 {
        return Err("it must have 1 to 63 bytes");
    }
    if name.chars().any(char::is_control) {
        return Err("it may not hold control characters");
    }
    if matches!(name, "." | "..") {
        return Err("it would not be a part of a path");
    }
    Ok(())
}

/// The `PostgreSQL` schema (and role) of a catalog's metadata: `dl_<slug>__<catalog>`.
pub fn metadata_schema(org: &OrgSlug, catalog: &CatalogName) -> Result<String, InvalidName> {
    if org.0.len() + catalog.0.len() > LONGEST_PAIR {
        return Err(InvalidName {
            what: "pair of organisation and catalog",
            name: format!("{org}/{catalog}"),
            reason: "together they may have at most 58 characters",
        });
    }
    Ok(format!("dl_{org}__{catalog}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contract_holds_for_every_form() {
        for good in ["ab", "a1", "a_b", &"a".repeat(31)] {
            assert!(OrgSlug::parse(good).is_ok(), "{good}");
        }
        for taken in ["main", "temp", "memory", "system"] {
            assert!(
                CatalogName::parse(taken).is_err() && OrgSlug::parse(taken).is_ok(),
                "{taken}"
            );
        }
        for bad in [
            "",
            "a",
            "a__b",
            "ab_",
            "1a",
            "A1",
            "aé",
            "a\"b",
            "a\nb",
            "a\0b",
            &"a".repeat(32),
        ] {
            assert!(OrgSlug::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_pair_has_at_most_58_characters() {
        let org = OrgSlug::parse(&"a".repeat(31)).expect("slug");
        let short = CatalogName::parse(&"b".repeat(27)).expect("name");
        let long = CatalogName::parse(&"b".repeat(28)).expect("name");
        assert_eq!(metadata_schema(&org, &short).expect("58").len(), 63);
        assert!(metadata_schema(&org, &long).is_err());
    }
}
