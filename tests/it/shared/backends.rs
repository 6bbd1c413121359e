//! Sessions that reach others by their process id, and sleep.

use std::time::Instant;

use pintail_tests::operator::{state, told, value};

use super::{pid, session, until};

const LOOP: &str = "SELECT count(*) FROM range(1000000000000)";

#[tokio::test]
async fn a_session_is_cancelled_and_ended_by_its_own_user_and_by_owners() {
    let (olga, rita, wim) = (
        session("acme", "olga").await,
        session("acme", "rita").await,
        session("acme", "wim").await,
    );
    let ritas = pid(&rita).await;
    for call in ["pg_cancel_backend", "pg_terminate_backend"] {
        assert_eq!(state(&wim, &format!("SELECT {call}({ritas})")).await, "42501", "{call}");
    }
    let cancelling = async {
        let runs = format!("SELECT state FROM pg_stat_activity WHERE pid = {ritas} AND query = '{LOOP}'");
        until(&olga, &runs, "active").await;
        assert_eq!(value(&olga, &format!("SELECT pg_cancel_backend({ritas})")).await, "t");
    };
    assert_eq!(futures::join!(state(&rita, LOOP), cancelling).0, "57014");
    assert_eq!(value(&rita, "SELECT 1").await, "1", "it goes on");
    let second = session("acme", "rita").await;
    let ended = format!("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE pid = {ritas}");
    assert_eq!(value(&second, &ended).await, "t");
    assert_eq!(
        value(
            &second,
            &format!("SELECT count(*) FROM pg_stat_activity WHERE pid = {ritas}")
        )
        .await,
        "0"
    );
    assert!(rita.simple_query("SELECT 1").await.is_err());
}

#[tokio::test]
async fn another_organisations_session_does_not_exist() {
    let (olga, gus) = (session("acme", "olga").await, session("globex", "gus").await);
    let guss = pid(&gus).await;
    for call in ["pg_cancel_backend", "pg_terminate_backend"] {
        assert_eq!(value(&olga, &format!("SELECT {call}({guss})")).await, "f");
        assert_eq!(value(&olga, &format!("SELECT * FROM {call}(2147483647)")).await, "f");
    }
    assert_eq!(
        state(&olga, &format!("SELECT pg_terminate_backend({guss}, -1)")).await,
        "22003"
    );
    assert_eq!(value(&gus, "SELECT 1").await, "1");
}

#[tokio::test]
async fn a_session_may_end_itself() {
    let client = session("acme", "wim").await;
    let error = client
        .simple_query("SELECT pg_cancel_backend(pg_backend_pid()), pg_sleep(60)")
        .await
        .expect_err("cancelled");
    assert_eq!(told(&error).0, "57014");
    let error = client
        .simple_query("SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(60)")
        .await
        .expect_err("ended");
    assert_eq!(told(&error).0, "57P01");
}

#[tokio::test]
async fn sleep_takes_its_time_and_can_be_stopped() {
    let client = session("acme", "olga").await;
    let started = Instant::now();
    let row = client.query_one("SELECT pg_sleep(0.2), 2", &[]).await.expect("slept");
    assert!(started.elapsed().as_millis() >= 200);
    assert_eq!((row.columns()[0].type_().name(), row.get::<_, i32>(1)), ("void", 2));
    let started = Instant::now();
    let rest =
        "SELECT pg_sleep_for('100 milliseconds'), pg_sleep_until(clock_timestamp() + interval '0.1 s'), pg_sleep(-1)";
    assert_eq!(value(&client, rest).await, "");
    assert!(started.elapsed().as_millis() >= 100);
    client
        .batch_execute("SET statement_timeout = '100ms'")
        .await
        .expect("set");
    let started = Instant::now();
    let error = client.simple_query("SELECT pg_sleep(60)").await.expect_err("too long");
    assert_eq!(
        told(&error),
        ("57014".into(), "canceling statement due to statement timeout".into())
    );
    assert!(started.elapsed().as_secs() < 30);
    client.batch_execute("SET statement_timeout = 0").await.expect("set");
    let token = client.cancel_token();
    let tls = super::server().tls().expect("TLS");
    let pid = pid(&client).await;
    let cancelling = async {
        let watcher = session("acme", "olga").await;
        let sleeps = format!("SELECT query FROM pg_stat_activity WHERE pid = {pid}");
        until(&watcher, &sleeps, "SELECT pg_sleep(60)").await;
        token.cancel_query(tls).await.expect("sent");
    };
    assert_eq!(
        futures::join!(state(&client, "SELECT pg_sleep(60)"), cancelling).0,
        "57014"
    );
    assert_eq!(value(&client, "SELECT 1").await, "1");
}
