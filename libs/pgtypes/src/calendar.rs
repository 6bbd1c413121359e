//! The proleptic Gregorian calendar in whole numbers. Years are astronomical: 0 is 1 BC.

/// Microseconds in a second.
pub(crate) const SECOND: i64 = 1_000_000;
/// Microseconds in a day.
pub(crate) const DAY: i64 = 86_400 * SECOND;
/// Days from 1970-01-01 to 2000-01-01, where `PostgreSQL` counts from.
pub(crate) const EPOCH_DAYS: i32 = 10_957;
/// The same in microseconds.
pub(crate) const EPOCH_MICROS: i64 = EPOCH_DAYS as i64 * DAY;
/// First day that `PostgreSQL` has: 4714-11-24 BC, Julian day 0, as days since 1970.
pub(crate) const FIRST_DAY: i32 = -2_440_588;
/// Last day that a `date` can be: 5874897-12-31.
pub(crate) const LAST_DAY: i32 = 2_147_483_493 - 2_440_588;
/// First instant that a `timestamp` can be.
pub(crate) const FIRST_MICROS: i64 = FIRST_DAY as i64 * DAY;

/// Year, month and day of a day counted from 1970-01-01 (Neri and Schneider, "Euclidean affine functions").
#[inline]
pub(crate) fn civil_from_days(days: i32) -> (i32, u32, u32) {
    const ERAS: i64 = 14_700;
    const SHIFT: i64 = 719_468 + 146_097 * ERAS;
    let n1 = 4 * (i64::from(days) + SHIFT).cast_unsigned() + 3;
    let century = n1 / 146_097;
    let n2 = (n1 % 146_097) | 3;
    let p2 = 2_939_745 * n2;
    let year_of_century = p2 >> 32;
    let day_of_year = u32::try_from((p2 & 0xffff_ffff) / 2_939_745 / 4).unwrap_or_default();
    let n3 = 2_141 * day_of_year + 197_913;
    let (month, day) = (n3 >> 16, (n3 & 0xffff) / 2_141);
    let wrapped = day_of_year >= 306;
    let year = (100 * century + year_of_century).cast_signed() - 400 * ERAS + i64::from(wrapped);
    let month = if wrapped { month - 12 } else { month };
    (i32::try_from(year).unwrap_or_default(), month, day + 1)
}

/// The day counted from 1970-01-01 of a date whose month is 1 to 12.
pub(crate) fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let shifted = i64::from((month + 9) % 12);
    let day_of_year = (153 * shifted + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// How many days a month has.
pub(crate) fn days_in_month(year: i64, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Whether a year has a 29 February.
pub(crate) fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// 0 for Sunday.
pub(crate) fn weekday(days: i64) -> usize {
    usize::try_from((days + 4).rem_euclid(7)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_days() {
        assert_eq!(civil_from_days(0), (1970, 1, 1));
        assert_eq!(civil_from_days(EPOCH_DAYS), (2000, 1, 1));
        assert_eq!(civil_from_days(FIRST_DAY), (-4713, 11, 24));
        assert_eq!(civil_from_days(LAST_DAY), (5_874_897, 12, 31));
        assert_eq!(weekday(0), 4);
    }

    proptest! {
        #[test]
        fn a_day_and_its_date_are_one(days in FIRST_DAY..=LAST_DAY) {
            let (year, month, day) = civil_from_days(days);
            prop_assert!((1..=12).contains(&month) && (1..=days_in_month(year.into(), month)).contains(&day));
            prop_assert_eq!(days_from_civil(year.into(), month, day), i64::from(days));
        }
    }
}
