//! The naming contract, as an operator meets it.

use pintail_configstore::{CatalogName, Error, OrgSlug, UserName, metadata_schema};

use crate::harness::{actor, local_lake, org, store};

#[test]
fn each_breach_has_its_own_sentence() {
    let length = "it must have 2 to 31 characters";
    let first = "it must start with a letter from a to z";
    let letters = "it may hold only a to z, 0 to 9 and _";
    let cases = [
        ("a", length),
        ("", length),
        (&"a".repeat(32), length),
        ("a__b", "it may not hold two _ in a row"),
        ("ab_", "it may not end in _"),
        ("1a", first),
        ("_a", first),
        ("A1", first),
        ("aB", letters),
        ("é1", first),
        ("aé", letters),
        ("a\"b", letters),
        ("a'b", letters),
        ("a\nb", letters),
        ("a\0b", letters),
        ("a.b", letters),
        ("a b", letters),
    ];
    for (name, reason) in cases {
        let (as_org, as_catalog) = (OrgSlug::parse(name), CatalogName::parse(name));
        let expected = |what: &str| format!("the {what} {name:?} is refused: {reason}");
        assert_eq!(as_org.expect_err(name).to_string(), expected("organisation"));
        assert_eq!(as_catalog.expect_err(name).to_string(), expected("catalog"));
    }
    for name in ["ab", "a1", "a_b", &"a".repeat(31)] {
        assert!(
            OrgSlug::parse(name).is_ok() && CatalogName::parse(name).is_ok(),
            "{name}"
        );
    }
    for name in ["", &"u".repeat(64), "a\nb", "a\0b"] {
        assert!(UserName::parse(name).is_err(), "{name:?}");
    }
}

#[test]
fn names_that_break_the_contract_do_not_come_in_by_json() {
    assert!(serde_json::from_str::<OrgSlug>("\"a__b\"").is_err());
    assert_eq!(serde_json::from_str::<OrgSlug>("\"ab\"").expect("good").as_str(), "ab");
}

#[tokio::test]
async fn a_pair_of_58_fits_and_one_of_59_is_refused() {
    let (_fixture, store) = store().await;
    let org = org(&store, &"p".repeat(31)).await;
    let fits = CatalogName::parse(&"q".repeat(27)).expect("name");
    let too_long = CatalogName::parse(&"q".repeat(28)).expect("name");
    store
        .put_catalog(&actor(), &org, &fits, &local_lake())
        .await
        .expect("fits");
    let schema = metadata_schema(&org, &fits).expect("fits");
    assert_eq!(schema.len(), 63);
    let id = store.snapshot().org(org.as_str()).expect("org").catalogs[fits.as_str()].id;
    store.make_role_and_schema(id).await.expect("made under its full name");

    let error = store
        .put_catalog(&actor(), &org, &too_long, &local_lake())
        .await
        .expect_err("refused");
    assert!(matches!(error, Error::Name(_)));
    let reason = "is refused: together they may have at most 58 characters";
    assert_eq!(
        error.to_string(),
        format!("the pair of organisation and catalog \"{org}/{too_long}\" {reason}")
    );
}
