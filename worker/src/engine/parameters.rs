//! Parameters as the client sent them to values of the engine, and the types of both sides.

use pintail_pgtypes::{ArrayValue, Format, ParamValue, RenderSettings, decode_param, element_of, oid, pg_type};
use pintail_sqlstate::ToReport;
use pintail_worker_api::messages::Param;

use super::capi::{ArrowOptions, LogicalType, Prepared, Value};
use crate::error::Error;

/// Digits that the engine's decimals have at most.
const DIGITS: u8 = 38;

/// The type that the engine inferred for a parameter, if it did.
pub(crate) fn inferred_oid(prepared: &Prepared, index: u64, arrow: &ArrowOptions) -> Option<u32> {
    let logical = prepared.param_type(index).filter(|logical| !logical.is_unknown())?;
    let alias = super::shape::alias(&logical);
    let schema = arrow.schema(&[(String::new(), logical)]).ok()?;
    let field = schema.fields().first()?;
    Some(pg_type(field, (!alias.is_empty()).then_some(alias.as_str())).oid)
}

/// Whether a parameter declared as one type needs no cast where the engine expects the other.
pub(crate) fn are_alike(declared: u32, inferred: u32) -> bool {
    let is_text = |type_oid| {
        matches!(
            type_oid,
            oid::TEXT | oid::VARCHAR | oid::BPCHAR | oid::NAME | oid::UNKNOWN
        )
    };
    let is_json = |type_oid| matches!(type_oid, oid::JSON | oid::JSONB);
    declared == inferred || is_text(declared) && is_text(inferred) || is_json(declared) && is_json(inferred)
}

/// The engine's name of a type to cast a parameter to; `None` where a cast would say less than the value does: an array's
/// type does not say its dimensions, nor `numeric` its scale.
pub(crate) fn cast_name(type_oid: u32) -> Option<&'static str> {
    Some(match type_oid {
        oid::BOOL => "BOOLEAN",
        oid::INT2 => "SMALLINT",
        oid::INT4 => "INTEGER",
        oid::INT8 => "BIGINT",
        oid::FLOAT4 => "FLOAT",
        oid::FLOAT8 => "DOUBLE",
        oid::TEXT | oid::VARCHAR | oid::BPCHAR | oid::NAME | oid::UNKNOWN => "VARCHAR",
        oid::BYTEA => "BLOB",
        oid::DATE => "DATE",
        oid::TIME => "TIME",
        oid::TIMETZ => "TIMETZ",
        oid::TIMESTAMP => "TIMESTAMP",
        oid::TIMESTAMPTZ => "TIMESTAMPTZ",
        oid::INTERVAL => "INTERVAL",
        oid::UUID => "UUID",
        oid::JSON | oid::JSONB => "JSON",
        _ => return None,
    })
}

/// The type to describe a parameter by where [`cast_name`] has none: good enough to infer what depends on it.
pub(crate) fn describing_name(type_oid: u32) -> Option<&'static str> {
    cast_name(type_oid).or(match type_oid {
        oid::NUMERIC => Some("DECIMAL(38, 10)"),
        oid::BOOL_ARRAY => Some("BOOLEAN[]"),
        oid::INT2_ARRAY => Some("SMALLINT[]"),
        oid::INT4_ARRAY => Some("INTEGER[]"),
        oid::INT8_ARRAY => Some("BIGINT[]"),
        oid::FLOAT4_ARRAY => Some("FLOAT[]"),
        oid::FLOAT8_ARRAY => Some("DOUBLE[]"),
        oid::TEXT_ARRAY | oid::VARCHAR_ARRAY => Some("VARCHAR[]"),
        oid::DATE_ARRAY => Some("DATE[]"),
        oid::TIMESTAMP_ARRAY => Some("TIMESTAMP[]"),
        oid::TIMESTAMPTZ_ARRAY => Some("TIMESTAMPTZ[]"),
        oid::UUID_ARRAY => Some("UUID[]"),
        oid::NUMERIC_ARRAY => Some("DECIMAL(38, 10)[]"),
        oid::BIT | oid::VARBIT => Some("BIT"),
        oid::OID => Some("UINTEGER"),
        other => element_of(other).map(|_| "VARCHAR[]"),
    })
}

/// The value of a parameter; `position` counts from 1. Beside it, whether it is a number that no decimal of the engine's is:
/// its text is as good where it becomes something else.
pub(crate) fn value(
    position: usize,
    type_oid: u32,
    param: &Param,
    settings: &RenderSettings,
) -> Result<(Value, bool), Error> {
    let decoded = Format::parse(param.format)
        .and_then(|format| decode_param(type_oid, format, param.value.as_deref(), settings))
        .map_err(|error| Error::Parameter {
            position,
            report: Box::new(error.to_report()),
        })?;
    Ok((engine_value(&decoded), matches!(decoded, ParamValue::Numeric(_))))
}

fn engine_value(value: &ParamValue) -> Value {
    match value {
        ParamValue::Null(_) => Value::null(),
        ParamValue::Bool(value) => Value::boolean(*value),
        ParamValue::Int2(value) => Value::int16(*value),
        ParamValue::Int4(value) => Value::int32(*value),
        ParamValue::Int8(value) => Value::int64(*value),
        ParamValue::Oid(value) => Value::uint32(*value),
        ParamValue::Float4(value) => Value::float(*value),
        ParamValue::Float8(value) => Value::double(*value),
        ParamValue::Decimal { value, scale } => decimal(*value, *scale),
        ParamValue::Numeric(text) | ParamValue::Text { text, .. } | ParamValue::Json(text) => Value::text(text),
        ParamValue::Bit(digits) => Value::bit(&mut bits(digits)),
        ParamValue::Bytes(bytes) => Value::blob(bytes),
        ParamValue::Date(days) => Value::date(*days),
        ParamValue::Time(micros) => Value::time(*micros),
        ParamValue::TimeTz { micros, east } => Value::time_tz(*micros, *east),
        ParamValue::Timestamp(micros) => Value::timestamp(*micros),
        ParamValue::TimestampTz(micros) => Value::timestamp_tz(*micros),
        ParamValue::Interval { months, days, micros } => Value::interval(*months, *days, *micros),
        ParamValue::Uuid(value) => Value::uuid(*value),
        ParamValue::Array(array) => list(array),
    }
}

/// Zeros and ones in the engine's layout: the number of padding bits, then the bits behind that many ones.
fn bits(digits: &str) -> Vec<u8> {
    let padding = (8 - digits.len() % 8) % 8;
    let padded: Vec<_> = std::iter::repeat_n(b'1', padding).chain(digits.bytes()).collect();
    let octet = |bits: &[u8]| bits.iter().fold(0, |value, bit| value << 1 | u8::from(*bit == b'1'));
    let count = u8::try_from(padding).unwrap_or(0);
    std::iter::once(count).chain(padded.chunks(8).map(octet)).collect()
}

fn decimal(value: i128, scale: u8) -> Value {
    let digits = u8::try_from(value.unsigned_abs().to_string().len()).unwrap_or(DIGITS);
    Value::decimal(value, digits.max(scale).clamp(1, DIGITS), scale)
}

fn list(array: &ArrayValue) -> Value {
    let (element, values) = elements(array);
    if array.dims.is_empty() {
        return Value::list(&element, &[]);
    }
    let (mut element, mut values) = (element, values);
    // From the innermost dimension outwards: rows of the last length become lists.
    for &length in array.dims.iter().skip(1).rev() {
        values = values
            .chunks(length.max(1))
            .map(|row| Value::list(&element, row))
            .collect();
        element = LogicalType::list_of(&element);
    }
    Value::list(&element, &values)
}

fn elements(array: &ArrayValue) -> (LogicalType, Vec<Value>) {
    if array.element_oid == oid::NUMERIC {
        return numeric_elements(array);
    }
    (
        LogicalType::of(element_type(array.element_oid)),
        array.values.iter().map(engine_value).collect(),
    )
}

/// Decimals of one list share a scale; where that does not fit, text serves, which the engine casts.
fn numeric_elements(array: &ArrayValue) -> (LogicalType, Vec<Value>) {
    let scale = array.values.iter().map(|value| match value {
        ParamValue::Decimal { scale, .. } => *scale,
        _ => 0,
    });
    let scale = scale.max().unwrap_or(0);
    let scaled = |value: &ParamValue| match value {
        ParamValue::Decimal { value, scale: own } => {
            let factor = 10_i128.checked_pow(u32::from(scale - own))?;
            value
                .checked_mul(factor)
                .filter(|value| value.unsigned_abs() < 10_u128.pow(u32::from(DIGITS)))
        }
        _ => None,
    };
    let values: Option<Vec<_>> = array
        .values
        .iter()
        .map(|value| match value {
            ParamValue::Null(_) => Some(Value::null()),
            other => scaled(other).map(|value| Value::decimal(value, DIGITS, scale)),
        })
        .collect();
    match values {
        Some(values) => (LogicalType::decimal_of(DIGITS, scale), values),
        None => (
            LogicalType::of(element_type(oid::TEXT)),
            array.values.iter().map(numeric_text).collect(),
        ),
    }
}

fn numeric_text(value: &ParamValue) -> Value {
    match value {
        ParamValue::Decimal { value, scale } => {
            let digits = format!("{:0width$}", value.unsigned_abs(), width = usize::from(*scale) + 1);
            let (whole, fraction) = digits.split_at(digits.len() - usize::from(*scale));
            Value::text(&format!("{}{whole}.{fraction}", if *value < 0 { "-" } else { "" }))
        }
        other => engine_value(other),
    }
}

fn element_type(element_oid: u32) -> u32 {
    use libduckdb_sys as sys;
    match element_oid {
        oid::BOOL => sys::DUCKDB_TYPE_DUCKDB_TYPE_BOOLEAN,
        oid::INT2 => sys::DUCKDB_TYPE_DUCKDB_TYPE_SMALLINT,
        oid::INT4 => sys::DUCKDB_TYPE_DUCKDB_TYPE_INTEGER,
        oid::INT8 => sys::DUCKDB_TYPE_DUCKDB_TYPE_BIGINT,
        oid::OID => sys::DUCKDB_TYPE_DUCKDB_TYPE_UINTEGER,
        oid::FLOAT4 => sys::DUCKDB_TYPE_DUCKDB_TYPE_FLOAT,
        oid::FLOAT8 => sys::DUCKDB_TYPE_DUCKDB_TYPE_DOUBLE,
        oid::BYTEA => sys::DUCKDB_TYPE_DUCKDB_TYPE_BLOB,
        oid::DATE => sys::DUCKDB_TYPE_DUCKDB_TYPE_DATE,
        oid::TIME => sys::DUCKDB_TYPE_DUCKDB_TYPE_TIME,
        oid::TIMETZ => sys::DUCKDB_TYPE_DUCKDB_TYPE_TIME_TZ,
        oid::TIMESTAMP => sys::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP,
        oid::TIMESTAMPTZ => sys::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_TZ,
        oid::INTERVAL => sys::DUCKDB_TYPE_DUCKDB_TYPE_INTERVAL,
        oid::UUID => sys::DUCKDB_TYPE_DUCKDB_TYPE_UUID,
        oid::BIT | oid::VARBIT => sys::DUCKDB_TYPE_DUCKDB_TYPE_BIT,
        _ => sys::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR,
    }
}
