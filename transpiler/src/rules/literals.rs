//! PostgreSQL's notations inside string literals: bytea, boolean, arrays, numbers.

use pintail_sqlstate::SqlState;
use sqlparser::ast::{Expr, UnaryOperator, Value};

use super::build;
use crate::Error;

/// A value of an array literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    Null,
    Text(String),
    List(Vec<Item>),
}

/// A date or timestamp that says BC or AD behind it, as the engine reads it: right behind the date, in parentheses.
pub(super) fn with_era(text: &str) -> Option<String> {
    let (rest, era) = text.trim().rsplit_once(char::is_whitespace)?;
    let bc = match era.to_ascii_uppercase().as_str() {
        "BC" => true,
        "AD" => false,
        _ => return None,
    };
    let rest = rest.trim_end();
    if !bc {
        return Some(rest.to_owned());
    }
    Some(match rest.split_once(char::is_whitespace) {
        Some((date, time)) => format!("{date} (BC) {}", time.trim_start()),
        None => format!("{rest} (BC)"),
    })
}

/// The digits of `B'101'` or `X'1F'`; `None` for any other literal (manual, "Bit-String Constants").
pub(super) fn bits(value: &Value) -> Result<Option<String>, Error> {
    let wrong = |digit: char, kind: &str| {
        Error::invalid(
            SqlState::INVALID_TEXT_REPRESENTATION,
            format!("\"{digit}\" is not a valid {kind} digit"),
        )
    };
    match value {
        Value::SingleQuotedByteStringLiteral(text) => match text.chars().find(|c| !"01".contains(*c)) {
            Some(digit) => Err(wrong(digit, "binary")),
            None => Ok(Some(text.clone())),
        },
        Value::HexStringLiteral(text) => {
            let digits = text
                .chars()
                .map(|c| c.to_digit(16).ok_or_else(|| wrong(c, "hexadecimal")));
            let digits: Result<Vec<u32>, Error> = digits.collect();
            Ok(Some(digits?.iter().map(|digit| format!("{digit:04b}")).collect()))
        }
        _ => Ok(None),
    }
}

/// The bytes of a `bytea` literal, in hex or escape notation.
pub(super) fn bytea(text: &str) -> Result<Vec<u8>, Error> {
    let wrong = || {
        Error::invalid(
            SqlState::INVALID_TEXT_REPRESENTATION,
            "invalid input syntax for type bytea",
        )
    };
    if let Some(hex) = text.strip_prefix("\\x") {
        let digits: Vec<u32> = hex
            .chars()
            .filter(|c| !c.is_whitespace())
            .map(|c| c.to_digit(16).ok_or_else(wrong))
            .collect::<Result<_, _>>()?;
        if digits.len() % 2 == 1 {
            return Err(Error::invalid(
                SqlState::INVALID_PARAMETER_VALUE,
                "invalid hexadecimal data: odd number of digits",
            ));
        }
        return digits
            .chunks(2)
            .map(|pair| u8::try_from(pair[0] * 16 + pair[1]).map_err(|_| wrong()))
            .collect();
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        if bytes[i] != b'\\' {
            out.push(bytes[i]);
            i += 1;
        } else if bytes.get(i + 1) == Some(&b'\\') {
            out.push(b'\\');
            i += 2;
        } else {
            let octal = text.get(i + 1..i + 4).ok_or_else(wrong)?;
            out.push(u8::from_str_radix(octal, 8).map_err(|_| wrong())?);
            i += 4;
        }
    }
    Ok(out)
}

/// DuckDB's notation for a blob: `\xAA` a byte.
pub(super) fn blob(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(bytes.len() * 4);
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(out, "\\x{byte:02X}");
    }
    out
}

/// A boolean literal: any unique prefix of true, false, yes, no, on, off, or 1, 0.
pub(super) fn boolean(text: &str) -> Result<bool, Error> {
    let word = text.trim().to_lowercase();
    match word.as_str() {
        "t" | "tr" | "tru" | "true" | "y" | "ye" | "yes" | "on" | "1" => Ok(true),
        "f" | "fa" | "fal" | "fals" | "false" | "n" | "no" | "of" | "off" | "0" => Ok(false),
        _ => Err(Error::invalid(
            SqlState::INVALID_TEXT_REPRESENTATION,
            format!("invalid input syntax for type boolean: \"{text}\""),
        )),
    }
}

/// `12:00+00` as `12:00:00+00`, which the engine demands; `None` where nothing is missing.
pub(super) fn with_seconds(text: &str) -> Option<String> {
    let colon = text.find(':')?;
    let after = text.get(colon + 1..)?;
    let minutes = after.bytes().take_while(u8::is_ascii_digit).count();
    let rest = after.get(minutes..)?;
    let zone = rest.trim_start().starts_with(['+', '-', 'Z', 'z']);
    zone.then(|| format!("{}:00{rest}", &text[..colon + 1 + minutes]))
}

/// The values of an array literal.
pub(super) fn array(text: &str) -> Result<Item, Error> {
    let mut chars = text.trim().chars().peekable();
    let item = list(&mut chars).filter(|_| chars.next().is_none());
    item.ok_or_else(|| {
        Error::invalid(
            SqlState::INVALID_TEXT_REPRESENTATION,
            format!("malformed array literal: \"{text}\""),
        )
    })
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn list(chars: &mut Chars<'_>) -> Option<Item> {
    if chars.next()? != '{' {
        return None;
    }
    let mut items = Vec::new();
    loop {
        blanks(chars);
        match chars.peek()? {
            '}' if items.is_empty() => {
                chars.next();
                return Some(Item::List(items));
            }
            '{' => items.push(list(chars)?),
            '"' => items.push(quoted(chars)?),
            _ => items.push(word(chars)?),
        }
        blanks(chars);
        match chars.next()? {
            ',' => {}
            '}' => return Some(Item::List(items)),
            _ => return None,
        }
    }
}

fn blanks(chars: &mut Chars<'_>) {
    while chars.next_if(|c| c.is_whitespace()).is_some() {}
}

fn quoted(chars: &mut Chars<'_>) -> Option<Item> {
    chars.next();
    let mut out = String::new();
    loop {
        match chars.next()? {
            '"' => return Some(Item::Text(out)),
            '\\' => out.push(chars.next()?),
            c => out.push(c),
        }
    }
}

fn word(chars: &mut Chars<'_>) -> Option<Item> {
    let mut out = String::new();
    while let Some(c) = chars.next_if(|c| !matches!(c, ',' | '{' | '}' | '"')) {
        if c == '\\' {
            out.push(chars.next()?);
        } else {
            out.push(c);
        }
    }
    let trimmed = out.trim();
    if trimmed.is_empty() {
        return None;
    }
    if trimmed.eq_ignore_ascii_case("null") {
        return Some(Item::Null);
    }
    Some(Item::Text(trimmed.to_owned()))
}

/// How many dimensions a value has.
pub(super) fn dimensions(item: &Item) -> usize {
    match item {
        Item::List(items) => 1 + items.iter().map(dimensions).max().unwrap_or(0),
        Item::Null | Item::Text(_) => 0,
    }
}

/// Digits after the point of a plain numeric literal, in a string or not.
pub(super) fn scale(expr: &Expr) -> Option<i64> {
    let text = match expr {
        Expr::Value(value) => match &value.value {
            Value::Number(text, _) => text.clone(),
            _ => build::literal(expr)?,
        },
        Expr::UnaryOp {
            op: UnaryOperator::Minus | UnaryOperator::Plus,
            expr,
        }
        | Expr::Nested(expr) => return scale(expr),
        _ => return None,
    };
    let digits = text.trim().trim_start_matches(['-', '+']);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let numeric = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let fits = numeric(whole) && numeric(fraction) && whole.len() + fraction.len() <= 38 && !digits.is_empty();
    fits.then(|| i64::try_from(fraction.len()).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_nest_quote_and_hold_nulls() {
        let text = |s: &str| Item::Text(s.to_owned());
        assert_eq!(
            array(r#"{a,"b c",NULL,"NULL",{x}}"#),
            Ok(Item::List(vec![
                text("a"),
                text("b c"),
                Item::Null,
                text("NULL"),
                Item::List(vec![text("x")])
            ]))
        );
        assert_eq!(array("{}"), Ok(Item::List(Vec::new())));
        assert!(array("{a").is_err());
        assert!(array("{a,}").is_err());
    }

    #[test]
    fn bytea_in_both_notations() {
        assert_eq!(bytea("\\x48 6F"), Ok(vec![0x48, 0x6f]));
        assert_eq!(bytea("a\\\\\\001"), Ok(vec![b'a', b'\\', 1]));
        assert!(bytea("\\x4").is_err());
    }
}
