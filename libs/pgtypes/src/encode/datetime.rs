//! Dates, times and timestamps as text, in every `DateStyle` (`PostgreSQL`'s `EncodeDateOnly`, `EncodeTimeOnly`,
//! `EncodeDateTime`).

use super::digits::{four, six, two};
use super::fixed::Piece;
use super::pen::Pen;
use crate::calendar::{DAY, FIRST_DAY, FIRST_MICROS, LAST_DAY, SECOND, civil_from_days, weekday};
use crate::settings::{DateFormat, DateOrder, DateStyle};
use crate::zone::ZoneCache;
use crate::{Error, oid};

const MONTHS: [&[u8; 3]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];
const DAYS: [&[u8; 3]; 7] = [b"Sun", b"Mon", b"Tue", b"Wed", b"Thu", b"Fri", b"Sat"];

/// Which infinity a day count or instant stands for; the engine uses the type's largest value and its negation.
#[inline]
fn infinity<const W: usize>(positive: bool, negative: bool, cell: &mut [u8; W]) -> Option<Piece> {
    let text: &[u8] = if positive {
        b"infinity"
    } else if negative {
        b"-infinity"
    } else {
        return None;
    };
    cell[..text.len()].copy_from_slice(text);
    Some(Piece::new(0, text.len()))
}

/// Writes a `date`, days since 1970.
#[inline]
pub(crate) fn date(days: i32, style: DateStyle, cell: &mut [u8; 32]) -> Result<Piece, Error> {
    if let Some(piece) = infinity(days == i32::MAX, days == -i32::MAX, cell) {
        return Ok(piece);
    }
    if !(FIRST_DAY..=LAST_DAY).contains(&days) {
        return Err(Error::DateTimeRange { oid: oid::DATE });
    }
    let (year, month, day) = civil_from_days(days);
    if let (DateFormat::Iso, 1..=9999) = (style.format, year) {
        cell[..10].copy_from_slice(&ymd(year.unsigned_abs(), month, day));
        return Ok(Piece::new(0, 10));
    }
    let mut pen = Pen::new(cell);
    match style.format {
        DateFormat::Iso => pen.year(year).put(b"-").two(month).put(b"-").two(day),
        DateFormat::German => pen.two(day).put(b".").two(month).put(b".").year(year),
        DateFormat::Sql => day_and_month(&mut pen, style.order, b"/", (month, day))
            .put(b"/")
            .year(year),
        DateFormat::Postgres => day_and_month(&mut pen, style.order, b"-", (month, day))
            .put(b"-")
            .year(year),
    };
    Ok(pen.era(year).done())
}

fn day_and_month<'p, 'c>(
    pen: &'p mut Pen<'c>,
    order: DateOrder,
    between: &[u8],
    (month, day): (u32, u32),
) -> &'p mut Pen<'c> {
    match order {
        DateOrder::Dmy => pen.two(day).put(between).two(month),
        DateOrder::Mdy | DateOrder::Ymd => pen.two(month).put(between).two(day),
    }
}

/// `YYYY-MM-DD` of a year from 0 to 9999.
#[inline]
fn ymd(year: u32, month: u32, day: u32) -> [u8; 10] {
    let [y0, y1, y2, y3] = four(year);
    let ([m0, m1], [d0, d1]) = (two(month), two(day));
    [y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1]
}

/// `HH:MM:SS` of seconds since midnight.
#[inline]
fn hms(seconds: u32) -> [u8; 8] {
    let [h0, h1] = two(seconds / 3600);
    let ([m0, m1], [s0, s1]) = (two(seconds / 60 % 60), two(seconds % 60));
    [h0, h1, b':', m0, m1, b':', s0, s1]
}

/// How many digits of a fraction of a second are printed: none of zero, none of the trailing zeros.
#[inline]
fn fraction_len(digits: [u8; 6]) -> usize {
    digits.iter().rposition(|&b| b != b'0').map_or(0, |last| last + 1)
}

/// Writes a `time`, microseconds since midnight, 24:00:00 included.
#[inline]
pub(crate) fn time(micros: i64, cell: &mut [u8; 32]) -> Result<Piece, Error> {
    if !(0..=DAY).contains(&micros) {
        return Err(Error::DateTimeRange { oid: oid::TIME });
    }
    Ok(Piece::new(0, clock(micros, cell, 0)))
}

/// Writes a clock time at `at` and returns where it ends. The cell has room for fifteen bytes there.
#[inline]
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "micros are within one day"
)]
fn clock<const W: usize>(micros: i64, cell: &mut [u8; W], at: usize) -> usize {
    cell[at..at + 8].copy_from_slice(&hms((micros / SECOND) as u32));
    let fraction = (micros % SECOND) as u32;
    if fraction == 0 {
        return at + 8;
    }
    let digits = six(fraction);
    cell[at + 8] = b'.';
    cell[at + 9..at + 15].copy_from_slice(&digits);
    at + 9 + fraction_len(digits)
}

/// Writes a `timetz`: microseconds since local midnight, seconds east of Greenwich.
pub(crate) fn time_tz(micros: i64, east: i32, cell: &mut [u8; 32]) -> Result<Piece, Error> {
    if !(0..=DAY).contains(&micros) {
        return Err(Error::DateTimeRange { oid: oid::TIMETZ });
    }
    let end = clock(micros, cell, 0);
    let mut pen = Pen::at(cell, end);
    Ok(pen.offset(east).done())
}

/// Writes a `timestamp`, microseconds since 1970.
#[inline]
pub(crate) fn timestamp(micros: i64, style: DateStyle, cell: &mut [u8; 64]) -> Result<Piece, Error> {
    if let Some(piece) = infinity(micros == i64::MAX, micros == -i64::MAX, cell) {
        return Ok(piece);
    }
    let (days, clock_micros) = split(micros, 0, oid::TIMESTAMP)?;
    let (year, month, day) = civil_from_days(days);
    if let (DateFormat::Iso, 1..=9999) = (style.format, year) {
        return Ok(Piece::new(
            0,
            iso(year.unsigned_abs(), (month, day), clock_micros, cell),
        ));
    }
    let mut pen = Pen::new(cell);
    date_and_clock(&mut pen, style, days, clock_micros);
    Ok(pen.era(year).done())
}

/// Writes a `timestamptz`, microseconds since 1970 UTC, in the session's zone.
#[inline]
pub(crate) fn timestamp_tz(
    micros: i64,
    style: DateStyle,
    zone: &mut ZoneCache,
    cell: &mut [u8; 64],
) -> Result<Piece, Error> {
    if let Some(piece) = infinity(micros == i64::MAX, micros == -i64::MAX, cell) {
        return Ok(piece);
    }
    let instant = micros.div_euclid(SECOND);
    let east = zone.offset_at(instant);
    let (days, clock_micros) = split(micros, east, oid::TIMESTAMPTZ)?;
    let (year, month, day) = civil_from_days(days);
    if let (DateFormat::Iso, 1..=9999) = (style.format, year) {
        let end = iso(year.unsigned_abs(), (month, day), clock_micros, cell);
        if east == 0 {
            cell[end..end + 3].copy_from_slice(b"+00");
            return Ok(Piece::new(0, end + 3));
        }
        return Ok(Pen::at(cell, end).offset(east).done());
    }
    let mut pen = Pen::new(cell);
    date_and_clock(&mut pen, style, days, clock_micros);
    if style.format == DateFormat::Iso {
        pen.offset(east);
    } else {
        pen.put(b" ").put(zone.zone().abbreviation_at(instant).as_bytes());
    }
    Ok(pen.era(year).done())
}

/// Local day and microseconds within it.
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "days of a microsecond count fit")]
fn split(micros: i64, east: i32, type_oid: u32) -> Result<(i32, i64), Error> {
    if micros < FIRST_MICROS {
        return Err(Error::DateTimeRange { oid: type_oid });
    }
    // The last instants of the range are past it in zones east of Greenwich, so days and clock are added up apart.
    let clock = micros.rem_euclid(DAY) + i64::from(east) * SECOND;
    Ok((
        (micros.div_euclid(DAY) + clock.div_euclid(DAY)) as i32,
        clock.rem_euclid(DAY),
    ))
}

/// `YYYY-MM-DD HH:MM:SS[.ffffff]` of a year from 0 to 9999; returns where it ends.
#[inline]
fn iso(year: u32, (month, day): (u32, u32), micros: i64, cell: &mut [u8; 64]) -> usize {
    cell[..10].copy_from_slice(&ymd(year, month, day));
    cell[10] = b' ';
    clock(micros, cell, 11)
}

fn date_and_clock(pen: &mut Pen<'_>, style: DateStyle, days: i32, micros: i64) {
    let (year, month, day) = civil_from_days(days);
    let mut clock_cell = [0; 16];
    let end = clock(micros, &mut clock_cell, 0);
    let clock_text = &clock_cell[..end];
    match style.format {
        DateFormat::Iso => pen
            .year(year)
            .put(b"-")
            .two(month)
            .put(b"-")
            .two(day)
            .put(b" ")
            .put(clock_text),
        DateFormat::Sql => day_and_month(pen, style.order, b"/", (month, day))
            .put(b"/")
            .year(year)
            .put(b" ")
            .put(clock_text),
        DateFormat::German => pen
            .two(day)
            .put(b".")
            .two(month)
            .put(b".")
            .year(year)
            .put(b" ")
            .put(clock_text),
        DateFormat::Postgres => {
            pen.put(DAYS[weekday(days.into())]).put(b" ");
            let name = MONTHS[month as usize - 1];
            match style.order {
                DateOrder::Dmy => pen.two(day).put(b" ").put(name),
                DateOrder::Mdy | DateOrder::Ymd => pen.put(name).put(b" ").two(day),
            };
            pen.put(b" ").put(clock_text).put(b" ").year(year)
        }
    };
}
