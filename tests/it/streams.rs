//! Amounts that are larger than every buffer: pipelines, portals, values and copies.

use std::sync::OnceLock;
use std::time::Duration;

use pintail_tests::raw::{Endpoint, Raw, bind, execute, message, parse, text};
use pintail_tests::reference::Reference;
use pintail_tests::{Installation, eventually, resident};

/// A value of this size.
const LARGE: usize = 100_000_000;
/// What the control plane and a worker may need for something of several hundred megabytes, KiB.
const ALLOWED: (u64, u64) = (48 << 10, 160 << 10);

fn server() -> &'static Installation {
    static SERVER: OnceLock<Installation> = OnceLock::new();
    SERVER.get_or_init(|| Installation::start().expect("start"))
}

fn session() -> Raw {
    Raw::session(server()).expect("session")
}

fn done(session: &mut Raw, sql: &str) {
    let answers = session.query(sql).expect("answers");
    assert!(!answers.contains("E:"), "{sql}: {answers}");
}

/// The next message that is no parameter's status: its type and its length.
fn next(session: &mut Raw) -> (char, usize) {
    let answer = session.receive().expect("an answer").expect("no close");
    (char::from(answer.kind), answer.body.len())
}

/// Memory of a server of its own and of its largest worker, and the most of it so far.
struct Memory {
    server: Installation,
    base: (u64, u64),
    most: (u64, u64),
}

impl Memory {
    /// A server with one session that has its worker.
    fn of_one_session() -> (Self, Raw) {
        let server = Installation::start().expect("start");
        let mut session = Raw::session(&server).expect("session");
        done(
            &mut session,
            "CREATE TABLE filled (a int8, b text); SELECT count(*) FROM filled",
        );
        let memory = Self {
            base: now(&server),
            most: (0, 0),
            server,
        };
        (memory, session)
    }

    fn look(&mut self) {
        let (server, worker) = now(&self.server);
        self.most = (self.most.0.max(server), self.most.1.max(worker));
    }

    /// How much more than at first, KiB.
    fn grown(&self) -> (u64, u64) {
        (
            self.most.0.saturating_sub(self.base.0),
            self.most.1.saturating_sub(self.base.1),
        )
    }
}

fn now(server: &Installation) -> (u64, u64) {
    let workers = server.workers().into_iter().map(resident);
    (server.pid().map_or(0, resident), workers.max().unwrap_or(0))
}

fn pipeline(server: &impl Endpoint) {
    let mut session = Raw::session(server).expect("session");
    done(&mut session, "SELECT 1");
    let statements = (0..1000).flat_map(|number: i32| {
        let value = number.to_string();
        [
            parse("", "SELECT $1::int4"),
            bind("", "", &[&value], &[1]),
            execute("", 0),
        ]
    });
    let mut batch: Vec<u8> = statements.flatten().collect();
    batch.extend(message(b'S', &[]));
    session.bytes(&batch).expect("send");
    let (mut answers, mut reads) = (Vec::new(), 0);
    while !answers.ends_with(b"Z\0\0\0\x05I") {
        answers.extend(session.chunk().expect("answers"));
        reads += 1;
    }
    assert!(reads <= 50, "{reads} reads");
    let one = |number: i32| {
        let row = [&[0, 1, 0, 0, 0, 4][..], &number.to_be_bytes()].concat();
        [
            message(b'1', &[]),
            message(b'2', &[]),
            message(b'D', &row),
            message(b'C', &text("SELECT 1")),
        ]
        .concat()
    };
    let mut wanted: Vec<u8> = (0..1000).flat_map(one).collect();
    wanted.extend(message(b'Z', b"I"));
    assert!(answers == wanted, "every statement has its own answers, in order");
}

fn large_values(server: &impl Endpoint) {
    let mut session = Raw::session(server).expect("session");
    session
        .send(b'Q', &text(&format!("SELECT repeat('x', {LARGE})")))
        .expect("send");
    assert_eq!(session.some(1).expect("columns"), "T:1");
    assert_eq!(next(&mut session), ('D', LARGE + 6));
    assert_eq!(session.answers().expect("the end"), "C:SELECT 1 Z:I");
    let value = "y".repeat(LARGE);
    let sql = "SELECT length($1::text), right($1::text, 3), $1::text";
    let batch = [
        parse("", sql),
        bind("", "", &[&value], &[0]),
        execute("", 0),
        message(b'S', &[]),
    ];
    session.bytes(&batch.concat()).expect("send");
    assert_eq!(session.some(2).expect("bound"), "1 2");
    let row = session.receive().expect("a row").expect("no close");
    assert_eq!((row.kind, row.body.len()), (b'D', 2 + 4 + 9 + 4 + 3 + 4 + LARGE));
    assert_eq!(&row.body[6..15], b"100000000");
    assert!(row.body.ends_with(b"yyy"), "the value comes back");
    assert_eq!(session.answers().expect("the end"), "C:SELECT 1 Z:I");
}

#[test]
fn a_thousand_statements_before_one_sync_are_answered_in_few_writes() {
    pipeline(server());
}

#[test]
fn a_value_of_a_hundred_megabytes_goes_both_ways() {
    large_values(server());
}

/// Sends data again and again until the server says something; gives the answers.
fn fed(session: &mut Raw) -> String {
    eventually("the server ends it", Duration::from_secs(30), || {
        session.send(b'd', b"1\n").expect("send");
        session
            .has_input(Duration::from_millis(50))
            .expect("a look")
            .then_some(())
    })
    .expect("an answer");
    session.answers().expect("answers")
}

fn copies_in_time(server: &impl Endpoint) {
    let mut session = Raw::session(server).expect("session");
    done(&mut session, "CREATE TEMP TABLE timed (a int)");
    done(&mut session, "SET statement_timeout = '300ms'");
    session.send(b'Q', &text("COPY timed FROM STDIN")).expect("send");
    assert_eq!(session.some(1).expect("ready"), "G");
    assert_eq!(fed(&mut session), "E:57014 Z:I");
    assert_eq!(
        session.query("SELECT a FROM timed").expect("usable"),
        "T:1 C:SELECT 0 Z:I"
    );
    done(&mut session, "SET statement_timeout = 0");
    done(
        &mut session,
        "SET idle_session_timeout = '200ms'; SET idle_in_transaction_session_timeout = '200ms'; BEGIN",
    );
    session.send(b'Q', &text("COPY timed FROM STDIN")).expect("send");
    assert_eq!(session.some(1).expect("ready"), "G");
    let quiet = !session.has_input(Duration::from_millis(600)).expect("a look");
    assert!(quiet, "who copies is not idle");
    session
        .bytes(&[message(b'd', b"7\n"), message(b'c', &[])].concat())
        .expect("send");
    assert_eq!(session.some(2).expect("copied"), "C:COPY 1 Z:T");
}

#[test]
fn a_copy_ends_with_its_time_and_is_never_idle() {
    copies_in_time(server());
}

#[test]
fn postgresql_does_the_same() {
    if let Some(reference) = Reference::start().expect("the reference") {
        pipeline(&reference);
        large_values(&reference);
        copies_in_time(&reference);
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "resident memory is read from /proc")]
fn a_suspended_portal_holds_no_rows_in_memory() {
    let (mut memory, mut session) = Memory::of_one_session();
    done(&mut session, "BEGIN");
    let sql = "SELECT i, 'some text of a row that is not short ' || i FROM range(10000000) AS t(i)";
    let begin = [parse("", sql), bind("p", "", &[], &[])].concat();
    session.bytes(&begin).expect("send");
    for round in 0..40 {
        session
            .bytes(&[execute("p", 500), message(b'S', &[])].concat())
            .expect("send");
        if round == 0 {
            assert_eq!(session.some(2).expect("bound"), "1 2");
        }
        let answers = session.answers().expect("answers");
        assert!(
            answers.ends_with("D s Z:T") && answers.len() == 2 * 500 + 5,
            "{} bytes",
            answers.len()
        );
        // Time in which a server that reads ahead would do so.
        assert!(!session.has_input(Duration::from_millis(50)).expect("a look"));
        memory.look();
    }
    let (server, worker) = memory.grown();
    assert!(
        server < ALLOWED.0 && worker < ALLOWED.1,
        "{server} and {worker} KiB more"
    );
    done(&mut session, "ROLLBACK");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "resident memory is read from /proc")]
fn a_copy_that_is_read_slowly_waits_for_its_client() {
    let (mut memory, mut session) = Memory::of_one_session();
    for format in ["text", "csv", "binary"] {
        let sql = format!("COPY (SELECT i, repeat('x', 200) FROM range(2500000) AS t(i)) TO STDOUT (FORMAT {format})");
        session.send(b'Q', &text(&sql)).expect("send");
        let mut read = 0;
        while read < 20 << 20 {
            read += session.chunk().expect("data").len();
            if read % (4 << 20) < 64 << 10 {
                // A slow client.
                std::thread::sleep(Duration::from_millis(50));
                memory.look();
            }
        }
        drop(session);
        session = Raw::session(&memory.server).expect("session");
    }
    let (server, worker) = memory.grown();
    assert!(
        server < ALLOWED.0 && worker < ALLOWED.1,
        "{server} and {worker} KiB more"
    );
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "resident memory is read from /proc")]
fn a_copy_of_two_hundred_megabytes_goes_through() {
    let (mut memory, mut session) = Memory::of_one_session();
    session.send(b'Q', &text("COPY filled FROM STDIN")).expect("send");
    assert_eq!(session.some(1).expect("ready"), "G");
    let line = format!("1\t{}\n", "z".repeat(97));
    let chunk = message(b'd', line.repeat(10_000).as_bytes());
    for round in 0..200 {
        session.bytes(&chunk).expect("send");
        if round % 10 == 0 {
            memory.look();
        }
    }
    session.send(b'c', &[]).expect("send");
    assert_eq!(session.answers().expect("copied"), "C:COPY 2000000 Z:I");
    memory.look();
    let (server, worker) = memory.grown();
    assert!(
        server < ALLOWED.0 && worker < ALLOWED.1,
        "{server} and {worker} KiB more"
    );
}

/// The data of a COPY to the client.
fn taken(session: &mut Raw) -> Vec<u8> {
    let mut data = Vec::new();
    loop {
        let answer = session.receive().expect("an answer").expect("no close");
        match answer.kind {
            b'd' => data.extend(answer.body),
            b'Z' => return data,
            b'E' => panic!("{}", answer.short()),
            _ => {}
        }
    }
}

fn begin(sql: &str, extended: &str) -> Vec<u8> {
    match extended {
        "simple" => message(b'Q', &text(sql)),
        _ => [parse("", sql), bind("", "", &[], &[]), execute("", 0)].concat(),
    }
}

#[test]
fn files_of_parquet_and_arrow_go_out_and_come_in() {
    let mut session = session();
    done(
        &mut session,
        "CREATE TABLE original AS SELECT i AS a, 'text ' || i AS b, i / 7.0::float8 AS c, date '2024-01-01' + i AS d, \
         CASE WHEN i % 3 = 0 THEN NULL ELSE i::numeric(20, 4) END AS e, [i, NULL] AS f, i % 2 = 0 AS g \
         FROM generate_series(1, 5000) AS t(i)",
    );
    for format in ["parquet", "arrow"] {
        for protocol in ["simple", "extended"] {
            let sync = if protocol == "simple" {
                Vec::new()
            } else {
                message(b'S', &[])
            };
            let out = begin(&format!("COPY original TO STDOUT (FORMAT {format})"), protocol);
            session.bytes(&[out, sync.clone()].concat()).expect("send");
            let file = taken(&mut session);
            assert!(file.len() > 1000, "{format}: {} bytes", file.len());
            done(
                &mut session,
                "CREATE TEMP TABLE copied AS SELECT * FROM original WHERE false",
            );
            let mut bytes = begin(&format!("COPY copied FROM STDIN (FORMAT {format})"), protocol);
            bytes.extend(file.chunks(10_000).flat_map(|piece| message(b'd', piece)));
            bytes.extend(message(b'c', &[]));
            session.bytes(&[bytes, sync].concat()).expect("send");
            let answers = session.answers().expect("answers");
            assert!(
                answers.ends_with("G C:COPY 5000 Z:I"),
                "{format}, {protocol}: {answers}"
            );
            for (left, right) in [("original", "copied"), ("copied", "original")] {
                let differing = format!("SELECT * FROM {left} EXCEPT SELECT * FROM {right}");
                assert_eq!(
                    session.query(&differing).expect("rows"),
                    "T:7 C:SELECT 0 Z:I",
                    "{format}, {protocol}"
                );
            }
            done(&mut session, "DROP TABLE copied");
        }
    }
}
