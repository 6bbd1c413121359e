//! From the first version to this one.

use pintail_configstore::{CatalogKind, CatalogState, Change, Error, OrgSpec, Role, SealError};
use refinery::{Migration, Runner};

use crate::harness::{Fixture, actor, catalog, eventually, local_lake, org, said, slug, value};

const FIRST: &str = include_str!("../../migrations/V1__foundation.sql");
const PLAIN: &str = "plainRolePassword";

/// A database as the first version left it.
async fn first_version() -> Fixture {
    let fixture = Fixture::new().await;
    let mut client = fixture.super_user().await;
    client.batch_execute("CREATE SCHEMA pintail").await.expect("schema");
    let first = Migration::unapplied("V1__foundation", FIRST).expect("a migration");
    let mut runner = Runner::new(&[first]);
    runner.set_migration_table_name("pintail.schema_history");
    runner.run_async(&mut client).await.expect("the first version");
    client
        .batch_execute(&format!(
            "INSERT INTO pintail.orgs (slug) VALUES ('elder'); \
             INSERT INTO pintail.users (org_id, name, verifier) VALUES (1, 'ann', 'SCRAM-SHA-256$4096:AAAA$AAAA:AAAA'); \
             INSERT INTO pintail.catalogs (org_id, name, metadata_schema, data_prefix, role_name, role_password, state) \
             VALUES (1, 'lake', 'dl_elder__lake', 'elder/lake/', 'dl_elder__lake', '{PLAIN}', 'ready')"
        ))
        .await
        .expect("rows of the first version");
    fixture
}

#[tokio::test]
async fn what_the_first_version_knew_is_kept_and_its_passwords_are_sealed() {
    let fixture = first_version().await;
    let store = fixture.store();
    store.migrate().await.expect("migrated");
    store.migrate().await.expect("repeatable");
    let client = fixture.super_user().await;
    assert_eq!(
        value::<String>(&client, "SELECT role_password FROM pintail.catalogs").await,
        ""
    );
    let hex: String = value(
        &client,
        "SELECT encode(sealed_password, 'escape') FROM pintail.catalogs",
    )
    .await;
    assert!(!hex.contains(PLAIN));

    store.refresh().await.expect("loaded");
    let snapshot = store.snapshot();
    let org = snapshot.org("elder").expect("kept");
    let lake = &org.catalogs["lake"];
    assert_eq!((lake.state, lake.incarnation), (CatalogState::Ready, 1));
    let CatalogKind::DuckLake {
        role_password,
        data_prefix,
        metadata_schema,
        ..
    } = &lake.kind
    else {
        panic!("not a lake");
    };
    assert_eq!(role_password.expose(), PLAIN);
    assert_eq!(
        (data_prefix.as_str(), metadata_schema.as_str()),
        ("elder/lake/", "dl_elder__lake")
    );
    let ann = &org.users["ann"];
    assert_eq!((ann.role, ann.schemas.as_ref()), (Role::Owner, None));
    let again = store
        .put_catalog(&actor(), &slug("elder"), &catalog("lake"), &local_lake())
        .await;
    assert_eq!(again.expect("the same lake"), Change::Unchanged);
}

#[tokio::test]
async fn a_start_without_the_installations_key_is_refused() {
    let fixture = Fixture::new().await;
    fixture.store().migrate().await.expect("migrated");
    let stranger = Fixture::new().await.key;
    let error = fixture.store_with(&stranger).migrate().await.expect_err("another key");
    let source = SealError::UnknownKey { id: String::new() };
    assert!(
        matches!(&error, Error::Seal { source: found, .. } if std::mem::discriminant(found) == std::mem::discriminant(&source)),
        "{}",
        said(&error)
    );
}

#[tokio::test]
async fn several_may_migrate_at_once_and_none_keeps_the_lock() {
    let fixture = Fixture::new().await;
    let stores = [fixture.store(), fixture.store(), fixture.store()];
    let [a, b, c] = stores.each_ref().map(pintail_configstore::Store::migrate);
    let (a, b, c) = tokio::join!(a, b, c);
    a.and(b).and(c).expect("each of them");
    let client = fixture.super_user().await;
    let held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' \
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    eventually(
        "the lock is given back",
        std::time::Duration::from_secs(5),
        async || value::<i64>(&client, held).await == 0,
    )
    .await;
}

#[tokio::test]
async fn a_database_without_public_and_an_owner_without_superuser_will_do() {
    let fixture = Fixture::of_plain_role().await;
    fixture
        .super_user()
        .await
        .batch_execute("DROP SCHEMA public")
        .await
        .expect("dropped");
    let store = fixture.store();
    store.migrate().await.expect("migrated");
    let org = org(&store, "nopublic").await;
    let change = store.put_org(&actor(), &org, &OrgSpec::default()).await.expect("put");
    assert_eq!(change, Change::Unchanged);
}
