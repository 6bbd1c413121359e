//! What sessions cost that do nothing.

use pintail_tests::raw::Raw;
use pintail_tests::{Installation, allow_files};

/// The most that a session may cost, KiB.
const LIMIT: i64 = 64;

/// KiB that a process holds.
fn resident(pid: i32) -> i64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let amount = line.and_then(|rest| rest.split_whitespace().next());
    amount.and_then(|amount| amount.parse().ok()).expect("an amount")
}

fn in_tls(server: &Installation) -> Raw {
    let mut raw = Raw::open(server).expect("connect");
    raw.packet(&80_877_103u32.to_be_bytes()).expect("send");
    assert_eq!(raw.byte().expect("answer"), b'S');
    raw.go_into_tls().expect("tls");
    assert_eq!(raw.log_in(server, 3 << 16, &[]).expect("log in"), ["Z:I"]);
    raw
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "resident memory is read from /proc")]
fn an_idle_session_is_small_and_has_no_worker() {
    allow_files(2048).expect("files");
    let server = Installation::start().expect("start");
    let pid = server.pid().expect("a process");
    // What the first sessions leave behind is the server's, not theirs.
    drop((0..50).map(|_| in_tls(&server)).collect::<Vec<_>>());
    let (before, workers) = (resident(pid), server.workers().len());
    let sessions: Vec<Raw> = (0..400).map(|_| in_tls(&server)).collect();
    let each = (resident(pid) - before) / i64::try_from(sessions.len()).expect("few");
    assert!(each < LIMIT, "{each} KiB each");
    assert!(
        server.workers().len() <= workers.max(1),
        "a session that asked nothing has a worker"
    );
}
