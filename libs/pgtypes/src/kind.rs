//! What a result column holds, read from its Arrow field as the engine exports it with `arrow_lossless_conversion`.
//!
//! Types that Arrow lacks come as `arrow.opaque` extension types that name the engine's type.

use arrow_schema::{DataType, Field, FieldRef, IntervalUnit, TimeUnit, UnionFields};

/// A column's contents.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind<'f> {
    Null,
    /// Arrow booleans, or `arrow.bool8` bytes.
    Bool,
    /// Whole numbers of up to 64 bits.
    Integer,
    HugeInt,
    UHugeInt,
    Float4,
    Float8,
    /// Precision and scale.
    Decimal(u8, u8),
    BigNum,
    Text,
    Json,
    Bytes,
    Date,
    Time(TimeUnit),
    TimeTz,
    Timestamp(TimeUnit),
    TimestampTz(TimeUnit),
    Interval,
    Uuid,
    Bit,
    List(&'f FieldRef),
    Record(&'f [FieldRef]),
    /// The entries' field: a struct of key and value.
    Map(&'f FieldRef),
    Union(&'f UnionFields),
    /// Key type and value type.
    Dictionary(&'f DataType, &'f DataType),
    Unsupported,
}

impl<'f> Kind<'f> {
    pub(crate) fn of(field: &'f Field) -> Self {
        match field.extension_type_name() {
            Some("arrow.bool8") => return Self::Bool,
            Some("arrow.uuid") => return Self::Uuid,
            Some("arrow.json") => return Self::Json,
            Some("arrow.opaque") => return opaque(field.extension_type_metadata().unwrap_or_default()),
            _ => {}
        }
        match field.data_type() {
            DataType::Null => Self::Null,
            DataType::Boolean => Self::Bool,
            data_type if data_type.is_integer() => Self::Integer,
            DataType::Float32 => Self::Float4,
            DataType::Float64 => Self::Float8,
            DataType::Decimal32(precision, scale)
            | DataType::Decimal64(precision, scale)
            | DataType::Decimal128(precision, scale) => {
                u8::try_from(*scale).map_or(Self::Unsupported, |scale| Self::Decimal(*precision, scale))
            }
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Self::Text,
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Self::Bytes,
            DataType::Date32 => Self::Date,
            DataType::Time64(unit) | DataType::Time32(unit) => Self::Time(*unit),
            DataType::Timestamp(unit, None) => Self::Timestamp(*unit),
            DataType::Timestamp(unit, Some(_)) => Self::TimestampTz(*unit),
            DataType::Interval(IntervalUnit::MonthDayNano) => Self::Interval,
            DataType::List(item)
            | DataType::LargeList(item)
            | DataType::ListView(item)
            | DataType::LargeListView(item)
            | DataType::FixedSizeList(item, _) => Self::List(item),
            DataType::Struct(fields) => Self::Record(fields),
            DataType::Map(entries, _) => Self::Map(entries),
            DataType::Union(fields, _) => Self::Union(fields),
            DataType::Dictionary(keys, values) => Self::Dictionary(keys, values),
            _ => Self::Unsupported,
        }
    }
}

/// An opaque type by the `type_name` of its metadata, a flat JSON object.
fn opaque<'f>(metadata: &str) -> Kind<'f> {
    let after_key = metadata.split_once("\"type_name\"").map_or("", |(_, rest)| rest);
    match after_key.split('"').nth(1).unwrap_or_default() {
        "hugeint" => Kind::HugeInt,
        "uhugeint" => Kind::UHugeInt,
        "time_tz" => Kind::TimeTz,
        "bit" => Kind::Bit,
        "bignum" | "varint" => Kind::BigNum,
        _ => Kind::Unsupported,
    }
}
