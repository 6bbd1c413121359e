//! The frequent forms of numbers, dates and times: digits where they are expected, and nothing else.
//!
//! What is not of such a form, or not in range, is left to the readers that know all forms and all errors.

use crate::calendar::{DAY, SECOND, days_from_civil, days_in_month};

/// Digits that 64 bits hold whatever they are.
const DIGITS: usize = 18;

/// A sign and digits.
#[inline]
pub(super) fn integer<N: TryFrom<i64>>(text: &str) -> Option<N> {
    let (negative, digits) = match text.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    if digits.is_empty() || digits.len() > DIGITS {
        return None;
    }
    let value = number(digits)?;
    N::try_from(if negative { -value } else { value }).ok()
}

/// `2024-01-31`.
pub(super) fn date(text: &str) -> Option<i32> {
    i32::try_from(days(text.as_bytes())?).ok()
}

/// `23:59:59`, with up to six digits of a fraction.
pub(super) fn time(text: &str) -> Option<i64> {
    micros(text.as_bytes())
}

/// Both, with a space or `T` between them.
pub(super) fn timestamp(text: &str) -> Option<i64> {
    let (date, rest) = text.as_bytes().split_at_checked(10)?;
    let (b' ' | b'T', time) = rest.split_first()? else {
        return None;
    };
    Some(days(date)? * DAY + micros(time)?)
}

/// The same with an offset behind it: `+02`, `-03:30`.
pub(super) fn timestamp_tz(text: &str) -> Option<i64> {
    const SECONDS: usize = 19;
    let sign = text
        .as_bytes()
        .get(SECONDS..)?
        .iter()
        .position(|byte| matches!(byte, b'+' | b'-'))?;
    let (local, offset) = text.split_at_checked(SECONDS + sign)?;
    let (sign, digits) = offset.as_bytes().split_first()?;
    let (hours, minutes) = match digits {
        [_, _] => (digits, b"00".as_slice()),
        [_, _, b':', minutes @ ..] => (&digits[..2], minutes),
        _ => return None,
    };
    let (hours, minutes) = (number(hours)?, two(minutes)?);
    if hours > 15 || minutes > 59 {
        return None;
    }
    let east = (hours * 60 + minutes) * 60 * SECOND;
    Some(timestamp(local)? - if *sign == b'-' { -east } else { east })
}

fn days(text: &[u8]) -> Option<i64> {
    let [year @ .., b'-', m1, m2, b'-', d1, d2] = text else {
        return None;
    };
    if year.len() != 4 {
        return None;
    }
    let (year, month, day) = (number(year)?, number(&[*m1, *m2])?, number(&[*d1, *d2])?);
    let (month, day) = (u32::try_from(month).ok()?, u32::try_from(day).ok()?);
    if year == 0 || !(1..=12).contains(&month) || day == 0 || day > days_in_month(year, month) {
        return None;
    }
    Some(days_from_civil(year, month, day))
}

fn micros(text: &[u8]) -> Option<i64> {
    let (clock, fraction) = text.split_at_checked(8)?;
    let [h1, h2, b':', m1, m2, b':', s1, s2] = clock else {
        return None;
    };
    let (hours, minutes, seconds) = (number(&[*h1, *h2])?, number(&[*m1, *m2])?, number(&[*s1, *s2])?);
    if hours > 23 || minutes > 59 || seconds > 59 {
        return None;
    }
    let fraction = match fraction {
        [] => 0,
        [b'.', digits @ ..] if (1..=6).contains(&digits.len()) => {
            let missing = u32::try_from(6 - digits.len()).ok()?;
            number(digits)? * 10_i64.pow(missing)
        }
        _ => return None,
    };
    Some(((hours * 60 + minutes) * 60 + seconds) * SECOND + fraction)
}

fn two(digits: &[u8]) -> Option<i64> {
    (digits.len() == 2).then(|| number(digits))?
}

/// Digits, few enough for 64 bits.
#[inline]
fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0_i64, |value, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then(|| value * 10 + i64::from(digit))
    })
}
