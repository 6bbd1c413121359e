//! Values from `PostgreSQL`'s binary forms (each type's `…recv`).

use super::{ParamValue, array, element, number, utf8};
use crate::calendar::{DAY, EPOCH_DAYS, EPOCH_MICROS, FIRST_DAY, FIRST_MICROS, LAST_DAY};
use crate::mapping::{is_oid_like, is_text_like};
use crate::{Error, oid};

/// `PostgreSQL`'s `MAX_TZDISP_HOUR`, in seconds.
const MAX_OFFSET: i32 = 16 * 3600;

pub(super) fn decode(type_oid: u32, bytes: &[u8]) -> Result<ParamValue, Error> {
    let bad = || Error::BadBinary { oid: type_oid };
    Ok(match type_oid {
        oid::BOOL => ParamValue::Bool(exact::<1>(type_oid, bytes)? != [0]),
        oid::INT2 => ParamValue::Int2(i16::from_be_bytes(exact(type_oid, bytes)?)),
        oid::INT4 => ParamValue::Int4(i32::from_be_bytes(exact(type_oid, bytes)?)),
        oid::INT8 => ParamValue::Int8(i64::from_be_bytes(exact(type_oid, bytes)?)),
        oid::FLOAT4 => ParamValue::Float4(f32::from_be_bytes(exact(type_oid, bytes)?)),
        oid::FLOAT8 => ParamValue::Float8(f64::from_be_bytes(exact(type_oid, bytes)?)),
        oid::NUMERIC => number::from_binary(bytes)?,
        oid::XID8 => {
            let value = u64::from_be_bytes(exact(type_oid, bytes)?);
            ParamValue::Decimal {
                value: value.into(),
                scale: 0,
            }
        }
        oid::BYTEA => ParamValue::Bytes(bytes.to_vec()),
        oid::DATE | oid::TIME | oid::TIMETZ | oid::TIMESTAMP | oid::TIMESTAMPTZ | oid::INTERVAL => {
            temporal(type_oid, bytes)?
        }
        oid::UUID => ParamValue::Uuid(u128::from_be_bytes(exact(type_oid, bytes)?)),
        oid::JSON => ParamValue::Json(utf8(bytes)?.to_owned()),
        oid::JSONB => match bytes.split_first() {
            Some((1, rest)) => ParamValue::Json(utf8(rest)?.to_owned()),
            Some(_) => return Err(bad()),
            None => return Err(Error::ShortBinary { oid: type_oid }),
        },
        oid::BIT | oid::VARBIT => ParamValue::Bit(bits(type_oid, bytes)?),
        oid::CHAR => {
            let text = match exact::<1>(type_oid, bytes)? {
                [0] => String::new(),
                byte => utf8(&byte)?.to_owned(),
            };
            ParamValue::Text { oid: type_oid, text }
        }
        _ if is_oid_like(type_oid) => ParamValue::Oid(u32::from_be_bytes(exact(type_oid, bytes)?)),
        0 => ParamValue::Text {
            oid: 0,
            text: utf8(bytes)?.to_owned(),
        },
        _ if is_text_like(type_oid) => ParamValue::Text {
            oid: type_oid,
            text: utf8(bytes)?.to_owned(),
        },
        _ => match element(type_oid) {
            Some(element) => ParamValue::Array(array::from_binary(type_oid, element, bytes)?),
            None => return Err(Error::NoBinaryInput { oid: type_oid }),
        },
    })
}

/// Dates, times, and else an interval.
fn temporal(type_oid: u32, bytes: &[u8]) -> Result<ParamValue, Error> {
    Ok(match type_oid {
        oid::DATE => ParamValue::Date(date(i32::from_be_bytes(exact(type_oid, bytes)?))?),
        oid::TIME => ParamValue::Time(time(type_oid, exact(type_oid, bytes)?)?),
        oid::TIMETZ => {
            let bytes: [u8; 12] = exact(type_oid, bytes)?;
            let (micros, west) = bytes.split_at(8);
            let west = i32::from_be_bytes(exact(type_oid, west)?);
            if west.checked_abs().is_none_or(|west| west >= MAX_OFFSET) {
                return Err(Error::DateTimeRange { oid: type_oid });
            }
            ParamValue::TimeTz {
                micros: time(type_oid, exact(type_oid, micros)?)?,
                east: -west,
            }
        }
        oid::TIMESTAMP => ParamValue::Timestamp(timestamp(type_oid, exact(type_oid, bytes)?)?),
        oid::TIMESTAMPTZ => ParamValue::TimestampTz(timestamp(type_oid, exact(type_oid, bytes)?)?),
        _ => {
            let bytes: [u8; 16] = exact(type_oid, bytes)?;
            let [_, _, _, _, _, _, _, _, days @ .., _, _, _, _] = bytes;
            let [micros @ .., _, _, _, _, _, _, _, _] = bytes;
            let [_, _, _, _, _, _, _, _, _, _, _, _, months @ ..] = bytes;
            ParamValue::Interval {
                months: i32::from_be_bytes(months),
                days: i32::from_be_bytes(days),
                micros: i64::from_be_bytes(micros),
            }
        }
    })
}

/// The bytes, if there are exactly `N`: fewer break the protocol, more the type.
pub(super) fn exact<const N: usize>(type_oid: u32, bytes: &[u8]) -> Result<[u8; N], Error> {
    bytes.try_into().map_err(|_| {
        if bytes.len() < N {
            Error::ShortBinary { oid: type_oid }
        } else {
            Error::BadBinary { oid: type_oid }
        }
    })
}

fn date(days: i32) -> Result<i32, Error> {
    match days {
        i32::MAX => Ok(i32::MAX),
        i32::MIN => Ok(-i32::MAX),
        _ => days
            .checked_add(EPOCH_DAYS)
            .filter(|days| (FIRST_DAY..=LAST_DAY).contains(days))
            .ok_or(Error::DateTimeRange { oid: oid::DATE }),
    }
}

fn time(type_oid: u32, bytes: [u8; 8]) -> Result<i64, Error> {
    let micros = i64::from_be_bytes(bytes);
    if (0..=DAY).contains(&micros) {
        Ok(micros)
    } else {
        Err(Error::DateTimeRange { oid: type_oid })
    }
}

fn timestamp(type_oid: u32, bytes: [u8; 8]) -> Result<i64, Error> {
    match i64::from_be_bytes(bytes) {
        i64::MAX => Ok(i64::MAX),
        i64::MIN => Ok(-i64::MAX),
        micros => micros
            .checked_add(EPOCH_MICROS)
            .filter(|&micros| (FIRST_MICROS..i64::MAX).contains(&micros))
            .ok_or(Error::DateTimeRange { oid: type_oid }),
    }
}

fn bits(type_oid: u32, bytes: &[u8]) -> Result<String, Error> {
    let (count, body) = bytes
        .split_first_chunk::<4>()
        .ok_or(Error::ShortBinary { oid: type_oid })?;
    let count = usize::try_from(i32::from_be_bytes(*count)).map_err(|_| Error::BadBinary { oid: type_oid })?;
    let body: &[u8] = match body.len().cmp(&count.div_ceil(8)) {
        std::cmp::Ordering::Less => return Err(Error::ShortBinary { oid: type_oid }),
        std::cmp::Ordering::Equal => body,
        std::cmp::Ordering::Greater => return Err(Error::BadBinary { oid: type_oid }),
    };
    let all = body
        .iter()
        .flat_map(|byte| (0..8).rev().map(move |bit| char::from(b'0' + (byte >> bit & 1))));
    Ok(all.take(count).collect())
}
