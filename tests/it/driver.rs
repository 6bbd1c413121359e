//! What `tokio-postgres` does with the protocol: binary COPY, rows in a stream, portals, pipelines, cancel.

use std::pin::pin;
use std::sync::OnceLock;

use chrono::{DateTime, NaiveDate, Utc};
use futures::{SinkExt as _, TryStreamExt as _};
use pintail_tests::Installation;
use tokio_postgres::Client;
use tokio_postgres::binary_copy::{BinaryCopyInWriter, BinaryCopyOutStream};
use tokio_postgres::types::{ToSql, Type};

fn server() -> &'static Installation {
    static SERVER: OnceLock<Installation> = OnceLock::new();
    SERVER.get_or_init(|| Installation::start().expect("start"))
}

async fn session() -> Client {
    server().connect().await.expect("connect")
}

async fn one<T: for<'a> tokio_postgres::types::FromSql<'a>>(client: &Client, sql: &str) -> T {
    client.query_one(sql, &[]).await.expect("a row").get(0)
}

/// A row of every kind of column, by number; some values are NULL.
type Kinds = (
    i32,
    Option<i64>,
    Option<f64>,
    Option<String>,
    Option<bool>,
    Option<DateTime<Utc>>,
    Option<NaiveDate>,
    Option<Vec<u8>>,
    Option<uuid::Uuid>,
    Option<Vec<Option<i32>>>,
);

fn kinds(number: i32) -> Kinds {
    let is_there = number % 3 != 0;
    let text = ["", "zwölf", "tab\tand\nline", "\\N"];
    (
        number,
        is_there.then_some(i64::from(number) << 33),
        is_there.then_some(f64::from(number) / 7.0),
        is_there.then(|| text[number.unsigned_abs() as usize % text.len()].to_owned()),
        is_there.then_some(number % 2 == 0),
        is_there.then(|| DateTime::from_timestamp_micros(1_700_000_000_123_456 + i64::from(number)).expect("a time")),
        is_there.then(|| NaiveDate::from_num_days_from_ce_opt(730_000 + number).expect("a day")),
        is_there.then(|| vec![0, b'\n', b'\\', 255, number.to_le_bytes()[0]]),
        is_there.then(|| uuid::Uuid::from_u128(u128::from(number.unsigned_abs()) << 64)),
        is_there.then(|| vec![Some(number), None, Some(-number)]),
    )
}

const TYPES: [Type; 10] = [
    Type::INT4,
    Type::INT8,
    Type::FLOAT8,
    Type::TEXT,
    Type::BOOL,
    Type::TIMESTAMPTZ,
    Type::DATE,
    Type::BYTEA,
    Type::UUID,
    Type::INT4_ARRAY,
];

#[tokio::test]
async fn binary_copy_goes_in_and_out_again() {
    const ROWS: i32 = 5000;
    let client = session().await;
    client
        .batch_execute(
            "CREATE TABLE kinds (i int, b bigint, d double precision, t text, o boolean, z timestamptz, y date, x bytea, u uuid, a int[])",
        )
        .await
        .expect("create");
    let sink = client
        .copy_in("COPY kinds FROM STDIN (FORMAT binary)")
        .await
        .expect("copy in");
    let mut writer = pin!(BinaryCopyInWriter::new(sink, &TYPES));
    for number in 0..ROWS {
        let row = kinds(number);
        let values: [&(dyn ToSql + Sync); 10] = [
            &row.0, &row.1, &row.2, &row.3, &row.4, &row.5, &row.6, &row.7, &row.8, &row.9,
        ];
        writer.as_mut().write(&values).await.expect("written");
    }
    assert_eq!(writer.finish().await.expect("stored"), u64::from(ROWS.unsigned_abs()));

    let stream = client
        .copy_out("COPY (SELECT * FROM kinds ORDER BY i) TO STDOUT (FORMAT binary)")
        .await
        .expect("copy out");
    let mut rows = pin!(BinaryCopyOutStream::new(stream, &TYPES));
    let mut number = 0;
    while let Some(row) = rows.try_next().await.expect("a row") {
        let read: Kinds = (
            row.get(0),
            row.get(1),
            row.get(2),
            row.get(3),
            row.get(4),
            row.get(5),
            row.get(6),
            row.get(7),
            row.get(8),
            row.get(9),
        );
        assert_eq!(read, kinds(number));
        number += 1;
    }
    assert_eq!(number, ROWS);
    // The engine sees what was sent, not bytes that happen to come back.
    let counted = "SELECT count(*) FROM kinds WHERE b = i::bigint << 33 AND a[1] = i AND length(x) = 5 AND extract(year FROM z) = 2023";
    assert_eq!(one::<i64>(&client, counted).await, i64::from(ROWS - (ROWS + 2) / 3));
}

#[tokio::test]
async fn a_binary_copy_that_is_given_up_stores_nothing() {
    let client = session().await;
    client
        .batch_execute("CREATE TABLE given_up (i int)")
        .await
        .expect("create");
    let sink = client
        .copy_in("COPY given_up FROM STDIN (FORMAT binary)")
        .await
        .expect("copy in");
    let mut writer = Box::pin(BinaryCopyInWriter::new(sink, &[Type::INT4]));
    for number in 0..100 {
        writer.as_mut().write(&[&number]).await.expect("written");
    }
    drop(writer);
    assert_eq!(one::<i64>(&client, "SELECT count(*) FROM given_up").await, 0);
    let mut sink = pin!(
        client
            .copy_in::<_, &[u8]>("COPY given_up FROM STDIN (FORMAT binary)")
            .await
            .expect("copy in")
    );
    sink.send(b"no signature at all").await.expect("sent");
    let error = sink.as_mut().finish().await.expect_err("no binary COPY");
    assert_eq!(error.code().expect("of the server").code(), "22P04");
    assert_eq!(one::<i64>(&client, "SELECT count(*) FROM given_up").await, 0);
}

#[tokio::test]
async fn rows_come_in_a_stream_that_may_be_left() {
    let client = session().await;
    let statement = client
        .prepare("SELECT i, 'row ' || i FROM generate_series(1::bigint, $1::bigint) AS g(i)")
        .await
        .expect("prepare");
    let mut rows = Box::pin(client.query_raw(&statement, [100_000_i64]).await.expect("rows"));
    let mut count = 0;
    while let Some(row) = rows.try_next().await.expect("a row") {
        count += 1;
        assert_eq!(row.get::<_, String>(1), format!("row {}", row.get::<_, i64>(0)));
    }
    assert_eq!((count, rows.rows_affected()), (100_000, Some(100_000)));
    let mut rows = Box::pin(client.query_raw(&statement, [10_000_000_i64]).await.expect("rows"));
    assert!(rows.try_next().await.expect("a row").is_some());
    let cancel = client.cancel_token();
    drop(rows);
    cancel.cancel_query(server().tls().expect("TLS")).await.expect("cancel");
    assert_eq!(one::<i32>(&client, "SELECT 7").await, 7);
}

#[tokio::test]
async fn a_portal_is_read_in_pieces() {
    let mut client = session().await;
    let transaction = client.transaction().await.expect("begin");
    let portal = transaction
        .bind("SELECT i FROM generate_series(1, 25) AS g(i)", &[])
        .await
        .expect("bind");
    let mut sizes = Vec::new();
    let mut seen = Vec::new();
    loop {
        let rows = transaction.query_portal(&portal, 10).await.expect("rows");
        sizes.push(rows.len());
        if rows.is_empty() {
            break;
        }
        seen.extend(rows.iter().map(|row| row.get::<_, i32>(0)));
        if rows.len() < 10 {
            break;
        }
    }
    assert_eq!(sizes, [10, 10, 5]);
    assert_eq!(seen, (1..=25).collect::<Vec<_>>());
    transaction.commit().await.expect("commit");
}

#[tokio::test]
async fn futures_that_are_polled_together_are_a_pipeline() {
    let client = session().await;
    client
        .batch_execute("CREATE TEMP TABLE piped (i int)")
        .await
        .expect("create");
    let insert = client.prepare("INSERT INTO piped VALUES ($1)").await.expect("prepare");
    let numbers: Vec<i32> = (0..200).collect();
    let inserts = numbers.iter().map(|number| client.execute_raw(&insert, [number]));
    let done = futures::future::try_join_all(inserts).await.expect("inserted");
    assert!(done.iter().all(|count| *count == 1) && done.len() == 200);
    let (sum, failed, count) = futures::join!(
        client.query_one("SELECT sum(i) FROM piped", &[]),
        client.query_one("SELECT 1 / (i - i) FROM piped", &[]),
        client.query_one("SELECT count(*) FROM piped", &[]),
    );
    assert_eq!(sum.expect("a sum").get::<_, i64>(0), 19_900);
    assert_eq!(
        failed.expect_err("division").code().expect("of the server").code(),
        "22012"
    );
    assert_eq!(count.expect("a count").get::<_, i64>(0), 200);
}

#[tokio::test]
async fn parameters_find_their_types() {
    let client = session().await;
    client
        .batch_execute(
            "CREATE TEMP TABLE typed (id int, t text); INSERT INTO typed VALUES (1, 'a'), (2, 'b'), (3, 'c')",
        )
        .await
        .expect("create");
    let any = client
        .prepare("SELECT t FROM typed WHERE id = ANY($1) ORDER BY id")
        .await
        .expect("prepare");
    assert_eq!(any.params(), [Type::INT4_ARRAY]);
    let rows = client.query(&any, &[&vec![1, 3]]).await.expect("rows");
    assert_eq!(
        rows.iter().map(|row| row.get::<_, String>(0)).collect::<Vec<_>>(),
        ["a", "c"]
    );
    let all = client
        .prepare("SELECT count(*) FROM typed WHERE t <> ALL($1)")
        .await
        .expect("prepare");
    assert_eq!(all.params(), [Type::TEXT_ARRAY]);
    assert_eq!(
        client
            .query_one(&all, &[&vec!["a", "b"]])
            .await
            .expect("a row")
            .get::<_, i64>(0),
        1
    );
    let series = client
        .prepare("SELECT count(*) FROM generate_series(1, $1)")
        .await
        .expect("prepare");
    assert_eq!(series.params(), [Type::INT4]);
    assert_eq!(
        client.query_one(&series, &[&4]).await.expect("a row").get::<_, i64>(0),
        4
    );
    let length = client.prepare("SELECT length($1)").await.expect("prepare");
    assert_eq!(length.params(), [Type::TEXT]);
    assert_eq!(
        client
            .query_one(&length, &[&"zwölf"])
            .await
            .expect("a row")
            .get::<_, i32>(0),
        5
    );
}
