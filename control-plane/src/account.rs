//! What a session may have of its organisation, now: its standing, its catalogs, its secrets, its share of the machine.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use pintail_configstore::{Catalog, Snapshot, Store, UserId};
use pintail_sqlstate::{Report, Severity, SqlState};
use pintail_transpiler::{SecretConflict, Storage};
use pintail_worker_api::Secret;
use tokio::sync::watch;

use crate::login::{Login, storage_of};
use crate::pool::Tenant;
use crate::shares::{Share, Shares};
use crate::tenant::{Tenants, may_stand_beside};

/// The catalogs that each user had attached last, latest first. Cloning shares them.
#[derive(Debug, Clone, Default)]
pub struct RecentCatalogs(Arc<Mutex<HashMap<UserId, VecDeque<String>>>>);

impl RecentCatalogs {
    fn of(&self, user: UserId) -> Vec<String> {
        let recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        recent
            .get(&user)
            .map(|names| names.iter().cloned().collect())
            .unwrap_or_default()
    }

    fn note(&self, user: UserId, names: &[String], most: usize) {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let list = recent.entry(user).or_default();
        for name in names {
            list.retain(|known| known != name);
            list.push_front(name.clone());
        }
        list.truncate(most);
    }
}

/// What accounts share.
#[derive(Clone)]
pub struct Accounts {
    /// The store.
    pub store: Store,
    /// Builds tenants.
    pub tenants: Tenants,
    /// Counts.
    pub shares: Shares,
    /// What users had attached last.
    pub recent: RecentCatalogs,
    /// Most catalogs of an instance.
    pub attached_max: usize,
}

/// What became of a session's standing since it was last looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Nothing.
    AsBefore,
    /// Its limits may be others.
    Changed,
}

/// A session's account.
pub struct Account {
    shared: Accounts,
    login: Login,
    changes: watch::Receiver<Arc<Snapshot>>,
    tenant: Tenant,
    /// Attached beside the catalog that the session started in, latest first.
    beside: Vec<Arc<Catalog>>,
    running: Option<Share>,
    /// The connection's place in its organisation's and user's counts.
    _connection: Share,
}

impl Account {
    /// Opens an account for an accepted login, if there is room for one more.
    pub fn open(shared: Accounts, login: Login) -> Result<Self, Report> {
        let connection = shared.shares.connect(&login)?;
        let mut changes = shared.store.watch();
        let snapshot = changes.borrow_and_update().clone();
        let recent = shared.recent.of(login.user.id);
        let reachable = login.reachable(&snapshot);
        let beside: Vec<_> = recent
            .iter()
            .filter_map(|name| reachable.iter().find(|catalog| catalog.name.as_str() == name))
            .filter(|catalog| catalog.id != login.catalog.id && may_stand_beside(catalog))
            .take(shared.attached_max.saturating_sub(1))
            .cloned()
            .collect();
        let tenant = tenant(&shared.tenants, &login, &beside)?;
        Ok(Self {
            shared,
            login,
            changes,
            tenant,
            beside,
            running: None,
            _connection: connection,
        })
    }

    /// Whose session this is.
    pub fn login(&self) -> &Login {
        &self.login
    }

    /// The longest that its statements may take, milliseconds; 0 for no limit.
    pub fn statement_limit_ms(&self) -> u64 {
        let limits = [&self.login.org.limits, &self.login.user.limits];
        let shortest = limits
            .into_iter()
            .filter_map(|limits| limits.statement_timeout_ms)
            .min();
        shortest.unwrap_or(0)
    }

    /// What its worker is told.
    pub fn tenant(&self) -> &Tenant {
        &self.tenant
    }

    /// Names of the catalogs that its instance has attached.
    pub fn attached(&self) -> Vec<String> {
        self.tenant.key.catalogs.clone()
    }

    /// The catalogs that its user may have attached, by name, with what their tables can do.
    pub fn reachable(&self) -> Vec<(String, Storage)> {
        let snapshot = self.changes.borrow().clone();
        self.login
            .reachable(&snapshot)
            .iter()
            .filter(|catalog| catalog.id == self.login.catalog.id || may_stand_beside(catalog))
            .map(|catalog| (catalog.name.to_string(), storage_of(catalog)))
            .collect()
    }

    /// Whether the session may go on; looked at before each statement. Tells whether something changed.
    pub fn check(&mut self) -> Result<Standing, Report> {
        if !self.changes.has_changed().unwrap_or(false) {
            return Ok(Standing::AsBefore);
        }
        let snapshot = self.changes.borrow_and_update().clone();
        let reachable = self.login.reachable(&snapshot);
        let stands = |attached: &Arc<Catalog>| reachable.iter().any(|catalog| catalog.id == attached.id);
        let beside_stands = self.beside.iter().all(stands);
        if let Some(now) = self.login.still_stands(&snapshot).filter(|_| beside_stands) {
            self.login = now;
            return Ok(Standing::Changed);
        }
        tracing::info!("a session ends because its rights were changed");
        Err(Report::new(
            SqlState::ADMIN_SHUTDOWN,
            "terminating connection because the rights of its user were changed",
        )
        .with_hint("Connect again.")
        .with_severity(Severity::Fatal))
    }

    /// Makes room for further catalogs: those used longest ago leave. The session's next worker has them.
    pub fn attach(&mut self, names: &[String]) -> Result<Vec<String>, Report> {
        let snapshot = self.changes.borrow().clone();
        let reachable = self.login.reachable(&snapshot);
        let mut beside = Vec::new();
        for name in names {
            let found = reachable.iter().find(|catalog| catalog.name.as_str() == name);
            let Some(catalog) = found.filter(|catalog| may_stand_beside(catalog)) else {
                return Err(Report::new(
                    SqlState::FEATURE_NOT_SUPPORTED,
                    format!("cross-database references are not implemented: \"{name}\""),
                ));
            };
            beside.push(Arc::clone(catalog));
        }
        let most = self.shared.attached_max.saturating_sub(1);
        if beside.len() > most {
            return Err(Report::new(
                SqlState::PROGRAM_LIMIT_EXCEEDED,
                "the statement names more databases than a session can have attached",
            )
            .with_detail(format!("The installation's limit catalogs_attached is {}.", most + 1)));
        }
        for catalog in &self.beside {
            if beside.len() < most && !beside.iter().any(|new: &Arc<Catalog>| new.id == catalog.id) {
                beside.push(Arc::clone(catalog));
            }
        }
        self.tenant = tenant(&self.shared.tenants, &self.login, &beside)?;
        self.beside = beside;
        self.shared.recent.note(self.login.user.id, names, most);
        Ok(self.attached())
    }

    /// Takes a place for a running statement until [`Account::rest`].
    pub fn run(&mut self) -> Result<(), Report> {
        if self.running.is_none() {
            self.running = Some(self.shared.shares.run(&self.login)?);
        }
        Ok(())
    }

    /// The statement is over.
    pub fn rest(&mut self) {
        self.running = None;
    }

    /// The user's secrets, as statements, by name.
    pub async fn secrets(&self) -> Result<Vec<(String, Secret<String>)>, Report> {
        let snapshot = self.changes.borrow().clone();
        let user = snapshot
            .org(self.login.org.slug.as_str())
            .and_then(|org| org.users.get(self.login.user.name.as_str()));
        if user.is_none_or(|user| user.secrets == 0) {
            return Ok(Vec::new());
        }
        let secrets = self.shared.store.secrets(self.login.user.id).await;
        secrets.map_err(|error| unkept(&error))
    }

    /// Keeps a secret for the user's later sessions.
    pub async fn keep_secret(
        &self,
        name: &str,
        statement: &Secret<String>,
        conflict: SecretConflict,
    ) -> Result<(), Report> {
        let (org, user) = (self.login.org.id, self.login.user.id);
        let is_kept =
            conflict != SecretConflict::Replace && self.secrets().await?.iter().any(|(known, _)| known == name);
        match (conflict, is_kept) {
            (SecretConflict::Ignore, true) => return Ok(()),
            (SecretConflict::Error, true) => {
                return Err(Report::new(
                    SqlState::DUPLICATE_OBJECT,
                    format!("persistent secret \"{name}\" already exists"),
                ));
            }
            _ => {}
        }
        let kept = self.shared.store.save_secret(org, user, name, statement).await;
        kept.map(|_| ()).map_err(|error| unkept(&error))
    }

    /// Forgets a secret.
    pub async fn forget_secret(&self, name: &str) -> Result<(), Report> {
        let (org, user) = (self.login.org.id, self.login.user.id);
        let dropped = self.shared.store.drop_secret(org, user, name).await;
        dropped.map(|_| ()).map_err(|error| unkept(&error))
    }
}

fn tenant(tenants: &Tenants, login: &Login, beside: &[Arc<Catalog>]) -> Result<Tenant, Report> {
    // In the order of names, so that sessions with the same catalogs can share a worker.
    let mut beside = beside.to_vec();
    beside.sort_by(|a, b| a.name.cmp(&b.name));
    tenants.of(login, &beside).map_err(|error| {
        tracing::error!(%error, "an organisation's directories could not be made");
        Report::new(SqlState::INTERNAL_ERROR, "the organization's storage cannot be reached")
            .with_severity(Severity::Fatal)
    })
}

fn unkept(error: &pintail_configstore::Error) -> Report {
    tracing::error!(error = %crate::chain(error), "the store of secrets");
    Report::new(
        SqlState::CONNECTION_FAILURE,
        "the store of persistent secrets cannot be reached",
    )
}
