//! PostgreSQL's types and what becomes of each. One decision a type:
//!
//! | PostgreSQL | DuckDB |
//! |---|---|
//! | integers, floats, `text`, `date`, `time`, `timestamp(tz)`, `interval`, `uuid`, `bytea`, `bool`, `json` | the same |
//! | `float`, `float(25…53)` | `DOUBLE` (DuckDB's FLOAT has 32 bits) |
//! | `numeric(p,s)` up to 38 digits | `DECIMAL(p,s)`; above: 0A000 |
//! | `numeric` | `DECIMAL(38,10)` in tables; in a cast of a literal, the literal's own scale; else `DECIMAL(38,16)` |
//! | `jsonb` | `JSON` |
//! | `name`, `"char"`, `bpchar`, `citext`, `xml`, `inet`, `cidr`, `macaddr`, ranges, `pg_lsn`, `regconfig` … | `VARCHAR` |
//! | `oid`, `xid`, `cid`, `reg…` | `BIGINT` |
//! | `bit`, `varbit` | `BIT` |
//! | `serial`, `money`, `tsvector`, `tsquery`, geometry, `hstore` | 0A000 |

use sqlparser::ast::{ArrayElemTypeDef, CharacterLength, DataType, ExactNumberInfo, ObjectName, TimezoneInfo};

use super::{build, last_name};
use crate::Error;

/// Scale of an unconstrained `numeric` column.
const TABLE_SCALE: i64 = 10;
/// Scale of an unconstrained `numeric` cast, PostgreSQL's for quotients near one.
const CAST_SCALE: i64 = 16;
/// DuckDB's widest decimal.
const WIDEST: u64 = 38;

/// Where a type stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In a column's definition.
    Table,
    /// In a cast.
    Cast,
}

/// The engine's type for PostgreSQL's; the type itself where they agree.
pub(super) fn engine(data_type: &DataType, place: Place) -> Result<DataType, Error> {
    use DataType as D;
    Ok(match data_type {
        D::Float(ExactNumberInfo::Precision(p) | ExactNumberInfo::PrecisionAndScale(p, _)) if *p <= 24 => D::Real,
        D::Float(_) | D::Float8 | D::DoublePrecision => D::Double(ExactNumberInfo::None),
        D::Numeric(info) | D::Decimal(info) | D::Dec(info) => D::Decimal(exact(*info, place)?),
        D::JSONB => D::JSON,
        D::Regclass => D::BigInt(None),
        D::Character(_) | D::Char(_) if place == Place::Cast => build::varchar(),
        D::CharacterVarying(_) | D::CharVarying(_) | D::Varchar(_) | D::Text if place == Place::Cast => {
            build::varchar()
        }
        D::CharacterVarying(length) | D::CharVarying(length) => D::Varchar(*length),
        D::Time(_, TimezoneInfo::WithTimeZone | TimezoneInfo::Tz) => build::named_type("TIMETZ"),
        D::Time(..) => D::Time(None, TimezoneInfo::None),
        D::Timestamp(_, TimezoneInfo::WithTimeZone | TimezoneInfo::Tz) => build::named_type("TIMESTAMPTZ"),
        D::Timestamp(Some(precision), _) if *precision >= 6 => D::Timestamp(None, TimezoneInfo::None),
        D::Timestamp(precision, TimezoneInfo::WithoutTimeZone) => D::Timestamp(*precision, TimezoneInfo::None),
        D::Interval { .. } => D::Interval {
            fields: None,
            precision: None,
        },
        D::Bit(_) | D::BitVarying(_) | D::VarBit(_) => build::named_type("BIT"),
        D::Array(ArrayElemTypeDef::SquareBracket(inner, _) | ArrayElemTypeDef::Qualified(inner, _)) => {
            D::Array(ArrayElemTypeDef::SquareBracket(Box::new(engine(inner, place)?), None))
        }
        D::GeometricType(kind) => return Err(refused(&kind.to_string())),
        D::TsVector => return Err(refused("tsvector")),
        D::TsQuery => return Err(refused("tsquery")),
        D::Custom(name, _) => return custom(data_type, name, place),
        other => other.clone(),
    })
}

fn exact(info: ExactNumberInfo, place: Place) -> Result<ExactNumberInfo, Error> {
    let scale = if place == Place::Table { TABLE_SCALE } else { CAST_SCALE };
    match info {
        ExactNumberInfo::None => Ok(ExactNumberInfo::PrecisionAndScale(WIDEST, scale)),
        ExactNumberInfo::Precision(p) | ExactNumberInfo::PrecisionAndScale(p, _) if p > WIDEST => {
            Err(Error::unsupported(format!(
                "numeric precision {p} is not supported; the limit is {WIDEST} digits"
            )))
        }
        ExactNumberInfo::Precision(p) => Ok(ExactNumberInfo::PrecisionAndScale(p, 0)),
        given @ ExactNumberInfo::PrecisionAndScale(..) => Ok(given),
    }
}

fn custom(data_type: &DataType, name: &ObjectName, place: Place) -> Result<DataType, Error> {
    let Some(word) = last_name(name) else {
        return Ok(data_type.clone());
    };
    Ok(match word.as_str() {
        "name" | "char" | "bpchar" | "citext" | "xml" | "inet" | "cidr" | "macaddr" | "macaddr8" | "int4range"
        | "int8range" | "numrange" | "tsrange" | "tstzrange" | "daterange" | "pg_lsn" | "regconfig"
        | "regdictionary" | "refcursor" | "cstring" | "unknown" | "pg_node_tree" | "aclitem" | "txid_snapshot"
        | "information_schema" | "sql_identifier" | "character_data" | "yes_or_no" | "varchar" | "text" => {
            build::varchar()
        }
        "oid" | "xid" | "cid" | "regclass" | "regtype" | "regproc" | "regprocedure" | "regoper" | "regoperator"
        | "regnamespace" | "regrole" | "regcollation" | "xid8" | "int8" => DataType::BigInt(None),
        "int2vector" | "oidvector" => {
            DataType::Array(ArrayElemTypeDef::SquareBracket(Box::new(DataType::BigInt(None)), None))
        }
        "timestamptz" => build::named_type("TIMESTAMPTZ"),
        "timetz" => build::named_type("TIMETZ"),
        "timestamp" => DataType::Timestamp(None, TimezoneInfo::None),
        "float4" => DataType::Real,
        "float8" => DataType::Double(ExactNumberInfo::None),
        "numeric" | "decimal" => DataType::Decimal(exact(ExactNumberInfo::None, place)?),
        "bool" => DataType::Boolean,
        "int2" => DataType::SmallInt(None),
        "int4" | "cardinal_number" => DataType::Integer(None),
        "jsonb" | "json" => DataType::JSON,
        "bit" | "varbit" => build::named_type("BIT"),
        "serial" | "serial4" | "bigserial" | "serial8" | "smallserial" | "serial2" => {
            return Err(Error::unsupported(format!(
                "type \"{word}\" is not supported: this server has no sequences yet; use an integer column"
            )));
        }
        "money" | "tsvector" | "tsquery" | "hstore" | "point" | "line" | "lseg" | "box" | "path" | "polygon"
        | "circle" | "jsonpath" => return Err(refused(&word)),
        // A qualified name of the system's is looked up by its last part, one of the user's as it stands.
        _ if name.0.len() > 1
            && super::last_name(&ObjectName(name.0[..1].to_vec())).as_deref() == Some("pg_catalog") =>
        {
            DataType::Custom(ObjectName(name.0[1..].to_vec()), Vec::new())
        }
        _ => data_type.clone(),
    })
}

fn refused(name: &str) -> Error {
    Error::unsupported(format!("type \"{}\" is not supported", name.to_lowercase()))
}

/// PostgreSQL's internal name of a type, of the element for an array: what an unnamed cast's column is called.
pub(super) fn internal_name(data_type: &DataType) -> String {
    use DataType as D;
    let name = match super::columns::element(data_type) {
        D::SmallInt(_) | D::Int2(_) => "int2",
        D::Int(_) | D::Integer(_) | D::Int4(_) => "int4",
        D::BigInt(_) | D::Int8(_) => "int8",
        D::Real | D::Float4 => "float4",
        D::Float(ExactNumberInfo::Precision(p)) if *p <= 24 => "float4",
        D::Float(_) | D::Float8 | D::DoublePrecision | D::Double(_) => "float8",
        D::Numeric(_) | D::Decimal(_) | D::Dec(_) => "numeric",
        D::Boolean | D::Bool => "bool",
        D::Character(_) | D::Char(_) => "bpchar",
        D::CharacterVarying(_) | D::CharVarying(_) | D::Varchar(_) => "varchar",
        D::Time(_, TimezoneInfo::WithTimeZone | TimezoneInfo::Tz) => "timetz",
        D::Time(..) => "time",
        D::Timestamp(_, TimezoneInfo::WithTimeZone | TimezoneInfo::Tz) => "timestamptz",
        D::Timestamp(..) => "timestamp",
        D::Interval { .. } => "interval",
        D::JSON => "json",
        D::JSONB => "jsonb",
        D::Bit(_) => "bit",
        D::BitVarying(_) | D::VarBit(_) => "varbit",
        D::Custom(name, _) => return last_name(name).unwrap_or_default(),
        other => return other.to_string().to_lowercase(),
    };
    name.to_owned()
}

/// The OID of a type as written in a tree.
pub(super) fn oid_of(data_type: &DataType) -> Option<u32> {
    let array = matches!(data_type, DataType::Array(_));
    let name = internal_name(data_type);
    let name = if name == "char" { "\"char\"" } else { &name };
    BUILT_IN
        .iter()
        .find(|(names, _, _)| names.contains(&name))
        .map(|(_, oid, array_oid)| if array { *array_oid } else { *oid })
}

/// The modifier of a type as written in a tree, as `atttypmod` has it; `None` where it has none.
pub(super) fn modifier(data_type: &DataType) -> Option<i32> {
    use DataType as D;
    let length = |length: &Option<CharacterLength>| match length {
        Some(CharacterLength::IntegerLength { length, .. }) => Some(*length),
        _ => None,
    };
    // Lengths of text count the four bytes of a header.
    let text = |length: Option<u64>| i32::try_from(length?).ok()?.checked_add(4);
    let number = |number: &Option<u64>| i32::try_from((*number)?).ok();
    match data_type {
        D::Varchar(characters) | D::CharacterVarying(characters) | D::CharVarying(characters) => {
            text(length(characters))
        }
        D::Char(characters) | D::Character(characters) => text(length(characters).or(Some(1))),
        D::Numeric(info) | D::Decimal(info) | D::Dec(info) => {
            let (precision, scale) = match info {
                ExactNumberInfo::None => return None,
                ExactNumberInfo::Precision(precision) => (*precision, 0),
                ExactNumberInfo::PrecisionAndScale(precision, scale) => (*precision, *scale),
            };
            // Precision in the upper half, scale in eleven bits of the lower one.
            let precision = i32::try_from(precision).ok().filter(|precision| *precision <= 1000)?;
            let scale = i32::try_from(scale).ok()? & 0x7ff;
            Some((precision << 16 | scale) + 4)
        }
        D::Time(digits, _) | D::Timestamp(digits, _) => number(digits),
        D::Bit(bits) => number(&bits.or(Some(1))),
        D::BitVarying(bits) | D::VarBit(bits) => number(bits),
        D::Array(ArrayElemTypeDef::SquareBracket(element, _) | ArrayElemTypeDef::AngleBracket(element)) => {
            modifier(element)
        }
        _ => None,
    }
}

/// The engine's type for a parameter of that OID; `None` where the engine is left to find it.
pub(super) fn engine_type(oid: u32) -> Option<DataType> {
    let (name, array) = BUILT_IN.iter().find_map(|(names, scalar, array)| {
        let name = names.first()?;
        if *scalar == oid {
            Some((*name, false))
        } else if *array == oid {
            Some((*name, true))
        } else {
            None
        }
    })?;
    let element = match name {
        "bool" => "BOOLEAN",
        "bytea" => "BLOB",
        "int8" | "oid" | "regclass" | "regtype" | "regproc" | "xid" => "BIGINT",
        "int2" => "SMALLINT",
        "int4" | "cardinal_number" => "INTEGER",
        "float4" => "FLOAT",
        "float8" => "DOUBLE",
        "date" => "DATE",
        "time" => "TIME",
        "timestamp" => "TIMESTAMP",
        "timestamptz" => "TIMESTAMPTZ",
        "interval" => "INTERVAL",
        "timetz" => "TIMETZ",
        "uuid" => "UUID",
        "json" | "jsonb" => "JSON",
        "bit" | "varbit" => "BIT",
        // A decimal's width is in its value; the binder's own choice keeps it.
        "numeric" => return None,
        _ => "VARCHAR",
    };
    let element = build::named_type(element);
    Some(if array {
        DataType::Array(ArrayElemTypeDef::SquareBracket(Box::new(element), None))
    } else {
        element
    })
}

/// A built-in type's OID by any of its spellings; `None` for what is not built in.
pub(crate) fn type_oid(name: &str) -> Option<u32> {
    let lower = name.to_lowercase();
    let lower = lower.trim();
    let array = lower.ends_with("[]");
    let base = lower.trim_end_matches("[]");
    let base = base.split('(').next().unwrap_or_default().trim();
    let base = ["pg_catalog.", "\"pg_catalog\"."]
        .iter()
        .find_map(|schema| base.strip_prefix(schema))
        .unwrap_or(base);
    // Quotes change nothing but for "char", which is another type than char; `_int4` is int4's array.
    let bare = match base.trim_matches('"') {
        "char" => base,
        bare => bare,
    };
    let (base, array) = match bare.strip_prefix('_') {
        Some(element) => (element, true),
        None => (bare, array),
    };
    BUILT_IN
        .iter()
        .find(|(names, _, _)| names.contains(&base))
        .map(|(_, oid, array_oid)| if array { *array_oid } else { *oid })
}

/// The array type over a built-in type.
pub(super) fn array_of(element: u32) -> Option<u32> {
    BUILT_IN
        .iter()
        .find(|(_, oid, _)| *oid == element)
        .map(|(_, _, array)| *array)
}

/// The type that an array type is over.
pub(super) fn element_of(array: u32) -> Option<u32> {
    BUILT_IN
        .iter()
        .find(|(_, _, its_array)| *its_array == array)
        .map(|(_, element, _)| *element)
}

/// Spellings, OID, array type's OID.
const BUILT_IN: &[(&[&str], u32, u32)] = &[
    (&["bool", "boolean"], 16, 1000),
    (&["bytea"], 17, 1001),
    (&["\"char\""], 18, 1002),
    (&["name"], 19, 1003),
    (&["int8", "bigint"], 20, 1016),
    (&["int2", "smallint"], 21, 1005),
    (&["int2vector"], 22, 1006),
    (&["int4", "int", "integer"], 23, 1007),
    (&["regproc"], 24, 1008),
    (&["text"], 25, 1009),
    (&["oid"], 26, 1028),
    (&["xid"], 28, 1011),
    (&["oidvector"], 30, 1013),
    (&["json"], 114, 199),
    (&["xml"], 142, 143),
    (&["cidr"], 650, 651),
    (&["float4", "real"], 700, 1021),
    (&["float8", "float", "double precision"], 701, 1022),
    (&["inet"], 869, 1041),
    (&["macaddr"], 829, 1040),
    (&["bpchar", "char", "character"], 1042, 1014),
    (&["varchar", "character varying"], 1043, 1015),
    (&["date"], 1082, 1182),
    (&["time", "time without time zone"], 1083, 1183),
    (&["timestamp", "timestamp without time zone"], 1114, 1115),
    (&["timestamptz", "timestamp with time zone"], 1184, 1185),
    (&["interval"], 1186, 1187),
    (&["timetz", "time with time zone"], 1266, 1270),
    (&["bit"], 1560, 1561),
    (&["varbit", "bit varying"], 1562, 1563),
    (&["numeric", "decimal", "dec"], 1700, 1231),
    (&["regclass"], 2205, 2210),
    (&["regtype"], 2206, 2211),
    (&["uuid"], 2950, 2951),
    (&["jsonb"], 3802, 3807),
    (&["int4range"], 3904, 3905),
    (&["numrange"], 3906, 3907),
    (&["tsrange"], 3908, 3909),
    (&["tstzrange"], 3910, 3911),
    (&["daterange"], 3912, 3913),
    (&["int8range"], 3926, 3927),
    (&["regnamespace"], 4089, 4090),
    (&["regrole"], 4096, 4097),
];
