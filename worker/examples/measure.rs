//! Measures a worker from a plain client of the contract: `measure WORKER EXTENSION_DIR [PARQUET_FILE]`.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use pintail_worker_api::Secret;
use pintail_worker_api::bootstrap::{Bootstrap, CatalogSource, CatalogSpec, KernelWall};
use pintail_worker_api::client::WorkerClient;
use pintail_worker_api::messages::{ArrowWanted, Execute, OpenSession, Prepare, RowsWanted, Want};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (worker, extensions) = (
        arguments.next().context("WORKER")?,
        arguments.next().context("EXTENSION_DIR")?,
    );
    let file = arguments.next();
    let directory = tempfile::tempdir()?;
    let bootstrap = bootstrap(directory.path(), file.as_deref());
    for name in ["run", "tmp"] {
        std::fs::create_dir(directory.path().join(name))?;
    }
    let mut child = Command::new(worker)
        .args(["--extension-dir", &extensions])
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let mut lines = BufReader::new(child.stdout.take().context("stdout")?).lines();
    lines.next_line().await?;
    let mut stdin = child.stdin.take().context("stdin")?;
    let began = Instant::now();
    stdin
        .write_all(format!("{}\n", serde_json::to_string(&bootstrap)?).as_bytes())
        .await?;
    lines.next_line().await?;
    let client = WorkerClient::connect(&bootstrap.socket, &bootstrap.token).await?;
    client.open_session(&OpenSession::default()).await?;
    say(&format!("activation to open session: {:?}", began.elapsed()));
    let pid = child.id().context("a pid")?;
    latencies(&client, pid).await?;
    sessions(&client).await?;
    if let Some(file) = file {
        throughput(&client, pid, &file).await?;
    }
    Ok(())
}

async fn latencies(client: &WorkerClient, pid: u32) -> Result<()> {
    let prepared = client
        .prepare(&Prepare {
            sql: "SELECT 1".into(),
            param_oids: vec![],
            ..Prepare::default()
        })
        .await?;
    let by_handle = Execute {
        handle: prepared.handle,
        want: Some(rows(0)),
        ..Execute::default()
    };
    let by_text = Execute {
        sql: "SELECT 1".into(),
        want: Some(rows(0)),
        ..Execute::default()
    };
    let small = Execute {
        sql: "SELECT * FROM range(200)".into(),
        want: Some(rows(0)),
        ..Execute::default()
    };
    for (name, ticket) in [
        ("SELECT 1, prepared", &by_handle),
        ("SELECT 1, text", &by_text),
        ("200 rows, text", &small),
    ] {
        let (mut took, mut engine) = (Vec::new(), Vec::new());
        let before = processor_time(pid)?;
        for _ in 0..3000 {
            let began = Instant::now();
            let mut stream = client.execute(ticket).await?;
            let mut messages = 0;
            while let Some((frame, _)) = stream.next().await? {
                messages += 1;
                engine.extend(frame.trailer.map(|trailer| Duration::from_micros(trailer.engine_us)));
            }
            took.push(began.elapsed());
            // A busy machine may take longer over the end than the worker waits for it.
            ensure!(messages <= 2, "{messages} messages");
        }
        let cost = processor_time(pid)?.saturating_sub(before) / 3000;
        took.sort_unstable();
        engine.sort_unstable();
        let (p50, p99) = (took[took.len() / 2], took[took.len() * 99 / 100]);
        say(&format!(
            "{name}: p50 {p50:?}, p99 {p99:?}, engine p50 {:?}, processor {cost:?}",
            engine[engine.len() / 2]
        ));
    }
    let began = Instant::now();
    for _ in 0..3000 {
        client.status().await?;
    }
    say(&format!("status (the transport alone): {:?}", began.elapsed() / 3000));
    Ok(())
}

async fn sessions(client: &WorkerClient) -> Result<()> {
    let mut took = Vec::new();
    for _ in 0..10 {
        while !client.status().await?.standby_ready {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let began = Instant::now();
        client.close_session().await?;
        client.open_session(&OpenSession::default()).await?;
        took.push(began.elapsed());
    }
    took.sort_unstable();
    say(&format!("close and open a session: p50 {:?}", took[took.len() / 2]));
    Ok(())
}

async fn throughput(client: &WorkerClient, pid: u32, file: &str) -> Result<()> {
    let load = Execute {
        sql: format!("CREATE TEMP TABLE big AS FROM '{file}'"),
        ..Execute::default()
    };
    read(client, &load).await?;
    let wants = [
        ("text", rows(0)),
        ("binary", rows(1)),
        ("Arrow", Want::Arrow(ArrowWanted {})),
    ];
    for source in ["big", &format!("'{file}'")] {
        for (name, want) in &wants {
            let ticket = Execute {
                sql: format!("SELECT * FROM {source}"),
                want: Some(want.clone()),
                ..Execute::default()
            };
            let (began, before) = (Instant::now(), processor_time(pid)?);
            let (rows, bytes, messages) = read(client, &ticket).await?;
            let seconds = began.elapsed().as_secs_f64();
            let processor = processor_time(pid)?.saturating_sub(before);
            #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
            let (rate, speed) = (rows as f64 / seconds / 1e6, bytes as f64 / seconds / 1e6);
            say(&format!(
                "{name} from {source}: {rate:.2} M rows/s, {speed:.0} MB/s, {messages} messages, processor {processor:?}"
            ));
        }
    }
    Ok(())
}

/// User and system time of a process so far.
fn processor_time(pid: u32) -> Result<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let fields: Vec<_> = stat.rsplit(')').next().context("fields")?.split_whitespace().collect();
    let ticks: u64 = fields[11].parse::<u64>()? + fields[12].parse::<u64>()?;
    Ok(Duration::from_millis(ticks * 10))
}

async fn read(client: &WorkerClient, ticket: &Execute) -> Result<(u64, u64, u64)> {
    let mut stream = client.execute(ticket).await?;
    let (mut rows, mut bytes, mut messages) = (0, 0, 0);
    while let Some((frame, body)) = stream.next().await? {
        rows += u64::from(frame.rows);
        bytes += body.len() as u64;
        messages += 1;
    }
    Ok((rows, bytes, messages))
}

fn rows(format: u32) -> Want {
    Want::Rows(RowsWanted {
        formats: vec![format],
        extra_float_digits: 1,
        ..RowsWanted::default()
    })
}

fn bootstrap(directory: &Path, file: Option<&str>) -> Bootstrap {
    Bootstrap {
        worker_id: "measured".into(),
        org: "measured".into(),
        token: Secret::new("token".into()),
        socket: directory.join("run/worker.sock"),
        temp_dir: directory.join("tmp"),
        catalogs: vec![CatalogSpec {
            name: "memory_catalog".into(),
            source: CatalogSource::Memory,
        }],
        directories: file
            .and_then(|file| Path::new(file).parent())
            .map(Path::to_path_buf)
            .into_iter()
            .collect(),
        locations: vec![],
        ports: vec![],
        memory_limit: 4 << 30,
        threads: 2,
        standby_max_age_seconds: 3600,
        kernel_wall: KernelWall::Auto,
    }
}

#[expect(clippy::print_stdout, reason = "a measurement is printed")]
fn say(line: &str) {
    println!("{line}");
}
