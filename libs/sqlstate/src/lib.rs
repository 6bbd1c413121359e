//! SQLSTATE codes and the report that a client receives.
//!
//! Knows the codes that `PostgreSQL` names and the fields of `ErrorResponse` and `NoticeResponse` (manual, "Error and
//! Notice Message Fields"). Knows nothing of where an error came from.

mod report;
mod table;

use std::fmt;

pub use report::{Report, Severity, ToReport, chain};

/// A five-character SQLSTATE (manual, appendix "`PostgreSQL` Error Codes").
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SqlState([u8; 5]);

impl SqlState {
    const fn from_static(code: &[u8; 5]) -> Self {
        Self(*code)
    }

    /// Reads a code of five digits or upper-case letters; anything else is `None`.
    pub fn parse(code: &str) -> Option<Self> {
        let bytes: [u8; 5] = code.as_bytes().try_into().ok()?;
        bytes
            .iter()
            .all(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
            .then_some(Self(bytes))
    }

    /// The five characters.
    pub fn as_str(&self) -> &str {
        // The constructors admit ASCII only.
        std::str::from_utf8(&self.0).unwrap_or("XX000")
    }

    /// The class: the first two characters.
    pub fn class(&self) -> &str {
        &self.as_str()[..2]
    }
}

impl fmt::Display for SqlState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for SqlState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_codes_are_those_of_postgresql() {
        assert_eq!(SqlState::UNDEFINED_TABLE.as_str(), "42P01");
        assert_eq!(SqlState::SUCCESSFUL_COMPLETION.as_str(), "00000");
        assert_eq!(SqlState::INTERNAL_ERROR.class(), "XX");
    }

    #[test]
    fn only_five_digits_or_capitals_are_a_code() {
        assert_eq!(SqlState::parse("42P01"), Some(SqlState::UNDEFINED_TABLE));
        for bad in ["", "42P0", "42P011", "42p01", "42P0é", "42 01"] {
            assert_eq!(SqlState::parse(bad), None, "{bad:?}");
        }
    }
}
