//! Relations whose rows come with the statement that reads them.

/// Their names and columns, all of them texts that the views over `__pintail_rows('name')` cast.
pub const LIVE: &[(&str, &[&str])] = &[
    (
        "pg_stat_activity",
        &[
            "datname",
            "pid",
            "usename",
            "application_name",
            "client_addr",
            "client_port",
            "backend_start",
            "xact_start",
            "query_start",
            "state_change",
            "wait_event_type",
            "wait_event",
            "state",
            "query",
        ],
    ),
    (
        "pg_locks",
        &["classid", "objid", "objsubid", "pid", "mode", "granted", "waitstart"],
    ),
    (
        "pg_cursors",
        &[
            "name",
            "statement",
            "is_holdable",
            "is_binary",
            "is_scrollable",
            "creation_time",
        ],
    ),
    (
        "pg_prepared_statements",
        &["name", "statement", "prepare_time", "parameter_types", "from_sql"],
    ),
    ("pg_listening_channels", &["channel"]),
];

/// The columns of one of them.
pub fn live_columns(relation: &str) -> &'static [&'static str] {
    LIVE.iter()
        .find(|(name, _)| *name == relation)
        .map_or(&[], |(_, columns)| columns)
}
