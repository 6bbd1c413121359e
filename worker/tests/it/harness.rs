//! Starts worker processes and reads their answers.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use pintail_sqlstate::{Report, ToReport};
use pintail_worker_api::Secret;
use pintail_worker_api::bootstrap::{Bootstrap, CatalogSource, CatalogSpec, KernelWall, WorkerEvent};
use pintail_worker_api::client::{ResultStream, WorkerClient};
use pintail_worker_api::error::CallError;
use pintail_worker_api::messages::{Execute, Header, OpenSession, RowsWanted, Trailer, Want};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// A worker process with its directory.
pub(crate) struct TestWorker {
    pub(crate) client: WorkerClient,
    pub(crate) kernel_wall: String,
    pub(crate) bootstrap: Bootstrap,
    pub(crate) child: Child,
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) directory: tempfile::TempDir,
}

/// Where the machine keeps the project's pinned downloads.
pub(crate) fn cache_dir() -> PathBuf {
    let cache = std::env::var_os("PINTAIL_CACHE").map(PathBuf::from);
    cache.unwrap_or_else(|| PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache/pintail"))
}

/// The extension files.
pub(crate) fn extension_dir() -> PathBuf {
    cache_dir().join("extensions-1.5.5")
}

/// A bootstrap with a catalog in memory.
pub(crate) fn bootstrap(directory: &Path) -> Bootstrap {
    Bootstrap {
        worker_id: "w1".into(),
        org: "acme".into(),
        token: Secret::new("a-token".into()),
        socket: directory.join("run/worker.sock"),
        temp_dir: directory.join("tmp"),
        catalogs: vec![CatalogSpec {
            name: "lake".into(),
            source: CatalogSource::Memory,
        }],
        directories: vec![directory.join("files")],
        locations: vec![],
        ports: vec![],
        memory_limit: 1 << 30,
        threads: 2,
        standby_max_age_seconds: 600,
        kernel_wall: KernelWall::Auto,
    }
}

impl TestWorker {
    /// A worker with a catalog in memory and an open session.
    pub(crate) async fn start() -> Result<Self> {
        let worker = Self::start_with(|_| {}, &[]).await?;
        worker.open().await?;
        Ok(worker)
    }

    /// A worker without a session.
    pub(crate) async fn start_with(change: impl FnOnce(&mut Bootstrap), environment: &[(&str, &str)]) -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let mut bootstrap = bootstrap(directory.path());
        change(&mut bootstrap);
        for path in ["run", "tmp", "files"] {
            std::fs::create_dir_all(directory.path().join(path))?;
        }
        let mut child = Command::new(env!("CARGO_BIN_EXE_pintail-worker"))
            .arg("--extension-dir")
            .arg(extension_dir())
            .env_clear()
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let mut stdin = child.stdin.take().context("stdin")?;
        let mut events = BufReader::new(child.stdout.take().context("stdout")?).lines();
        assert_eq!(event(&mut events).await?, WorkerEvent::Spare);
        let mut line = serde_json::to_string(&bootstrap)?;
        line.push('\n');
        stdin.write_all(line.as_bytes()).await?;
        let kernel_wall = match event(&mut events).await? {
            WorkerEvent::Serving { kernel_wall } => kernel_wall,
            other => bail!("not serving: {other:?}"),
        };
        let client = WorkerClient::connect(&bootstrap.socket, &bootstrap.token).await?;
        Ok(Self {
            client,
            kernel_wall,
            bootstrap,
            child,
            stdin: Some(stdin),
            directory,
        })
    }

    /// Opens a session.
    pub(crate) async fn open(&self) -> Result<()> {
        let opened = self
            .client
            .open_session(&OpenSession {
                session_id: "s".into(),
                ..OpenSession::default()
            })
            .await?;
        assert!(!opened.external_access && opened.configuration_locked);
        assert_eq!(opened.worker_id, "w1");
        Ok(())
    }

    /// Runs a text and reads all of its answer as text rows.
    pub(crate) async fn sql(&self, sql: &str) -> Result<Answer, CallError> {
        self.run(Execute {
            sql: sql.into(),
            want: Some(text()),
            ..Execute::default()
        })
        .await
    }

    /// Runs a ticket and reads all of its answer.
    pub(crate) async fn run(&self, execute: Execute) -> Result<Answer, CallError> {
        let stream = self.client.execute(&execute).await?;
        Answer::read(stream).await
    }

    /// The report of a text that must fail.
    pub(crate) async fn fails(&self, sql: &str) -> Report {
        match self.sql(sql).await {
            Ok(answer) => panic!("{sql} gave {:?}", answer.rows),
            Err(error) => error.to_report(),
        }
    }

    /// The SQLSTATE of a text that must fail.
    pub(crate) async fn state(&self, sql: &str) -> String {
        self.fails(sql).await.sqlstate.as_str().to_owned()
    }
}

/// The wish for text rows.
pub(crate) fn text() -> Want {
    Want::Rows(RowsWanted {
        extra_float_digits: 1,
        ..RowsWanted::default()
    })
}

/// An answer read to its end.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) header: Header,
    pub(crate) rows: Vec<Vec<Option<String>>>,
    pub(crate) trailer: Trailer,
    pub(crate) messages: usize,
}

impl Answer {
    /// Reads a stream to its end.
    pub(crate) async fn read(mut stream: ResultStream) -> Result<Self, CallError> {
        let mut answer = Self::default();
        while let Some((frame, body)) = stream.next().await? {
            answer.messages += 1;
            answer.header = frame.header.unwrap_or(answer.header);
            answer.trailer = frame.trailer.unwrap_or(answer.trailer);
            let before = answer.rows.len();
            parse_rows(&body, &mut answer.rows);
            assert_eq!(answer.rows.len() - before, frame.rows as usize);
        }
        Ok(answer)
    }

    /// The first value of the first row.
    pub(crate) fn value(&self) -> &str {
        self.rows[0][0].as_deref().unwrap_or("NULL")
    }

    /// The OIDs of the columns.
    pub(crate) fn oids(&self) -> Vec<u32> {
        self.header.columns.iter().map(|column| column.type_oid).collect()
    }
}

fn parse_rows(mut body: &[u8], rows: &mut Vec<Vec<Option<String>>>) {
    fn take<'a>(bytes: &mut &'a [u8], count: usize) -> &'a [u8] {
        let (head, tail) = bytes.split_at(count);
        *bytes = tail;
        head
    }
    fn number(bytes: &[u8]) -> i32 {
        i32::from_be_bytes(bytes.try_into().expect("four bytes"))
    }
    while !body.is_empty() {
        assert_eq!(take(&mut body, 1), b"D");
        let length = number(take(&mut body, 4));
        let mut message = take(&mut body, usize::try_from(length).expect("a length") - 4);
        let columns = i16::from_be_bytes(take(&mut message, 2).try_into().expect("two bytes"));
        let row = (0..columns).map(|_| {
            let length = usize::try_from(number(take(&mut message, 4))).ok()?;
            Some(String::from_utf8_lossy(take(&mut message, length)).into_owned())
        });
        rows.push(row.collect());
    }
}

async fn event(lines: &mut Lines<BufReader<ChildStdout>>) -> Result<WorkerEvent> {
    let line = tokio::time::timeout(Duration::from_secs(20), lines.next_line()).await??;
    Ok(serde_json::from_str(&line.context("the worker ended")?)?)
}
