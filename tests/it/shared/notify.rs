//! LISTEN, NOTIFY, UNLISTEN.

use pintail_tests::operator::{Client, state, value};
use pintail_tests::raw::{Raw, bind, execute, parse};

use super::{listener, next, pid, server, session};

fn olga() -> Client {
    Client::of("acme", "olga")
}

#[tokio::test]
async fn a_notification_reaches_idle_listeners_of_its_organisation_at_the_commit() {
    let sender = session("acme", "wim").await;
    let (client, mut notifications) = listener(server(), &olga()).await;
    let (other, mut others) = listener(server(), &Client::of("globex", "gus")).await;
    for listening in [&client, &other] {
        listening.batch_execute("LISTEN news").await.expect("listen");
    }
    let quiet = "BEGIN; NOTIFY news, 'undone'; ROLLBACK; BEGIN; NOTIFY news, 'failed'";
    sender.batch_execute(quiet).await.expect("quiet");
    assert!(sender.batch_execute("SELECT nothing").await.is_err());
    let texts = "ROLLBACK; NOTIFY elsewhere, 'no'; BEGIN; NOTIFY news, 'one'; NOTIFY news, 'two'; NOTIFY news, 'one'; \
                 SELECT pg_notify('news', 'three'), pg_notify('ne' || 'ws', 'two'); COMMIT; NOTIFY news";
    sender.batch_execute(texts).await.expect("notified");
    for payload in ["one", "two", "three", ""] {
        assert_eq!(next(&mut notifications).await, ("news".to_owned(), payload.to_owned()));
    }
    // What came to the other organisation comes first.
    other.batch_execute("NOTIFY news, 'own'").await.expect("notified");
    assert_eq!(next(&mut others).await.1, "own");
}

#[tokio::test]
async fn a_transaction_hears_after_its_end_and_listens_from_its_commit() {
    let sender = session("acme", "wim").await;
    let (client, mut notifications) = listener(server(), &olga()).await;
    client.batch_execute("BEGIN; LISTEN later").await.expect("begin");
    sender.batch_execute("NOTIFY later, 'early'").await.expect("notified");
    client
        .batch_execute("NOTIFY later, 'own'; COMMIT")
        .await
        .expect("commit");
    assert_eq!(next(&mut notifications).await.1, "own");
    client.batch_execute("BEGIN").await.expect("begin");
    sender.batch_execute("NOTIFY later, 'inside'").await.expect("notified");
    assert_eq!(value(&client, "SELECT 1").await, "1");
    assert!(notifications.try_recv().is_err(), "in a transaction");
    client.batch_execute("COMMIT").await.expect("commit");
    assert_eq!(next(&mut notifications).await.1, "inside");
    client
        .batch_execute("BEGIN; LISTEN undone; UNLISTEN later; ROLLBACK")
        .await
        .expect("undone");
    let channels = "SELECT string_agg(c, ',') FROM pg_listening_channels() AS c";
    assert_eq!(value(&client, channels).await, "later");
    assert_eq!(value(&client, "SELECT pg_listening_channels()").await, "later");
    sender
        .batch_execute("NOTIFY undone, 'no'; NOTIFY later, 'yes'")
        .await
        .expect("notified");
    assert_eq!(next(&mut notifications).await.1, "yes");
    client
        .batch_execute("LISTEN more; UNLISTEN *; LISTEN last; UNLISTEN nothing")
        .await
        .expect("unlisten");
    assert_eq!(value(&client, channels).await, "last");
    client.batch_execute("DISCARD ALL").await.expect("discarded");
    assert_eq!(value(&client, channels).await, "NULL");
}

#[tokio::test]
async fn a_savepoint_undoes_what_was_taken_down_since() {
    let (client, mut notifications) = listener(server(), &olga()).await;
    client
        .batch_execute(
            "LISTEN saved; BEGIN; NOTIFY saved, 'before'; SAVEPOINT s; NOTIFY saved, 'since'; LISTEN other; ROLLBACK TO s; \
             NOTIFY saved, 'after'; COMMIT",
        )
        .await
        .expect("committed");
    assert_eq!(next(&mut notifications).await.1, "before");
    assert_eq!(next(&mut notifications).await.1, "after");
    assert_eq!(
        value(&client, "SELECT count(*) FROM pg_listening_channels()").await,
        "1"
    );
}

#[tokio::test]
async fn limits_are_those_of_postgresql() {
    let client = session("acme", "olga").await;
    for (sql, wanted) in [
        ("SELECT pg_notify('', 'x')", "22023"),
        ("SELECT pg_notify(NULL, 'x')", "22023"),
        ("SELECT pg_notify(repeat('n', 64), 'x')", "22023"),
        ("SELECT pg_notify('n', repeat('x', 8000))", "22023"),
    ] {
        assert_eq!(state(&client, sql).await, wanted, "{sql}");
    }
    assert_eq!(value(&client, "SELECT pg_notify('n', repeat('x', 7999))").await, "");
    assert_eq!(value(&client, "SELECT pg_notify('n', NULL)").await, "");
    let flood = "SELECT count(pg_notify('n', i::text || repeat('x', 7000))) FROM generate_series(1, 10000) AS g(i)";
    assert_eq!(state(&client, flood).await, "54000");
    client.batch_execute("BEGIN").await.expect("begin");
    assert!(client.batch_execute("SELECT nothing").await.is_err());
    for sql in ["LISTEN a", "NOTIFY a", "UNLISTEN *"] {
        assert_eq!(state(&client, sql).await, "25P02", "{sql}");
    }
}

#[tokio::test]
async fn messages_come_in_postgresqls_order() {
    let mut raw = Raw::session(server()).expect("session");
    assert_eq!(raw.query("LISTEN mine").expect("listen"), "C:LISTEN Z:I");
    assert_eq!(raw.query("NOTIFY mine").expect("notify"), "C:NOTIFY A Z:I");
    assert_eq!(
        raw.query("NOTIFY mine; SELECT 1; NOTIFY mine, 'x'").expect("several"),
        "C:NOTIFY T:1 D C:SELECT 1 C:NOTIFY A A Z:I"
    );
    let batch = [
        parse("", "NOTIFY mine"),
        bind("", "", &[], &[]),
        execute("", 0),
        parse("", "SELECT pg_notify('mine', 'y')"),
        bind("", "", &[], &[1]),
        execute("", 0),
    ];
    assert_eq!(
        raw.batch(&batch).expect("batch"),
        "1 2 C:NOTIFY 1 2 D C:SELECT 1 A A Z:I"
    );
    let failed = [
        parse("", "NOTIFY mine"),
        bind("", "", &[], &[]),
        execute("", 0),
        parse("", "nonsense"),
    ];
    assert_eq!(
        raw.batch(&failed).expect("batch"),
        "1 2 C:NOTIFY E:42601 Z:I",
        "nothing was committed"
    );
    assert_eq!(
        raw.query("UNLISTEN mine; NOTIFY mine").expect("unlisten"),
        "C:UNLISTEN C:NOTIFY Z:I"
    );
}

#[tokio::test]
async fn a_listener_keeps_listening_without_a_worker() {
    let (client, mut notifications) = listener(server(), &olga()).await;
    client.batch_execute("LISTEN resting").await.expect("listen");
    let worker = format!("SELECT pid FROM pg_stat_activity WHERE pid = {}", pid(&client).await);
    assert_ne!(value(&client, &worker).await, "no row");
    let sender = session("acme", "wim").await;
    for payload in ["a", "b"] {
        sender
            .batch_execute(&format!("NOTIFY resting, '{payload}'"))
            .await
            .expect("notified");
        assert_eq!(next(&mut notifications).await.1, payload);
    }
}
