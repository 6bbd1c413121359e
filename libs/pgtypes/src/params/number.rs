//! `numeric` from text and binary.

use std::fmt::Write as _;

use super::ParamValue;
use crate::{Error, oid};

/// Digits before and after the point that a `numeric` may have.
const MOST_BEFORE: i64 = 131_072;
const MOST_AFTER: i64 = 16_383;
/// Digits that the engine's widest decimal has.
const WIDEST: usize = 38;

/// Reads a number without spaces around it; `whole` is what errors show.
pub(super) fn from_text(whole: &str, text: &str) -> Result<ParamValue, Error> {
    let bad = || Error::bad_text(oid::NUMERIC, whole);
    let (negative, unsigned) = match text.as_bytes() {
        [b'-', ..] => (true, &text[1..]),
        [b'+', ..] => (false, &text[1..]),
        _ => (false, text),
    };
    match unsigned.to_ascii_lowercase().as_str() {
        "nan" if unsigned.len() == text.len() => return Ok(ParamValue::Numeric("NaN".to_owned())),
        "infinity" | "inf" => return Ok(infinity(negative)),
        _ => {}
    }
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let bare_exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    if !digits(before)
        || !digits(after)
        || before.len() + after.len() == 0
        || bare_exponent.is_empty()
        || !digits(bare_exponent)
    {
        return Err(bad());
    }
    let range = || Error::out_of_range(oid::NUMERIC, whole);
    let exponent: i64 = exponent.parse().map_err(|_| range())?;
    if exponent.abs() > MOST_BEFORE {
        return Err(range());
    }
    let point = i64::try_from(before.len()).map_err(|_| range())? + exponent;
    build(negative, &format!("{before}{after}"), point, None).ok_or_else(range)
}

fn infinity(negative: bool) -> ParamValue {
    ParamValue::Numeric(if negative { "-Infinity" } else { "Infinity" }.to_owned())
}

/// A value from its digits and how many of them are before the point, which may lie outside them. `scale` cuts or pads
/// the digits after the point; without it there are as many as were given.
fn build(negative: bool, digits: &str, point: i64, scale: Option<usize>) -> Option<ParamValue> {
    let pad = |count: i64| "0".repeat(usize::try_from(count).unwrap_or_default());
    let len = i64::try_from(digits.len()).ok()?;
    let all = format!("{}{digits}{}", pad(-point), pad(point - len));
    let split = usize::try_from(point.max(0)).ok()?;
    let (before, after) = all.split_at_checked(split)?;
    let before = before.trim_start_matches('0');
    let mut after = after.to_owned();
    if let Some(scale) = scale {
        after.truncate(scale);
        after.push_str(&pad(i64::try_from(scale).ok()? - i64::try_from(after.len()).ok()?));
    }
    if i64::try_from(before.len()).ok()? > MOST_BEFORE || i64::try_from(after.len()).ok()? > MOST_AFTER {
        return None;
    }
    if before.len() + after.len() <= WIDEST {
        let magnitude: i128 = format!("0{before}{after}").parse().ok()?;
        let scale = u8::try_from(after.len()).ok()?;
        return Some(ParamValue::Decimal {
            value: if negative { -magnitude } else { magnitude },
            scale,
        });
    }
    let zero = all.bytes().all(|b| b == b'0');
    let sign = if negative && !zero { "-" } else { "" };
    let before = if before.is_empty() { "0" } else { before };
    let point = if after.is_empty() { "" } else { "." };
    Some(ParamValue::Numeric(format!("{sign}{before}{point}{after}")))
}

/// Reads `numeric_send`'s form.
pub(super) fn from_binary(bytes: &[u8]) -> Result<ParamValue, Error> {
    let bad = || Error::BadBinary { oid: oid::NUMERIC };
    let (words, rest) = bytes.as_chunks::<2>();
    let [count, weight, sign, scale, digits @ ..] = words else {
        return Err(Error::ShortBinary { oid: oid::NUMERIC });
    };
    let count = usize::from(u16::from_be_bytes(*count));
    if digits.len() < count {
        return Err(Error::ShortBinary { oid: oid::NUMERIC });
    }
    if digits.len() > count || !rest.is_empty() {
        return Err(bad());
    }
    let negative = match u16::from_be_bytes(*sign) {
        0 => false,
        0x4000 => true,
        0xc000 => return Ok(ParamValue::Numeric("NaN".to_owned())),
        0xd000 => return Ok(infinity(false)),
        0xf000 => return Ok(infinity(true)),
        _ => return Err(bad()),
    };
    let scale = usize::from(u16::from_be_bytes(*scale));
    if scale > usize::try_from(MOST_AFTER).unwrap_or_default() {
        return Err(bad());
    }
    let mut text = String::with_capacity(4 * count);
    for digit in digits {
        let digit = u16::from_be_bytes(*digit);
        if digit > 9999 {
            return Err(bad());
        }
        let _ = write!(text, "{digit:04}");
    }
    let point = 4 * (i64::from(i16::from_be_bytes(*weight)) + 1);
    build(negative, &text, point, Some(scale)).ok_or_else(bad)
}
