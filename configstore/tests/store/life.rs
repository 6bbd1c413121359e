//! A catalog from being asked for to being purged, with crashes in between.

use std::time::Duration;

use chrono::{TimeDelta, Utc};
use pintail_configstore::{CatalogId, CatalogSpec, CatalogState, Error, Store};

use crate::harness::{Fixture, actor, catalog, eventually, local_lake, org, s3_lake, store, value};

fn id(store: &Store, org: &str, name: &str) -> CatalogId {
    store.snapshot().org(org).expect("organisation").catalogs[name].id
}

#[tokio::test]
async fn a_name_that_comes_back_has_another_prefix_for_ever() {
    let (_fixture, store) = store().await;
    let slug = org(&store, "cycle").await;
    let lake = catalog("lake");
    let mut ids = Vec::new();
    for (incarnation, prefix) in [(1, "cycle/lake/"), (2, "cycle/lake.2/"), (3, "cycle/lake.3/")] {
        store
            .put_catalog(&actor(), &slug, &lake, &local_lake())
            .await
            .expect("asked for");
        let snapshot = store.snapshot();
        let made = &snapshot.org("cycle").expect("org").catalogs["lake"];
        assert_eq!((made.state, made.incarnation), (CatalogState::Pending, incarnation));
        assert_eq!(made.data_prefix(), Some(prefix));
        ids.push(made.id);
        store.make_role_and_schema(made.id).await.expect("made");
        assert_eq!(
            store.mark_deleting(&actor(), &slug, &lake).await.expect("marked"),
            made.id
        );
        store.drop_role_and_schema(made.id).await.expect("dropped");
        store.bury(made.id, Utc::now()).await.expect("buried");
        for tombstone in store.due_tombstones().await.expect("due") {
            assert_eq!(
                (tombstone.incarnation, tombstone.data_prefix.as_str()),
                (incarnation, prefix)
            );
            store.forget_tombstone(tombstone.id).await.expect("purged");
            store.forget_tombstone(tombstone.id).await.expect("repeatable");
        }
        assert!(store.due_tombstones().await.expect("due").is_empty());
    }
    ids.dedup();
    assert_eq!(ids.len(), 3);
    // Not even a new organisation of that name gets an old prefix.
    store.delete_org(&actor(), &slug).await.expect("gone");
    org(&store, "cycle").await;
    store
        .put_catalog(&actor(), &slug, &lake, &local_lake())
        .await
        .expect("asked for");
    let snapshot = store.snapshot();
    assert_eq!(
        snapshot.org("cycle").expect("org").catalogs["lake"].data_prefix(),
        Some("cycle/lake.4/")
    );
}

#[tokio::test]
async fn data_is_due_when_its_time_is_over_and_only_where_there_is_any() {
    let (_fixture, store) = store().await;
    let slug = org(&store, "keeping").await;
    for (name, spec, keep) in [
        ("later", s3_lake("keep-bucket", "", "k"), TimeDelta::hours(1)),
        ("now", s3_lake("keep-bucket", "", "k"), TimeDelta::zero()),
        ("scratch", CatalogSpec::Memory, TimeDelta::zero()),
    ] {
        let name = catalog(name);
        store
            .put_catalog(&actor(), &slug, &name, &spec)
            .await
            .expect("asked for");
        let id = store.mark_deleting(&actor(), &slug, &name).await.expect("marked");
        store.bury(id, Utc::now() + keep).await.expect("buried");
        let again = store.bury(id, Utc::now()).await;
        assert!(matches!(again, Err(Error::NotFound { .. })));
    }
    let due = store.due_tombstones().await.expect("due");
    let names: Vec<_> = due.iter().map(|tombstone| tombstone.catalog.as_str()).collect();
    assert_eq!(names, ["now"]);
    assert_eq!(due[0].org, slug);
}

#[tokio::test]
async fn deleting_is_not_left_and_what_is_in_use_is_not_removed() {
    let (_fixture, store) = store().await;
    let slug = org(&store, "ending").await;
    let lake = catalog("lake");
    store
        .put_catalog(&actor(), &slug, &lake, &local_lake())
        .await
        .expect("asked for");
    let id = id(&store, "ending", "lake");
    let conflict = |result: Result<(), Error>| assert!(matches!(result, Err(Error::Conflict { .. })), "{result:?}");
    conflict(store.drop_role_and_schema(id).await);
    conflict(store.bury(id, Utc::now()).await);
    conflict(store.delete_org(&actor(), &slug).await);
    store
        .set_catalog_state(id, CatalogState::Failed, Some("no bucket"))
        .await
        .expect("failed");
    let state = |store: &Store| {
        let snapshot = store.snapshot();
        let lake = &snapshot.org("ending").expect("org").catalogs["lake"];
        (lake.state, lake.reason.clone())
    };
    assert_eq!(state(&store), (CatalogState::Failed, Some("no bucket".into())));
    store
        .put_catalog(&actor(), &slug, &lake, &local_lake())
        .await
        .expect("asked for again");
    assert_eq!(state(&store), (CatalogState::Pending, None));
    store.mark_deleting(&actor(), &slug, &lake).await.expect("marked");
    store.mark_deleting(&actor(), &slug, &lake).await.expect("repeatable");
    conflict(store.set_catalog_state(id, CatalogState::Ready, None).await);
    conflict(store.make_role_and_schema(id).await);
    conflict(store.put_catalog(&actor(), &slug, &lake, &local_lake()).await.map(drop));
    conflict(store.delete_org(&actor(), &slug).await);
    store
        .set_catalog_state(id, CatalogState::Deleting, Some("busy"))
        .await
        .expect("a reason");
    assert_eq!(state(&store).1.as_deref(), Some("busy"));
}

/// Makes every DDL command of a kind fail, as a crash at that point would.
async fn break_at(fixture: &Fixture, tag: &str) {
    let client = fixture.super_user().await;
    client
        .batch_execute(&format!(
            "CREATE OR REPLACE FUNCTION public.crash() RETURNS event_trigger LANGUAGE plpgsql AS \
             $$ BEGIN RAISE EXCEPTION 'crash'; END $$; \
             CREATE EVENT TRIGGER crash ON ddl_command_start WHEN TAG IN ('{tag}') EXECUTE FUNCTION public.crash()"
        ))
        .await
        .expect("a trap");
}

async fn repair(fixture: &Fixture) {
    let client = fixture.super_user().await;
    client.batch_execute("DROP EVENT TRIGGER crash").await.expect("no trap");
}

#[tokio::test]
async fn making_and_dropping_may_crash_anywhere_and_be_repeated() {
    for (name, fixture) in [
        ("crashsuper", Fixture::new().await),
        ("crashplain", Fixture::of_plain_role().await),
    ] {
        let store = fixture.store();
        store.migrate().await.expect("migrated");
        let slug = org(&store, name).await;
        store
            .put_catalog(&actor(), &slug, &catalog("lake"), &local_lake())
            .await
            .expect("asked for");
        let id = id(&store, name, "lake");
        let role = format!("dl_{name}__lake");
        let client = fixture.super_user().await;
        let roles = format!("SELECT count(*) FROM pg_roles WHERE rolname = '{role}'");

        break_at(&fixture, "CREATE SCHEMA").await;
        store.make_role_and_schema(id).await.expect_err("crashed");
        assert_eq!(value::<i64>(&client, &roles).await, 0, "nothing is half made");
        repair(&fixture).await;
        store.make_role_and_schema(id).await.expect("made");
        store.make_role_and_schema(id).await.expect("made again");
        // As a restore without the schema would leave it.
        client
            .batch_execute(&format!("DROP SCHEMA {role} CASCADE"))
            .await
            .expect("dropped");
        store.make_role_and_schema(id).await.expect("made whole");
        client
            .batch_execute(&format!(
                "CREATE TABLE {role}.t (); ALTER TABLE {role}.t OWNER TO {role}"
            ))
            .await
            .expect("something in it");

        store
            .mark_deleting(&actor(), &slug, &catalog("lake"))
            .await
            .expect("marked");
        break_at(&fixture, "DROP SCHEMA").await;
        store.drop_role_and_schema(id).await.expect_err("crashed");
        repair(&fixture).await;
        store.drop_role_and_schema(id).await.expect("dropped");
        store.drop_role_and_schema(id).await.expect("dropped again");
        assert_eq!(value::<i64>(&client, &roles).await, 0);
        let schemas = format!("SELECT count(*) FROM pg_namespace WHERE nspname = '{role}'");
        assert_eq!(value::<i64>(&client, &schemas).await, 0);
        store.bury(id, Utc::now()).await.expect("buried");
    }
}

#[tokio::test]
async fn a_lock_is_one_holders_until_dropped() {
    let (fixture, here) = store().await;
    let there = fixture.store();
    let (one, other) = (CatalogId(1), CatalogId(2));
    let lock = here.lock_catalog(one).await.expect("locked");
    assert!(lock.is_held());
    assert!(there.try_lock_catalog(one).await.expect("asked").is_none());
    assert!(here.try_lock_catalog(one).await.expect("asked").is_none());
    assert!(there.try_lock_catalog(other).await.expect("asked").is_some());
    let waiting = there.lock_catalog(one);
    let releasing = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        drop(lock);
    };
    let (waited, ()) = tokio::join!(waiting, releasing);
    let lock = waited.expect("locked in turn");
    // The end of the holder's connection is the end of the lock.
    let client = fixture.super_user().await;
    let end = "SELECT count(pg_terminate_backend(l.pid)) FROM pg_locks l JOIN pg_database d ON d.oid = l.database \
               WHERE l.locktype = 'advisory' AND d.datname = current_database()";
    value::<i64>(&client, end).await;
    eventually("the loss is known", Duration::from_secs(5), async || !lock.is_held()).await;
    eventually("the lock is free", Duration::from_secs(5), async || {
        here.try_lock_catalog(one).await.expect("asked").is_some()
    })
    .await;
}
