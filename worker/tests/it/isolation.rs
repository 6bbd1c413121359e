//! What a session leaves behind, and what a tenant can reach.

use anyhow::Result;
use pintail_worker_api::Secret;
use pintail_worker_api::bootstrap::KernelWall;
use pintail_worker_api::client::WorkerClient;
use pintail_worker_api::messages::{Execute, OpenSession, Prepare};

use crate::harness::TestWorker;

#[tokio::test]
async fn nothing_survives_into_the_next_session() -> Result<()> {
    let worker = TestWorker::start().await?;
    for sql in [
        "CREATE TEMP TABLE temp_left (i INTEGER)",
        "CREATE TABLE left_here (i INTEGER)",
        "CREATE SCHEMA left_schema",
        "CREATE MACRO left_macro() AS 1",
        "ATTACH ':memory:' AS left_db",
        "CREATE SECRET left_secret (TYPE s3, KEY_ID 'a', SECRET 'b')",
        "SET TimeZone = 'Europe/Berlin'",
        "SET VARIABLE left_variable = 1",
        "PREPARE left_prepared AS SELECT 1",
        "BEGIN",
    ] {
        let outcome = worker.sql(sql).await;
        // Secret types come with extensions that a catalog in memory does not load.
        assert!(outcome.is_ok() || sql.contains("SECRET"), "{sql}: {outcome:?}");
    }
    let prepared = worker
        .client
        .prepare(&Prepare {
            sql: "SELECT 1".into(),
            param_oids: vec![],
            ..Prepare::default()
        })
        .await?;
    worker.client.close_session().await?;
    assert!(!worker.client.status().await?.busy);
    worker.open().await?;
    assert_eq!(worker.state("SELECT * FROM temp_left").await, "42P01");
    assert_eq!(worker.state("SELECT * FROM left_here").await, "42P01");
    assert_eq!(worker.state("SELECT left_macro()").await, "42883");
    assert_eq!(worker.state("EXECUTE left_prepared").await, "26000");
    assert_eq!(worker.sql("SELECT count(*) FROM duckdb_secrets()").await?.value(), "0");
    assert_eq!(
        worker
            .sql("SELECT count(*) FROM duckdb_databases() WHERE database_name = 'left_db'")
            .await?
            .value(),
        "0"
    );
    assert_eq!(worker.sql("SELECT current_setting('TimeZone')").await?.value(), "UTC");
    assert_eq!(
        worker.sql("SELECT getvariable('left_variable') IS NULL").await?.value(),
        "t"
    );
    assert_eq!(worker.state("ROLLBACK").await, "25P01");
    assert!(
        worker
            .run(Execute {
                handle: prepared.handle,
                ..Execute::default()
            })
            .await
            .is_err()
    );
    Ok(())
}

#[tokio::test]
async fn a_worker_has_one_session() -> Result<()> {
    let worker = TestWorker::start().await?;
    let error = worker
        .client
        .open_session(&OpenSession::default())
        .await
        .expect_err("busy");
    assert_eq!(pintail_sqlstate::ToReport::to_report(&error).sqlstate.as_str(), "53300");
    Ok(())
}

#[tokio::test]
async fn the_token_is_checked_on_every_call() -> Result<()> {
    let worker = TestWorker::start().await?;
    let stranger = WorkerClient::connect(&worker.bootstrap.socket, &Secret::new("another".into())).await?;
    assert!(stranger.status().await.is_err());
    assert!(
        stranger
            .execute(&Execute {
                sql: "SELECT 1".into(),
                ..Execute::default()
            })
            .await
            .is_err()
    );
    Ok(())
}

/// Attempts from ISOLATION.md's table that need no catalog.
fn attempts(worker: &TestWorker) -> Vec<String> {
    let outside = tempfile::tempdir().expect("a directory").keep();
    std::fs::write(outside.join("secret.csv"), "a,b\n1,2\n").expect("a file");
    let link = worker.directory.path().join("files/link.csv");
    std::os::unix::fs::symlink(outside.join("secret.csv"), &link).expect("a link");
    let (out, link, own) = (outside.display(), link.display(), worker.directory.path().display());
    vec![
        "SELECT * FROM read_text('/etc/passwd')".into(),
        "SELECT * FROM read_blob('/proc/self/environ')".into(),
        "SELECT * FROM read_text('/proc/1/cmdline')".into(),
        "SELECT * FROM read_text('/proc/1/environ')".into(),
        format!("SELECT * FROM read_csv('{out}/secret.csv')"),
        format!("SELECT * FROM read_csv('file://{out}/secret.csv')"),
        format!(
            "SELECT * FROM read_csv('{own}/files/../../{}/secret.csv')",
            outside.file_name().expect("a name").display()
        ),
        format!("SELECT * FROM '{link}'"),
        format!("COPY (SELECT 1) TO '{out}/written.csv'"),
        format!("ATTACH '{out}/new.db' AS new_db"),
        "COPY (SELECT 1) TO '/tmp/pintail-escape.csv'".into(),
        "COPY (SELECT 1) TO '/dev/shm/pintail-escape.csv'".into(),
    ]
}

#[tokio::test]
async fn the_engine_stops_files_outside() -> Result<()> {
    let worker = TestWorker::start_with(|bootstrap| bootstrap.kernel_wall = KernelWall::Off, &[]).await?;
    worker.open().await?;
    // A link inside an own directory is the kernel's to stop: the engine compares names.
    for sql in attempts(&worker).iter().filter(|sql| !sql.contains("link.csv")) {
        assert_eq!(worker.state(sql).await, "42501", "{sql}");
    }
    for sql in [
        "SET enable_external_access = true",
        "RESET enable_external_access",
        "SET GLOBAL lock_configuration = false",
        "SET allowed_directories = ['/']",
        "SET allowed_configs = ['enable_external_access']",
        "PRAGMA enable_external_access",
        "SET errors_as_json = false",
        "INSTALL sqlite_scanner",
        "LOAD '/tmp/x.duckdb_extension'",
    ] {
        assert!(worker.sql(sql).await.is_err(), "{sql}");
    }
    worker.sql("SET TimeZone = 'Europe/Berlin'").await?;
    Ok(())
}

#[tokio::test]
async fn the_kernel_stops_files_outside_where_the_engine_does_not() -> Result<()> {
    let environment = [("PINTAIL_TEST_WITHOUT_ENGINE_WALL", "1")];
    let worker = TestWorker::start_with(|bootstrap| bootstrap.kernel_wall = KernelWall::Require, &environment).await?;
    assert_eq!(worker.kernel_wall, "up");
    let opened = worker.client.open_session(&OpenSession::default()).await?;
    assert!(
        opened.external_access && !opened.configuration_locked,
        "the engine's wall must be left out here"
    );
    for sql in attempts(&worker) {
        let report = worker.fails(&sql).await;
        assert!(
            ["42501", "58030", "58P01"].contains(&report.sqlstate.as_str()),
            "{sql}: {report}"
        );
    }
    let own = worker.directory.path().join("files");
    worker
        .sql(&format!("COPY (SELECT 1) TO '{}/own.parquet'", own.display()))
        .await?;
    assert_eq!(
        worker
            .sql(&format!("SELECT count(*) FROM '{}/own.parquet'", own.display()))
            .await?
            .value(),
        "1"
    );
    Ok(())
}

#[tokio::test]
async fn own_directories_are_open_to_sql() -> Result<()> {
    let worker = TestWorker::start().await?;
    let own = worker.directory.path().join("files");
    worker
        .sql(&format!("COPY (SELECT 7 AS a) TO '{}/own.parquet'", own.display()))
        .await?;
    assert_eq!(
        worker
            .sql(&format!("SELECT a FROM '{}/own.parquet'", own.display()))
            .await?
            .value(),
        "7"
    );
    Ok(())
}

#[tokio::test]
async fn relative_names_are_stopped_by_the_engine() -> Result<()> {
    let worker = TestWorker::start().await?;
    for sql in [
        "COPY (SELECT 1) TO 'lost.csv'",
        "COPY (SELECT 1) TO 'data'",
        "COPY (SELECT 1) TO 'data/lost.csv'",
        "SELECT * FROM read_text('worker.sock')",
    ] {
        assert_eq!(worker.state(sql).await, "42501", "{sql}");
    }
    Ok(())
}
