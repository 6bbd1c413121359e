//! `pg_stat_activity`, `pg_cursors`, `pg_prepared_statements`, `pg_locks` like any table.

use pintail_tests::operator::{state, value};

use super::{pid, session};

#[tokio::test]
async fn an_organisation_sees_its_own_sessions_and_no_others() {
    let (olga, wim, gus) = (
        session("acme", "olga").await,
        session("acme", "wim").await,
        session("globex", "gus").await,
    );
    let (olgas, wims, guss) = (pid(&olga).await, pid(&wim).await, pid(&gus).await);
    let seen = |pid: i32| format!("SELECT count(*) FROM pg_stat_activity WHERE pid = {pid}");
    for (client, sees) in [
        (&olga, [true, true, false]),
        (&wim, [true, true, false]),
        (&gus, [false, false, true]),
    ] {
        for (pid, sees) in [olgas, wims, guss].into_iter().zip(sees) {
            assert_eq!(value(client, &seen(pid)).await, if sees { "1" } else { "0" });
        }
    }
    let query = |pid: i32| format!("SELECT query, state, client_port > 0 FROM pg_stat_activity WHERE pid = {pid}");
    wim.batch_execute("SELECT 'what wim does'").await.expect("runs");
    assert_eq!(
        value(&olga, &query(wims)).await,
        "SELECT 'what wim does'",
        "an owner sees all"
    );
    assert_eq!(value(&wim, &query(wims)).await, query(wims), "one sees oneself");
    let row = wim.query_one(&query(olgas), &[]).await.expect("a row");
    assert_eq!(row.get::<_, &str>(0), "<insufficient privilege>");
    assert_eq!(
        (row.get::<_, Option<&str>>(1), row.get::<_, Option<bool>>(2)),
        (None, None)
    );
}

#[tokio::test]
async fn a_session_shows_what_it_does() {
    let (watcher, other) = (session("acme", "olga").await, session("acme", "olga").await);
    let pid = pid(&other).await;
    let show = format!(
        "SELECT state || ' ' || coalesce(xact_start IS NOT NULL, false)::text || ' ' || application_name FROM pg_stat_activity WHERE pid = {pid}"
    );
    other.batch_execute("SET application_name = 'app'").await.expect("set");
    assert_eq!(value(&watcher, &show).await, "idle false app");
    other.batch_execute("BEGIN").await.expect("begin");
    assert_eq!(value(&watcher, &show).await, "idle in transaction true app");
    assert!(other.batch_execute("SELECT nothing").await.is_err());
    assert_eq!(value(&watcher, &show).await, "idle in transaction (aborted) true app");
    other.batch_execute("ROLLBACK").await.expect("rollback");
    assert_eq!(value(&watcher, &show).await, "idle false app");
}

#[tokio::test]
async fn secrets_are_not_shown() {
    let (watcher, other) = (session("acme", "olga").await, session("acme", "olga").await);
    let pid = pid(&other).await;
    let made = "CREATE SECRET shown (TYPE postgres, HOST 'h', PASSWORD 'hunter2')";
    let misspelt = "CREATE SECRETT shown (TYPE postgres, HOST 'h', PASSWORD 'hunter2')";
    for sql in [made, misspelt] {
        let _ = other.simple_query(sql).await;
        let shown = value(
            &watcher,
            &format!("SELECT query FROM pg_stat_activity WHERE pid = {pid}"),
        )
        .await;
        assert_eq!(shown, "", "{sql}");
    }
}

#[tokio::test]
async fn the_relations_join_filter_nest_and_stand_behind_views() {
    let client = session("acme", "olga").await;
    let mine = "FROM pg_stat_activity WHERE pid = pg_backend_pid()";
    for (sql, wanted) in [
        (format!("SELECT usename {mine}"), "olga"),
        (
            format!("SELECT u.usename FROM pg_user u JOIN (SELECT * {mine}) a ON a.usesysid = u.usesysid"),
            "olga",
        ),
        (
            format!("WITH a AS (SELECT pid {mine}) SELECT count(*) FROM a, pg_stat_activity b WHERE a.pid = b.pid"),
            "1",
        ),
        (format!("SELECT (SELECT datname {mine}) = current_database()"), "t"),
        (
            "SELECT count(*) FROM pg_catalog.pg_locks WHERE pid = pg_backend_pid()".to_owned(),
            "0",
        ),
        (
            format!("SELECT datid = (SELECT oid FROM pg_database WHERE datname = current_database()) {mine}"),
            "t",
        ),
    ] {
        assert_eq!(value(&client, &sql).await, wanted, "{sql}");
    }
    client
        .batch_execute(&format!(
            "CREATE TEMP VIEW me AS SELECT state {mine}; CREATE TEMP TABLE kept AS SELECT pid {mine}"
        ))
        .await
        .expect("made");
    assert_eq!(value(&client, "SELECT state FROM me").await, "active");
    let rows = client.query("SELECT state FROM me", &[]).await.expect("prepared");
    assert_eq!(rows[0].get::<_, &str>(0), "active");
    assert_eq!(value(&client, "SELECT pid = pg_backend_pid() FROM kept").await, "t");
    assert_eq!(state(&client, "SELECT nothing FROM pg_stat_activity").await, "42703");
}

#[tokio::test]
async fn a_prepared_statement_shows_the_present_each_time() {
    let (client, other) = (session("acme", "olga").await, session("acme", "wim").await);
    let others = pid(&other).await;
    let statement = client
        .prepare("SELECT application_name, backend_start FROM pg_stat_activity WHERE pid = $1")
        .await
        .expect("prepared");
    let names: Vec<&str> = statement.columns().iter().map(|column| column.type_().name()).collect();
    assert_eq!(names, ["text", "timestamptz"]);
    for name in ["first", "second"] {
        other
            .batch_execute(&format!("SET application_name = '{name}'"))
            .await
            .expect("set");
        let row = client.query_one(&statement, &[&others]).await.expect("a row");
        assert_eq!(row.get::<_, &str>(0), name);
    }
    drop(other);
    super::until(
        &client,
        &format!("SELECT count(*) FROM pg_stat_activity WHERE pid = {others}"),
        "0",
    )
    .await;
    assert!(client.query_opt(&statement, &[&others]).await.expect("runs").is_none());
}

#[tokio::test]
async fn prepared_statements_and_cursors_are_the_sessions_own() {
    let (client, other) = (session("acme", "olga").await, session("acme", "olga").await);
    client
        .batch_execute("PREPARE p (int, text) AS SELECT $1, $2; BEGIN; DECLARE c SCROLL CURSOR FOR SELECT 1")
        .await
        .expect("made");
    let prepared = "SELECT name || '|' || statement || '|' || array_to_string(parameter_types, ',') || '|' || from_sql::text FROM pg_prepared_statements WHERE name = 'p'";
    assert_eq!(
        value(&client, prepared).await,
        "p|PREPARE p (int, text) AS SELECT $1, $2|integer,text|true"
    );
    let cursors = "SELECT name || '|' || statement || '|' || is_scrollable::text FROM pg_cursors";
    assert_eq!(
        value(&client, cursors).await,
        "c|DECLARE c SCROLL CURSOR FOR SELECT 1|true"
    );
    client.batch_execute("COMMIT").await.expect("commit");
    assert_eq!(value(&client, cursors).await, "no row");
    assert_eq!(value(&other, prepared).await, "no row");
    let named = client.prepare("SELECT 42").await.expect("prepared");
    let shown = "SELECT count(*) FROM pg_prepared_statements WHERE statement = 'SELECT 42' AND NOT from_sql";
    assert_eq!(value(&client, shown).await, "1");
    drop(named);
    client.batch_execute("DEALLOCATE ALL").await.expect("deallocated");
    assert_eq!(value(&client, "SELECT count(*) FROM pg_prepared_statements").await, "0");
}
