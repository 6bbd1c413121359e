//! Casts of text that read PostgreSQL's notations where the engine has others: `bytea`, `boolean`, and numbers, which the
//! engine rounds and takes for infinite.
//!
//! They hold wherever the engine casts, so a literal without a type becomes what PostgreSQL makes of it in INSERT, in
//! comparisons, in CASE and in UNION alike. What is only the engine's notation is still read.

mod numbers;

use std::ffi::CString;

use libduckdb_sys as sys;

use self::numbers::{Wrong, float, integer};
use super::{Connection, LogicalType, untyped};
use crate::engine::failure::Failure;

impl Connection {
    /// Makes the casts known to the connection's instance.
    pub(crate) fn register_casts(&self) -> Result<(), Failure> {
        let text = LogicalType::of(sys::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR);
        let casts: [(sys::duckdb_type, sys::duckdb_cast_function_t); 7] = [
            (sys::DUCKDB_TYPE_DUCKDB_TYPE_BLOB, Some(to_bytea)),
            (sys::DUCKDB_TYPE_DUCKDB_TYPE_BOOLEAN, Some(to_boolean)),
            (sys::DUCKDB_TYPE_DUCKDB_TYPE_SMALLINT, Some(to_int2)),
            (sys::DUCKDB_TYPE_DUCKDB_TYPE_INTEGER, Some(to_int4)),
            (sys::DUCKDB_TYPE_DUCKDB_TYPE_BIGINT, Some(to_int8)),
            (sys::DUCKDB_TYPE_DUCKDB_TYPE_FLOAT, Some(to_float4)),
            (sys::DUCKDB_TYPE_DUCKDB_TYPE_DOUBLE, Some(to_float8)),
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

macro_rules! scalars {
    ($($name:ident: $type:ty = $read:expr, $told:expr;)+) => {
        $(
            /// SAFETY: as for `to_bytea`, with a vector of the type's values.
            unsafe extern "C" fn $name(
                info: sys::duckdb_function_info,
                count: sys::idx_t,
                input: sys::duckdb_vector,
                output: sys::duckdb_vector,
            ) -> bool {
                unsafe {
                    let values = sys::duckdb_vector_get_data(output).cast::<$type>();
                    cast(info, count, [input, output], |row, text| {
                        let value: $type = $read(text).map_err(|wrong| $told(wrong, text))?;
                        values.add(usize::try_from(row).unwrap_or(0)).write(value);
                        Ok(())
                    })
                }
            }
        )+
    };
}

scalars! {
    to_boolean: bool = boolean, |wrong, text| no_number(wrong, text, "boolean");
    to_int2: i16 = integer, |wrong, text| no_integer(wrong, text, "smallint");
    to_int4: i32 = integer, |wrong, text| no_integer(wrong, text, "integer");
    to_int8: i64 = integer, |wrong, text| no_integer(wrong, text, "bigint");
    to_float4: f32 = float, |wrong, text| no_number(wrong, text, "real");
    to_float8: f64 = float, |wrong, text| no_number(wrong, text, "double precision");
}

fn no_integer(wrong: Wrong, text: &[u8], kind: &str) -> String {
    match wrong {
        Wrong::Syntax => no_number(wrong, text, kind),
        Wrong::Range => format!(
            "22003:value \"{}\" is out of range for type {kind}",
            String::from_utf8_lossy(text)
        ),
    }
}

fn no_number(wrong: Wrong, text: &[u8], kind: &str) -> String {
    let text = String::from_utf8_lossy(text);
    match wrong {
        Wrong::Syntax => format!("22P02:invalid input syntax for type {kind}: \"{text}\""),
        Wrong::Range => format!("22003:\"{text}\" is out of range for type {kind}"),
    }
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
    if let Some(bytes) = text.strip_prefix(b"\\x").and_then(hex) {
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

/// Pairs of digits, with blanks between pairs.
fn hex(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 2);
    let mut digits = text.iter();
    while let Some(&high) = digits.next() {
        if !high.is_ascii_whitespace() {
            out.push(digit(high, 16)? * 16 + digit(*digits.next()?, 16)?);
        }
    }
    Some(out)
}

fn digit(byte: u8, radix: u32) -> Option<u8> {
    char::from(byte)
        .to_digit(radix)
        .and_then(|value| u8::try_from(value).ok())
}

/// PostgreSQL's words for a truth (manual, "Boolean Type"): unique prefixes of them, in any case, blanks around them.
fn boolean(text: &[u8]) -> Result<bool, Wrong> {
    let word = text.trim_ascii().to_ascii_lowercase();
    let begins = |whole: &[u8], least: usize| word.len() >= least && whole.starts_with(&word);
    if begins(b"true", 1) || begins(b"yes", 1) || begins(b"on", 2) || word == b"1" {
        Ok(true)
    } else if begins(b"false", 1) || begins(b"no", 1) || begins(b"off", 2) || word == b"0" {
        Ok(false)
    } else {
        Err(Wrong::Syntax)
    }
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
            assert_eq!(boolean(text.as_bytes()).ok(), value, "{text}");
        }
    }
}
