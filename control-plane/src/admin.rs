//! The admin port: `/metrics`, `/healthz`, `/readyz`.

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use pintail_configstore::Store;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::metrics::Metrics;

/// What the handlers need.
#[derive(Clone)]
struct Admin {
    metrics: Metrics,
    store: Store,
    draining: CancellationToken,
}

/// Serves until `stop`. `draining` makes `/readyz` say no, so that balancers look elsewhere first.
pub async fn serve(
    listener: TcpListener,
    metrics: Metrics,
    store: Store,
    draining: CancellationToken,
    stop: CancellationToken,
) -> std::io::Result<()> {
    let admin = Admin {
        metrics,
        store,
        draining,
    };
    let router = Router::new()
        .route(
            "/metrics",
            get(|State(admin): State<Admin>| async move { admin.metrics.render() }),
        )
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .with_state(admin);
    axum::serve(listener, router)
        .with_graceful_shutdown(async move { stop.cancelled().await })
        .await
}

async fn ready(State(admin): State<Admin>) -> (StatusCode, &'static str) {
    if admin.draining.is_cancelled() {
        return (StatusCode::SERVICE_UNAVAILABLE, "draining\n");
    }
    match admin.store.ping().await {
        Ok(()) => (StatusCode::OK, "ok\n"),
        Err(_) => (
            StatusCode::SERVICE_UNAVAILABLE,
            "the configuration store does not answer\n",
        ),
    }
}
