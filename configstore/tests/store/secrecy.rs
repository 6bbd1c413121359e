//! Secrets are in no table, no audit row, no log of the server and no error.

use chrono::Utc;
use pintail_configstore::{CatalogSpec, Change, Error, OrgSlug, Store, TokenRole, UserSpec};
use pintail_worker_api::bootstrap::IcebergAuth;

use crate::harness::{
    Fixture, actor, catalog, local_lake, org, s3, s3_lake, said, secret, store, user, value, with_password,
};

/// Part of every secret here.
const HUSH: &str = "Hu5hHu5h";

async fn fill(store: &Store, slug: &OrgSlug) -> Vec<String> {
    let hush = |text: &str| secret(&format!("{HUSH}{text}"));
    store
        .put_user(&actor(), slug, &user("ann"), &with_password(&format!("{HUSH}pw")))
        .await
        .expect("user");
    let lake = s3_lake("hush-bucket", "", &format!("{HUSH}key"));
    store
        .put_catalog(&actor(), slug, &catalog("lake"), &lake)
        .await
        .expect("lake");
    store
        .put_catalog(&actor(), slug, &catalog("gone"), &lake)
        .await
        .expect("lake");
    let iceberg = CatalogSpec::Iceberg {
        endpoint: "https://rest.example.com".into(),
        warehouse: "w".into(),
        auth: IcebergAuth::OAuth2 {
            server_uri: "https://rest.example.com/token".into(),
            client_id: hush("client"),
            client_secret: hush("client-secret"),
            scope: String::new(),
        },
        storage: Some(s3(&format!("{HUSH}key"))),
        locations: Vec::new(),
    };
    store
        .put_catalog(&actor(), slug, &catalog("ice"), &iceberg)
        .await
        .expect("iceberg");
    let snapshot = store.snapshot();
    let org = snapshot.org(slug.as_str()).expect("org");
    let ann = org.users["ann"].id;
    store
        .save_secret(org.id, ann, "mine", &hush("statement"))
        .await
        .expect("secret");
    store
        .save_secret(org.id, ann, "other", &hush("statement"))
        .await
        .expect("secret");
    assert!(store.drop_secret(org.id, ann, "other").await.expect("dropped"));
    assert!(!store.drop_secret(org.id, ann, "other").await.expect("not there"));
    store.make_role_and_schema(org.catalogs["lake"].id).await.expect("role");
    let gone = store
        .mark_deleting(&actor(), slug, &catalog("gone"))
        .await
        .expect("marked");
    store.bury(gone, Utc::now()).await.expect("buried");
    let token = store
        .create_token(&actor(), "ci", TokenRole::Admin)
        .await
        .expect("token");
    store.rotate_seals(&actor()).await.expect("nothing to rotate");
    let shown = format!("{snapshot:?} {:?} {iceberg:?}", store.due_tombstones().await);
    assert!(!shown.contains(HUSH) && !shown.contains("SCRAM-SHA-256"), "{shown}");
    let pintail_configstore::CatalogKind::DuckLake { role_password, .. } = &org.catalogs["lake"].kind else {
        panic!("not a lake");
    };
    vec![
        HUSH.to_owned(),
        token.expose()[8..].to_owned(),
        role_password.expose().clone(),
    ]
}

#[tokio::test]
async fn no_table_and_no_log_holds_a_plain_secret() {
    let (fixture, store) = store().await;
    let client = fixture.super_user().await;
    let log_all = format!("ALTER DATABASE {} SET log_statement = 'all'", fixture.target.database);
    client.batch_execute(&log_all).await.expect("logged");
    let slug = org(&store, "hushed").await;
    let secrets = fill(&store, &slug).await;
    let tables: Vec<String> = client
        .query(
            "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname = 'pintail'",
            &[],
        )
        .await
        .expect("tables")
        .iter()
        .map(|row| row.get(0))
        .collect();
    assert!(tables.len() > 8);
    for table in tables {
        // As text, where bytes are hexadecimal, and with the bytes as they are.
        let text: String = value(
            &client,
            &format!("SELECT coalesce(string_agg(t::text, ' '), '') FROM {table} t"),
        )
        .await;
        for secret in &secrets {
            let hex = format!("{:02x?}", secret.as_bytes()).replace(['[', ']', ',', ' '], "");
            assert!(!text.contains(secret) && !text.contains(&hex), "{table}: {text}");
        }
    }
    let log = std::fs::read_to_string(fixture.server.path().join("log")).expect("the server's log");
    assert!(log.contains("CREATE ROLE") && log.contains("INSERT INTO pintail.users"));
    for secret in &secrets {
        assert!(!log.contains(secret), "the server's log holds {secret}");
    }
    let audit = format!("{:?}", store.audit(1000, None).await.expect("audit"));
    assert!(!audit.contains("SCRAM-SHA-256"), "{audit}");
    for action in [
        "catalog.create",
        "catalog.bury",
        "secret.save",
        "secret.drop",
        "token.create",
        "catalog.make_role",
    ] {
        assert!(audit.contains(action), "{action}: {audit}");
    }
}

#[tokio::test]
async fn a_users_secrets_are_the_users_own() {
    let (_fixture, store) = store().await;
    let (one, two) = (org(&store, "secone").await, org(&store, "sectwo").await);
    for slug in [&one, &two] {
        store
            .put_user(&actor(), slug, &user("ann"), &with_password("pw"))
            .await
            .expect("user");
    }
    let snapshot = store.snapshot();
    let (one, two) = (
        snapshot.org("secone").expect("org"),
        snapshot.org("sectwo").expect("org"),
    );
    let ann = one.users["ann"].id;
    let foreign = store.save_secret(two.id, ann, "s", &secret("x")).await;
    assert!(matches!(foreign, Err(Error::NotFound { .. })));
    for (text, change) in [("x", Change::Created), ("x", Change::Unchanged), ("y", Change::Updated)] {
        assert_eq!(
            store.save_secret(one.id, ann, "s", &secret(text)).await.expect("saved"),
            change
        );
    }
    assert_eq!(store.secrets(ann).await.expect("read"), [("s".to_owned(), secret("y"))]);
    assert!(store.secrets(two.users["ann"].id).await.expect("read").is_empty());
    store
        .delete_user(&actor(), &one.slug, &user("ann"))
        .await
        .expect("gone");
    assert!(store.secrets(ann).await.expect("read").is_empty());
}

#[tokio::test]
async fn no_error_quotes_a_verifier_or_a_password() {
    let (fixture, store) = store().await;
    let slug = org(&store, "quoting").await;
    let client = fixture.super_user().await;
    // PostgreSQL's own message of these has the failing row, verifier and all, in its detail.
    client
        .batch_execute(
            "ALTER TABLE pintail.users ADD CHECK (role <> 'owner') NOT VALID; \
             ALTER TABLE pintail.catalogs ADD CHECK (state <> 'pending') NOT VALID",
        )
        .await
        .expect("traps");
    let spec = with_password(&format!("{HUSH}pw"));
    let user_error = store
        .put_user(&actor(), &slug, &user("ann"), &spec)
        .await
        .expect_err("trapped");
    let lake = s3_lake("quote-bucket", "", &format!("{HUSH}key"));
    let lake_error = store
        .put_catalog(&actor(), &slug, &catalog("lake"), &lake)
        .await
        .expect_err("trapped");
    for error in [&user_error, &lake_error] {
        let said = said(error);
        assert!(said.contains("23514"), "the check was met: {said}");
        for hidden in [HUSH, "SCRAM", "Failing row", "\\x01"] {
            assert!(!said.contains(hidden), "{said}");
        }
    }
    assert!(!format!("{spec:?} {lake:?}").contains(HUSH));
    let empty = UserSpec {
        password: Some(secret(&format!("{HUSH}\0"))),
        ..UserSpec::default()
    };
    let error = store
        .put_user(&actor(), &slug, &user("bob"), &empty)
        .await
        .expect_err("refused");
    assert!(!said(&error).contains(HUSH));
}

#[tokio::test]
async fn no_error_of_provisioning_or_connecting_quotes_a_password() {
    let fixture = Fixture::new().await;
    let store = fixture.store();
    store.migrate().await.expect("migrated");
    let slug = org(&store, "quotrole").await;
    store
        .put_catalog(&actor(), &slug, &catalog("lake"), &local_lake())
        .await
        .expect("lake");
    let id = store.snapshot().org("quotrole").expect("org").catalogs["lake"].id;
    let client = fixture.super_user().await;
    let read_only = format!(
        "ALTER DATABASE {} SET default_transaction_read_only = on",
        fixture.target.database
    );
    client.batch_execute(&read_only).await.expect("read only");
    let error = fixture.store().make_role_and_schema(id).await.expect_err("read only");
    assert!(
        said(&error).contains("25006") && !said(&error).contains("SCRAM"),
        "{}",
        said(&error)
    );

    let sealer = || pintail_configstore::Sealer::fresh().expect("key");
    let port = fixture.server.port();
    for url in [
        format!("postgres://postgres:{HUSH}@127.0.0.1:{port}/postgres"),
        format!("postgres://postgres:{HUSH}@127.0.0.1:1/postgres"),
        format!("postgres://postgres:{HUSH}@127.0.0.1:{port}/postgres?{HUSH}=1"),
        format!("postgres://postgres:{HUSH}%zz@127.0.0.1:nan/postgres"),
        format!("host=127.0.0.1 user=postgres dbname=postgres password={HUSH} {HUSH}=1"),
        format!("postgres://postgres:{HUSH}@127.0.0.1/postgres?sslmode=verify-full&sslrootcert=/none"),
        format!("postgres://postgres:{HUSH}@127.0.0.1/postgres?sslmode={HUSH}"),
        HUSH.to_owned(),
    ] {
        let error = match Store::by_url(&url, sealer()) {
            Ok(store) => store.ping().await.expect_err("refused"),
            Err(error) => error,
        };
        assert!(!said(&error).contains(HUSH), "{}", said(&error));
    }
}
