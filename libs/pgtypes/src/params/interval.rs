//! `interval` from text: `PostgreSQL`'s, the standard's and ISO 8601's forms (`PostgreSQL`'s `DecodeInterval`).

use super::ParamValue;
use super::datetime::fraction_micros;
use crate::settings::IntervalStyle;
use crate::{Error, oid};

const SECOND: f64 = 1_000_000.0;

/// An interval while its parts are added up. Fractions of a unit flow into the next smaller one.
#[derive(Default)]
struct Sum {
    months: i64,
    days: i64,
    micros: i64,
}

/// A unit of time: what one of it is in months, days or microseconds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Months(i64),
    Days(i64),
    Micros(i64),
}

/// A number with its sign, whole part, and fraction.
#[derive(Clone, Copy)]
struct Amount {
    negative: bool,
    whole: i64,
    fraction: f64,
}

impl Amount {
    fn parse(text: &str) -> Option<Self> {
        let (negative, digits) = match text.as_bytes() {
            [b'-', ..] => (true, &text[1..]),
            [b'+', ..] => (false, &text[1..]),
            _ => (false, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let valid = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if !valid(whole) || !valid(fraction) || whole.len() + fraction.len() == 0 {
            return None;
        }
        Some(Self {
            negative,
            whole: if whole.is_empty() { 0 } else { whole.parse().ok()? },
            fraction: if fraction.is_empty() {
                0.0
            } else {
                format!("0.{fraction}").parse().ok()?
            },
        })
    }

    fn signed(self) -> (i64, f64) {
        if self.negative {
            (-self.whole, -self.fraction)
        } else {
            (self.whole, self.fraction)
        }
    }
}

impl Sum {
    fn add(&mut self, amount: Amount, unit: Unit) -> Option<()> {
        let (whole, fraction) = amount.signed();
        match unit {
            Unit::Months(size) => {
                self.months = self.months.checked_add(whole.checked_mul(size)?)?;
                if size >= 12 {
                    self.months = self.months.checked_add(rounded(fraction * to_f64(size))?)?;
                } else {
                    self.add_days(fraction * 30.0)?;
                }
            }
            Unit::Days(size) => {
                self.days = self.days.checked_add(whole.checked_mul(size)?)?;
                self.add_days(fraction * to_f64(size))?;
            }
            Unit::Micros(size) => {
                self.micros = self.micros.checked_add(whole.checked_mul(size)?)?;
                self.micros = self.micros.checked_add(rounded(fraction * to_f64(size))?)?;
            }
        }
        Some(())
    }

    /// Adds days whose fraction becomes time.
    fn add_days(&mut self, days: f64) -> Option<()> {
        self.days = self.days.checked_add(rounded(days.trunc())?)?;
        self.micros = self.micros.checked_add(rounded(days.fract() * 86_400.0 * SECOND)?)?;
        Some(())
    }

    fn value(&self) -> Option<ParamValue> {
        Some(ParamValue::Interval {
            months: i32::try_from(self.months).ok()?,
            days: i32::try_from(self.days).ok()?,
            micros: self.micros,
        })
    }
}

#[allow(clippy::cast_precision_loss, reason = "sizes of units are small")]
fn to_f64(size: i64) -> f64 {
    size as f64
}

#[allow(clippy::cast_possible_truncation, reason = "checked against the range first")]
fn rounded(value: f64) -> Option<i64> {
    (value.abs() < 9.2e18).then(|| value.round_ties_even() as i64)
}

/// Why a text has no value.
enum Problem {
    /// It is no interval.
    Syntax,
    /// The numbers do not fit.
    Range,
    /// A clock time has too many minutes or seconds.
    Field,
}

pub(super) fn from_text(text: &str, style: IntervalStyle) -> Result<ParamValue, Error> {
    let trimmed = text.trim();
    let sum = match trimmed.strip_prefix(['P', 'p']) {
        Some(rest) => iso_8601(rest),
        None => words(trimmed, style),
    };
    sum.and_then(|sum| sum.value().ok_or(Problem::Range))
        .map_err(|problem| match problem {
            Problem::Syntax => Error::bad_text(oid::INTERVAL, text),
            Problem::Range => Error::DateTimeRange { oid: oid::INTERVAL },
            Problem::Field => Error::IntervalField { value: text.to_owned() },
        })
}

fn unit(word: &str) -> Option<Unit> {
    Some(match word {
        "us" | "usec" | "usecs" | "usecond" | "useconds" | "microsecond" | "microseconds" | "microsecon" => {
            Unit::Micros(1)
        }
        "ms" | "msec" | "msecs" | "msecond" | "mseconds" | "millisecond" | "milliseconds" | "millisecon" => {
            Unit::Micros(1000)
        }
        "s" | "sec" | "secs" | "second" | "seconds" => Unit::Micros(1_000_000),
        "m" | "min" | "mins" | "minute" | "minutes" => Unit::Micros(60_000_000),
        "h" | "hr" | "hrs" | "hour" | "hours" => Unit::Micros(3_600_000_000),
        "d" | "day" | "days" => Unit::Days(1),
        "w" | "week" | "weeks" => Unit::Days(7),
        "mon" | "mons" | "month" | "months" => Unit::Months(1),
        "y" | "yr" | "yrs" | "year" | "years" => Unit::Months(12),
        "dec" | "decs" | "decade" | "decades" => Unit::Months(120),
        "c" | "cent" | "century" | "centuries" => Unit::Months(1200),
        "mil" | "mils" | "millennia" | "millennium" => Unit::Months(12_000),
        _ => return None,
    })
}

/// Cuts at spaces and between a number and its unit.
fn pieces(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    // Whether the piece that is being read is a word; none is read after a space.
    let mut word = None;
    for c in text.to_ascii_lowercase().chars() {
        if c.is_ascii_whitespace() || c == '@' || c == ',' {
            word = None;
            continue;
        }
        let letter = c.is_ascii_alphabetic();
        match (found.last_mut(), word) {
            (Some(last), Some(true)) if c.is_ascii_alphanumeric() => last.push(c),
            (Some(last), Some(false)) if !letter => last.push(c),
            // A sign may stand apart from its number.
            (Some(last), None) if !letter && (last == "-" || last == "+") => {
                last.push(c);
                word = Some(false);
            }
            _ => {
                found.push(c.to_string());
                word = Some(letter);
            }
        }
    }
    found
}

fn amount(text: &str, negative: bool) -> Result<Amount, Problem> {
    Amount::parse(text)
        .map(|amount| Amount { negative, ..amount })
        .ok_or(Problem::Syntax)
}

fn words(text: &str, style: IntervalStyle) -> Result<Sum, Problem> {
    let pieces = pieces(text);
    let ago = pieces.last().is_some_and(|word| word == "ago");
    let pieces = if ago { &pieces[..pieces.len() - 1] } else { &pieces[..] };
    // The standard's sign before the first field is everybody's where no other field has one.
    let signed = |piece: &&String| piece.starts_with(['-', '+']);
    let whole_sign = style == IntervalStyle::SqlStandard
        && pieces.first().is_some_and(|first| first.starts_with('-'))
        && pieces.iter().filter(signed).count() == 1;
    if pieces.is_empty() {
        return Err(Problem::Syntax);
    }
    let mut sum = Sum::default();
    let mut rest = pieces.iter().peekable();
    while let Some(piece) = rest.next() {
        let negative = piece.starts_with('-') || whole_sign;
        let bare = piece.strip_prefix(['-', '+']).unwrap_or(piece);
        if bare.contains(':') {
            add_clock(&mut sum, bare, negative)?;
            continue;
        }
        if let Some((years, months)) = bare.split_once('-') {
            let (years, months) = (amount(years, negative)?, amount(months, negative)?);
            if months.whole > 11 {
                return Err(Problem::Field);
            }
            sum.add(years, Unit::Months(12))
                .and_then(|()| sum.add(months, Unit::Months(1)))
                .ok_or(Problem::Range)?;
            continue;
        }
        let unit = match rest.peek() {
            Some(word) if word.starts_with(|c: char| c.is_ascii_alphabetic()) => unit(word).ok_or(Problem::Syntax)?,
            Some(clock) if clock.contains(':') => Unit::Days(1),
            Some(_) => return Err(Problem::Syntax),
            None => Unit::Micros(1_000_000),
        };
        rest.next_if(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()));
        sum.add(amount(bare, negative)?, unit).ok_or(Problem::Range)?;
    }
    if ago {
        sum = Sum {
            months: -sum.months,
            days: -sum.days,
            micros: sum.micros.checked_neg().ok_or(Problem::Range)?,
        };
    }
    Ok(sum)
}

/// Adds `h:m`, `h:m:s.f` or `m:s.f`.
fn add_clock(sum: &mut Sum, clock: &str, negative: bool) -> Result<(), Problem> {
    let parts: Vec<&str> = clock.split(':').collect();
    let (hours, minutes, seconds) = match parts[..] {
        [minutes, seconds] if seconds.contains('.') => ("0", minutes, seconds),
        [hours, minutes] => (hours, minutes, "0"),
        [hours, minutes, seconds] => (hours, minutes, seconds),
        _ => return Err(Problem::Syntax),
    };
    let whole = |text: &str| -> Result<i64, Problem> {
        let digits = text.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| text.parse().ok()).flatten().ok_or(Problem::Syntax)
    };
    let (second, fraction) = seconds.split_once('.').unwrap_or((seconds, ""));
    let (hours, minutes, second) = (whole(hours)?, whole(minutes)?, whole(second)?);
    if minutes > 59 || second > 60 {
        return Err(Problem::Field);
    }
    let below = (minutes * 60 + second) * 1_000_000 + fraction_micros(fraction).ok_or(Problem::Syntax)?;
    let micros = hours
        .checked_mul(3_600_000_000)
        .and_then(|hours| hours.checked_add(below));
    let micros = micros.map(|micros| if negative { -micros } else { micros });
    sum.micros = micros
        .and_then(|micros| sum.micros.checked_add(micros))
        .ok_or(Problem::Range)?;
    Ok(())
}

/// After the `P`: `1Y2M3DT4H5M6S`, or `0001-02-03T04:05:06`.
fn iso_8601(text: &str) -> Result<Sum, Problem> {
    let text = text.to_ascii_uppercase();
    let (date, time) = text
        .split_once('T')
        .map_or((text.as_str(), None), |(date, time)| (date, Some(time)));
    if text.is_empty() {
        return Err(Problem::Syntax);
    }
    let mut sum = Sum::default();
    if date.trim_start_matches('-').contains('-') && !date.ends_with(|c: char| c.is_ascii_alphabetic()) {
        let units = [Unit::Months(12), Unit::Months(1), Unit::Days(1)];
        for (part, unit) in date.split('-').zip(units) {
            sum.add(Amount::parse(part).ok_or(Problem::Syntax)?, unit)
                .ok_or(Problem::Range)?;
        }
    } else {
        let units = [
            ('Y', Unit::Months(12)),
            ('M', Unit::Months(1)),
            ('W', Unit::Days(7)),
            ('D', Unit::Days(1)),
        ];
        add_designated(&mut sum, date, &units)?;
    }
    match time {
        Some(clock) if clock.contains(':') => add_clock(&mut sum, clock, false)?,
        Some(time) => {
            let units = [
                ('H', Unit::Micros(3_600_000_000)),
                ('M', Unit::Micros(60_000_000)),
                ('S', Unit::Micros(1_000_000)),
            ];
            add_designated(&mut sum, time, &units)?;
        }
        None => {}
    }
    Ok(sum)
}

/// Adds numbers followed by their designators.
fn add_designated(sum: &mut Sum, mut text: &str, units: &[(char, Unit)]) -> Result<(), Problem> {
    while !text.is_empty() {
        let end = text.find(|c: char| c.is_ascii_alphabetic()).ok_or(Problem::Syntax)?;
        let (number, rest) = text.split_at(end);
        let (_, unit) = units
            .iter()
            .find(|(known, _)| rest.starts_with(*known))
            .ok_or(Problem::Syntax)?;
        sum.add(Amount::parse(number).ok_or(Problem::Syntax)?, *unit)
            .ok_or(Problem::Range)?;
        text = &rest[1..];
    }
    Ok(())
}
