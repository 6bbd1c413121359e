//! Decimals of a fixed precision and scale.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::Decimal128Builder;
use arrow_schema::{DataType, Field};

use super::sink::Sink;
use crate::params::ParamValue;
use crate::{Error, oid};

/// Digits that 64 bits hold whatever they are.
const FAST: usize = 18;

/// Takes numbers and rounds them to the column's scale.
pub(super) struct Decimals {
    builder: Decimal128Builder,
    precision: u8,
    scale: u8,
    /// One more than the largest magnitude.
    limit: i128,
}

pub(super) fn column(precision: u8, scale: u8) -> Decimals {
    let data_type = data_type(precision, scale);
    Decimals {
        builder: Decimal128Builder::new().with_data_type(data_type),
        precision,
        scale,
        limit: 10_i128.checked_pow(precision.into()).unwrap_or(i128::MAX),
    }
}

fn data_type(precision: u8, scale: u8) -> DataType {
    DataType::Decimal128(precision, i8::try_from(scale).unwrap_or(i8::MAX))
}

impl Sink for Decimals {
    fn field(&self, name: &str) -> Field {
        Field::new(name, data_type(self.precision, self.scale), true)
    }

    fn fast(&mut self, text: &str) -> bool {
        match self.plain(text.as_bytes()) {
            Some(value) => {
                self.builder.append_value(value);
                true
            }
            None => false,
        }
    }

    fn push(&mut self, value: ParamValue, _: u32) -> Result<(), Error> {
        let (precision, scale) = (self.precision, self.scale);
        let overflow = || Error::NumericOverflow { precision, scale };
        let value = match &value {
            ParamValue::Decimal { value, scale: own } => rescaled(*value, *own, scale),
            ParamValue::Numeric(text) if text.ends_with(|last: char| last.is_ascii_digit()) => cut(text, scale.into()),
            // NaN and the infinities, which the engine's decimals lack.
            ParamValue::Numeric(text) => return Err(Error::out_of_range(oid::NUMERIC, text)),
            value => return Err(Error::layout("a number", value)),
        };
        let value = value.filter(|value| value.unsigned_abs() < self.limit.unsigned_abs());
        self.builder.append_value(value.ok_or_else(overflow)?);
        Ok(())
    }

    fn null(&mut self) {
        self.builder.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(self.builder.finish())
    }
}

impl Decimals {
    /// Digits with a sign and a point, neither longer nor finer than the column.
    fn plain(&self, text: &[u8]) -> Option<i128> {
        let (negative, digits) = match text {
            [b'-', rest @ ..] => (true, rest),
            rest => (false, rest),
        };
        if digits.is_empty() || digits.len() > FAST {
            return None;
        }
        let (mut value, mut point, mut count) = (0_i64, None, 0_usize);
        for &byte in digits {
            match byte {
                b'0'..=b'9' => {
                    value = value * 10 + i64::from(byte - b'0');
                    count += 1;
                }
                b'.' if point.is_none() => point = Some(count),
                _ => return None,
            }
        }
        let after = point.map_or(0, |point| count - point);
        let missing = usize::from(self.scale).checked_sub(after)?;
        if count == 0 {
            return None;
        }
        let factor = 10_i128.checked_pow(u32::try_from(missing).ok()?)?;
        let value = i128::from(value).checked_mul(factor)?;
        (value < self.limit).then_some(if negative { -value } else { value })
    }
}

/// A number with another scale, rounded half away from zero; `None` where it does not fit.
pub(super) fn rescaled(value: i128, own: u8, scale: u8) -> Option<i128> {
    let factor = 10_i128.checked_pow(own.abs_diff(scale).into())?;
    if own <= scale {
        return value.checked_mul(factor);
    }
    let (whole, rest) = (value / factor, value % factor);
    let up = rest.unsigned_abs() >= factor.unsigned_abs().div_ceil(2);
    Some(whole + if up { value.signum() } else { 0 })
}

/// The same for digits that no 128 bits hold.
fn cut(text: &str, scale: usize) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (before, after) = digits.split_once('.').unwrap_or((digits, ""));
    let kept = after.get(..scale.min(after.len()))?;
    let magnitude: i128 = format!("{before}{kept:0<scale$}").parse().ok()?;
    let up = after.as_bytes().get(scale).is_some_and(|next| *next >= b'5');
    let magnitude = magnitude.checked_add(up.into())?;
    Some(if negative { -magnitude } else { magnitude })
}
