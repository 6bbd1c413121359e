//! PostgreSQL's type names.

/// A built-in type's OID by any of its spellings; `None` for what is not built in.
pub(crate) fn type_oid(name: &str) -> Option<u32> {
    let base = name.to_lowercase();
    let base = base.split('(').next().unwrap_or_default().trim();
    let (base, array) = match base.strip_suffix("[]") {
        Some(element) => (element.trim(), true),
        None => (base, name.trim_end().ends_with("[]")),
    };
    let base = base.strip_prefix("pg_catalog.").unwrap_or(base);
    BUILT_IN
        .iter()
        .find(|(names, _, _)| names.contains(&base))
        .map(|(_, oid, array_oid)| if array { *array_oid } else { *oid })
}

/// Spellings, OID, array type's OID.
const BUILT_IN: &[(&[&str], u32, u32)] = &[
    (&["bool", "boolean"], 16, 1000),
    (&["bytea"], 17, 1001),
    (&["\"char\""], 18, 1002),
    (&["name"], 19, 1003),
    (&["int8", "bigint"], 20, 1016),
    (&["int2", "smallint"], 21, 1005),
    (&["int4", "int", "integer"], 23, 1007),
    (&["text"], 25, 1009),
    (&["oid"], 26, 1028),
    (&["json"], 114, 199),
    (&["float4", "real"], 700, 1021),
    (&["float8", "float", "double precision"], 701, 1022),
    (&["bpchar", "char", "character"], 1042, 1014),
    (&["varchar", "character varying"], 1043, 1015),
    (&["date"], 1082, 1182),
    (&["time", "time without time zone"], 1083, 1183),
    (&["timestamp", "timestamp without time zone"], 1114, 1115),
    (&["timestamptz", "timestamp with time zone"], 1184, 1185),
    (&["interval"], 1186, 1187),
    (&["timetz", "time with time zone"], 1266, 1270),
    (&["numeric", "decimal", "dec"], 1700, 1231),
    (&["uuid"], 2950, 2951),
    (&["jsonb"], 3802, 3807),
];
