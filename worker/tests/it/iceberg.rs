//! Catalogs of Iceberg's REST protocol: the reference implementation, its tables in the S3 store of the test.
//!
//! `e2e/iceberg.sh` puts the program into the cache; without it the tests say so and pass.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use pintail_sqlstate::{Report, ToReport};
use pintail_worker_api::Secret;
use pintail_worker_api::bootstrap::{CatalogSource, CatalogSpec, IcebergAuth, KernelWall};
use pintail_worker_api::messages::OpenSession;

use crate::harness::{Answer, TestWorker, cache_dir};
use crate::objects::ObjectStore;

const WAREHOUSE: &str = "s3://lake/acme/warehouse";
const CLIENT_SECRET: &str = "the-client-secret";

/// Whether a table's keys come from the bootstrap or from the REST catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keys {
    Given,
    Vended,
}

/// A running REST catalog.
struct RestCatalog {
    child: Child,
    port: u16,
    _directory: tempfile::TempDir,
}

impl RestCatalog {
    /// Starts one whose tokens live for some seconds; `None`, with a printed reason, where it is not in the cache.
    fn start(store: &ObjectStore, token_seconds: u32, keys: Keys) -> Result<Option<Self>> {
        let home = cache_dir().join("e2e/iceberg");
        if !home.join("classes/Catalog.class").is_file() {
            crate::objects::print("skipped: e2e/iceberg.sh has not put the REST catalog into the cache");
            return Ok(None);
        }
        let directory = tempfile::tempdir()?;
        let target = store.target("acme");
        let (key_id, secret) = (target.key_id.expose(), target.secret.expose());
        let mut command = Command::new("java");
        command
            .args(["-Xmx256m", "-cp"])
            .arg(format!("{0}/classes:{0}/lib/*", home.display()))
            .arg("Catalog")
            .env("S3_ENDPOINT", format!("http://{}", target.endpoint))
            .env("S3_KEY_ID", key_id)
            .env("S3_SECRET", secret)
            .env("WAREHOUSE", WAREHOUSE)
            .env("DIRECTORY", directory.path())
            .env("CLIENT_ID", "acme")
            .env("CLIENT_SECRET", CLIENT_SECRET)
            .env("TOKEN_SECONDS", token_seconds.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        if keys == Keys::Vended {
            command.env("VENDED_KEY_ID", key_id).env("VENDED_SECRET", secret);
        }
        let mut child = command.spawn().context("java")?;
        let mut lines = BufReader::new(child.stdout.take().context("stdout")?).lines();
        let port = lines.next().context("no port")??.trim().parse()?;
        // What it writes later must be read, or it would wait.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Ok(Some(Self {
            child,
            port,
            _directory: directory,
        }))
    }

    fn spec(&self, store: &ObjectStore, keys: Keys) -> CatalogSpec {
        let endpoint = format!("http://127.0.0.1:{}", self.port);
        CatalogSpec {
            name: "ice".into(),
            source: CatalogSource::Iceberg {
                auth: IcebergAuth::OAuth2 {
                    server_uri: format!("{endpoint}/v1/oauth/tokens"),
                    client_id: Secret::new("acme".into()),
                    client_secret: Secret::new(CLIENT_SECRET.into()),
                    scope: String::new(),
                },
                endpoint,
                warehouse: WAREHOUSE.into(),
                storage: (keys == Keys::Given).then(|| store.target("acme")),
                locations: vec![WAREHOUSE.into()],
            },
        }
    }
}

impl Drop for RestCatalog {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn worker(store: &ObjectStore, spec: CatalogSpec) -> Result<TestWorker> {
    let port = store
        .target("acme")
        .endpoint
        .rsplit(':')
        .next()
        .context("a port")?
        .parse()?;
    let change = |bootstrap: &mut pintail_worker_api::bootstrap::Bootstrap| {
        bootstrap.catalogs = vec![spec];
        bootstrap.kernel_wall = KernelWall::Require;
        // Vended keys name a store that the bootstrap does not.
        bootstrap.ports = vec![port];
    };
    TestWorker::start_with(change, &[]).await
}

async fn not_opened(worker: &TestWorker) -> Report {
    match worker.client.open_session(&OpenSession::default()).await {
        Ok(_) => panic!("a session was opened"),
        Err(error) => error.to_report(),
    }
}

/// Runs a text that must succeed.
async fn run(worker: &TestWorker, sql: &str) -> Result<Answer> {
    let outcome = worker.sql(sql).await;
    outcome.map_err(|error| anyhow::anyhow!("{sql}: {}", error.to_report()))
}

#[tokio::test]
async fn tables_are_made_written_and_read_behind_all_walls() -> Result<()> {
    let Some(store) = ObjectStore::start()? else {
        return Ok(());
    };
    let Some(catalog) = RestCatalog::start(&store, 3600, Keys::Given)? else {
        return Ok(());
    };
    let worker = worker(&store, catalog.spec(&store, Keys::Given)).await?;
    worker.open().await?;
    assert_eq!(run(&worker, "SELECT current_database()").await?.value(), "ice");
    // There is no namespace yet, and the session is open all the same.
    assert_eq!(worker.state("SELECT * FROM t").await, "42P01");
    assert_eq!(worker.state("CREATE TABLE t (i INTEGER)").await, "3F000");
    // A namespace that was missed once stays missing for the rest of the session.
    worker.client.close_session().await?;
    worker.open().await?;
    run(&worker, "CREATE SCHEMA ice.public").await?;
    run(&worker, "CREATE SCHEMA sales").await?;
    run(&worker, "CREATE TABLE sales.t (i INTEGER, v VARCHAR, d DECIMAL(10,2))").await?;
    run(
        &worker,
        "INSERT INTO sales.t SELECT i, 'v' || i, i / 2 FROM range(10000) r(i)",
    )
    .await?;
    run(&worker, "DELETE FROM sales.t WHERE i % 2 = 0").await?;
    run(&worker, "UPDATE sales.t SET v = 'x' WHERE i < 10").await?;
    let counts = run(
        &worker,
        "SELECT count(*) || ',' || count(*) FILTER (v = 'x') FROM ice.sales.t",
    )
    .await?;
    assert_eq!(counts.value(), "5000,5");
    run(&worker, "CREATE TABLE copied AS SELECT * FROM sales.t WHERE i < 10").await?;
    assert_eq!(
        run(&worker, "SELECT count(*) FROM ice.public.copied").await?.value(),
        "5"
    );
    assert_eq!(run(&worker, "SELECT count(*) FROM ice.main.copied").await?.value(), "5");
    for sql in ["BEGIN", "INSERT INTO copied SELECT * FROM sales.t", "ROLLBACK"] {
        run(&worker, sql).await?;
    }
    assert_eq!(run(&worker, "SELECT count(*) FROM copied").await?.value(), "5");
    assert_eq!(worker.state("CREATE VIEW v AS SELECT 1").await, "0A000");
    assert_eq!(
        worker.state("CREATE OR REPLACE TABLE copied AS SELECT 1 AS a").await,
        "0A000"
    );
    // The one relative name that the engine's planning needs is a directory, in which SQL can name nothing.
    for sql in [
        "COPY (SELECT 1) TO 'data'",
        "COPY (SELECT 1) TO 'data' (USE_TMP_FILE false)",
    ] {
        let report = worker.fails(sql).await;
        assert!(
            ["42501", "58030"].contains(&report.sqlstate.as_str()),
            "{sql}: {report}"
        );
    }
    for sql in ["COPY (SELECT 1) TO 'data/x.csv'", "COPY (SELECT 1) TO 'x.csv'"] {
        assert_eq!(worker.state(sql).await, "42501", "{sql}");
    }
    let report = worker.fails("DROP SCHEMA sales").await;
    assert_eq!(report.sqlstate.as_str(), "2BP01", "{report}");
    worker.client.close_session().await?;
    worker.open().await?;
    assert_eq!(run(&worker, "SELECT count(*) FROM sales.t").await?.value(), "5000");
    let objects = store.objects()?;
    assert!(
        objects
            .iter()
            .any(|name| name.starts_with("acme/warehouse/sales/t/data/")),
        "{objects:?}"
    );
    assert!(
        objects.iter().all(|name| name.starts_with("acme/warehouse/")),
        "{objects:?}"
    );
    let secrets = run(&worker, "SELECT string_agg(secret_string, ' ') FROM duckdb_secrets()").await?;
    for hidden in [CLIENT_SECRET, "secret-value"] {
        assert!(!secrets.value().contains(hidden), "{}", secrets.value());
    }
    Ok(())
}

#[tokio::test]
async fn a_table_elsewhere_is_stopped_by_the_engine() -> Result<()> {
    let Some(store) = ObjectStore::start()? else {
        return Ok(());
    };
    let Some(catalog) = RestCatalog::start(&store, 3600, Keys::Given)? else {
        return Ok(());
    };
    let inside = worker(&store, catalog.spec(&store, Keys::Given)).await?;
    inside.open().await?;
    inside.sql("CREATE SCHEMA sales").await?;
    inside.sql("CREATE TABLE sales.t AS SELECT 1 AS i").await?;
    let mut spec = catalog.spec(&store, Keys::Given);
    if let CatalogSource::Iceberg { locations, .. } = &mut spec.source {
        *locations = vec!["s3://lake/acme/another".into()];
    }
    let outside = worker(&store, spec).await?;
    outside.open().await?;
    for sql in [
        "SELECT * FROM sales.t",
        "INSERT INTO sales.t VALUES (2)",
        "CREATE TABLE sales.u AS SELECT 1 AS i",
    ] {
        let report = outside.fails(sql).await;
        assert_eq!(report.sqlstate.as_str(), "42501", "{sql}: {report}");
        assert!(report.message.contains("disabled by configuration"), "{sql}: {report}");
    }
    assert_eq!(inside.sql("SELECT count(*) FROM sales.t").await?.value(), "1");
    Ok(())
}

#[tokio::test]
async fn vended_keys_and_expiring_tokens_are_renewed() -> Result<()> {
    const SECONDS: u32 = 3;
    let Some(store) = ObjectStore::start()? else {
        return Ok(());
    };
    let Some(catalog) = RestCatalog::start(&store, SECONDS, Keys::Vended)? else {
        return Ok(());
    };
    let worker = worker(&store, catalog.spec(&store, Keys::Vended)).await?;
    worker.open().await?;
    worker.sql("CREATE SCHEMA sales").await?;
    worker.sql("CREATE TABLE sales.t (i INTEGER)").await?;
    for round in 1..=2 {
        worker.sql("INSERT INTO sales.t VALUES (1)").await?;
        // The token's life is the thing under test.
        tokio::time::sleep(Duration::from_secs(u64::from(SECONDS) + 1)).await;
        let count = worker.sql("SELECT count(*) FROM sales.t").await?;
        assert_eq!(count.value(), round.to_string());
    }
    Ok(())
}

#[tokio::test]
async fn a_wrong_client_secret_is_told_without_it() -> Result<()> {
    let Some(store) = ObjectStore::start()? else {
        return Ok(());
    };
    let Some(catalog) = RestCatalog::start(&store, 3600, Keys::Given)? else {
        return Ok(());
    };
    let mut spec = catalog.spec(&store, Keys::Given);
    if let CatalogSource::Iceberg {
        auth: IcebergAuth::OAuth2 { client_secret, .. },
        ..
    } = &mut spec.source
    {
        *client_secret = Secret::new("not-the-secret".into());
    }
    let report = not_opened(&worker(&store, spec).await?).await;
    assert_eq!(report.sqlstate.as_str(), "28000", "{report}");
    assert!(!format!("{report:?}").contains("not-the-secret"), "{report:?}");
    let mut spec = catalog.spec(&store, Keys::Given);
    if let CatalogSource::Iceberg { auth, .. } = &mut spec.source {
        *auth = IcebergAuth::Token(Secret::new("no-token-of-it".into()));
    }
    let report = not_opened(&worker(&store, spec).await?).await;
    assert_eq!(report.sqlstate.as_str(), "28000", "{report}");
    assert!(!format!("{report:?}").contains("no-token-of-it"), "{report:?}");
    Ok(())
}

#[tokio::test]
async fn schemas_are_namespaces_and_names_are_parts_of_places() -> Result<()> {
    let Some(store) = ObjectStore::start()? else {
        return Ok(());
    };
    let Some(catalog) = RestCatalog::start(&store, 3600, Keys::Given)? else {
        return Ok(());
    };
    let worker = worker(&store, catalog.spec(&store, Keys::Given)).await?;
    worker.open().await?;
    // Where a schema is made or dropped its name stays, `main` too, which no relation's name can reach.
    for sql in [
        "CREATE SCHEMA ice.public",
        "CREATE SCHEMA IF NOT EXISTS ice.public",
        "CREATE SCHEMA ice.main",
        "CREATE TABLE ice.main.t (i INTEGER)",
        "DROP SCHEMA ice.main",
        "CREATE TABLE ice.public.u (i INTEGER)",
    ] {
        run(&worker, sql).await?;
    }
    let schemas = "SELECT string_agg(nspname, ',') FROM __pintail.pg.pg_namespace WHERE nspname IN ('public', 'main')";
    assert_eq!(run(&worker, schemas).await?.value(), "public");
    let tables = "SELECT string_agg(table_schema || '.' || table_name, ',' ORDER BY table_name) \
                  FROM __pintail.info.tables WHERE table_schema IN ('public', 'main')";
    assert_eq!(run(&worker, tables).await?.value(), "public.t,public.u");
    // Constraints are taken and forgotten, so they are refused before the engine sees them.
    run(&worker, "CREATE TABLE k (i INTEGER PRIMARY KEY CHECK (i > 0))").await?;
    assert_eq!(worker.state("DROP SCHEMA ice.public").await, "2BP01");
    // What a name has behind a `?` tells the engine where to send its requests, so such names are refused before, too.
    let elsewhere = "CREATE TABLE \"t?s3_endpoint=localhost:1\" AS SELECT 1 AS i";
    let report = worker.fails(elsewhere).await;
    assert!(report.message.contains("localhost:1"), "{report}");
    // The values of partitions are not taken so.
    run(&worker, "CREATE TABLE p (a VARCHAR, i INTEGER) PARTITIONED BY (a)").await?;
    run(&worker, "INSERT INTO p VALUES ('x?s3_endpoint=localhost:1', 1)").await?;
    assert_eq!(run(&worker, "SELECT count(*) FROM p").await?.value(), "1");
    Ok(())
}
