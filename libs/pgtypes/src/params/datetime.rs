//! Dates, times and timestamps from text (`PostgreSQL`'s `ParseDateTime` and `DecodeDateTime`, manual appendix "Date/Time
//! Support").

mod fields;
mod tokens;

use chrono::Utc;

pub(super) use self::fields::fraction_micros;
use self::fields::{Fields, Zone, read};
use super::ParamValue;
use crate::calendar::{DAY, FIRST_DAY, FIRST_MICROS, LAST_DAY, SECOND};
use crate::zone::TimeZone;
use crate::{Error, RenderSettings, oid};

pub(super) fn from_text(type_oid: u32, text: &str, settings: &RenderSettings) -> Result<ParamValue, Error> {
    if let Some(value) = special(type_oid, text.trim(), &settings.time_zone) {
        return Ok(value);
    }
    let fields = read(type_oid, text, settings.date_style.order)?;
    let bad = || Error::bad_text(type_oid, text);
    match type_oid {
        oid::DATE => {
            let days = fields.day.ok_or_else(bad)?;
            let days = i32::try_from(days)
                .ok()
                .filter(|days| (FIRST_DAY..=LAST_DAY).contains(days));
            days.map(ParamValue::Date).ok_or(Error::DateTimeRange { oid: type_oid })
        }
        oid::TIME => fields.micros.map(ParamValue::Time).ok_or_else(bad),
        oid::TIMETZ => {
            let micros = fields.micros.ok_or_else(bad)?;
            Ok(ParamValue::TimeTz {
                micros,
                east: offset(&fields, &settings.time_zone, micros),
            })
        }
        oid::TIMESTAMP => {
            let (days, micros) = (fields.day.ok_or_else(bad)?, fields.micros.unwrap_or(0));
            instant(type_oid, days, micros, 0).map(ParamValue::Timestamp)
        }
        _ => {
            let (days, micros) = (fields.day.ok_or_else(bad)?, fields.micros.unwrap_or(0));
            let east = offset(&fields, &settings.time_zone, micros);
            instant(type_oid, days, micros, east).map(ParamValue::TimestampTz)
        }
    }
}

/// The offset that a text means: its own, else the session's at that local time, today where there is no date.
fn offset(fields: &Fields, session: &TimeZone, micros: i64) -> i32 {
    let local = |zone: &TimeZone| {
        let day = fields.day.unwrap_or_else(|| Utc::now().timestamp().div_euclid(86_400));
        zone.offset_of_local(day.saturating_mul(86_400).saturating_add(micros / SECOND))
    };
    match &fields.zone {
        Some(Zone::East(east)) => *east,
        Some(Zone::Named(zone)) => local(zone),
        None => local(session),
    }
}

fn instant(type_oid: u32, days: i64, micros: i64, east: i32) -> Result<i64, Error> {
    let local = days.checked_mul(DAY).and_then(|start| start.checked_add(micros));
    local
        .and_then(|local| local.checked_sub(i64::from(east) * SECOND))
        .filter(|&instant| (FIRST_MICROS..i64::MAX).contains(&instant))
        .ok_or(Error::DateTimeRange { oid: type_oid })
}

/// The words that stand for a whole value (manual, "Special Values").
fn special(type_oid: u32, text: &str, session: &TimeZone) -> Option<ParamValue> {
    let word = text.to_ascii_lowercase();
    match word.as_str() {
        "infinity" | "+infinity" => return infinity(type_oid, 1),
        "-infinity" => return infinity(type_oid, -1),
        _ => {}
    }
    let now = Utc::now().timestamp_micros();
    let east = i64::from(session.offset_at(now.div_euclid(SECOND))) * SECOND;
    let today = (now + east).div_euclid(DAY) * DAY;
    // Local microseconds since 1970.
    let local = match word.as_str() {
        "epoch" => east,
        "now" => now + east,
        "today" => today,
        "tomorrow" => today + DAY,
        "yesterday" => today - DAY,
        "allballs" if matches!(type_oid, oid::TIME | oid::TIMETZ) => 0,
        _ => return None,
    };
    let midnight_only = !matches!(word.as_str(), "epoch" | "now" | "allballs");
    match type_oid {
        oid::DATE if word == "epoch" => Some(ParamValue::Date(0)),
        oid::DATE => i32::try_from(local.div_euclid(DAY)).ok().map(ParamValue::Date),
        oid::TIMESTAMP if word == "epoch" => Some(ParamValue::Timestamp(0)),
        oid::TIMESTAMP => Some(ParamValue::Timestamp(local)),
        oid::TIMESTAMPTZ if midnight_only => {
            let offset = i64::from(session.offset_of_local(local.div_euclid(SECOND))) * SECOND;
            Some(ParamValue::TimestampTz(local - offset))
        }
        oid::TIMESTAMPTZ => Some(ParamValue::TimestampTz(local - east)),
        _ if midnight_only || word == "epoch" => None,
        oid::TIME => Some(ParamValue::Time(local.rem_euclid(DAY))),
        _ => {
            let east = if word == "allballs" {
                0
            } else {
                i32::try_from(east / SECOND).unwrap_or_default()
            };
            Some(ParamValue::TimeTz {
                micros: local.rem_euclid(DAY),
                east,
            })
        }
    }
}

fn infinity(type_oid: u32, sign: i8) -> Option<ParamValue> {
    match type_oid {
        oid::DATE => Some(ParamValue::Date(i32::from(sign) * i32::MAX)),
        oid::TIMESTAMP => Some(ParamValue::Timestamp(i64::from(sign) * i64::MAX)),
        oid::TIMESTAMPTZ => Some(ParamValue::TimestampTz(i64::from(sign) * i64::MAX)),
        _ => None,
    }
}
