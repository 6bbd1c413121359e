//! The sessions of this control plane, as an operator sees and ends them.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use tokio_util::sync::CancellationToken;

/// Every session. Cloning shares them.
#[derive(Clone, Default)]
pub struct Sessions(Arc<Mutex<BTreeMap<i32, Entry>>>);

struct Entry {
    info: SessionInfo,
    doing: Arc<Doing>,
    end: CancellationToken,
}

/// What a session does. Each has a lock of its own: it is taken at every statement, and no other session's.
type Doing = Mutex<Deed>;

/// What a session does and since when.
struct Deed {
    activity: Activity,
    since: SystemTime,
    query: Arc<str>,
    query_start: Option<SystemTime>,
    transaction_start: Option<SystemTime>,
    application: String,
}

/// A session as its organisation sees it.
#[derive(Debug, Clone)]
pub struct SessionView {
    /// What an operator sees too.
    pub info: SessionInfo,
    /// The text of what it runs, or ran last.
    pub query: Arc<str>,
    /// When that began.
    pub query_start: Option<SystemTime>,
    /// When its transaction began.
    pub transaction_start: Option<SystemTime>,
    /// `application_name`, as it is now.
    pub application: String,
}

/// A session as an operator sees it. No text of a statement is in it.
#[derive(Debug, Clone)]
pub struct SessionInfo {
    /// `pg_backend_pid()`.
    pub pid: i32,
    /// The organisation.
    pub org: String,
    /// The user.
    pub user: String,
    /// The catalog that it started in.
    pub catalog: String,
    /// The client's address.
    pub client: IpAddr,
    /// And its port.
    pub client_port: u16,
    /// `application_name` of the start-up packet.
    pub application: String,
    /// When it began.
    pub started: SystemTime,
    /// What it does.
    pub activity: Activity,
    /// Since when.
    pub since: SystemTime,
    /// Its worker, while it has one.
    pub worker: Option<String>,
}

/// What a session does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    /// It waits for its client.
    Idle,
    /// It waits for its client, in a transaction.
    IdleInTransaction,
    /// It waits for its client, in a transaction that failed.
    IdleInFailedTransaction,
    /// It waits for a worker.
    Waiting,
    /// It runs a statement.
    Active,
}

/// A session's own place; dropping it takes the session off the list.
pub struct Presence {
    sessions: Sessions,
    pid: i32,
    doing: Arc<Doing>,
    end: CancellationToken,
}

impl Sessions {
    /// Lists a session.
    pub fn enter(&self, info: SessionInfo) -> Presence {
        let (pid, end) = (info.pid, CancellationToken::new());
        let doing = Arc::new(Mutex::new(Deed {
            activity: info.activity,
            since: info.since,
            query: Arc::default(),
            query_start: None,
            transaction_start: None,
            application: info.application.clone(),
        }));
        let entry = Entry {
            info,
            doing: Arc::clone(&doing),
            end: end.clone(),
        };
        self.lock().insert(pid, entry);
        Presence {
            sessions: self.clone(),
            pid,
            doing,
            end,
        }
    }

    /// All of them, by process id.
    pub fn list(&self) -> Vec<SessionInfo> {
        self.lock().values().map(Entry::shown).collect()
    }

    /// All of them, with what they run.
    pub fn view(&self) -> Vec<SessionView> {
        let lock = self.lock();
        let view = |entry: &Entry| {
            let info = entry.shown();
            let deed = entry.deed();
            SessionView {
                info,
                query: Arc::clone(&deed.query),
                query_start: deed.query_start,
                transaction_start: deed.transaction_start,
                application: deed.application.clone(),
            }
        };
        lock.values().map(view).collect()
    }

    /// One of them.
    pub fn get(&self, pid: i32) -> Option<SessionInfo> {
        self.lock().get(&pid).map(Entry::shown)
    }

    /// Ends a session; tells whether there was one.
    pub fn end(&self, pid: i32) -> bool {
        let lock = self.lock();
        let entry = lock.get(&pid);
        if let Some(entry) = entry {
            entry.end.cancel();
        }
        entry.is_some()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<i32, Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    fn shown(&self) -> SessionInfo {
        let (activity, since) = {
            let deed = self.deed();
            (deed.activity, deed.since)
        };
        SessionInfo {
            activity,
            since,
            ..self.info.clone()
        }
    }

    fn deed(&self) -> MutexGuard<'_, Deed> {
        self.doing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Presence {
    /// What the session does now.
    pub fn does(&self, activity: Activity) {
        let mut deed = self.deed();
        if deed.activity != activity {
            (deed.activity, deed.since) = (activity, SystemTime::now());
        }
        if activity == Activity::Idle {
            deed.transaction_start = None;
        }
    }

    /// It takes up what the client asked.
    pub fn takes_up(&self, query: Arc<str>) {
        let (mut deed, now) = (self.deed(), SystemTime::now());
        (deed.activity, deed.since) = (Activity::Active, now);
        (deed.query, deed.query_start) = (query, Some(now));
        deed.transaction_start.get_or_insert(now);
    }

    /// It has another `application_name`.
    pub fn is_called(&self, application: String) {
        self.deed().application = application;
    }

    fn deed(&self) -> MutexGuard<'_, Deed> {
        self.doing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The worker that it has.
    pub fn has_worker(&self, worker: Option<String>) {
        if let Some(entry) = self.sessions.lock().get_mut(&self.pid) {
            entry.info.worker = worker;
        }
    }

    /// Cancelled when an operator ends the session.
    pub fn ended(&self) -> &CancellationToken {
        &self.end
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.sessions.lock().remove(&self.pid);
    }
}
