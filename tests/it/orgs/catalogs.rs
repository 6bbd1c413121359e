//! Several catalogs of an organisation.

use pintail_tests::operator::{Client, state, told, value};
use pintail_tests::{Installation, Options};

#[tokio::test]
async fn a_session_moves_to_where_a_named_catalog_is_unless_something_would_be_lost() {
    let installation = Installation::start().expect("start");
    installation
        .org("acme", &["ann"], &["lake", "sales", "stock", "store"])
        .expect("acme");
    let setup = installation
        .connect_as(&Client::of("acme", "ann").catalog("sales"))
        .await
        .expect("connect");
    setup
        .batch_execute("CREATE TABLE orders AS SELECT 7 AS id")
        .await
        .expect("table");
    let session = installation
        .connect_as(&Client::of("acme", "ann"))
        .await
        .expect("connect");
    session
        .batch_execute("CREATE TABLE local AS SELECT 1 AS id; SET TimeZone = 'Asia/Tokyo'")
        .await
        .expect("table");
    let prepared = session
        .prepare("SELECT id FROM local WHERE id = $1")
        .await
        .expect("prepare");
    // Parse, Describe, Bind and Execute of a statement elsewhere move the session too.
    let rows = session
        .query("SELECT o.id, l.id FROM sales.public.orders o, lake.public.local l", &[])
        .await
        .expect("moved");
    assert_eq!((rows[0].get::<_, i32>(0), rows[0].get::<_, i32>(1)), (7, 1));
    assert_eq!(value(&session, "SELECT current_database()").await, "lake");
    assert_eq!(value(&session, "SHOW TimeZone").await, "Asia/Tokyo");
    let rows = session
        .query(&prepared, &[&1i32])
        .await
        .expect("prepared before the move");
    assert_eq!(rows[0].get::<_, i32>(0), 1);

    // A block in which nothing happened yet moves too, and goes on as a block; what failed leaves nothing.
    session.batch_execute("BEGIN").await.expect("begin");
    assert_eq!(state(&session, "SELECT * FROM stock.public.nothing").await, "42P01");
    assert_eq!(state(&session, "SELECT 1").await, "25P02");
    session.batch_execute("ROLLBACK").await.expect("rollback");
    assert_eq!(state(&session, "CREATE TEMP TABLE held (i nonsense)").await, "42704");
    let fourth = Client::of("acme", "ann").catalog("stock");
    let stock = installation.connect_as(&fourth).await.expect("connect");
    stock
        .batch_execute("CREATE TABLE x AS SELECT 1 AS i")
        .await
        .expect("table");

    session
        .batch_execute("CREATE TEMP TABLE held (i int)")
        .await
        .expect("temp");
    let error = session
        .simple_query("SELECT * FROM store.public.x")
        .await
        .expect_err("held");
    assert_eq!(told(&error).0, "55000");
    let hint = error
        .as_db_error()
        .and_then(|error| error.hint())
        .unwrap_or_default()
        .to_owned();
    assert!(hint.contains("\"store\""), "{hint}");
    assert_eq!(value(&session, "SELECT count(*) FROM held").await, "0");
    session.batch_execute("BEGIN; SELECT 1").await.expect("begin");
    assert_eq!(state(&session, "SELECT * FROM store.public.x").await, "55000");
    session.batch_execute("ROLLBACK").await.expect("rollback");

    // A later session of the user has them attached from the start.
    let later = installation
        .connect_as(&Client::of("acme", "ann"))
        .await
        .expect("connect");
    later
        .batch_execute("CREATE TEMP TABLE held (i int)")
        .await
        .expect("temp");
    assert_eq!(value(&later, "SELECT id FROM sales.public.orders").await, "7");
}

#[tokio::test]
async fn other_catalogs_are_reached_as_the_user_may_and_as_many_as_there_is_room_for() {
    let options = Options {
        settings: vec![("PINTAIL_CATALOGS_ATTACHED", "2".to_owned())],
    };
    let installation = Installation::start_with(options).expect("start");
    installation
        .org("acme", &["ann"], &["lake", "sales", "stock"])
        .expect("acme");
    installation
        .user("acme", "bob", &["--catalog", "lake", "--catalog", "sales"])
        .expect("bob");
    installation.org("rival", &["eve"], &["rivals"]).expect("rival");
    for catalog in ["sales", "stock"] {
        let client = Client::of("acme", "ann").catalog(catalog);
        let session = installation.connect_as(&client).await.expect("connect");
        session
            .batch_execute(&format!("CREATE TABLE t AS SELECT '{catalog}' AS name"))
            .await
            .expect("table");
    }
    let bob = installation
        .connect_as(&Client::of("acme", "bob"))
        .await
        .expect("connect");
    assert_eq!(value(&bob, "SELECT name FROM sales.public.t").await, "sales");
    let mut answers = Vec::new();
    for name in ["stock", "rivals", "nothing"] {
        let error = bob
            .simple_query(&format!("SELECT * FROM {name}.public.t"))
            .await
            .expect_err(name);
        let (sqlstate, message) = told(&error);
        answers.push((sqlstate, message.replace(name, "…")));
    }
    assert_eq!(answers[0].0, "0A000", "{answers:?}");
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    let ann = installation
        .connect_as(&Client::of("acme", "ann"))
        .await
        .expect("connect");
    for _ in 0..2 {
        assert_eq!(value(&ann, "SELECT name FROM sales.public.t").await, "sales");
        assert_eq!(value(&ann, "SELECT name FROM stock.public.t").await, "stock");
    }
    assert_eq!(
        state(&ann, "SELECT * FROM sales.public.t, stock.public.t").await,
        "54000"
    );
}

#[tokio::test]
async fn a_catalog_made_again_is_empty_and_its_old_data_goes_in_time() {
    let options = Options {
        settings: vec![("PINTAIL_DELETED_DATA_RETENTION", "1s".to_owned())],
    };
    let installation = Installation::start_with(options).expect("start");
    installation.org("acme", &["ann"], &["lake"]).expect("acme");
    let session = installation
        .connect_as(&Client::of("acme", "ann"))
        .await
        .expect("connect");
    session
        .batch_execute("CREATE TABLE old AS SELECT 1 AS i")
        .await
        .expect("table");
    let home = installation.data_dir().join("orgs/acme");
    assert!(home.join("lake").is_dir());
    installation
        .cli(&["catalog", "delete", "acme", "lake"])
        .expect("delete");
    let made = installation.cli(&["catalog", "create", "acme", "lake"]).expect("again");
    assert_eq!(
        (&made["incarnation"], &made["data_prefix"]),
        (&2.into(), &"acme/lake.2/".into())
    );
    let session = installation
        .connect_as(&Client::of("acme", "ann"))
        .await
        .expect("connect");
    assert_eq!(state(&session, "SELECT * FROM old").await, "42P01");
    session
        .batch_execute("CREATE TABLE fresh AS SELECT 2 AS i")
        .await
        .expect("table");
    let purged = || (!home.join("lake").exists()).then_some(());
    pintail_tests::eventually("the old data goes", std::time::Duration::from_secs(60), purged).expect("purged");
    assert_eq!(value(&session, "SELECT i FROM fresh").await, "2");
}

#[tokio::test]
async fn memory_and_database_files_are_catalogs_too() {
    let options = Options {
        settings: vec![("PINTAIL_WORKER_QUEUE_TIMEOUT", "1s".to_owned())],
    };
    let installation = Installation::start_with(options).expect("start");
    installation.org("acme", &["ann"], &["lake"]).expect("acme");
    for (name, kind) in [("scratch", "memory"), ("file", "duckdb-file")] {
        installation
            .cli(&["catalog", "create", "acme", name, "--kind", kind])
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let scratch = Client::of("acme", "ann").catalog("scratch");
    let session = installation.connect_as(&scratch).await.expect("connect");
    session
        .batch_execute("CREATE TABLE t (i int PRIMARY KEY); INSERT INTO t VALUES (1)")
        .await
        .expect("table");
    assert_eq!(state(&session, "INSERT INTO t VALUES (1)").await, "23505");
    drop(session);
    let session = installation.connect_as(&scratch).await.expect("connect");
    assert_eq!(state(&session, "SELECT * FROM t").await, "42P01");

    let file = Client::of("acme", "ann").catalog("file");
    let writer = installation.connect_as(&file).await.expect("connect");
    writer
        .batch_execute("CREATE TABLE kept AS SELECT 3 AS i; CREATE TEMP TABLE held (i int)")
        .await
        .expect("table");
    let second = installation.connect_as(&file).await.expect("connect");
    assert_eq!(state(&second, "SELECT * FROM kept").await, "55006");
    drop(writer);
    assert_eq!(value(&second, "SELECT i FROM kept").await, "3");
}

#[tokio::test]
async fn an_idle_session_that_holds_nothing_gives_its_worker_to_one_that_waits() {
    let options = Options {
        settings: vec![("PINTAIL_WORKERS_MAX", "1".to_owned())],
    };
    let installation = Installation::start_with(options).expect("start");
    let (one, two) = (
        installation.connect().await.expect("connect"),
        installation.connect().await.expect("connect"),
    );
    one.batch_execute("CREATE TABLE t AS SELECT 1 AS i; SET TimeZone = 'Asia/Tokyo'")
        .await
        .expect("table");
    let prepared = one.prepare("SELECT i FROM t WHERE i = $1").await.expect("prepare");
    for _ in 0..2 {
        assert_eq!(value(&two, "SELECT i FROM t").await, "1");
        let rows = one.query(&prepared, &[&1i32]).await.expect("prepared before");
        assert_eq!(rows[0].get::<_, i32>(0), 1);
        assert_eq!(value(&one, "SHOW TimeZone").await, "Asia/Tokyo");
        assert_eq!(value(&one, "SELECT current_setting('TimeZone')").await, "Asia/Tokyo");
    }
}
