//! From a server name, an option or a user name to an organisation.

use pintail_tests::operator::{Client, told, value};
use pintail_tests::{Installation, Options};

#[tokio::test]
async fn the_server_name_or_what_the_operator_allows_names_the_organisation() {
    let options = Options {
        settings: vec![
            ("PINTAIL_HOST_SUFFIXES", "db.example,other.example".to_owned()),
            ("PINTAIL_ORG_FALLBACKS", "options,user".to_owned()),
        ],
    };
    let installation = Installation::start_with(options).expect("start");
    installation.org("acme", &["ann"], &["lake"]).expect("acme");
    installation.org("big_corp", &["ann"], &["lake"]).expect("big_corp");
    installation
        .cli(&["host", "add", "acme", "warehouse.acme.example"])
        .expect("host");
    let acme = installation
        .connect_as(&Client::of("acme", "ann"))
        .await
        .expect("by option");
    acme.batch_execute("CREATE TABLE whose AS SELECT 'acme' AS name")
        .await
        .expect("table");
    let big = installation
        .connect_as(&Client::of("big_corp", "ann"))
        .await
        .expect("by option");
    big.batch_execute("CREATE TABLE whose AS SELECT 'big_corp' AS name")
        .await
        .expect("table");
    let ann = Client::of("acme", "ann");
    let by_user = Client {
        org: None,
        user: "ann@big_corp".to_owned(),
        ..ann.clone()
    };
    for (client, expected) in [
        (ann.clone().host("acme.db.example"), "acme"),
        (ann.clone().host("ACME.other.example"), "acme"),
        (ann.clone().host("big-corp.db.example"), "big_corp"),
        (ann.clone().host("warehouse.acme.example"), "acme"),
        (by_user, "big_corp"),
    ] {
        let connected = installation
            .connect_as(&client)
            .await
            .unwrap_or_else(|error| panic!("{client:?}: {:?}", told(&error)));
        assert_eq!(
            value(&connected, "SELECT name FROM whose").await,
            expected,
            "{client:?}"
        );
        assert_eq!(value(&connected, "SELECT current_database()").await, "lake");
        assert_eq!(value(&connected, "SELECT current_user").await, "ann");
    }
}

#[tokio::test]
async fn whatever_is_wrong_with_a_login_gets_the_same_answer() {
    let options = Options {
        settings: vec![
            ("PINTAIL_HOST_SUFFIXES", "db.example".to_owned()),
            ("PINTAIL_ORG_FALLBACKS", "options,user".to_owned()),
        ],
    };
    let installation = Installation::start_with(options).expect("start");
    installation.org("acme", &["ann"], &["lake"]).expect("acme");
    installation
        .org("rival", &["ann", "bob"], &["lake", "secret"])
        .expect("rival");
    installation
        .cli(&["user", "set", "rival", "bob", "--disable"])
        .expect("disable");
    let ann = Client::of("acme", "ann");
    let wrong = [
        ("wrong password", ann.clone().password("wrong")),
        ("unknown organisation", Client::of("nobody", "ann")),
        ("unknown catalog", ann.clone().catalog("nothing")),
        ("foreign catalog", ann.clone().catalog("secret")),
        ("foreign catalog in full", ann.clone().catalog("rival/secret")),
        ("user of another organisation", Client::of("acme", "bob")),
        ("disabled user", Client::of("rival", "bob")),
        ("unknown host", ann.clone().host("nobody.db.example")),
        (
            "host of one, option of the other",
            Client {
                host: "rival.db.example".to_owned(),
                ..ann.clone()
            },
        ),
        ("no organisation at all", ann.clone().host("localhost")),
    ];
    for (what, client) in wrong {
        let error = installation
            .connect_as(&client)
            .await
            .err()
            .unwrap_or_else(|| panic!("{what} was let in"));
        let expected = format!("password authentication failed for user \"{}\"", client.user);
        assert_eq!(told(&error), ("28P01".to_owned(), expected), "{what}");
    }
}
