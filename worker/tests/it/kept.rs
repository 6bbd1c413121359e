//! Results that are kept and read in pieces.

use anyhow::{Context, Result};
use pintail_sqlstate::ToReport;
use pintail_worker_api::messages::{Execute, Keep, ReadKept};

use crate::harness::{Answer, TestWorker, text};

fn keep(sql: &str, sequence: u64, rewind: bool) -> Execute {
    Execute {
        sql: sql.into(),
        sequence,
        keep: Some(Keep { rewind }),
        want: Some(text()),
        ..Execute::default()
    }
}

fn read(result: u64, first: u64, rows: u64, backwards: bool) -> Execute {
    Execute {
        sequence: 1000 + first,
        want: Some(text()),
        read: Some(ReadKept {
            result,
            first,
            rows,
            backwards,
            ..ReadKept::default()
        }),
        ..Execute::default()
    }
}

#[tokio::test]
async fn rows_are_read_where_they_are_wanted_while_other_statements_run() -> Result<()> {
    let worker = TestWorker::start().await?;
    let sql = "SELECT i, ['a', NULL, 'c'][1 + i % 3]::ENUM('a', 'c') FROM range(1, 300001) r(i)";
    let kept = worker.run(keep(sql, 7, true)).await;
    kept.map_err(|error| anyhow::anyhow!("{:?}", error.to_report()))?;
    assert_eq!(worker.sql("SELECT 42").await?.value(), "42");
    let answer = worker.run(read(7, 250_000, 2, false)).await?;
    let text = |value: &str| Some(value.to_owned());
    assert_eq!(answer.rows, [[text("250000"), None], [text("250001"), text("c")]]);
    let answer = worker.run(read(7, 2049, 3, true)).await?;
    let first: Vec<_> = answer.rows.iter().filter_map(|row| row[0].as_deref()).collect();
    assert_eq!(first, ["2049", "2048", "2047"]);
    let answer = worker.run(read(7, 299_990, u64::MAX, false)).await?;
    assert_eq!(answer.trailer.count, 11);
    worker.client.close_kept(7).await?;
    let gone = worker.client.execute(&read(7, 1, 1, false)).await;
    assert!(gone.is_err(), "the result was closed");
    Ok(())
}

#[tokio::test]
async fn an_error_comes_with_the_reading_that_meets_it() -> Result<()> {
    let worker = TestWorker::start().await?;
    let sql = "SELECT CASE WHEN i = 200000 THEN error('met') ELSE i::text END FROM range(300000) r(i)";
    worker.run(keep(sql, 1, false)).await?;
    let answer = worker.run(read(1, 1, 10, false)).await?;
    assert_eq!(answer.trailer.count, 10);
    let drained = Execute {
        sequence: 2,
        read: Some(ReadKept {
            result: 1,
            discard: true,
            to_end: true,
            ..ReadKept::default()
        }),
        ..Execute::default()
    };
    let failed = worker.run(drained).await.err().context("an error")?.to_report();
    assert!(failed.message.contains("met"), "{failed:?}");
    assert_eq!(worker.sql("SELECT 1").await?.value(), "1");
    Ok(())
}

#[tokio::test]
async fn a_cancelled_reading_stops_the_statement_behind_it() -> Result<()> {
    let worker = TestWorker::start().await?;
    let sql = "SELECT i FROM range(1000000000000) r(i) WHERE i < 1000000 OR i % 7 = 9";
    worker.run(keep(sql, 1, false)).await?;
    let client = worker.client.clone();
    let reading = tokio::spawn(async move {
        match client.execute(&read(1, 1, u64::MAX, false)).await {
            Ok(stream) => Answer::read(stream).await.map(|answer| answer.trailer.count),
            Err(error) => Err(error.into()),
        }
    });
    let mut cancels = 0;
    while !reading.is_finished() {
        worker.client.cancel(1001).await?;
        cancels += 1;
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert!(cancels > 0);
    assert!(reading.await?.is_err(), "it was cancelled");
    assert_eq!(worker.sql("SELECT 1").await?.value(), "1");
    Ok(())
}
