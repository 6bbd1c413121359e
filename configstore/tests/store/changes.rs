//! Puts that may be repeated, conflicts, the audit and tokens.

use pintail_configstore::{
    CatalogName, CatalogSpec, Change, Error, Limits, OrgSpec, Role, Standing, TokenRole, UserSpec,
};
use pintail_worker_api::bootstrap::{FileAccess, IcebergAuth};

use crate::harness::{actor, catalog, local_lake, org, s3_lake, secret, slug, store, user, with_password};

#[tokio::test]
async fn puts_create_update_and_then_change_nothing() {
    let (_fixture, store) = store().await;
    let (slug, ann, lake) = (slug("idem"), user("ann"), catalog("lake"));
    let spec = OrgSpec {
        standing: Standing::Disabled,
        limits: Limits {
            memory: Some(u64::from(u32::MAX) * 4),
            ..Limits::default()
        },
        locations: vec!["s3://partner/exchange/".into()],
    };
    for (spec, changes) in [
        (OrgSpec::default(), [Change::Created, Change::Unchanged]),
        (spec, [Change::Updated, Change::Unchanged]),
    ] {
        for change in changes {
            assert_eq!(store.put_org(&actor(), &slug, &spec).await.expect("put"), change);
        }
    }
    assert_eq!(store.snapshot().org("idem").expect("org").standing, Standing::Disabled);

    let reader = UserSpec {
        role: Role::Reader,
        schemas: Some(vec!["main".into()]),
        catalogs: Some(vec![lake.clone()]),
        ..UserSpec::default()
    };
    let steps = [
        (with_password("one"), Change::Created),
        (with_password("one"), Change::Unchanged),
        (UserSpec::default(), Change::Unchanged),
        (with_password("two"), Change::Updated),
        (reader.clone(), Change::Updated),
        (reader, Change::Unchanged),
    ];
    let mut verifiers = Vec::new();
    for (spec, change) in steps {
        assert_eq!(store.put_user(&actor(), &slug, &ann, &spec).await.expect("put"), change);
        verifiers.push(store.snapshot().org("idem").expect("org").users["ann"].verifier.clone());
    }
    assert_eq!(verifiers[0], verifiers[1]);
    assert_ne!(verifiers[2], verifiers[3]);
    assert_eq!(verifiers[3], verifiers[5]);

    let steps = [
        (s3_lake("idem-bucket", "root/", "key-1"), Change::Created),
        (s3_lake("idem-bucket", "root/", "key-1"), Change::Unchanged),
        (s3_lake("idem-bucket", "root/", "key-2"), Change::Updated),
    ];
    for (spec, change) in steps {
        assert_eq!(
            store.put_catalog(&actor(), &slug, &lake, &spec).await.expect("put"),
            change
        );
    }
    let before = store.audit(100, None).await.expect("audit");
    store
        .put_user(
            &actor(),
            &slug,
            &ann,
            &UserSpec {
                role: Role::Reader,
                schemas: Some(vec!["main".into()]),
                catalogs: Some(vec![lake]),
                ..UserSpec::default()
            },
        )
        .await
        .expect("put");
    assert_eq!(store.audit(100, None).await.expect("audit"), before);
}

#[tokio::test]
async fn what_a_catalog_is_cannot_be_changed() {
    let (_fixture, store) = store().await;
    let slug = org(&store, "immut").await;
    let iceberg = |endpoint: &str, warehouse: &str, token: &str| CatalogSpec::Iceberg {
        endpoint: endpoint.into(),
        warehouse: warehouse.into(),
        auth: IcebergAuth::Token(secret(token)),
        storage: None,
        locations: Vec::new(),
    };
    let file = |access| CatalogSpec::DuckDbFile { access };
    let cases = [
        (
            "s3",
            s3_lake("bucket-a", "", "k"),
            s3_lake("bucket-b", "", "k"),
            "bucket",
        ),
        (
            "root",
            s3_lake("bucket-a", "", "k"),
            s3_lake("bucket-a", "x/", "k"),
            "prefix",
        ),
        ("local", local_lake(), s3_lake("bucket-a", "", "k"), "kind of storage"),
        ("lake", local_lake(), CatalogSpec::Memory, "kind"),
        (
            "ice",
            iceberg("https://a", "w", "t"),
            iceberg("https://b", "w", "t"),
            "endpoint",
        ),
        (
            "berg",
            iceberg("https://a", "w", "t"),
            iceberg("https://a", "v", "t"),
            "warehouse",
        ),
    ];
    for (name, present, wanted, what) in cases {
        let name = catalog(name);
        store.put_catalog(&actor(), &slug, &name, &present).await.expect("made");
        let error = store
            .put_catalog(&actor(), &slug, &name, &wanted)
            .await
            .expect_err(what);
        assert!(matches!(error, Error::Conflict { .. }));
        assert_eq!(error.to_string(), format!("a catalog's {what} cannot be changed"));
    }
    let changed = store
        .put_catalog(&actor(), &slug, &catalog("ice"), &iceberg("https://a", "w", "other"))
        .await;
    assert_eq!(changed.expect("a token may change"), Change::Updated);
    let file_name = catalog("file");
    store
        .put_catalog(&actor(), &slug, &file_name, &file(FileAccess::ReadWrite))
        .await
        .expect("made");
    let changed = store
        .put_catalog(&actor(), &slug, &file_name, &file(FileAccess::ReadOnly))
        .await;
    assert_eq!(changed.expect("access may change"), Change::Updated);
}

#[tokio::test]
async fn a_host_name_belongs_to_one_organisation() {
    let (_fixture, store) = store().await;
    let (one, two) = (org(&store, "hostone").await, org(&store, "hosttwo").await);
    assert_eq!(
        store.put_host(&actor(), &one, "db.Example.com").await.expect("put"),
        Change::Created
    );
    assert_eq!(
        store.put_host(&actor(), &one, "DB.example.com.").await.expect("put"),
        Change::Unchanged
    );
    let error = store
        .put_host(&actor(), &two, "db.example.com")
        .await
        .expect_err("taken");
    assert_eq!(error.to_string(), "the host name db.example.com is taken");
    let error = store
        .delete_host(&actor(), &two, "db.example.com")
        .await
        .expect_err("not its own");
    assert!(matches!(error, Error::NotFound { .. }));
    store.delete_host(&actor(), &one, "db.example.com").await.expect("gone");
    assert_eq!(
        store.put_host(&actor(), &two, "db.example.com").await.expect("free"),
        Change::Created
    );
    assert!(matches!(
        store.put_host(&actor(), &one, "not a name").await,
        Err(Error::Invalid { .. })
    ));
}

#[tokio::test]
async fn no_ones_files_lie_inside_anothers() {
    let (_fixture, store) = store().await;
    let (one, two) = (org(&store, "extone").await, org(&store, "exttwo").await);
    store
        .put_catalog(&actor(), &one, &catalog("lake"), &s3_lake("shared", "", "k"))
        .await
        .expect("made");
    store
        .put_catalog(&actor(), &two, &catalog("lake"), &s3_lake("shared", "", "k"))
        .await
        .expect("beside");
    // `shared/extone/lake/` holds `shared/extone/lake/x/exttwo/other/`.
    let inside = store
        .put_catalog(
            &actor(),
            &two,
            &catalog("other"),
            &s3_lake("shared", "extone/lake/x/", "k"),
        )
        .await;
    assert!(matches!(inside, Err(Error::Conflict { .. })), "{inside:?}");
    let with_location = |url: &str| OrgSpec {
        locations: vec![url.into()],
        ..OrgSpec::default()
    };
    for url in ["s3://shared/", "s3://shared/extone/", "s3://shared/extone/lake/sub/"] {
        let around = store.put_org(&actor(), &two, &with_location(url)).await;
        assert!(matches!(around, Err(Error::Conflict { .. })), "{url}: {around:?}");
    }
    store
        .put_org(&actor(), &two, &with_location("s3://partner/x/"))
        .await
        .expect("elsewhere");
    store
        .put_org(&actor(), &one, &with_location("s3://partner/x/"))
        .await
        .expect("shared on purpose");
    store
        .put_org(&actor(), &one, &with_location("s3://shared/extone/"))
        .await
        .expect("its own");
}

#[tokio::test]
async fn the_unknown_is_not_found() {
    let (_fixture, store) = store().await;
    let (nobody, ann) = (slug("nobody"), user("ann"));
    let lake = CatalogName::parse("lake").expect("name");
    let missing = |error: Error| assert!(matches!(error, Error::NotFound { .. }), "{error}");
    missing(store.delete_org(&actor(), &nobody).await.expect_err("org"));
    missing(
        store
            .put_user(&actor(), &nobody, &ann, &with_password("pw"))
            .await
            .expect_err("org"),
    );
    missing(
        store
            .put_catalog(&actor(), &nobody, &lake, &local_lake())
            .await
            .expect_err("org"),
    );
    missing(
        store
            .mark_deleting(&actor(), &nobody, &lake)
            .await
            .expect_err("catalog"),
    );
    missing(store.revoke_token(&actor(), "none").await.expect_err("token"));
    let somebody = org(&store, "somebody").await;
    missing(store.delete_user(&actor(), &somebody, &ann).await.expect_err("user"));
    let error = store
        .put_user(&actor(), &somebody, &ann, &UserSpec::default())
        .await
        .expect_err("no password");
    assert_eq!(error.to_string(), "the user is refused: a new one needs a password");
}

#[tokio::test]
async fn the_audit_says_who_did_what_in_pages() {
    let (_fixture, store) = store().await;
    let slug = org(&store, "audited").await;
    store
        .put_user(&actor(), &slug, &user("ann"), &with_password("pw"))
        .await
        .expect("user");
    store.delete_user(&actor(), &slug, &user("ann")).await.expect("gone");
    store.delete_org(&actor(), &slug).await.expect("gone");
    let all = store.audit(100, None).await.expect("audit");
    let told: Vec<_> = all
        .iter()
        .map(|entry| (entry.action.as_str(), entry.object.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("org.delete", "audited"),
            ("user.delete", "audited/ann"),
            ("user.create", "audited/ann"),
            ("org.create", "audited")
        ]
    );
    assert!(all.iter().all(|entry| entry.actor == "test:actor"));
    assert_eq!(all[2].detail["password"], "set");
    let page = store.audit(2, Some(all[1].id)).await.expect("page");
    assert_eq!(page, all[2..]);
}

#[tokio::test]
async fn a_token_is_shown_once_and_void_when_revoked() {
    let (_fixture, store) = store().await;
    let text = store
        .create_token(&actor(), "ci", TokenRole::Operator)
        .await
        .expect("made");
    assert_eq!((text.expose().len(), &text.expose()[..8]), (51, "pintail_"));
    let known = store.check_token(text.expose()).await.expect("asked").expect("known");
    assert_eq!((known.name.as_str(), known.role), ("ci", TokenRole::Operator));
    assert!(TokenRole::Viewer < known.role && known.role < TokenRole::Admin);
    let again = store.create_token(&actor(), "ci", TokenRole::Admin).await;
    assert!(matches!(again, Err(Error::Conflict { .. })));
    let mut other = text.expose().clone();
    other.replace_range(50.., if other.ends_with('A') { "B" } else { "A" });
    for wrong in [other.as_str(), "", "pintail_", "pintail_é", &text.expose()[8..]] {
        assert_eq!(store.check_token(wrong).await.expect("asked"), None, "{wrong}");
    }
    let listed = store.tokens().await.expect("listed");
    assert_eq!((listed.len(), listed[0].name.as_str()), (1, "ci"));
    store.revoke_token(&actor(), "ci").await.expect("revoked");
    assert_eq!(store.check_token(text.expose()).await.expect("asked"), None);
}
