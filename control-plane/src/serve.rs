//! `pintail serve`: puts the parts together, and takes them apart in order.

mod first_start;
mod runtime;
mod sealing;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use pintail_configstore::Store;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::embedded::EmbeddedPostgres;
use crate::listener::{self, Server};
use crate::metrics::Metrics;
use crate::pool::{Pool, PoolLimits};
use crate::provider::child::ChildProvider;
use crate::session::ScriptCache;
use crate::threads::SessionThreads;
use crate::{admin, tasks, tls, unix};

pub use runtime::{Connection, Runtime};

/// How often a drain looks whether sessions are left.
const DRAIN_POLL: Duration = Duration::from_millis(20);

/// Runs the server until SIGTERM or SIGINT, or until `stop` is cancelled.
pub async fn serve(config: Config, stop: CancellationToken) -> anyhow::Result<()> {
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

async fn with_store(
    config: &Config,
    embedded: Option<&EmbeddedPostgres>,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let data_dir = config.data_dir();
    let store = match (config.store_url.expose(), embedded) {
        (Some(url), _) => Store::by_url(url, sealing::sealer(&data_dir)?)?,
        (None, Some(embedded)) => Store::by_target(embedded.target().clone(), sealing::sealer(&data_dir)?)?,
        (None, None) => anyhow::bail!("no configuration store"),
    };
    store.migrate().await.context("migrating the configuration store")?;

    let metrics = Metrics::new()?;
    let provider = ChildProvider::new(config.worker_program(), config.extension_dir(), &data_dir)
        .context("preparing the workers' directory")?;
    let pool = Pool::new(Box::new(provider), limits(config), metrics.clone());
    let maintenance = tasks::spawn("pool-maintain", pool.clone().maintain());

    let (certificate, key) = match (&config.tls_cert.0, &config.tls_key.0) {
        (Some(certificate), Some(key)) => (certificate.clone(), key.clone()),
        (None, None) => tls::self_signed(&data_dir)?,
        _ => anyhow::bail!("tls_cert and tls_key go together"),
    };
    let server = Arc::new(Server {
        salt_key: store.installation_key("scram-fake-salt").await?,
        config: config.clone(),
        store: store.clone(),
        tls: tls::acceptor(&certificate, &key)?,
        pool: pool.clone(),
        threads: SessionThreads::start()?,
        metrics: metrics.clone(),
        cancels: crate::cancel::CancelRegistry::default(),
        scripts: ScriptCache::default(),
        draining: CancellationToken::new(),
        ending: CancellationToken::new(),
    });
    let result = run(&server, stop).await;
    pool.close().await;
    let _ = maintenance.await;
    result
}

async fn run(server: &Arc<Server>, stop: CancellationToken) -> anyhow::Result<()> {
    let config = &server.config;
    let data_dir = config.data_dir();
    first_start::ensure(server)
        .await
        .context("making the default organisation")?;

    let listener = TcpListener::bind(config.listen)
        .await
        .with_context(|| format!("listening on {} (key `listen`)", config.listen))?;
    let admin_listener = TcpListener::bind(config.admin_listen)
        .await
        .with_context(|| format!("listening on {} (key `admin_listen`)", config.admin_listen))?;
    let runtime = Runtime {
        pid: std::process::id(),
        listen: listener.local_addr()?,
        admin: admin_listener.local_addr()?,
    };
    let admin_stop = CancellationToken::new();
    let admin = tasks::spawn(
        "admin",
        admin::serve(
            admin_listener,
            server.metrics.clone(),
            server.store.clone(),
            server.draining.clone(),
            admin_stop.clone(),
        ),
    );
    let accepting = tasks::spawn("accept", listener::serve(Arc::clone(server), listener));
    let file = runtime.write(&data_dir)?;
    tracing::info!(listen = %runtime.listen, admin = %runtime.admin, "ready");

    wait_for_stop(stop).await?;
    drain(server, config.shutdown_grace).await;
    let _ = accepting.await;
    admin_stop.cancel();
    let _ = admin.await;
    drop(file);
    Ok(())
}

async fn wait_for_stop(stop: CancellationToken) -> anyhow::Result<()> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        () = stop.cancelled() => {}
    }
    Ok(())
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
        memory_limit: config.worker_memory.0,
        threads: config.worker_threads(),
        standby_max_age: config.standby_max_age,
        kernel_wall: config.kernel_wall.0,
    }
}
