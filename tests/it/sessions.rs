//! Sessions side by side and one after another.

use std::time::{Duration, Instant};

use pintail_tests::raw::{Raw, text};
use pintail_tests::{Installation, Options};

async fn worker_of(client: &tokio_postgres::Client) -> String {
    client
        .query_one("SELECT getvariable('pintail_worker_id')::text", &[])
        .await
        .expect("worker id")
        .get(0)
}

#[tokio::test]
async fn two_sessions_sit_on_two_workers_and_one_may_die() {
    let installation = Installation::start().expect("start");
    let (first, second) = (
        installation.connect().await.expect("connect"),
        installation.connect().await.expect("connect"),
    );
    assert_ne!(worker_of(&first).await, worker_of(&second).await);
    // Without a transaction the read would be run again on another worker.
    first.batch_execute("BEGIN").await.expect("begin");
    let workers = installation.workers();
    let victim_sql = "SELECT count(*) FROM range(1000000000000)";
    let (result, killed) = tokio::join!(first.query(victim_sql, &[]), async {
        kill(busy(&workers).await);
        Instant::now()
    });
    let error = result.expect_err("the worker is gone");
    assert_eq!(
        error.code().map(tokio_postgres::error::SqlState::code),
        Some("08006"),
        "{error}"
    );
    assert!(killed.elapsed() < Duration::from_secs(2), "{:?}", killed.elapsed());
    assert_eq!(
        second
            .query_one("SELECT 1", &[])
            .await
            .expect("untouched")
            .get::<_, i32>(0),
        1
    );
    let third = installation.connect().await.expect("a new connection");
    assert_eq!(
        third.query_one("SELECT 3", &[]).await.expect("works").get::<_, i32>(0),
        3
    );
}

/// The worker that computes. Building the next session's instance uses the processor too, but not for as long.
async fn busy(workers: &[i32]) -> i32 {
    let start: Vec<u64> = workers.iter().map(|pid| ticks(*pid)).collect();
    let deadline = Instant::now() + Duration::from_mins(1);
    while Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(20)).await;
        if let Some((pid, _)) = workers
            .iter()
            .zip(&start)
            .find(|(pid, start)| ticks(**pid) >= **start + 300)
        {
            return *pid;
        }
    }
    panic!("no worker of {workers:?} computes");
}

/// The processor time that a process has used, in clock ticks.
fn ticks(pid: i32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).map(|field| field.parse().unwrap_or(0)).sum()
}

fn kill(pid: i32) {
    let pid = rustix::process::Pid::from_raw(pid).expect("a process");
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("kill");
}

#[tokio::test]
async fn nothing_of_a_session_is_left_to_the_next_on_its_worker() {
    let settings = vec![
        ("PINTAIL_WORKERS_MAX", "1".to_owned()),
        ("PINTAIL_WORKERS_SPARE", "0".to_owned()),
    ];
    let installation = Installation::start_with(Options { settings }).expect("start");
    let first = installation.connect().await.expect("connect");
    let worker = worker_of(&first).await;
    let made = outcomes(&first).await;
    let worked = made.iter().filter(|outcome| outcome.is_none()).count();
    assert!(worked >= 7, "the session made its things: {made:?}");
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
    let variable: Option<i32> = second
        .query_one("SELECT getvariable('left_variable')::int", &[])
        .await
        .expect("variable")
        .get(0);
    assert_eq!(variable, None);
    assert_eq!(outcomes(&second).await, made, "nothing is there already");
}

/// Tries to leave something of every kind; gives the SQLSTATE of what was refused.
async fn outcomes(client: &tokio_postgres::Client) -> Vec<Option<String>> {
    let mut outcomes = Vec::new();
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
        let refused = client.batch_execute(sql).await.err();
        outcomes.push(refused.map(|error| format!("{sql}: {:?}", error.code())));
    }
    outcomes
}

#[test]
fn six_writers_lose_nothing() {
    let installation = Installation::start().expect("start");
    assert_eq!(
        installation
            .sql("CREATE TABLE written (writer int, n int)")
            .expect("create"),
        ""
    );
    let writers: Vec<_> = (0..6)
        .map(|writer| {
            let mut script = String::new();
            for n in 0..40 {
                script.push_str(&format!("INSERT INTO written VALUES ({writer}, {n});\n"));
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
    let counted = installation
        .sql("SELECT count(*), count(DISTINCT (writer, n)) FROM written")
        .expect("count");
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
    // What holds nothing would be given up for one that waits.
    assert!(first.batch_execute("CREATE TEMP TABLE held (i int)").await.is_ok());
    let second = installation.connect().await.expect("a session without a worker");
    let error = second.query("SELECT 1", &[]).await.expect_err("no worker");
    assert_eq!(error.code().map(tokio_postgres::error::SqlState::code), Some("53300"));
    assert_eq!(second.query("SHOW TimeZone", &[]).await.expect("needs none").len(), 1);
    let (result, ()) = tokio::join!(second.query("SELECT 1", &[]), async {
        // The wait has begun; where it has not, the freed worker is simply there.
        tokio::time::sleep(Duration::from_millis(200)).await;
        drop(first);
    });
    assert!(result.is_ok(), "the freed worker went to the waiter: {result:?}");
}

#[tokio::test]
async fn a_client_that_vanishes_frees_its_worker() {
    let settings = vec![("PINTAIL_WORKERS_MAX", "1".to_owned())];
    let installation = Installation::start_with(Options { settings }).expect("start");
    let mut session = Raw::session(&installation).expect("session");
    session
        .send(b'Q', &text("SELECT i FROM range(1000000000000) AS t(i)"))
        .expect("send");
    assert_eq!(session.some(2).expect("rows"), "T:1 D", "the statement runs");
    drop(session);
    let next = installation.connect().await.expect("connect");
    let started = Instant::now();
    assert!(next.query("SELECT 1", &[]).await.is_ok());
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_client_that_vanishes_while_its_session_is_opened_leaves_no_worker_behind_that_cannot_be_used() {
    let settings = vec![("PINTAIL_WORKERS_MAX", "1".to_owned())];
    let installation = Installation::start_with(Options { settings }).expect("start");
    for _ in 0..5 {
        let mut session = Raw::session(&installation).expect("session");
        session.send(b'Q', &text("SELECT 1")).expect("send");
        drop(session);
        let next = installation.connect().await.expect("connect");
        assert_eq!(
            next.query_one("SELECT 1", &[]).await.expect("works").get::<_, i32>(0),
            1
        );
    }
}

#[tokio::test]
async fn an_alter_that_fails_leaves_no_transaction_behind() {
    let installation = Installation::start().expect("start");
    let client = installation.connect().await.expect("connect");
    client
        .batch_execute("CREATE TEMP TABLE t (a int)")
        .await
        .expect("table");
    for wrong in [
        "ALTER TABLE t ADD COLUMN b int DEFAULT nope",
        "ALTER TABLE t ADD COLUMN b int DEFAULT (SELECT nope)",
    ] {
        assert!(client.simple_query(wrong).await.is_err(), "{wrong}");
        assert!(client.simple_query("SELECT a FROM t").await.is_ok(), "after {wrong}");
        assert!(client.query(wrong, &[]).await.is_err(), "{wrong}");
        assert!(client.query("SELECT a FROM t", &[]).await.is_ok(), "after {wrong}");
    }
    client
        .batch_execute("BEGIN; INSERT INTO t VALUES (1); COMMIT")
        .await
        .expect("a transaction of its own");
}

#[tokio::test]
async fn settings_that_come_before_the_first_statement_reach_the_engine() {
    let installation = Installation::start().expect("start");
    let plain = installation.connect().await.expect("connect");
    plain
        .batch_execute("CREATE SCHEMA apart; CREATE TABLE apart.t (i int)")
        .await
        .expect("create");
    let mut config = installation.config();
    config.options("-c TimeZone=Asia/Tokyo -c search_path=apart");
    let (client, connection) = config.connect(installation.tls().expect("tls")).await.expect("connect");
    tokio::spawn(connection);
    let instant = "SELECT extract(epoch FROM '2020-01-01 09:00:00'::timestamptz)::int8, count(*) FROM t";
    let row = client.query_one(instant, &[]).await.expect("both settings");
    assert_eq!(row.get::<_, i64>(0), 1_577_836_800);
}
