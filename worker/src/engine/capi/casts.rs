//! Casts of text that read PostgreSQL's notations where the engine has others: `bytea`, `boolean`, and numbers, which the
//! engine rounds and takes for infinite.
//!
//! They hold wherever the engine casts, so a literal without a type becomes what PostgreSQL makes of it in INSERT, in
//! comparisons, in CASE and in UNION alike. What is only the engine's notation is still read.

use std::ffi::CString;

use libduckdb_sys as sys;
use pintail_pgtypes::{Format, ParamValue, RenderSettings, decode_param, oid};
use pintail_sqlstate::ToReport;

use super::{Connection, LogicalType, untyped};
use crate::engine::failure::Failure;

impl Connection {
    /// Makes the casts known to the connection's instance.
    pub(crate) fn register_casts(&self) -> Result<(), Failure> {
        let text = LogicalType::of(sys::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR);
        let casts: [(sys::duckdb_type, sys::duckdb_cast_function_t); 7] = [
            (sys::DUCKDB_TYPE_DUCKDB_TYPE_BLOB, Some(to_bytea)),
            (sys::DUCKDB_TYPE_DUCKDB_TYPE_BOOLEAN, Some(to_scalar::<bool>)),
            (sys::DUCKDB_TYPE_DUCKDB_TYPE_SMALLINT, Some(to_scalar::<i16>)),
            (sys::DUCKDB_TYPE_DUCKDB_TYPE_INTEGER, Some(to_scalar::<i32>)),
            (sys::DUCKDB_TYPE_DUCKDB_TYPE_BIGINT, Some(to_scalar::<i64>)),
            (sys::DUCKDB_TYPE_DUCKDB_TYPE_FLOAT, Some(to_scalar::<f32>)),
            (sys::DUCKDB_TYPE_DUCKDB_TYPE_DOUBLE, Some(to_scalar::<f64>)),
        ];
        for (target, function) in casts {
            let target = LogicalType::of(target);
            // SAFETY: the types are live, the cast until it is destroyed; registration copies it.
            let state = unsafe {
                let mut cast = sys::duckdb_create_cast_function();
                sys::duckdb_cast_function_set_source_type(cast, text.0);
                sys::duckdb_cast_function_set_target_type(cast, target.0);
                sys::duckdb_cast_function_set_function(cast, function);
                let state = sys::duckdb_register_cast_function(self.0.raw, cast);
                sys::duckdb_destroy_cast_function(&raw mut cast);
                state
            };
            if state != sys::DuckDBSuccess {
                return Err(untyped("the casts of text could not be registered"));
            }
        }
        Ok(())
    }
}

/// SAFETY: called by the engine with a flat vector of texts and a writable one of blobs, of `count` rows each.
unsafe extern "C" fn to_bytea(
    info: sys::duckdb_function_info,
    count: sys::idx_t,
    input: sys::duckdb_vector,
    output: sys::duckdb_vector,
) -> bool {
    unsafe {
        cast(info, count, [input, output], |row, text| {
            let Some(bytes) = bytea(text) else {
                // A bad digit after `\x` has a code of its own (`hex_decode_safe`).
                return Err(if text.starts_with(b"\\x") {
                    "22023:invalid hexadecimal data".to_owned()
                } else {
                    "22P02:invalid input syntax for type bytea".to_owned()
                });
            };
            let (data, length) = (bytes.as_ptr().cast(), bytes.len() as u64);
            sys::duckdb_vector_assign_string_element_len(output, row, data, length);
            Ok(())
        })
    }
}

/// SAFETY: as for `to_bytea`, with a vector of the type's values.
unsafe extern "C" fn to_scalar<T: Scalar>(
    info: sys::duckdb_function_info,
    count: sys::idx_t,
    input: sys::duckdb_vector,
    output: sys::duckdb_vector,
) -> bool {
    let settings = RenderSettings::default();
    unsafe {
        let values = sys::duckdb_vector_get_data(output).cast::<T>();
        cast(info, count, [input, output], |row, text| {
            let value: T = scalar(text, &settings)?;
            values.add(usize::try_from(row).unwrap_or(0)).write(value);
            Ok(())
        })
    }
}

/// A value that a vector holds as it is.
trait Scalar: Sized {
    /// PostgreSQL's type.
    const OID: u32;

    /// The value of one that was read as that type.
    fn of(value: &ParamValue) -> Option<Self>;
}

macro_rules! scalars {
    ($($type:ty: $oid:ident, $variant:ident;)+) => {
        $(impl Scalar for $type {
            const OID: u32 = oid::$oid;

            fn of(value: &ParamValue) -> Option<Self> {
                match value {
                    ParamValue::$variant(value) => Some(*value),
                    _ => None,
                }
            }
        })+
    };
}

scalars! {
    bool: BOOL, Bool;
    i16: INT2, Int2;
    i32: INT4, Int4;
    i64: INT8, Int8;
    f32: FLOAT4, Float4;
    f64: FLOAT8, Float8;
}

/// A text as a parameter of the type is read.
fn scalar<T: Scalar>(text: &[u8], settings: &RenderSettings) -> Result<T, String> {
    let value = decode_param(T::OID, Format::Text, Some(text), settings).map_err(|error| {
        let report = error.to_report();
        format!("{}:{}", report.sqlstate.as_str(), report.message)
    })?;
    T::of(&value).ok_or_else(|| "XX000:a value of another type".to_owned())
}

/// Casts row by row; false where a row could not be read, which then is NULL. What is wrong is told as `SQLSTATE:message`.
///
/// SAFETY: the vectors, from and to, have `count` rows, the first of texts.
unsafe fn cast(
    info: sys::duckdb_function_info,
    count: u64,
    [input, output]: [sys::duckdb_vector; 2],
    mut write: impl FnMut(u64, &[u8]) -> Result<(), String>,
) -> bool {
    let mut all = true;
    unsafe {
        let texts = sys::duckdb_vector_get_data(input).cast::<sys::duckdb_string_t>();
        let validity = sys::duckdb_vector_get_validity(input);
        for row in 0..count {
            if !validity.is_null() && !sys::duckdb_validity_row_is_valid(validity, row) {
                sys::duckdb_vector_ensure_validity_writable(output);
                sys::duckdb_validity_set_row_invalid(sys::duckdb_vector_get_validity(output), row);
                continue;
            }
            let text = texts.add(usize::try_from(row).unwrap_or(0));
            let length = sys::duckdb_string_t_length(*text) as usize;
            let bytes = std::slice::from_raw_parts(sys::duckdb_string_t_data(text).cast::<u8>(), length);
            if let Err(wrong) = write(row, bytes) {
                // A text may hold a zero byte, which would end the message.
                let told = CString::new(format!("PINTAIL:{}", wrong.replace('\0', ""))).unwrap_or_default();
                sys::duckdb_cast_function_set_row_error(info, told.as_ptr(), row, output);
                all = false;
            }
        }
    }
    all
}

/// PostgreSQL's hex and escape formats (manual, "Binary Data Types"), and the engine's own `\xAA\xBB`.
fn bytea(text: &[u8]) -> Option<Vec<u8>> {
    let settings = RenderSettings::default();
    if let Ok(ParamValue::Bytes(bytes)) = decode_param(oid::BYTEA, Format::Text, Some(text), &settings) {
        return Some(bytes);
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        if first != b'\\' {
            out.push(first);
            rest = after;
            continue;
        }
        let (byte, length) = match after {
            [b'\\', ..] => (b'\\', 1),
            [b'x', high, low, ..] => (digit(*high, 16)? * 16 + digit(*low, 16)?, 3),
            [a @ b'0'..=b'3', b, c, ..] => (digit(*a, 8)? * 64 + digit(*b, 8)? * 8 + digit(*c, 8)?, 3),
            _ => return None,
        };
        out.push(byte);
        rest = &after[length..];
    }
    Some(out)
}

fn digit(byte: u8, radix: u32) -> Option<u8> {
    char::from(byte)
        .to_digit(radix)
        .and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_in_each_notation() {
        for (text, bytes) in [
            ("\\x00ff", &[0, 255][..]),
            ("\\xDE ad", &[0xde, 0xad]),
            ("\\x", &[]),
            ("a\\\\\\001", &[b'a', b'\\', 1]),
            ("\\xAA\\xBB", &[0xaa, 0xbb]),
            ("é", &[0xc3, 0xa9]),
        ] {
            assert_eq!(bytea(text.as_bytes()).as_deref(), Some(bytes), "{text}");
        }
        for text in ["\\x0", "\\", "\\400", "\\8", "\\xg0"] {
            assert_eq!(bytea(text.as_bytes()), None, "{text}");
        }
    }

    fn read<T: Scalar>(text: &str) -> Result<T, String> {
        scalar(text.as_bytes(), &RenderSettings::default()).map_err(|wrong| wrong[..5].to_owned())
    }

    fn refused<T>(code: &str) -> Result<T, String> {
        Err(code.to_owned())
    }

    #[test]
    fn truths_are_unique_prefixes() {
        for (text, value) in [
            (" ON ", Some(true)),
            ("tr", Some(true)),
            ("of", Some(false)),
            ("0", Some(false)),
            ("o", None),
            ("", None),
            ("truest", None),
        ] {
            assert_eq!(read::<bool>(text).ok(), value, "{text}");
        }
    }

    #[test]
    fn whole_numbers_are_not_rounded() {
        assert_eq!(read::<i32>(" -7 "), Ok(-7));
        assert_eq!(read::<i32>("+2147483647"), Ok(i32::MAX));
        assert_eq!(read::<i32>("2147483648"), refused("22003"));
        for text in ["1.5", "", "-", "1e3", "0x10", "1_000", "--1", "1 2"] {
            assert_eq!(read::<i64>(text), refused("22P02"), "{text}");
        }
    }

    #[test]
    fn floats_are_within_their_range() {
        assert_eq!(read::<f64>(" .5e1 "), Ok(5.0));
        assert_eq!(read::<f64>("-Infinity"), Ok(f64::NEG_INFINITY));
        assert!(read::<f64>("nan").is_ok_and(f64::is_nan));
        assert_eq!(read::<f64>("0e-999"), Ok(0.0));
        assert_eq!(read::<f64>("1e400"), refused("22003"));
        assert_eq!(read::<f64>("1e-400"), refused("22003"));
        assert_eq!(read::<f32>("1e50"), refused("22003"));
        assert_eq!(read::<f64>("1,5"), refused("22P02"));
    }
}
