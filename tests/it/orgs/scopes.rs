//! Users that are confined to reading, or to schemas.

use pintail_tests::Installation;
use pintail_tests::operator::{Client, state, value};

#[tokio::test]
async fn readers_read_and_writers_write_in_their_schemas_only() {
    let installation = Installation::start().expect("start");
    installation.org("acme", &["ann"], &["lake"]).expect("acme");
    installation
        .user("acme", "rita", &["--role", "reader", "--schema", "open"])
        .expect("rita");
    installation
        .user("acme", "will", &["--role", "writer", "--schema", "open"])
        .expect("will");
    let ann = installation
        .connect_as(&Client::of("acme", "ann"))
        .await
        .expect("connect");
    ann.batch_execute(
        "CREATE SCHEMA open; CREATE SCHEMA closed; CREATE TABLE open.t AS SELECT 1 AS i; \
         CREATE TABLE closed.t AS SELECT 2 AS i; CREATE TABLE u AS SELECT 3 AS i; CREATE TABLE closed.open AS SELECT 4 AS i; \
         CREATE VIEW open.v AS SELECT * FROM closed.t",
    )
    .await
    .expect("tables");
    let rita = installation
        .connect_as(&Client::of("acme", "rita"))
        .await
        .expect("connect");
    let will = installation
        .connect_as(&Client::of("acme", "will"))
        .await
        .expect("connect");
    for session in [&rita, &will] {
        assert_eq!(value(session, "SELECT i FROM open.t").await, "1");
        assert_eq!(value(session, "SELECT i FROM lake.open.t").await, "1");
        assert_eq!(value(session, "WITH t AS (SELECT 9 AS i) SELECT i FROM t").await, "9");
        // A view reads with its owner's rights, as in PostgreSQL.
        assert_eq!(value(session, "SELECT i FROM open.v").await, "2");
        assert_eq!(value(session, "SET search_path = open; SELECT i FROM t").await, "1");
        for refused in [
            "SELECT * FROM closed.t",
            "SELECT * FROM lake.closed.t",
            "SELECT * FROM \"closed\".\"t\"",
            "SELECT (SELECT max(i) FROM closed.t)",
            "WITH x AS (SELECT * FROM closed.t) SELECT * FROM x",
            "SELECT * FROM public.u",
            "EXPLAIN SELECT * FROM closed.t",
            "PREPARE p AS SELECT * FROM closed.t",
            "CREATE SCHEMA mine",
            "DROP TABLE closed.t",
            "INSERT INTO closed.t VALUES (1)",
            "WITH open AS (SELECT 1) INSERT INTO closed.open SELECT * FROM open",
            "CREATE VIEW open.w AS SELECT * FROM closed.t",
            "SELECT * FROM read_csv('x.csv')",
            "SELECT * FROM 'x.parquet'",
            "SELECT * FROM duckdb_tables()",
            "ATTACH ':memory:' AS m",
            "CREATE SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b', SCOPE 's3://x/')",
            "SELECT no_such_function(1)",
            "FROM closed.t",
            "SUMMARIZE closed.t",
        ] {
            assert_eq!(state(session, refused).await, "42501", "{refused}");
        }
    }
    assert_eq!(state(&rita, "INSERT INTO open.t VALUES (5)").await, "42501");
    assert_eq!(state(&rita, "CREATE TABLE open.n (i int)").await, "42501");
    will.batch_execute(
        "INSERT INTO open.t VALUES (5); UPDATE open.t SET i = 6 WHERE i = 5; DELETE FROM open.t WHERE i = 6; \
         CREATE TABLE open.n (i int); ALTER TABLE open.n ADD COLUMN j int; DROP TABLE open.n",
    )
    .await
    .expect("a writer writes");
    let names = "SELECT string_agg(nspname, ',' ORDER BY nspname) FROM pg_namespace WHERE nspname IN ('open', 'closed', 'public')";
    assert_eq!(value(&rita, names).await, "open");
    assert_eq!(value(&ann, names).await, "closed,open,public");
    let tables = "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'closed'";
    assert_eq!(value(&rita, tables).await, "0");
    assert_eq!(value(&ann, tables).await, "2");
}
