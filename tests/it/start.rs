//! Starts in every order: TLS at the first byte, cancel requests inside TLS, options that nobody knows, and no room.

use std::sync::OnceLock;
use std::time::Duration;

use pintail_tests::raw::{Endpoint, Raw, text};
use pintail_tests::reference::Reference;
use pintail_tests::{Installation, Options, eventually};

const SSL_REQUEST: u32 = 80_877_103;
const CANCEL_REQUEST: u32 = 80_877_102;
const VERSION: u32 = 3 << 16;
const PATIENCE: Duration = Duration::from_secs(30);
const LONG: &str =
    "SELECT count(*) FROM generate_series(1, 300000) a(i), generate_series(1, 3000000) b(i) WHERE a.i + b.i < 0";

fn server() -> &'static Installation {
    static SERVER: OnceLock<Installation> = OnceLock::new();
    SERVER.get_or_init(|| Installation::start().expect("start"))
}

/// A start-up packet without its length.
fn start_up(server: &Installation, version: u32, options: &[&str]) -> Vec<u8> {
    let mut body = version.to_be_bytes().to_vec();
    let own = [
        "user",
        server.variable("PGUSER"),
        "database",
        server.variable("PGDATABASE"),
    ];
    let options = options.iter().flat_map(|name| [*name, "1"]);
    for part in own.into_iter().chain(options).chain([""]) {
        body.extend(text(part));
    }
    body
}

/// A way into TLS; all must do.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// After a request for it.
    Asked,
    /// At the first byte, with these protocols offered.
    Direct(&'static [&'static str]),
}

const WAYS: [Way; 3] = [
    Way::Asked,
    Way::Direct(&["postgresql"]),
    Way::Direct(&["h2", "postgresql"]),
];

fn in_tls(server: &Installation, way: Way) -> Raw {
    match way {
        Way::Asked => {
            let mut asked = Raw::open(server).expect("connect");
            asked.packet(&SSL_REQUEST.to_be_bytes()).expect("send");
            assert_eq!(asked.byte().expect("answer"), b'S');
            asked.go_into_tls().expect("tls");
            asked
        }
        Way::Direct(protocols) => Raw::open_in_tls(server, protocols).expect("connect"),
    }
}

#[test]
fn tls_begins_at_the_first_byte_or_when_asked_for() {
    for way in WAYS {
        let mut raw = in_tls(server(), way);
        assert_eq!(raw.log_in(server(), VERSION, &[]).expect("log in"), ["Z:I"], "{way:?}");
        assert_eq!(raw.query("SELECT 1").expect("query"), "T:1 D C:SELECT 1 Z:I");
    }
}

#[test]
fn direct_tls_without_the_right_protocol_is_refused() {
    for protocols in [&[][..], &["h2"], &["http/1.1", "h2"], &["PostgreSQL"]] {
        let mut raw = Raw::open_in_tls(server(), protocols).expect("connect");
        // The server may close before all is written.
        let _ = raw.packet(&start_up(server(), VERSION, &[]));
        match raw.receive() {
            Ok(None) => {}
            Ok(Some(answer)) => panic!("{protocols:?}: {}", answer.short()),
            Err(error) => {
                let told = format!("{error:#}");
                assert!(told.contains("NoApplicationProtocol"), "{protocols:?}: {told}");
            }
        }
    }
}

#[test]
fn a_second_request_for_encryption_has_no_place_in_direct_tls() {
    let mut raw = Raw::open_in_tls(server(), &["postgresql"]).expect("connect");
    raw.packet(&SSL_REQUEST.to_be_bytes()).expect("send");
    assert_eq!(raw.receive().expect("a close").map(|answer| answer.short()), None);
}

#[test]
fn a_cancel_request_counts_inside_tls_with_either_length_of_key() {
    for (minor, length, way) in [(0, 8, WAYS[0]), (0, 8, WAYS[1]), (2, 36, WAYS[1])] {
        let mut session = Raw::open(server()).expect("connect");
        assert_eq!(session.log_in(server(), VERSION | minor, &[]).expect("log in"), ["Z:I"]);
        assert_eq!(session.key().len(), length, "process id and secret under 3.{minor}");
        session.send(b'Q', &text(LONG)).expect("send");
        let request = [&CANCEL_REQUEST.to_be_bytes()[..], session.key()].concat();
        eventually("the request is answered", PATIENCE, || {
            let mut other = in_tls(server(), way);
            other.packet(&request).expect("send");
            assert_eq!(other.receive().expect("a close").map(|answer| answer.short()), None);
            session
                .has_input(Duration::from_millis(100))
                .expect("a look")
                .then_some(())
        })
        .expect("cancelled");
        assert_eq!(session.answers().expect("answers"), "E:57014 Z:I", "3.{minor}, {way:?}");
    }
}

#[test]
fn every_option_that_nobody_knows_is_named() {
    for minor in [2, 3, 9999] {
        let mut raw = Raw::open(server()).expect("connect");
        let options = ["_pq_.one", "application_name", "_pq_.two"];
        raw.packet(&start_up(server(), VERSION | minor, &options))
            .expect("send");
        let answer = raw.receive().expect("an answer").expect("no close");
        let newest = (VERSION | 2).to_be_bytes();
        let wanted = [&newest[..], &2u32.to_be_bytes(), b"_pq_.one\0_pq_.two\0"].concat();
        assert_eq!((answer.kind, answer.body), (b'v', wanted), "3.{minor}");
        let answers = raw.authenticate(server().variable("PGPASSWORD")).expect("answers");
        assert_eq!(answers, ["Z:I"], "3.{minor}");
        assert_eq!(raw.query("SELECT 1").expect("query"), "T:1 D C:SELECT 1 Z:I");
    }
}

#[test]
fn more_connections_than_allowed_are_told_so_and_may_still_cancel() {
    let settings = vec![("PINTAIL_MAX_CONNECTIONS", "1".to_owned())];
    let server = Installation::start_with(Options { settings }).expect("start");
    let mut only = Raw::session(&server).expect("session");
    let mut next = Raw::open(&server).expect("connect");
    assert_eq!(next.log_in(&server, VERSION, &[]).expect("an answer"), ["E:53300"]);
    assert_eq!(next.rest().expect("a close"), b"");
    only.send(b'Q', &text(LONG)).expect("send");
    let request = [&CANCEL_REQUEST.to_be_bytes()[..], only.key()].concat();
    eventually("the request is answered", PATIENCE, || {
        let mut other = Raw::open(&server).expect("connect");
        other.packet(&request).expect("send");
        assert_eq!(other.rest().expect("a close"), b"");
        only.has_input(Duration::from_millis(100))
            .expect("a look")
            .then_some(())
    })
    .expect("cancelled");
    assert_eq!(only.answers().expect("answers"), "E:57014 Z:I");
    drop(only);
    let freed = eventually("there is room again", PATIENCE, || Raw::session(&server).ok());
    assert_eq!(
        freed.expect("a session").query("SELECT 1").expect("query"),
        "T:1 D C:SELECT 1 Z:I"
    );
}

/// The statuses of a start with these parameters, but for those whose values are each server's own.
fn statuses(server: &impl Endpoint) -> Vec<String> {
    let mut raw = Raw::open(server).expect("connect");
    let parameters = [
        ("application_name", "a name"),
        ("TimeZone", "Asia/Tokyo"),
        ("options", "-c DateStyle=German -c IntervalStyle=iso_8601"),
    ];
    let answers = raw.log_in(server, VERSION, &parameters).expect("log in");
    assert_eq!(answers, ["Z:I"]);
    let own = ["S(server_version=", "S(is_superuser=", "S(search_path="];
    let mut told: Vec<String> = raw.statuses().to_vec();
    for name in &own[..2] {
        assert_eq!(
            told.iter().filter(|status| status.starts_with(name)).count(),
            1,
            "{told:?}"
        );
    }
    told.retain(|status| !own.iter().any(|name| status.starts_with(name)));
    told.sort_unstable();
    told
}

#[test]
fn a_start_tells_every_status_once() {
    let told = statuses(server());
    let wanted = [
        "S(DateStyle=German, DMY)",
        "S(IntervalStyle=iso_8601)",
        "S(TimeZone=Asia/Tokyo)",
        "S(application_name=a name)",
        "S(client_encoding=UTF8)",
        "S(default_transaction_read_only=off)",
        "S(in_hot_standby=off)",
        "S(integer_datetimes=on)",
        "S(server_encoding=UTF8)",
        "S(session_authorization=pintail)",
        "S(standard_conforming_strings=on)",
    ];
    assert_eq!(told, wanted);
    if let Some(reference) = Reference::start().expect("the reference") {
        assert_eq!(statuses(&reference), wanted);
    }
    let mut session = Raw::session(server()).expect("session");
    for version in [
        "S(server_version=15.0)",
        "S(is_superuser=off)",
        "S(search_path=\"$user\", public)",
    ] {
        assert!(session.statuses().iter().any(|status| status == version), "{version}");
    }
    for asked in [
        "SHOW server_version_num",
        "SELECT current_setting('server_version_num')",
    ] {
        session.send(b'Q', &text(asked)).expect("send");
        session.receive().expect("columns").expect("no close");
        let row = session.receive().expect("a row").expect("no close");
        assert_eq!(row.long(), "D(150000)", "{asked}");
        assert!(session.answers().expect("the end").ends_with(" Z:I"));
    }
}
