//! The negative controls: what a session of one organisation tries, which wall stops it, and which stops it next.
//!
//! The gate is the control plane's, so the first stop here is the engine. Each attempt names what is expected with all walls
//! of the worker up, and with the engine's left out; a last run without both shows that the attempts on files are real.

use anyhow::Result;
use pintail_worker_api::bootstrap::{KernelWall, LakeOpening};
use pintail_worker_api::messages::OpenSession;

use crate::harness::TestWorker;
use crate::lake::lake;
use crate::postgres::Postgres;

const WITHOUT_ENGINE_WALL: [(&str, &str); 1] = [("PINTAIL_TEST_WITHOUT_ENGINE_WALL", "1")];

/// What stops an attempt, as it shows in the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    /// `enable_external_access = false` and its kin.
    Engine,
    /// The name does not exist: not attached, or its extension is not loaded.
    Nothing,
    /// The metadata store's answer.
    PostgreSql,
    /// Landlock.
    Kernel,
    /// Nobody: the attempt succeeds.
    Nobody,
}

struct Attempt {
    sql: String,
    first: Stop,
    next: Stop,
    /// Without the engine's and the kernel's walls.
    last: Stop,
}

/// The walls of a run, and which of an attempt's stops is expected.
type Run = (
    KernelWall,
    &'static [(&'static str, &'static str)],
    fn(&Attempt) -> Stop,
);

/// Two organisations on one machine with one metadata store.
struct Scene {
    postgres: Postgres,
    ours: tempfile::TempDir,
    theirs: tempfile::TempDir,
}

impl Scene {
    async fn start() -> Result<(Self, Vec<pintail_worker_api::bootstrap::CatalogSpec>)> {
        let scene = Self {
            postgres: Postgres::start()?,
            ours: tempfile::tempdir()?,
            theirs: tempfile::tempdir()?,
        };
        let catalogs = lake(&scene.postgres, "dl_acme__lake", scene.ours.path())?;
        for catalogs in [
            catalogs.clone(),
            lake(&scene.postgres, "dl_beta__lake", scene.theirs.path())?,
        ] {
            let worker = TestWorker::start_with(|bootstrap| bootstrap.catalogs = catalogs, &[]).await?;
            worker.open().await?;
            worker.sql("CREATE TABLE t AS SELECT 1 AS i").await?;
        }
        Ok((scene, catalogs))
    }

    fn attempts(&self) -> Vec<Attempt> {
        use Stop::{Engine, Kernel, Nobody, Nothing, PostgreSql};
        let theirs = self.theirs.path().display();
        let socket = self.postgres.socket_directory();
        let socket = socket.display();
        let dsn = format!("host={socket} dbname=postgres user=dl_acme__lake password=pw-dl_acme__lake");
        let superuser = format!("host={socket} dbname=postgres user=postgres");
        let rows: Vec<(String, [Stop; 3])> = vec![
            ("SELECT * FROM beta.main.t".into(), [Nothing; 3]),
            (
                "SELECT * FROM __ducklake_metadata_lake.dl_beta__lake.ducklake_table".into(),
                [PostgreSql; 3],
            ),
            (
                "SELECT * FROM postgres_query('__ducklake_metadata_lake', 'SELECT * FROM dl_beta__lake.ducklake_table')"
                    .into(),
                [PostgreSql; 3],
            ),
            (
                format!("SELECT * FROM postgres_scan('{dsn}', 'dl_beta__lake', 'ducklake_table')"),
                [PostgreSql; 3],
            ),
            (
                format!("SELECT * FROM postgres_scan('{superuser}', 'pg_catalog', 'pg_authid')"),
                [PostgreSql; 3],
            ),
            (
                "ATTACH '' AS pg (TYPE postgres, SECRET '__pintail_lake')".into(),
                [Engine, Nobody, Nobody],
            ),
            (
                "ATTACH 'ducklake:postgres:' AS stolen (META_SECRET '__pintail_lake', METADATA_SCHEMA 'dl_beta__lake', \
                 CREATE_IF_NOT_EXISTS false)"
                    .into(),
                [Engine, PostgreSql, PostgreSql],
            ),
            ("SELECT * FROM sqlite_scan('/tmp/x.sqlite', 't')".into(), [Nothing; 3]),
            ("SELECT * FROM delta_scan('/tmp/x')".into(), [Nothing; 3]),
            ("CALL load_aws_credentials()".into(), [Nothing; 3]),
            (
                "CREATE SECRET cloud (TYPE s3, PROVIDER credential_chain)".into(),
                [Nothing; 3],
            ),
            (
                format!("SELECT * FROM read_parquet('{theirs}/main/t/*.parquet')"),
                [Engine, Kernel, Nobody],
            ),
            (format!("SELECT * FROM glob('{theirs}/**')"), [Engine, Nobody, Nobody]),
            (
                format!("COPY (SELECT 1 AS a) TO '{theirs}/written.parquet'"),
                [Engine, Kernel, Nobody],
            ),
            (
                "SELECT content FROM read_text('/proc/1/cmdline')".into(),
                [Engine, Kernel, Nobody],
            ),
            ("INSTALL sqlite_scanner".into(), [Engine, Kernel, Kernel]),
        ];
        let attempt = |(sql, [first, next, last]): (String, [Stop; 3])| Attempt { sql, first, next, last };
        rows.into_iter().map(attempt).collect()
    }
}

/// Whether an answer is what that stop looks like.
fn is_stop(stop: Stop, answer: Option<&pintail_sqlstate::Report>) -> bool {
    let Some(report) = answer else {
        return stop == Stop::Nobody;
    };
    let state = report.sqlstate.as_str();
    let text = format!("{report} {:?}", report.detail).to_lowercase();
    match stop {
        Stop::Engine => state == "42501" && text.contains("disabled"),
        Stop::Nothing => ["42P01", "3F000", "3D000", "42883", "42704", "0A000", "22023"].contains(&state),
        Stop::PostgreSql => [
            "permission denied",
            // A server that wants a password is told as one that is away; the attempt with the role's own goes through
            // the same socket and is answered.
            "metadata cannot be reached",
            "does not exist",
        ]
        .iter()
        .any(|sign| text.contains(sign)),
        Stop::Kernel => {
            !text.contains("disabled by configuration") && ["42501", "58030", "58P01", "08006"].contains(&state)
        }
        Stop::Nobody => false,
    }
}

#[tokio::test]
async fn each_attempt_is_stopped_where_the_table_says() -> Result<()> {
    let (scene, mut catalogs) = Scene::start().await?;
    for spec in &mut catalogs {
        if let pintail_worker_api::bootstrap::CatalogSource::DuckLake { opening, .. } = &mut spec.source {
            *opening = LakeOpening::Existing;
        }
    }
    let runs: [Run; 3] = [
        (KernelWall::Require, &[], |attempt| attempt.first),
        (KernelWall::Require, &WITHOUT_ENGINE_WALL, |attempt| attempt.next),
        (KernelWall::Off, &WITHOUT_ENGINE_WALL, |attempt| attempt.last),
    ];
    let mut wrong = Vec::new();
    for (number, (kernel_wall, environment, expected)) in runs.into_iter().enumerate() {
        let change = |bootstrap: &mut pintail_worker_api::bootstrap::Bootstrap| {
            bootstrap.catalogs = catalogs.clone();
            bootstrap.kernel_wall = kernel_wall;
        };
        let worker = TestWorker::start_with(change, environment).await?;
        worker.client.open_session(&OpenSession::default()).await?;
        assert_eq!(worker.sql("SELECT i FROM t").await?.value(), "1", "the session works");
        for attempt in scene.attempts() {
            let report = worker.sql(&attempt.sql).await.err();
            let report = report.map(|error| pintail_sqlstate::ToReport::to_report(&error));
            if !is_stop(expected(&attempt), report.as_ref()) {
                wrong.push(format!(
                    "run {number}: {} gave {report:?}, expected {:?}",
                    attempt.sql,
                    expected(&attempt)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}
