//! tokio-postgres, the client of Rust's programs: binary COPY, streams, portals, cancelling, pipelines, notifications.

use std::error::Error as StdError;
use std::pin::pin;
use std::sync::OnceLock;
use std::time::Duration;

use bytes::{BufMut as _, BytesMut};
use chrono::{DateTime, NaiveDate, Utc};
use futures::{SinkExt as _, StreamExt as _, TryStreamExt as _};
use pintail_tests::Installation;
use tokio_postgres::binary_copy::{BinaryCopyInWriter, BinaryCopyOutStream};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, accepts, to_sql_checked};
use tokio_postgres::{AsyncMessage, Client, SimpleQueryMessage};
use uuid::Uuid;

const PATIENCE: Duration = Duration::from_secs(30);
const COLUMNS: [Type; 10] = [
    Type::INT4,
    Type::INT8,
    Type::FLOAT8,
    Type::BOOL,
    Type::TEXT,
    Type::TIMESTAMPTZ,
    Type::BYTEA,
    Type::NUMERIC,
    Type::UUID,
    Type::INT4_ARRAY,
];

fn server() -> &'static Installation {
    static SERVER: OnceLock<Installation> = OnceLock::new();
    SERVER.get_or_init(|| Installation::start().expect("start"))
}

/// A numeric as the wire has it: weight, sign, scale, and digits to the base of 10 000.
#[derive(Debug, Clone, PartialEq)]
struct Numeric {
    weight: i16,
    sign: i16,
    scale: i16,
    digits: Vec<i16>,
}

impl ToSql for Numeric {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        out.put_i16(i16::try_from(self.digits.len())?);
        for part in [self.weight, self.sign, self.scale].iter().chain(&self.digits) {
            out.put_i16(*part);
        }
        Ok(IsNull::No)
    }

    accepts!(NUMERIC);
    to_sql_checked!();
}

impl<'a> FromSql<'a> for Numeric {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        let parts: Vec<i16> = raw
            .chunks_exact(2)
            .map(|part| i16::from_be_bytes([part[0], part[1]]))
            .collect();
        match parts.as_slice() {
            [count, weight, sign, scale, digits @ ..] if usize::try_from(*count)? == digits.len() => Ok(Self {
                weight: *weight,
                sign: *sign,
                scale: *scale,
                digits: digits.to_vec(),
            }),
            _ => Err("a malformed numeric".into()),
        }
    }

    accepts!(NUMERIC);
}

/// The `n`-th row's values; every third row is NULL but for its number.
struct Row {
    number: i32,
    at: DateTime<Utc>,
    bytes: Vec<u8>,
    numeric: Numeric,
    array: Vec<Option<i32>>,
}

impl Row {
    fn new(number: i32) -> Self {
        let at = NaiveDate::from_ymd_opt(2024, 2, 29)
            .expect("date")
            .and_hms_micro_opt(23, 59, 59, 999_999);
        Self {
            number,
            at: at.expect("time").and_utc() + chrono::Duration::seconds(number.into()),
            bytes: (0..=255).collect(),
            // 12.3450 and -0.5000.
            numeric: if number % 2 == 0 {
                Numeric {
                    weight: 0,
                    sign: 0,
                    scale: 4,
                    digits: vec![12, 3450],
                }
            } else {
                Numeric {
                    weight: -1,
                    sign: 0x4000,
                    scale: 4,
                    digits: vec![5000],
                }
            },
            array: vec![Some(number), None, Some(-1)],
        }
    }

    fn is_null(&self) -> bool {
        self.number % 3 == 0
    }

    fn text(&self) -> String {
        format!("zwölf\t\\{}\n", self.number)
    }
}

#[tokio::test]
async fn binary_copies_go_in_and_come_out_the_same() {
    let client = server().connect().await.expect("connect");
    let create = "CREATE TABLE rust_copy (i int4, b int8, f float8, o bool, t text, at timestamptz, y bytea, n numeric(12, 4), u uuid, a int4[])";
    client.batch_execute(create).await.expect("create");
    let sink = client
        .copy_in("COPY rust_copy FROM STDIN (FORMAT binary)")
        .await
        .expect("copy");
    let mut writer = pin!(BinaryCopyInWriter::new(sink, &COLUMNS));
    for number in 0..3000 {
        let row = Row::new(number);
        let written = if row.is_null() {
            let nothing = None::<i32>;
            writer
                .as_mut()
                .write(&[
                    &number,
                    &None::<i64>,
                    &None::<f64>,
                    &None::<bool>,
                    &None::<&str>,
                    &None::<DateTime<Utc>>,
                    &None::<&[u8]>,
                    &None::<Numeric>,
                    &None::<Uuid>,
                    &nothing.map(|_| Vec::<Option<i32>>::new()),
                ])
                .await
        } else {
            let (big, float, yes, id) = (i64::MIN, 1.5e300, true, Uuid::from_u128(7));
            let values: [&(dyn ToSql + Sync); 10] = [
                &number,
                &big,
                &float,
                &yes,
                &row.text(),
                &row.at,
                &row.bytes,
                &row.numeric,
                &id,
                &row.array,
            ];
            writer.as_mut().write(&values).await
        };
        written.expect("write");
    }
    assert_eq!(writer.finish().await.expect("finish"), 3000);

    let stream = client
        .copy_out("COPY (SELECT * FROM rust_copy ORDER BY i) TO STDOUT (FORMAT binary)")
        .await;
    let rows: Vec<_> = BinaryCopyOutStream::new(stream.expect("copy"), &COLUMNS)
        .try_collect()
        .await
        .expect("rows");
    assert_eq!(rows.len(), 3000);
    for (number, found) in (0..).zip(&rows) {
        let row = Row::new(number);
        let full = !row.is_null();
        assert_eq!(found.get::<i32>(0), number);
        assert_eq!(found.get::<Option<i64>>(1), full.then_some(i64::MIN));
        assert_eq!(found.get::<Option<f64>>(2), full.then_some(1.5e300));
        assert_eq!(found.get::<Option<bool>>(3), full.then_some(true));
        assert_eq!(found.get::<Option<String>>(4), full.then(|| row.text()));
        assert_eq!(found.get::<Option<DateTime<Utc>>>(5), full.then_some(row.at));
        assert_eq!(found.get::<Option<Vec<u8>>>(6), full.then_some(row.bytes));
        assert_eq!(found.get::<Option<Numeric>>(7), full.then_some(row.numeric));
        assert_eq!(found.get::<Option<Uuid>>(8), full.then_some(Uuid::from_u128(7)));
        assert_eq!(found.get::<Option<Vec<Option<i32>>>>(9), full.then_some(row.array));
    }

    // A writer that is dropped without its end has copied nothing.
    let sink = client
        .copy_in("COPY rust_copy (i) FROM STDIN (FORMAT binary)")
        .await
        .expect("copy");
    {
        let mut writer = pin!(BinaryCopyInWriter::new(sink, &[Type::INT4]));
        writer.as_mut().write(&[&-1i32]).await.expect("write");
    }
    let left = client
        .query_one("SELECT count(*) FROM rust_copy", &[])
        .await
        .expect("count");
    assert_eq!(left.get::<_, i64>(0), 3000);
}

#[tokio::test]
async fn a_stream_dropped_in_the_middle_leaves_the_connection_usable() {
    let client = server().connect().await.expect("connect");
    let sql = "SELECT i::int4, repeat('x', 100) FROM generate_series(1, $1::int4) AS g(i)";
    let all = client.query_raw(sql, [100_000i32]).await.expect("query");
    let counted = all.try_fold(0i32, |seen, row| async move {
        assert_eq!(row.get::<_, i32>(0), seen + 1);
        Ok(seen + 1)
    });
    assert_eq!(counted.await.expect("rows"), 100_000);
    let mut some = Box::pin(client.query_raw(sql, [200_000i32]).await.expect("query"));
    for number in 1..=10 {
        let row = some.try_next().await.expect("a row").expect("not the end");
        assert_eq!(row.get::<_, i32>(0), number);
    }
    drop(some);
    let next = client.query_one("SELECT 42", &[]).await.expect("usable");
    assert_eq!(next.get::<_, i32>(0), 42);
}

#[tokio::test]
async fn portals_give_their_rows_in_parts() {
    let mut client = server().connect().await.expect("connect");
    let transaction = client.transaction().await.expect("begin");
    let sql = "SELECT i::int4 FROM generate_series(1, $1::int4) AS g(i)";
    let (first, second) = (
        transaction.bind(sql, &[&25i32]).await.expect("bind"),
        transaction.bind(sql, &[&3i32]).await.expect("bind"),
    );
    let mut seen = Vec::new();
    for rows in [10, 10, 5, 0] {
        let part = transaction.query_portal(&first, 10).await.expect("rows");
        assert_eq!(part.len(), rows);
        seen.extend(part.iter().map(|row| row.get::<_, i32>(0)));
        if seen.len() == 10 {
            let other = transaction.query_portal(&second, 2).await.expect("another portal");
            assert_eq!(other.len(), 2);
        }
    }
    assert_eq!(seen, (1..=25).collect::<Vec<_>>());
    assert_eq!(transaction.query_portal(&second, 0).await.expect("the rest").len(), 1);
    transaction.commit().await.expect("commit");
}

#[tokio::test]
async fn a_cancel_token_ends_what_runs_and_no_more() {
    let client = server().connect().await.expect("connect");
    let token = client.cancel_token();
    let sql = "SELECT i, repeat('x', 1000) FROM generate_series(1, 10000000) AS g(i)";
    let mut rows = Box::pin(client.query_raw(sql, std::iter::empty::<i32>()).await.expect("query"));
    rows.try_next().await.expect("a row").expect("not the end");
    token.cancel_query(server().tls().expect("tls")).await.expect("cancel");
    let error = loop {
        match rows.try_next().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("it came to its end"),
            Err(error) => break error,
        }
    };
    assert_eq!(error.code(), Some(&SqlState::QUERY_CANCELED));
    token
        .cancel_query(server().tls().expect("tls"))
        .await
        .expect("a late cancel");
    let next = client
        .query_one("SELECT sum(i) FROM generate_series(1, 1000) AS g(i)", &[])
        .await;
    assert_eq!(next.expect("not cancelled").get::<_, i64>(0), 500_500);
}

#[tokio::test]
async fn pipelined_statements_are_answered_each_with_its_own() {
    let client = server().connect().await.expect("connect");
    let statement = client.prepare("SELECT $1::int4 * 2").await.expect("prepare");
    let numbers: Vec<i32> = (0..500).collect();
    let doubled = numbers.iter().map(|number| {
        let (client, statement) = (&client, &statement);
        async move {
            client
                .query_one(statement, &[number])
                .await
                .map(|row| row.get::<_, i32>(0))
        }
    });
    let doubled = futures::future::try_join_all(doubled).await.expect("answers");
    assert_eq!(doubled, numbers.iter().map(|number| number * 2).collect::<Vec<_>>());
    let (before, wrong, after) = tokio::join!(
        client.query_one(&statement, &[&1i32]),
        client.query_one("SELECT 1 / $1::int4", &[&0i32]),
        client.query_one(&statement, &[&2i32]),
    );
    assert_eq!(before.expect("before").get::<_, i32>(0), 2);
    assert_eq!(wrong.expect_err("an error").code(), Some(&SqlState::DIVISION_BY_ZERO));
    assert_eq!(after.expect("after").get::<_, i32>(0), 4);
}

#[tokio::test]
async fn simple_queries_bring_every_result() {
    let client = server().connect().await.expect("connect");
    let sql = "CREATE TEMP TABLE rust_simple (i int); INSERT INTO rust_simple VALUES (1), (NULL); SELECT i FROM rust_simple ORDER BY i";
    let messages = client.simple_query(sql).await.expect("answers");
    let said: Vec<String> = messages
        .iter()
        .map(|message| match message {
            SimpleQueryMessage::Row(row) => format!("row {}", row.get(0).unwrap_or("NULL")),
            SimpleQueryMessage::CommandComplete(rows) => format!("done {rows}"),
            SimpleQueryMessage::RowDescription(columns) => format!("columns {}", columns[0].name()),
            _ => "something else".to_owned(),
        })
        .collect();
    assert_eq!(said, ["done 0", "done 2", "columns i", "row 1", "row NULL", "done 2"]);
}

#[tokio::test]
async fn notifications_and_notices_come_through_the_connection() {
    let (client, mut connection) = server()
        .config()
        .connect(server().tls().expect("tls"))
        .await
        .expect("connect");
    let (sender, mut heard) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut messages = futures::stream::poll_fn(move |context| connection.poll_message(context));
        while let Some(Ok(message)) = messages.next().await {
            let _ = sender.send(message);
        }
    });
    client.batch_execute("LISTEN rust_news").await.expect("listen");
    let speaker = server().connect().await.expect("connect");
    let pid = speaker.query_one("SELECT pg_backend_pid()", &[]).await.expect("pid");
    speaker
        .batch_execute("NOTIFY rust_other, 'no'; NOTIFY rust_news, 'it''s here'")
        .await
        .expect("notify");
    let message = tokio::time::timeout(PATIENCE, heard.recv()).await.expect("in time");
    match message {
        Some(AsyncMessage::Notification(news)) => {
            assert_eq!((news.channel(), news.payload()), ("rust_news", "it's here"));
            assert_eq!(news.process_id(), pid.get::<_, i32>(0));
        }
        other => panic!("{other:?}"),
    }
    client.batch_execute("BEGIN; BEGIN; ROLLBACK").await.expect("a warning");
    match tokio::time::timeout(PATIENCE, heard.recv()).await.expect("in time") {
        Some(AsyncMessage::Notice(notice)) => assert_eq!(*notice.code(), SqlState::ACTIVE_SQL_TRANSACTION),
        other => panic!("{other:?}"),
    }
}

async fn given_up(client: &Client) -> i64 {
    client
        .query_one("SELECT count(*) FROM given_up", &[])
        .await
        .expect("a row")
        .get(0)
}

#[tokio::test]
async fn a_binary_copy_that_is_given_up_stores_nothing() {
    let client = server().connect().await.expect("connect");
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
    assert_eq!(given_up(&client).await, 0);
    let mut sink = pin!(
        client
            .copy_in::<_, &[u8]>("COPY given_up FROM STDIN (FORMAT binary)")
            .await
            .expect("copy in")
    );
    sink.send(b"no signature at all").await.expect("sent");
    let error = sink.as_mut().finish().await.expect_err("no binary COPY");
    assert_eq!(error.code().expect("of the server").code(), "22P04");
    assert_eq!(given_up(&client).await, 0);
}

#[tokio::test]
async fn parameters_find_their_types() {
    let client = server().connect().await.expect("connect");
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
