//! An installation that nobody configured: it starts, keeps its data and its password, and survives a crash.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use pintail_tests::Installation;

#[test]
fn data_and_password_outlive_a_restart_and_a_crash() {
    let mut installation = Installation::start().expect("first start");
    let password = installation.variable("PGPASSWORD").to_owned();
    assert_eq!(
        installation
            .sql("CREATE TABLE kept (a int); INSERT INTO kept VALUES (1)")
            .expect("psql"),
        ""
    );
    installation.stop().expect("stop");
    installation.launch().expect("second start");
    assert_eq!(installation.variable("PGPASSWORD"), password);
    assert_eq!(installation.sql("SELECT a FROM kept").expect("psql"), "1");

    // The embedded PostgreSQL lives on after its parent is killed, and is adopted.
    installation.kill().expect("kill");
    installation.launch().expect("start after a crash");
    assert!(
        installation.log().contains("adopting the embedded PostgreSQL"),
        "{}",
        installation.log()
    );
    assert_eq!(
        installation
            .sql("INSERT INTO kept VALUES (2); SELECT sum(a) FROM kept")
            .expect("psql"),
        "3"
    );
}

#[test]
fn the_embedded_postgresql_demands_a_password_and_opens_no_port() {
    let installation = Installation::start().expect("start");
    let socket = installation.data_dir().join("run");
    for user in ["pintail", "postgres", "dl_local__lake"] {
        let output = installation
            .psql()
            .expect("psql")
            .env_remove("PGPASSWORD")
            .env("PGHOST", &socket)
            .env("PGPORT", "5432")
            .env("PGUSER", user)
            .env("PGSSLMODE", "disable")
            .args(["-w", "-d", "postgres", "-c", "SELECT 1"])
            .output()
            .expect("runs");
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{user} came in");
        assert!(complaint.contains("password"), "{user}: {complaint}");
    }
    let settings =
        std::fs::read_to_string(installation.data_dir().join("postgres/data/postmaster.pid")).expect("lock file");
    // The sixth line is the listen address of a TCP port, empty where there is none.
    assert_eq!(settings.lines().nth(5).map(str::trim), Some(""), "{settings}");
}

#[test]
fn the_admin_port_tells_health_and_counts() {
    let installation = Installation::start().expect("start");
    assert_eq!(installation.sql("SELECT 1").expect("psql"), "1");
    let get = |path: &str| http_get(&installation.admin().expect("admin"), path);
    assert!(get("/healthz").starts_with("HTTP/1.1 200"));
    assert!(get("/readyz").starts_with("HTTP/1.1 200"));
    let metrics = get("/metrics");
    assert!(metrics.contains("pintail_logins_total{outcome=\"ok\"} 1"), "{metrics}");
    assert!(
        metrics.contains("pintail_statements_total{outcome=\"ok\"}"),
        "{metrics}"
    );
    assert!(get("/nothing").starts_with("HTTP/1.1 404"));
}

fn http_get(address: &str, path: &str) -> String {
    let mut socket = TcpStream::connect(address).expect("connect");
    write!(socket, "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").expect("write");
    let mut answer = String::new();
    socket.read_to_string(&mut answer).expect("read");
    answer
}

#[test]
fn wrong_password_unknown_user_and_unknown_database_are_answered_alike() {
    let installation = Installation::start().expect("start");
    let attempt = |user: &str, password: &str, database: &str| {
        let output = installation
            .psql()
            .expect("psql")
            .env("PGUSER", user)
            .env("PGPASSWORD", password)
            .args(["-w", "-d", database, "-c", "SELECT 1"])
            .output()
            .expect("runs");
        String::from_utf8_lossy(&output.stderr)
            .replace(user, "<user>")
            .lines()
            .last()
            .unwrap_or_default()
            .to_owned()
    };
    let right = installation.variable("PGPASSWORD").to_owned();
    let wrong = attempt("pintail", "wrong", "lake");
    assert!(
        wrong.contains("password authentication failed for user \"<user>\""),
        "{wrong}"
    );
    assert_eq!(attempt("nobody", &right, "lake"), wrong);
    assert_eq!(attempt("pintail", &right, "other"), wrong);
}

#[test]
fn sigterm_ends_idle_sessions_with_57p01_and_the_server_stops() {
    let mut installation = Installation::start().expect("start");
    let mut session = installation
        .psql()
        .expect("psql")
        .stdin(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("psql");
    let mut input = session.stdin.take().expect("stdin");
    input.write_all(b"SELECT 1;\n").expect("write");
    let mut output = BufReader::new(session.stdout.take().expect("stdout"));
    let mut line = String::new();
    output.read_line(&mut line).expect("a row");
    assert_eq!(line, "1\n", "the session works");
    let pid = installation.pid();
    installation.stop().expect("stop");
    drop(input.write_all(b"SELECT 2;\n"));
    drop(input);
    let output = session.wait_with_output().expect("psql ends");
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        complaint.contains("terminating connection due to administrator command"),
        "{complaint}"
    );
    assert!(pid.is_some());
}
