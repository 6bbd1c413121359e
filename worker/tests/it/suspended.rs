//! Results whose reader pauses while other statements run, and large results with slow readers.

use std::time::Duration;

use anyhow::{Context, Result};
use pintail_worker_api::client::ResultStream;
use pintail_worker_api::messages::Execute;

use crate::harness::{Answer, TestWorker, text};

fn ticket(sql: &str) -> Execute {
    Execute {
        sql: sql.into(),
        want: Some(text()),
        ..Execute::default()
    }
}

async fn rest(mut stream: ResultStream) -> Result<u64> {
    let mut rows = 0;
    let mut trailer = None;
    while let Some((frame, _)) = stream.next().await? {
        rows += u64::from(frame.rows);
        trailer = frame.trailer.or(trailer);
    }
    assert!(trailer.context("a trailer")?.count > 0);
    Ok(rows)
}

#[tokio::test]
async fn other_statements_run_while_a_portal_is_suspended() -> Result<()> {
    let worker = TestWorker::start().await?;
    worker.sql("CREATE TABLE t (i INTEGER)").await?;
    let mut first = worker
        .client
        .execute(&ticket("SELECT i, repeat('x', 50) FROM range(1000000) r(i)"))
        .await?;
    let (head, _) = first.next().await?.context("a frame")?;
    let mut second = worker
        .client
        .execute(&ticket("SELECT i, repeat('y', 50) FROM range(500000) r(i)"))
        .await?;
    let (other, _) = second.next().await?.context("a frame")?;
    worker.sql("INSERT INTO t VALUES (1)").await?;
    assert_eq!(worker.sql("SELECT count(*) FROM t").await?.value(), "1");
    assert_eq!(u64::from(head.rows) + rest(first).await?, 1_000_000);
    assert_eq!(u64::from(other.rows) + rest(second).await?, 500_000);
    Ok(())
}

#[tokio::test]
async fn statements_sent_ahead_are_answered_in_any_order_of_reading() -> Result<()> {
    let worker = TestWorker::start().await?;
    let (first, second) = (ticket("SELECT * FROM range(3000000)"), ticket("SELECT 'second'"));
    let (first, second) = tokio::join!(worker.client.execute(&first), worker.client.execute(&second));
    assert_eq!(Answer::read(second?).await?.value(), "second");
    assert_eq!(rest(first?).await?, 3_000_000);
    Ok(())
}

#[tokio::test]
async fn memory_stays_flat_while_a_reader_is_slow() -> Result<()> {
    let worker = TestWorker::start().await?;
    let memory = || -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", worker.child.id().context("a pid")?))?;
        let line = status.lines().find(|line| line.starts_with("VmRSS")).context("VmRSS")?;
        Ok(line.split_whitespace().nth(1).context("a number")?.parse()?)
    };
    let before = memory()?;
    let mut stream = worker
        .client
        .execute(&ticket("SELECT i, repeat('x', 40) FROM range(100000000) r(i)"))
        .await?;
    let mut most = 0;
    for _ in 0..40 {
        stream.next().await?.context("a frame")?;
        tokio::time::sleep(Duration::from_millis(20)).await;
        most = most.max(memory()?);
    }
    assert!(most < before + 120_000, "{before} KiB, then {most} KiB");
    drop(stream);
    assert_eq!(worker.sql("SELECT 1").await?.value(), "1");
    Ok(())
}

#[tokio::test]
async fn a_wide_value_passes() -> Result<()> {
    let worker = TestWorker::start().await?;
    let answer = worker.sql("SELECT repeat('x', 20000000) FROM range(3)").await?;
    assert_eq!(answer.rows.len(), 3);
    assert!(
        answer
            .rows
            .iter()
            .all(|row| row[0].as_ref().is_some_and(|value| value.len() == 20_000_000))
    );
    Ok(())
}
