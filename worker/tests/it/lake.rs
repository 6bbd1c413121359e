//! A `DuckLake` over a real `PostgreSQL`.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use pintail_worker_api::bootstrap::{Bootstrap, CatalogSource, CatalogSpec, DataLocation, KernelWall, LakeOpening};

use crate::harness::TestWorker;
use crate::postgres::Postgres;

/// One catalog that is a lake, with its role provisioned.
pub(crate) fn lake(postgres: &Postgres, schema: &str, data: &Path) -> Result<Vec<CatalogSpec>> {
    let metadata = postgres.provision(schema)?;
    let data = DataLocation::Local {
        path: format!("{}/", data.display()),
    };
    let source = CatalogSource::DuckLake {
        metadata,
        metadata_schema: schema.to_owned(),
        data,
        opening: LakeOpening::Provision,
    };
    Ok(vec![CatalogSpec {
        name: "lake".into(),
        source,
    }])
}

#[tokio::test]
async fn a_lake_is_read_and_written_behind_all_walls() -> Result<()> {
    let postgres = Postgres::start()?;
    let data = tempfile::tempdir()?;
    let catalogs = lake(&postgres, "dl_acme__lake", data.path())?;
    let change = |bootstrap: &mut Bootstrap| {
        bootstrap.catalogs = catalogs;
        bootstrap.kernel_wall = KernelWall::Require;
    };
    let worker = TestWorker::start_with(change, &[]).await?;
    assert_eq!(worker.kernel_wall, "up");
    worker.open().await?;
    worker.sql("CREATE TABLE t (i INTEGER, v VARCHAR)").await?;
    worker
        .sql("INSERT INTO t SELECT i, 'v' || i FROM range(100000) r(i)")
        .await?;
    assert_eq!(
        worker
            .sql("SELECT count(*), max(v) FROM t WHERE i < 50000")
            .await?
            .value(),
        "50000"
    );
    assert_eq!(worker.sql("UPDATE t SET v = 'x' WHERE i < 10").await?.trailer.count, 10);
    while !worker.client.status().await?.standby_ready {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let began = Instant::now();
    worker.client.close_session().await?;
    worker.open().await?;
    assert!(
        began.elapsed() < Duration::from_millis(500),
        "closed and opened in {:?}",
        began.elapsed()
    );
    assert_eq!(
        worker
            .sql("SELECT count(*) FROM lake.main.t WHERE v = 'x'")
            .await?
            .value(),
        "10"
    );
    let secrets = worker
        .sql("SELECT path FROM duckdb_databases() WHERE database_name = 'lake'")
        .await?;
    assert!(!secrets.value().contains("pw-"), "{}", secrets.value());
    Ok(())
}

#[tokio::test]
async fn other_ports_are_stopped_by_the_kernel() -> Result<()> {
    let postgres = Postgres::start()?;
    let data = tempfile::tempdir()?;
    let catalogs = lake(&postgres, "dl_acme__lake", data.path())?;
    let worker = TestWorker::start_with(|bootstrap| bootstrap.catalogs = catalogs, &[]).await?;
    worker.open().await?;
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let dsn = format!(
        "host=127.0.0.1 port={} dbname=x user=x connect_timeout=2",
        listener.local_addr()?.port()
    );
    let report = worker
        .fails(&format!("SELECT * FROM postgres_scan('{dsn}', 'public', 't')"))
        .await;
    assert_eq!(worker.kernel_wall, "up");
    let nobody_came = matches!(listener.accept(), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock);
    assert!(nobody_came, "{report}");
    Ok(())
}

#[tokio::test]
async fn another_tenants_metadata_is_stopped_by_postgresql() -> Result<()> {
    let postgres = Postgres::start()?;
    let data = tempfile::tempdir()?;
    let other = tempfile::tempdir()?;
    let theirs = TestWorker::start_with(
        |b| b.catalogs = lake(&postgres, "dl_b__lake", other.path()).expect("a lake"),
        &[],
    )
    .await?;
    theirs.open().await?;
    theirs.sql("CREATE TABLE secret (i INTEGER)").await?;
    let ours = TestWorker::start_with(
        |b| b.catalogs = lake(&postgres, "dl_a__lake", data.path()).expect("a lake"),
        &[],
    )
    .await?;
    ours.open().await?;
    for sql in [
        "SELECT * FROM postgres_query('__ducklake_metadata_lake', 'SELECT * FROM dl_b__lake.ducklake_table')",
        "SELECT * FROM __ducklake_metadata_lake.dl_b__lake.ducklake_table",
    ] {
        let report = ours.fails(sql).await;
        assert!(
            ["42501", "42P01", "58030"].contains(&report.sqlstate.as_str()),
            "{sql}: {report}"
        );
    }
    let socket = postgres.socket_directory();
    let dsn = format!("host={} dbname=postgres user=postgres", socket.display());
    assert!(
        ours.sql(&format!(
            "SELECT * FROM postgres_scan('{dsn}', 'pg_catalog', 'pg_authid')"
        ))
        .await
        .is_err()
    );
    Ok(())
}

#[tokio::test]
async fn many_writers_all_commit() -> Result<()> {
    const WRITERS: usize = 6;
    const INSERTS: usize = 40;
    let postgres = Postgres::start()?;
    let data = tempfile::tempdir()?;
    let catalogs = lake(&postgres, "dl_acme__lake", data.path())?;
    let mut workers = Vec::new();
    for _ in 0..WRITERS {
        let catalogs = catalogs.clone();
        let worker = TestWorker::start_with(|bootstrap| bootstrap.catalogs = catalogs, &[]).await?;
        worker.open().await?;
        workers.push(worker);
    }
    workers[0].sql("CREATE TABLE t (writer INTEGER, i INTEGER)").await?;
    let began = Instant::now();
    let writes = workers.iter().enumerate().map(|(writer, worker)| async move {
        for i in 0..INSERTS {
            worker.sql(&format!("INSERT INTO t VALUES ({writer}, {i})")).await?;
        }
        anyhow::Ok(())
    });
    for outcome in futures::future::join_all(writes).await {
        outcome?;
    }
    assert!(began.elapsed() < Duration::from_mins(2), "{:?}", began.elapsed());
    assert_eq!(
        workers[1].sql("SELECT count(*) FROM t").await?.value(),
        (WRITERS * INSERTS).to_string()
    );
    Ok(())
}
