//! What stands before a session: bindings to the certificate, limits on strangers, bans.

use std::path::Path;
use std::time::Duration;

use pintail_tests::raw::{Raw, text};
use pintail_tests::{Installation, Options};

fn start(settings: &[(&'static str, &str)]) -> Installation {
    let settings = settings.iter().map(|(name, value)| (*name, (*value).to_owned()));
    Installation::start_with(Options {
        settings: settings.collect(),
    })
    .expect("start")
}

/// A certificate for a name, as the server reads it.
fn certificate(directory: &Path, name: &str, key: &rcgen::KeyPair) {
    let parameters = rcgen::CertificateParams::new(vec![name.to_owned()]).expect("parameters");
    let certificate = parameters.self_signed(key).expect("a certificate");
    std::fs::write(directory.join(format!("{name}.crt")), certificate.pem()).expect("write");
    std::fs::write(directory.join(format!("{name}.key")), key.serialize_pem()).expect("write");
}

/// What psql says over TLS to a host name.
fn psql(server: &Installation, host: &str, binding: &str) -> String {
    let mut command = server.psql().expect("psql");
    let output = command
        .env_remove("PGHOST")
        .args([
            "-d",
            &format!("host={host} hostaddr=127.0.0.1 sslmode=require channel_binding={binding}"),
        ])
        .args(["-c", "SELECT 'in'"])
        .output()
        .expect("psql");
    let both = [output.stdout, output.stderr].concat();
    String::from_utf8_lossy(&both).trim().to_owned()
}

#[test]
fn proofs_are_bound_to_the_certificate_that_was_shown() {
    let directory = tempfile::tempdir().expect("a directory");
    let rsa = rcgen::KeyPair::generate_rsa_for(&rcgen::PKCS_RSA_SHA256, rcgen::RsaKeySize::_2048).expect("a key");
    let of = |algorithm| rcgen::KeyPair::generate_for(algorithm).expect("a key");
    certificate(directory.path(), "rsa.test", &rsa);
    certificate(directory.path(), "ecdsa.test", &of(&rcgen::PKCS_ECDSA_P384_SHA384));
    certificate(directory.path(), "ed25519.test", &of(&rcgen::PKCS_ED25519));
    let server = start(&[("PINTAIL_TLS_DIR", &directory.path().display().to_string())]);
    for host in ["rsa.test", "ecdsa.test", "localhost"] {
        assert_eq!(psql(&server, host, "require"), "in", "{host}");
        assert_eq!(psql(&server, host, "disable"), "in", "{host}");
    }
    // There is no binding for Ed25519: none is offered, so that clients which would like one still come in.
    assert_eq!(psql(&server, "ed25519.test", "prefer"), "in");
    let refused = psql(&server, "ed25519.test", "require");
    assert!(refused.contains("channel binding"), "{refused}");
}

/// A connection inside TLS that has the list of mechanisms.
fn asked(server: &Installation) -> (Raw, String) {
    let mut raw = Raw::open(server).expect("connect");
    raw.packet(&80_877_103u32.to_be_bytes()).expect("send");
    assert_eq!(raw.byte().expect("answer"), b'S');
    raw.go_into_tls().expect("tls");
    let mut start = (3u32 << 16).to_be_bytes().to_vec();
    for part in [
        "user",
        server.variable("PGUSER"),
        "database",
        server.variable("PGDATABASE"),
        "",
    ] {
        start.extend(text(part));
    }
    raw.packet(&start).expect("send");
    let answer = raw.receive().expect("an answer").expect("no close");
    let offered = String::from_utf8_lossy(&answer.body[4..]).replace('\0', " ");
    (raw, offered.trim().to_owned())
}

#[test]
fn downgrades_and_other_bindings_are_refused() {
    let server = start(&[]);
    for (mechanism, message, wanted) in [
        ("SCRAM-SHA-256", "y,,n=,r=abc", "E:28000 closed"),
        ("SCRAM-SHA-256", "p=tls-server-end-point,,n=,r=abc", "E:08P01 closed"),
        ("SCRAM-SHA-256-PLUS", "y,,n=,r=abc", "E:28000 closed"),
        ("SCRAM-SHA-256-PLUS", "n,,n=,r=abc", "E:08P01 closed"),
        ("SCRAM-SHA-256-PLUS", "p=tls-unique,,n=,r=abc", "E:08P01 closed"),
        ("SCRAM-SHA-1", "n,,n=,r=abc", "E:08P01 closed"),
        ("SCRAM-SHA-256-PLUS", "p=tls-server-end-point,,n=,r=abc", "R"),
    ] {
        let (mut raw, offered) = asked(&server);
        assert_eq!(offered, "SCRAM-SHA-256-PLUS SCRAM-SHA-256");
        let mut body = text(mechanism);
        body.extend(u32::try_from(message.len()).expect("short").to_be_bytes());
        body.extend(message.as_bytes());
        raw.send(b'p', &body).expect("send");
        let answers = if wanted == "R" { raw.some(1) } else { raw.answers() };
        assert_eq!(answers.expect("answers"), wanted, "{mechanism} {message}");
    }
    let mut plain = Raw::open(&server).expect("connect");
    assert_eq!(
        plain.log_in(&server, 3 << 16, &[]).expect("log in"),
        ["Z:I"],
        "nothing is bound in plain text"
    );
}

/// Logs in in plain text with a password.
fn log_in(server: &Installation, user: &str, password: &str) -> String {
    let mut raw = Raw::open(server).expect("connect");
    let mut start = (3u32 << 16).to_be_bytes().to_vec();
    for part in ["user", user, "database", server.variable("PGDATABASE"), ""] {
        start.extend(text(part));
    }
    raw.packet(&start).expect("send");
    raw.authenticate(password).expect("an answer").join(" ")
}

#[test]
fn repeated_failures_ban_a_user_at_an_address_and_then_the_address() {
    let server = start(&[("PINTAIL_BAN_USER_AFTER", "3"), ("PINTAIL_BAN_ADDRESS_AFTER", "5")]);
    let (user, password) = (server.variable("PGUSER"), server.variable("PGPASSWORD"));
    assert_eq!(log_in(&server, user, "wrong"), "E:28P01");
    assert_eq!(log_in(&server, user, password), "Z:I");
    for _ in 0..3 {
        assert_eq!(log_in(&server, user, "wrong"), "E:28P01");
    }
    assert_eq!(
        log_in(&server, user, password),
        "E:53400",
        "the right password helps no more"
    );
    assert_eq!(
        log_in(&server, "nobody", "wrong"),
        "E:28P01",
        "another user is not banned yet"
    );
    assert_eq!(log_in(&server, "somebody", "wrong"), "E:53400", "then the address is");
}

#[test]
fn two_hundred_wrong_passwords_at_once_are_two_hundred_refusals() {
    let server = start(&[("PINTAIL_BAN_USER_AFTER", "0"), ("PINTAIL_BAN_ADDRESS_AFTER", "0")]);
    let mut session = Raw::session(&server).expect("session");
    let user = server.variable("PGUSER");
    let answers: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..200)
            .map(|_| scope.spawn(|| log_in(&server, user, "wrong")))
            .collect();
        assert_eq!(session.query("SELECT 1").expect("query"), "T:1 D C:SELECT 1 Z:I");
        threads
            .into_iter()
            .map(|thread| thread.join().expect("a thread"))
            .collect()
    });
    assert!(answers.iter().all(|answer| answer == "E:28P01"), "{answers:?}");
    assert_eq!(log_in(&server, user, server.variable("PGPASSWORD")), "Z:I");
}

#[test]
fn two_thousand_silent_connections_keep_nobody_out() {
    pintail_tests::allow_files(8192).expect("enough files");
    let server = start(&[]);
    let mut session = Raw::session(&server).expect("session");
    let silent: Vec<Raw> = (0..2000).map(|_| Raw::open(&server).expect("connect")).collect();
    assert_eq!(session.query("SELECT 1").expect("query"), "T:1 D C:SELECT 1 Z:I");
    let mut next = Raw::session(&server).expect("another comes in");
    assert_eq!(next.query("SELECT 2").expect("query"), "T:1 D C:SELECT 1 Z:I");
    // The oldest made room: it is closed, without a word.
    let mut oldest = silent.into_iter().next().expect("the first");
    assert_eq!(oldest.rest().expect("a close"), b"");
}

#[test]
fn a_start_that_takes_too_long_ends() {
    let server = start(&[("PINTAIL_AUTHENTICATION_TIMEOUT", "2s")]);
    let mut silent = Raw::open(&server).expect("connect");
    let mut half = Raw::open(&server).expect("connect");
    half.bytes(&[0, 0]).expect("send");
    let mut in_tls = Raw::open(&server).expect("connect");
    in_tls.packet(&80_877_103u32.to_be_bytes()).expect("send");
    assert_eq!(in_tls.byte().expect("answer"), b'S');
    let mut dripping = Raw::open(&server).expect("connect");
    // A byte at a time would take minutes; the server ends it.
    let packet = [&1000u32.to_be_bytes()[..], &[0, 3, 0, 0], &[b'a'; 992]].concat();
    let written = packet.iter().take_while(|byte| {
        std::thread::sleep(Duration::from_millis(200));
        dripping.bytes(&[**byte]).is_ok()
    });
    assert!(written.count() < packet.len(), "the server waited for all of it");
    for raw in [&mut silent, &mut half, &mut in_tls] {
        assert_eq!(raw.rest().expect("a close"), b"");
    }
    assert_eq!(
        Raw::session(&server)
            .expect("session")
            .query("SELECT 1")
            .expect("query"),
        "T:1 D C:SELECT 1 Z:I"
    );
}

#[test]
fn a_token_of_many_kilobytes_is_a_password() {
    let server = start(&[]);
    let token = "abcdefgh".repeat(4000);
    let file = server.data_dir().join("token");
    std::fs::write(&file, &token).expect("write");
    let file = file.display().to_string();
    let changed = server.cli(&["user", "password", "local", "pintail", "--password-file", &file]);
    changed.expect("another password");
    assert_eq!(log_in(&server, "pintail", &token), "Z:I");
    assert_eq!(log_in(&server, "pintail", &token[1..]), "E:28P01");
}
