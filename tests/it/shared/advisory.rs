//! Advisory locks.

use futures::FutureExt as _;
use pintail_tests::operator::{state, told, value};
use pintail_tests::raw::{Raw, text};

use super::{pid, server, session, until};

const TRY: &str = "SELECT pg_try_advisory_lock";

#[tokio::test]
async fn a_lock_is_held_against_the_organisations_other_sessions_only() {
    let (one, two, other) = (
        session("acme", "olga").await,
        session("acme", "wim").await,
        session("globex", "gus").await,
    );
    assert_eq!(value(&one, "SELECT pg_advisory_lock(100)").await, "");
    assert_eq!(value(&one, &format!("{TRY}(100)")).await, "t", "again");
    assert_eq!(value(&two, &format!("{TRY}(100)")).await, "f");
    assert_eq!(value(&two, "SELECT pg_try_advisory_lock_shared(100)").await, "f");
    assert_eq!(value(&two, &format!("{TRY}(0, 100)")).await, "t", "another space");
    assert_eq!(value(&other, &format!("{TRY}(100)")).await, "t", "another organisation");
    assert_eq!(value(&other, "SELECT count(*) FROM pg_locks").await, "1");
    let shown = format!(
        "SELECT classid || ' ' || objid || ' ' || objsubid || ' ' || mode || ' ' || granted::text FROM pg_locks WHERE pid = {}",
        pid(&one).await
    );
    assert_eq!(value(&two, &shown).await, "0 100 1 ExclusiveLock true");
    assert_eq!(value(&one, "SELECT pg_advisory_unlock(100)").await, "t");
    assert_eq!(value(&two, &format!("{TRY}(100)")).await, "f", "held once more");
    assert_eq!(value(&one, "SELECT pg_advisory_unlock(100)").await, "t");
    assert_eq!(value(&one, "SELECT pg_advisory_unlock(100)").await, "f");
    assert_eq!(value(&two, &format!("{TRY}(100)")).await, "t");
    drop(two);
    until(&one, &format!("{TRY}(100)"), "t").await;
    assert_eq!(value(&one, "SELECT pg_advisory_unlock_all()").await, "");
    assert_eq!(value(&one, &shown).await, "no row");
}

#[tokio::test]
async fn who_waits_gets_the_lock_when_it_is_free() {
    let (one, two) = (session("acme", "olga").await, session("acme", "wim").await);
    assert_eq!(value(&one, "SELECT pg_advisory_lock(200)").await, "");
    let pid = pid(&two).await;
    let waiting = value(&two, "SELECT pg_advisory_lock(200)").shared();
    let looking = async {
        let waits = format!(
            "SELECT a.wait_event || ' ' || l.granted::text FROM pg_stat_activity a JOIN pg_locks l USING (pid) WHERE pid = {pid}"
        );
        until(&one, &waits, "advisory false").await;
        assert!(waiting.clone().now_or_never().is_none());
        assert_eq!(value(&one, "SELECT pg_advisory_unlock(200)").await, "t");
    };
    let (got, ()) = futures::join!(waiting.clone(), looking);
    assert_eq!(got, "");
    assert_eq!(value(&two, "SELECT pg_advisory_unlock(200)").await, "t");
}

#[tokio::test]
async fn a_transactions_locks_end_with_it() {
    let (one, two) = (session("acme", "olga").await, session("acme", "wim").await);
    let can_have = async |key: i32| {
        let got = value(&two, &format!("{TRY}({key})")).await;
        if got == "t" {
            assert_eq!(value(&two, &format!("SELECT pg_advisory_unlock({key})")).await, "t");
        }
        got == "t"
    };
    assert_eq!(value(&one, "SELECT pg_advisory_xact_lock(300)").await, "");
    assert!(can_have(300).await, "a statement is a transaction");
    for end in ["COMMIT", "ROLLBACK"] {
        one.batch_execute("BEGIN; SELECT pg_advisory_xact_lock(300), pg_advisory_lock(301)")
            .await
            .expect("locked");
        assert_eq!(
            value(&one, "SELECT pg_advisory_unlock(300)").await,
            "f",
            "not the session's"
        );
        assert!(!can_have(300).await && !can_have(301).await);
        one.batch_execute(end).await.expect(end);
        assert!(can_have(300).await && !can_have(301).await, "{end}");
        assert_eq!(value(&one, "SELECT pg_advisory_unlock(301)").await, "t");
    }
    one.batch_execute("BEGIN; SELECT pg_try_advisory_xact_lock(300)")
        .await
        .expect("locked");
    assert!(one.batch_execute("SELECT nothing").await.is_err());
    assert!(can_have(300).await, "an error ends it");
    one.batch_execute("ROLLBACK; BEGIN; SELECT pg_advisory_xact_lock(300); SAVEPOINT s; SELECT pg_advisory_xact_lock(302); ROLLBACK TO s")
        .await
        .expect("locked");
    assert!(!can_have(300).await && can_have(302).await);
    one.batch_execute("COMMIT").await.expect("commit");
}

#[tokio::test]
async fn waiting_ends_by_limits_cancels_and_deadlocks() {
    let (one, two) = (session("acme", "olga").await, session("acme", "olga").await);
    one.batch_execute("SELECT pg_advisory_lock(400)").await.expect("locked");
    two.batch_execute("SELECT pg_advisory_lock(401)").await.expect("locked");
    two.batch_execute("SET lock_timeout = '50ms'").await.expect("set");
    assert_eq!(state(&two, "SELECT pg_advisory_lock(400)").await, "55P03");
    two.batch_execute("SET lock_timeout = 0; SET statement_timeout = '50ms'")
        .await
        .expect("set");
    assert_eq!(state(&two, "SELECT pg_advisory_lock(400)").await, "57014");
    two.batch_execute("SET statement_timeout = 0").await.expect("set");
    let twos = pid(&two).await;
    let cancelled = state(&two, "SELECT pg_advisory_lock(400)");
    let cancelling = async {
        until(
            &one,
            &format!("SELECT count(*) FROM pg_locks WHERE pid = {twos} AND NOT granted"),
            "1",
        )
        .await;
        assert_eq!(value(&one, &format!("SELECT pg_cancel_backend({twos})")).await, "t");
    };
    assert_eq!(futures::join!(cancelled, cancelling).0, "57014");
    assert_eq!(
        value(&one, &format!("SELECT count(*) FROM pg_locks WHERE pid = {twos}")).await,
        "1",
        "only its own"
    );

    let (first, second) = futures::join!(one.simple_query("SELECT pg_advisory_lock(401)"), async {
        let ones = "SELECT count(*) FROM pg_locks WHERE objid = 401 AND NOT granted";
        until(&two, ones, "1").await;
        let error = two
            .simple_query("SELECT pg_advisory_lock(400)")
            .await
            .expect_err("a deadlock");
        assert_eq!(value(&two, "SELECT pg_advisory_unlock(401)").await, "t");
        error
    });
    assert!(first.is_ok());
    assert_eq!(told(&second), ("40P01".into(), "deadlock detected".into()));
    let detail = second
        .as_db_error()
        .and_then(|error| error.detail())
        .unwrap_or_default();
    assert!(
        detail.contains("waits for ExclusiveLock on advisory lock [5,0,400,1]; blocked by process"),
        "{detail}"
    );
}

#[tokio::test]
async fn calls_stand_wherever_expressions_do() {
    let client = session("acme", "olga").await;
    let held = "SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid()";
    client
        .batch_execute("CREATE TEMP TABLE ids AS SELECT i::bigint AS id FROM generate_series(501, 503) AS g(i)")
        .await
        .expect("ids");
    client
        .batch_execute("SELECT pg_advisory_lock(id) FROM ids")
        .await
        .expect("each row");
    assert_eq!(value(&client, held).await, "3");
    assert_eq!(
        value(&client, "SELECT count(*) FROM ids WHERE pg_advisory_unlock(id)").await,
        "3"
    );
    assert_eq!(value(&client, held).await, "0");
    assert_eq!(
        value(&client, "SELECT * FROM pg_try_advisory_lock(504) AS got").await,
        "t"
    );
    assert_eq!(
        value(&client, "SELECT CASE WHEN pg_advisory_unlock(504) THEN 'was mine' END").await,
        "was mine"
    );
    assert_eq!(
        state(&client, "SELECT * FROM ids, pg_try_advisory_lock(id)").await,
        "0A000"
    );
    let statement = client
        .prepare("SELECT pg_try_advisory_lock($1), pg_advisory_unlock_all()")
        .await
        .expect("prepare");
    assert_eq!(statement.params()[0].name(), "int8");
    let columns: Vec<_> = statement
        .columns()
        .iter()
        .map(|it| (it.name(), it.type_().name()))
        .collect();
    assert_eq!(
        columns,
        [("pg_try_advisory_lock", "bool"), ("pg_advisory_unlock_all", "void")]
    );
    assert_eq!(value(&client, held).await, "0", "describing takes no lock");
    let row = client.query_one(&statement, &[&505_i64]).await.expect("runs");
    assert!(row.get::<_, bool>(0));
    assert_eq!(value(&client, "SELECT pg_advisory_lock(NULL) IS NULL").await, "t");
    // Of an organisation of its own, whose locks nobody else needs.
    let client = session("initech", "ines").await;
    let flood = "SELECT count(pg_advisory_lock(i)) FROM generate_series(1, 2000) AS g(i)";
    assert_eq!(state(&client, flood).await, "53200");
    assert_eq!(value(&client, "SELECT pg_advisory_unlock_all()").await, "");
}

#[tokio::test]
async fn a_session_that_vanishes_while_it_waits_leaves_the_queue() {
    let one = server().connect().await.expect("connect");
    one.batch_execute("SELECT pg_advisory_lock(600)").await.expect("locked");
    let waiters = "SELECT count(*) FROM pg_locks WHERE objid = 600 AND NOT granted";
    let mut two = Raw::session(server()).expect("session");
    two.send(b'Q', &text("SELECT pg_advisory_lock(600)")).expect("sent");
    until(&one, waiters, "1").await;
    drop(two);
    until(&one, waiters, "0").await;
    assert_eq!(value(&one, "SELECT pg_advisory_unlock(600)").await, "t");
}
