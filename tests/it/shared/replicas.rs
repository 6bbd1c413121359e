//! Two control planes over one store.

use pintail_tests::Installation;
use pintail_tests::operator::{Client, state, value};

use super::{listener, next, until};

#[tokio::test]
async fn notifications_and_locks_reach_the_other_control_plane() {
    let first = Installation::start().expect("start");
    first.org("acme", &["olga"], &[]).expect("acme");
    first.org("globex", &["gus"], &[]).expect("globex");
    for org in ["acme", "globex"] {
        first
            .cli(&["catalog", "create", org, "lake", "--kind", "memory"])
            .expect("catalog");
    }
    let second = Installation::beside(&first).expect("a second one");
    let (olga, gus) = (Client::of("acme", "olga"), Client::of("globex", "gus"));

    let (here, mut own_mail) = listener(&first, &olga).await;
    let (there, mut far_mail) = listener(&second, &olga).await;
    let (other, mut others_mail) = listener(&second, &gus).await;
    for client in [&here, &there, &other] {
        client.batch_execute("LISTEN news").await.expect("listen");
    }
    let long = "é".repeat(3999);
    here.batch_execute(&format!("BEGIN; NOTIFY news, 'one'; NOTIFY news, '{long}'; COMMIT"))
        .await
        .expect("notified");
    there.batch_execute("NOTIFY news, 'back'").await.expect("notified");
    for payload in ["one", long.as_str()] {
        assert!(heard(&mut far_mail, payload).await);
    }
    assert!(heard(&mut own_mail, "back").await);
    other.batch_execute("NOTIFY news, 'own'").await.expect("notified");
    assert_eq!(next(&mut others_mail).await.1, "own");

    assert_eq!(value(&here, "SELECT pg_try_advisory_lock(1)").await, "t");
    assert_eq!(value(&there, "SELECT pg_try_advisory_lock(1)").await, "f");
    assert_eq!(value(&there, "SELECT pg_try_advisory_lock_shared(1)").await, "f");
    assert_eq!(value(&other, "SELECT pg_try_advisory_lock(1)").await, "t");
    there.batch_execute("SET lock_timeout = '100ms'").await.expect("set");
    assert_eq!(state(&there, "SELECT pg_advisory_lock(1)").await, "55P03");
    there.batch_execute("SET lock_timeout = 0").await.expect("set");
    let (got, unlocked) = futures::join!(value(&there, "SELECT pg_advisory_xact_lock(1)"), async {
        value(&here, "SELECT pg_advisory_unlock(1)").await
    });
    assert_eq!((got.as_str(), unlocked.as_str()), ("", "t"));
    until(&here, "SELECT pg_try_advisory_lock(1)", "t").await;
    drop(here);
    until(&there, "SELECT pg_try_advisory_lock(1)", "t").await;
}

/// Whether a payload comes, after others perhaps.
async fn heard(
    notifications: &mut tokio::sync::mpsc::UnboundedReceiver<tokio_postgres::Notification>,
    payload: &str,
) -> bool {
    for _ in 0..4 {
        if next(notifications).await.1 == payload {
            return true;
        }
    }
    false
}
