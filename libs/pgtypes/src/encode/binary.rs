//! Encoders of scalar values in `PostgreSQL`'s binary forms (each type's `…_send`).

use arrow_array::types as arrow;
use arrow_schema::Field;

use super::bytes::{Verbatim, rewritten};
use super::cells::Encode;
use super::fixed::{Piece, Prim, Raw, fixed};
use super::plan::{decimals, integers, times, timestamps, unsupported};
use super::text::{boolean, time_tz};
use super::{bits, numeric};
use crate::calendar::{DAY, EPOCH_DAYS, EPOCH_MICROS, FIRST_DAY, FIRST_MICROS, LAST_DAY};
use crate::kind::Kind;
use crate::mapping::{is_oid_like, is_text_like};
use crate::{Error, oid};

/// An encoder of a scalar's binary form as type `announced`; refused where the type has another form than the values.
pub(crate) fn encoder(kind: Kind<'_>, field: &Field, announced: u32) -> Result<Box<dyn Encode>, Error> {
    let refused = || Error::NoBinaryOutput { oid: announced };
    let encoder = match (kind, announced) {
        (Kind::Bool, oid::BOOL) => Some(boolean(field, [1], [0])),
        (Kind::Integer, _) => integer(field, announced),
        (Kind::HugeInt, oid::NUMERIC) => Some(fixed::<Raw<16>, 48>(|bytes, cell| {
            let value = i128::from_le_bytes(bytes);
            Ok(numeric::binary(value.unsigned_abs(), value < 0, 0, cell))
        })),
        (Kind::UHugeInt, oid::NUMERIC) => Some(fixed::<Raw<16>, 48>(|bytes, cell| {
            Ok(numeric::binary(u128::from_le_bytes(bytes), false, 0, cell))
        })),
        (Kind::Decimal(_, scale), oid::NUMERIC) => decimals::<48>(field.data_type(), move |value, cell| {
            Ok(numeric::binary(
                value.unsigned_abs(),
                value < 0,
                usize::from(scale),
                cell,
            ))
        }),
        (Kind::BigNum, oid::NUMERIC) => Some(rewritten(|value, out| {
            numeric::binary_of_text(&bits::big_number(value)?, out);
            Ok(())
        })),
        (Kind::Float4, oid::FLOAT4) => Some(fixed::<Prim<arrow::Float32Type>, 4>(|value, cell| {
            Ok(whole(value.to_be_bytes(), cell))
        })),
        (Kind::Float8, oid::FLOAT8) => Some(fixed::<Prim<arrow::Float64Type>, 8>(|value, cell| {
            Ok(whole(value.to_be_bytes(), cell))
        })),
        (Kind::Text | Kind::Json, _) => text(announced),
        (Kind::Bytes, oid::BYTEA) => Some(Box::new(Verbatim::default()) as Box<dyn Encode>),
        (Kind::Uuid, oid::UUID) => Some(fixed::<Raw<16>, 16>(|bytes, cell| Ok(whole(bytes, cell)))),
        (Kind::Bit, oid::BIT | oid::VARBIT) => Some(rewritten(bits::binary)),
        (Kind::Unsupported, _) => return Err(unsupported(field)),
        _ => temporal(kind, announced),
    };
    encoder.ok_or_else(refused)
}

/// An encoder of a date, time or interval; `None` for anything else.
fn temporal(kind: Kind<'_>, announced: u32) -> Option<Box<dyn Encode>> {
    match (kind, announced) {
        (Kind::Date, oid::DATE) => Some(fixed::<Prim<arrow::Date32Type>, 4>(|days, cell| {
            Ok(whole(date(days)?.to_be_bytes(), cell))
        })),
        (Kind::Time(unit), oid::TIME) => Some(times::<8>(unit, |micros, cell| {
            Ok(whole(time(micros, oid::TIME)?.to_be_bytes(), cell))
        })),
        (Kind::TimeTz, oid::TIMETZ) => Some(fixed::<Raw<8>, 12>(|bytes, cell| {
            let (micros, east) = time_tz(bytes);
            cell[..8].copy_from_slice(&time(micros, oid::TIMETZ)?.to_be_bytes());
            cell[8..].copy_from_slice(&(-east).to_be_bytes());
            Ok(Piece::new(0, 12))
        })),
        (Kind::Timestamp(unit), oid::TIMESTAMP) | (Kind::TimestampTz(unit), oid::TIMESTAMPTZ) => {
            Some(timestamps::<8>(unit, announced, move |micros, cell| {
                Ok(whole(timestamp(micros, announced)?.to_be_bytes(), cell))
            }))
        }
        (Kind::Interval, oid::INTERVAL) => Some(fixed::<Prim<arrow::IntervalMonthDayNanoType>, 16>(|value, cell| {
            cell[..8].copy_from_slice(&(value.nanoseconds / 1000).to_be_bytes());
            cell[8..12].copy_from_slice(&value.days.to_be_bytes());
            cell[12..].copy_from_slice(&value.months.to_be_bytes());
            Ok(Piece::new(0, 16))
        })),
        _ => None,
    }
}

#[inline]
fn whole<const W: usize>(bytes: [u8; W], cell: &mut [u8; W]) -> Piece {
    *cell = bytes;
    Piece::new(0, W)
}

fn integer(field: &Field, announced: u32) -> Option<Box<dyn Encode>> {
    let data_type = field.data_type();
    let out_of_range = move |value: i128| Error::out_of_range(announced, &value);
    match announced {
        oid::INT2 => integers::<2>(data_type, move |value, cell| {
            i16::try_from(value)
                .map(|value| whole(value.to_be_bytes(), cell))
                .map_err(|_| out_of_range(value))
        }),
        oid::INT4 => integers::<4>(data_type, move |value, cell| {
            i32::try_from(value)
                .map(|value| whole(value.to_be_bytes(), cell))
                .map_err(|_| out_of_range(value))
        }),
        oid::INT8 => integers::<8>(data_type, move |value, cell| {
            i64::try_from(value)
                .map(|value| whole(value.to_be_bytes(), cell))
                .map_err(|_| out_of_range(value))
        }),
        oid::XID8 => integers::<8>(data_type, move |value, cell| {
            u64::try_from(value)
                .map(|value| whole(value.to_be_bytes(), cell))
                .map_err(|_| out_of_range(value))
        }),
        oid::NUMERIC => integers::<48>(data_type, |value, cell| {
            Ok(numeric::binary(value.unsigned_abs(), value < 0, 0, cell))
        }),
        _ if is_oid_like(announced) => integers::<4>(data_type, move |value, cell| {
            u32::try_from(value)
                .map(|value| whole(value.to_be_bytes(), cell))
                .map_err(|_| out_of_range(value))
        }),
        _ => None,
    }
}

/// Strings, as the types that the catalog keeps as strings have them.
fn text(announced: u32) -> Option<Box<dyn Encode>> {
    match announced {
        oid::JSONB | oid::JSONPATH => Some(rewritten(|value, out| {
            out.push(1);
            out.extend_from_slice(value);
            Ok(())
        })),
        oid::CHAR => Some(rewritten(|value, out| {
            let byte = match value {
                [] => 0,
                [byte] => *byte,
                _ => {
                    return Err(Error::BadText {
                        oid: oid::CHAR,
                        value: String::from_utf8_lossy(value).into_owned(),
                    });
                }
            };
            out.push(byte);
            Ok(())
        })),
        oid::INT2VECTOR => Some(rewritten(|value, out| vector(value, oid::INT2VECTOR, out))),
        oid::OIDVECTOR => Some(rewritten(|value, out| vector(value, oid::OIDVECTOR, out))),
        _ if is_text_like(announced) => Some(Box::new(Verbatim::default())),
        _ => None,
    }
}

/// The binary form of `1 2 3` as `int2vector` or `oidvector`.
fn vector(value: &[u8], type_oid: u32, out: &mut Vec<u8>) -> Result<(), Error> {
    let text = std::str::from_utf8(value).unwrap_or_default();
    let bad = |_| Error::bad_text(type_oid, text);
    let numbers: Vec<i64> = text
        .split_ascii_whitespace()
        .map(str::parse)
        .collect::<Result<_, _>>()
        .map_err(bad)?;
    let element = if type_oid == oid::INT2VECTOR {
        oid::INT2
    } else {
        oid::OID
    };
    let count = i32::try_from(numbers.len()).map_err(|_| Error::TooLarge)?;
    for word in [1, 0, element.cast_signed(), count, 0] {
        out.extend_from_slice(&word.to_be_bytes());
    }
    for number in numbers {
        let range = |_| Error::out_of_range(element, &number);
        if element == oid::INT2 {
            out.extend_from_slice(&2_i32.to_be_bytes());
            out.extend_from_slice(&i16::try_from(number).map_err(range)?.to_be_bytes());
        } else {
            out.extend_from_slice(&4_i32.to_be_bytes());
            out.extend_from_slice(&u32::try_from(number).map_err(range)?.to_be_bytes());
        }
    }
    Ok(())
}

/// Days since 2000, `PostgreSQL`'s infinities included.
#[inline]
fn date(days: i32) -> Result<i32, Error> {
    match days {
        i32::MAX => Ok(i32::MAX),
        days if days == -i32::MAX => Ok(i32::MIN),
        FIRST_DAY..=LAST_DAY => Ok(days - EPOCH_DAYS),
        _ => Err(Error::DateTimeRange { oid: oid::DATE }),
    }
}

#[inline]
fn time(micros: i64, type_oid: u32) -> Result<i64, Error> {
    if (0..=DAY).contains(&micros) {
        Ok(micros)
    } else {
        Err(Error::DateTimeRange { oid: type_oid })
    }
}

/// Microseconds since 2000, `PostgreSQL`'s infinities included.
#[inline]
fn timestamp(micros: i64, type_oid: u32) -> Result<i64, Error> {
    match micros {
        i64::MAX => Ok(i64::MAX),
        micros if micros == -i64::MAX => Ok(i64::MIN),
        FIRST_MICROS.. => Ok(micros - EPOCH_MICROS),
        _ => Err(Error::DateTimeRange { oid: type_oid }),
    }
}
