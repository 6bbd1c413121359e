//! `RETURNING` on lake tables.

use std::sync::OnceLock;

use pintail_tests::Installation;
use tokio_postgres::Client;

/// A session whose tables are in a schema of its own, with a table `t`.
async fn client(schema: &str) -> Client {
    static SERVER: OnceLock<Installation> = OnceLock::new();
    let server = SERVER.get_or_init(|| Installation::start().expect("start"));
    let client = server.connect().await.expect("connect");
    client
        .batch_execute(&format!(
            "CREATE SCHEMA {schema}; SET search_path = {schema}; CREATE TABLE t (id int, v text DEFAULT 'new', n numeric(6, 2))"
        ))
        .await
        .expect("create");
    client
}

/// The rows of a query, each value as text.
async fn rows(client: &Client, sql: &str) -> Vec<String> {
    let answer = client.simple_query(sql).await.expect(sql);
    answer
        .iter()
        .filter_map(|message| match message {
            tokio_postgres::SimpleQueryMessage::Row(row) => {
                let values: Vec<&str> = (0..row.len()).map(|index| row.get(index).unwrap_or("∅")).collect();
                Some(values.join("|"))
            }
            _ => None,
        })
        .collect()
}

#[tokio::test]
async fn what_a_change_did_is_returned() {
    let client = client("changes").await;
    for (sql, expected) in [
        (
            "INSERT INTO t VALUES (1, 'a', 1.5), (2, 'b', 2) RETURNING id, v || '!', n * 2",
            &["1|a!|3.00", "2|b!|4.00"][..],
        ),
        ("INSERT INTO t (id) VALUES (3) RETURNING *", &["3|new|∅"]),
        ("INSERT INTO t AS x (id) SELECT 4 RETURNING x.id + 1, x.v", &["5|new"]),
        ("INSERT INTO t (id) SELECT 1 WHERE false RETURNING id", &[]),
        (
            "UPDATE t SET n = 0.005 + id WHERE id = 3 RETURNING t.id, n",
            &["3|3.01"],
        ),
        (
            "UPDATE t AS x SET (v, n) = (upper(x.v), 9) WHERE id = 4 RETURNING *",
            &["4|NEW|9.00"],
        ),
        (
            "UPDATE t SET v = s.w FROM (VALUES (1, 'w')) AS s(k, w) WHERE s.k = t.id RETURNING t.id, k, w, v",
            &["1|1|w|w"],
        ),
        (
            "WITH q AS (SELECT 4 AS k) DELETE FROM t WHERE id IN (SELECT k FROM q) RETURNING id",
            &["4"],
        ),
        (
            "WITH q AS (SELECT 5 AS k) INSERT INTO t (id) SELECT k FROM q RETURNING id",
            &["5"],
        ),
        (
            "DELETE FROM t USING (SELECT 5 AS k) AS s WHERE t.id = s.k RETURNING id, k",
            &["5|5"],
        ),
        ("DELETE FROM t WHERE id = 77 RETURNING *", &[]),
        (
            "SELECT id, v, n FROM t ORDER BY id",
            &["1|w|1.50", "2|b|2.00", "3|new|3.01"],
        ),
    ] {
        assert_eq!(rows(&client, sql).await, expected, "{sql}");
    }
    let tagged = client
        .execute("UPDATE t SET v = 'x' RETURNING id", &[])
        .await
        .expect("update");
    assert_eq!(tagged, 3);
}

#[tokio::test]
async fn rows_of_the_same_number_are_told_apart() {
    let client = client("numbers").await;
    for first in [1, 3] {
        client
            .batch_execute(&format!(
                "BEGIN; INSERT INTO t (id) VALUES ({first}), ({first} + 1); UPDATE t SET v = 'u' WHERE id > {first}; COMMIT"
            ))
            .await
            .expect("insert and update");
    }
    let doubled = rows(&client, "SELECT rowid FROM t GROUP BY rowid HAVING count(*) > 1").await;
    assert_eq!(doubled.len(), 1, "the engine gives two rows one number");
    assert_eq!(
        rows(&client, "UPDATE t SET v = 'one' WHERE id = 2 RETURNING id").await,
        ["2"]
    );
    assert_eq!(rows(&client, "DELETE FROM t WHERE id = 4 RETURNING v").await, ["u"]);
    assert_eq!(
        rows(&client, "SELECT id, v FROM t ORDER BY id").await,
        ["1|new", "2|one", "3|new"]
    );
    client
        .batch_execute("BEGIN; INSERT INTO t (id) VALUES (10)")
        .await
        .expect("insert");
    assert_eq!(
        rows(&client, "INSERT INTO t (id) VALUES (11), (12) RETURNING id").await,
        ["11", "12"]
    );
    assert_eq!(
        rows(&client, "DELETE FROM t WHERE id IN (1, 10, 12) RETURNING id")
            .await
            .len(),
        3
    );
    assert_eq!(
        rows(&client, "INSERT INTO t (id) VALUES (13) RETURNING id").await,
        ["13"]
    );
    client.batch_execute("ROLLBACK").await.expect("rollback");
    assert_eq!(rows(&client, "SELECT count(*) FROM t").await, ["3"]);
}

#[tokio::test]
async fn a_described_change_is_not_made_and_a_prepared_one_takes_parameters() {
    let client = client("described").await;
    let insert = client
        .prepare("INSERT INTO t (id, v) VALUES ($1, $2) RETURNING id, v, id * 2 AS d")
        .await
        .expect("prepare");
    let names: Vec<&str> = insert.columns().iter().map(tokio_postgres::Column::name).collect();
    assert_eq!(names, ["id", "v", "d"]);
    let types: Vec<String> = insert.params().iter().map(ToString::to_string).collect();
    assert_eq!(types, ["int4", "text"]);
    assert_eq!(rows(&client, "SELECT count(*) FROM t").await, ["0"]);
    for id in 1..=7i32 {
        let row = client.query_one(&insert, &[&id, &"x"]).await.expect("insert");
        assert_eq!(
            (row.get::<_, i32>(0), row.get::<_, &str>(1), row.get::<_, i32>(2)),
            (id, "x", id * 2)
        );
    }
    let update = client
        .prepare("UPDATE t SET v = v || $1 WHERE id = $2 RETURNING v")
        .await
        .expect("prepare");
    let row = client.query_one(&update, &[&"y", &3i32]).await.expect("update");
    assert_eq!(row.get::<_, &str>(0), "xy");
    let error = client
        .query("DELETE FROM t WHERE v = 'x' RETURNING 1 / (id - id)", &[])
        .await
        .expect_err("division");
    assert_eq!(error.code().map(tokio_postgres::error::SqlState::code), Some("22012"));
    assert_eq!(
        rows(&client, "SELECT count(*) FROM t").await,
        ["7"],
        "a change that fails is not made"
    );
}

#[tokio::test]
async fn temporary_tables_and_columns_that_hide_the_place_of_rows() {
    let client = client("temporary").await;
    client
        .batch_execute("CREATE TEMP TABLE s (id int); CREATE TEMP TABLE u AS SELECT 1 AS id")
        .await
        .expect("temporary");
    assert_eq!(rows(&client, "INSERT INTO s VALUES (1) RETURNING id + 1").await, ["2"]);
    assert_eq!(rows(&client, "UPDATE u SET id = 5 RETURNING id").await, ["5"]);
    client
        .batch_execute("DROP TABLE s; CREATE TABLE s (id int)")
        .await
        .expect("a lake table");
    assert_eq!(rows(&client, "INSERT INTO s VALUES (3) RETURNING id").await, ["3"]);
    client
        .batch_execute("CREATE TABLE f (id int, filename text)")
        .await
        .expect("create");
    let error = client
        .simple_query("INSERT INTO f VALUES (1, 'a') RETURNING id")
        .await
        .expect_err("refused");
    assert_eq!(error.code().map(tokio_postgres::error::SqlState::code), Some("0A000"));
    assert_eq!(rows(&client, "SELECT count(*) FROM f").await, ["0"]);
}
