//! Attempts to leave the session's own catalog, from a live session.

use pintail_tests::Installation;

#[tokio::test]
async fn files_networks_and_other_schemas_are_out_of_reach() {
    let installation = Installation::start().expect("start");
    let client = installation.connect().await.expect("connect");
    let own = installation.data_dir().display().to_string();
    let attempts = [
        "SELECT * FROM read_text('/etc/passwd')".to_owned(),
        "SELECT * FROM read_text('/proc/self/environ')".to_owned(),
        "SELECT * FROM read_text('/proc/1/cmdline')".to_owned(),
        format!("SELECT * FROM read_text('{own}/default-user.json')"),
        format!("SELECT * FROM read_text('{own}/orgs/local/lake/../../../default-user.json')"),
        format!("SELECT * FROM read_text('file://{own}/postgres.password')"),
        "SELECT * FROM glob('/etc/*')".to_owned(),
        "COPY (SELECT 1) TO '/tmp/pintail-escape.csv'".to_owned(),
        "ATTACH '/tmp/pintail-escape.db' AS escape".to_owned(),
        "ATTACH 'ducklake:postgres:' AS other (METADATA_SCHEMA 'pintail')".to_owned(),
        "SELECT * FROM postgres_query('__ducklake_metadata_lake', 'SELECT 1')".to_owned(),
        format!("SELECT * FROM postgres_scan('host={own}/run user=pintail', 'pintail', 'users')"),
        "SELECT * FROM __ducklake_metadata_lake.pintail.users".to_owned(),
        "SELECT * FROM sqlite_scan('/tmp/x.db', 't')".to_owned(),
        "SELECT * FROM query('SELECT 1')".to_owned(),
        "INSTALL httpfs".to_owned(),
        "LOAD sqlite_scanner".to_owned(),
        "SET enable_external_access = true".to_owned(),
        "RESET enable_external_access".to_owned(),
        "SET GLOBAL lock_configuration = false".to_owned(),
        "PRAGMA threads = 64".to_owned(),
        "PREPARE p AS SELECT * FROM postgres_query('__ducklake_metadata_lake', 'SELECT 1')".to_owned(),
        "EXPLAIN SELECT * FROM query('SELECT 1')".to_owned(),
        "WITH x AS (SELECT * FROM query_table('pg_class')) SELECT * FROM x".to_owned(),
    ];
    for sql in attempts {
        let result = client.simple_query(&sql).await;
        assert!(result.is_err(), "{sql} succeeded");
        assert!(
            client.simple_query("SELECT 1").await.is_ok(),
            "the session ended after {sql}"
        );
    }
}

#[tokio::test]
async fn no_secret_shows_in_the_engines_own_tables() {
    let installation = Installation::start().expect("start");
    let client = installation.connect().await.expect("connect");
    let role = std::fs::read_to_string(installation.data_dir().join("postgres.password")).expect("password");
    for sql in [
        "SELECT * FROM duckdb_databases()",
        "SELECT * FROM duckdb_secrets()",
        "SELECT * FROM duckdb_settings()",
    ] {
        let Ok(messages) = client.simple_query(sql).await else {
            continue;
        };
        let text = format!("{messages:?}");
        assert!(!text.contains(role.trim()), "{sql} shows a password");
        assert!(!text.contains("password="), "{sql} shows a connection string");
    }
}
