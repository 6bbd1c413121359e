//! Chooses a column's encoder from what the column holds, what it is announced as, and the format wanted.

use arrow_array::types as arrow;
use arrow_schema::{DataType, Field, TimeUnit};

use super::bytes::Dictionary;
use super::cells::{Cells, Encode, Span};
use super::fixed::{Piece, Prim, Source, fixed};
use super::list::{List, ListForm};
use super::record::{self, Record, RecordForm};
use super::{Format, binary, json, text};
use crate::kind::Kind;
use crate::mapping::{innermost, natural};
use crate::types::element_of;
use crate::{Error, RenderSettings, oid};

/// The forms that a value can take; JSON serves maps, unions and what is inside them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    Binary,
    Json,
}

impl From<Format> for Form {
    fn from(format: Format) -> Self {
        match format {
            Format::Text => Self::Text,
            Format::Binary => Self::Binary,
        }
    }
}

/// An encoder of `field`'s values as type `announced`.
pub(crate) fn encoder(
    field: &Field,
    announced: u32,
    form: Form,
    settings: &RenderSettings,
) -> Result<Box<dyn Encode>, Error> {
    match Kind::of(field) {
        Kind::Null => Ok(Box::new(Nulls::default())),
        Kind::List(item) => list(item, announced, form, settings),
        Kind::Record(fields) => {
            let fields = fields
                .iter()
                .map(|field| record_field(field, form, settings))
                .collect::<Result<_, Error>>()?;
            let form = match form {
                Form::Text => RecordForm::Text,
                Form::Binary => RecordForm::Binary,
                Form::Json => RecordForm::Json,
            };
            Ok(Box::new(Record::new(fields, form)))
        }
        Kind::Map(entries) => {
            let Kind::Record([key, value]) = Kind::of(entries) else {
                return Err(unsupported(field));
            };
            let encoder_of = |field: &Field| encoder(field, natural(field), Form::Json, settings);
            Ok(Box::new(json::Map {
                key: encoder_of(key)?,
                value: encoder_of(value)?,
                scratch: <_>::default(),
            }))
        }
        Kind::Union(fields) => {
            let member = |(id, field): (i8, &arrow_schema::FieldRef)| {
                Ok((
                    id,
                    json_key(field),
                    encoder(field, natural(field), Form::Json, settings)?,
                ))
            };
            let members = fields.iter().map(member).collect::<Result<_, Error>>()?;
            Ok(Box::new(json::Union {
                members,
                scratch: <_>::default(),
            }))
        }
        Kind::Dictionary(keys, values) => {
            let values = Field::new(field.name(), values.clone(), true);
            dictionary(keys, encoder(&values, announced, form, settings)?).ok_or_else(|| unsupported(field))
        }
        Kind::Unsupported => Err(unsupported(field)),
        kind => match form {
            Form::Text => text::encoder(kind, field, settings),
            Form::Binary => binary::encoder(kind, field, announced),
            Form::Json => text::json_encoder(kind, field, settings),
        },
    }
}

pub(crate) fn unsupported(field: &Field) -> Error {
    Error::UnsupportedColumn {
        arrow: field.data_type().to_string(),
    }
}

fn list(item: &Field, announced: u32, form: Form, settings: &RenderSettings) -> Result<Box<dyn Encode>, Error> {
    let (inner, depth) = innermost(item);
    let vector = matches!(announced, oid::INT2VECTOR | oid::OIDVECTOR);
    let element = element_of(announced).unwrap_or_else(|| natural(inner));
    if form == Form::Json {
        // In JSON nested lists need not be rectangles, so each level is a list of its own.
        let encoder = encoder(item, natural(item), Form::Json, settings)?;
        return Ok(Box::new(List::new(encoder, 1, ListForm::Json)?));
    }
    let list_form = match (form, vector) {
        (Form::Binary, false) => ListForm::Binary(element),
        (Form::Binary, true) => ListForm::VectorBinary(element),
        (_, false) => ListForm::Text,
        (_, true) => ListForm::VectorText,
    };
    Ok(Box::new(List::new(
        encoder(inner, element, form, settings)?,
        depth,
        list_form,
    )?))
}

fn record_field(field: &Field, form: Form, settings: &RenderSettings) -> Result<record::Field, Error> {
    let oid = natural(field);
    Ok(record::Field {
        encoder: encoder(field, oid, form, settings)?,
        oid,
        key: json_key(field),
    })
}

fn json_key(field: &Field) -> Vec<u8> {
    let mut key = Vec::new();
    json::quote(field.name().as_bytes(), &mut key);
    key.push(b':');
    key
}

fn dictionary(keys: &DataType, inner: Box<dyn Encode>) -> Option<Box<dyn Encode>> {
    Some(match keys {
        DataType::UInt8 => Box::new(Dictionary::<arrow::UInt8Type>::new(inner)),
        DataType::UInt16 => Box::new(Dictionary::<arrow::UInt16Type>::new(inner)),
        DataType::UInt32 => Box::new(Dictionary::<arrow::UInt32Type>::new(inner)),
        DataType::UInt64 => Box::new(Dictionary::<arrow::UInt64Type>::new(inner)),
        DataType::Int8 => Box::new(Dictionary::<arrow::Int8Type>::new(inner)),
        DataType::Int16 => Box::new(Dictionary::<arrow::Int16Type>::new(inner)),
        DataType::Int32 => Box::new(Dictionary::<arrow::Int32Type>::new(inner)),
        DataType::Int64 => Box::new(Dictionary::<arrow::Int64Type>::new(inner)),
        _ => return None,
    })
}

/// A column of the null type.
#[derive(Default)]
struct Nulls {
    spans: Vec<Span>,
}

impl Encode for Nulls {
    fn fill<'a>(&'a mut self, _: &'a dyn arrow_array::Array, rows: std::ops::Range<usize>) -> Result<Cells<'a>, Error> {
        self.spans.clear();
        self.spans.resize(rows.len(), Span::NULL);
        Ok(Cells {
            data: &[],
            spans: &self.spans,
        })
    }
}

/// An encoder for integer columns of any width, whose values `write` gets as 128 bits.
pub(crate) fn integers<const W: usize>(
    data_type: &DataType,
    write: impl Fn(i128, &mut [u8; W]) -> Result<Piece, Error> + Send + 'static,
) -> Option<Box<dyn Encode>> {
    fn of<S: Source<Item: Into<i128>>, const W: usize>(
        write: impl Fn(i128, &mut [u8; W]) -> Result<Piece, Error> + Send + 'static,
    ) -> Box<dyn Encode> {
        fixed::<S, W>(move |value, cell| write(value.into(), cell))
    }
    Some(match data_type {
        DataType::Int8 => of::<Prim<arrow::Int8Type>, W>(write),
        DataType::Int16 => of::<Prim<arrow::Int16Type>, W>(write),
        DataType::Int32 => of::<Prim<arrow::Int32Type>, W>(write),
        DataType::Int64 => of::<Prim<arrow::Int64Type>, W>(write),
        DataType::UInt8 => of::<Prim<arrow::UInt8Type>, W>(write),
        DataType::UInt16 => of::<Prim<arrow::UInt16Type>, W>(write),
        DataType::UInt32 => of::<Prim<arrow::UInt32Type>, W>(write),
        DataType::UInt64 => of::<Prim<arrow::UInt64Type>, W>(write),
        _ => return None,
    })
}

/// An encoder for decimal columns of up to 128 bits.
pub(crate) fn decimals<const W: usize>(
    data_type: &DataType,
    write: impl Fn(i128, &mut [u8; W]) -> Result<Piece, Error> + Send + 'static,
) -> Option<Box<dyn Encode>> {
    Some(match data_type {
        DataType::Decimal32(..) => fixed::<Prim<arrow::Decimal32Type>, W>(move |value, cell| write(value.into(), cell)),
        DataType::Decimal64(..) => fixed::<Prim<arrow::Decimal64Type>, W>(move |value, cell| write(value.into(), cell)),
        DataType::Decimal128(..) => fixed::<Prim<arrow::Decimal128Type>, W>(write),
        _ => return None,
    })
}

/// An encoder for time columns, whose values `write` gets in microseconds.
pub(crate) fn times<const W: usize>(
    unit: TimeUnit,
    write: impl Fn(i64, &mut [u8; W]) -> Result<Piece, Error> + Send + 'static,
) -> Box<dyn Encode> {
    match unit {
        TimeUnit::Second => {
            fixed::<Prim<arrow::Time32SecondType>, W>(move |v, cell| write(i64::from(v) * 1_000_000, cell))
        }
        TimeUnit::Millisecond => {
            fixed::<Prim<arrow::Time32MillisecondType>, W>(move |v, cell| write(i64::from(v) * 1000, cell))
        }
        TimeUnit::Microsecond => fixed::<Prim<arrow::Time64MicrosecondType>, W>(write),
        TimeUnit::Nanosecond => {
            fixed::<Prim<arrow::Time64NanosecondType>, W>(move |v, cell| write(v.div_euclid(1000), cell))
        }
    }
}

/// An encoder for timestamp columns, whose values `write` gets in microseconds, infinities kept.
pub(crate) fn timestamps<const W: usize>(
    unit: TimeUnit,
    type_oid: u32,
    mut write: impl FnMut(i64, &mut [u8; W]) -> Result<Piece, Error> + Send + 'static,
) -> Box<dyn Encode> {
    let scaled = move |value: i64, factor: i64| match value {
        i64::MAX => Ok(i64::MAX),
        value if value == -i64::MAX => Ok(-i64::MAX),
        value => value.checked_mul(factor).ok_or(Error::DateTimeRange { oid: type_oid }),
    };
    match unit {
        TimeUnit::Second => {
            fixed::<Prim<arrow::TimestampSecondType>, W>(move |v, cell| write(scaled(v, 1_000_000)?, cell))
        }
        TimeUnit::Millisecond => {
            fixed::<Prim<arrow::TimestampMillisecondType>, W>(move |v, cell| write(scaled(v, 1000)?, cell))
        }
        TimeUnit::Microsecond => fixed::<Prim<arrow::TimestampMicrosecondType>, W>(write),
        TimeUnit::Nanosecond => fixed::<Prim<arrow::TimestampNanosecondType>, W>(move |v, cell| {
            let infinite = v == i64::MAX || v == -i64::MAX;
            write(if infinite { v } else { v.div_euclid(1000) }, cell)
        }),
    }
}
