//! What is taken away is gone at an open session's next statement.

use std::time::Duration;

use pintail_tests::operator::{Client, state, told, value};
use pintail_tests::{Installation, eventually};

#[tokio::test]
async fn what_is_taken_away_ends_open_sessions_at_their_next_statement() {
    let installation = Installation::start().expect("start");
    installation.org("acme", &["ann"], &["lake", "sales"]).expect("acme");
    let changes: &[(&str, &[&str], bool)] = &[
        ("disabled", &["user", "set", "acme", "ann", "--disable"], false),
        ("enabled again", &["user", "set", "acme", "ann", "--enable"], true),
        ("other role", &["user", "set", "acme", "ann", "--role", "reader"], true),
        ("scope", &["user", "set", "acme", "ann", "--schema", "public"], true),
        (
            "wider scope",
            &["user", "set", "acme", "ann", "--all-schemas", "--role", "owner"],
            true,
        ),
        ("catalog", &["user", "set", "acme", "ann", "--catalog", "sales"], false),
        ("catalog back", &["user", "set", "acme", "ann", "--all-catalogs"], true),
        ("organisation", &["org", "set", "acme", "--disable"], false),
        ("organisation back", &["org", "set", "acme", "--enable"], true),
        ("password", &["user", "password", "acme", "ann"], false),
    ];
    for (what, command, may_enter) in changes {
        let before = installation.connect_as(&Client::of("acme", "ann")).await.ok();
        if let Some(session) = &before {
            assert_eq!(value(session, "SELECT 1").await, "1", "{what}");
        }
        installation.cli(command).expect(what);
        if let Some(session) = &before {
            assert_eq!(state(session, "SELECT 1").await, "57P01", "{what}");
            assert!(
                session.simple_query("SELECT 1").await.is_err(),
                "{what}: the session goes on"
            );
        }
        let after = installation.connect_as(&Client::of("acme", "ann")).await;
        assert_eq!(
            after.is_ok(),
            *may_enter,
            "{what}: {:?}",
            after.err().map(|error| told(&error))
        );
    }
}

#[tokio::test]
async fn a_change_that_takes_nothing_away_leaves_sessions_alone() {
    let installation = Installation::start().expect("start");
    installation.org("acme", &["ann"], &["lake"]).expect("acme");
    let session = installation
        .connect_as(&Client::of("acme", "ann"))
        .await
        .expect("connect");
    session
        .batch_execute("CREATE TEMP TABLE kept (i int)")
        .await
        .expect("table");
    installation.org("other", &["bob"], &["lake"]).expect("other");
    installation
        .cli(&["org", "set", "acme", "--limit", "workers=3"])
        .expect("limit");
    assert_eq!(value(&session, "SELECT count(*) FROM kept").await, "0");
}

#[tokio::test]
async fn a_deleted_user_and_a_deleted_catalog_end_sessions() {
    let installation = Installation::start().expect("start");
    installation
        .org("acme", &["ann", "bob"], &["lake", "sales"])
        .expect("acme");
    let ann = installation
        .connect_as(&Client::of("acme", "ann"))
        .await
        .expect("connect");
    let bob = installation
        .connect_as(&Client::of("acme", "bob").catalog("sales"))
        .await
        .expect("connect");
    assert_eq!(value(&bob, "SELECT 1").await, "1");
    installation.cli(&["user", "delete", "acme", "ann"]).expect("delete");
    assert_eq!(state(&ann, "SELECT 1").await, "57P01");
    installation
        .cli(&["catalog", "delete", "acme", "sales"])
        .expect("delete");
    assert_eq!(state(&bob, "SELECT 1").await, "57P01");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_cancels_and_ends_sessions() {
    let installation = Installation::start().expect("start");
    let session = installation.connect().await.expect("connect");
    let pid = value(&session, "SELECT pg_backend_pid()").await;
    let listed = installation.cli(&["session", "list"]).expect("list").to_string();
    assert!(listed.contains("\"idle\""), "{listed}");
    let long = tokio::spawn(async move {
        let result = session
            .simple_query("SELECT count(*) FROM range(100000000000) a(i)")
            .await;
        (session, result)
    });
    let started = || {
        let sessions = installation.cli(&["session", "list"]).ok()?;
        sessions.to_string().contains("\"active\"").then_some(())
    };
    eventually("the statement runs", Duration::from_secs(20), started).expect("active");
    installation.cli(&["session", "cancel", &pid]).expect("cancel");
    let (session, result) = long.await.expect("joined");
    assert_eq!(told(&result.expect_err("cancelled")).0, "57014");
    installation.cli(&["session", "end", &pid]).expect("end");
    let ended = || session.is_closed().then_some(());
    eventually("the session ends", Duration::from_secs(10), ended).expect("closed");
    let complaint = installation.cli_fails(&["session", "end", &pid]).expect("gone");
    assert!(complaint.contains("no session"), "{complaint}");
}
