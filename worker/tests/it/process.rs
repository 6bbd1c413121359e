//! The process: spare, activated, drained, orphaned.

use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result};
use pintail_sqlstate::ToReport;
use pintail_worker_api::bootstrap::WorkerEvent;
use pintail_worker_api::messages::Execute;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

use crate::harness::{TestWorker, extension_dir, text};

async fn ended(worker: &mut TestWorker) -> Result<bool> {
    let status = tokio::time::timeout(Duration::from_secs(5), worker.child.wait()).await??;
    Ok(status.success())
}

#[tokio::test]
async fn it_ends_when_its_parent_is_gone() -> Result<()> {
    let mut worker = TestWorker::start().await?;
    drop(worker.stdin.take());
    assert!(ended(&mut worker).await?);
    assert!(!worker.bootstrap.socket.exists());
    Ok(())
}

#[tokio::test]
async fn a_statement_that_runs_at_sigterm_is_finished() -> Result<()> {
    let mut worker = TestWorker::start().await?;
    let pid = worker.child.id().context("a pid")?.to_string();
    let slow = Execute {
        sql: "SELECT count(*) FROM range(3000000000)".into(),
        want: Some(text()),
        ..Execute::default()
    };
    let terminate = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        Command::new("kill").args(["-TERM", &pid]).status().await
    };
    let (answer, killed) = tokio::join!(worker.run(slow), terminate);
    assert!(killed?.success());
    assert_eq!(answer?.value(), "3000000000");
    let client = worker.client.clone();
    drop(client);
    assert!(ended(&mut worker).await?);
    Ok(())
}

#[tokio::test]
async fn a_bootstrap_that_is_none_is_refused_without_its_words() -> Result<()> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pintail-worker"))
        .arg("--extension-dir")
        .arg(extension_dir())
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    child
        .stdin
        .take()
        .context("stdin")?
        .write_all(b"{\"token\": \"a-secret\", \"x\": 1}\n")
        .await?;
    let mut output = String::new();
    child
        .stdout
        .take()
        .context("stdout")?
        .read_to_string(&mut output)
        .await?;
    let events: Vec<WorkerEvent> = output.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    assert!(
        matches!(events.as_slice(), [WorkerEvent::Spare, WorkerEvent::Failed { .. }]),
        "{events:?}"
    );
    assert!(!output.contains("a-secret"));
    assert!(!child.wait().await?.success());
    Ok(())
}

#[tokio::test]
async fn the_session_is_told_why_it_ended() -> Result<()> {
    let worker = TestWorker::start().await?;
    let endless = Execute {
        sql: "SELECT count(*) FROM range(1000000000000)".into(),
        ..Execute::default()
    };
    let close = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        worker.client.close_session().await
    };
    let (answer, closed) = tokio::join!(worker.run(endless), close);
    closed?;
    assert_eq!(answer.expect_err("stopped").to_report().sqlstate.as_str(), "57014");
    Ok(())
}
