//! Lakes whose Parquet is in an S3 store, and what stands between two organisations there.

use anyhow::Result;
use pintail_worker_api::Secret;
use pintail_worker_api::bootstrap::{
    CatalogSource, CatalogSpec, DataLocation, KernelWall, LakeOpening, PostgresTarget,
};
use pintail_worker_api::messages::OpenSession;

use crate::harness::TestWorker;
use crate::objects::{BUCKET, ObjectStore};
use crate::postgres::Postgres;

/// Leaves the engine's wall out, so that the walls behind it are seen.
const WITHOUT_ENGINE_WALL: [(&str, &str); 1] = [("PINTAIL_TEST_WITHOUT_ENGINE_WALL", "1")];

/// A lake of an organisation below its own prefix.
fn lake(store: &ObjectStore, metadata: &PostgresTarget, org: &str, opening: LakeOpening) -> CatalogSpec {
    CatalogSpec {
        name: "lake".into(),
        source: CatalogSource::DuckLake {
            metadata: metadata.clone(),
            metadata_schema: metadata.user.clone(),
            data: DataLocation::S3 {
                url: format!("{}lake/", ObjectStore::prefix(org)),
                store: store.target(org),
            },
            opening,
        },
    }
}

async fn worker(catalog: CatalogSpec, environment: &[(&str, &str)]) -> Result<TestWorker> {
    let worker = TestWorker::start_with(
        |bootstrap| {
            bootstrap.catalogs = vec![catalog];
            bootstrap.kernel_wall = KernelWall::Require;
        },
        environment,
    )
    .await?;
    worker.client.open_session(&OpenSession::default()).await?;
    Ok(worker)
}

/// Two provisioned lakes, each with a table of one row.
async fn two_lakes(postgres: &Postgres, store: &ObjectStore) -> Result<[PostgresTarget; 2]> {
    let acme = postgres.provision("dl_acme__lake")?;
    let beta = postgres.provision("dl_beta__lake")?;
    for (org, metadata) in [("acme", &acme), ("beta", &beta)] {
        let worker = worker(lake(store, metadata, org, LakeOpening::Provision), &[]).await?;
        worker.sql("CREATE TABLE t (i INTEGER)").await?;
        worker.sql("INSERT INTO t VALUES (1)").await?;
    }
    Ok([acme, beta])
}

/// The URL of the one object of the other organisation.
fn their_object(store: &ObjectStore) -> Result<String> {
    let objects = store.objects()?;
    let theirs = objects.iter().find(|name| name.starts_with("beta/"));
    Ok(format!("s3://{BUCKET}/{}", theirs.expect("beta has an object")))
}

#[tokio::test]
async fn a_lake_on_s3_is_read_and_written_below_its_own_prefix() -> Result<()> {
    let Some(store) = ObjectStore::start()? else {
        return Ok(());
    };
    let postgres = Postgres::start()?;
    let metadata = postgres.provision("dl_acme__lake")?;
    drop(worker(lake(&store, &metadata, "acme", LakeOpening::Provision), &[]).await?);
    let worker = worker(lake(&store, &metadata, "acme", LakeOpening::Existing), &[]).await?;
    assert_eq!(worker.kernel_wall, "up");
    worker.sql("CREATE SCHEMA sales").await?;
    worker.sql("CREATE TABLE sales.t (i INTEGER, v VARCHAR)").await?;
    worker
        .sql("INSERT INTO sales.t SELECT i, 'v' || i FROM range(100000) r(i)")
        .await?;
    worker.sql("DELETE FROM sales.t WHERE i % 2 = 0").await?;
    worker.sql("UPDATE sales.t SET v = 'x' WHERE i < 10").await?;
    assert_eq!(worker.sql("SELECT count(*) FROM sales.t").await?.value(), "50000");
    assert_eq!(
        worker.sql("SELECT count(*) FROM sales.t WHERE v = 'x'").await?.value(),
        "5"
    );
    let objects = store.objects()?;
    assert!(objects.len() >= 2, "{objects:?}");
    assert!(objects.iter().all(|name| name.starts_with("acme/lake/")), "{objects:?}");
    for sql in [
        "SELECT string_agg(secret_string, ' ') FROM duckdb_secrets()",
        "SELECT string_agg(concat_ws(' ', database_name, path, options, comment), ' ') FROM duckdb_databases()",
    ] {
        let answer = worker.sql(sql).await?;
        assert!(!answer.value().contains("secret-value"), "{}", answer.value());
        assert!(!answer.value().contains("pw-"), "{}", answer.value());
    }
    Ok(())
}

/// Ways to another prefix of the bucket that the engine sees in the name.
fn plain_attempts(theirs: &str) -> Vec<String> {
    let name = theirs.trim_start_matches("s3://lake/");
    vec![
        format!("SELECT * FROM read_parquet('{theirs}')"),
        format!("SELECT * FROM '{theirs}'"),
        format!("SELECT * FROM read_blob('{theirs}')"),
        format!("SELECT * FROM read_parquet('s3://lake//{name}')"),
        format!("SELECT * FROM read_parquet('s3a://lake/{name}')"),
        format!("SELECT * FROM read_parquet('s3n://lake/{name}')"),
        format!("SELECT * FROM read_parquet('gcs://lake/{name}')"),
        format!("SELECT * FROM read_parquet('S3://lake/{name}')"),
        format!("SELECT * FROM read_parquet('s3://LAKE/{name}')"),
        format!("SELECT * FROM read_parquet('s3://lake/{}')", name.to_uppercase()),
        format!("SELECT * FROM read_parquet('s3://lake/%62eta/{}')", &name[5..]),
        "SELECT * FROM glob('s3://lake/beta/**')".into(),
        "SELECT * FROM glob('s3://lake/*/**')".into(),
        "SELECT * FROM glob('s3://lake/acme/lake*/../../**')".into(),
        "COPY (SELECT 1 AS a) TO 's3://lake/beta/written.parquet'".into(),
        "COPY (SELECT 1 AS a) TO 's3://lake/written.parquet'".into(),
        "COPY (SELECT 1 AS a) TO 's3://lake/acme/written.parquet'".into(),
        "COPY (SELECT 1 AS a) TO 's3://lake/acme/lakes/written.parquet'".into(),
    ]
}

/// Ways that begin with the own prefix, which the engine lets pass.
fn climbing_attempts(theirs: &str) -> Vec<String> {
    let name = theirs.trim_start_matches("s3://lake/");
    let own = "s3://lake/acme/lake";
    vec![
        format!("SELECT * FROM read_parquet('{own}/../../{name}')"),
        format!("SELECT * FROM read_parquet('{own}//../..//{name}')"),
        format!("SELECT * FROM read_parquet('{own}/%2e%2e/%2e%2e/{name}')"),
        format!("SELECT * FROM read_parquet('{own}/%2E%2E/%2E%2E/{name}')"),
        format!("SELECT * FROM read_parquet('{own}/..%2f..%2f{name}')"),
        format!("COPY (SELECT 1 AS a) TO '{own}/../../beta/written.parquet'"),
        format!("COPY (SELECT 1 AS a) TO '{own}/%2e%2e/%2e%2e/%2e%2e/beta/written.parquet'"),
    ]
}

#[tokio::test]
async fn another_prefix_is_stopped_by_the_engine_and_then_by_the_store() -> Result<()> {
    let Some(store) = ObjectStore::start()? else {
        return Ok(());
    };
    let postgres = Postgres::start()?;
    let [acme, _] = two_lakes(&postgres, &store).await?;
    let theirs = their_object(&store)?;
    let before = store.objects()?;

    let walled = worker(lake(&store, &acme, "acme", LakeOpening::Existing), &[]).await?;
    for sql in plain_attempts(&theirs) {
        assert_eq!(walled.state(&sql).await, "42501", "{sql}");
    }
    let copied = climb(&walled, &theirs).await?;
    let secret = secret_for(&store, "acme", "s3://lake/beta/");
    walled.sql(&secret).await?;
    let report = walled.fails(&format!("SELECT * FROM read_parquet('{theirs}')")).await;
    assert!(report.message.contains("disabled by configuration"), "{report}");

    let open = worker(lake(&store, &acme, "acme", LakeOpening::Existing), &WITHOUT_ENGINE_WALL).await?;
    open.sql(&secret).await?;
    for sql in [
        format!("SELECT * FROM read_parquet('{theirs}')"),
        "SELECT * FROM glob('s3://lake/beta/**')".into(),
        "COPY (SELECT 1 AS a) TO 's3://lake/beta/written.parquet'".into(),
    ] {
        let report = open.fails(&sql).await;
        assert_eq!(report.sqlstate.as_str(), "42501", "{sql}: {report}");
        assert!(report.message.contains("403"), "{sql}: {report}");
    }
    climb(&open, &theirs).await?;
    let mut after = store.objects()?;
    after.retain(|name| !copied.contains(name));
    assert_eq!(before, after, "nothing was written elsewhere");
    Ok(())
}

/// None of them reads or writes anything of the other's; the objects whose odd names lie below the own prefix are returned.
async fn climb(worker: &TestWorker, theirs: &str) -> Result<Vec<String>> {
    let mut own = Vec::new();
    for sql in climbing_attempts(theirs) {
        match worker.sql(&sql).await {
            // An encoded name is another object's, and that is the own prefix's.
            Ok(_) => {
                assert!(sql.contains("%2e") && sql.starts_with("COPY"), "{sql}");
                own.push("acme/lake/%2e%2e/%2e%2e/%2e%2e/beta/written.parquet".to_owned());
            }
            Err(error) => {
                let report = pintail_sqlstate::ToReport::to_report(&error);
                assert!(
                    ["42501", "58P01", "58030"].contains(&report.sqlstate.as_str()),
                    "{sql}: {report}"
                );
            }
        }
    }
    Ok(own)
}

fn secret_for(store: &ObjectStore, org: &str, scope: &str) -> String {
    let target = store.target(org);
    format!(
        "CREATE SECRET wide (TYPE s3, PROVIDER config, KEY_ID '{}', SECRET '{}', REGION 'us-east-1', ENDPOINT '{}', \
         USE_SSL false, URL_STYLE 'path', SCOPE '{scope}')",
        target.key_id.expose(),
        target.secret.expose(),
        target.endpoint,
    )
}

#[tokio::test]
async fn wrong_keys_are_told_without_the_keys() -> Result<()> {
    let Some(store) = ObjectStore::start()? else {
        return Ok(());
    };
    let postgres = Postgres::start()?;
    let [acme, _] = two_lakes(&postgres, &store).await?;
    for (key_id, secret) in [("acme-key", "not-the-secret"), ("nobodys-key", "not-the-secret")] {
        let mut catalog = lake(&store, &acme, "acme", LakeOpening::Existing);
        if let CatalogSource::DuckLake {
            data: DataLocation::S3 { store, .. },
            ..
        } = &mut catalog.source
        {
            store.key_id = Secret::new(key_id.into());
            store.secret = Secret::new(secret.into());
        }
        let worker = worker(catalog, &[]).await?;
        for sql in [
            "SELECT * FROM t",
            "INSERT INTO t VALUES (2)",
            "CREATE TABLE u AS SELECT 1 AS a",
        ] {
            let report = worker.fails(sql).await;
            assert_eq!(report.sqlstate.as_str(), "42501", "{sql}: {report}");
            let text = format!("{report:?}");
            assert!(!text.contains("acme-key") && !text.contains(secret), "{sql}: {text}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_location_that_the_operator_opened_is_reached_with_the_users_own_keys() -> Result<()> {
    let Some(store) = ObjectStore::start()? else {
        return Ok(());
    };
    let port = store
        .target("acme")
        .endpoint
        .rsplit(':')
        .next()
        .expect("a port")
        .parse()?;
    let worker = TestWorker::start_with(
        |bootstrap| {
            bootstrap.locations = vec!["s3://lake/acme/exchange".into()];
            bootstrap.ports = vec![port];
            bootstrap.kernel_wall = KernelWall::Require;
        },
        &[],
    )
    .await?;
    worker.open().await?;
    worker
        .sql(&secret_for(&store, "acme", "s3://lake/acme/exchange/"))
        .await?;
    worker
        .sql("COPY (SELECT 7 AS a) TO 's3://lake/acme/exchange/x.parquet'")
        .await?;
    assert_eq!(
        worker
            .sql("SELECT a FROM 's3://lake/acme/exchange/*.parquet'")
            .await?
            .value(),
        "7"
    );
    assert_eq!(
        worker
            .state("COPY (SELECT 7 AS a) TO 's3://lake/acme/exchanges.parquet'")
            .await,
        "42501"
    );
    assert_eq!(store.objects()?, ["acme/exchange/x.parquet"]);
    Ok(())
}

/// A URL and a secret may name another server; the engine lets both pass below an own prefix.
#[tokio::test]
async fn another_server_is_stopped_by_the_kernel() -> Result<()> {
    let Some(store) = ObjectStore::start()? else {
        return Ok(());
    };
    let postgres = Postgres::start()?;
    let [acme, _] = two_lakes(&postgres, &store).await?;
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let elsewhere = listener.local_addr()?;
    let worker = worker(lake(&store, &acme, "acme", LakeOpening::Existing), &[]).await?;
    let url = "s3://lake/acme/lake/x.parquet";
    let mut told = worker
        .fails(&format!("SELECT * FROM read_parquet('{url}?s3_endpoint={elsewhere}')"))
        .await;
    assert!(!told.message.is_empty());
    let secret = secret_for(&store, "acme", url).replace(&store.target("acme").endpoint, &elsewhere.to_string());
    worker.sql(&secret).await?;
    told = worker.fails(&format!("SELECT * FROM read_parquet('{url}')")).await;
    let nobody_came = matches!(listener.accept(), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock);
    assert!(nobody_came, "{told}");
    Ok(())
}
