//! Results: what we send is what the server sends for the same value.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Int32Type, TimestampMicrosecondType};
use arrow_array::{Array as _, RecordBatch};
use arrow_schema::Schema;
use pintail_pgtypes::{ColumnSpec, Format, RenderSettings, RowEncoder, pg_type};

use crate::columns::{self, Column};
use crate::server::{Raw, Server};

/// The column's values as we send them.
pub(crate) fn encode(column: &Column, format: Format, settings: &RenderSettings) -> Vec<Vec<u8>> {
    let schema = Arc::new(Schema::new(vec![column.field.clone()]));
    let batch = RecordBatch::try_new(schema, vec![column.array.clone()]).expect("a batch");
    let pg = pg_type(&column.field, Some(column.sql));
    let specs = [ColumnSpec {
        field: Arc::new(column.field.clone()),
        pg,
    }];
    let mut encoder = RowEncoder::new(&specs, &[format], settings).expect("a known type");
    (0..batch.num_rows())
        .map(|row| {
            let mut out = Vec::new();
            encoder.encode(&batch, row..row + 1, &mut out).expect("encodable");
            out.split_off(11)
        })
        .collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[tokio::test]
async fn text_and_binary_are_the_servers() {
    let server = Server::start();
    let client = server.connect().await;
    client.batch_execute("SET TimeZone = 'UTC'").await.expect("a setting");
    for column in columns::all() {
        let statement = format!("SELECT $1::text::{0}, $1::text::{0}::text", column.sql);
        let statement = client.prepare(&statement).await.expect("a known type");
        let settings = RenderSettings::default();
        let texts = encode(&column, Format::Text, &settings);
        let binaries = encode(&column, Format::Binary, &settings);
        for (ours, binary) in texts.iter().map(|bytes| text(bytes)).zip(binaries) {
            let row = client.query_one(&statement, &[&ours]).await;
            let row = row.unwrap_or_else(|error| panic!("{}: {ours:?}: {error:?}", column.sql));
            let expected: String = row.get(1);
            if column.sql == "bool" {
                assert!(expected.starts_with(&ours));
            } else {
                assert_eq!(ours, expected, "text of {}", column.sql);
            }
            let Raw(expected) = row.get(0);
            assert_eq!(binary, expected, "binary of {} {ours:?}", column.sql);
        }
    }
}

#[tokio::test]
async fn records_are_the_servers() {
    let server = Server::start();
    let client = server.connect().await;
    let column = columns::records();
    let members = column.array.as_struct();
    let (numbers, words) = (
        members.column(0).as_primitive::<Int32Type>(),
        members.column(1).as_string::<i32>(),
    );
    let instants = members.column(2).as_primitive::<TimestampMicrosecondType>();
    let query = "SELECT r, r::text FROM (SELECT ROW($1::int4, $2::text, 'epoch'::timestamp + $3::int8 * interval '1 us') AS r) AS s";
    let statement = client.prepare(query).await.expect("a valid query");
    let texts = encode(&column, Format::Text, &RenderSettings::default());
    let binaries = encode(&column, Format::Binary, &RenderSettings::default());
    for (row, (ours, binary)) in texts.iter().zip(binaries).enumerate() {
        let number = numbers.is_valid(row).then(|| numbers.value(row));
        let word = words.is_valid(row).then(|| words.value(row));
        let answer = client
            .query_one(&statement, &[&number, &word, &instants.value(row)])
            .await
            .expect("a record");
        let (Raw(expected_binary), expected): (Raw, String) = (answer.get(0), answer.get(1));
        assert_eq!(text(ours), expected);
        assert_eq!(binary, expected_binary, "{expected}");
    }
}

/// Compares our text with the server's for values that it got in binary, under some settings.
async fn compare_styles(columns: &[Column], styles: &[[&str; 5]]) {
    let server = Server::start();
    let client = server.connect().await;
    for [date_style, interval_style, zone, bytea, digits] in styles {
        let set = format!(
            "SET DateStyle = '{date_style}'; SET IntervalStyle = '{interval_style}'; SET TimeZone = '{zone}'; \
             SET bytea_output = '{bytea}'; SET extra_float_digits = {digits}"
        );
        client.batch_execute(&set).await.expect("settings");
        let digits = digits.parse().expect("a number");
        let settings = RenderSettings::parse(date_style, interval_style, zone, bytea, digits).expect("settings");
        for column in columns {
            let statement = client
                .prepare(&format!("SELECT $1::{}::text", column.sql))
                .await
                .expect("a known type");
            let binaries = encode(column, Format::Binary, &RenderSettings::default());
            for (ours, binary) in encode(column, Format::Text, &settings).into_iter().zip(binaries) {
                let row = client
                    .query_one(&statement, &[&Raw(binary)])
                    .await
                    .expect("a valid value");
                let expected: String = row.get(0);
                assert_eq!(
                    text(&ours),
                    expected,
                    "{} with {date_style}, {interval_style}, {zone}, {digits}",
                    column.sql
                );
            }
        }
    }
}

#[tokio::test]
async fn every_style_and_zone_is_the_servers() {
    let columns = [
        columns::dates(),
        columns::timestamps(),
        columns::timestamps_tz(),
        columns::intervals(),
    ];
    let styles = [
        ["ISO, MDY", "postgres", "America/New_York", "hex", "1"],
        ["ISO, DMY", "postgres_verbose", "Europe/Berlin", "hex", "1"],
        ["SQL, MDY", "sql_standard", "Asia/Kolkata", "hex", "1"],
        ["SQL, DMY", "iso_8601", "Australia/Lord_Howe", "hex", "1"],
        ["Postgres, MDY", "postgres", "America/Sao_Paulo", "hex", "1"],
        ["Postgres, DMY", "postgres", "Asia/Tehran", "hex", "1"],
        ["German, DMY", "postgres", "-05:30", "hex", "1"],
        ["German, YMD", "postgres", "5.5", "hex", "1"],
        ["SQL, YMD", "postgres", "<+02>-02", "hex", "1"],
        ["ISO, MDY", "postgres", "FOO+3", "hex", "1"],
        ["ISO, MDY", "postgres", "-7", "hex", "1"],
    ];
    compare_styles(&columns, &styles).await;
}

#[tokio::test]
async fn rounded_floats_and_escaped_bytes_are_the_servers() {
    let wanted = |column: &Column| matches!(column.sql, "float4" | "float8" | "bytea" | "float8[]");
    let columns: Vec<Column> = columns::all().into_iter().filter(wanted).collect();
    let styles = ["1", "0", "-3", "-15"].map(|digits| ["ISO, MDY", "postgres", "UTC", "escape", digits]);
    compare_styles(&columns, &styles).await;
}
