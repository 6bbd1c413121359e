//! `COPY` by the client's protocol, message by message.

use std::sync::OnceLock;
use std::time::Duration;

use pintail_tests::raw::{Raw, bind, execute, message, parse, target, text};
use pintail_tests::{Installation, eventually};

fn server() -> &'static Installation {
    static SERVER: OnceLock<Installation> = OnceLock::new();
    SERVER.get_or_init(|| Installation::start().expect("start"))
}

/// A session with a lake table of that name.
fn session(table: &str) -> Raw {
    let mut session = Raw::session(server()).expect("session");
    let made = session.query(&format!("CREATE TABLE {table} (id int, v text)"));
    assert_eq!(made.expect("create"), "C:CREATE TABLE Z:I");
    session
}

fn data(bytes: &[u8]) -> Vec<u8> {
    message(b'd', bytes)
}

/// Sends a query and messages right behind it; gives the answers.
fn copied(session: &mut Raw, sql: &str, messages: &[Vec<u8>]) -> String {
    let mut bytes = message(b'Q', &text(sql));
    bytes.extend(messages.concat());
    session.bytes(&bytes).expect("send");
    session.answers().expect("answers")
}

fn rows(session: &mut Raw, table: &str) -> usize {
    let answers = session.query(&format!("SELECT * FROM {table}")).expect("select");
    answers.split(' ').filter(|answer| *answer == "D").count()
}

#[test]
fn data_comes_in_however_it_is_cut() {
    let mut session = session("cut");
    let line = "1\tzwölf\n2\t\\N\n".as_bytes();
    for at in 0..=line.len() {
        let (left, right) = line.split_at(at);
        let messages = [data(left), data(right), message(b'c', &[])];
        assert_eq!(
            copied(&mut session, "COPY cut FROM STDIN", &messages),
            "G C:COPY 2 Z:I",
            "cut at {at}"
        );
    }
    let all = (line.len() + 1) * 2;
    assert_eq!(rows(&mut session, "cut"), all);
    let found = session.query("SELECT 1 FROM cut WHERE v = 'zwölf'").expect("select");
    assert_eq!(found.split(' ').filter(|answer| *answer == "D").count(), all / 2);
}

#[test]
fn a_copy_that_fails_stores_nothing_and_leaves_the_session_usable() {
    let mut session = session("failing");
    let good = data(b"1\ta\n");
    for (messages, answer) in [
        (vec![good.clone(), message(b'f', &text("no more"))], "G E:57014 Z:I"),
        (vec![good.clone(), data(b"x\tb\n"), message(b'c', &[])], "G E:22P02 Z:I"),
        (vec![good.clone(), data(b"2\n"), message(b'c', &[])], "G E:22P04 Z:I"),
        (
            vec![good.clone(), data(b"2\tb\tc\n"), message(b'c', &[])],
            "G E:22P04 Z:I",
        ),
        (vec![data(b"2\t\xff\n"), message(b'c', &[])], "G E:22021 Z:I"),
    ] {
        assert_eq!(copied(&mut session, "COPY failing FROM STDIN", &messages), answer);
        assert_eq!(session.query("SELECT 1").expect("usable"), "T:1 D C:SELECT 1 Z:I");
    }
    assert_eq!(copied(&mut session, "COPY nosuch FROM STDIN", &[]), "E:42P01 Z:I");
    assert_eq!(session.query("BEGIN").expect("begin"), "C:BEGIN Z:T");
    let messages = [good.clone(), message(b'f', &text("no more"))];
    assert_eq!(
        copied(&mut session, "COPY failing FROM STDIN", &messages),
        "G E:57014 Z:E"
    );
    assert_eq!(session.query("ROLLBACK").expect("rollback"), "C:ROLLBACK Z:I");
    assert_eq!(session.query("BEGIN READ ONLY").expect("begin"), "C:BEGIN Z:T");
    assert_eq!(copied(&mut session, "COPY failing FROM STDIN", &[]), "E:25006 Z:E");
    assert_eq!(session.query("ROLLBACK").expect("rollback"), "C:ROLLBACK Z:I");
    let messages = [message(b'H', &[]), good, message(b'S', &[]), message(b'c', &[])];
    assert_eq!(
        copied(&mut session, "COPY failing FROM STDIN; SELECT 2", &messages),
        "G C:COPY 1 T:1 D C:SELECT 1 Z:I",
        "Flush and Sync are passed over"
    );
    assert_eq!(rows(&mut session, "failing"), 1);
}

#[test]
fn another_message_in_the_midst_of_a_copy_ends_the_session() {
    let mut session = session("interrupted");
    let messages = [data(b"1\ta\n"), message(b'Q', &text("SELECT 1"))];
    assert_eq!(
        copied(&mut session, "COPY interrupted FROM STDIN", &messages),
        "G E:08P01 closed"
    );
    let mut session = Raw::session(server()).expect("session");
    assert_eq!(rows(&mut session, "interrupted"), 0);
}

#[test]
fn copies_go_through_the_extended_protocol() {
    let mut session = session("extended");
    let begin = [
        parse("", "COPY extended (id) FROM STDIN"),
        target(b'D', b'S', ""),
        bind("", "", &[], &[]),
        execute("", 0),
    ];
    session.bytes(&begin.concat()).expect("send");
    session
        .bytes(&message(b'S', &[]))
        .expect("a Sync that libpq sends along");
    assert_eq!(session.some(5).expect("ready"), "1 t n 2 G");
    let rest = [data(b"1\n2\n"), message(b'c', &[]), message(b'S', &[])].concat();
    session.bytes(&rest).expect("send");
    assert_eq!(session.answers().expect("copied"), "C:COPY 2 Z:I");
    let out = [
        parse("", "COPY extended TO STDOUT"),
        bind("", "", &[], &[]),
        execute("", 1),
    ];
    assert_eq!(session.batch(&out).expect("out"), "1 2 H d d c C:COPY 2 Z:I");
    let wrong = [
        parse("", "COPY extended (id) FROM STDIN"),
        bind("", "", &[], &[]),
        execute("", 0),
        data(b"x\n"),
        message(b'c', &[]),
        parse("", "SELECT 1"),
    ];
    assert_eq!(session.batch(&wrong).expect("wrong"), "1 2 G E:22P02 Z:I");
}

#[test]
fn a_client_that_goes_in_the_midst_stores_nothing() {
    let mut leaving = session("vanished");
    let mut bytes = message(b'Q', &text("COPY vanished FROM STDIN"));
    bytes.extend(data(b"1\ta\n"));
    leaving.bytes(&bytes).expect("send");
    assert_eq!(leaving.some(1).expect("ready"), "G");
    drop(leaving);
    let mut session = Raw::session(server()).expect("session");
    assert_eq!(
        session.query("SELECT count(*) FROM vanished").expect("count"),
        "T:1 D C:SELECT 1 Z:I"
    );
    assert_eq!(rows(&mut session, "vanished"), 0);
}

#[test]
fn a_copy_is_cancelled_while_the_client_says_nothing() {
    let mut waiting = session("cancelled");
    waiting.send(b'Q', &text("COPY cancelled FROM STDIN")).expect("send");
    assert_eq!(waiting.some(1).expect("ready"), "G");
    let mut request = 80_877_102u32.to_be_bytes().to_vec();
    request.extend(waiting.key());
    let cancel = || -> Option<()> {
        let mut canceller = Raw::open(server()).ok()?;
        canceller.packet(&request).ok()?;
        canceller.rest().ok().map(drop)
    };
    eventually("the request is taken", Duration::from_secs(10), cancel).expect("cancel");
    assert_eq!(waiting.answers().expect("cancelled"), "E:57014 Z:I");
    assert_eq!(rows(&mut waiting, "cancelled"), 0);
}

#[test]
fn results_leave_in_every_format() {
    let mut session = session("\"out\"");
    let insert = session
        .query("INSERT INTO \"out\" VALUES (1, 'a'), (2, NULL)")
        .expect("insert");
    assert_eq!(insert, "C:INSERT 0 2 Z:I");
    for (sql, answer) in [
        ("COPY \"out\" TO STDOUT", "H d d c C:COPY 2 Z:I"),
        ("COPY \"out\" (id) TO STDOUT WITH CSV HEADER", "H d d d c C:COPY 2 Z:I"),
        ("COPY (SELECT 1) TO STDOUT WITH BINARY", "H d d c C:COPY 1 Z:I"),
        ("COPY (SELECT 1 WHERE false) TO STDOUT", "H c C:COPY 0 Z:I"),
        ("COPY (SELECT 1/0) TO STDOUT", "E:22012 Z:I"),
        ("COPY (SELECT nosuch) TO STDOUT", "E:42703 Z:I"),
        (
            "COPY (INSERT INTO \"out\" VALUES (3, 'c') RETURNING id) TO STDOUT",
            "H d c C:COPY 1 Z:I",
        ),
        ("COPY \"out\" TO '/tmp/file'", "E:42501 Z:I"),
        ("COPY \"out\" TO PROGRAM 'cat'", "E:42501 Z:I"),
        ("COPY \"out\" TO STDOUT (FORMAT nosuch)", "E:22023 Z:I"),
    ] {
        assert_eq!(session.query(sql).expect(sql), answer, "{sql}");
    }
    assert_eq!(rows(&mut session, "\"out\""), 3);
}
