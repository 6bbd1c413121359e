//! Errors as the client is told them.

use anyhow::Result;
use pintail_sqlstate::ToReport;
use pintail_worker_api::messages::Prepare;

use crate::harness::TestWorker;

#[tokio::test]
async fn errors_have_postgresql_codes() -> Result<()> {
    let worker = TestWorker::start().await?;
    worker
        .sql("CREATE TABLE t (i INTEGER NOT NULL, j INTEGER UNIQUE, d DATE, CHECK (i < 1000))")
        .await?;
    worker.sql("CREATE TABLE parent (id INTEGER PRIMARY KEY)").await?;
    worker
        .sql("CREATE TABLE child (id INTEGER REFERENCES parent (id))")
        .await?;
    worker.sql("INSERT INTO t VALUES (1, 1, NULL)").await?;
    let cases = [
        ("SELECT * FROM nope", "42P01"),
        ("SELECT * FROM nope.t", "42P01"),
        ("SELECT * FROM lake.nope.t", "42P01"),
        ("SELECT x.i FROM t", "42P01"),
        ("SELECT nope FROM t", "42703"),
        ("INSERT INTO t (nope) VALUES (1)", "42703"),
        ("UPDATE t SET nope = 1", "42703"),
        ("ALTER TABLE t DROP COLUMN nope", "42703"),
        ("SELECT nope(1)", "42883"),
        ("SELECT lower(1, 2)", "42883"),
        ("SELECT DATE '2020-01-01' + DATE '2020-01-01'", "42883"),
        ("CREATE TABLE nope.x (i INTEGER)", "3F000"),
        ("DROP SCHEMA nope", "3F000"),
        ("CREATE TABLE t (i INTEGER)", "42P07"),
        ("DROP TABLE nope", "42P01"),
        ("SELECT i FROM t a, t b", "42702"),
        ("SELEC 1", "42601"),
        ("SELECT 1 +", "42601"),
        ("INSERT INTO t VALUES (1)", "42601"),
        ("SELECT i, count(*) FROM t", "42803"),
        ("SELECT i FROM t WHERE count(*) > 1", "42803"),
        ("SELECT 'a'::INTEGER", "22P02"),
        ("SELECT 'x'::BOOLEAN", "22P02"),
        ("SELECT 'x'::UUID", "22P02"),
        ("SELECT 300000::SMALLINT", "22003"),
        ("SELECT 2147483647::INTEGER + 1::INTEGER", "22003"),
        ("SELECT 9223372036854775807 + 1::BIGINT", "22003"),
        ("SELECT 12345.67::DECIMAL(4,2)", "22003"),
        ("SELECT 'x'::DATE", "22007"),
        ("SELECT '2020-13-01'::DATE", "22008"),
        ("SELECT 'x'::TIMESTAMP", "22007"),
        ("SELECT 'x'::INTERVAL", "22007"),
        ("INSERT INTO t VALUES (NULL, 5, NULL)", "23502"),
        ("INSERT INTO t VALUES (1, 1, NULL)", "23505"),
        ("INSERT INTO t VALUES (2000, 7, NULL)", "23514"),
        ("INSERT INTO child VALUES (7)", "23503"),
        ("SELECT 1::nope", "42704"),
        ("SELECT (SELECT * FROM range(3))", "21000"),
        ("SET memory_limit = '1GB'", "42501"),
        ("SELECT * FROM read_text('/etc/passwd')", "42501"),
        ("ATTACH '/tmp/x.db' AS x", "42501"),
        ("INSTALL httpfs", "42501"),
        ("LOAD httpfs", "42501"),
        ("SELECT error('PINTAIL:22012:division by zero')", "22012"),
        ("COMMIT", "25P01"),
        ("EXECUTE nope", "26000"),
        ("USE nope", "3F000"),
    ];
    let mut wrong = Vec::new();
    for (sql, expected) in cases {
        match worker.sql(sql).await {
            Ok(_) => wrong.push(format!("{sql}: no error, not {expected}")),
            Err(error) => {
                let report = error.to_report();
                if report.sqlstate.as_str() != expected {
                    wrong.push(format!("{sql}: {report}, not {expected}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(worker.sql("SELECT 1").await?.value(), "1");
    assert!(!worker.client.status().await?.broken);
    Ok(())
}

#[tokio::test]
async fn errors_have_postgresql_words_and_places() -> Result<()> {
    let worker = TestWorker::start().await?;
    let report = worker.fails("SELECT 'é', * FROM nope").await;
    assert_eq!(report.message, "relation \"nope\" does not exist");
    assert_eq!(report.position, Some(20));
    let report = worker.fails("SELECT lenght('x')").await;
    assert!(report.message.starts_with("function lenght"), "{}", report.message);
    let report = worker.fails("SELECT 1; SELECT 2; SELECT * FROM nope").await;
    assert_eq!((report.sqlstate.as_str(), report.position), ("42P01", Some(35)));
    let report = worker
        .fails("SELECT CAST(x AS INTEGER) FROM (VALUES ('1'), ('zz')) v(x)")
        .await;
    assert_eq!(report.message, "invalid input syntax for type integer: \"zz\"");
    Ok(())
}

#[tokio::test]
async fn several_statements_cannot_be_prepared() -> Result<()> {
    let worker = TestWorker::start().await?;
    let request = Prepare {
        sql: "SELECT 1; SELECT 2".into(),
        param_oids: vec![],
        ..Prepare::default()
    };
    let error = worker.client.prepare(&request).await.expect_err("two statements");
    assert_eq!(error.to_report().sqlstate.as_str(), "42601");
    Ok(())
}

#[tokio::test]
async fn a_plan_whose_result_changed_is_refused() -> Result<()> {
    let worker = TestWorker::start().await?;
    worker.sql("CREATE TABLE t (i INTEGER)").await?;
    worker.sql("INSERT INTO t VALUES (1)").await?;
    let prepare = |sql: &str| Prepare {
        sql: sql.into(),
        param_oids: vec![],
        ..Prepare::default()
    };
    let star = worker.client.prepare(&prepare("SELECT * FROM t")).await?;
    let one = worker.client.prepare(&prepare("SELECT i FROM t")).await?;
    let run = |handle| pintail_worker_api::messages::Execute {
        handle,
        want: Some(crate::harness::text()),
        ..Default::default()
    };
    worker.sql("ALTER TABLE t ADD COLUMN v VARCHAR").await?;
    assert_eq!(worker.run(run(one.handle)).await?.value(), "1");
    let error = worker.run(run(star.handle)).await.expect_err("the columns changed");
    assert_eq!(error.to_report().message, "cached plan must not change result type");
    worker.sql("DROP TABLE t").await?;
    let error = worker.run(run(one.handle)).await.expect_err("the table is gone");
    assert_eq!(error.to_report().sqlstate.as_str(), "42P01");
    Ok(())
}
