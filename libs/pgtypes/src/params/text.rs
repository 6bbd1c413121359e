//! Scalars from their text (each type's `…in`).

use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;

use super::{ParamValue, array, datetime, element, interval, number};
use crate::{Error, RenderSettings, oid};

/// What `PostgreSQL`'s `isspace` skips around numbers.
const SPACE: [char; 6] = [' ', '\t', '\n', '\r', '\x0b', '\x0c'];

pub(super) fn decode(type_oid: u32, text: &str, settings: &RenderSettings) -> Result<ParamValue, Error> {
    let trimmed = text.trim_matches(SPACE);
    let bad = || Error::bad_text(type_oid, text);
    Ok(match type_oid {
        oid::BOOL => ParamValue::Bool(boolean(trimmed).ok_or_else(bad)?),
        oid::INT2 => ParamValue::Int2(integer(type_oid, trimmed)?),
        oid::INT4 => ParamValue::Int4(integer(type_oid, trimmed)?),
        oid::INT8 => ParamValue::Int8(integer(type_oid, trimmed)?),
        oid::OID | oid::XID | oid::CID => ParamValue::Oid(unsigned(type_oid, trimmed)?),
        oid::FLOAT4 => ParamValue::Float4(
            float4(trimmed)
                .ok_or_else(bad)?
                .map_err(|()| Error::out_of_range(type_oid, text))?,
        ),
        oid::FLOAT8 => ParamValue::Float8(
            float8(trimmed)
                .ok_or_else(bad)?
                .map_err(|()| Error::out_of_range(type_oid, text))?,
        ),
        oid::NUMERIC => number::from_text(text, trimmed)?,
        oid::BYTEA => ParamValue::Bytes(bytea(text).ok_or_else(bad)?),
        oid::DATE | oid::TIME | oid::TIMETZ | oid::TIMESTAMP | oid::TIMESTAMPTZ => {
            datetime::from_text(type_oid, text, settings)?
        }
        oid::INTERVAL => interval::from_text(text, settings.interval_style)?,
        oid::UUID => ParamValue::Uuid(uuid(text).ok_or_else(bad)?),
        oid::JSON | oid::JSONB => ParamValue::Json(text.to_owned()),
        oid::BIT | oid::VARBIT => ParamValue::Bit(bits(text).ok_or_else(bad)?),
        _ => match element(type_oid) {
            Some(element) => ParamValue::Array(array::from_text(type_oid, element, text, settings)?),
            None => ParamValue::Text {
                oid: type_oid,
                text: text.to_owned(),
            },
        },
    })
}

/// Any unambiguous beginning of these words (`parse_bool`).
fn boolean(text: &str) -> Option<bool> {
    let text = text.to_ascii_lowercase();
    let begins = |word: &str, least: usize| text.len() >= least && word.starts_with(&text);
    if begins("true", 1) || begins("yes", 1) || begins("on", 2) || text == "1" {
        Some(true)
    } else if begins("false", 1) || begins("no", 1) || begins("off", 2) || text == "0" {
        Some(false)
    } else {
        None
    }
}

fn integer<T: FromStr<Err = ParseIntError>>(type_oid: u32, text: &str) -> Result<T, Error> {
    text.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => Error::out_of_range(type_oid, text),
        _ => Error::bad_text(type_oid, text),
    })
}

/// OIDs may be written as the negative number of the same bits (`oidin`).
fn unsigned(type_oid: u32, text: &str) -> Result<u32, Error> {
    let value: i64 = integer(type_oid, text)?;
    let same_bits = || i32::try_from(value).ok().map(i32::cast_unsigned);
    u32::try_from(value)
        .ok()
        .or_else(same_bits)
        .ok_or_else(|| Error::out_of_range(type_oid, text))
}

/// `None` for what is no number, `Err` for one that would become zero or infinite.
fn float8(text: &str) -> Option<Result<f64, ()>> {
    let value: f64 = text.parse().ok()?;
    let finite = !text.bytes().any(|b| matches!(b, b'n' | b'N'));
    Some(if finite && (value.is_infinite() || value == 0.0 && has_digit(text)) {
        Err(())
    } else {
        Ok(value)
    })
}

fn float4(text: &str) -> Option<Result<f32, ()>> {
    let value: f32 = text.parse().ok()?;
    let finite = !text.bytes().any(|b| matches!(b, b'n' | b'N'));
    Some(if finite && (value.is_infinite() || value == 0.0 && has_digit(text)) {
        Err(())
    } else {
        Ok(value)
    })
}

/// Whether the mantissa has a digit other than zero.
fn has_digit(text: &str) -> bool {
    text.bytes()
        .take_while(|b| !matches!(b, b'e' | b'E'))
        .any(|b| matches!(b, b'1'..=b'9'))
}

/// `\x` and hexadecimal digits with spaces between bytes, or octal escapes.
fn bytea(text: &str) -> Option<Vec<u8>> {
    if let Some(digits) = text.strip_prefix("\\x") {
        let mut bytes = Vec::with_capacity(digits.len() / 2);
        let mut rest = digits.as_bytes();
        while let Some((&first, after)) = rest.split_first() {
            if matches!(first, b' ' | b'\t' | b'\n' | b'\r') {
                rest = after;
                continue;
            }
            let (&second, after) = after.split_first()?;
            bytes.push(hex(first)? << 4 | hex(second)?);
            rest = after;
        }
        return Some(bytes);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'\\' {
            bytes.push(first);
            continue;
        }
        match after {
            [b'\\', after @ ..] => {
                bytes.push(b'\\');
                rest = after;
            }
            [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', after @ ..] => {
                bytes.push((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'));
                rest = after;
            }
            _ => return None,
        }
    }
    Some(bytes)
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

/// Thirty-two digits, a hyphen allowed after each group of four, braces allowed around.
fn uuid(text: &str) -> Option<u128> {
    let inner = match text.strip_prefix('{') {
        Some(rest) => rest.strip_suffix('}')?,
        None => text,
    };
    let (mut value, mut digits) = (0_u128, 0_u32);
    let mut after_hyphen = true;
    for byte in inner.bytes() {
        if byte == b'-' {
            if after_hyphen || !digits.is_multiple_of(4) || digits == 32 {
                return None;
            }
            after_hyphen = true;
            continue;
        }
        after_hyphen = false;
        value = value << 4 | u128::from(hex(byte)?);
        digits += 1;
        if digits > 32 {
            return None;
        }
    }
    (digits == 32).then_some(value)
}

/// Zeros and ones, after `B` or nothing; or hexadecimal digits after `X`.
fn bits(text: &str) -> Option<String> {
    if let Some(digits) = text.strip_prefix(['x', 'X']) {
        return digits
            .bytes()
            .map(|digit| Some(format!("{:04b}", hex(digit)?)))
            .collect();
    }
    let digits = text.strip_prefix(['b', 'B']).unwrap_or(text);
    digits
        .bytes()
        .all(|b| matches!(b, b'0' | b'1'))
        .then(|| digits.to_owned())
}
