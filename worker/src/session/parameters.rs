//! Parameters as the client sent them to values of the engine.

use pintail_pgtypes::{oid, pg_type};
use pintail_sqlstate::{Report, SqlState};
use pintail_worker_api::messages::Param;

use crate::engine::capi::{ArrowOptions, Prepared, Value};
use crate::error::Error;

/// The type that the engine inferred for a parameter, if it did.
pub(crate) fn inferred_oid(prepared: &Prepared, index: u64, arrow: &ArrowOptions) -> Option<u32> {
    let logical = prepared.param_type(index).filter(|logical| !logical.is_unknown())?;
    let alias = super::shape::alias(&logical);
    let schema = arrow.schema(&[(String::new(), logical)]).ok()?;
    let field = schema.fields().first()?;
    Some(pg_type(field, (!alias.is_empty()).then_some(alias.as_str())).oid)
}

/// The value of a parameter; `position` counts from 1.
pub(crate) fn value(position: usize, type_oid: u32, param: &Param) -> Result<Value, Error> {
    let Some(bytes) = &param.value else {
        return Ok(Value::null());
    };
    let bad = |text: &str| Error::Parameter {
        position,
        report: Box::new(Report::new(
            SqlState::INVALID_TEXT_REPRESENTATION,
            format!("invalid input syntax for parameter {position}: \"{text}\""),
        )),
    };
    if param.format == 1 {
        return binary(type_oid, bytes).ok_or_else(|| bad("binary"));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| bad(""))?;
    let parsed = match type_oid {
        oid::INT2 => text.trim().parse().ok().map(Value::int16),
        oid::INT4 => text.trim().parse().ok().map(Value::int32),
        oid::INT8 => text.trim().parse().ok().map(Value::int64),
        oid::FLOAT4 => text.trim().parse().ok().map(Value::float),
        oid::FLOAT8 => text.trim().parse().ok().map(Value::double),
        oid::BOOL => match text.trim() {
            "t" | "true" | "1" | "on" | "yes" => Some(Value::boolean(true)),
            "f" | "false" | "0" | "off" | "no" => Some(Value::boolean(false)),
            _ => None,
        },
        _ => Some(Value::text(text)),
    };
    parsed.ok_or_else(|| bad(text))
}

fn binary(type_oid: u32, bytes: &[u8]) -> Option<Value> {
    Some(match type_oid {
        oid::INT2 => Value::int16(i16::from_be_bytes(bytes.try_into().ok()?)),
        oid::INT4 => Value::int32(i32::from_be_bytes(bytes.try_into().ok()?)),
        oid::INT8 => Value::int64(i64::from_be_bytes(bytes.try_into().ok()?)),
        oid::FLOAT4 => Value::float(f32::from_be_bytes(bytes.try_into().ok()?)),
        oid::FLOAT8 => Value::double(f64::from_be_bytes(bytes.try_into().ok()?)),
        oid::BOOL => Value::boolean(*bytes.first()? != 0),
        oid::BYTEA => Value::blob(bytes),
        _ => Value::text(std::str::from_utf8(bytes).ok()?),
    })
}
