use super::*;

const ONE: Lock = Lock {
    org: OrgId(1),
    key: Key::One(1),
};
const TWO: Lock = Lock {
    org: OrgId(1),
    key: Key::One(2),
};

fn request(session: SessionId, lock: Lock, mode: Mode, scope: Scope) -> Request {
    Request {
        session,
        lock,
        mode,
        scope,
    }
}

fn exclusive(session: SessionId, lock: Lock) -> Request {
    request(session, lock, Mode::Exclusive, Scope::Session)
}

fn shared(session: SessionId, lock: Lock) -> Request {
    request(session, lock, Mode::Shared, Scope::Session)
}

fn queued(table: &mut Table, request: Request) -> (u64, oneshot::Receiver<()>) {
    match table.request(request) {
        Requested::Queued(ticket, grant) => (ticket, grant),
        other => panic!("{request:?} does not wait: {other:?}"),
    }
}

#[test]
fn a_lock_is_held_as_often_as_it_was_taken() {
    let mut table = Table::default();
    assert!(matches!(table.request(exclusive(1, ONE)), Requested::Granted));
    assert!(table.try_lock(exclusive(1, ONE)));
    assert!(!table.try_lock(exclusive(2, ONE)) && !table.try_lock(shared(2, ONE)));
    assert!(table.unlock(1, ONE, Mode::Exclusive));
    assert!(!table.try_lock(exclusive(2, ONE)), "once more");
    assert!(!table.unlock(1, ONE, Mode::Shared), "not held so");
    assert!(!table.unlock(2, ONE, Mode::Exclusive), "not its own");
    assert!(table.unlock(1, ONE, Mode::Exclusive));
    assert!(!table.unlock(1, ONE, Mode::Exclusive));
    assert!(table.try_lock(exclusive(2, ONE)));
}

#[test]
fn spaces_and_organisations_do_not_overlap() {
    let mut table = Table::default();
    let others = [
        Lock {
            org: OrgId(2),
            key: Key::One(1),
        },
        Lock {
            org: OrgId(1),
            key: Key::Two(0, 1),
        },
    ];
    assert!(table.try_lock(exclusive(1, ONE)));
    for lock in others {
        assert!(table.try_lock(exclusive(2, lock)), "{lock:?}");
    }
    assert_eq!(table.list(OrgId(2)).len(), 1);
    assert_eq!(Key::One(-1).parts(), (u32::MAX, u32::MAX, 1));
    assert_eq!(Key::Two(3, -2).parts(), (3, u32::MAX - 1, 2));
}

#[test]
fn shared_ones_go_together_and_do_not_overtake() {
    let mut table = Table::default();
    assert!(table.try_lock(shared(1, ONE)) && table.try_lock(shared(2, ONE)));
    let (_, mut writer) = queued(&mut table, exclusive(3, ONE));
    assert!(!table.try_lock(shared(4, ONE)), "the writer was first");
    assert!(table.try_lock(shared(1, ONE)), "what it has it may have again");
    let (_, mut reader) = queued(&mut table, shared(4, ONE));
    table.unlock(1, ONE, Mode::Shared);
    table.unlock(1, ONE, Mode::Shared);
    assert!(writer.try_recv().is_err());
    table.unlock(2, ONE, Mode::Shared);
    assert!(writer.try_recv().is_ok());
    assert!(reader.try_recv().is_err());
    table.unlock(3, ONE, Mode::Exclusive);
    assert!(reader.try_recv().is_ok());
}

#[test]
fn a_transaction_gives_back_what_it_took_after_a_savepoint_and_the_session_keeps_its_own() {
    let mut table = Table::default();
    let of_transaction = |lock| request(1, lock, Mode::Exclusive, Scope::Transaction);
    assert!(table.try_lock(of_transaction(ONE)) && table.try_lock(exclusive(1, TWO)));
    let mark = table.taken(1);
    assert!(table.try_lock(of_transaction(TWO)));
    assert!(
        !table.unlock(1, ONE, Mode::Exclusive),
        "the transaction's is not the session's"
    );
    table.end_transaction(1, mark);
    assert!(!table.try_lock(exclusive(2, TWO)) && !table.try_lock(exclusive(2, ONE)));
    table.end_transaction(1, 0);
    assert!(table.try_lock(exclusive(2, ONE)));
    table.unlock_all(1);
    assert!(table.try_lock(exclusive(2, TWO)));
    table.leave(2);
    assert_eq!(table.list(OrgId(1)), Vec::new());
}

#[test]
fn a_circle_of_waits_is_refused() {
    let mut table = Table::default();
    assert!(table.try_lock(exclusive(1, ONE)) && table.try_lock(exclusive(2, TWO)));
    let (_, mut first) = queued(&mut table, exclusive(1, TWO));
    let Requested::Deadlock(circle) = table.request(exclusive(2, ONE)) else {
        panic!("a circle");
    };
    let sessions: Vec<_> = circle.iter().map(|wait| (wait.session, wait.blocker)).collect();
    assert_eq!(sessions, [(2, 1), (1, 2)]);
    assert!(table.waits(1) && !table.waits(2));
    table.leave(2);
    assert!(first.try_recv().is_ok());
}

#[test]
fn two_that_share_cannot_both_become_exclusive() {
    let mut table = Table::default();
    assert!(table.try_lock(shared(1, ONE)) && table.try_lock(shared(2, ONE)));
    let (_, mut first) = queued(&mut table, exclusive(1, ONE));
    assert!(matches!(table.request(exclusive(2, ONE)), Requested::Deadlock(_)));
    table.unlock(2, ONE, Mode::Shared);
    assert!(first.try_recv().is_ok());
}

#[test]
fn who_gives_up_leaves_the_lock_to_the_next() {
    let mut table = Table::default();
    assert!(table.try_lock(exclusive(1, ONE)));
    let (second, _) = queued(&mut table, exclusive(2, ONE));
    let (third, mut grant) = queued(&mut table, shared(3, ONE));
    table.give_up(second, &exclusive(2, ONE));
    table.unlock(1, ONE, Mode::Exclusive);
    assert!(grant.try_recv().is_ok());
    // Granted already: giving up gives it back.
    table.give_up(third, &shared(3, ONE));
    assert!(table.try_lock(exclusive(4, ONE)));
    assert_eq!((table.modes(ONE), table.holders(ONE)), (vec![Mode::Exclusive], vec![4]));
}

#[test]
fn one_organisation_leaves_room_to_the_others() {
    let mut table = Table::default();
    let lock = |org: i64, key: i64| Lock {
        org: OrgId(org),
        key: Key::One(key),
    };
    for key in 0..i64::try_from(MOST_OF_ORG).expect("small") {
        assert!(table.has_room(lock(1, key)));
        assert!(table.try_lock(exclusive(1, lock(1, key))));
    }
    assert!(!table.has_room(lock(1, -1)));
    assert!(table.has_room(lock(1, 0)), "one that is there");
    assert!(table.has_room(lock(2, 0)));
    table.unlock_all(1);
    assert!(table.has_room(lock(1, -1)));
}
