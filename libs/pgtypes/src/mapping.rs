//! Which `PostgreSQL` type a result column is announced as.

use arrow_schema::{DataType, Field};

use crate::kind::Kind;
use crate::oid;
use crate::types::{PgType, array_of, element_of, type_by_name};

/// The type that a result column is announced as.
///
/// `alias` is the name of the engine's user type, where the column has one: one that is called like a built-in type, such
/// as `regclass`, and holds values that the built-in type can have is announced as that; `oid[]` means an array of it.
pub fn pg_type(field: &Field, alias: Option<&str>) -> PgType {
    if let Some(found) = alias.and_then(|alias| aliased(field, alias)) {
        return PgType::of(found);
    }
    PgType {
        typmod: typmod(field),
        ..PgType::of(natural(field))
    }
}

/// The OID that values of a field have without an alias.
pub(crate) fn natural(field: &Field) -> u32 {
    match Kind::of(field) {
        Kind::Null | Kind::Text | Kind::Dictionary(..) | Kind::Unsupported => oid::TEXT,
        Kind::Bool => oid::BOOL,
        Kind::Integer => match field.data_type() {
            DataType::Int8 | DataType::UInt8 | DataType::Int16 => oid::INT2,
            DataType::UInt16 | DataType::Int32 => oid::INT4,
            DataType::UInt32 | DataType::Int64 => oid::INT8,
            _ => oid::NUMERIC,
        },
        Kind::HugeInt | Kind::UHugeInt | Kind::Decimal(..) | Kind::BigNum => oid::NUMERIC,
        Kind::Float4 => oid::FLOAT4,
        Kind::Float8 => oid::FLOAT8,
        Kind::Json | Kind::Map(_) | Kind::Union(_) => oid::JSON,
        Kind::Bytes => oid::BYTEA,
        Kind::Date => oid::DATE,
        Kind::Time(_) => oid::TIME,
        Kind::TimeTz => oid::TIMETZ,
        Kind::Timestamp(_) => oid::TIMESTAMP,
        Kind::TimestampTz(_) => oid::TIMESTAMPTZ,
        Kind::Interval => oid::INTERVAL,
        Kind::Uuid => oid::UUID,
        Kind::Bit => oid::VARBIT,
        Kind::Record(_) => oid::RECORD,
        Kind::List(item) => {
            let element = natural(innermost(item).0);
            array_of(element).unwrap_or(oid::TEXT_ARRAY)
        }
    }
}

/// The modifier of a decimal; an array has its element's.
fn typmod(field: &Field) -> i32 {
    match Kind::of(field) {
        Kind::Decimal(precision, scale) => (i32::from(precision) << 16 | i32::from(scale)) + 4,
        Kind::List(item) => typmod(innermost(item).0),
        _ => -1,
    }
}

/// The first field inside nested lists that is no list.
///
/// Also how many lists there are around it, the one that `item` belongs to included.
pub(crate) fn innermost(item: &Field) -> (&Field, usize) {
    match Kind::of(item) {
        Kind::List(inner) => {
            let (found, depth) = innermost(inner);
            (found, depth + 1)
        }
        _ => (item, 1),
    }
}

fn aliased(field: &Field, alias: &str) -> Option<u32> {
    let alias = alias.trim();
    if let Some((element, _)) = alias.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')) {
        let Kind::List(item) = Kind::of(field) else { return None };
        let oid = aliased(innermost(item).0, element.split('[').next().unwrap_or_default())?;
        return array_of(oid);
    }
    let name = alias.trim_matches('"').to_ascii_lowercase();
    let found = type_by_name(&name)?.oid;
    can_be(field, found).then_some(found)
}

/// The type of a column that is to be announced as `oid`; `None` where its values cannot be written as such.
///
/// A list is announced as an array when its elements can be announced as the array's.
pub fn announced_type(field: &Field, oid: u32) -> Option<PgType> {
    let fits = match (Kind::of(field), element_of(oid)) {
        (Kind::List(item), Some(element)) => {
            let item = innermost(item).0;
            natural(item) == element || can_be(item, element)
        }
        _ => can_be(field, oid),
    };
    fits.then(|| PgType::of(oid))
}

/// Whether values of a field can be announced as a type that is not their natural one.
fn can_be(field: &Field, announced: u32) -> bool {
    match Kind::of(field) {
        Kind::Integer => is_oid_like(announced) || matches!(announced, oid::XID8 | oid::INT2 | oid::INT4 | oid::INT8),
        Kind::List(item) => {
            matches!(announced, oid::INT2VECTOR | oid::OIDVECTOR) && matches!(Kind::of(item), Kind::Integer)
        }
        Kind::Json => matches!(announced, oid::JSON | oid::JSONB),
        Kind::Text => is_text_like(announced) || is_reg(announced) || is_spelled(announced),
        Kind::Bit => announced == oid::BIT,
        Kind::Null => true,
        _ => announced == natural(field),
    }
}

/// Types whose values are OIDs or counters of 32 bits.
pub(crate) fn is_oid_like(type_oid: u32) -> bool {
    matches!(type_oid, oid::OID | oid::XID | oid::CID) || is_reg(type_oid)
}

/// Types that print an object's name for its OID.
pub(crate) fn is_reg(type_oid: u32) -> bool {
    matches!(
        type_oid,
        oid::REGPROC
            | oid::REGPROCEDURE
            | oid::REGOPER
            | oid::REGOPERATOR
            | oid::REGCLASS
            | oid::REGTYPE
            | oid::REGROLE
            | oid::REGNAMESPACE
            | oid::REGCONFIG
            | oid::REGDICTIONARY
            | oid::REGCOLLATION
    )
}

/// Types whose binary form is their text.
pub(crate) fn is_text_like(type_oid: u32) -> bool {
    matches!(
        type_oid,
        oid::TEXT
            | oid::VARCHAR
            | oid::BPCHAR
            | oid::NAME
            | oid::UNKNOWN
            | oid::JSON
            | oid::XML
            | oid::CSTRING
            | oid::VOID
            | oid::REFCURSOR
            | oid::PG_NODE_TREE
    )
}

/// Other types that the catalog keeps as text.
fn is_spelled(type_oid: u32) -> bool {
    matches!(
        type_oid,
        oid::CHAR
            | oid::JSONB
            | oid::JSONPATH
            | oid::INT2VECTOR
            | oid::OIDVECTOR
            | oid::ACLITEM
            | oid::INET
            | oid::CIDR
            | oid::MACADDR
            | oid::MACADDR8
            | oid::TID
            | oid::PG_LSN
            | oid::TSVECTOR
            | oid::TSQUERY
            | oid::TXID_SNAPSHOT
            | oid::PG_SNAPSHOT
    )
}
