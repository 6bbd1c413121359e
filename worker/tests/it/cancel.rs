//! Stopping statements: by request, by deadline, by going away.

use std::time::{Duration, Instant};

use anyhow::Result;
use pintail_sqlstate::ToReport;
use pintail_worker_api::messages::Execute;

use crate::harness::{TestWorker, text};

const ENDLESS: &str = "SELECT count(*) FROM range(1000000000000)";

fn numbered(sql: &str, sequence: u64) -> Execute {
    Execute {
        sql: sql.into(),
        sequence,
        want: Some(text()),
        ..Execute::default()
    }
}

#[tokio::test]
async fn a_cancel_stops_the_statement_it_names() -> Result<()> {
    let worker = TestWorker::start().await?;
    let (client, began) = (worker.client.clone(), Instant::now());
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        client.cancel(8).await.expect("no error");
        tokio::time::sleep(Duration::from_millis(200)).await;
        client.cancel(7).await.expect("no error");
    };
    let (outcome, ()) = tokio::join!(worker.run(numbered(ENDLESS, 7)), cancel);
    let report = outcome.expect_err("cancelled").to_report();
    assert_eq!(report.sqlstate.as_str(), "57014");
    assert_eq!(report.message, "canceling statement due to user request");
    assert!(began.elapsed() > Duration::from_millis(350) && began.elapsed() < Duration::from_millis(1400));
    worker.client.cancel(7).await?;
    assert_eq!(worker.sql("SELECT 1").await?.value(), "1");
    Ok(())
}

#[tokio::test]
async fn a_deadline_stops_a_statement() -> Result<()> {
    let worker = TestWorker::start().await?;
    let began = Instant::now();
    let error = worker
        .run(Execute {
            timeout_ms: 100,
            ..numbered(ENDLESS, 1)
        })
        .await
        .expect_err("too late");
    assert_eq!(
        error.to_report().message,
        "canceling statement due to statement timeout"
    );
    assert!(began.elapsed() < Duration::from_millis(1100));
    let answer = worker
        .run(Execute {
            timeout_ms: 5000,
            ..numbered("SELECT 2", 2)
        })
        .await?;
    assert_eq!(answer.value(), "2");
    Ok(())
}

#[tokio::test]
async fn a_deadline_does_not_count_the_readers_pauses() -> Result<()> {
    let worker = TestWorker::start().await?;
    let execute = Execute {
        timeout_ms: 1500,
        ..numbered("SELECT i, repeat('x', 50) FROM range(250000) r(i)", 1)
    };
    let mut stream = worker.client.execute(&execute).await?;
    let mut rows = 0;
    tokio::time::sleep(Duration::from_millis(2500)).await;
    while let Some((frame, _)) = stream.next().await? {
        rows += frame.rows;
    }
    assert_eq!(rows, 250_000);
    Ok(())
}

#[tokio::test]
async fn a_reader_that_goes_away_stops_the_statement() -> Result<()> {
    let worker = TestWorker::start().await?;
    let endless = numbered(ENDLESS, 1);
    let waiting = worker.client.execute(&endless);
    assert!(tokio::time::timeout(Duration::from_millis(100), waiting).await.is_err());
    let began = Instant::now();
    assert_eq!(worker.sql("SELECT 1").await?.value(), "1");
    assert!(began.elapsed() < Duration::from_secs(1));

    let mut stream = worker
        .client
        .execute(&numbered("SELECT * FROM range(100000000)", 2))
        .await?;
    assert!(stream.next().await?.is_some());
    drop(stream);
    let began = Instant::now();
    assert_eq!(worker.sql("SELECT 1").await?.value(), "1");
    assert!(began.elapsed() < Duration::from_secs(1));
    Ok(())
}

#[tokio::test]
async fn a_cancel_reaches_a_stream_that_its_reader_left_alone() -> Result<()> {
    let worker = TestWorker::start().await?;
    let mut stream = worker
        .client
        .execute(&numbered("SELECT * FROM range(100000000)", 5))
        .await?;
    assert!(stream.next().await?.is_some());
    worker.client.cancel(5).await?;
    let error = loop {
        match stream.next().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("the stream ended"),
            Err(error) => break error,
        }
    };
    assert_eq!(error.to_report().sqlstate.as_str(), "57014");
    assert_eq!(worker.sql("SELECT 1").await?.value(), "1");
    Ok(())
}

#[tokio::test]
async fn cancels_at_any_moment_hit_nothing_else() -> Result<()> {
    let worker = TestWorker::start().await?;
    for sequence in 1..200 {
        let execute = numbered("SELECT count(*) FROM range(20000000)", sequence);
        let cancel = async {
            tokio::time::sleep(Duration::from_micros(sequence * 37 % 9000)).await;
            worker.client.cancel(sequence).await
        };
        let (outcome, cancelled) = tokio::join!(worker.run(execute), cancel);
        cancelled?;
        match outcome {
            Ok(answer) => assert_eq!(answer.value(), "20000000"),
            Err(error) => assert_eq!(error.to_report().sqlstate.as_str(), "57014"),
        }
        assert_eq!(worker.run(numbered("SELECT 1", sequence + 1000)).await?.value(), "1");
    }
    Ok(())
}
