//! What the pieces of a date's or time's text mean.

use super::tokens::{Token, tokens};
use crate::Error;
use crate::calendar::{DAY, SECOND, days_from_civil, days_in_month, is_leap};
use crate::settings::DateOrder;
use crate::zone::TimeZone;

/// A zone that a text names.
pub(super) enum Zone {
    /// Seconds east of Greenwich.
    East(i32),
    /// A zone whose offset depends on the date.
    Named(TimeZone),
}

/// What a text says.
#[derive(Default)]
pub(super) struct Fields {
    /// Days since 1970.
    pub(super) day: Option<i64>,
    /// Microseconds since midnight, 24:00:00 included.
    pub(super) micros: Option<i64>,
    pub(super) zone: Option<Zone>,
}

/// The numbers and words of a date before they are ordered.
#[derive(Default)]
struct DateParts {
    numbers: Vec<String>,
    month: Option<u32>,
    before_christ: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    Morning,
    Afternoon,
}

/// Reads a text for type `type_oid`.
pub(super) fn read(type_oid: u32, text: &str, order: DateOrder) -> Result<Fields, Error> {
    let bad = || Error::bad_text(type_oid, text);
    let mut reader = Reader {
        type_oid,
        text,
        ..Reader::default()
    };
    let pieces = tokens(text).ok_or_else(bad)?;
    if pieces.is_empty() {
        return Err(bad());
    }
    for piece in &pieces {
        reader.piece(piece)?;
    }
    reader.finish(order)
}

#[derive(Default)]
struct Reader<'a> {
    type_oid: u32,
    text: &'a str,
    date: DateParts,
    fields: Fields,
    half: Option<Half>,
    /// A `T` announced a time.
    time_next: bool,
}

impl Reader<'_> {
    fn bad(&self) -> Error {
        Error::bad_text(self.type_oid, self.text)
    }

    fn range(&self) -> Error {
        Error::DateTimeField {
            value: self.text.to_owned(),
        }
    }

    fn piece(&mut self, piece: &Token) -> Result<(), Error> {
        match piece {
            Token::Clock(clock) => self.clock(clock),
            Token::Date(parts) => self.date_parts(parts),
            Token::Number(digits) => self.number(digits),
            Token::Fraction(digits) => {
                let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
                if whole.len() == 4 && fraction.len() == 3 && self.fields.day.is_none() {
                    return self.date_parts(&[whole.to_owned(), fraction.to_owned()]);
                }
                if whole.len() != 6 {
                    return Err(self.bad());
                }
                let clock = format!("{}:{}:{}.{fraction}", &whole[..2], &whole[2..4], &whole[4..]);
                self.clock(&clock)
            }
            Token::Word(word) => self.word(word),
            Token::Offset(offset) => {
                let east = offset_seconds(offset).ok_or_else(|| self.bad())?;
                if east.abs() >= 16 * 3600 {
                    return Err(Error::ZoneOffset {
                        value: self.text.to_owned(),
                    });
                }
                match &self.fields.zone {
                    // `UTC+3` counts west, as POSIX zones do.
                    Some(Zone::East(0)) if self.fields.micros.is_some() => self.fields.zone = Some(Zone::East(-east)),
                    Some(_) => return Err(self.bad()),
                    None if self.fields.micros.is_none() && self.date.numbers.is_empty() => return Err(self.bad()),
                    None => self.fields.zone = Some(Zone::East(east)),
                }
                Ok(())
            }
        }
    }

    fn clock(&mut self, clock: &str) -> Result<(), Error> {
        if self.fields.micros.is_some() {
            return Err(self.bad());
        }
        self.time_next = false;
        let mut parts = clock.split(':');
        let hour: i64 = self.small(parts.next())?;
        let minute: i64 = self.small(parts.next())?;
        let (second, micros) = match parts.next() {
            Some(seconds) => {
                let (whole, fraction) = seconds.split_once('.').unwrap_or((seconds, ""));
                (
                    self.small(Some(whole))?,
                    fraction_micros(fraction).ok_or_else(|| self.bad())?,
                )
            }
            None => (0, 0),
        };
        if parts.next().is_some() {
            return Err(self.bad());
        }
        let total = (hour * 3600 + minute * 60 + second) * SECOND + micros;
        if minute > 59 || second > 60 || hour > 24 || total > DAY {
            return Err(self.range());
        }
        self.fields.micros = Some(total);
        Ok(())
    }

    fn small(&self, part: Option<&str>) -> Result<i64, Error> {
        let part = part.filter(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
        part.and_then(|part| part.parse().ok())
            .filter(|&value| value < 1_000_000)
            .ok_or_else(|| self.bad())
    }

    fn date_parts(&mut self, parts: &[String]) -> Result<(), Error> {
        if !self.date.numbers.is_empty() || self.date.month.is_some() {
            return Err(self.bad());
        }
        if let [clock, offset] = parts
            && clock.len() == 6
        {
            // `040506-08` is a time and its offset.
            self.clock(&format!("{}:{}:{}", &clock[..2], &clock[2..4], &clock[4..]))?;
            return self.piece(&Token::Offset(format!("-{offset}")));
        }
        for part in parts {
            if part.starts_with(|c: char| c.is_ascii_digit()) {
                self.date.numbers.push(part.clone());
            } else {
                let month = month(part)
                    .filter(|_| self.date.month.is_none())
                    .ok_or_else(|| self.bad())?;
                self.date.month = Some(month);
            }
        }
        Ok(())
    }

    /// Digits alone: a date or a time without delimiters, or one field of a date.
    fn number(&mut self, digits: &str) -> Result<(), Error> {
        let clock = |digits: &str| {
            format!(
                "{}:{}:{}",
                &digits[..2],
                &digits[2..4],
                digits.get(4..6).unwrap_or("00")
            )
        };
        if self.time_next && matches!(digits.len(), 4 | 6) {
            return self.clock(&clock(digits));
        }
        let no_date = self.date.numbers.is_empty() && self.date.month.is_none();
        match digits.len() {
            8.. if no_date => {
                let (year, rest) = digits.split_at(digits.len() - 4);
                self.date.numbers = vec![year.to_owned(), rest[..2].to_owned(), rest[2..].to_owned()];
            }
            4 | 6 if no_date && self.is_time_only() => return self.clock(&clock(digits)),
            6 if no_date => {
                // A two-digit year comes first here, whatever DateStyle says.
                let year: u32 = digits[..2].parse().map_err(|_| self.bad())?;
                let year = if year < 70 { 2000 + year } else { 1900 + year };
                self.date.numbers = vec![year.to_string(), digits[2..4].to_owned(), digits[4..].to_owned()];
            }
            6 if self.date.numbers.len() >= 3 => return self.clock(&clock(digits)),
            _ if self.date.numbers.len() < 3 => self.date.numbers.push(digits.to_owned()),
            _ => return Err(self.bad()),
        }
        Ok(())
    }

    fn is_time_only(&self) -> bool {
        matches!(self.type_oid, crate::oid::TIME | crate::oid::TIMETZ)
    }

    fn word(&mut self, word: &str) -> Result<(), Error> {
        match word {
            "t" => self.time_next = true,
            "bc" => self.date.before_christ = true,
            "ad" | "at" | "on" => {}
            "am" => self.half = Some(Half::Morning),
            "pm" => self.half = Some(Half::Afternoon),
            _ => {
                if let Some(month) = month(word).filter(|_| self.date.month.is_none()) {
                    self.date.month = Some(month);
                } else if !is_weekday(word) {
                    let zone = named_zone(word).filter(|_| self.fields.zone.is_none());
                    self.fields.zone = Some(zone.ok_or_else(|| self.unknown(word))?);
                }
            }
        }
        Ok(())
    }

    /// A word with a slash can only be meant as a zone.
    fn unknown(&self, word: &str) -> Error {
        if word.contains('/') {
            Error::UnknownZone { name: word.to_owned() }
        } else {
            self.bad()
        }
    }

    fn finish(mut self, order: DateOrder) -> Result<Fields, Error> {
        if let Some(half) = self.half {
            let micros = self.fields.micros.ok_or_else(|| self.bad())?;
            let noon = 12 * 3600 * SECOND;
            if micros >= noon + 3600 * SECOND {
                return Err(self.range());
            }
            let within = micros % noon;
            self.fields.micros = Some(if half == Half::Afternoon { within + noon } else { within });
        }
        if !self.date.numbers.is_empty() || self.date.month.is_some() {
            self.fields.day = Some(self.day(order)?);
        } else if self.date.before_christ {
            return Err(self.bad());
        }
        Ok(self.fields)
    }

    fn day(&self, order: DateOrder) -> Result<i64, Error> {
        let numbers: Vec<&str> = self.date.numbers.iter().map(String::as_str).collect();
        let long = |digits: &&str| digits.len() > 2;
        let (year, month, day) = match (self.date.month, numbers.as_slice()) {
            (None, [year, day]) if year.len() == 4 && day.len() == 3 => return self.day_of_year(year, day),
            (None, [year, month, day]) if long(year) => (*year, self.field(month)?, *day),
            (None, [a, b, c]) => match order {
                DateOrder::Ymd => (*a, self.field(b)?, *c),
                DateOrder::Mdy => (*c, self.field(a)?, *b),
                DateOrder::Dmy => (*c, self.field(b)?, *a),
            },
            (Some(month), [year, day]) if long(year) || order == DateOrder::Ymd && !long(day) => (*year, month, *day),
            (Some(month), [day, year]) => (*year, month, *day),
            _ => return Err(self.bad()),
        };
        let day = self.field(day)?;
        let year = self.year(year)?;
        if !(1..=12).contains(&month) || day < 1 || day > days_in_month(year, month) {
            return Err(self.range());
        }
        Ok(days_from_civil(year, month, day))
    }

    fn day_of_year(&self, year: &str, day: &str) -> Result<i64, Error> {
        let (year, day) = (self.year(year)?, self.field(day)?);
        if day < 1 || day > 365 + u32::from(is_leap(year)) {
            return Err(self.range());
        }
        Ok(days_from_civil(year, 1, 1) + i64::from(day) - 1)
    }

    fn field(&self, digits: &str) -> Result<u32, Error> {
        digits.parse().map_err(|_| self.range())
    }

    /// An astronomical year.
    fn year(&self, digits: &str) -> Result<i64, Error> {
        let year: i64 = digits
            .parse()
            .ok()
            .filter(|&year| year < 10_000_000)
            .ok_or_else(|| self.range())?;
        if self.date.before_christ {
            return if year > 0 { Ok(1 - year) } else { Err(self.range()) };
        }
        match (digits.len(), year) {
            (..=2, ..70) => Ok(year + 2000),
            (..=2, _) => Ok(year + 1900),
            (_, 0) => Err(self.range()),
            _ => Ok(year),
        }
    }
}

/// Up to six digits of a fraction of a second, rounded.
pub(crate) fn fraction_micros(digits: &str) -> Option<i64> {
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let padded = format!("{digits:0<7.7}");
    let tenths: i64 = padded.parse().ok()?;
    Some((tenths + 5) / 10)
}

/// Seconds east of `+05`, `-0530`, `+05:30`, `+05:30:15`.
fn offset_seconds(text: &str) -> Option<i32> {
    let (sign, digits) = text.split_at(1);
    let parts: Vec<&str> = match (digits.contains(':'), digits.len()) {
        (true, _) => digits.split(':').collect(),
        (false, 4) => vec![&digits[..2], &digits[2..]],
        (false, 6) => vec![&digits[..2], &digits[2..4], &digits[4..]],
        (false, _) => vec![digits],
    };
    let mut total = 0;
    for (part, unit) in parts.iter().zip([3600, 60, 1]) {
        let value: i32 = part.parse().ok().filter(|&value| unit == 3600 || value < 60)?;
        total += value.checked_mul(unit)?;
    }
    (parts.len() <= 3).then_some(if sign == "-" { -total } else { total })
}

/// 1 to 12 of a month's name or its abbreviation.
pub(super) fn month(word: &str) -> Option<u32> {
    const NAMES: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let known = |name: &&str| *name == word || word == &name[..3] || word == "sept" && *name == "september";
    NAMES
        .iter()
        .position(known)
        .and_then(|index| u32::try_from(index + 1).ok())
}

fn is_weekday(word: &str) -> bool {
    const NAMES: [&str; 7] = [
        "sunday",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
    ];
    NAMES.iter().any(|name| *name == word || &name[..3] == word) || matches!(word, "tues" | "weds" | "thur" | "thurs")
}

/// A zone by its abbreviation, as in `PostgreSQL`'s default set, or by its full name.
fn named_zone(word: &str) -> Option<Zone> {
    let hours = match word {
        "z" | "zulu" | "utc" | "ut" | "gmt" | "wet" => 0,
        "bst" | "cet" | "met" | "west" => 1,
        "cest" | "eet" | "ist" | "mest" | "sast" => 2,
        "eest" | "idt" | "msk" => 3,
        "hkt" | "awst" => 8,
        "jst" | "kst" => 9,
        "aest" => 10,
        "aedt" => 11,
        "nzst" => 12,
        "nzdt" => 13,
        "adt" => -3,
        "ast" | "edt" => -4,
        "est" | "cdt" => -5,
        "cst" | "mdt" => -6,
        "mst" | "pdt" => -7,
        "pst" | "akdt" => -8,
        "akst" => -9,
        "hst" => -10,
        _ => return TimeZone::by_name(word).map(Zone::Named),
    };
    Some(Zone::East(hours * 3600))
}
