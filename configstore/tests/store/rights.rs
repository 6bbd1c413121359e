//! What a lake's role may do, as `PostgreSQL` says.

use pintail_configstore::{CatalogKind, Error, Store};
use tokio_postgres::Client;

use crate::harness::{Fixture, actor, catalog, local_lake, org, sqlstate, value};

/// Makes a lake; its role and the role's password.
async fn lake(store: &Store, name: &str) -> (String, String) {
    let slug = org(store, name).await;
    store
        .put_catalog(&actor(), &slug, &catalog("lake"), &local_lake())
        .await
        .expect("asked for");
    let snapshot = store.snapshot();
    let lake = &snapshot.org(name).expect("org").catalogs["lake"];
    store.make_role_and_schema(lake.id).await.expect("made");
    match &lake.kind {
        CatalogKind::DuckLake {
            role, role_password, ..
        } => (role.clone(), role_password.expose().clone()),
        other => panic!("{other:?}"),
    }
}

async fn has_no_rights_beyond_its_schema(fixture: &Fixture, admin: &Client, names: (&str, &str)) {
    let store = fixture.store();
    store.migrate().await.expect("migrated");
    let (mine, password) = lake(&store, names.0).await;
    let (other, other_password) = lake(&store, names.1).await;
    let theirs = fixture.session(&other, &other_password).await.expect("logs in");
    theirs
        .batch_execute("CREATE TABLE t (x int)")
        .await
        .expect("in its own schema");

    assert!(fixture.session(&mine, "wrong").await.is_err());
    let session = fixture.session(&mine, &password).await.expect("logs in");
    for allowed in [
        "CREATE TABLE t (x int)",
        "INSERT INTO t VALUES (1)",
        "SELECT * FROM t",
        "DROP TABLE t",
    ] {
        assert_eq!(sqlstate(&session, allowed).await, "", "{allowed}");
    }
    assert_eq!(value::<String>(&session, "SELECT current_schema()::text").await, mine);
    for denied in [
        &format!("SELECT * FROM {other}.t"),
        &format!("CREATE TABLE {other}.u (x int)"),
        &format!("SET ROLE {other}"),
        &format!("SET ROLE {}", fixture.target.user),
        &format!("SET SESSION AUTHORIZATION {other}"),
        &format!("ALTER ROLE {other} PASSWORD 'x'"),
        &format!("GRANT {other} TO {mine}"),
        "CREATE SCHEMA more",
        "CREATE TEMP TABLE u (x int)",
        "CREATE TABLE public.u (x int)",
        "SELECT * FROM pintail.users",
        "SELECT * FROM pintail.catalogs",
        "SELECT pintail.tell_changed()",
        "CREATE ROLE more",
        "CREATE DATABASE more",
        "CREATE EXTENSION plpgsql_check",
        "COPY (SELECT 1) TO PROGRAM 'true'",
        "COPY (SELECT 1) TO '/tmp/x'",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT * FROM pg_authid",
    ] {
        let state = sqlstate(&session, denied).await;
        let unknown_extension = denied.starts_with("CREATE EXTENSION") && state == "0A000";
        assert!(state == "42501" || unknown_extension, "{denied}: {state:?}");
    }
    let members = format!(
        "SELECT count(*) FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.member WHERE r.rolname IN ('{mine}', '{other}')"
    );
    assert_eq!(
        value::<i64>(admin, &members).await,
        0,
        "a lake's role is no one's member"
    );
}

#[tokio::test]
async fn made_by_a_superuser() {
    let fixture = Fixture::new().await;
    let admin = fixture.super_user().await;
    has_no_rights_beyond_its_schema(&fixture, &admin, ("supone", "suptwo")).await;
}

#[tokio::test]
async fn made_by_a_role_that_may_make_roles() {
    let fixture = Fixture::of_plain_role().await;
    let admin = fixture.super_user().await;
    has_no_rights_beyond_its_schema(&fixture, &admin, ("plainone", "plaintwo")).await;
    // The store's role does not keep the lakes' rights: it cannot become one of them without saying so first.
    let left = format!(
        "SELECT pg_has_role('{0}', 'dl_plainone__lake', 'USAGE')",
        fixture.target.user
    );
    assert!(!value::<bool>(&admin, &left).await);
}

#[tokio::test]
async fn roles_and_schemas_of_others_are_not_taken_over() {
    let fixture = Fixture::new().await;
    let store = fixture.store();
    store.migrate().await.expect("migrated");
    let admin = fixture.super_user().await;
    let cases = [
        (
            "takerole",
            "CREATE ROLE dl_takerole__lake SUPERUSER",
            "has a role dl_takerole__lake with rights",
        ),
        (
            "takemember",
            "CREATE ROLE dl_takemember__lake; GRANT pg_read_all_data TO dl_takemember__lake",
            "has a role dl_takemember__lake with rights",
        ),
        (
            "takeschema",
            "CREATE SCHEMA dl_takeschema__lake",
            "has a schema dl_takeschema__lake that",
        ),
        (
            "takepublic",
            "GRANT USAGE ON SCHEMA public TO PUBLIC",
            "rights beyond its schema: the schema public; revoke them from PUBLIC",
        ),
    ];
    for (name, statement, reason) in cases {
        admin.batch_execute(statement).await.expect(statement);
        let slug = org(&store, name).await;
        store
            .put_catalog(&actor(), &slug, &catalog("lake"), &local_lake())
            .await
            .expect("asked for");
        let id = store.snapshot().org(name).expect("org").catalogs["lake"].id;
        let error = store.make_role_and_schema(id).await.expect_err(reason);
        assert!(matches!(error, Error::Conflict { .. }));
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[tokio::test]
async fn dropping_ends_the_sessions_of_the_role() {
    let fixture = Fixture::of_plain_role().await;
    let store = fixture.store();
    store.migrate().await.expect("migrated");
    let (role, password) = lake(&store, "evicted").await;
    let session = fixture.session(&role, &password).await.expect("logs in");
    session
        .batch_execute("CREATE TABLE t (x int); BEGIN; LOCK TABLE t")
        .await
        .expect("busy");
    let slug = crate::harness::slug("evicted");
    let id = store
        .mark_deleting(&actor(), &slug, &catalog("lake"))
        .await
        .expect("marked");
    store.drop_role_and_schema(id).await.expect("dropped in spite of it");
    assert!(session.batch_execute("SELECT 1").await.is_err());
    assert!(fixture.session(&role, &password).await.is_err());
}
