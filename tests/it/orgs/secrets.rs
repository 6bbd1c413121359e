//! Persistent secrets of a user.

use pintail_tests::Installation;
use pintail_tests::operator::{Client, state, told};

const MAKE: &str = "CREATE PERSISTENT SECRET partner (TYPE s3, KEY_ID 'key-hunter2', SECRET 'secret-hunter2', SCOPE 's3://partner/x/')";

#[tokio::test]
async fn a_persistent_secret_comes_back_in_its_users_sessions_only() {
    let installation = Installation::start().expect("start");
    installation
        .cli(&["org", "create", "acme", "--location", "s3://partner/x/"])
        .expect("org");
    for user in ["ann", "bob"] {
        installation.user("acme", user, &[]).expect("user");
    }
    installation
        .cli(&["catalog", "create", "acme", "lake"])
        .expect("catalog");
    let connect = async |user: &str| {
        installation
            .connect_as(&Client::of("acme", user))
            .await
            .expect("connect")
    };
    // The same secret made once more tells whether it is there.
    let again = MAKE.replace("PERSISTENT ", "");

    let ann = connect("ann").await;
    ann.batch_execute(MAKE).await.expect("make");
    assert_eq!(state(&ann, &again).await, "42710");
    assert_eq!(state(&ann, MAKE).await, "42710");
    let later = connect("ann").await;
    assert_eq!(state(&later, &again).await, "42710", "replayed");
    let bob = connect("bob").await;
    bob.batch_execute(&again).await.expect("bob has none");

    later.batch_execute("DROP SECRET partner").await.expect("drop");
    let last = connect("ann").await;
    last.batch_execute(&again).await.expect("it is gone from the store");
    assert_eq!(state(&last, "DROP SECRET nothing").await, "42704");

    for (wrong, sqlstate) in [
        (
            "CREATE PERSISTENT SECRET c (TYPE s3, PROVIDER credential_chain, SCOPE 's3://x/')",
            "42501",
        ),
        (
            "CREATE PERSISTENT SECRET c (TYPE postgres, HOST 'hunter2', SCOPE 's3://x/')",
            "42501",
        ),
        (
            "BEGIN; CREATE PERSISTENT SECRET c (TYPE s3, KEY_ID 'a', SECRET 'b', SCOPE 's3://x/')",
            "25001",
        ),
    ] {
        assert_eq!(state(&last, wrong).await, sqlstate, "{wrong}");
        let _ = last.batch_execute("ROLLBACK").await;
    }
    let error = last
        .batch_execute("CREATE SECRET c (TYPE s3, KEY_ID 'key-hunter2', SECRETT 'secret-hunter2', SCOPE 's3://x/')")
        .await
        .expect_err("a mistake");
    assert!(!format!("{error:?}").contains("hunter2"), "{:?}", told(&error));
    let log = installation.log();
    assert!(!log.contains("hunter2"), "a secret reached the log");
    let audit = installation.cli(&["audit"]).expect("audit").to_string();
    assert!(audit.contains("partner") && !audit.contains("hunter2"));
}
