//! What an instance shares with the control plane while a statement runs: rows of relations that only the control plane can
//! answer, and calls of functions that only it can carry out.
//!
//! The engine reads rows and waits for calls on threads of its own; an interruption wakes those that wait.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use arrow_array::StringArray;
use pintail_sqlstate::{Report, SqlState};
use pintail_worker_api::messages::{CallArgument, SessionCall};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// The columns of a relation.
pub(crate) type Table = Arc<Vec<StringArray>>;

/// The longest sleep: the time library takes no more.
const LONGEST: Duration = Duration::from_secs(u32::MAX as u64);

/// One instance's desk.
#[derive(Default)]
pub(crate) struct Desk {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    relations: HashMap<String, Table>,
    /// Relations that were bound since the statement began.
    bound: BTreeSet<String>,
    is_interrupted: bool,
    calls: Option<UnboundedSender<SessionCall>>,
    next: u64,
    answers: HashMap<u64, Result<Option<String>, Report>>,
    cut: Option<Cut>,
}

/// Why a call gave no result.
#[derive(Debug)]
pub(crate) enum Cut {
    /// Its statement was stopped.
    Interrupted,
    /// It failed.
    Failed(Box<Report>),
}

impl Desk {
    /// A statement begins that brings these relations.
    pub(crate) fn begin(&self, relations: HashMap<String, Table>) {
        let mut state = self.lock();
        state.relations = relations;
        state.bound.clear();
        state.answers.clear();
        state.cut = None;
    }

    /// Interruptions count from now on.
    pub(crate) fn resume(&self) {
        self.lock().is_interrupted = false;
    }

    /// Wakes whatever waits at the desk.
    pub(crate) fn interrupt(&self) {
        self.lock().is_interrupted = true;
        self.changed.notify_all();
    }

    /// The engine resolved the name of a relation.
    pub(crate) fn bind(&self, relation: &str) {
        let mut state = self.lock();
        if !state.bound.contains(relation) {
            state.bound.insert(relation.to_owned());
        }
    }

    /// Relations that were bound since the statement began.
    pub(crate) fn bound(&self) -> Vec<String> {
        self.lock().bound.iter().cloned().collect()
    }

    /// Those of them that the statement did not bring.
    pub(crate) fn missing(&self) -> Vec<String> {
        let state = self.lock();
        let missing = state.bound.iter().filter(|name| !state.relations.contains_key(*name));
        missing.cloned().collect()
    }

    /// The rows of a relation; `None` where the statement did not bring them.
    pub(crate) fn table(&self, relation: &str) -> Option<Table> {
        self.lock().relations.get(relation).cloned()
    }

    /// Why a call of the statement gave no result, told once.
    pub(crate) fn take_cut(&self) -> Option<Cut> {
        self.lock().cut.take()
    }

    /// Takes the session's calls from now on.
    pub(crate) fn listen(&self) -> UnboundedReceiver<SessionCall> {
        let (sender, calls) = unbounded_channel();
        self.lock().calls = Some(sender);
        calls
    }

    /// No more calls are taken.
    pub(crate) fn hang_up(&self) {
        self.lock().calls = None;
        self.interrupt();
    }

    /// What a call gave.
    pub(crate) fn answer(&self, id: u64, outcome: Result<Option<String>, Report>) {
        self.lock().answers.insert(id, outcome);
        self.changed.notify_all();
    }

    /// Carries a call out, on a thread of the engine's. The error has been noted as the statement's.
    pub(crate) fn call(&self, function: &str, arguments: Vec<Option<String>>) -> Result<Option<String>, ()> {
        let outcome = match function {
            "pg_sleep" => self.sleep(&arguments, Some),
            "pg_sleep_until" => self.sleep(&arguments, |until| {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
                Some(until - now.as_secs_f64())
            }),
            _ => self.ask(function, arguments),
        };
        outcome.map_err(|cut| {
            // The first one is the one that is told.
            self.lock().cut.get_or_insert(cut);
        })
    }

    fn sleep(
        &self,
        arguments: &[Option<String>],
        seconds: impl FnOnce(f64) -> Option<f64>,
    ) -> Result<Option<String>, Cut> {
        let [Some(time)] = arguments else { return Ok(None) };
        let seconds = time.parse().ok().and_then(seconds).unwrap_or(0.0);
        let length = if seconds > 0.0 {
            Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST).min(LONGEST)
        } else {
            Duration::ZERO
        };
        let end = Instant::now() + length;
        let mut state = self.lock();
        loop {
            if state.is_interrupted {
                return Err(Cut::Interrupted);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Some(String::new()));
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn ask(&self, function: &str, arguments: Vec<Option<String>>) -> Result<Option<String>, Cut> {
        let mut state = self.lock();
        state.next += 1;
        let id = state.next;
        let call = SessionCall {
            id,
            function: function.to_owned(),
            arguments: arguments.into_iter().map(|text| CallArgument { text }).collect(),
        };
        let sent = state.calls.as_ref().is_some_and(|calls| calls.send(call).is_ok());
        if !sent {
            return Err(Cut::Failed(Box::new(Report::new(
                SqlState::FEATURE_NOT_SUPPORTED,
                format!("function {function} works only in sessions of PostgreSQL's protocol"),
            ))));
        }
        loop {
            if let Some(answer) = state.answers.remove(&id) {
                return answer.map_err(|report| Cut::Failed(Box::new(report)));
            }
            if state.is_interrupted {
                return Err(Cut::Interrupted);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_waits_for_its_answer() {
        let desk = Arc::new(Desk::default());
        let mut calls = desk.listen();
        let engine = {
            let desk = Arc::clone(&desk);
            std::thread::spawn(move || desk.call("f", vec![Some("1".to_owned()), None]))
        };
        let call = calls.blocking_recv().expect("a call");
        assert_eq!((call.function.as_str(), call.arguments.len()), ("f", 2));
        desk.answer(call.id + 1, Ok(Some("another's".to_owned())));
        desk.answer(call.id, Ok(Some("mine".to_owned())));
        assert_eq!(engine.join().expect("no panic"), Ok(Some("mine".to_owned())));
    }

    #[test]
    fn an_interruption_wakes_sleepers_and_those_that_ask() {
        for function in ["pg_sleep", "other"] {
            let desk = Arc::new(Desk::default());
            let _calls = desk.listen();
            let engine = {
                let desk = Arc::clone(&desk);
                std::thread::spawn(move || desk.call(function, vec![Some("1000".to_owned())]))
            };
            desk.interrupt();
            assert_eq!(engine.join().expect("no panic"), Err(()));
            assert!(matches!(desk.take_cut(), Some(Cut::Interrupted)));
            desk.resume();
            assert_eq!(
                desk.call("pg_sleep", vec![Some("0".to_owned())]),
                Ok(Some(String::new()))
            );
        }
    }

    #[test]
    fn nobody_to_ask_is_an_error() {
        let desk = Desk::default();
        assert_eq!(desk.call("f", Vec::new()), Err(()));
        assert!(
            matches!(desk.take_cut(), Some(Cut::Failed(report)) if report.sqlstate == SqlState::FEATURE_NOT_SUPPORTED)
        );
    }

    #[test]
    fn what_is_bound_and_not_brought_is_missing() {
        let desk = Desk::default();
        desk.begin([("a".to_owned(), Table::default())].into());
        desk.bind("a");
        desk.bind("b");
        assert_eq!((desk.bound().len(), desk.missing()), (2, vec!["b".to_owned()]));
        assert!(desk.table("b").is_none() && desk.table("a").is_some());
        desk.begin(HashMap::new());
        assert!(desk.missing().is_empty() && desk.table("a").is_none());
    }
}
