//! Every type there and back, in binary by the driver and in text by the simple protocol.

use std::time::SystemTime;

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use pintail_tests::Installation;
use tokio_postgres::SimpleQueryMessage;
use tokio_postgres::types::Type;
use uuid::Uuid;

#[tokio::test]
async fn parameters_of_every_type_come_back_the_same() {
    let installation = Installation::start().expect("start");
    let client = installation.connect().await.expect("connect");
    client
        .batch_execute(
            "CREATE TABLE typed (b bool, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, t text, y bytea, d date, tm time, \
             ts timestamp, tz timestamptz, u uuid, ia int4[], ta text[])",
        )
        .await
        .expect("create");
    let insert = client
        .prepare("INSERT INTO typed VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15)")
        .await
        .expect("prepare");
    assert_eq!(insert.params()[7], Type::BYTEA);
    assert_eq!(insert.params()[11], Type::TIMESTAMPTZ);
    assert_eq!(insert.params()[13], Type::INT4_ARRAY);
    let date = NaiveDate::from_ymd_opt(2024, 2, 29).expect("date");
    let time = NaiveTime::from_hms_micro_opt(23, 59, 59, 999_999).expect("time");
    let stamp = NaiveDateTime::new(date, time);
    let zoned: DateTime<Utc> = stamp.and_utc();
    let id = Uuid::from_u128(0x0011_2233_4455_6677_8899_aabb_ccdd_eeff);
    let bytes: Vec<u8> = (0..=255).collect();
    let (numbers, texts) = (
        vec![Some(1i32), None, Some(-3)],
        vec![Some("a,\"b\\".to_owned()), None, Some(String::new())],
    );
    client
        .execute(
            &insert,
            &[
                &true,
                &i16::MIN,
                &i32::MAX,
                &i64::MIN,
                &1.5e-30f32,
                &f64::MAX,
                &"é\t\\",
                &bytes,
                &date,
                &time,
                &stamp,
                &zoned,
                &id,
                &numbers,
                &texts,
            ],
        )
        .await
        .expect("insert");
    let nothing: Vec<Option<i32>> = vec![None; 1];
    let none: Option<&str> = None;
    client
        .execute("INSERT INTO typed (t, ia) VALUES ($1, $2)", &[&none, &nothing])
        .await
        .expect("nulls");
    let row = client
        .query_one("SELECT * FROM typed WHERE b", &[])
        .await
        .expect("select");
    assert!(row.get::<_, bool>(0));
    assert_eq!(
        (row.get::<_, i16>(1), row.get::<_, i32>(2), row.get::<_, i64>(3)),
        (i16::MIN, i32::MAX, i64::MIN)
    );
    assert_eq!(row.get::<_, f32>(4).to_bits(), 1.5e-30f32.to_bits());
    assert_eq!(row.get::<_, f64>(5).to_bits(), f64::MAX.to_bits());
    assert_eq!(row.get::<_, &str>(6), "é\t\\");
    assert_eq!(row.get::<_, Vec<u8>>(7), bytes);
    assert_eq!((row.get::<_, NaiveDate>(8), row.get::<_, NaiveTime>(9)), (date, time));
    assert_eq!(
        (row.get::<_, NaiveDateTime>(10), row.get::<_, DateTime<Utc>>(11)),
        (stamp, zoned)
    );
    assert_eq!(row.get::<_, Uuid>(12), id);
    assert_eq!(row.get::<_, Vec<Option<i32>>>(13), numbers);
    assert_eq!(row.get::<_, Vec<Option<String>>>(14), texts);
}

#[tokio::test]
async fn text_output_is_postgresqls() {
    let installation = Installation::start().expect("start");
    let client = installation.connect().await.expect("connect");
    for (expression, wanted) in [
        ("true", "t"),
        ("1234567::float8", "1234567"),
        ("1e20::float8", "1e+20"),
        ("'NaN'::float8", "NaN"),
        ("'-Infinity'::float8", "-Infinity"),
        ("1.50::numeric(10,2)", "1.50"),
        (
            "170141183460469231731687303715884105727::hugeint",
            "170141183460469231731687303715884105727",
        ),
        ("'\\x00ff'::bytea", "\\x00ff"),
        ("date '0044-03-15 (BC)'", "0044-03-15 BC"),
        ("date 'infinity'", "infinity"),
        ("timestamp '2024-01-02 03:04:05.100'", "2024-01-02 03:04:05.1"),
        ("time '01:02:03'", "01:02:03"),
        (
            "interval '1 year 2 months 3 days 4 hours'",
            "1 year 2 mons 3 days 04:00:00",
        ),
        ("ARRAY['a', NULL, 'b c']", "{a,NULL,\"b c\"}"),
        ("ARRAY[]::int[]", "{}"),
        ("'{\"a\": 1}'::json", "{\"a\": 1}"),
    ] {
        let sql = format!("SELECT {expression}");
        let messages = client
            .simple_query(&sql)
            .await
            .unwrap_or_else(|error| panic!("{sql}: {error:?}"));
        let value = messages.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        });
        assert_eq!(value.as_deref(), Some(wanted), "{sql}");
    }
}

#[tokio::test]
async fn described_types_are_postgresqls() {
    let installation = Installation::start().expect("start");
    let client = installation.connect().await.expect("connect");
    for (expression, wanted) in [
        ("1", Type::INT4),
        ("1::int8", Type::INT8),
        ("1.5", Type::NUMERIC),
        ("'x'", Type::TEXT),
        ("now()", Type::TIMESTAMPTZ),
        ("current_date", Type::DATE),
        ("ARRAY[1,2]", Type::INT4_ARRAY),
        ("count(*)", Type::INT8),
        ("$1::uuid", Type::UUID),
        ("'a'::name", Type::NAME),
    ] {
        let statement = client.prepare(&format!("SELECT {expression}")).await.expect(expression);
        assert_eq!(*statement.columns()[0].type_(), wanted, "{expression}");
    }
    let later = SystemTime::now();
    let row = client
        .query_one("SELECT $1::timestamptz > now()", &[&later])
        .await
        .expect("compare");
    assert!(!row.get::<_, bool>(0));
}

#[tokio::test]
async fn literals_without_a_type_are_read_as_postgresql_reads_them() {
    let installation = Installation::start().expect("start");
    let client = installation.connect().await.expect("connect");
    client
        .batch_execute(
            "CREATE TABLE literal (i int, b bytea, f bool); INSERT INTO literal VALUES (1, '\\x00ff', 'on'); \
             INSERT INTO literal SELECT 2, '\\x00ff', 'no' FROM generate_series(1, 1); \
             INSERT INTO literal VALUES (3, '\\x006666', 'yes'); UPDATE literal SET b = '\\xdead' WHERE i = 1",
        )
        .await
        .expect("fill");
    for (query, expected) in [
        ("SELECT b FROM literal WHERE i = 2", "\\x00ff"),
        ("SELECT i FROM literal WHERE b = '\\xdead'", "1"),
        ("SELECT i FROM literal WHERE '\\x006666' = b", "3"),
        ("SELECT i FROM literal WHERE b IN ('\\x00ff', '\\x01')", "2"),
        (
            "SELECT CASE WHEN true THEN '\\x00ff' ELSE b END FROM literal WHERE i = 1",
            "\\x00ff",
        ),
        ("SELECT i FROM literal WHERE f ORDER BY i DESC LIMIT 1", "3"),
        ("INSERT INTO literal SELECT 5, '\\x00ff' , 'off' RETURNING b", "\\x00ff"),
    ] {
        let answer = client.simple_query(query).await.expect(query);
        let value = answer.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        assert_eq!(value, Some(expected), "{query}");
    }
}

#[tokio::test]
async fn a_columns_table_and_number_are_those_of_the_catalogs() {
    let installation = Installation::start().expect("start");
    let client = installation.connect().await.expect("connect");
    client
        .batch_execute("CREATE TABLE numbered (a int, b text); CREATE TEMP TABLE numbered_too (c date)")
        .await
        .expect("create");
    for table in ["numbered", "numbered_too", "pg_class", "information_schema.tables"] {
        let statement = client
            .prepare(&format!("SELECT * FROM {table}"))
            .await
            .expect("prepare");
        let listed = format!(
            "SELECT attname::text, attrelid, attnum FROM pg_attribute WHERE attrelid = '{table}'::regclass AND attnum > 0 \
             ORDER BY attnum"
        );
        let listed = client.query(&listed, &[]).await.expect("pg_attribute");
        let listed: Vec<(String, Option<u32>, Option<i16>)> = listed
            .iter()
            .map(|row| (row.get(0), Some(row.get(1)), Some(row.get(2))))
            .collect();
        let described = statement
            .columns()
            .iter()
            .map(|column| (column.name().to_owned(), column.table_oid(), column.column_id()));
        assert_eq!(described.collect::<Vec<_>>(), listed, "{table}");
    }
}
