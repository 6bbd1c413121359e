//! Casts of text that read PostgreSQL's notations where the engine has others: `bytea` and `boolean`.
//!
//! They hold wherever the engine casts, so a literal without a type becomes what PostgreSQL makes of it in INSERT, in
//! comparisons, in CASE and in UNION alike. What is only the engine's notation is still read.

use std::ffi::CStr;

use libduckdb_sys as sys;

use super::{Connection, LogicalType, untyped};
use crate::engine::failure::Failure;

impl Connection {
    /// Makes the casts known to the connection's instance.
    pub(crate) fn register_casts(&self) -> Result<(), Failure> {
        let text = LogicalType::of(sys::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR);
        let casts: [(sys::duckdb_type, sys::duckdb_cast_function_t); 2] = [
            (sys::DUCKDB_TYPE_DUCKDB_TYPE_BLOB, Some(to_bytea)),
            (sys::DUCKDB_TYPE_DUCKDB_TYPE_BOOLEAN, Some(to_boolean)),
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
    let wrong = c"invalid input syntax for type bytea";
    unsafe {
        cast(info, count, [input, output], wrong, |row, text| {
            let Some(bytes) = bytea(text) else { return false };
            let (data, length) = (bytes.as_ptr().cast(), bytes.len() as u64);
            sys::duckdb_vector_assign_string_element_len(output, row, data, length);
            true
        })
    }
}

/// SAFETY: as for `to_bytea`, with a vector of booleans.
unsafe extern "C" fn to_boolean(
    info: sys::duckdb_function_info,
    count: sys::idx_t,
    input: sys::duckdb_vector,
    output: sys::duckdb_vector,
) -> bool {
    let wrong = c"invalid input syntax for type boolean";
    unsafe {
        let values = sys::duckdb_vector_get_data(output).cast::<bool>();
        cast(info, count, [input, output], wrong, |row, text| {
            let Some(value) = boolean(text) else { return false };
            values.add(usize::try_from(row).unwrap_or(0)).write(value);
            true
        })
    }
}

/// Casts row by row; false where a row could not be read, which then is NULL.
///
/// SAFETY: the vectors, from and to, have `count` rows, the first of texts.
unsafe fn cast(
    info: sys::duckdb_function_info,
    count: u64,
    [input, output]: [sys::duckdb_vector; 2],
    wrong: &CStr,
    mut write: impl FnMut(u64, &[u8]) -> bool,
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
            if !write(row, bytes) {
                sys::duckdb_cast_function_set_row_error(info, wrong.as_ptr(), row, output);
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
fn boolean(text: &[u8]) -> Option<bool> {
    let word = text.trim_ascii().to_ascii_lowercase();
    let begins = |whole: &[u8], least: usize| word.len() >= least && whole.starts_with(&word);
    if begins(b"true", 1) || begins(b"yes", 1) || begins(b"on", 2) || word == b"1" {
        Some(true)
    } else if begins(b"false", 1) || begins(b"no", 1) || begins(b"off", 2) || word == b"0" {
        Some(false)
    } else {
        None
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
            assert_eq!(boolean(text.as_bytes()), value, "{text}");
        }
    }
}
