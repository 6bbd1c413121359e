//! `interval` as text in every `IntervalStyle` (`PostgreSQL`'s `EncodeInterval`).

use super::fixed::Piece;
use super::pen::Pen;
use crate::settings::IntervalStyle;

/// An interval's fields, each with its own sign; those below a day share one.
#[derive(Clone, Copy)]
struct Fields {
    years: i64,
    months: i64,
    days: i64,
    hours: i64,
    minutes: i64,
    seconds: i64,
    micros: i64,
}

impl Fields {
    fn new(months: i32, days: i32, micros: i64) -> Self {
        Self {
            years: i64::from(months / 12),
            months: i64::from(months % 12),
            days: i64::from(days),
            hours: micros / 3_600_000_000,
            minutes: micros / 60_000_000 % 60,
            seconds: micros / 1_000_000 % 60,
            micros: micros % 1_000_000,
        }
    }

    fn all(&self) -> [i64; 7] {
        [
            self.years,
            self.months,
            self.days,
            self.hours,
            self.minutes,
            self.seconds,
            self.micros,
        ]
    }

    fn clock(&self) -> [i64; 4] {
        [self.hours, self.minutes, self.seconds, self.micros]
    }

    fn has_clock(&self) -> bool {
        self.clock().iter().any(|&field| field != 0)
    }

    fn clock_is_negative(&self) -> bool {
        self.clock().iter().any(|&field| field < 0)
    }
}

/// Writes an interval.
pub(crate) fn text(months: i32, days: i32, micros: i64, style: IntervalStyle, cell: &mut [u8; 128]) -> Piece {
    let fields = Fields::new(months, days, micros);
    let mut pen = Pen::new(cell);
    match style {
        IntervalStyle::Postgres => postgres(&mut pen, &fields),
        IntervalStyle::PostgresVerbose => verbose(&mut pen, &fields),
        IntervalStyle::SqlStandard => sql_standard(&mut pen, &fields),
        IntervalStyle::Iso8601 => iso_8601(&mut pen, &fields),
    }
    pen.done()
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "minutes, seconds and microseconds are below a million"
)]
fn small(value: i64) -> u32 {
    value.unsigned_abs() as u32
}

fn at_least_two(pen: &mut Pen<'_>, value: i64) {
    if value.unsigned_abs() < 10 {
        pen.put(b"0");
    }
    pen.number(value.unsigned_abs());
}

fn postgres(pen: &mut Pen<'_>, fields: &Fields) {
    let (mut first, mut before) = (true, false);
    for (value, unit) in [(fields.years, "year"), (fields.months, "mon"), (fields.days, "day")] {
        if value == 0 {
            continue;
        }
        if !first {
            pen.put(b" ");
        }
        if before && value > 0 {
            pen.put(b"+");
        }
        pen.number(value).put(b" ").put(unit.as_bytes());
        if value != 1 {
            pen.put(b"s");
        }
        before = value < 0;
        first = false;
    }
    if first || fields.has_clock() {
        if !first {
            pen.put(b" ");
        }
        if fields.clock_is_negative() {
            pen.put(b"-");
        } else if before {
            pen.put(b"+");
        }
        at_least_two(pen, fields.hours);
        pen.put(b":")
            .two(small(fields.minutes))
            .put(b":")
            .seconds(small(fields.seconds), small(fields.micros), true);
    }
}

fn verbose(pen: &mut Pen<'_>, fields: &Fields) {
    let (mut first, mut before) = (true, false);
    pen.put(b"@");
    let units = ["year", "mon", "day", "hour", "min"];
    for (value, unit) in fields.all().into_iter().zip(units) {
        if value == 0 {
            continue;
        }
        let shown = if first {
            value.abs()
        } else if before {
            -value
        } else {
            value
        };
        before = if first { value < 0 } else { before };
        first = false;
        pen.put(b" ").number(shown).put(b" ").put(unit.as_bytes());
        if shown != 1 {
            pen.put(b"s");
        }
    }
    if fields.seconds != 0 || fields.micros != 0 {
        pen.put(b" ");
        if fields.seconds < 0 || fields.micros < 0 {
            if first {
                before = true;
            } else if !before {
                pen.put(b"-");
            }
        } else if before {
            pen.put(b"-");
        }
        first = false;
        pen.seconds(small(fields.seconds), small(fields.micros), false)
            .put(b" sec");
        if fields.seconds.abs() != 1 || fields.micros != 0 {
            pen.put(b"s");
        }
    }
    if first {
        pen.put(b" 0");
    }
    if before {
        pen.put(b" ago");
    }
}

fn sql_standard(pen: &mut Pen<'_>, fields: &Fields) {
    let negative = fields.all().iter().any(|&field| field < 0);
    let positive = fields.all().iter().any(|&field| field > 0);
    let has_months = fields.years != 0 || fields.months != 0;
    let has_days = fields.days != 0 || fields.has_clock();
    let standard = !(negative && positive || has_months && has_days);
    if !negative && !positive {
        pen.put(b"0");
        return;
    }
    let sign = |negative: bool| if negative { b"-" } else { b"+" };
    if !standard {
        pen.put(sign(fields.years < 0 || fields.months < 0));
        pen.number(fields.years.unsigned_abs())
            .put(b"-")
            .number(fields.months.unsigned_abs())
            .put(b" ");
        pen.put(sign(fields.days < 0))
            .number(fields.days.unsigned_abs())
            .put(b" ");
        pen.put(sign(fields.clock_is_negative()));
    } else if negative {
        pen.put(b"-");
    }
    if standard && has_months {
        pen.number(fields.years.unsigned_abs())
            .put(b"-")
            .number(fields.months.unsigned_abs());
        return;
    }
    if standard && fields.days != 0 {
        pen.number(fields.days.unsigned_abs()).put(b" ");
    }
    pen.number(fields.hours.unsigned_abs())
        .put(b":")
        .two(small(fields.minutes))
        .put(b":");
    pen.seconds(small(fields.seconds), small(fields.micros), true);
}

fn iso_8601(pen: &mut Pen<'_>, fields: &Fields) {
    if fields.all().iter().all(|&field| field == 0) {
        pen.put(b"PT0S");
        return;
    }
    pen.put(b"P");
    for (value, unit) in [(fields.years, b"Y"), (fields.months, b"M"), (fields.days, b"D")] {
        if value != 0 {
            pen.number(value).put(unit);
        }
    }
    if fields.has_clock() {
        pen.put(b"T");
    }
    for (value, unit) in [(fields.hours, b"H"), (fields.minutes, b"M")] {
        if value != 0 {
            pen.number(value).put(unit);
        }
    }
    if fields.seconds != 0 || fields.micros != 0 {
        if fields.seconds < 0 || fields.micros < 0 {
            pen.put(b"-");
        }
        pen.seconds(small(fields.seconds), small(fields.micros), false)
            .put(b"S");
    }
}
