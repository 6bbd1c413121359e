//! Columns of a table on their way in: values as text or binary to Arrow arrays of the column's type.
//!
//! Frequent forms are read straight from their text; everything else goes through the readers that parameters have, so
//! that both take the same. What Arrow cannot hold as the column does becomes text, which the engine casts.

mod decimal;
mod fast;
mod list;
mod sink;

use arrow_array::ArrayRef;
use arrow_array::types as arrow;
use arrow_schema::{DataType, Field, TimeUnit};

use self::list::List;
use self::sink::{Booleans, Bytes, Primitive, Sink, Texts, Uuids};
use crate::kind::Kind;
use crate::mapping::{innermost, natural};
use crate::params::{ParamValue, decode_text};
use crate::{ColumnSpec, Error, Format, RenderSettings, decode_param, oid};

/// A column that takes values one after the other.
pub(super) trait Column: Send {
    /// Its Arrow field under some name.
    fn field(&self, name: &str) -> Field;
    /// Adds a value by its text.
    fn text(&mut self, text: &str) -> Result<(), Error>;
    /// Adds a value by its binary form.
    fn binary(&mut self, bytes: &[u8]) -> Result<(), Error>;
    /// Adds a value.
    fn value(&mut self, value: ParamValue) -> Result<(), Error>;
    /// Adds NULL.
    fn null(&mut self);
    /// The values added since the last call.
    fn finish(&mut self) -> ArrayRef;
}

/// A sink with the readers of one type before it.
struct Typed<S> {
    type_oid: u32,
    settings: RenderSettings,
    sink: S,
}

impl<S: Sink> Column for Typed<S> {
    fn field(&self, name: &str) -> Field {
        self.sink.field(name)
    }

    fn text(&mut self, text: &str) -> Result<(), Error> {
        if self.sink.fast(text) {
            return Ok(());
        }
        self.value(decode_text(self.type_oid, text, &self.settings)?)
    }

    fn binary(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.value(decode_param(
            self.type_oid,
            Format::Binary,
            Some(bytes),
            &self.settings,
        )?)
    }

    fn value(&mut self, value: ParamValue) -> Result<(), Error> {
        if matches!(value, ParamValue::Null(_)) {
            self.sink.null();
            return Ok(());
        }
        self.sink.push(value, self.type_oid)
    }

    fn null(&mut self) {
        self.sink.null();
    }

    fn finish(&mut self) -> ArrayRef {
        self.sink.finish()
    }
}

/// The column that takes values for a table's column.
pub(super) fn of(spec: &ColumnSpec, settings: &RenderSettings) -> Box<dyn Column> {
    of_type(&spec.field, spec.pg.oid, settings)
}

fn of_type(field: &Field, announced: u32, settings: &RenderSettings) -> Box<dyn Column> {
    let maker = Maker {
        type_oid: natural(field),
        settings,
    };
    match Kind::of(field) {
        Kind::Bool => maker.typed(Booleans::default()),
        Kind::Integer => integer(field.data_type(), &maker),
        Kind::Float4 => maker.typed(Primitive::<arrow::Float32Type>::new(sink::float4, sink::slow)),
        Kind::Float8 => maker.typed(Primitive::<arrow::Float64Type>::new(sink::float8, sink::slow)),
        Kind::Decimal(precision, scale) => maker.typed(decimal::column(precision, scale)),
        Kind::Bytes => maker.typed(Bytes::default()),
        Kind::Date => maker.typed(Primitive::<arrow::Date32Type>::new(sink::date, fast::date)),
        Kind::Time(_) => maker.typed(Primitive::<arrow::Time64MicrosecondType>::new(sink::time, fast::time)),
        Kind::Timestamp(_) => maker.typed(Primitive::<arrow::TimestampMicrosecondType>::new(
            sink::timestamp,
            fast::timestamp,
        )),
        Kind::TimestampTz(_) => {
            let instants = Primitive::<arrow::TimestampMicrosecondType>::new(sink::timestamp_tz, fast::timestamp_tz);
            maker.typed(instants.of(DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))))
        }
        Kind::Interval => maker.typed(Primitive::<arrow::IntervalMonthDayNanoType>::new(
            sink::interval,
            sink::slow,
        )),
        Kind::Uuid => maker.typed(Uuids::new(field)),
        Kind::List(item) => {
            let (inner, depth) = innermost(item);
            let elements = of_type(inner, natural(inner), settings);
            maker.typed(List::new(elements, depth))
        }
        // Their text is read as it is, or as the engine reads it.
        Kind::Text | Kind::Json | Kind::Dictionary(..) | Kind::Null => {
            let type_oid = if announced == oid::JSONB { announced } else { oid::TEXT };
            Maker { type_oid, ..maker }.typed(Texts::verbatim())
        }
        Kind::Record(_) | Kind::Map(_) | Kind::Union(_) | Kind::Unsupported => Maker {
            type_oid: announced,
            ..maker
        }
        .typed(Texts::verbatim()),
        Kind::HugeInt | Kind::UHugeInt | Kind::BigNum | Kind::TimeTz | Kind::Bit => maker.typed(Texts::read()),
    }
}

struct Maker<'a> {
    type_oid: u32,
    settings: &'a RenderSettings,
}

impl Maker<'_> {
    fn typed(&self, sink: impl Sink + 'static) -> Box<dyn Column> {
        Box::new(Typed {
            type_oid: self.type_oid,
            settings: self.settings.clone(),
            sink,
        })
    }
}

fn integer(data_type: &DataType, maker: &Maker<'_>) -> Box<dyn Column> {
    macro_rules! of {
        ($type:ty) => {
            maker.typed(Primitive::<$type>::new(sink::integer, fast::integer))
        };
    }
    match data_type {
        DataType::Int8 => of!(arrow::Int8Type),
        DataType::Int16 => of!(arrow::Int16Type),
        DataType::Int32 => of!(arrow::Int32Type),
        DataType::UInt8 => of!(arrow::UInt8Type),
        DataType::UInt16 => of!(arrow::UInt16Type),
        DataType::UInt32 => of!(arrow::UInt32Type),
        DataType::UInt64 => of!(arrow::UInt64Type),
        _ => of!(arrow::Int64Type),
    }
}
