//! Bind's parameters to typed values: `PostgreSQL`'s input syntax and its binary forms.
//!
//! Knows the session's settings, on which some texts depend, and nothing of the engine that takes the values.

mod array;
mod binary;
mod datetime;
mod interval;
mod number;
mod text;

use crate::encode::Format;
use crate::types::element_of;
use crate::{Error, RenderSettings, oid};

/// A parameter's value, in the units of the engine: times in microseconds, dates in days since 1970.
#[derive(Clone, Debug, PartialEq)]
pub enum ParamValue {
    /// NULL of the type with that OID.
    Null(u32),
    /// `bool`
    Bool(bool),
    /// `int2`
    Int2(i16),
    /// `int4`
    Int4(i32),
    /// `int8`
    Int8(i64),
    /// `oid`, `xid`, `cid`, and the `reg…` types in binary.
    Oid(u32),
    /// `float4`
    Float4(f32),
    /// `float8`
    Float8(f64),
    /// A `numeric` of at most 38 digits: `value / 10^scale`.
    Decimal {
        /// All digits.
        value: i128,
        /// How many of them follow the point, at most 38.
        scale: u8,
    },
    /// Any other `numeric`: digits with an optional sign and point, `NaN`, `Infinity` or `-Infinity`.
    Numeric(String),
    /// A string; or a value of a type that only the engine can read, named by its OID.
    Text {
        /// `text`, `varchar` …, 0 or 705 where the client left it open, or the type to cast to.
        oid: u32,
        /// The characters.
        text: String,
    },
    /// `bytea`
    Bytes(Vec<u8>),
    /// Days since 1970; `i32::MAX` and its negation are the infinities.
    Date(i32),
    /// Microseconds since midnight, 24:00:00 included.
    Time(i64),
    /// `timetz`
    TimeTz {
        /// Microseconds since local midnight.
        micros: i64,
        /// Seconds east of Greenwich.
        east: i32,
    },
    /// Microseconds since 1970; `i64::MAX` and its negation are the infinities.
    Timestamp(i64),
    /// Microseconds since 1970 UTC; infinities as above.
    TimestampTz(i64),
    /// `interval`
    Interval {
        /// Months, years included.
        months: i32,
        /// Days.
        days: i32,
        /// Microseconds of the part below a day.
        micros: i64,
    },
    /// `uuid`, most significant byte first.
    Uuid(u128),
    /// `json` and `jsonb`, as written.
    Json(String),
    /// `bit` and `varbit`: zeros and ones.
    Bit(String),
    /// An array.
    Array(ArrayValue),
}

/// An array parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayValue {
    /// The elements' type.
    pub element_oid: u32,
    /// Lengths, outermost first; none of an empty array.
    pub dims: Vec<usize>,
    /// All elements, the last dimension's index running fastest.
    pub values: Vec<ParamValue>,
}

/// Reads a parameter of type `type_oid` as it came in Bind; `None` is NULL.
///
/// Texts without a time zone, ambiguous dates and intervals are read by the session's settings. A type that is unknown
/// here comes back as [`ParamValue::Text`] with its OID, for the engine to cast.
pub fn decode_param(
    type_oid: u32,
    format: Format,
    bytes: Option<&[u8]>,
    settings: &RenderSettings,
) -> Result<ParamValue, Error> {
    match (bytes, format) {
        (None, _) => Ok(ParamValue::Null(type_oid)),
        (Some(bytes), Format::Binary) => binary::decode(type_oid, bytes),
        (Some(bytes), Format::Text) => text::decode(type_oid, utf8(bytes)?, settings),
    }
}

/// Reads a value that is known to be text, as [`decode_param`] does.
pub(crate) fn decode_text(type_oid: u32, text: &str, settings: &RenderSettings) -> Result<ParamValue, Error> {
    text::decode(type_oid, text, settings)
}

/// The array type's element, the vector types included.
fn element(type_oid: u32) -> Option<u32> {
    match type_oid {
        oid::INT2VECTOR => Some(oid::INT2),
        oid::OIDVECTOR => Some(oid::OID),
        _ => element_of(type_oid),
    }
}

/// Checks a string as `PostgreSQL` does: UTF-8 without a zero byte.
pub(crate) fn utf8(bytes: &[u8]) -> Result<&str, Error> {
    let wrong = match std::str::from_utf8(bytes) {
        Ok(text) => match memchr::memchr(0, bytes) {
            None => return Ok(text),
            Some(zero) => zero,
        },
        Err(error) => error.valid_up_to(),
    };
    let rest = bytes.get(wrong..).unwrap_or_default();
    // As many bytes as the first one says the character has.
    let length = match rest.first() {
        Some(0xc0..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf7) => 4,
        _ => 1,
    };
    let bytes = rest.get(..length).unwrap_or(rest).to_vec();
    Err(Error::NotUtf8 { bytes })
}

#[cfg(test)]
mod tests;
