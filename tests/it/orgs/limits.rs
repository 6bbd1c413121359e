//! Shares of organisations and users.

use std::time::Duration;

use pintail_tests::operator::{Client, told, value};
use pintail_tests::{Installation, Options, eventually};

fn detail(error: &tokio_postgres::Error) -> String {
    error
        .as_db_error()
        .and_then(|error| error.detail())
        .unwrap_or_default()
        .to_owned()
}

#[tokio::test]
async fn limits_are_told_by_name() {
    let options = Options {
        settings: vec![
            ("PINTAIL_WORKER_QUEUE_TIMEOUT", "2s".to_owned()),
            ("PINTAIL_WORKERS_MAX", "8".to_owned()),
        ],
    };
    let installation = Installation::start_with(options).expect("start");
    installation.org("acme", &["ann", "bob"], &["lake"]).expect("acme");
    let (ann, bob) = (Client::of("acme", "ann"), Client::of("acme", "bob"));

    installation
        .cli(&["org", "set", "acme", "--limit", "connections=2"])
        .expect("limit");
    let (one, _two) = (
        installation.connect_as(&ann).await.expect("1"),
        installation.connect_as(&bob).await.expect("2"),
    );
    let error = installation.connect_as(&ann).await.err().expect("3");
    assert_eq!(
        told(&error),
        ("53300".into(), "too many connections for organization \"acme\"".into())
    );
    drop(one);
    installation
        .cli(&[
            "org",
            "set",
            "acme",
            "--limit",
            "connections=",
            "--limit",
            "workers=1",
            "--limit",
            "queue=1",
        ])
        .expect("limit");
    installation
        .cli(&["user", "set", "acme", "ann", "--limit", "connections=1"])
        .expect("limit");
    // The place of the closed connection is free once the server has noticed.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let holder = installation.connect_as(&ann).await.expect("connect");
    let error = installation.connect_as(&ann).await.err().expect("a second of ann");
    assert_eq!(
        told(&error),
        ("53300".into(), "too many connections for role \"ann\"".into())
    );

    // A session that holds nothing would give its worker to the next.
    holder
        .batch_execute("CREATE TEMP TABLE held (i int)")
        .await
        .expect("held");
    let (first, second) = (
        installation.connect_as(&bob).await.expect("connect"),
        installation.connect_as(&bob).await.expect("connect"),
    );
    let (a, b) = futures::join!(first.simple_query("SELECT 1"), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        second.simple_query("SELECT 1").await
    });
    let (waited, full) = (a.expect_err("no worker"), b.expect_err("no place in the queue"));
    assert_eq!((told(&waited).0.as_str(), told(&full).0.as_str()), ("53300", "53300"));
    assert!(
        detail(&waited).contains("the limit \"workers\" of organization \"acme\" is 1"),
        "{}",
        detail(&waited)
    );
    assert!(
        detail(&full).contains("the limit \"queue\" of organization \"acme\" is 1"),
        "{}",
        detail(&full)
    );
    // Others are not held up, and the refused sessions go on once there is a worker.
    let local = installation.connect().await.expect("connect");
    assert_eq!(value(&local, "SELECT 1").await, "1");
    drop(holder);
    assert_eq!(value(&first, "SELECT 1").await, "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn statements_have_a_longest_time_and_a_greatest_number() {
    let installation = Installation::start().expect("start");
    installation.org("acme", &["ann", "bob"], &["lake"]).expect("acme");
    installation
        .cli(&[
            "org",
            "set",
            "acme",
            "--limit",
            "statements=1",
            "--limit",
            "memory=256MiB",
            "--limit",
            "threads=1",
        ])
        .expect("limit");
    installation
        .cli(&["user", "set", "acme", "bob", "--limit", "statement_timeout=300ms"])
        .expect("limit");
    let ann = installation
        .connect_as(&Client::of("acme", "ann"))
        .await
        .expect("connect");
    let bob = installation
        .connect_as(&Client::of("acme", "bob"))
        .await
        .expect("connect");
    assert_eq!(
        value(&ann, "SELECT value FROM duckdb_settings() WHERE name = 'threads'").await,
        "1"
    );
    let long = "SELECT count(*) FROM range(100000000000) a(i)";
    let error = bob
        .simple_query(&format!("SET statement_timeout = 0; {long}"))
        .await
        .expect_err("too long");
    assert_eq!(told(&error).0, "57014");
    let running = ann.cancel_token();
    let running_long = tokio::spawn(async move { ann.simple_query(long).await });
    // Only once it runs is the other one's turn to be refused, and not the other way round.
    let runs = || {
        let sessions = installation.cli(&["session", "list"]).ok()?;
        sessions.to_string().contains("\"active\"").then_some(())
    };
    eventually("the statement runs", Duration::from_mins(1), runs).expect("active");
    let error = bob.simple_query("SELECT 1").await.expect_err("refused");
    assert_eq!(told(&error).0, "53400");
    assert!(detail(&error).contains("The limit \"statements\" of organization \"acme\" is 1."));
    running
        .cancel_query(installation.tls().expect("tls"))
        .await
        .expect("cancel");
    let result = running_long.await.expect("joined");
    assert_eq!(told(&result.expect_err("cancelled")).0, "57014");
    assert_eq!(value(&bob, "SELECT 1").await, "1");
}
