//! SQL cursors in both protocols.

use std::sync::OnceLock;

use pintail_tests::Installation;
use pintail_tests::raw::{Raw, bind, execute, parse, target};

fn server() -> &'static Installation {
    static SERVER: OnceLock<Installation> = OnceLock::new();
    SERVER.get_or_init(|| Installation::start().expect("start"))
}

fn session() -> Raw {
    Raw::session(server()).expect("session")
}

/// Sends each text as a query of its own and compares what comes back in short.
fn play(session: &mut Raw, script: &[(&str, &str)]) {
    for (sql, answer) in script {
        assert_eq!(session.query(sql).expect("query"), *answer, "{sql}");
    }
}

#[test]
fn a_cursor_lives_in_its_transaction_and_goes_forward() {
    let rows = "SELECT i FROM generate_series(1, 5) AS g(i)";
    play(
        &mut session(),
        &[
            (&format!("DECLARE c CURSOR FOR {rows}"), "E:25P01 Z:I"),
            ("FETCH c", "E:34000 Z:I"),
            ("BEGIN", "C:BEGIN Z:T"),
            (&format!("DECLARE c CURSOR FOR {rows}"), "C:DECLARE CURSOR Z:T"),
            ("FETCH c", "T:1 D C:FETCH 1 Z:T"),
            ("FETCH 2 FROM c", "T:1 D D C:FETCH 2 Z:T"),
            ("MOVE c", "C:MOVE 1 Z:T"),
            ("FETCH ALL IN c", "T:1 D C:FETCH 1 Z:T"),
            ("FETCH c", "T:1 C:FETCH 0 Z:T"),
            ("FETCH PRIOR FROM c", "E:55000 Z:E"),
            ("FETCH c", "E:25P02 Z:E"),
            ("ROLLBACK", "C:ROLLBACK Z:I"),
            ("BEGIN", "C:BEGIN Z:T"),
            ("DECLARE c CURSOR FOR SELECT 1", "C:DECLARE CURSOR Z:T"),
            ("DECLARE c CURSOR FOR SELECT 1", "E:42P03 Z:E"),
            ("ROLLBACK", "C:ROLLBACK Z:I"),
            ("BEGIN", "C:BEGIN Z:T"),
            ("DECLARE c CURSOR FOR SELECT 1", "C:DECLARE CURSOR Z:T"),
            ("CLOSE c", "C:CLOSE CURSOR Z:T"),
            ("FETCH c", "E:34000 Z:E"),
            ("ROLLBACK", "C:ROLLBACK Z:I"),
            (
                "DECLARE c CURSOR FOR SELECT 1; FETCH c; CLOSE ALL",
                "C:DECLARE CURSOR T:1 D C:FETCH 1 C:CLOSE CURSOR ALL Z:I",
            ),
            ("FETCH c", "E:34000 Z:I"),
            ("BEGIN", "C:BEGIN Z:T"),
            (
                "DECLARE c CURSOR FOR SELECT * FROM there_is_no_such_table",
                "E:42P01 Z:E",
            ),
            ("COMMIT", "C:ROLLBACK Z:I"),
            ("BEGIN", "C:BEGIN Z:T"),
            ("DECLARE c CURSOR FOR DELETE FROM t", "E:42601 Z:E"),
            ("COMMIT", "C:ROLLBACK Z:I"),
        ],
    );
}

#[tokio::test]
async fn a_scrolling_cursor_goes_everywhere() {
    let client = server().connect().await.expect("connect");
    client.batch_execute("BEGIN").await.expect("begin");
    client
        .batch_execute("DECLARE c SCROLL CURSOR FOR SELECT i::int4 FROM generate_series(1, 10000) AS g(i) ORDER BY i")
        .await
        .expect("declare");
    for (fetch, expected) in [
        ("FETCH 2 FROM c", &[1, 2][..]),
        ("FETCH ABSOLUTE 9000 FROM c", &[9000]),
        ("FETCH PRIOR FROM c", &[8999]),
        ("FETCH BACKWARD 3 FROM c", &[8998, 8997, 8996]),
        ("FETCH LAST FROM c", &[10_000]),
        ("FETCH NEXT FROM c", &[]),
        ("FETCH RELATIVE -2 FROM c", &[9999]),
        ("FETCH FIRST FROM c", &[1]),
        ("FETCH RELATIVE 0 FROM c", &[1]),
        ("FETCH ABSOLUTE -10000 FROM c", &[1]),
        ("FETCH BACKWARD ALL FROM c", &[]),
        ("FETCH FORWARD FROM c", &[1]),
    ] {
        let rows = client.query(fetch, &[]).await.expect(fetch);
        let values: Vec<i32> = rows.iter().map(|row| row.get(0)).collect();
        assert_eq!(values, expected, "{fetch}");
    }
    assert_eq!(client.execute("MOVE FORWARD ALL IN c", &[]).await.expect("move"), 9999);
    assert_eq!(
        client.execute("MOVE BACKWARD ALL IN c", &[]).await.expect("move"),
        10_000
    );
    client.batch_execute("COMMIT").await.expect("commit");
}

#[tokio::test]
async fn a_held_cursor_outlives_its_transaction_unless_it_is_undone() {
    let client = server().connect().await.expect("connect");
    client
        .batch_execute(
            "CREATE TEMP TABLE held AS SELECT i::int4 AS i FROM generate_series(1, 200000) AS g(i);
             BEGIN; DECLARE h CURSOR WITH HOLD FOR SELECT i FROM held ORDER BY i; COMMIT;
             DROP TABLE held",
        )
        .await
        .expect("declare");
    assert_eq!(client.execute("MOVE 199998 IN h", &[]).await.expect("move"), 199_998);
    let rows = client.query("FETCH ALL FROM h", &[]).await.expect("fetch");
    assert_eq!(
        rows.iter().map(|row| row.get(0)).collect::<Vec<i32>>(),
        [199_999, 200_000]
    );
    client
        .batch_execute("BEGIN; DECLARE u CURSOR WITH HOLD FOR SELECT 1; ROLLBACK")
        .await
        .expect("undone");
    let error = client.query("FETCH u", &[]).await.expect_err("undone");
    assert_eq!(error.code().map(tokio_postgres::error::SqlState::code), Some("34000"));
    client
        .batch_execute("CLOSE h; DECLARE h CURSOR WITH HOLD FOR SELECT 1")
        .await
        .expect("again");
    client.batch_execute("DISCARD ALL").await.expect("discard");
    let error = client.query("FETCH h", &[]).await.expect_err("discarded");
    assert_eq!(error.code().map(tokio_postgres::error::SqlState::code), Some("34000"));
}

#[test]
fn cursors_work_through_the_extended_protocol() {
    let mut session = session();
    play(&mut session, &[("BEGIN", "C:BEGIN Z:T")]);
    let declare = [
        parse(
            "",
            "DECLARE c CURSOR FOR SELECT i, $1::text AS t FROM generate_series(1, 7) AS g(i) WHERE i > $2::int",
        ),
        target(b'D', b'S', ""),
        bind("", "", &["x", "1"], &[]),
        execute("", 0),
    ];
    assert_eq!(session.batch(&declare).expect("batch"), "1 t n 2 C:DECLARE CURSOR Z:T");
    assert_eq!(session.batch(&[target(b'D', b'P', "c")]).expect("batch"), "T:2 Z:T");
    let fetch = [
        parse("f", "FETCH 3 FROM c"),
        target(b'D', b'S', "f"),
        bind("", "f", &[], &[1]),
        execute("", 0),
    ];
    assert_eq!(session.batch(&fetch).expect("batch"), "1 t T:2 2 D D D C:FETCH 3 Z:T");
    let cut = [
        bind("p", "f", &[], &[]),
        execute("p", 2),
        execute("p", 2),
        execute("p", 2),
        execute("c", 2),
    ];
    assert_eq!(
        session.batch(&cut).expect("batch"),
        "2 D D s D C:FETCH 3 C:FETCH 0 C:SELECT 0 Z:T"
    );
    assert_eq!(
        session.batch(&[bind("c", "f", &[], &[])]).expect("batch"),
        "E:42P03 Z:E"
    );
    play(
        &mut session,
        &[("ROLLBACK", "C:ROLLBACK Z:I"), ("BEGIN", "C:BEGIN Z:T")],
    );
    play(
        &mut session,
        &[(
            "DECLARE b BINARY CURSOR FOR SELECT 1::int4, 2::int8",
            "C:DECLARE CURSOR Z:T",
        )],
    );
    session.send(b'Q', &pintail_tests::raw::text("FETCH b")).expect("send");
    let described = session.receive().expect("receive").expect("an answer");
    assert_eq!(described.formats(), [1, 1]);
    let row = session.receive().expect("receive").expect("an answer");
    let expected = [&[0, 2, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 8][..], &2i64.to_be_bytes()].concat();
    assert_eq!(row.body, expected);
    assert_eq!(session.answers().expect("rest"), "C:FETCH 1 Z:T");
    assert_eq!(session.batch(&[target(b'C', b'P', "b")]).expect("batch"), "3 Z:T");
    play(&mut session, &[("FETCH b", "E:34000 Z:E")]);
}
