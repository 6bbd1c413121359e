//! Sessions side by side and one after another.

use std::time::{Duration, Instant};

use pintail_tests::{Installation, Options, eventually};

async fn worker_of(client: &tokio_postgres::Client) -> String {
    client.query_one("SELECT pintail_worker_id()", &[]).await.expect("worker id").get(0)
}

#[tokio::test]
async fn two_sessions_sit_on_two_workers_and_one_may_die() {
    let installation = Installation::start().expect("start");
    let (first, second) = (installation.connect().await.expect("connect"), installation.connect().await.expect("connect"));
    assert_ne!(worker_of(&first).await, worker_of(&second).await);
    let workers = installation.workers();
    let victim_sql = "SELECT count(*) FROM range(1000000000000)";
    let started = Instant::now();
    let (result, ()) = tokio::join!(first.query(victim_sql, &[]), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        // The busy one has used the most processor time.
        let victim = busiest(&workers);
        kill(victim);
    });
    let error = result.expect_err("the worker is gone");
    assert_eq!(error.code().map(tokio_postgres::error::SqlState::code), Some("08006"), "{error}");
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
    assert_eq!(second.query_one("SELECT 1", &[]).await.expect("untouched").get::<_, i32>(0), 1);
    let third = installation.connect().await.expect("a new connection");
    assert_eq!(third.query_one("SELECT 3", &[]).await.expect("works").get::<_, i32>(0), 3);
}

fn busiest(workers: &[i32]) -> i32 {
    let ticks = |pid: &i32| -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let rest = stat.rsplit(')').next().unwrap_or_default().to_owned();
        let fields: Vec<u64> = rest.split_whitespace().map(|field| field.parse().unwrap_or(0)).collect();
        fields.get(11).copied().unwrap_or(0) + fields.get(12).copied().unwrap_or(0)
    };
    let before: Vec<u64> = workers.iter().map(ticks).collect();
    std::thread::sleep(Duration::from_millis(100));
    let used = |index: usize| ticks(&workers[index]) - before[index];
    (0..workers.len()).max_by_key(|index| used(*index)).map_or(0, |index| workers[index])
}

fn kill(pid: i32) {
    let pid = rustix::process::Pid::from_raw(pid).expect("a process");
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("kill");
}

#[tokio::test]
async fn nothing_of_a_session_is_left_to_the_next_on_its_worker() {
    let settings = vec![("PINTAIL_WORKERS_MAX", "1".to_owned()), ("PINTAIL_WORKERS_SPARE", "0".to_owned())];
    let installation = Installation::start_with(Options { settings }).expect("start");
    let first = installation.connect().await.expect("connect");
    let worker = worker_of(&first).await;
    for sql in [
        "CREATE TEMP TABLE left_temp (a int)",
        "ATTACH ':memory:' AS left_db",
        "CREATE TABLE left_db.main.left_memory (a int)",
        "CREATE SECRET left_secret (TYPE postgres, HOST 'h', PASSWORD 'p')",
        "SET TimeZone = 'Asia/Tokyo'",
        "SET VARIABLE left_variable = 42",
        "CREATE TEMP MACRO left_macro() AS 42",
        "PREPARE left_prepared AS SELECT 42",
    ] {
        // What is refused here leaves nothing either; the next session is asked for all of it.
        let _ = first.batch_execute(sql).await;
    }
    assert!(first.query("SELECT * FROM left_temp", &[]).await.is_ok());
    drop(first);
    let second = installation.connect().await.expect("connect");
    assert_eq!(worker_of(&second).await, worker, "the same process");
    for sql in [
        "SELECT * FROM left_temp",
        "SELECT * FROM left_db.main.left_memory",
        "SELECT left_macro()",
        "EXECUTE left_prepared",
    ] {
        assert!(second.simple_query(sql).await.is_err(), "{sql} still works");
    }
    let zone: String = second.query_one("SHOW TimeZone", &[]).await.expect("show").get(0);
    assert_eq!(zone, "UTC");
    let secrets: i64 = second
        .query_one("SELECT count(*) FROM duckdb_secrets() WHERE name = 'left_secret'", &[])
        .await
        .expect("secrets")
        .get(0);
    assert_eq!(secrets, 0);
    let variable: Option<i32> = second.query_one("SELECT getvariable('left_variable')::int", &[]).await.expect("variable").get(0);
    assert_eq!(variable, None);
}

#[test]
fn six_writers_lose_nothing() {
    let installation = Installation::start().expect("start");
    assert_eq!(installation.sql("CREATE TABLE written (writer int, n int)").expect("create"), "");
    let writers: Vec<_> = (0..6)
        .map(|writer| {
            let mut script = String::new();
            for n in 0..40 {
                script += &format!("INSERT INTO written VALUES ({writer}, {n});\n");
            }
            let path = installation.data_dir().join(format!("writer{writer}.sql"));
            std::fs::write(&path, script).expect("script");
            let mut command = installation.psql().expect("psql");
            command.args(["-v", "ON_ERROR_STOP=1", "-f"]).arg(path);
            command.spawn().expect("psql")
        })
        .collect();
    for mut writer in writers {
        assert!(writer.wait().expect("psql").success());
    }
    let counted = installation.sql("SELECT count(*), count(DISTINCT (writer, n)) FROM written").expect("count");
    assert_eq!(counted, "240|240");
}

#[tokio::test]
async fn a_full_pool_makes_sessions_wait_and_says_so_when_it_takes_too_long() {
    let settings = vec![
        ("PINTAIL_WORKERS_MAX", "1".to_owned()),
        ("PINTAIL_WORKER_QUEUE_TIMEOUT", "1s".to_owned()),
    ];
    let installation = Installation::start_with(Options { settings }).expect("start");
    let first = installation.connect().await.expect("connect");
    assert!(first.query("SELECT 1", &[]).await.is_ok());
    let second = installation.connect().await.expect("a session without a worker");
    let error = second.query("SELECT 1", &[]).await.expect_err("no worker");
    assert_eq!(error.code().map(tokio_postgres::error::SqlState::code), Some("53300"));
    assert_eq!(second.query("SHOW TimeZone", &[]).await.expect("needs none").len(), 1);
    let (result, ()) = tokio::join!(second.query("SELECT 1", &[]), async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        drop(first);
    });
    assert!(result.is_ok(), "the freed worker went to the waiter: {result:?}");
}

#[tokio::test]
async fn a_client_that_vanishes_frees_its_worker() {
    let settings = vec![("PINTAIL_WORKERS_MAX", "1".to_owned())];
    let installation = Installation::start_with(Options { settings }).expect("start");
    let mut session = installation
        .psql()
        .expect("psql")
        .args(["-c", "SELECT count(*) FROM range(1000000000000)"])
        .spawn()
        .expect("psql");
    eventually("the statement runs", Duration::from_secs(20), || {
        (!installation.workers().is_empty()).then_some(())
    })
    .expect("a worker");
    tokio::time::sleep(Duration::from_millis(500)).await;
    session.kill().expect("kill psql");
    session.wait().expect("psql ends");
    let next = installation.connect().await.expect("connect");
    let started = Instant::now();
    assert!(next.query("SELECT 1", &[]).await.is_ok());
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}
