//! The two protocols through a real driver: formats, transactions, portals, errors, cancel.

use std::time::{Duration, Instant};

use futures::{StreamExt, TryStreamExt, pin_mut};
use pintail_tests::Installation;
use pintail_tests::raw::{Raw, message, text};
use tokio_postgres::error::SqlState;
use tokio_postgres::{IsolationLevel, SimpleQueryMessage};

/// One server for the tests of this file that leave nothing behind.
async fn session() -> (&'static Installation, tokio_postgres::Client) {
    static SERVER: std::sync::OnceLock<Installation> = std::sync::OnceLock::new();
    let installation = SERVER.get_or_init(|| {
        let settings = vec![("PINTAIL_WORKERS_MAX", "16".to_owned())];
        Installation::start_with(pintail_tests::Options { settings }).expect("start")
    });
    (installation, installation.connect().await.expect("connect"))
}

fn code(error: &tokio_postgres::Error) -> &str {
    error.code().map_or("", SqlState::code)
}

#[tokio::test]
async fn a_query_of_several_statements_is_one_transaction() {
    let (_, client) = session().await;
    client
        .batch_execute("CREATE TABLE several (a int)")
        .await
        .expect("create");
    let error = client
        .batch_execute("INSERT INTO several VALUES (1); SELECT 1/0; INSERT INTO several VALUES (2)")
        .await
        .expect_err("division by zero");
    assert_eq!(code(&error), "22012");
    let rows = client.query("SELECT a FROM several", &[]).await.expect("select");
    assert!(rows.is_empty(), "the first insert was undone");
    client.batch_execute("DROP TABLE several").await.expect("drop");
}

#[tokio::test]
async fn a_failed_transaction_refuses_until_it_ends() {
    let (_, mut client) = session().await;
    let transaction = client.transaction().await.expect("begin");
    let error = transaction
        .query("SELECT * FROM nowhere", &[])
        .await
        .expect_err("missing");
    assert_eq!(code(&error), "42P01");
    let error = transaction.query("SELECT 1", &[]).await.expect_err("aborted");
    assert_eq!(code(&error), "25P02");
    transaction.rollback().await.expect("rollback");
    assert_eq!(
        client.query_one("SELECT 1", &[]).await.expect("again").get::<_, i32>(0),
        1
    );
}

#[tokio::test]
async fn commit_of_a_failed_transaction_answers_rollback() {
    let (_, client) = session().await;
    let messages = client.simple_query("BEGIN").await.expect("begin");
    assert!(matches!(messages.last(), Some(SimpleQueryMessage::CommandComplete(_))));
    client.simple_query("SELECT nothing").await.expect_err("column");
    let settings = client.simple_query("COMMIT").await;
    assert!(settings.is_ok(), "COMMIT in a failed transaction is no error");
    assert_eq!(
        client
            .query_one("SELECT 7", &[])
            .await
            .expect("idle again")
            .get::<_, i32>(0),
        7
    );
}

#[tokio::test]
async fn read_only_and_isolation_are_kept() {
    let (_, mut client) = session().await;
    let transaction = client
        .build_transaction()
        .isolation_level(IsolationLevel::RepeatableRead)
        .read_only(true)
        .start()
        .await
        .expect("begin");
    let shown: String = transaction
        .query_one("SHOW transaction_isolation", &[])
        .await
        .expect("show")
        .get(0);
    assert_eq!(shown, "repeatable read");
    let error = transaction
        .execute("CREATE TABLE forbidden (a int)", &[])
        .await
        .expect_err("read only");
    assert_eq!(code(&error), "25006");
    transaction.rollback().await.expect("rollback");
}

#[tokio::test]
async fn a_portal_gives_its_rows_piece_by_piece_and_runs_once() {
    let (_, mut client) = session().await;
    let transaction = client.transaction().await.expect("begin");
    let statement = transaction
        .prepare("SELECT i::int8 FROM range(3000) AS t(i)")
        .await
        .expect("prepare");
    let portal = transaction.bind(&statement, &[]).await.expect("bind");
    let mut seen = Vec::new();
    loop {
        let rows = transaction.query_portal(&portal, 1024).await.expect("piece");
        if rows.is_empty() {
            break;
        }
        seen.extend(rows.iter().map(|row| row.get::<_, i64>(0)));
        // Another statement in between must not disturb the suspended portal.
        let other: i32 = transaction.query_one("SELECT 5", &[]).await.expect("in between").get(0);
        assert_eq!(other, 5);
    }
    assert_eq!(seen, (0..3000).collect::<Vec<i64>>());
    transaction.commit().await.expect("commit");
}

#[tokio::test]
async fn describing_an_insert_inserts_nothing() {
    let (_, client) = session().await;
    client
        .batch_execute("CREATE TABLE described (a int, b text)")
        .await
        .expect("create");
    let statement = client
        .prepare("INSERT INTO described VALUES ($1, $2)")
        .await
        .expect("prepare");
    assert_eq!(statement.params().len(), 2);
    assert_eq!(statement.params()[0], tokio_postgres::types::Type::INT4);
    let count: i64 = client
        .query_one("SELECT count(*) FROM described", &[])
        .await
        .expect("count")
        .get(0);
    assert_eq!(count, 0);
    for _ in 0..7 {
        assert_eq!(client.execute(&statement, &[&1i32, &"x"]).await.expect("insert"), 1);
    }
    let count: i64 = client
        .query_one("SELECT count(*) FROM described", &[])
        .await
        .expect("count")
        .get(0);
    assert_eq!(count, 7);
    client.batch_execute("DROP TABLE described").await.expect("drop");
}

#[tokio::test]
async fn errors_carry_code_message_and_position() {
    let (_, client) = session().await;
    for (sql, wanted, position) in [
        ("SELECT * FROM missing_table", "42P01", Some(15)),
        ("SELECT missing_column", "42703", None),
        ("SELECT no_such_function(1)", "42883", None),
        ("SELEC 1", "42601", Some(1)),
        ("SELECT 'x'::int", "22P02", None),
        ("SELECT 2147483647 + 1::int", "22003", None),
        ("SELECT 1 % 0", "22012", None),
        ("DROP TABLE missing_table", "42P01", None),
    ] {
        let error = client.simple_query(sql).await.expect_err(sql);
        let report = error.as_db_error().unwrap_or_else(|| panic!("{sql}: {error}"));
        assert_eq!(report.code().code(), wanted, "{sql}: {}", report.message());
        assert!(!report.message().is_empty());
        if let Some(wanted) = position {
            let found = report.position().cloned();
            assert_eq!(
                found,
                Some(tokio_postgres::error::ErrorPosition::Original(wanted)),
                "{sql}"
            );
        }
        assert_eq!(
            client
                .query_one("SELECT 1", &[])
                .await
                .expect("goes on")
                .get::<_, i32>(0),
            1
        );
    }
}

#[tokio::test]
async fn a_running_statement_is_cancelled_within_a_second() {
    let (installation, client) = session().await;
    assert!(client.query("SELECT 1", &[]).await.is_ok(), "the worker is there");
    let token = client.cancel_token();
    let tls = installation.tls().expect("tls");
    let started = Instant::now();
    let (result, ()) = tokio::join!(client.query("SELECT count(*) FROM range(1000000000000)", &[]), async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        token.cancel_query(tls).await.expect("cancel");
    });
    let error = result.expect_err("cancelled");
    assert_eq!(code(&error), "57014", "{error}");
    assert!(
        started.elapsed() < Duration::from_millis(1200),
        "{:?}",
        started.elapsed()
    );
    assert_eq!(
        client
            .query_one("SELECT 2", &[])
            .await
            .expect("goes on")
            .get::<_, i32>(0),
        2
    );
}

#[tokio::test]
async fn a_statement_past_its_timeout_is_cancelled() {
    let (_, client) = session().await;
    client
        .batch_execute("SET statement_timeout = '200ms'")
        .await
        .expect("set");
    let error = client
        .query("SELECT count(*) FROM range(1000000000000)", &[])
        .await
        .expect_err("timeout");
    assert_eq!(code(&error), "57014");
    assert!(
        error.to_string().contains("statement timeout")
            || error
                .as_db_error()
                .is_some_and(|e| e.message().contains("statement timeout"))
    );
    client.batch_execute("RESET statement_timeout").await.expect("reset");
    assert!(client.query("SELECT 1", &[]).await.is_ok());
}

#[tokio::test]
async fn a_thousand_pipelined_statements_are_answered_in_order() {
    let (_, client) = session().await;
    let statement = client.prepare("SELECT $1::int4").await.expect("prepare");
    let numbers: Vec<i32> = (0..1000).collect();
    let queries = numbers.iter().map(|number| {
        let (client, statement) = (&client, &statement);
        async move {
            client
                .query_one(statement, &[number])
                .await
                .map(|row| row.get::<_, i32>(0))
        }
    });
    let answers: Vec<i32> = futures::future::try_join_all(queries).await.expect("answers");
    assert_eq!(answers, numbers);
}

#[tokio::test]
async fn rows_stream_before_the_last_is_made() {
    let (_, client) = session().await;
    let rows = client
        .query_raw::<_, i32, _>("SELECT i::int8 FROM range(100000000) AS t(i)", [])
        .await
        .expect("stream");
    pin_mut!(rows);
    let started = Instant::now();
    let first = rows.try_next().await.expect("row").expect("one");
    assert_eq!(first.get::<_, i64>(0), 0);
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    let more: Vec<_> = rows.take(10_000).try_collect().await.expect("rows");
    assert_eq!(more.len(), 10_000);
}

#[tokio::test]
async fn settings_follow_the_transaction() {
    let (_, client) = session().await;
    client
        .batch_execute("BEGIN; SET TimeZone = 'Asia/Tokyo'; ROLLBACK")
        .await
        .expect("batch");
    let shown: String = client.query_one("SHOW TimeZone", &[]).await.expect("show").get(0);
    assert_eq!(shown, "UTC");
    client.batch_execute("SET TimeZone = 'Asia/Tokyo'").await.expect("set");
    let text: Vec<SimpleQueryMessage> = client
        .simple_query("SELECT '2024-01-01 00:00:00+00'::timestamptz")
        .await
        .expect("select");
    let value = text.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    });
    assert_eq!(value.as_deref(), Some("2024-01-01 09:00:00+09"));
    let error = client.batch_execute("SET nonsense = 1").await.expect_err("unknown");
    assert_eq!(code(&error), "42704");
}

#[tokio::test]
async fn prepare_execute_deallocate_by_sql() {
    let (_, client) = session().await;
    client
        .batch_execute("PREPARE twice (int) AS SELECT $1 * 2")
        .await
        .expect("prepare");
    let rows = client.simple_query("EXECUTE twice(21)").await.expect("execute");
    let value = rows.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    });
    assert_eq!(value.as_deref(), Some("42"));
    client.batch_execute("DEALLOCATE twice").await.expect("deallocate");
    let error = client.batch_execute("EXECUTE twice(1)").await.expect_err("gone");
    assert_eq!(code(&error), "26000");
}

/// What has been answered leaves although more is there to be done: the client may act on it first.
#[test]
fn answers_leave_at_the_end_of_a_batch_and_by_flush() {
    let server = Installation::start().expect("start");
    let slow = "SELECT pg_sleep(600)";
    let batch = |sql: &str, end: u8| {
        [
            message(b'P', &[&text("")[..], &text(sql), &[0, 0]].concat()),
            message(b'B', &[0, 0, 0, 0, 0, 0, 0, 0]),
            message(b'E', &[0, 0, 0, 0, 0]),
            message(end, &[]),
        ]
        .concat()
    };
    for (first, answered) in [
        (message(b'Q', &text("SELECT 1")), 4),
        (batch("SELECT 1", b'S'), 5),
        (batch("SELECT 1", b'H'), 4),
    ] {
        let mut session = Raw::session(&server).expect("session");
        let packet = [first, batch(slow, b'S')].concat();
        session.bytes(&packet).expect("send");
        // It comes at all: the statement behind it goes on for ten minutes.
        session.some(answered).expect("answers");
    }
}
