//! Secrets at rest: keys, their change, and bytes that are not where they belong.

use std::sync::Arc;

use chrono::Utc;
use pintail_configstore::{CatalogKind, CatalogState, Change, Org, StorageKind, Store};

use crate::harness::{Fixture, actor, catalog, local_lake, org, s3_lake, secret, store, user, with_password};

fn loaded(store: &Store, slug: &str) -> Arc<Org> {
    Arc::clone(store.snapshot().org(slug).expect("organisation"))
}

fn password(org: &Org, name: &str) -> String {
    match &org.catalogs[name].kind {
        CatalogKind::DuckLake { role_password, .. } => role_password.expose().clone(),
        other => panic!("{other:?}"),
    }
}

fn s3_key(org: &Org, name: &str) -> String {
    match &org.catalogs[name].kind {
        CatalogKind::DuckLake {
            storage: StorageKind::S3 { target, .. },
            ..
        } => target.secret.expose().clone(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn after_a_rotation_the_old_key_is_needed_no_more() {
    let (fixture, old) = store().await;
    let slug = org(&old, "rotating").await;
    let (one, two) = (catalog("one"), catalog("two"));
    old.put_user(&actor(), &slug, &user("ann"), &with_password("pw"))
        .await
        .expect("user");
    old.put_catalog(&actor(), &slug, &one, &s3_lake("rot-bucket", "", "s3-hush"))
        .await
        .expect("one");
    old.put_catalog(&actor(), &slug, &two, &s3_lake("rot-bucket", "", "s3-gone"))
        .await
        .expect("two");
    let before = loaded(&old, "rotating");
    let ann = before.users["ann"].id;
    old.save_secret(before.id, ann, "mine", &secret("CREATE SECRET mine"))
        .await
        .expect("secret");
    let id = old.mark_deleting(&actor(), &slug, &two).await.expect("marked");
    old.bury(id, Utc::now()).await.expect("buried");

    let new_key = Fixture::new().await.key;
    let both = fixture.store_with(&format!("{new_key}\n{}", fixture.key));
    both.migrate().await.expect("both keys open");
    // A password, one catalog's keys, a tombstone's, a secret, and the check of the keys.
    assert_eq!(both.rotate_seals(&actor()).await.expect("rotated"), 5);
    assert_eq!(both.rotate_seals(&actor()).await.expect("repeatable"), 0);

    let new = fixture.store_with(&new_key);
    new.migrate().await.expect("the new key suffices");
    new.refresh().await.expect("loaded");
    let after = loaded(&new, "rotating");
    assert_eq!(password(&after, "one"), password(&before, "one"));
    assert_eq!(s3_key(&after, "one"), "s3-hush");
    let secrets = new.secrets(ann).await.expect("secrets");
    assert_eq!(secrets, [("mine".to_owned(), secret("CREATE SECRET mine"))]);
    let due = new.due_tombstones().await.expect("tombstones");
    let StorageKind::S3 { target, .. } = &due[0].storage else {
        panic!("not S3");
    };
    assert_eq!(target.secret.expose(), "s3-gone");
    assert!(old.migrate().await.is_err(), "the old key opens nothing now");
}

#[tokio::test]
async fn a_catalog_whose_seal_is_not_its_own_is_out_of_use_alone() {
    let (fixture, store) = store().await;
    let slug = org(&store, "swapping").await;
    for name in ["one", "two", "three"] {
        store
            .put_catalog(&actor(), &slug, &catalog(name), &local_lake())
            .await
            .expect(name);
        let id = loaded(&store, "swapping").catalogs[name].id;
        store
            .set_catalog_state(id, CatalogState::Ready, None)
            .await
            .expect("ready");
    }
    let client = fixture.super_user().await;
    client
        .batch_execute(
            "UPDATE pintail.catalogs c SET sealed_password = o.sealed_password FROM pintail.catalogs o \
             WHERE c.name = 'one' AND o.name = 'two'",
        )
        .await
        .expect("copied");
    store.refresh().await.expect("loaded");
    let org = loaded(&store, "swapping");
    assert_eq!(org.catalogs["one"].state, CatalogState::Failed);
    let reason = org.catalogs["one"].reason.as_deref().unwrap_or_default();
    assert!(
        reason.ends_with("the sealed bytes do not belong here or were changed"),
        "{reason}"
    );
    assert_eq!(password(&org, "one"), "");
    assert_eq!(org.catalogs["two"].state, CatalogState::Ready);
    let error = store.make_role_and_schema(org.catalogs["one"].id).await;
    assert!(matches!(error, Err(pintail_configstore::Error::Seal { .. })));
}

#[tokio::test]
async fn credentials_that_no_key_opens_can_be_put_again() {
    let (fixture, lost) = store().await;
    let slug = org(&lost, "losing").await;
    let spec = s3_lake("lost-bucket", "", "s3-hush");
    lost.put_catalog(&actor(), &slug, &catalog("lake"), &spec)
        .await
        .expect("put");
    let new = fixture.store_with(&Fixture::new().await.key);
    new.refresh().await.expect("loaded all the same");
    assert_eq!(loaded(&new, "losing").catalogs["lake"].state, CatalogState::Failed);
    let change = new
        .put_catalog(&actor(), &slug, &catalog("lake"), &spec)
        .await
        .expect("put again");
    assert_eq!(change, Change::Updated);
}
