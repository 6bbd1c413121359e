//! Snapshots follow what other processes change.

use std::time::Duration;

use pintail_configstore::{Change, Limits, OrgSpec, Store};
use tokio_util::sync::CancellationToken;

use crate::harness::{actor, eventually, org, slug, store, value, with_password};

/// Well below the poll's 15 seconds: what is seen this soon was told.
const SOON: Duration = Duration::from_secs(8);

fn follow(store: &Store) -> CancellationToken {
    let stop = CancellationToken::new();
    let (store, token) = (store.clone(), stop.clone());
    tokio::spawn(async move { store.keep_fresh(token).await });
    stop
}

const LISTENERS: &str =
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'";

/// Waits until a store listens and has looked once, so that what comes later is found by nothing but being told or looking.
async fn following(store: &Store, client: &tokio_postgres::Client) {
    eventually("somebody listens and has looked", SOON, async || {
        store.snapshot().generation > 0 && value::<i64>(client, LISTENERS).await == 1
    })
    .await;
}

#[tokio::test]
async fn ones_own_changes_are_there_on_return_and_count_once() {
    let (_fixture, store) = store().await;
    assert_eq!(store.snapshot().generation, 0);
    let slug = org(&store, "owning").await;
    assert!(store.snapshot().org("owning").is_some());
    let generation = store.snapshot().generation;
    let change = store.put_org(&actor(), &slug, &OrgSpec::default()).await.expect("put");
    assert_eq!((change, store.snapshot().generation), (Change::Unchanged, generation));
    store.put_host(&actor(), &slug, "Own.Example.COM").await.expect("host");
    let snapshot = store.snapshot();
    assert_eq!(snapshot.generation, generation + 1);
    assert_eq!(snapshot.org_by_host("own.EXAMPLE.com.").expect("by host").slug, slug);
}

#[tokio::test]
async fn another_process_is_told_of_a_change() {
    let (fixture, here) = store().await;
    let there = fixture.store();
    let stop = follow(&there);
    let client = fixture.super_user().await;
    following(&there, &client).await;
    let mut told = there.watch();
    org(&here, "telling").await;
    let seen = tokio::time::timeout(SOON, told.wait_for(|snapshot| snapshot.org("telling").is_some())).await;
    seen.expect("in time").expect("told");
    let limits = Limits {
        connections: Some(7),
        ..Limits::default()
    };
    let spec = OrgSpec {
        limits: limits.clone(),
        ..OrgSpec::default()
    };
    here.put_org(&actor(), &slug("telling"), &spec).await.expect("put");
    let changed = |snapshot: &std::sync::Arc<pintail_configstore::Snapshot>| {
        snapshot.org("telling").is_some_and(|org| org.limits == limits)
    };
    tokio::time::timeout(SOON, told.wait_for(changed))
        .await
        .expect("in time")
        .expect("told");
    stop.cancel();
}

#[tokio::test]
async fn what_happened_while_nobody_listened_is_found_after_reconnecting() {
    let (fixture, here) = store().await;
    let there = fixture.store();
    let stop = follow(&there);
    let client = fixture.super_user().await;
    following(&there, &client).await;
    // Silent rows, then the end of the connection: only the look after reconnecting can find them in time.
    client
        .batch_execute("SET session_replication_role = replica; INSERT INTO pintail.orgs (slug) VALUES ('silent')")
        .await
        .expect("silent");
    let ended = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
                 WHERE datname = current_database() AND query LIKE 'LISTEN%'";
    assert_eq!(value::<i64>(&client, ended).await, 1);
    eventually("the silent change is seen", SOON, async || {
        there.snapshot().org("silent").is_some()
    })
    .await;
    // And the new connection tells again.
    org(&here, "loud").await;
    eventually("the loud change is seen", SOON, async || {
        there.snapshot().org("loud").is_some()
    })
    .await;
    stop.cancel();
}

#[tokio::test]
async fn a_change_that_nobody_told_of_is_found_by_the_next_look() {
    let (fixture, _here) = store().await;
    let there = fixture.store();
    let stop = follow(&there);
    let client = fixture.super_user().await;
    following(&there, &client).await;
    client
        .batch_execute("SET session_replication_role = replica; INSERT INTO pintail.orgs (slug) VALUES ('unheard')")
        .await
        .expect("silent");
    eventually("the change is seen", Duration::from_secs(25), async || {
        there.snapshot().org("unheard").is_some()
    })
    .await;
    stop.cancel();
}

#[tokio::test]
async fn many_refreshes_at_once_share_their_loads_and_see_what_came_before() {
    let (_fixture, store) = store().await;
    let slug = org(&store, "sharing").await;
    let names: Vec<_> = (0..24).map(|n| crate::harness::user(&format!("user{n}"))).collect();
    let (store, slug) = (&store, &slug);
    let puts = names.iter().map(|name| async move {
        store
            .put_user(&actor(), slug, name, &with_password("pw"))
            .await
            .expect("put");
        let snapshot = store.snapshot();
        assert!(
            snapshot.org("sharing").expect("org").users.contains_key(name.as_str()),
            "{name}"
        );
    });
    futures::future::join_all(puts).await;
    assert_eq!(store.snapshot().org("sharing").expect("org").users.len(), 24);
}
