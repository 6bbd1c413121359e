//! What the C interface takes and says, made of plain values: texts, wide integers, failures. Nothing here touches C.
#![forbid(unsafe_code)]

use std::ffi::CString;

use libduckdb_sys as sys;

use crate::engine::failure::Failure;

/// What Arrow says is wrong with what the engine wrote.
pub(super) fn arrow_failure(error: &arrow_schema::ArrowError) -> Failure {
    Failure::new(sys::duckdb_error_type_DUCKDB_ERROR_INTERNAL, error.to_string())
}

/// A failure of which only the text is known.
pub(super) fn untyped(text: impl Into<String>) -> Failure {
    Failure::new(0, text)
}

/// A text that ends in a zero byte, and has no other.
pub(super) fn c_text(text: &str) -> Result<CString, Failure> {
    CString::new(text).map_err(|_| untyped("Parser Error: a text must not hold a zero byte"))
}

/// An integer as the engine's two halves.
pub(super) fn hugeint(value: i128) -> sys::duckdb_hugeint {
    let bits = value.cast_unsigned();
    let (lower, upper) = (low_half(bits), low_half(bits >> 64).cast_signed());
    sys::duckdb_hugeint { lower, upper }
}

/// The lower 64 bits.
pub(super) fn low_half(bits: u128) -> u64 {
    u64::try_from(bits & u128::from(u64::MAX)).unwrap_or(0)
}
