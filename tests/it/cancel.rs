//! Cancel requests and clients that go, at moments when nothing else moves.

use std::time::Duration;

use pintail_tests::raw::{Raw, text};
use pintail_tests::{Installation, Options, eventually};

const CANCEL_REQUEST: u32 = 80_877_102;
const PATIENCE: Duration = Duration::from_secs(30);
/// A result that is far larger than what sockets hold.
const LARGE: &str = "SELECT i, repeat('x', 1000) FROM generate_series(1, 10000000) AS t(i)";

fn one_worker() -> Installation {
    let settings = [("PINTAIL_WORKERS_MAX", "1"), ("PINTAIL_WORKERS_SPARE", "0")];
    let settings = settings.map(|(name, value)| (name, value.to_owned())).to_vec();
    Installation::start_with(Options { settings }).expect("start")
}

fn cancel(server: &Installation, session: &Raw) {
    let mut raw = Raw::open(server).expect("connect");
    let request = [&CANCEL_REQUEST.to_be_bytes()[..], session.key()].concat();
    raw.packet(&request).expect("send");
    assert_eq!(raw.rest().expect("a close"), b"");
}

/// Asks until the only worker is free for another session.
fn worker_is_free(server: &Installation) {
    let mut next = Raw::session(server).expect("session");
    assert_eq!(next.query("SELECT 1").expect("query"), "T:1 D C:SELECT 1 Z:I");
}

#[test]
fn a_session_that_waits_for_a_worker_is_cancelled_and_goes_on() {
    let server = one_worker();
    let mut holds = Raw::session(&server).expect("session");
    assert_eq!(
        holds.query("BEGIN; SELECT 1").expect("query"),
        "C:BEGIN T:1 D C:SELECT 1 Z:T"
    );
    let mut waits = Raw::session(&server).expect("session");
    waits.send(b'Q', &text("SELECT 2")).expect("send");
    eventually("the cancel request is answered", PATIENCE, || {
        cancel(&server, &waits);
        waits
            .has_input(Duration::from_millis(100))
            .expect("a look")
            .then_some(())
    })
    .expect("an answer");
    assert_eq!(waits.answers().expect("answers"), "E:57014 Z:I");
    waits.send(b'Q', &text("SELECT 3")).expect("send");
    assert_eq!(holds.query("COMMIT").expect("query"), "C:COMMIT Z:I");
    drop(holds);
    assert_eq!(waits.answers().expect("answers"), "T:1 D C:SELECT 1 Z:I");
}

#[test]
fn a_result_that_nobody_reads_is_cancelled() {
    let server = one_worker();
    let mut session = Raw::session(&server).expect("session");
    session.send(b'Q', &text(LARGE)).expect("send");
    assert_eq!(session.some(2).expect("the first row"), "T:2 D");
    cancel(&server, &session);
    let answers = session.answers().expect("answers");
    assert!(
        answers.ends_with("E:57014 Z:I"),
        "{}",
        &answers[answers.len().saturating_sub(100)..]
    );
    assert_eq!(session.query("SELECT 1").expect("query"), "T:1 D C:SELECT 1 Z:I");
}

#[test]
fn a_client_that_goes_in_the_middle_frees_its_worker() {
    let server = one_worker();
    let long =
        "SELECT count(*) FROM generate_series(1, 300000) a(i), generate_series(1, 3000000) b(i) WHERE a.i + b.i < 0";
    for sql in [LARGE, long, "CREATE TEMP TABLE t (a int); COPY t FROM STDIN"] {
        let mut session = Raw::session(&server).expect("session");
        session.send(b'Q', &text(sql)).expect("send");
        match sql {
            LARGE => assert_eq!(session.some(2).expect("the first row"), "T:2 D"),
            _ if sql == long => {
                assert!(!session.has_input(Duration::from_secs(1)).expect("a look"), "it runs");
            }
            _ => assert_eq!(session.some(2).expect("answers"), "C:CREATE TABLE G"),
        }
        drop(session);
        worker_is_free(&server);
    }
}

#[test]
fn a_full_read_ahead_does_not_hide_that_the_client_went() {
    let server = one_worker();
    let mut session = Raw::session(&server).expect("session");
    assert_eq!(session.query("SELECT 1").expect("query"), "T:1 D C:SELECT 1 Z:I");
    session.send(b'Q', &text(LARGE)).expect("send");
    assert_eq!(session.some(2).expect("the first row"), "T:2 D");
    // Half a megabyte of further queries, which the server leaves in the socket.
    let more = pintail_tests::raw::message(b'Q', &text(&format!("SELECT 1 -- {}", "x".repeat(512 << 10))));
    session.bytes(&more).expect("send");
    drop(session);
    worker_is_free(&server);
}

#[test]
fn a_cancel_request_that_has_been_taken_never_hits_a_later_statement() {
    let server = one_worker();
    let mut session = Raw::session(&server).expect("session");
    for round in 0..60 {
        let sql = format!("SELECT count(*) FROM generate_series(1, {}) AS t(i)", round * 2000);
        session.send(b'Q', &text(&sql)).expect("send");
        cancel(&server, &session);
        let first = session.answers().expect("answers");
        assert!(
            first == "T:1 D C:SELECT 1 Z:I" || first.ends_with("E:57014 Z:I"),
            "round {round}: {first}"
        );
        let next = session.query("SELECT sum(i) FROM generate_series(1, 100000) AS t(i)");
        assert_eq!(next.expect("query"), "T:1 D C:SELECT 1 Z:I", "round {round}");
    }
}

/// Stops the worker of a running statement, which then heeds nothing but the last signal.
fn stop_the_worker(server: &Installation) -> i32 {
    let [worker] = server.workers()[..] else {
        panic!("not one worker");
    };
    let process = rustix::process::Pid::from_raw(worker).expect("a process");
    rustix::process::kill_process(process, rustix::process::Signal::STOP).expect("stop");
    worker
}

/// What a session is told whose engine does not stop; `begin` comes before its statement.
fn told_of_an_engine_that_does_not_stop(begin: &str, ends: impl FnOnce(&Installation, &Raw)) -> [String; 2] {
    let long =
        "SELECT count(*) FROM generate_series(1, 300000) a(i), generate_series(1, 3000000) b(i) WHERE a.i + b.i < 0";
    let server = one_worker();
    let mut session = Raw::session(&server).expect("session");
    let answers = session.query(&format!("{begin}; SELECT 1")).expect("query");
    assert!(answers.contains(" C:SELECT 1 Z:"), "{answers}");
    session.send(b'Q', &text(long)).expect("send");
    assert!(
        !session.has_input(Duration::from_millis(500)).expect("a look"),
        "it runs"
    );
    let worker = stop_the_worker(&server);
    ends(&server, &session);
    let told = session.answers().expect("answers");
    let next = session.query("SELECT 2").unwrap_or_else(|error| error.to_string());
    worker_is_free(&server);
    let is_gone = || (!server.workers().contains(&worker)).then_some(());
    eventually("the worker is gone", PATIENCE, is_gone).expect("killed");
    [told, next]
}

#[test]
fn an_engine_that_does_not_stop_for_a_cancel_request_is_killed() {
    let told = told_of_an_engine_that_does_not_stop("SET statement_timeout = 0", cancel);
    assert_eq!(told, ["E:57014 Z:I", "T:1 D C:SELECT 1 Z:I"]);
}

#[test]
fn inside_a_transaction_the_client_learns_why_its_session_ends() {
    let [told, next] = told_of_an_engine_that_does_not_stop("BEGIN; SET LOCAL statement_timeout = '1s'", |_, _| {});
    assert_eq!(told, "E:57014 E:08006 closed");
    assert!(!next.contains("C:SELECT"), "{next}");
}

#[test]
fn an_engine_that_does_not_stop_in_time_is_killed() {
    let told = told_of_an_engine_that_does_not_stop("SET statement_timeout = '1s'", |_, _| {});
    assert_eq!(told, ["E:57014 Z:I", "T:1 D C:SELECT 1 Z:I"]);
}
