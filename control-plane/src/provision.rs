//! Making and removing catalogs, step by step.
//!
//! Each step may be repeated: whoever finds a catalog half made or half removed goes on from its first step and ends in the
//! same state. One does it at a time, under the catalog's lock in the store. Only here are lakes created or migrated.

mod object_store;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use pintail_configstore::{Catalog, CatalogId, CatalogKind, CatalogState, StorageKind, Store, Tombstone};
use pintail_worker_api::bootstrap::FileAccess;
use pintail_worker_api::messages::OpenSession;
use tokio_util::sync::CancellationToken;

use crate::pool::Pool;
use crate::session::run_silently;
use crate::tenant::Tenants;

/// How often unfinished work is looked for.
const ROUND: Duration = Duration::from_secs(30);

/// Why a catalog could not be made or removed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The store.
    #[error(transparent)]
    Store(#[from] pintail_configstore::Error),
    /// The catalog is gone, or was marked for another end meanwhile.
    #[error("the catalog is {state}")]
    State {
        /// What it is.
        state: &'static str,
    },
    /// A local directory.
    #[error("the catalog's directory cannot be made")]
    Directory(#[source] std::io::Error),
    /// The object store.
    #[error("the object store does not serve the catalog's prefix: {reason}")]
    ObjectStore {
        /// What it said.
        reason: String,
    },
    /// The worker that opens it for the first time.
    #[error("the catalog could not be opened: {reason}")]
    Open {
        /// What the worker said.
        reason: String,
    },
    /// A read-only database file that nobody has put there.
    #[error("there is no database file yet: put it at {path} and provision the catalog again")]
    NoFile {
        /// Where it is to be.
        path: String,
    },
}

/// Makes and removes catalogs. Cloning shares it.
#[derive(Clone)]
pub struct Provisioner {
    store: Store,
    pool: Pool,
    tenants: Tenants,
    retention: Duration,
}

impl Provisioner {
    /// For one installation; `retention` is how long a deleted catalog's data is kept.
    pub fn new(store: Store, pool: Pool, tenants: Tenants, retention: Duration) -> Self {
        Self {
            store,
            pool,
            tenants,
            retention,
        }
    }

    /// Brings a catalog to `ready`, or to `failed` with the reason.
    pub async fn make(&self, id: CatalogId) -> Result<(), Error> {
        let _lock = self.store.lock_catalog(id).await?;
        self.store.refresh().await?;
        match self.find(id)?.1.state {
            CatalogState::Ready => return Ok(()),
            CatalogState::Deleting => return Err(Error::State { state: "being deleted" }),
            CatalogState::Pending | CatalogState::Provisioning | CatalogState::Failed => {}
        }
        self.store
            .set_catalog_state(id, CatalogState::Provisioning, None)
            .await?;
        stop_here("provisioning");
        match self.make_steps(id).await {
            Ok(note) => Ok(self
                .store
                .set_catalog_state(id, CatalogState::Ready, note.as_deref())
                .await?),
            Err(error) => {
                let reason = crate::chain(&error);
                tracing::error!(catalog = %id, reason, "a catalog could not be made");
                self.store
                    .set_catalog_state(id, CatalogState::Failed, Some(&reason))
                    .await?;
                Err(error)
            }
        }
    }

    async fn make_steps(&self, id: CatalogId) -> Result<Option<String>, Error> {
        if matches!(self.find(id)?.1.kind, CatalogKind::DuckLake { .. }) {
            self.store.make_role_and_schema(id).await?;
            self.store.refresh().await?;
        }
        stop_here("role");
        let (org, catalog) = self.find(id)?;
        let note = self.check_storage(&catalog).await?;
        stop_here("storage");
        self.open(&org, &catalog).await?;
        stop_here("opened");
        Ok(note)
    }

    /// What the object store says, and what there is to note about it.
    async fn check_storage(&self, catalog: &Catalog) -> Result<Option<String>, Error> {
        match &catalog.kind {
            CatalogKind::DuckLake {
                data_prefix,
                storage:
                    StorageKind::S3 {
                        bucket,
                        prefix_root,
                        target,
                    },
                ..
            } => {
                let prefix = format!("{prefix_root}{data_prefix}");
                let isolation = object_store::check(bucket, &prefix, target).await?;
                Ok(isolation.note())
            }
            CatalogKind::DuckDbFile {
                data_prefix,
                access: FileAccess::ReadOnly,
            } => {
                let path = self.tenants.directory(data_prefix).join(crate::tenant::DATABASE_FILE);
                if path.is_file() {
                    return Ok(None);
                }
                Err(Error::NoFile {
                    path: path.display().to_string(),
                })
            }
            _ => Ok(None),
        }
    }

    /// A first session makes the lake's own tables by attaching it, then Pintail's hidden ones.
    async fn open(&self, org: &str, catalog: &Catalog) -> Result<(), Error> {
        let open = |reason: String| Error::Open { reason };
        let tenant = self.tenants.provisioning(org, catalog).map_err(Error::Directory)?;
        let mut lease = self
            .pool
            .acquire(&tenant)
            .await
            .map_err(|error| open(crate::chain(&error)))?;
        // It may migrate lakes, so no session ever gets it.
        lease.mark_broken();
        let client = lease.client();
        let session = OpenSession {
            session_id: "provision".into(),
            ..OpenSession::default()
        };
        client
            .open_session(&session)
            .await
            .map_err(|error| open(crate::chain(&error)))?;
        if matches!(catalog.kind, CatalogKind::DuckLake { .. }) {
            for sql in pintail_pgcatalog::hidden_schema(catalog.name.as_str()) {
                run_silently(&client, &sql)
                    .await
                    .map_err(|error| open(crate::chain(&error)))?;
            }
        }
        let _ = client.close_session().await;
        Ok(())
    }

    /// Removes a catalog that was marked for it. Its data stays for the retention time, under a tombstone.
    pub async fn remove(&self, id: CatalogId) -> Result<(), Error> {
        let _lock = self.store.lock_catalog(id).await?;
        self.store.refresh().await?;
        let Ok((org, catalog)) = self.find(id) else {
            return Ok(());
        };
        if catalog.state != CatalogState::Deleting {
            return Err(Error::State {
                state: "not marked for deletion",
            });
        }
        self.pool.retire_idle_of(&org, |key| {
            key.catalogs.iter().any(|name| name == catalog.name.as_str())
        });
        stop_here("retired");
        if matches!(catalog.kind, CatalogKind::DuckLake { .. }) {
            self.store.drop_role_and_schema(id).await?;
        }
        stop_here("dropped");
        let retention = chrono::Duration::from_std(self.retention).unwrap_or(chrono::Duration::MAX);
        let keep_until = chrono::Utc::now()
            .checked_add_signed(retention)
            .unwrap_or(chrono::DateTime::<chrono::Utc>::MAX_UTC);
        self.store.bury(id, keep_until).await?;
        stop_here("buried");
        Ok(())
    }

    /// Goes on with what was left unfinished, and removes data whose time is over, until `stop`.
    pub async fn keep_going(self, stop: CancellationToken) {
        loop {
            self.round().await;
            tokio::select! {
                () = tokio::time::sleep(ROUND) => {}
                () = stop.cancelled() => return,
            }
        }
    }

    /// One look for unfinished work. What failed is left to the operator.
    pub async fn round(&self) {
        let snapshot = self.store.snapshot();
        let unfinished: BTreeSet<(CatalogId, bool)> = snapshot
            .orgs()
            .flat_map(|org| org.catalogs.values())
            .filter_map(|catalog| match catalog.state {
                CatalogState::Pending | CatalogState::Provisioning => Some((catalog.id, false)),
                CatalogState::Deleting => Some((catalog.id, true)),
                CatalogState::Ready | CatalogState::Failed => None,
            })
            .collect();
        for (id, goes) in unfinished {
            // Somebody who holds the lock is at it.
            match self.store.try_lock_catalog(id).await {
                Ok(Some(lock)) => drop(lock),
                _ => continue,
            }
            let result = if goes {
                self.remove(id).await
            } else {
                self.make(id).await
            };
            if let Err(error) = result {
                tracing::warn!(catalog = %id, error = %crate::chain(&error), "unfinished work on a catalog");
            }
        }
        if let Err(error) = self.purge().await {
            tracing::warn!(error = %crate::chain(&error), "removing the data of deleted catalogs");
        }
    }

    async fn purge(&self) -> Result<(), Error> {
        for tombstone in self.store.due_tombstones().await? {
            match self.purge_one(&tombstone).await {
                Ok(()) => {
                    self.store.forget_tombstone(tombstone.id).await?;
                    tracing::info!(org = %tombstone.org, catalog = %tombstone.catalog, "the data of a deleted catalog was removed");
                }
                Err(error) => {
                    tracing::error!(org = %tombstone.org, catalog = %tombstone.catalog, error = %crate::chain(&error), "the data of a deleted catalog stays");
                }
            }
        }
        Ok(())
    }

    async fn purge_one(&self, tombstone: &Tombstone) -> Result<(), Error> {
        match &tombstone.storage {
            StorageKind::Local => {
                let directory = self.tenants.directory(&tombstone.data_prefix);
                match tokio::fs::remove_dir_all(&directory).await {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::Directory(error)),
                    _ => Ok(()),
                }
            }
            StorageKind::S3 {
                bucket,
                prefix_root,
                target,
            } => object_store::purge(bucket, &format!("{prefix_root}{}", tombstone.data_prefix), target).await,
        }
    }

    fn find(&self, id: CatalogId) -> Result<(String, Arc<Catalog>), Error> {
        let snapshot = self.store.snapshot();
        let found = snapshot
            .catalog(id)
            .map(|(org, catalog)| (org.slug.to_string(), Arc::clone(catalog)));
        found.ok_or(Error::State { state: "gone" })
    }
}

/// Where a test kills the process to see that the next one goes on. Not in release builds.
#[cfg(debug_assertions)]
fn stop_here(step: &str) {
    if std::env::var_os("PINTAIL_TEST_STOP_AFTER").is_some_and(|wanted| wanted == step) {
        tracing::warn!(step, "stopping for a test");
        std::process::abort();
    }
}

#[cfg(not(debug_assertions))]
fn stop_here(_: &str) {}
