//! `pintail serve`: puts the parts together, and takes them apart in order.

mod first_start;
mod offline;
mod runtime;
mod sealing;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use pintail_configstore::{CatalogState, Store};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::account::{Accounts, RecentCatalogs};
use crate::admin::{AdminState, StorageDefaults};
use crate::advisory::Locks;
use crate::config::Config;
use crate::embedded::EmbeddedPostgres;
use crate::listener::{self, Bans, Gate, Server};
use crate::metrics::Metrics;
use crate::notify::Hub;
use crate::pool::{Pool, PoolLimits};
use crate::provider::child::ChildProvider;
use crate::provision::Provisioner;
use crate::session::{ScriptCache, Shared};
use crate::shares::Shares;
use crate::tenant::Tenants;
use crate::threads::SessionThreads;
use crate::tls::acme::Acme;
use crate::tls::{Certificates, Places};
use crate::{admin, tasks, tls, unix};

pub use offline::offline;
pub use runtime::{Connection, Runtime};

/// How often a drain looks whether sessions are left.
const DRAIN_POLL: Duration = Duration::from_millis(20);

/// Seconds that a worker waits for a connection to a lake's metadata.
const METADATA_TIMEOUT: &str = "5";
/// The key under which advisory locks have their numbers in the store.
const LOCKS_KEY: &str = "advisory-locks";
/// How long tasks without clients are waited for at the end.
const LAST: Duration = Duration::from_secs(3);

/// Runs the server until SIGTERM or SIGINT, or until `stop` is cancelled.
pub async fn serve(config: Config, stop: CancellationToken) -> anyhow::Result<()> {
    unix::raise_file_limit();
    let data_dir = config.data_dir();
    unix::private_dir(&data_dir).with_context(|| format!("making {}", data_dir.display()))?;
    let _lock = runtime::lock(&data_dir)?;

    let embedded = match config.store_url.expose() {
        Some(_) => None,
        None => Some(EmbeddedPostgres::start(&config.postgres_dir(), &data_dir).await?),
    };
    let result = with_store(&config, embedded.as_ref(), stop).await;
    if let Some(embedded) = embedded {
        embedded.stop().await;
    }
    result
}

/// The store of an installation, migrated and read.
async fn open_store(config: &Config, embedded: Option<&EmbeddedPostgres>) -> anyhow::Result<Store> {
    let sealer = sealing::sealer(config)?;
    let store = match (config.store_url.expose(), embedded) {
        (Some(url), _) => Store::by_url(url, sealer)?,
        (None, Some(embedded)) => Store::by_target(embedded.target().clone(), sealer)?,
        (None, None) => anyhow::bail!("no configuration store"),
    };
    store.migrate().await.context("migrating the configuration store")?;
    store.refresh().await.context("reading the configuration store")?;
    Ok(store)
}

/// A pool without workers; theirs is a directory below this one.
fn pool(config: &Config, store: &Store, directory: &Path, metrics: &Metrics) -> anyhow::Result<Pool> {
    let mut environment = store.libpq_environment().to_vec();
    environment.push(("PGCONNECT_TIMEOUT", METADATA_TIMEOUT.into()));
    // Where tests have workers die; a release build has no such place.
    #[cfg(debug_assertions)]
    environment.extend(std::env::var("PINTAIL_TEST_DIES").map(|place| ("PINTAIL_TEST_DIES", place)));
    let provider = ChildProvider::new(config.worker_program(), config.extension_dir(), directory, environment)
        .context("preparing the workers' directory")?;
    Ok(Pool::new(Box::new(provider), limits(config), metrics.clone()))
}

async fn with_store(
    config: &Config,
    embedded: Option<&EmbeddedPostgres>,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let store = open_store(config, embedded).await?;
    let ended = CancellationToken::new();
    let fresh = {
        let (store, ended) = (store.clone(), ended.clone());
        tasks::spawn("store-fresh", async move { store.keep_fresh(ended).await })
    };
    let metrics = Metrics::new()?;
    let pool = pool(config, &store, &config.data_dir(), &metrics)?;
    let maintenance = tasks::spawn("pool-maintain", pool.clone().maintain());
    let tenants = Tenants::new(config, store.target());
    let provisioner = Provisioner::new(
        store.clone(),
        pool.clone(),
        tenants.clone(),
        config.deleted_data_retention,
    );
    let (shared, sharing) = share(&store, &ended).await?;
    let certificates = certificates(config)?;
    let server = Arc::new(Server {
        salt_key: store.installation_key(pintail_configstore::SALT_KEY).await?,
        config: config.clone(),
        accounts: Accounts {
            store: store.clone(),
            tenants,
            shares: Shares::default(),
            recent: RecentCatalogs::default(),
            attached_max: config.catalogs_attached.max(1),
        },
        shared: shared.clone(),
        certificates: Arc::clone(&certificates),
        gate: Gate::new(config.gate_limits()),
        bans: Bans::new(config.ban_limits()),
        pool: pool.clone(),
        threads: SessionThreads::start()?,
        metrics: metrics.clone(),
        scripts: ScriptCache::default(),
        draining: CancellationToken::new(),
        ending: CancellationToken::new(),
        listening: std::sync::OnceLock::new(),
    });
    let reload = Arc::new(Notify::new());
    let certificates_fresh = tasks::spawn(
        "certificates",
        tls::keep_fresh(Arc::clone(&certificates), Arc::clone(&reload), ended.clone()),
    );
    let asking = ask_for_certificates(config, &store, &certificates, &reload, &ended).await?;
    let parts = Parts {
        server,
        provisioner,
        certificates,
        reload,
    };
    let result = run(&parts, stop).await;
    ended.cancel();
    pool.close().await;
    // One that waits for a store which does not answer is not waited for.
    let tasks = async {
        (
            maintenance.await,
            fresh.await,
            certificates_fresh.await,
            asking.await,
            sharing.await,
        )
    };
    let _ = tokio::time::timeout(LAST, tasks).await;
    result
}

/// The task that has an authority give certificates, where one is configured.
async fn ask_for_certificates(
    config: &Config,
    store: &Store,
    certificates: &Arc<Certificates>,
    reload: &Arc<Notify>,
    ended: &CancellationToken,
) -> anyhow::Result<JoinHandle<()>> {
    let Some(acme) = Acme::new(config, store.clone(), Arc::clone(certificates), Arc::clone(reload)) else {
        return Ok(tasks::spawn("acme", async {}));
    };
    let listener = TcpListener::bind(config.acme_listen)
        .await
        .with_context(|| format!("listening on {} (key `acme_listen`)", config.acme_listen))?;
    let answering = admin::answer_challenges(acme.challenges(), listener, ended.clone());
    let asking = acme.keep(ended.clone());
    Ok(tasks::spawn("acme", async move {
        tokio::join!(answering, asking);
    }))
}

/// What sessions share, and the task that shares it with other control planes.
async fn share(store: &Store, ended: &CancellationToken) -> anyhow::Result<(Shared, JoinHandle<()>)> {
    let key = store.installation_key(LOCKS_KEY).await?;
    let (locks, replicas) = Locks::beside_others(key.expose().clone());
    let (hub, relay) = Hub::beside_others();
    let shared = Shared {
        hub,
        locks,
        ..Shared::default()
    };
    let (store, ended, sessions) = (store.clone(), ended.clone(), shared.sessions.clone());
    let task = tasks::spawn("share", async move {
        tokio::join!(
            replicas.keep(store.clone(), sessions, ended.clone()),
            relay.carry(store.clone(), ended)
        );
    });
    Ok((shared, task))
}

/// What a running server is made of, beside its listeners.
struct Parts {
    server: Arc<Server>,
    provisioner: Provisioner,
    certificates: Arc<Certificates>,
    reload: Arc<Notify>,
}

fn certificates(config: &Config) -> anyhow::Result<Arc<Certificates>> {
    let default = match (&config.tls_cert.0, &config.tls_key.0) {
        (Some(certificate), Some(key)) => (certificate.clone(), key.clone()),
        (None, None) => tls::self_signed(&config.data_dir())?,
        _ => anyhow::bail!("tls_cert and tls_key go together"),
    };
    let places = Places {
        default,
        directory: config.tls_dir.0.clone(),
        acme: (!config.acme_directory.is_empty()).then(|| tls::acme::directory(&config.data_dir())),
    };
    Ok(Arc::new(Certificates::load(places, tls::provider())?))
}

async fn run(parts: &Parts, stop: CancellationToken) -> anyhow::Result<()> {
    let server = &parts.server;
    let config = &server.config;
    let data_dir = config.data_dir();
    first_start::ensure(config, &server.accounts.store, &parts.provisioner)
        .await
        .context("making the default organisation")?;

    warn_of_single_layers(&server.accounts.store);

    let listener = TcpListener::bind(config.listen)
        .await
        .with_context(|| format!("listening on {} (key `listen`)", config.listen))?;
    let admin_listener = TcpListener::bind(config.admin_listen)
        .await
        .with_context(|| format!("listening on {} (key `admin_listen`)", config.admin_listen))?;
    let admin_tls = config.admin_tls.applies(config.admin_listen.ip());
    let runtime = Runtime {
        pid: std::process::id(),
        listen: listener.local_addr()?,
        admin: admin_listener.local_addr()?,
        admin_tls,
    };
    let _ = server.listening.set(runtime.listen);
    let admin_stop = CancellationToken::new();
    let router = admin::router(admin_state(parts));
    let tls = if admin_tls {
        Some(tls::acceptor(Arc::clone(&parts.certificates), &[b"http/1.1"])?)
    } else {
        None
    };
    let admin = tasks::spawn("admin", admin::serve(admin_listener, tls, router, admin_stop.clone()));
    let provisioning = tasks::spawn("provisioning", parts.provisioner.clone().keep_going(admin_stop.clone()));
    let accepting = tasks::spawn("accept", listener::serve(Arc::clone(server), listener));
    let file = runtime.write(&data_dir)?;
    tracing::info!(listen = %runtime.listen, admin = %runtime.admin, "ready");

    wait_for_stop(stop, &parts.reload).await?;
    drain(server, config.shutdown_grace).await;
    let _ = accepting.await;
    admin_stop.cancel();
    let _ = tokio::time::timeout(LAST, async { (admin.await, provisioning.await) }).await;
    drop(file);
    Ok(())
}

/// Catalogs whose object-store key opens more than their own prefix.
fn warn_of_single_layers(store: &Store) {
    let snapshot = store.snapshot();
    for org in snapshot.orgs() {
        for catalog in org
            .catalogs
            .values()
            .filter(|catalog| catalog.state == CatalogState::Ready)
        {
            if let Some(note) = &catalog.reason {
                tracing::warn!(org = %org.slug, catalog = %catalog.name, "{note}");
            }
        }
    }
}

fn admin_state(parts: &Parts) -> AdminState {
    let server = &parts.server;
    AdminState {
        store: server.accounts.store.clone(),
        provisioner: parts.provisioner.clone(),
        defaults: StorageDefaults::new(&server.config),
        server: Some(Arc::clone(server)),
    }
}

async fn wait_for_stop(stop: CancellationToken, reload: &Notify) -> anyhow::Result<()> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let mut hangup = signal(SignalKind::hangup())?;
    loop {
        tokio::select! {
            _ = terminate.recv() => return Ok(()),
            _ = interrupt.recv() => return Ok(()),
            _ = hangup.recv() => reload.notify_one(),
            () = stop.cancelled() => return Ok(()),
        }
    }
}

/// Idle sessions end at once, running statements within `grace`, the rest then.
async fn drain(server: &Server, grace: Duration) {
    tracing::info!("draining");
    server.draining.cancel();
    if tokio::time::timeout(grace, none_left(server)).await.is_err() {
        tracing::warn!(
            sessions = server.metrics.connections.get(),
            "ending sessions that did not finish in time"
        );
        server.ending.cancel();
        let _ = tokio::time::timeout(Duration::from_secs(3), none_left(server)).await;
    }
}

async fn none_left(server: &Server) {
    while server.metrics.connections.get() > 0 {
        tokio::time::sleep(DRAIN_POLL).await;
    }
}

fn limits(config: &Config) -> PoolLimits {
    PoolLimits {
        workers_max: config.workers_max.max(1),
        spare: config.workers_spare,
        idle_ttl: config.worker_idle_ttl,
        queue_timeout: config.worker_queue_timeout,
        start_timeout: config.worker_start_timeout,
        standby_max_age: config.standby_max_age,
        kernel_wall: config.kernel_wall.0,
    }
}
