//! Look-ups in the table of built-in types, and the type that a result column is announced as.
//!
//! Knows names and numbers only; how values become bytes is `encode`'s.

use crate::oid::{self, TYPES, TypeInfo};

/// What `RowDescription` says of a column's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PgType {
    /// Type OID.
    pub oid: u32,
    /// Type modifier, −1 for none.
    pub typmod: i32,
    /// `typlen`: a byte count, −1 for variable length, −2 for a C string.
    pub typlen: i16,
}

impl PgType {
    /// The type of that OID without a modifier. An OID outside the table counts as variable in length.
    pub fn of(oid: u32) -> Self {
        Self {
            oid,
            typmod: -1,
            typlen: type_info(oid).map_or(-1, |info| info.len),
        }
    }
}

/// The built-in type of that OID.
pub fn type_info(oid: u32) -> Option<&'static TypeInfo> {
    let index = TYPES.binary_search_by_key(&oid, |info| info.oid).ok()?;
    TYPES.get(index)
}

/// The built-in type of that `typname` (so `int4`, not `integer`; arrays as `_int4`).
pub fn type_by_name(name: &str) -> Option<&'static TypeInfo> {
    TYPES.iter().find(|info| info.name == name)
}

/// The array type over an element type; `None` where `PostgreSQL` has none.
pub fn array_of(element: u32) -> Option<u32> {
    type_info(element).map(|info| info.array).filter(|&oid| oid != 0)
}

/// The element type of an array type; `None` for anything else, `name` and `point` included.
pub fn element_of(array: u32) -> Option<u32> {
    let info = type_info(array)?;
    (info.category == 'A' && info.element != 0).then_some(info.element)
}

/// A type's name for messages: `PostgreSQL`'s SQL spelling where it differs from `typname`.
pub(crate) fn display_name(type_oid: u32) -> &'static str {
    match type_oid {
        oid::BOOL => "boolean",
        oid::INT2 => "smallint",
        oid::INT4 => "integer",
        oid::INT8 => "bigint",
        oid::FLOAT4 => "real",
        oid::FLOAT8 => "double precision",
        oid::BPCHAR => "character",
        oid::VARCHAR => "character varying",
        oid::TIMETZ => "time with time zone",
        oid::TIMESTAMPTZ => "timestamp with time zone",
        oid::VARBIT => "bit varying",
        _ => type_info(type_oid).map_or("unknown", |info| info.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_pairs_arrays_with_elements() {
        assert!(TYPES.is_sorted_by_key(|info| info.oid));
        for info in TYPES.iter().filter(|info| info.array != 0) {
            let array = type_info(info.array).expect("array type is in the table");
            assert_eq!(array.element, info.oid, "{}", info.name);
        }
        assert_eq!(array_of(oid::INT4), Some(1007));
        assert_eq!(element_of(oid::TEXT_ARRAY), Some(oid::TEXT));
        assert_eq!(element_of(oid::NAME), None);
        assert_eq!(element_of(oid::INT2VECTOR), Some(oid::INT2));
        assert_eq!(type_by_name("record").map(|info| info.oid), Some(2249));
        assert_eq!(PgType::of(oid::UUID).typlen, 16);
        assert_eq!(PgType::of(90_000).typlen, -1);
    }
}
