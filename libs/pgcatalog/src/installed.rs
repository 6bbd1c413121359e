//! The list of what is installed, in order.

/// Statements that make `pg_catalog` and `information_schema`, in order. The worker runs them in a new instance after
/// it attached an in-memory database as `"__pintail"` and before the walls go up.
pub fn install() -> &'static [&'static str] {
    &[
        "CREATE SCHEMA IF NOT EXISTS \"__pintail\".pg; CREATE SCHEMA IF NOT EXISTS \"__pintail\".info;",
    ]
}

/// Every relation that a client may name: its PostgreSQL schema and its name.
pub const RELATIONS: &[(&str, &str)] = &[];
