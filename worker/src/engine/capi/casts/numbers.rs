//! Texts that are numbers to PostgreSQL (`pg_strtoint32`, `float8in_internal`): no rounding, and nothing out of range.

use std::str::FromStr;

/// Why a text is no number of a type.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// It is none at all.
    Syntax,
    /// It is too large, or too small to be told from zero.
    Range,
}

/// A whole number: a sign and digits, with blanks around them.
pub(super) fn integer<T: FromStr>(text: &[u8]) -> Result<T, Wrong> {
    let text = text.trim_ascii();
    let digits = text
        .strip_prefix(b"-")
        .or_else(|| text.strip_prefix(b"+"))
        .unwrap_or(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(Wrong::Syntax);
    }
    let text = std::str::from_utf8(text).map_err(|_| Wrong::Syntax)?;
    text.parse().map_err(|_| Wrong::Range)
}

/// A floating-point number of either width.
pub(super) trait Float: FromStr + Copy + PartialEq + Default {
    /// Whether it is an infinity.
    fn is_infinite(self) -> bool;
}

impl Float for f32 {
    fn is_infinite(self) -> bool {
        f32::is_infinite(self)
    }
}

impl Float for f64 {
    fn is_infinite(self) -> bool {
        f64::is_infinite(self)
    }
}

/// A floating-point number: decimal, with an exponent, `NaN` or an infinity by name, with blanks around it.
pub(super) fn float<T: Float>(text: &[u8]) -> Result<T, Wrong> {
    let text = std::str::from_utf8(text.trim_ascii()).map_err(|_| Wrong::Syntax)?;
    let value: T = text.parse().map_err(|_| Wrong::Syntax)?;
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let has_digits = mantissa.bytes().any(|byte| byte.is_ascii_digit());
    let vanishes = value == T::default() && mantissa.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
    if has_digits && value.is_infinite() || vanishes {
        return Err(Wrong::Range);
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_not_rounded() {
        assert_eq!(integer::<i32>(b" -7 "), Ok(-7));
        assert_eq!(integer::<i32>(b"+2147483647"), Ok(i32::MAX));
        assert_eq!(integer::<i32>(b"2147483648"), Err(Wrong::Range));
        for text in ["1.5", "", "-", "1e3", "0x10", "1_000", "--1", "1 2"] {
            assert_eq!(integer::<i64>(text.as_bytes()), Err(Wrong::Syntax), "{text}");
        }
    }

    #[test]
    fn floats_are_within_their_range() {
        assert_eq!(float::<f64>(b" .5e1 "), Ok(5.0));
        assert_eq!(float::<f64>(b"-Infinity"), Ok(f64::NEG_INFINITY));
        assert!(float::<f64>(b"nan").is_ok_and(f64::is_nan));
        assert_eq!(float::<f64>(b"0e-999"), Ok(0.0));
        assert_eq!(float::<f64>(b"1e400"), Err(Wrong::Range));
        assert_eq!(float::<f64>(b"1e-400"), Err(Wrong::Range));
        assert_eq!(float::<f32>(b"1e50"), Err(Wrong::Range));
        assert_eq!(float::<f64>(b"1,5"), Err(Wrong::Syntax));
    }
}
