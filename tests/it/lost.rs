//! Workers that are lost at every point of a statement: never two rows, never a false success.

use std::time::Duration;

use pintail_tests::{Installation, Options, eventually};
use rustix::process::{Pid, Signal, kill_process};
use tokio_postgres::Client;

/// An installation whose workers die at that place of marked statements.
fn dying(place: &str) -> Installation {
    let settings = vec![("PINTAIL_TEST_DIES", place.to_owned())];
    Installation::start_with(Options { settings }).expect("start")
}

fn code(error: &tokio_postgres::Error) -> String {
    error
        .code()
        .map_or_else(|| "closed".to_owned(), |code| code.code().to_owned())
}

async fn count(installation: &Installation) -> i64 {
    let client = installation.connect().await.expect("connect");
    let row = client.query_one("SELECT count(*) FROM t", &[]).await.expect("count");
    row.get(0)
}

async fn with_table(installation: &Installation) -> Client {
    let client = installation.connect().await.expect("connect");
    client.batch_execute("CREATE TABLE t (i int)").await.expect("create");
    client
}

fn kill_workers(installation: &Installation) {
    for pid in installation.workers() {
        let _ = kill_process(Pid::from_raw(pid).expect("a pid"), Signal::KILL);
    }
}

#[tokio::test]
async fn a_worker_that_is_lost_before_a_statement_is_replaced() {
    let installation = Installation::start().expect("start");
    let client = with_table(&installation).await;
    let read = client
        .prepare("SELECT count(*) FROM t WHERE i > $1")
        .await
        .expect("prepare");
    for round in 1..=2i64 {
        kill_workers(&installation);
        assert_eq!(
            client.execute("INSERT INTO t VALUES (1)", &[]).await.expect("insert"),
            1
        );
        kill_workers(&installation);
        let row = client.query_one(&read, &[&0]).await.expect("a prepared read");
        assert_eq!(row.get::<_, i64>(0), round);
    }
    client
        .batch_execute("CREATE TEMP TABLE kept (i int)")
        .await
        .expect("state");
    kill_workers(&installation);
    let error = client.batch_execute("SELECT 1").await.expect_err("its state is lost");
    assert_eq!(code(&error), "08006");
    assert!(client.batch_execute("SELECT 1").await.is_err(), "the session ended");
}

#[tokio::test]
async fn a_write_whose_worker_is_lost_is_not_sent_twice() {
    for (place, rows) in [("request:INSERT", 0), ("done:INSERT", 1)] {
        let installation = dying(place);
        let client = with_table(&installation).await;
        let insert = "INSERT /* dies */ INTO t VALUES (1)";
        let error = client.batch_execute(insert).await.expect_err(place);
        assert_eq!(code(&error), "08006", "{place}");
        client
            .batch_execute("SELECT 1")
            .await
            .expect("the session lost nothing else");
        assert_eq!(count(&installation).await, rows, "{place}");
    }
}

#[tokio::test]
async fn a_read_whose_workers_are_lost_is_tried_twice_and_no_more() {
    let installation = dying("request:SELECT");
    let client = installation.connect().await.expect("connect");
    let error = client
        .batch_execute("SELECT /* dies */ 1 AS one")
        .await
        .expect_err("lost twice");
    assert_eq!(code(&error), "08006");
    assert_eq!(
        installation
            .log()
            .matches("a statement is tried on another worker")
            .count(),
        1
    );
    client
        .batch_execute("SELECT 1")
        .await
        .expect("the session lost nothing");
}

#[tokio::test]
async fn a_commit_whose_worker_is_lost_is_no_success() {
    for (place, rows) in [("request:COMMIT", 0), ("done:COMMIT", 1)] {
        let installation = dying(place);
        let client = with_table(&installation).await;
        client
            .batch_execute("BEGIN; INSERT /* dies */ INTO t VALUES (1)")
            .await
            .expect("insert");
        let error = client.batch_execute("COMMIT").await.expect_err(place);
        assert_eq!(code(&error), "08006", "{place}");
        assert_eq!(count(&installation).await, rows, "{place}");
    }
}

#[tokio::test]
async fn a_worker_that_is_lost_while_it_writes_stores_nothing() {
    let installation = Installation::start().expect("start");
    let client = with_table(&installation).await;
    let running = tokio::spawn(async move {
        let insert = "INSERT INTO t SELECT i::int FROM range(2000000000) AS r(i)";
        client.batch_execute(insert).await
    });
    let data = installation.data_dir().to_owned();
    let writes = move || parquet_below(&data).then_some(());
    tokio::task::spawn_blocking(move || eventually("rows are written", Duration::from_mins(1), writes))
        .await
        .expect("joined")
        .expect("written");
    kill_workers(&installation);
    let error = running.await.expect("joined").expect_err("lost");
    assert_eq!(code(&error), "08006");
    assert_eq!(count(&installation).await, 0);
}

fn parquet_below(directory: &std::path::Path) -> bool {
    std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .any(|entry| {
            let path = entry.path();
            path.is_dir() && parquet_below(&path) || path.extension().is_some_and(|end| end == "parquet")
        })
}
