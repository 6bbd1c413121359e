//! The protocol byte by byte: which messages, in which order, with which status.

use std::sync::OnceLock;
use std::time::Duration;

use pintail_tests::raw::{Raw, bind, execute, message, parse, target, text};
use pintail_tests::{Installation, Options, eventually};

const SSL_REQUEST: u32 = 80_877_103;
const GSS_REQUEST: u32 = 80_877_104;
const CANCEL_REQUEST: u32 = 80_877_102;

/// One server for this file: no test leaves anything behind.
fn server() -> &'static Installation {
    static SERVER: OnceLock<Installation> = OnceLock::new();
    SERVER.get_or_init(|| {
        let settings = vec![("PINTAIL_WORKERS_MAX", "16".to_owned())];
        Installation::start_with(Options { settings }).expect("start")
    })
}

fn session() -> Raw {
    Raw::session(server()).expect("session")
}

/// What a first packet is answered with, the client sending nothing more.
fn refusal(bytes: &[u8]) -> Option<String> {
    let mut raw = Raw::open(server()).expect("connect");
    // A server may close before all is written.
    let _ = raw.bytes(bytes);
    let _ = raw.end();
    let answer = raw.receive().expect("an answer or a close");
    if let Some(answer) = &answer {
        assert_eq!(answer.kind, b'E', "{bytes:?}");
        assert_eq!(answer.field(b'S').as_deref(), Some("FATAL"), "{bytes:?}");
        assert_eq!(raw.rest().expect("a close"), b"", "{bytes:?}");
    }
    answer.map(|answer| answer.short())
}

fn start_up(version: u32, body: &[u8]) -> Vec<u8> {
    let mut packet = u32::try_from(body.len() + 8).expect("short").to_be_bytes().to_vec();
    packet.extend(version.to_be_bytes());
    packet.extend(body);
    packet
}

#[test]
fn malformed_start_up_packets_are_refused_and_hurt_nobody() {
    for length in [0u32, 3, 4, 10_001, 0x7fff_ffff, 0xffff_ffff, 0x8000_0000] {
        let mut packet = length.to_be_bytes().to_vec();
        packet.extend([0, 3, 0, 0]);
        assert_eq!(refusal(&packet).as_deref(), Some("E:08P01"), "length {length}");
    }
    let truncated = [&100u32.to_be_bytes()[..], &[0, 3, 0, 0], b"user\0pin"].concat();
    assert_eq!(refusal(&truncated), None, "a client that left is told nothing");
    assert_eq!(refusal(&[0, 0]), None);
    let version = 3 << 16;
    assert_eq!(
        refusal(&start_up(version, b"user\0pintail\0")).as_deref(),
        Some("E:08P01"),
        "no final zero"
    );
    assert_eq!(
        refusal(&start_up(version, b"user\0pintail\0\0x")).as_deref(),
        Some("E:08P01"),
        "more after it"
    );
    assert_eq!(
        refusal(&start_up(version, b"database\0lake\0\0")).as_deref(),
        Some("E:28000"),
        "no user"
    );
    assert_eq!(
        refusal(&start_up(version, b"\0")).as_deref(),
        Some("E:28000"),
        "nothing at all"
    );
    for version in [2 << 16, 1 << 16] {
        let mut raw = Raw::open(server()).expect("connect");
        raw.bytes(&start_up(version, b"user\0pintail\0\0")).expect("send");
        let told = raw.rest().expect("a close");
        assert!(
            told.starts_with(b"EFATAL:  unsupported frontend protocol"),
            "{version:x}: {told:?}"
        );
    }
    for version in [4 << 16, 0x4321_0000] {
        assert_eq!(
            refusal(&start_up(version, b"user\0pintail\0\0")).as_deref(),
            Some("E:0A000"),
            "{version:x}"
        );
    }
    assert_eq!(session().query("SELECT 1").expect("query"), "T:1 D C:SELECT 1 Z:I");
}

#[test]
fn gss_then_tls_then_start_up() {
    let mut raw = Raw::open(server()).expect("connect");
    raw.packet(&GSS_REQUEST.to_be_bytes()).expect("send");
    assert_eq!(raw.byte().expect("answer"), b'N');
    raw.packet(&SSL_REQUEST.to_be_bytes()).expect("send");
    assert_eq!(raw.byte().expect("answer"), b'S');
    raw.go_into_tls().expect("tls");
    assert_eq!(raw.log_in(server(), 3 << 16, &[]).expect("log in"), ["Z:I"]);
    assert_eq!(raw.query("SELECT 1").expect("query"), "T:1 D C:SELECT 1 Z:I");
}

#[test]
fn bytes_behind_a_request_for_tls_are_not_taken_for_the_sessions() {
    let mut raw = Raw::open(server()).expect("connect");
    let smuggled = [
        &8u32.to_be_bytes()[..],
        &SSL_REQUEST.to_be_bytes(),
        &start_up(3 << 16, b"user\0pintail\0\0"),
    ]
    .concat();
    raw.bytes(&smuggled).expect("send");
    // The server may have closed already.
    let _ = raw.end();
    let rest = raw.rest().expect("a close");
    assert!(!rest.contains(&b'R'), "no authentication was begun: {rest:?}");
}

#[test]
fn a_newer_minor_version_and_unknown_options_are_negotiated() {
    let mut raw = Raw::open(server()).expect("connect");
    let version = (3 << 16) + 9999;
    let mut body = Vec::new();
    for part in ["user", server().variable("PGUSER"), "_pq_.x", "1"] {
        body.extend(text(part));
    }
    body.push(0);
    raw.bytes(&start_up(version, &body)).expect("send");
    let answer = raw.receive().expect("an answer").expect("no close");
    assert_eq!(answer.kind, b'v');
    assert_eq!(
        answer.body,
        [&(3u32 << 16 | 2).to_be_bytes()[..], &1u32.to_be_bytes(), b"_pq_.x\0"].concat()
    );
    assert_eq!(raw.receive().expect("an answer").expect("no close").kind, b'R');

    let mut raw = Raw::open(server()).expect("connect");
    assert_eq!(raw.log_in(server(), version, &[]).expect("log in"), ["v", "Z:I"]);
    let mut raw = Raw::open(server()).expect("connect");
    assert_eq!(raw.log_in(server(), 3 << 16 | 2, &[]).expect("log in"), ["Z:I"]);
    assert!(raw.key().len() > 8, "a long secret under 3.2");
    assert_eq!(session().key().len(), 8, "and four bytes under 3.0");
}

fn cancel(key: &[u8]) {
    let mut raw = Raw::open(server()).expect("connect");
    raw.packet(&[&CANCEL_REQUEST.to_be_bytes()[..], key].concat())
        .expect("send");
    assert_eq!(raw.rest().expect("a close"), b"", "a cancel request is never answered");
}

#[test]
fn a_cancel_request_needs_the_right_key() {
    let mut session = session();
    assert_eq!(session.query("SELECT 1").expect("query"), "T:1 D C:SELECT 1 Z:I");
    session
        .send(
            b'Q',
            &text("SELECT sum(a.i * b.i) FROM range(30000) a(i), range(1000) b(i)"),
        )
        .expect("send");
    let mut wrong = session.key().to_vec();
    *wrong.last_mut().expect("a secret") ^= 1;
    cancel(&wrong);
    cancel(&[0xff; 8]);
    assert_eq!(session.answers().expect("answers"), "T:1 D C:SELECT 1 Z:I");
    session
        .send(
            b'Q',
            &text("SELECT sum(a.i * b.i) FROM range(300000) a(i), range(30000000) b(i)"),
        )
        .expect("send");
    let key = session.key().to_vec();
    // One that comes before the query was read has nothing to cancel.
    until_active(&key);
    cancel(&key);
    assert_eq!(session.answers().expect("answers"), "E:57014 Z:I");
    assert_eq!(session.query("SELECT 2").expect("query"), "T:1 D C:SELECT 1 Z:I");
}

/// Waits until the session with that key runs something.
fn until_active(key: &[u8]) {
    let pid = i32::from_be_bytes(key[..4].try_into().expect("a process id"));
    let sql = format!("SELECT 1 FROM pg_stat_activity WHERE pid = {pid} AND state = 'active'");
    let mut other = session();
    let is_active = || (other.query(&sql).expect("query") == "T:1 D C:SELECT 1 Z:I").then_some(());
    eventually("the session runs its query", Duration::from_secs(30), is_active).expect("active");
}

#[test]
fn one_error_a_batch_and_then_silence_up_to_sync() {
    let mut session = session();
    let batch = [
        parse("good", "SELECT 1"),
        bind("", "missing", &[], &[]),
        execute("", 0),
        parse("other", "SELECT 2"),
        target(b'D', b'S', "good"),
    ];
    assert_eq!(session.batch(&batch).expect("batch"), "1 E:26000 Z:I");
    assert_eq!(session.query("SELECT 1").expect("query"), "T:1 D C:SELECT 1 Z:I");
    let batch = [bind("", "good", &[], &[]), target(b'D', b'P', ""), execute("", 0)];
    assert_eq!(session.batch(&batch).expect("batch"), "2 T:1 D C:SELECT 1 Z:I");
    assert_eq!(
        session.batch(&[parse("good", "SELECT 1")]).expect("batch"),
        "E:42P05 Z:I"
    );
    assert_eq!(
        session.batch(&[target(b'D', b'S', "other")]).expect("batch"),
        "E:26000 Z:I",
        "it was passed over"
    );
    assert_eq!(
        session.batch(&[target(b'D', b'P', "none")]).expect("batch"),
        "E:34000 Z:I"
    );
    assert_eq!(session.batch(&[parse("", "SELEC 1")]).expect("batch"), "E:42601 Z:I");
    assert_eq!(
        session.batch(&[parse("", "SELECT 1; SELECT 2")]).expect("batch"),
        "E:42601 Z:I"
    );
    assert_eq!(session.batch(&[]).expect("batch"), "Z:I");
}

#[test]
fn binds_with_wrong_counts_are_protocol_violations_and_the_session_lives() {
    let mut session = session();
    assert_eq!(
        session
            .batch(&[parse("p", "SELECT $1::int4, $2::text")])
            .expect("batch"),
        "1 Z:I"
    );
    for params in [&[][..], &["1"], &["1", "2", "3"]] {
        assert_eq!(
            session.batch(&[bind("", "p", params, &[])]).expect("batch"),
            "E:08P01 Z:I",
            "{params:?}"
        );
    }
    assert_eq!(
        session.batch(&[bind("", "p", &["1", "2"], &[0, 0, 0])]).expect("batch"),
        "E:08P01 Z:I"
    );
    let three_formats = [
        text(""),
        text("p"),
        vec![0, 3, 0, 0, 0, 0, 0, 0, 0, 2],
        vec![0, 0, 0, 1, b'1', 0, 0, 0, 1, b'2', 0, 0],
    ];
    assert_eq!(
        session.batch(&[message(b'B', &three_formats.concat())]).expect("batch"),
        "E:08P01 Z:I"
    );
    let cut = [text(""), text("p"), vec![0, 0, 0, 2, 0, 0, 0, 100, b'1']];
    assert_eq!(
        session.batch(&[message(b'B', &cut.concat())]).expect("batch"),
        "E:08P01 Z:I"
    );
    assert_eq!(
        session
            .batch(&[bind("", "p", &["x", "y"], &[]), execute("", 0)])
            .expect("batch")
            .split(' ')
            .next_back(),
        Some("Z:I")
    );
    let batch = [bind("", "p", &["1", "2"], &[]), execute("", 0)];
    assert_eq!(session.batch(&batch).expect("batch"), "2 D C:SELECT 1 Z:I");
}

#[test]
fn one_result_format_stands_for_all_columns() {
    let mut session = session();
    let batch = [
        parse("", "SELECT 1, 2, 3, 4, 5"),
        bind("", "", &[], &[1]),
        target(b'D', b'P', ""),
        execute("", 0),
        message(b'H', &[]),
    ];
    session.bytes(&batch.concat()).expect("send");
    // Flush alone brings the answers.
    assert_eq!(session.some(2).expect("answers"), "1 2");
    let columns = session.receive().expect("an answer").expect("no close");
    assert_eq!((columns.kind, columns.formats()), (b'T', vec![1; 5]));
    let row = session.receive().expect("an answer").expect("no close");
    let mut wanted = vec![0, 5];
    (1..=5).for_each(|number| wanted.extend([0, 0, 0, 4, 0, 0, 0, number]));
    assert_eq!((row.kind, row.body), (b'D', wanted));
    assert_eq!(session.batch(&[]).expect("sync"), "C:SELECT 1 Z:I");
}

#[test]
fn a_row_limit_suspends_the_portal() {
    let mut session = session();
    let batch = [
        parse("", "SELECT i FROM range(5) AS t(i)"),
        bind("p", "", &[], &[]),
        execute("p", 2),
        execute("p", 2),
        execute("p", 2),
    ];
    assert_eq!(
        session.batch(&batch).expect("batch"),
        "1 2 D D s D D s D C:SELECT 1 Z:I"
    );
    assert_eq!(
        session.batch(&[execute("p", 2)]).expect("batch"),
        "E:34000 Z:I",
        "portals end with the transaction"
    );
    assert_eq!(session.query("BEGIN").expect("begin"), "C:BEGIN Z:T");
    assert_eq!(
        session
            .batch(&[parse("s", "SELECT i FROM range(5) AS t(i)")])
            .expect("batch"),
        "1 Z:T"
    );
    let named = [bind("p", "s", &[], &[]), execute("p", 3)];
    assert_eq!(session.batch(&named).expect("batch"), "2 D D D s Z:T");
    assert_eq!(
        session.batch(&[bind("p", "s", &[], &[])]).expect("batch"),
        "E:42P03 Z:E"
    );
    assert_eq!(session.query("ROLLBACK").expect("rollback"), "C:ROLLBACK Z:I");
    assert_eq!(session.query("BEGIN").expect("begin"), "C:BEGIN Z:T");
    assert_eq!(session.batch(&named).expect("batch"), "2 D D D s Z:T");
    assert_eq!(session.batch(&[execute("p", 0)]).expect("batch"), "D D C:SELECT 2 Z:T");
    assert_eq!(session.batch(&[target(b'C', b'P', "p")]).expect("batch"), "3 Z:T");
    assert_eq!(session.query("COMMIT").expect("commit"), "C:COMMIT Z:I");
}

#[test]
fn closing_what_is_not_there_is_fine() {
    let mut session = session();
    let batch = [target(b'C', b'P', "missing"), target(b'C', b'S', "missing")];
    assert_eq!(session.batch(&batch).expect("batch"), "3 3 Z:I");
}

#[test]
fn describing_an_insert_leaves_the_table_empty() {
    let mut session = session();
    assert_eq!(
        session.query("CREATE TEMP TABLE described (a int)").expect("create"),
        "C:CREATE TABLE Z:I"
    );
    let batch = [
        parse("i", "INSERT INTO described VALUES (1)"),
        target(b'D', b'S', "i"),
        bind("", "i", &[], &[]),
        target(b'D', b'P', ""),
    ];
    assert_eq!(session.batch(&batch).expect("batch"), "1 t n 2 n Z:I");
    let batch = [
        parse("", "INSERT INTO described VALUES (2) RETURNING a, a"),
        target(b'D', b'S', ""),
    ];
    assert_eq!(session.batch(&batch).expect("batch"), "1 t T:2 Z:I");
    assert_eq!(
        session.query("SELECT * FROM described").expect("select"),
        "T:1 C:SELECT 0 Z:I"
    );
    assert_eq!(
        session
            .batch(&[bind("", "i", &[], &[]), execute("", 0)])
            .expect("batch"),
        "2 C:INSERT 0 1 Z:I"
    );
    assert_eq!(
        session.query("SELECT * FROM described").expect("select"),
        "T:1 D C:SELECT 1 Z:I"
    );
}

#[test]
fn simple_queries_end_at_the_first_error_and_tell_the_transactions_state() {
    let mut session = session();
    for (sql, wanted) in [
        ("", "I Z:I"),
        (" ; -- nothing\n;", "I Z:I"),
        ("SELECT 1; SELECT 1/0; SELECT 2", "T:1 D C:SELECT 1 E:22012 Z:I"),
        ("SELECT 1; SELECT 2", "T:1 D C:SELECT 1 T:1 D C:SELECT 1 Z:I"),
        ("COMMIT", "N:25P01 C:COMMIT Z:I"),
        ("BEGIN", "C:BEGIN Z:T"),
        ("BEGIN", "N:25001 C:BEGIN Z:T"),
        ("SELECT nothing", "E:42703 Z:E"),
        ("SELECT 1", "E:25P02 Z:E"),
        ("COMMIT", "C:ROLLBACK Z:I"),
        ("BEGIN; SELECT 1", "C:BEGIN T:1 D C:SELECT 1 Z:T"),
        ("ROLLBACK AND CHAIN", "C:ROLLBACK Z:T"),
        ("END", "C:COMMIT Z:I"),
    ] {
        assert_eq!(session.query(sql).expect("query"), wanted, "{sql}");
    }
}

#[test]
fn set_config_changes_the_session_and_follows_its_transaction() {
    let mut session = session();
    let shown = |session: &mut Raw| {
        session.send(b'Q', &text("SHOW work_mem")).expect("send");
        session.receive().expect("an answer").expect("columns");
        let row = session.receive().expect("an answer").expect("a row");
        assert_eq!(session.answers().expect("answers"), "C:SHOW Z:I");
        String::from_utf8_lossy(&row.body[6..]).into_owned()
    };
    assert_eq!(
        session
            .query("SELECT set_config('work_mem', '8MB', false)")
            .expect("query"),
        "T:1 D C:SELECT 1 Z:I"
    );
    assert_eq!(shown(&mut session), "8MB");
    let sql = "BEGIN; SELECT set_config('work_mem', '16MB', true); COMMIT";
    assert_eq!(
        session.query(sql).expect("query"),
        "C:BEGIN T:1 D C:SELECT 1 C:COMMIT Z:I"
    );
    assert_eq!(shown(&mut session), "8MB");
    let batch = [
        parse("", "SELECT set_config($1, $2, false)"),
        bind("", "", &["work_mem", "32MB"], &[]),
        execute("", 0),
    ];
    assert_eq!(session.batch(&batch).expect("batch"), "1 2 D C:SELECT 1 Z:I");
    assert_eq!(shown(&mut session), "32MB");
    assert_eq!(
        session
            .query("SELECT set_config('nonsense', '1', false)")
            .expect("query"),
        "E:42704 Z:I"
    );
}

#[test]
fn an_unknown_message_ends_the_session() {
    let mut session = session();
    session.send(b'y', b"what").expect("send");
    assert_eq!(session.answers().expect("answers"), "E:08P01 closed");
    let mut session = self::session();
    session.bytes(&[b'Q', 0, 0, 0, 3]).expect("send");
    assert_eq!(session.answers().expect("answers"), "E:08P01 closed");
    assert_eq!(
        self::session().query("SELECT 1").expect("query"),
        "T:1 D C:SELECT 1 Z:I"
    );
}

#[test]
fn what_cannot_be_read_is_answered_and_forgotten() {
    let mut session = session();
    for body in [&b"SELECT '\xff'\0"[..], b"SELECT 1", b"SELECT 1\0more\0"] {
        session.send(b'Q', body).expect("send");
        let answers = session.answers().expect("answers");
        assert!(
            answers.starts_with("E:") && answers.ends_with(" Z:I"),
            "{body:?}: {answers}"
        );
        assert_eq!(session.query("SELECT 1").expect("query"), "T:1 D C:SELECT 1 Z:I");
    }
}

#[test]
fn settings_follow_the_transaction_of_several_statements_in_one_query() {
    let mut session = session();
    let local = session
        .query("SET LOCAL TimeZone = 'Asia/Tokyo'; SELECT 1; SELECT 2")
        .expect("query");
    assert_eq!(local, "C:SET T:1 D C:SELECT 1 T:1 D C:SELECT 1 Z:I", "no warning");
    let failed = session
        .query("SET application_name = 'undone'; SELECT 1/0")
        .expect("query");
    assert_eq!(failed, "C:SET E:22012 Z:I");
    session.send(b'Q', &text("SHOW application_name")).expect("send");
    let mut shown = Vec::new();
    while let Some(answer) = session.receive().expect("receive") {
        match answer.kind {
            b'D' => shown = answer.body,
            b'Z' => break,
            _ => {}
        }
    }
    assert!(!shown.ends_with(b"undone"), "{shown:?}");
}

#[test]
fn deep_statements_hurt_nobody() {
    let mut session = session();
    for (piece, end) in [
        (" union all select 1", ""),
        ("+1", ""),
        ("::int", ""),
        (" or true", ""),
        (",(select 1", ""),
    ] {
        for times in [200, 1500, 40_000] {
            let sql = format!("SELECT 1 {}{end}", piece.repeat(times));
            let answers = session.query(&sql).expect("an answer");
            assert!(answers.ends_with(" Z:I"), "{piece} {times} times: {answers}");
        }
    }
    for piece in ["explain ", "prepare p as ", "copy (", "declare c cursor for "] {
        for times in [200, 2000, 40_000] {
            let answers = session
                .query(&format!("{}SELECT 1", piece.repeat(times)))
                .expect("an answer");
            assert!(answers.starts_with("E:"), "{piece} {times} times: {answers}");
        }
    }
    assert_eq!(session.query("SELECT 1").expect("query"), "T:1 D C:SELECT 1 Z:I");
}
