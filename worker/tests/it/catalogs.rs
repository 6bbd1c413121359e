//! Catalogs that are no lake, several of them at once, and what attaching one may not do.

use std::path::Path;

use anyhow::Result;
use pintail_sqlstate::{Report, ToReport};
use pintail_worker_api::bootstrap::{CatalogSource, CatalogSpec, FileAccess, KernelWall, LakeOpening};
use pintail_worker_api::messages::OpenSession;

use crate::harness::TestWorker;
use crate::lake::lake;
use crate::postgres::Postgres;

fn file(directory: &Path, access: FileAccess) -> CatalogSpec {
    CatalogSpec {
        name: "file".into(),
        source: CatalogSource::DuckDbFile {
            path: directory.join("file.duckdb").to_string_lossy().into_owned(),
            access,
        },
    }
}

async fn start(catalogs: Vec<CatalogSpec>, environment: &[(&str, &str)]) -> Result<TestWorker> {
    let change = |bootstrap: &mut pintail_worker_api::bootstrap::Bootstrap| {
        bootstrap.catalogs = catalogs;
        bootstrap.kernel_wall = KernelWall::Require;
    };
    TestWorker::start_with(change, environment).await
}

async fn not_opened(worker: &TestWorker) -> Report {
    match worker.client.open_session(&OpenSession::default()).await {
        Ok(_) => panic!("a session was opened"),
        Err(error) => error.to_report(),
    }
}

fn existing(mut catalogs: Vec<CatalogSpec>) -> Vec<CatalogSpec> {
    for spec in &mut catalogs {
        if let CatalogSource::DuckLake { opening, .. } = &mut spec.source {
            *opening = LakeOpening::Existing;
        }
    }
    catalogs
}

#[tokio::test]
async fn a_database_file_is_open_in_one_session_at_a_time() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let first = start(vec![file(directory.path(), FileAccess::ReadWrite)], &[]).await?;
    let second = start(vec![file(directory.path(), FileAccess::ReadWrite)], &[]).await?;
    first.open().await?;
    first.sql("CREATE TABLE t AS SELECT 1 AS i").await?;
    let report = not_opened(&second).await;
    assert_eq!(report.sqlstate.as_str(), "55006", "{report}");
    assert!(report.message.contains("\"file\""), "{report}");
    // Reading the file by name closes a handle of it, which takes the engine's own lock away.
    let path = directory.path().join("file.duckdb");
    let _ = first
        .sql(&format!("SELECT size FROM read_blob('{}')", path.display()))
        .await;
    assert_eq!(not_opened(&second).await.sqlstate.as_str(), "55006");
    let reader = start(vec![file(directory.path(), FileAccess::ReadOnly)], &[]).await?;
    assert_eq!(not_opened(&reader).await.sqlstate.as_str(), "55006");
    first.client.close_session().await?;
    second.open().await?;
    assert_eq!(second.sql("SELECT i FROM t").await?.value(), "1");
    Ok(())
}

#[tokio::test]
async fn a_database_file_is_closed_before_the_next_session_opens_it() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let worker = start(vec![file(directory.path(), FileAccess::ReadWrite)], &[]).await?;
    worker.open().await?;
    worker.sql("CREATE TABLE t (i INTEGER)").await?;
    for round in 1..=8 {
        assert!(!worker.client.status().await?.standby_ready, "none is built ahead");
        worker.sql("INSERT INTO t VALUES (1)").await?;
        worker.client.close_session().await?;
        worker.open().await?;
        let count = worker.sql("SELECT count(*) FROM t").await?;
        assert_eq!(count.value(), round.to_string());
    }
    Ok(())
}

#[tokio::test]
async fn sql_cannot_touch_the_file_under_its_catalog() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let worker = start(vec![file(directory.path(), FileAccess::ReadWrite)], &[]).await?;
    worker.open().await?;
    worker.sql("CREATE TABLE t AS SELECT 1 AS i").await?;
    let own = directory.path().display();
    for sql in [
        format!("COPY (SELECT 1) TO '{own}/file.duckdb'"),
        format!("COPY (SELECT 1) TO '{own}/file.duckdb.wal'"),
        format!("ATTACH '{own}/other.duckdb' AS other"),
        format!("SELECT * FROM glob('{own}/*')"),
    ] {
        assert_eq!(worker.state(&sql).await, "42501", "{sql}");
    }
    assert!(
        worker
            .sql(&format!("ATTACH '{own}/file.duckdb' AS again"))
            .await
            .is_err()
    );
    Ok(())
}

#[tokio::test]
async fn a_database_file_that_is_only_read_is_open_in_many_sessions() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let missing = start(vec![file(directory.path(), FileAccess::ReadOnly)], &[]).await?;
    assert_eq!(not_opened(&missing).await.sqlstate.as_str(), "58P01");
    let writer = start(vec![file(directory.path(), FileAccess::ReadWrite)], &[]).await?;
    writer.open().await?;
    writer.sql("CREATE TABLE t AS SELECT 1 AS i").await?;
    writer.client.close_session().await?;
    let mut readers = Vec::new();
    for _ in 0..2 {
        let reader = start(vec![file(directory.path(), FileAccess::ReadOnly)], &[]).await?;
        reader.open().await?;
        assert_eq!(reader.sql("SELECT i FROM t").await?.value(), "1");
        assert_eq!(reader.state("INSERT INTO t VALUES (2)").await, "25006");
        readers.push(reader);
    }
    assert_eq!(not_opened(&writer).await.sqlstate.as_str(), "55006");
    std::fs::write(directory.path().join("file.duckdb"), "no database")?;
    let broken = start(vec![file(directory.path(), FileAccess::ReadOnly)], &[]).await?;
    assert_eq!(not_opened(&broken).await.sqlstate.as_str(), "XX001");
    Ok(())
}

#[tokio::test]
async fn memory_is_fresh_in_each_session() -> Result<()> {
    let worker = TestWorker::start().await?;
    worker.sql("CREATE TABLE t AS SELECT 1 AS i").await?;
    worker.client.close_session().await?;
    worker.open().await?;
    assert_eq!(worker.state("SELECT * FROM t").await, "42P01");
    Ok(())
}

#[tokio::test]
async fn a_foreign_key_shows_where_both_its_tables_are_seen() -> Result<()> {
    let worker = TestWorker::start().await?;
    worker.sql("CREATE SCHEMA sales").await?;
    worker.sql("CREATE TABLE sales.t (a INTEGER, b INTEGER)").await?;
    worker
        .sql(
            "CREATE OR REPLACE VIEW __pintail_session.main.constraints AS SELECT * FROM (VALUES \
             ('1', 'sales', 't', 't_pkey', 'p', ['a'], 'PRIMARY KEY (a)', NULL, NULL, NULL), \
             ('2', 'sales', 't', 't_a_fkey', 'f', ['a'], 'FOREIGN KEY (a) REFERENCES t(b)', 'sales', 't', ['b']), \
             ('3', 'sales', 't', 't_b_fkey', 'f', ['b'], 'FOREIGN KEY (b) REFERENCES hr.pay(id)', 'hr', 'pay', ['id'])) \
             AS c(constraint_id, schema_name, table_name, constraint_name, constraint_type, column_names, definition, \
             ref_schema, ref_table, ref_columns)",
        )
        .await?;
    let names = "SELECT string_agg(conname, ',' ORDER BY conname) FROM __pintail.pg.pg_constraint";
    assert_eq!(worker.sql(names).await?.value(), "t_a_fkey,t_b_fkey,t_pkey");
    worker
        .sql("SET VARIABLE pintail_schemas = ['sales']::VARCHAR[]")
        .await?;
    assert_eq!(worker.sql(names).await?.value(), "t_a_fkey,t_pkey");
    for relation in [
        "pg.pg_constraint",
        "info.table_constraints",
        "info.referential_constraints",
        "info.constraint_column_usage",
        "info.key_column_usage",
    ] {
        let sql = format!("SELECT count(*) FILTER (r::VARCHAR ~ '.*(hr|pay|t_b_fkey).*') FROM __pintail.{relation} r");
        assert_eq!(worker.sql(&sql).await?.value(), "0", "{relation}");
    }
    Ok(())
}

#[tokio::test]
async fn several_catalogs_are_attached_and_a_session_starts_in_one() -> Result<()> {
    let postgres = Postgres::start()?;
    let (data, directory) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let mut catalogs = lake(&postgres, "dl_acme__lake", data.path())?;
    catalogs.push(file(directory.path(), FileAccess::ReadWrite));
    catalogs.push(CatalogSpec {
        name: "Scratch Space".into(),
        source: CatalogSource::Memory,
    });
    let worker = start(catalogs, &[]).await?;
    worker.open().await?;
    assert_eq!(worker.sql("SELECT current_database()").await?.value(), "lake");
    worker.sql("CREATE TABLE t AS SELECT 1 AS i").await?;
    worker.sql("CREATE TABLE file.main.t AS SELECT 2 AS i").await?;
    worker
        .sql("CREATE TABLE \"Scratch Space\".main.t AS SELECT 3 AS i")
        .await?;
    let sum =
        "SELECT (SELECT i FROM lake.main.t) + (SELECT i FROM file.main.t) + (SELECT i FROM \"Scratch Space\".main.t)";
    assert_eq!(worker.sql(sum).await?.value(), "6");
    worker.client.close_session().await?;
    let opening = |catalog: &str| OpenSession {
        catalog: catalog.into(),
        ..OpenSession::default()
    };
    worker.client.open_session(&opening("file")).await?;
    assert_eq!(worker.sql("SELECT i FROM t").await?.value(), "2");
    worker.client.close_session().await?;
    let error = worker
        .client
        .open_session(&opening("other"))
        .await
        .expect_err("no such");
    assert_eq!(error.to_report().sqlstate.as_str(), "3D000");
    Ok(())
}

#[tokio::test]
async fn a_session_neither_makes_nor_migrates_a_lake() -> Result<()> {
    let postgres = Postgres::start()?;
    let data = tempfile::tempdir()?;
    let catalogs = lake(&postgres, "dl_acme__lake", data.path())?;
    let session = start(existing(catalogs.clone()), &[]).await?;
    let report = not_opened(&session).await;
    assert_eq!(report.sqlstate.as_str(), "55000", "{report}");
    assert!(report.message.contains("not provisioned"), "{report}");
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'dl_acme__lake'";
    assert_eq!(postgres.sql(tables)?, "0");
    let provisioning = start(catalogs, &[]).await?;
    provisioning.open().await?;
    session.open().await?;
    postgres.sql("UPDATE dl_acme__lake.ducklake_metadata SET value = '0.3' WHERE key = 'version'")?;
    let older = start(existing(lake_again(&session)), &[]).await?;
    let report = not_opened(&older).await;
    assert_eq!(report.sqlstate.as_str(), "55000", "{report}");
    assert!(report.message.contains("another version"), "{report}");
    let version = "SELECT value FROM dl_acme__lake.ducklake_metadata WHERE key = 'version'";
    assert_eq!(postgres.sql(version)?, "0.3");
    Ok(())
}

fn lake_again(worker: &TestWorker) -> Vec<CatalogSpec> {
    worker.bootstrap.catalogs.clone()
}

/// The control of the controls: a lake that is attached without its schema must not work.
#[tokio::test]
async fn without_its_metadata_schema_a_lake_cannot_be_attached() -> Result<()> {
    let postgres = Postgres::start()?;
    let data = tempfile::tempdir()?;
    let catalogs = lake(&postgres, "dl_acme__lake", data.path())?;
    let environment = [("PINTAIL_TEST_WITHOUT_METADATA_SCHEMA", "1")];
    for catalogs in [catalogs.clone(), existing(catalogs)] {
        let worker = start(catalogs, &environment).await?;
        let report = not_opened(&worker).await;
        assert!(["42501", "55000"].contains(&report.sqlstate.as_str()), "{report}");
    }
    let count = "SELECT count(*) FROM pg_tables WHERE tablename LIKE 'ducklake%'";
    assert_eq!(postgres.sql(count)?, "0", "no lake was made anywhere");
    Ok(())
}

#[tokio::test]
async fn a_wrong_password_is_told_without_the_password() -> Result<()> {
    let postgres = Postgres::start()?;
    let data = tempfile::tempdir()?;
    let catalogs = lake(&postgres, "dl_acme__lake", data.path())?;
    postgres.sql("ALTER ROLE dl_acme__lake PASSWORD 'another'")?;
    let report = not_opened(&start(catalogs, &[]).await?).await;
    assert_eq!(report.sqlstate.as_str(), "28000", "{report}");
    assert!(!format!("{report:?}").contains("pw-dl_acme__lake"), "{report:?}");
    Ok(())
}
