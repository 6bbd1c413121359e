//! Time zones: what `TimeZone` may be set to, and the offset from UTC at an instant or at a local time.
//!
//! Offsets are seconds east of Greenwich. Zones come from the IANA data compiled in.

use chrono::{DateTime, Offset, TimeZone as _, Utc};
use chrono_tz::{OffsetName, TZ_VARIANTS, Tz};

use crate::Error;
use crate::calendar::{civil_from_days, days_from_civil, is_leap, weekday};

const DAY_SECONDS: i64 = 86_400;
/// The first day for which the compiled rules, which end before 2100, are not asked directly: 2090-01-01.
const RULES_END: i64 = 43_830;
/// No zone is further from UTC than this: `PostgreSQL`'s `MAX_TZDISP_HOUR`.
const MAX_OFFSET: i32 = 16 * 3600 - 1;

/// A session's time zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimeZone {
    /// A zone of the IANA list.
    Named(Tz),
    /// An offset, and what the zone is called in styles that print names.
    Fixed {
        /// Seconds east of Greenwich.
        east: i32,
        /// The abbreviation.
        abbreviation: String,
    },
}

impl TimeZone {
    /// Coordinated universal time.
    pub const UTC: Self = Self::Named(Tz::UTC);

    /// Reads a value of the `TimeZone` setting: an IANA name in any case, hours east (`-5`, `5.5`), or a POSIX name whose
    /// offset counts west (`EST5`, `<+02>-02`). An empty string is UTC.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(Self::UTC);
        }
        hours_east(text)
            .or_else(|| Self::by_name(text))
            .or_else(|| posix(text))
            .ok_or_else(|| Error::BadSetting {
                name: "TimeZone",
                value: text.to_owned(),
            })
    }

    /// The setting's value as `SHOW` prints it, for the text that was read: names as the IANA list spells them, hours as
    /// POSIX does.
    pub fn shown(&self, text: &str) -> String {
        match self {
            Self::Named(zone) => zone.name().to_owned(),
            Self::Fixed { east, .. } if hours_east(text.trim()).is_some() => {
                format!("<{}>{}", offset_name(*east, ":"), offset_name(-*east, ":"))
            }
            Self::Fixed { .. } => text.trim().to_owned(),
        }
    }

    /// The IANA name of the zone, also of an offset of whole hours; `None` for offsets that have none.
    pub fn iana_name(&self) -> Option<String> {
        match self {
            Self::Named(zone) => Some(zone.name().to_owned()),
            Self::Fixed { east: 0, .. } => Some("UTC".to_owned()),
            // The list has offsets from UTC−12 to UTC+14, and signs them as POSIX does.
            Self::Fixed { east, .. } => {
                (east % 3600 == 0 && (-12..=14).contains(&(east / 3600))).then(|| format!("Etc/GMT{:+}", -east / 3600))
            }
        }
    }

    /// A zone of the IANA list, in any case.
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        let named = name.parse().ok();
        let found = named.or_else(|| {
            TZ_VARIANTS
                .iter()
                .find(|zone| zone.name().eq_ignore_ascii_case(name))
                .copied()
        });
        found.map(Self::Named)
    }

    /// Seconds east of Greenwich at an instant given in seconds since 1970 UTC.
    pub fn offset_at(&self, instant: i64) -> i32 {
        match self {
            Self::Named(zone) => zone
                .offset_from_utc_datetime(&utc(instant).naive_utc())
                .fix()
                .local_minus_utc(),
            Self::Fixed { east, .. } => *east,
        }
    }

    /// The zone's abbreviation at an instant, such as `PST`.
    pub fn abbreviation_at(&self, instant: i64) -> String {
        match self {
            Self::Named(zone) => {
                let offset = zone.offset_from_utc_datetime(&utc(instant).naive_utc());
                // Zones without letters of their own are called by their offset, as `+1030`.
                let numeric = || offset_name(offset.fix().local_minus_utc(), "");
                offset.abbreviation().map_or_else(numeric, str::to_owned)
            }
            Self::Fixed { abbreviation, .. } => abbreviation.clone(),
        }
    }

    /// The offset that a local time means. A time that does not exist counts as before the change, one that exists twice as
    /// after it, as in `PostgreSQL`'s `DetermineTimeZoneOffset`.
    pub fn offset_of_local(&self, local: i64) -> i32 {
        let before = self.offset_at(local - DAY_SECONDS);
        let after = self.offset_at(local + DAY_SECONDS);
        if before == after {
            return before;
        }
        let (early, late) = (local - i64::from(before), local - i64::from(after));
        match (self.offset_at(early) == before, self.offset_at(late) == after) {
            (true, false) => before,
            (false, true) => after,
            _ if early > late => before,
            _ => after,
        }
    }
}

/// Remembers offsets by day, because results hold many instants of few days.
#[derive(Debug)]
pub(crate) struct ZoneCache {
    zone: TimeZone,
    days: Vec<(i64, Option<i32>)>,
}

const SLOTS: i64 = 256;

impl ZoneCache {
    pub(crate) fn new(zone: TimeZone) -> Self {
        let slots = usize::try_from(SLOTS).unwrap_or_default();
        Self {
            zone,
            days: vec![(i64::MIN, None); slots],
        }
    }

    pub(crate) fn zone(&self) -> &TimeZone {
        &self.zone
    }

    #[inline]
    pub(crate) fn offset_at(&mut self, instant: i64) -> i32 {
        let day = instant.div_euclid(DAY_SECONDS);
        let slot = usize::try_from(day.rem_euclid(SLOTS)).unwrap_or_default();
        if self.days[slot].0 != day {
            self.days[slot] = (day, self.whole_day(day));
        }
        match self.days[slot].1 {
            Some(offset) => offset,
            None => self.zone.offset_at(instant),
        }
    }

    /// The offset of a day on which it does not change.
    fn whole_day(&self, day: i64) -> Option<i32> {
        let start = self.zone.offset_at(day * DAY_SECONDS);
        let middle = self.zone.offset_at(day * DAY_SECONDS + DAY_SECONDS / 2);
        let end = self.zone.offset_at((day + 1) * DAY_SECONDS);
        (start == middle && start == end).then_some(start)
    }
}

/// The instant, moved into the years that the compiled zone data covers. The rules of today repeat for ever, so a late year
/// stands for the year with the same calendar; everything before the first rule is local mean time.
fn utc(instant: i64) -> DateTime<Utc> {
    let day = instant.div_euclid(DAY_SECONDS);
    let shift = if day >= RULES_END { late_shift(day) } else { 0 };
    let clamped = (instant - shift).max(-80_000 * 365 * DAY_SECONDS);
    DateTime::from_timestamp(clamped, 0).unwrap_or(DateTime::UNIX_EPOCH)
}

fn late_shift(day: i64) -> i64 {
    let year = i64::from(civil_from_days(i32::try_from(day).unwrap_or(i32::MAX)).0);
    let first = days_from_civil(year, 1, 1);
    let same = (2062..2090)
        .find(|&other| is_leap(other) == is_leap(year) && weekday(days_from_civil(other, 1, 1)) == weekday(first));
    same.map_or(0, |other| (first - days_from_civil(other, 1, 1)) * DAY_SECONDS)
}

fn hours_east(text: &str) -> Option<TimeZone> {
    let hours: f64 = text
        .parse()
        .ok()
        .filter(|_| text.bytes().all(|b| b.is_ascii_digit() || b"+-.".contains(&b)))?;
    #[allow(clippy::cast_possible_truncation, reason = "bounded by the check below")]
    let east = (hours.clamp(-200.0, 200.0) * 3600.0) as i32;
    fixed(east, offset_name(east, ":"))
}

/// `+02`, `-05:30`: what a zone without a name is called.
fn offset_name(east: i32, colon: &str) -> String {
    let (sign, west) = if east < 0 { ('-', -east) } else { ('+', east) };
    let (hours, minutes, seconds) = (west / 3600, west / 60 % 60, west % 60);
    match (minutes, seconds) {
        (0, 0) => format!("{sign}{hours:02}"),
        (_, 0) => format!("{sign}{hours:02}{colon}{minutes:02}"),
        _ => format!("{sign}{hours:02}{colon}{minutes:02}{colon}{seconds:02}"),
    }
}

fn posix(text: &str) -> Option<TimeZone> {
    let (name, rest) = match text.strip_prefix('<') {
        Some(quoted) => quoted.split_once('>')?,
        None => text.split_at(text.find(|c: char| !c.is_ascii_alphabetic())?),
    };
    let (sign, digits) = match rest.strip_prefix('-') {
        Some(digits) => (1, digits),
        None => (-1, rest.strip_prefix('+').unwrap_or(rest)),
    };
    let mut seconds = 0;
    let mut unit = 3600;
    for part in digits.split(':') {
        if unit == 0 || part.is_empty() || part.len() > 2 {
            return None;
        }
        seconds += part.parse::<u8>().ok().map(i32::from)? * unit;
        unit /= 60;
    }
    fixed(sign * seconds, name.to_owned())
}

fn fixed(east: i32, abbreviation: String) -> Option<TimeZone> {
    (east.abs() <= MAX_OFFSET).then_some(TimeZone::Fixed { east, abbreviation })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(text: &str) -> TimeZone {
        TimeZone::parse(text).expect("a zone")
    }

    #[test]
    fn reads_names_hours_and_posix_offsets() {
        assert_eq!(zone("europe/berlin").offset_at(1_600_000_000), 7200);
        assert_eq!(zone("-5").offset_at(0), -18_000);
        assert_eq!(zone("5.5").offset_at(0), 19_800);
        assert_eq!(
            zone("<+02>-02"),
            TimeZone::Fixed {
                east: 7200,
                abbreviation: "+02".into()
            }
        );
        assert_eq!(zone("FOO+3").offset_at(0), -10_800);
        for bad in ["Mars/Base", "99", "FOO", "<+02", "a:b"] {
            assert!(TimeZone::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn values_are_shown_as_postgresql_does_and_offsets_of_hours_have_names() {
        for (text, shown, name) in [
            ("utc", "UTC", Some("UTC")),
            ("america/new_york", "America/New_York", Some("America/New_York")),
            ("+3", "<+03>-03", Some("Etc/GMT-3")),
            ("-3", "<-03>+03", Some("Etc/GMT+3")),
            ("5.5", "<+05:30>-05:30", None),
            ("EST5", "EST5", Some("Etc/GMT+5")),
            ("<+02>-02", "<+02>-02", Some("Etc/GMT-2")),
            ("0", "<+00>+00", Some("UTC")),
            ("15", "<+15>-15", None),
        ] {
            let read = zone(text);
            assert_eq!(
                (read.shown(text).as_str(), read.iana_name().as_deref()),
                (shown, name),
                "{text}"
            );
        }
    }

    #[test]
    fn late_years_keep_summer_time_and_early_ones_local_mean_time() {
        let july_3000 = days_from_civil(3000, 7, 1) * DAY_SECONDS;
        assert_eq!(zone("America/New_York").offset_at(july_3000), -14_400);
        assert_eq!(
            zone("America/New_York").offset_at(days_from_civil(1700, 1, 1) * DAY_SECONDS),
            -17_762
        );
        assert_eq!(
            zone("Europe/Berlin").offset_at(days_from_civil(-4000, 1, 1) * DAY_SECONDS),
            3208
        );
    }

    #[test]
    fn local_times_around_a_change() {
        let berlin = zone("Europe/Berlin");
        let at = |month: u32, day: u32, hour: i64| days_from_civil(2021, month, day) * DAY_SECONDS + hour * 3600 + 1800;
        assert_eq!(berlin.offset_of_local(at(3, 28, 2)), 3600);
        assert_eq!(berlin.offset_of_local(at(10, 31, 2)), 3600);
        assert_eq!(berlin.offset_of_local(at(3, 28, 3)), 7200);
        assert_eq!(berlin.offset_of_local(at(10, 31, 1)), 7200);
    }

    #[test]
    fn the_cache_answers_like_the_zone() {
        let mut cache = ZoneCache::new(zone("America/New_York"));
        for hour in 0..20_000 {
            let instant = 1_600_000_000 + hour * 1800;
            assert_eq!(cache.offset_at(instant), cache.zone().clone().offset_at(instant));
        }
    }
}
