//! Encoders of scalar values as text.

use arrow_array::types as arrow;
use arrow_array::{Array, BooleanArray};
use arrow_schema::{DataType, Field};

use super::bytes::{self, Verbatim, rewritten};
use super::cells::{Cells, Encode, Span};
use super::digits::{self, Pointed};
use super::fixed::{Piece, Prim, Raw, fixed};
use super::json::{self, Bare, Quoted};
use super::plan::{decimals, integers, times, timestamps, unsupported};
use super::{bits, datetime, float, interval, numeric};
use crate::kind::Kind;
use crate::settings::{ByteaOutput, DateStyle};
use crate::zone::ZoneCache;
use crate::{Error, RenderSettings, oid};

/// An encoder of a scalar's text.
pub(crate) fn encoder(kind: Kind<'_>, field: &Field, settings: &RenderSettings) -> Result<Box<dyn Encode>, Error> {
    let extra = settings.extra_float_digits;
    Ok(match kind {
        Kind::Bool => boolean(field, *b"t", *b"f"),
        Kind::Integer => integers::<24>(field.data_type(), |value, cell| {
            #[allow(clippy::cast_possible_truncation, reason = "the columns have at most 64 bits")]
            let magnitude = value.unsigned_abs() as u64;
            Ok(digits::unsigned(magnitude, value < 0, cell))
        })
        .ok_or_else(|| unsupported(field))?,
        Kind::HugeInt => fixed::<Raw<16>, 48>(|bytes, cell| {
            let value = i128::from_le_bytes(bytes);
            Ok(digits::wide(value.unsigned_abs(), value < 0, 0, cell))
        }),
        Kind::UHugeInt => {
            fixed::<Raw<16>, 48>(|bytes, cell| Ok(digits::wide(u128::from_le_bytes(bytes), false, 0, cell)))
        }
        Kind::Decimal(_, scale) => {
            let scale = usize::from(scale);
            let pointed = Pointed::new(scale);
            decimals::<48>(field.data_type(), move |value, cell| {
                Ok(numeric::text(value, scale, pointed.as_ref(), cell))
            })
            .ok_or_else(|| unsupported(field))?
        }
        Kind::Float4 => fixed::<Prim<arrow::Float32Type>, 40>(move |value, cell| Ok(float::single(value, extra, cell))),
        Kind::Float8 => fixed::<Prim<arrow::Float64Type>, 40>(move |value, cell| Ok(float::double(value, extra, cell))),
        Kind::BigNum => rewritten(|value, out| {
            out.extend_from_slice(bits::big_number(value)?.as_bytes());
            Ok(())
        }),
        Kind::Text | Kind::Json => Box::new(Verbatim::default()),
        Kind::Bytes => match settings.bytea_output {
            ByteaOutput::Hex => rewritten(|value, out| {
                bytes::hex(value, out);
                Ok(())
            }),
            ByteaOutput::Escape => rewritten(|value, out| {
                bytes::escape(value, out);
                Ok(())
            }),
        },
        Kind::Uuid => fixed::<Raw<16>, 36>(|bytes, cell| Ok(uuid(bytes, cell))),
        Kind::Bit => rewritten(bits::text),
        _ => return temporal(kind, settings).ok_or_else(|| unsupported(field)),
    })
}

/// An encoder of a date's, time's or interval's text; `None` for anything else.
fn temporal(kind: Kind<'_>, settings: &RenderSettings) -> Option<Box<dyn Encode>> {
    let style = settings.date_style;
    Some(match kind {
        Kind::Date => fixed::<Prim<arrow::Date32Type>, 32>(move |value, cell| datetime::date(value, style, cell)),
        Kind::Time(unit) => times::<32>(unit, datetime::time),
        Kind::TimeTz => fixed::<Raw<8>, 32>(|bytes, cell| {
            let (micros, east) = time_tz(bytes);
            datetime::time_tz(micros, east, cell)
        }),
        Kind::Timestamp(unit) => {
            timestamps::<64>(unit, oid::TIMESTAMP, move |v, cell| datetime::timestamp(v, style, cell))
        }
        Kind::TimestampTz(unit) => {
            let mut zone = ZoneCache::new(settings.time_zone.clone());
            timestamps::<64>(unit, oid::TIMESTAMPTZ, move |v, cell| {
                datetime::timestamp_tz(v, style, &mut zone, cell)
            })
        }
        Kind::Interval => {
            let style = settings.interval_style;
            fixed::<Prim<arrow::IntervalMonthDayNanoType>, 128>(move |value, cell| {
                Ok(interval::text(
                    value.months,
                    value.days,
                    value.nanoseconds / 1000,
                    style,
                    cell,
                ))
            })
        }
        _ => return None,
    })
}

/// An encoder of a scalar as JSON. Dates are ISO there, whatever the session's style.
pub(crate) fn json_encoder(kind: Kind<'_>, field: &Field, settings: &RenderSettings) -> Result<Box<dyn Encode>, Error> {
    let settings = RenderSettings {
        date_style: DateStyle::default(),
        ..settings.clone()
    };
    let bare = match kind {
        Kind::Bool => return Ok(boolean(field, *b"true", *b"false")),
        Kind::Json => return Ok(Box::new(Verbatim::default())),
        Kind::Text => {
            return Ok(rewritten(|value, out| {
                json::quote(value, out);
                Ok(())
            }));
        }
        Kind::Integer
        | Kind::HugeInt
        | Kind::UHugeInt
        | Kind::Float4
        | Kind::Float8
        | Kind::Decimal(..)
        | Kind::BigNum => Bare::Numbers,
        _ => Bare::Nothing,
    };
    Ok(Box::new(Quoted {
        inner: encoder(kind, field, &settings)?,
        bare,
        scratch: <_>::default(),
    }))
}

/// Microseconds since midnight and seconds east of Greenwich of the engine's packed form.
pub(crate) fn time_tz(bytes: [u8; 8]) -> (i64, i32) {
    // The engine keeps times of one instant in order by storing the offset's complement.
    const MAX_OFFSET: u64 = 16 * 3600 - 1;
    let packed = u64::from_le_bytes(bytes);
    let complement = i64::try_from(packed & 0x00ff_ffff).unwrap_or_default();
    let east = i64::try_from(MAX_OFFSET).unwrap_or_default() - complement;
    (
        i64::try_from(packed >> 24).unwrap_or_default(),
        i32::try_from(east).unwrap_or_default(),
    )
}

fn uuid(bytes: [u8; 16], cell: &mut [u8; 36]) -> Piece {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut at = 0;
    for (index, byte) in bytes.into_iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            cell[at] = b'-';
            at += 1;
        }
        cell[at] = DIGITS[usize::from(byte >> 4)];
        cell[at + 1] = DIGITS[usize::from(byte & 15)];
        at += 2;
    }
    Piece::new(0, 36)
}

/// An encoder of booleans, whether they come as bits or as `arrow.bool8` bytes.
pub(crate) fn boolean<const T: usize, const F: usize>(field: &Field, yes: [u8; T], no: [u8; F]) -> Box<dyn Encode> {
    if *field.data_type() == DataType::Int8 {
        return fixed::<Prim<arrow::Int8Type>, 8>(move |value, cell| {
            let text: &[u8] = if value == 0 { &no } else { &yes };
            cell[..text.len()].copy_from_slice(text);
            Ok(Piece::new(0, text.len()))
        });
    }
    let data = [yes.as_slice(), no.as_slice()].concat();
    Box::new(Booleans {
        data,
        yes: T,
        spans: Vec::new(),
    })
}

struct Booleans {
    data: Vec<u8>,
    yes: usize,
    spans: Vec<Span>,
}

impl Encode for Booleans {
    fn fill<'a>(&'a mut self, array: &'a dyn Array, rows: std::ops::Range<usize>) -> Result<Cells<'a>, Error> {
        let values = array.as_any().downcast_ref::<BooleanArray>();
        let values = values.ok_or_else(|| Error::layout("booleans", array.data_type()))?;
        self.spans.clear();
        for row in rows {
            self.spans.push(match (array.is_null(row), values.value(row)) {
                (true, _) => Span::NULL,
                (_, true) => Span::new(0, self.yes)?,
                (_, false) => Span::new(self.yes, self.data.len())?,
            });
        }
        Ok(Cells {
            data: &self.data,
            spans: &self.spans,
        })
    }
}
