//! Two sessions that change the same: the later one is told 40001, by both servers.

use pintail_tests::Installation;
use pintail_tests::raw::{Endpoint, Raw};
use pintail_tests::reference::Reference;

const SERIALIZATION_FAILURE: &str = "E:40001";

/// The answers of the later of two transactions, which began before the earlier one was committed.
fn later(server: &impl Endpoint, earlier: &str, later: &str) -> Vec<String> {
    let ask = |session: &mut Raw, sql: &str| session.query(sql).expect("answers");
    let mut first = Raw::session(server).expect("session");
    let mut second = Raw::session(server).expect("session");
    ask(&mut first, "DROP TABLE IF EXISTS contested");
    assert_eq!(
        ask(&mut first, "CREATE TABLE contested (a int, b int)"),
        "C:CREATE TABLE Z:I"
    );
    let filled = ask(&mut first, "INSERT INTO contested VALUES (1, 1), (2, 2)");
    assert_eq!(filled, "C:INSERT 0 2 Z:I");
    let begun = ask(
        &mut second,
        "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM contested",
    );
    assert_eq!(begun, "C:BEGIN T:1 D D C:SELECT 2 Z:T");
    let changed = ask(&mut first, earlier);
    assert!(
        changed.ends_with(" Z:I") && !changed.contains("E:"),
        "{earlier}: {changed}"
    );
    let answers = [later, "COMMIT", "SELECT 1"].map(|sql| ask(&mut second, sql));
    assert_eq!(answers[2], "T:1 D C:SELECT 1 Z:I", "the session is usable");
    answers[..2].to_vec()
}

fn conflicts(server: &impl Endpoint) {
    for (first, second) in [
        (
            "UPDATE contested SET b = 10 WHERE a = 1",
            "UPDATE contested SET b = 11 WHERE a = 1",
        ),
        (
            "DELETE FROM contested WHERE a = 1",
            "UPDATE contested SET b = 11 WHERE a = 1",
        ),
        (
            "UPDATE contested SET b = 10 WHERE a = 1",
            "DELETE FROM contested WHERE a = 1",
        ),
        ("DELETE FROM contested WHERE a = 1", "DELETE FROM contested WHERE a = 1"),
    ] {
        let answers = later(server, first, second);
        let told = answers
            .iter()
            .filter(|answer| answer.contains(SERIALIZATION_FAILURE))
            .count();
        assert_eq!(told, 1, "{first}, then {second}: {answers:?}");
    }
    let answers = later(
        server,
        "INSERT INTO contested VALUES (3, 3)",
        "INSERT INTO contested VALUES (4, 4)",
    );
    assert_eq!(
        answers,
        ["C:INSERT 0 1 Z:T", "C:COMMIT Z:I"],
        "rows do not stand in each other's way"
    );
}

#[test]
fn the_later_change_of_a_row_fails_in_a_lake() {
    conflicts(&Installation::start().expect("start"));
}

#[test]
fn the_later_change_of_a_row_fails_in_postgresql() {
    if let Some(reference) = Reference::start().expect("the reference") {
        conflicts(&reference);
    }
}
