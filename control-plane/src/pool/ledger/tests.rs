use proptest::prelude::*;

use super::*;

fn key(org: &str) -> TenantKey {
    TenantKey {
        org: org.into(),
        catalogs: vec!["lake".into()],
        fingerprint: 0,
        exclusive: None,
    }
}

fn id(number: usize) -> WorkerId {
    WorkerId(format!("w{number}"))
}

type Receiver = oneshot::Receiver<Grant<usize>>;

fn wait(ledger: &mut Ledger<usize>, org: &str, caps: Caps) -> Receiver {
    assert!(ledger.limit(org, caps).is_empty());
    match ledger.decide(&key(org), caps) {
        Decision::Wait(receiver) => receiver,
        _ => panic!("{org} should wait"),
    }
}

fn start(ledger: &mut Ledger<usize>, org: &str, number: usize) {
    assert!(matches!(ledger.decide(&key(org), Caps::default()), Decision::Start));
    ledger.enter(id(number), key(org), number);
}

#[test]
fn within_an_organisation_the_first_to_come_is_the_first_served() {
    let mut ledger = Ledger::new(1);
    start(&mut ledger, "a", 1);
    let (mut first, mut second) = (
        wait(&mut ledger, "a", Caps::default()),
        wait(&mut ledger, "a", Caps::default()),
    );
    assert!(ledger.release(&id(1)).is_none());
    assert!(matches!(first.try_recv(), Ok(Grant::Worker(..))));
    assert!(second.try_recv().is_err());
}

#[test]
fn an_organisation_with_many_waiters_does_not_starve_another() {
    let mut ledger = Ledger::new(2);
    start(&mut ledger, "a", 1);
    start(&mut ledger, "a", 2);
    let _many: Vec<_> = (0..50).map(|_| wait(&mut ledger, "a", Caps::default())).collect();
    let mut late = wait(&mut ledger, "b", Caps::default());
    assert_eq!(ledger.release(&id(1)), Some(1), "the worker of `a` goes");
    assert!(matches!(late.try_recv(), Ok(Grant::Place)));
}

#[test]
fn a_waiter_that_left_is_passed_over() {
    let mut ledger = Ledger::new(1);
    start(&mut ledger, "a", 1);
    drop(wait(&mut ledger, "a", Caps::default()));
    let mut second = wait(&mut ledger, "a", Caps::default());
    assert!(ledger.release(&id(1)).is_none());
    assert!(matches!(second.try_recv(), Ok(Grant::Worker(..))));
}

#[test]
fn an_organisation_stays_under_its_own_limits() {
    let caps = Caps {
        workers: Some(1),
        queue: Some(1),
    };
    let mut ledger = Ledger::new(8);
    start(&mut ledger, "a", 1);
    let mut waiting = wait(&mut ledger, "a", caps);
    assert!(matches!(ledger.decide(&key("a"), caps), Decision::QueueFull));
    assert!(matches!(ledger.decide(&key("b"), Caps::default()), Decision::Start));
    assert!(ledger.release(&id(1)).is_none());
    assert!(matches!(waiting.try_recv(), Ok(Grant::Worker(..))));
}

#[test]
fn a_catalog_that_only_one_may_have_is_had_by_one() {
    let file = TenantKey {
        exclusive: Some("a/file".into()),
        ..key("a")
    };
    let mut ledger = Ledger::new(8);
    assert!(matches!(ledger.decide(&file, Caps::default()), Decision::Start));
    ledger.enter(id(1), file.clone(), 1);
    let Decision::Wait(mut second) = ledger.decide(&file, Caps::default()) else {
        panic!("the file is in use");
    };
    assert!(matches!(ledger.decide(&key("a"), Caps::default()), Decision::Start));
    assert!(ledger.release(&id(1)).is_none());
    assert!(matches!(second.try_recv(), Ok(Grant::Worker(..))));
}

#[test]
fn a_lowered_limit_holds_at_once_and_nobody_waits_beside_idle_workers() {
    let caps = Caps {
        workers: Some(1),
        queue: None,
    };
    let mut ledger = Ledger::new(8);
    start(&mut ledger, "a", 1);
    start(&mut ledger, "a", 2);
    ledger.release(&id(1));
    assert_eq!(ledger.limit("a", caps), [1], "the idle one goes");
    let Decision::Wait(mut waiting) = ledger.decide(&key("a"), caps) else {
        panic!("the other one is busy");
    };
    assert!(ledger.release(&id(2)).is_none());
    assert!(matches!(waiting.try_recv(), Ok(Grant::Worker(..))));

    start(&mut ledger, "b", 3);
    start(&mut ledger, "b", 4);
    assert!(ledger.limit("b", caps).is_empty());
    assert_eq!(ledger.release(&id(3)), Some(3), "beyond the limit it is not kept");
    assert!(ledger.release(&id(4)).is_none());
    assert!(matches!(ledger.decide(&key("b"), caps), Decision::Take(..)));

    let none = Caps {
        workers: Some(0),
        queue: None,
    };
    ledger.limit("c", none);
    assert!(matches!(ledger.decide(&key("c"), none), Decision::Wait(_)));
}

#[test]
fn the_longest_idle_worker_makes_room() {
    let mut ledger = Ledger::new(2);
    start(&mut ledger, "a", 1);
    start(&mut ledger, "b", 2);
    ledger.release(&id(2));
    std::thread::sleep(Duration::from_millis(2));
    ledger.release(&id(1));
    assert!(matches!(ledger.decide(&key("c"), Caps::default()), Decision::Evict(2)));
}

#[derive(Debug, Clone)]
enum Step {
    Ask(u8),
    Started(usize),
    Failed(usize),
    Release(usize),
    GiveUp(usize),
    Leave(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0u8..4).prop_map(Step::Ask),
        3 => any::<usize>().prop_map(Step::Started),
        1 => any::<usize>().prop_map(Step::Failed),
        3 => any::<usize>().prop_map(Step::Release),
        1 => any::<usize>().prop_map(Step::GiveUp),
        1 => any::<usize>().prop_map(Step::Leave),
    ]
}

proptest! {
    /// Whatever happens, no more places are taken than there are, and nobody waits while one could be served.
    #[test]
    fn places_are_never_overdrawn_and_never_left_unused(steps in proptest::collection::vec(step(), 1..200)) {
        const MAX: usize = 3;
        let mut ledger = Ledger::<usize>::new(MAX);
        let (mut starting, mut busy, mut waiting) = (Vec::<TenantKey>::new(), Vec::<WorkerId>::new(), Vec::<(TenantKey, Receiver)>::new());
        let mut number = 0;
        for step in steps {
            match step {
                Step::Ask(org) => {
                    let key = key(&format!("o{org}"));
                    match ledger.decide(&key, Caps::default()) {
                        Decision::Take(id, _) => busy.push(id),
                        Decision::Start | Decision::Evict(_) => starting.push(key),
                        Decision::Wait(receiver) => waiting.push((key, receiver)),
                        Decision::QueueFull => prop_assert!(false, "no limit was given"),
                    }
                }
                Step::Started(n) if !starting.is_empty() => {
                    let key = starting.swap_remove(n % starting.len());
                    number += 1;
                    ledger.enter(id(number), key, number);
                    busy.push(id(number));
                }
                Step::Failed(n) if !starting.is_empty() => {
                    let key = starting.swap_remove(n % starting.len());
                    ledger.free_place(&key);
                }
                Step::Release(n) if !busy.is_empty() => {
                    ledger.release(&busy.swap_remove(n % busy.len()));
                }
                Step::GiveUp(n) if !busy.is_empty() => {
                    ledger.give_up(&busy.swap_remove(n % busy.len()));
                }
                Step::Leave(n) if !waiting.is_empty() => {
                    drop(waiting.swap_remove(n % waiting.len()));
                }
                _ => {}
            }
            waiting.retain_mut(|(key, receiver)| match receiver.try_recv() {
                Ok(Grant::Worker(id, _)) => { busy.push(id); false }
                Ok(Grant::Place) => { starting.push(key.clone()); false }
                Err(_) => true,
            });
            let idle = ledger.idle_workers(|_, _| true).len();
            prop_assert_eq!(ledger.taken(), starting.len() + busy.len() + idle);
            prop_assert!(ledger.taken() <= MAX);
            if !waiting.is_empty() {
                prop_assert_eq!(ledger.taken(), MAX);
                prop_assert_eq!(idle, 0, "a session waits while a worker is idle");
            }
        }
    }
}
