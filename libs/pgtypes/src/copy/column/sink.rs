//! Arrow arrays that grow by parameters' values.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, BooleanBuilder, FixedSizeBinaryBuilder, PrimitiveBuilder, StringBuilder};
use arrow_array::{ArrayRef, ArrowPrimitiveType};
use arrow_buffer::IntervalMonthDayNano;
use arrow_schema::{DataType, Field};

use crate::encode::datetime;
use crate::params::ParamValue;
use crate::{Error, oid};

/// Takes values of one type.
pub(super) trait Sink: Send {
    /// The array's field under some name.
    fn field(&self, name: &str) -> Field;
    /// Adds a value straight from its text, if that is of a frequent form.
    fn fast(&mut self, text: &str) -> bool;
    /// Adds a value that is not NULL and was read as the type with that OID.
    fn push(&mut self, value: ParamValue, type_oid: u32) -> Result<(), Error>;
    /// Adds NULL.
    fn null(&mut self);
    /// The array so far.
    fn finish(&mut self) -> ArrayRef;
}

/// Reads a value that was decoded.
type From<N> = fn(&ParamValue, u32) -> Result<N, Error>;
/// Reads a frequent form.
type Fast<N> = fn(&str) -> Option<N>;

/// Values of fixed width.
pub(super) struct Primitive<T: ArrowPrimitiveType> {
    builder: PrimitiveBuilder<T>,
    data_type: DataType,
    from: From<T::Native>,
    fast: Fast<T::Native>,
}

impl<T: ArrowPrimitiveType> Primitive<T> {
    pub(super) fn new(from: From<T::Native>, fast: Fast<T::Native>) -> Self {
        Self {
            builder: PrimitiveBuilder::new(),
            data_type: T::DATA_TYPE,
            from,
            fast,
        }
    }

    /// The same with a type that says more.
    pub(super) fn of(self, data_type: DataType) -> Self {
        Self {
            builder: self.builder.with_data_type(data_type.clone()),
            data_type,
            ..self
        }
    }
}

impl<T: ArrowPrimitiveType> Sink for Primitive<T> {
    fn field(&self, name: &str) -> Field {
        Field::new(name, self.data_type.clone(), true)
    }

    #[inline]
    fn fast(&mut self, text: &str) -> bool {
        match (self.fast)(text) {
            Some(value) => {
                self.builder.append_value(value);
                true
            }
            None => false,
        }
    }

    fn push(&mut self, value: ParamValue, type_oid: u32) -> Result<(), Error> {
        self.builder.append_value((self.from)(&value, type_oid)?);
        Ok(())
    }

    fn null(&mut self) {
        self.builder.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(self.builder.finish())
    }
}

/// Booleans.
#[derive(Default)]
pub(super) struct Booleans(BooleanBuilder);

impl Sink for Booleans {
    fn field(&self, name: &str) -> Field {
        Field::new(name, DataType::Boolean, true)
    }

    fn fast(&mut self, text: &str) -> bool {
        if !matches!(text, "t" | "f") {
            return false;
        }
        self.0.append_value(text == "t");
        true
    }

    fn push(&mut self, value: ParamValue, _: u32) -> Result<(), Error> {
        let ParamValue::Bool(value) = value else {
            return Err(other("a boolean", &value));
        };
        self.0.append_value(value);
        Ok(())
    }

    fn null(&mut self) {
        self.0.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(self.0.finish())
    }
}

/// `bytea`.
#[derive(Default)]
pub(super) struct Bytes(BinaryBuilder);

impl Sink for Bytes {
    fn field(&self, name: &str) -> Field {
        Field::new(name, DataType::Binary, true)
    }

    fn fast(&mut self, _: &str) -> bool {
        false
    }

    fn push(&mut self, value: ParamValue, _: u32) -> Result<(), Error> {
        let ParamValue::Bytes(value) = value else {
            return Err(other("bytes", &value));
        };
        self.0.append_value(value);
        Ok(())
    }

    fn null(&mut self) {
        self.0.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(self.0.finish())
    }
}

/// Texts, and values that travel as such.
pub(super) struct Texts {
    builder: StringBuilder,
    /// Whether the text of a value is taken as it comes.
    is_verbatim: bool,
}

impl Texts {
    /// Takes texts as they come.
    pub(super) fn verbatim() -> Self {
        Self {
            builder: StringBuilder::new(),
            is_verbatim: true,
        }
    }

    /// Reads values first, and writes them as the engine does.
    pub(super) fn read() -> Self {
        Self {
            builder: StringBuilder::new(),
            is_verbatim: false,
        }
    }
}

impl Sink for Texts {
    fn field(&self, name: &str) -> Field {
        Field::new(name, DataType::Utf8, true)
    }

    #[inline]
    fn fast(&mut self, text: &str) -> bool {
        if self.is_verbatim {
            self.builder.append_value(text);
        }
        self.is_verbatim
    }

    fn push(&mut self, value: ParamValue, _: u32) -> Result<(), Error> {
        match value {
            ParamValue::Text { text, .. }
            | ParamValue::Json(text)
            | ParamValue::Numeric(text)
            | ParamValue::Bit(text) => self.builder.append_value(text),
            ParamValue::Decimal { value, scale } => self.builder.append_value(digits(value, scale)),
            ParamValue::TimeTz { micros, east } => {
                let mut cell = [0; 32];
                let piece = datetime::time_tz(micros, east, &mut cell)?;
                let bytes = piece.of(&cell).unwrap_or_default();
                self.builder
                    .append_value(std::str::from_utf8(bytes).unwrap_or_default());
            }
            value => return Err(other("text", &value)),
        }
        Ok(())
    }

    fn null(&mut self) {
        self.builder.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(self.builder.finish())
    }
}

/// A number by its digits and how many of them follow the point.
fn digits(value: i128, scale: u8) -> String {
    let scale = usize::from(scale);
    let digits = format!("{:0width$}", value.unsigned_abs(), width = scale + 1);
    let (before, after) = digits.split_at(digits.len() - scale);
    let sign = if value < 0 { "-" } else { "" };
    let point = if after.is_empty() { "" } else { "." };
    format!("{sign}{before}{point}{after}")
}

/// UUIDs as the engine has them.
pub(super) struct Uuids {
    builder: FixedSizeBinaryBuilder,
    field: Field,
}

impl Uuids {
    /// `field` says how the engine marks them.
    pub(super) fn new(field: &Field) -> Self {
        Self {
            builder: FixedSizeBinaryBuilder::new(16),
            field: field.clone().with_nullable(true),
        }
    }
}

impl Sink for Uuids {
    fn field(&self, name: &str) -> Field {
        self.field.clone().with_name(name)
    }

    fn fast(&mut self, _: &str) -> bool {
        false
    }

    fn push(&mut self, value: ParamValue, _: u32) -> Result<(), Error> {
        let ParamValue::Uuid(value) = value else {
            return Err(other("a UUID", &value));
        };
        let appended = self.builder.append_value(value.to_be_bytes());
        appended.map_err(|error| Error::layout("sixteen bytes", &error))
    }

    fn null(&mut self) {
        self.builder.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(self.builder.finish())
    }
}

/// For types without a frequent form.
pub(super) fn slow<N>(_: &str) -> Option<N> {
    None
}

/// A whole number that fits.
pub(super) fn integer<N: TryFrom<i128>>(value: &ParamValue, type_oid: u32) -> Result<N, Error> {
    let whole: i128 = match value {
        ParamValue::Int2(value) => (*value).into(),
        ParamValue::Int4(value) => (*value).into(),
        ParamValue::Int8(value) => (*value).into(),
        ParamValue::Oid(value) => (*value).into(),
        ParamValue::Decimal { value, scale } => {
            super::decimal::rescaled(*value, *scale, 0).ok_or_else(|| Error::out_of_range(type_oid, value))?
        }
        ParamValue::Numeric(text) => return Err(Error::out_of_range(type_oid, text)),
        value => return Err(other("a number", value)),
    };
    N::try_from(whole).map_err(|_| Error::out_of_range(type_oid, &whole))
}

pub(super) fn float4(value: &ParamValue, _: u32) -> Result<f32, Error> {
    match value {
        ParamValue::Float4(value) => Ok(*value),
        value => Err(other("a float", value)),
    }
}

pub(super) fn float8(value: &ParamValue, _: u32) -> Result<f64, Error> {
    match value {
        ParamValue::Float8(value) => Ok(*value),
        value => Err(other("a float", value)),
    }
}

pub(super) fn date(value: &ParamValue, _: u32) -> Result<i32, Error> {
    match value {
        ParamValue::Date(value) => Ok(*value),
        value => Err(other("a date", value)),
    }
}

pub(super) fn time(value: &ParamValue, _: u32) -> Result<i64, Error> {
    match value {
        ParamValue::Time(value) => Ok(*value),
        value => Err(other("a time", value)),
    }
}

pub(super) fn timestamp(value: &ParamValue, _: u32) -> Result<i64, Error> {
    match value {
        ParamValue::Timestamp(value) => Ok(*value),
        value => Err(other("a timestamp", value)),
    }
}

pub(super) fn timestamp_tz(value: &ParamValue, _: u32) -> Result<i64, Error> {
    match value {
        ParamValue::TimestampTz(value) => Ok(*value),
        value => Err(other("a timestamp", value)),
    }
}

pub(super) fn interval(value: &ParamValue, _: u32) -> Result<IntervalMonthDayNano, Error> {
    let ParamValue::Interval { months, days, micros } = value else {
        return Err(other("an interval", value));
    };
    let nanos = micros.checked_mul(1000);
    let nanos = nanos.ok_or(Error::DateTimeRange { oid: oid::INTERVAL })?;
    Ok(IntervalMonthDayNano::new(*months, *days, nanos))
}

fn other(expected: &str, value: &ParamValue) -> Error {
    Error::layout(expected, value)
}
