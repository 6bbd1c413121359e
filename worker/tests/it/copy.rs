//! `COPY`, both ways.

use std::time::Duration;

use anyhow::Result;
use bytes::Bytes;
use pintail_sqlstate::{Report, ToReport};
use pintail_worker_api::client::CopyInCall;
use pintail_worker_api::error::CallError;
use pintail_worker_api::messages::{
    CopyForce, CopyFormat, CopyHeader, CopyIn, CopyOptions, CopySetting, CopyWanted, Execute, RowsWanted, Want,
};

use crate::harness::TestWorker;
use crate::lake::lake;
use crate::postgres::Postgres;

fn format(format: CopyFormat) -> CopyOptions {
    CopyOptions {
        format: format.into(),
        ..CopyOptions::default()
    }
}

fn rows() -> RowsWanted {
    RowsWanted {
        extra_float_digits: 1,
        ..RowsWanted::default()
    }
}

fn into(table: &str, options: CopyOptions) -> CopyIn {
    CopyIn {
        table: table.split('.').map(str::to_owned).collect(),
        options: Some(options),
        rows: Some(rows()),
        ..CopyIn::default()
    }
}

/// The payloads of the `CopyData` messages, and the number of rows.
async fn out(worker: &TestWorker, sql: &str, options: CopyOptions) -> Result<(Vec<Vec<u8>>, u64), CallError> {
    let wanted = CopyWanted {
        options: Some(options),
        rows: Some(rows()),
    };
    let execute = Execute {
        sql: sql.into(),
        want: Some(Want::Copy(wanted)),
        ..Execute::default()
    };
    let mut stream = worker.client.execute(&execute).await?;
    let (mut messages, mut count, mut framed) = (Vec::new(), 0, 0);
    while let Some((frame, body)) = stream.next().await? {
        framed += u64::from(frame.rows);
        count = frame.trailer.map_or(count, |trailer| trailer.count);
        let mut rest = body.as_ref();
        while let Some((head, after)) = rest.split_first_chunk::<5>() {
            let [kind, length @ ..] = *head;
            assert_eq!(kind, b'd');
            let (payload, after) = after.split_at(u32::from_be_bytes(length) as usize - 4);
            messages.push(payload.to_vec());
            rest = after;
        }
        assert!(rest.is_empty());
    }
    assert_eq!(framed, count);
    Ok((messages, count))
}

async fn text_out(worker: &TestWorker, sql: &str, options: CopyOptions) -> Result<String> {
    let (messages, _) = out(worker, sql, options).await?;
    Ok(String::from_utf8(messages.concat())?)
}

async fn send(worker: &TestWorker, copy: &CopyIn, data: &[u8]) -> Result<u64, CallError> {
    let mut call = worker.client.copy_in(copy).await?;
    for piece in data.chunks(1000) {
        call.send(Bytes::copy_from_slice(piece)).await?;
    }
    call.finish().await
}

async fn refused(worker: &TestWorker, copy: &CopyIn, data: &[u8]) -> Report {
    send(worker, copy, data).await.expect_err("an error").to_report()
}

const EVERY_KIND: &str = "CREATE TABLE k (b BOOLEAN, i1 TINYINT, u1 UTINYINT, i2 SMALLINT, u2 USMALLINT, i4 INTEGER, \
    u4 UINTEGER, i8 BIGINT, u8 UBIGINT, h HUGEINT, uh UHUGEINT, f4 FLOAT, f8 DOUBLE, n DECIMAL(12, 3), w DECIMAL(38, 10), v VARCHAR, y BLOB, d DATE, \
    t TIME, tz TIMETZ, ts TIMESTAMP, tn TIMESTAMP_NS, tt TIMESTAMPTZ, iv INTERVAL, u UUID, j JSON, bi BIT, e ENUM('x', 'y,z'), l INTEGER[], ll VARCHAR[][], lu UUID[])";
const VALUES: &str = "INSERT INTO k VALUES (true, -128, 255, -32768, 65535, 2147483647, 4294967295, -9223372036854775808, \
    18446744073709551615, -170141183460469231731687303715884105727, 340282366920938463463374607431768211455, 1.5, -1e-300, -12.345, 123456789012345678.0123456789, 'a\tb\\c\"d,e\né', \
    '\\x00\\xFF'::BLOB, '2024-02-29', '23:59:59.5', '10:00:00+05:30', '1999-12-31 23:59:59.123456', '2001-01-01 00:00:00', '2020-01-01 00:00:00+02', \
    INTERVAL '1 month 2 days 3 seconds', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{\"a\": [1, \"x\"]}', '0101'::BIT, 'y,z', [1, NULL, 3], [['a', NULL], ['b,\"c', '']], ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'])";

#[tokio::test]
async fn what_goes_out_comes_back_in_every_format() -> Result<()> {
    let worker = TestWorker::start().await?;
    worker.sql(EVERY_KIND).await?;
    worker.sql(VALUES).await?;
    worker.sql("INSERT INTO k (i4) VALUES (NULL)").await?;
    worker
        .sql("INSERT INTO k (i4, v, l, d, ts, f8) VALUES (7, '\\N', [], 'infinity', '-infinity', 'NaN')")
        .await?;
    worker.sql("INSERT INTO k (i4, v) VALUES (8, ''), (9, '\\.')").await?;
    for kind in [
        CopyFormat::Text,
        CopyFormat::Csv,
        CopyFormat::Binary,
        CopyFormat::Arrow,
        CopyFormat::Parquet,
    ] {
        let (messages, count) = out(&worker, "SELECT * FROM k ORDER BY i4", format(kind)).await?;
        assert_eq!(count, 5);
        worker.sql("CREATE OR REPLACE TABLE back AS FROM k LIMIT 0").await?;
        assert_eq!(send(&worker, &into("back", format(kind)), &messages.concat()).await?, 5);
        let differing = worker
            .sql("SELECT count(*) FROM ((FROM k EXCEPT ALL FROM back) UNION ALL (FROM back EXCEPT ALL FROM k))")
            .await?;
        assert_eq!(differing.value(), "0", "{kind:?}");
    }
    Ok(())
}

#[tokio::test]
async fn rows_leave_as_postgresql_writes_them() -> Result<()> {
    let worker = TestWorker::start().await?;
    let select = "SELECT 1 AS a, 'x\ty\\z' AS b, NULL::INTEGER AS c UNION ALL SELECT 2, '', 3 ORDER BY 1";
    let (messages, count) = out(&worker, select, format(CopyFormat::Text)).await?;
    assert_eq!(count, 2);
    assert_eq!(messages, [b"1\tx\\ty\\\\z\t\\N\n".to_vec(), b"2\t\t3\n".to_vec()]);
    let csv = CopyOptions {
        header: CopyHeader::Present.into(),
        force_quote: Some(CopyForce {
            all: false,
            columns: vec!["a".into()],
        }),
        ..format(CopyFormat::Csv)
    };
    assert_eq!(
        text_out(&worker, select, csv).await?,
        "a,b,c\n\"1\",x\ty\\z,\n\"2\",\"\",3\n"
    );
    let (messages, _) = out(
        &worker,
        "SELECT 7::SMALLINT AS a WHERE true",
        format(CopyFormat::Binary),
    )
    .await?;
    assert_eq!(messages[0], b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\x02\0\x07");
    assert_eq!(messages[1], b"\xff\xff");
    let (messages, count) = out(&worker, "SELECT 7 AS a WHERE false", format(CopyFormat::Binary)).await?;
    assert_eq!(
        (messages, count),
        (vec![b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0\xff\xff".to_vec()], 0)
    );
    Ok(())
}

#[tokio::test]
async fn files_are_what_others_read_and_write() -> Result<()> {
    let worker = TestWorker::start().await?;
    worker.sql("CREATE TABLE t (a INTEGER, b VARCHAR)").await?;
    let zstd = CopyOptions {
        settings: vec![CopySetting {
            name: "compression".into(),
            value: "zstd".into(),
        }],
        ..format(CopyFormat::Parquet)
    };
    let (messages, count) = out(&worker, "SELECT i AS a, 'x' || i AS b FROM range(200000) r(i)", zstd).await?;
    let file = messages.concat();
    assert_eq!(
        (count, &file[..4], &file[file.len() - 4..]),
        (200_000, b"PAR1".as_slice(), b"PAR1".as_slice())
    );
    // The engine's own reader takes it.
    let path = worker.bootstrap.directories[0].join("t.parquet");
    std::fs::write(&path, &file)?;
    let read = format!(
        "SELECT count(*) || ' ' || sum(a) || ' ' || max(b) FROM read_parquet('{}')",
        path.display()
    );
    assert_eq!(worker.sql(&read).await?.value(), "200000 19999900000 x99999");
    assert_eq!(
        send(&worker, &into("t", format(CopyFormat::Parquet)), &file).await?,
        200_000
    );
    let (messages, _) = out(&worker, "SELECT a, b FROM t", format(CopyFormat::Arrow)).await?;
    assert_eq!(
        send(&worker, &into("t", format(CopyFormat::Arrow)), &messages.concat()).await?,
        200_000
    );
    let sums = worker
        .sql("SELECT count(*) || ' ' || sum(a) || ' ' || count(DISTINCT b) FROM t")
        .await?;
    assert_eq!(sums.value(), "400000 39999800000 200000");
    let one = CopyIn {
        columns: vec!["a".into()],
        ..into("t", format(CopyFormat::Parquet))
    };
    assert_eq!(refused(&worker, &one, &file).await.sqlstate.as_str(), "22P04");
    for kind in [CopyFormat::Arrow, CopyFormat::Parquet] {
        for cut in [0, 3, 100, file.len() / 2] {
            let data = if kind == CopyFormat::Arrow {
                messages.concat()
            } else {
                file.clone()
            };
            let report = refused(&worker, &into("t", format(kind)), &data[..cut]).await;
            assert_eq!(report.sqlstate.as_str(), "22P04", "{kind:?} {cut} {report:?}");
        }
        let report = begun(&worker, &into("t", format(kind)))
            .await?
            .fail("enough")
            .await
            .to_report();
        assert_eq!(report.message, "COPY from stdin failed: enough", "{kind:?}");
    }
    assert_eq!(worker.sql("SELECT count(*) FROM t").await?.value(), "400000");
    Ok(())
}

#[tokio::test]
async fn columns_that_are_not_named_get_their_defaults() -> Result<()> {
    let worker = TestWorker::start().await?;
    worker
        .sql("CREATE TABLE t (a INTEGER, b VARCHAR DEFAULT 'none', c INTEGER NOT NULL)")
        .await?;
    let copy = CopyIn {
        columns: vec!["c".into(), "a".into()],
        ..into("t", CopyOptions::default())
    };
    let call = worker.client.copy_in(&copy).await?;
    let names: Vec<_> = call
        .columns
        .iter()
        .map(|column| (column.name.as_str(), column.type_oid))
        .collect();
    assert_eq!(names, [("c", 23), ("a", 23)]);
    drop(call);
    assert_eq!(send(&worker, &copy, b"1\t2\n3\t\\N\n").await?, 2);
    let stored = worker
        .sql("SELECT string_agg(t::VARCHAR, ';' ORDER BY c) FROM t")
        .await?;
    assert_eq!(
        stored.value(),
        "{'a': 2, 'b': none, 'c': 1};{'a': NULL, 'b': none, 'c': 3}"
    );
    let report = refused(&worker, &copy, b"\\N\t2\n").await;
    assert_eq!(report.sqlstate.as_str(), "23502");
    Ok(())
}

#[tokio::test]
async fn an_error_names_its_place_and_nothing_is_stored() -> Result<()> {
    let worker = TestWorker::start().await?;
    worker.sql("CREATE TABLE t (a INTEGER, b VARCHAR)").await?;
    let copy = into("t", CopyOptions::default());
    let many = (0..10_000)
        .map(|row| format!("{row}\tx"))
        .collect::<Vec<_>>()
        .join("\n")
        + "\n";
    let report = refused(&worker, &copy, format!("{many}x\ty\n").as_bytes()).await;
    assert_eq!(report.sqlstate.as_str(), "22P02");
    assert_eq!(report.message, "invalid input syntax for type integer: \"x\"");
    assert_eq!(report.context.as_deref(), Some("COPY t, line 10001, column a: \"x\""));
    assert_eq!(worker.sql("SELECT count(*) FROM t").await?.value(), "0");
    let report = worker.client.copy_in(&into("missing", CopyOptions::default())).await;
    assert_eq!(report.expect_err("no table").to_report().sqlstate.as_str(), "42P01");
    let twice = CopyIn {
        columns: vec!["a".into(), "a".into()],
        ..copy.clone()
    };
    assert_eq!(refused(&worker, &twice, b"").await.sqlstate.as_str(), "42701");
    let unknown = CopyIn {
        columns: vec!["z".into()],
        ..copy.clone()
    };
    let report = refused(&worker, &unknown, b"").await;
    assert_eq!(report.sqlstate.as_str(), "42703");
    assert_eq!(report.message, "column \"z\" of relation \"t\" does not exist");
    worker.sql("CREATE VIEW v AS FROM t").await?;
    let view = refused(&worker, &into("v", CopyOptions::default()), b"").await;
    assert_ne!(view.sqlstate.as_str(), "XX000", "{view:?}");
    Ok(())
}

#[tokio::test]
async fn an_error_is_told_before_the_data_ends() -> Result<()> {
    let worker = TestWorker::start().await?;
    worker.sql("CREATE TABLE t (a INTEGER)").await?;
    let mut call = worker.client.copy_in(&into("t", CopyOptions::default())).await?;
    call.send(Bytes::from_static(b"1\nx\n2\n")).await?;
    let report = call.failed().await.to_report();
    assert_eq!(report.context.as_deref(), Some("COPY t, line 2, column a: \"x\""));
    Ok(())
}

async fn begun(worker: &TestWorker, copy: &CopyIn) -> Result<CopyInCall> {
    let mut call = worker.client.copy_in(copy).await?;
    call.send(Bytes::from_static(b"1\n2\n")).await?;
    Ok(call)
}

#[tokio::test]
async fn a_copy_that_does_not_end_stores_nothing() -> Result<()> {
    let worker = TestWorker::start().await?;
    worker.sql("CREATE TABLE t (a INTEGER)").await?;
    let copy = CopyIn {
        sequence: 5,
        ..into("t", CopyOptions::default())
    };
    let report = begun(&worker, &copy).await?.fail("enough").await.to_report();
    assert_eq!(
        (report.sqlstate.as_str(), report.message.as_str()),
        ("57014", "COPY from stdin failed: enough")
    );
    assert_eq!(report.context.as_deref(), Some("COPY t, line 3"));
    drop(begun(&worker, &copy).await?);
    assert_eq!(worker.sql("SELECT count(*) FROM t").await?.value(), "0");
    let mut call = begun(&worker, &copy).await?;
    worker.client.cancel(4).await?;
    worker.client.cancel(5).await?;
    let report = call.failed().await.to_report();
    assert_eq!(report.message, "canceling statement due to user request");
    let late = CopyIn {
        timeout_ms: 100,
        ..copy.clone()
    };
    let report = begun(&worker, &late).await?.failed().await.to_report();
    assert_eq!(report.message, "canceling statement due to statement timeout");
    assert_eq!(worker.sql("SELECT count(*) FROM t").await?.value(), "0");
    Ok(())
}

#[tokio::test]
async fn a_copy_is_part_of_the_clients_transaction() -> Result<()> {
    let worker = TestWorker::start().await?;
    worker.sql("CREATE TABLE t (a INTEGER)").await?;
    let copy = into("t", CopyOptions::default());
    worker.sql("BEGIN").await?;
    assert_eq!(send(&worker, &copy, b"1\n2\n").await?, 2);
    assert_eq!(worker.sql("SELECT count(*) FROM t").await?.value(), "2");
    worker.sql("ROLLBACK").await?;
    assert_eq!(worker.sql("SELECT count(*) FROM t").await?.value(), "0");
    worker.sql("BEGIN").await?;
    assert_eq!(refused(&worker, &copy, b"x\n").await.sqlstate.as_str(), "22P02");
    assert_eq!(worker.state("INSERT INTO t VALUES (1)").await, "25P02");
    worker.sql("ROLLBACK").await?;
    assert_eq!(send(&worker, &copy, b"1\n").await?, 1);
    Ok(())
}

#[tokio::test]
async fn many_rows_go_into_a_lake_and_out_again() -> Result<()> {
    let postgres = Postgres::start()?;
    let data = tempfile::tempdir()?;
    let catalogs = lake(&postgres, "dl_acme__lake", data.path())?;
    let worker = TestWorker::start_with(|bootstrap| bootstrap.catalogs = catalogs, &[]).await?;
    worker.open().await?;
    worker.sql("CREATE TABLE t (a BIGINT, b VARCHAR, c DATE)").await?;
    let (messages, count) = out(
        &worker,
        "SELECT i, 'row ' || i, DATE '2000-01-01' + (i % 1000)::INTEGER FROM range(300000) r(i)",
        format(CopyFormat::Csv),
    )
    .await?;
    assert_eq!((messages.len(), count), (300_000, 300_000));
    let copy = into("lake.main.t", format(CopyFormat::Csv));
    assert_eq!(send(&worker, &copy, &messages.concat()).await?, 300_000);
    let sums = worker
        .sql("SELECT count(*) || ' ' || sum(a) || ' ' || count(DISTINCT b) || ' ' || max(c) FROM t")
        .await?;
    assert_eq!(sums.value(), "300000 44999850000 300000 2002-09-26");
    assert_eq!(
        refused(&worker, &copy, b"1,x,2020-01-01\n2,y\n")
            .await
            .sqlstate
            .as_str(),
        "22P04"
    );
    assert_eq!(worker.sql("SELECT count(*) FROM t").await?.value(), "300000");
    Ok(())
}

#[tokio::test]
async fn nothing_of_a_copy_stays_behind_for_others_to_read() -> Result<()> {
    let worker = TestWorker::start().await?;
    worker.sql("CREATE TABLE t (a INTEGER)").await?;
    assert_eq!(send(&worker, &into("t", CopyOptions::default()), b"1\n").await?, 1);
    assert!(
        worker
            .fails("SELECT * FROM __pintail_copy()")
            .await
            .message
            .contains("no COPY is running")
    );
    let call = worker.client.copy_in(&into("t", CopyOptions::default())).await?;
    drop(call);
    tokio::time::timeout(Duration::from_secs(5), worker.sql("SELECT 1")).await??;
    Ok(())
}
