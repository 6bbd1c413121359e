//! The admin API without a server: the same routes, asked in this process, on the store directly.

use pintail_configstore::TokenRole;

use super::{open_store, pool, runtime};
use crate::admin::{AdminState, LocalApi, StorageDefaults};
use crate::config::Config;
use crate::embedded::EmbeddedPostgres;
use crate::metrics::Metrics;
use crate::provision::Provisioner;
use crate::tasks;
use crate::tenant::Tenants;
use crate::unix;

/// Runs `use_it` with the routes of an installation. Where it has its own `PostgreSQL`, no server may run on it.
pub async fn offline<T, F>(config: Config, use_it: impl FnOnce(LocalApi) -> F) -> anyhow::Result<T>
where
    F: Future<Output = anyhow::Result<T>>,
{
    let data_dir = config.data_dir();
    unix::private_dir(&data_dir)?;
    let (_lock, embedded) = if config.store_url.expose().is_some() {
        (None, None)
    } else {
        let lock = runtime::lock(&data_dir)?;
        (
            Some(lock),
            Some(EmbeddedPostgres::start(&config.postgres_dir(), &data_dir).await?),
        )
    };
    let result = with_store(&config, embedded.as_ref(), use_it).await;
    if let Some(embedded) = embedded {
        embedded.stop().await;
    }
    result
}

async fn with_store<T, F>(
    config: &Config,
    embedded: Option<&EmbeddedPostgres>,
    use_it: impl FnOnce(LocalApi) -> F,
) -> anyhow::Result<T>
where
    F: Future<Output = anyhow::Result<T>>,
{
    let store = open_store(config, embedded).await?;
    let mut config = config.clone();
    config.workers_spare = 0;
    // Not the directory of the server's workers: one may be running on another store.
    let directory = std::env::temp_dir().join(format!("pintail-{}", std::process::id()));
    unix::private_dir(&directory)?;
    let pool = pool(&config, &store, &directory, &Metrics::new()?)?;
    let maintenance = tasks::spawn("pool-maintain", pool.clone().maintain());
    let tenants = Tenants::new(&config, store.target());
    let provisioner = Provisioner::new(store.clone(), pool.clone(), tenants, config.deleted_data_retention);
    let state = AdminState {
        store,
        provisioner,
        defaults: StorageDefaults::new(&config),
        server: None,
    };
    let result = use_it(LocalApi::new(state, TokenRole::Admin)).await;
    pool.close().await;
    let _ = maintenance.await;
    let _ = std::fs::remove_dir_all(&directory);
    result
}
