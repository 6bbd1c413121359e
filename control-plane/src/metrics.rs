//! What is counted, for `/metrics`.

use prometheus::{
    Histogram, HistogramOpts, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry, TextEncoder,
};

/// The metrics of one installation. Cloning shares them.
#[derive(Clone)]
pub struct Metrics {
    registry: Registry,
    /// Open client connections, those still authenticating included.
    pub connections: IntGauge,
    /// Logins by outcome: `ok`, `refused`, `banned`; `late` and `crowded` for connections closed before they logged in.
    pub logins: IntCounterVec,
    /// Statements that reached a worker, by outcome: `ok`, or the error's SQLSTATE class.
    pub statements: IntCounterVec,
    /// Seconds from a statement's dispatch to its last frame.
    pub statement_seconds: Histogram,
    /// Bytes written to clients.
    pub bytes_sent: IntCounter,
    /// Sessions waiting for a worker.
    pub waiting: IntGauge,
    /// Workers activated.
    pub workers_started: IntCounter,
    /// Workers let go.
    pub workers_retired: IntCounter,
    /// Workers that ended by themselves.
    pub workers_lost: IntCounter,
    workers: IntGaugeVec,
}

impl Metrics {
    /// Makes and registers them; fails only where a name stands twice.
    pub fn new() -> prometheus::Result<Self> {
        let metrics = Self {
            registry: Registry::new(),
            connections: IntGauge::new("pintail_connections", "Open client connections")?,
            logins: IntCounterVec::new(Opts::new("pintail_logins_total", "Logins by outcome"), &["outcome"])?,
            statements: IntCounterVec::new(
                Opts::new("pintail_statements_total", "Statements sent to workers, by outcome"),
                &["outcome"],
            )?,
            statement_seconds: Histogram::with_opts(
                HistogramOpts::new("pintail_statement_seconds", "Time from dispatch to the last frame")
                    .buckets(prometheus::exponential_buckets(0.0002, 4.0, 10)?),
            )?,
            bytes_sent: IntCounter::new("pintail_bytes_sent_total", "Bytes written to clients")?,
            waiting: IntGauge::new("pintail_sessions_waiting", "Sessions waiting for a worker")?,
            workers_started: IntCounter::new("pintail_workers_started_total", "Workers activated")?,
            workers_retired: IntCounter::new("pintail_workers_retired_total", "Workers let go")?,
            workers_lost: IntCounter::new("pintail_workers_lost_total", "Workers that ended by themselves")?,
            workers: IntGaugeVec::new(Opts::new("pintail_workers", "Workers by state"), &["state"])?,
        };
        let registry = &metrics.registry;
        registry.register(Box::new(metrics.connections.clone()))?;
        registry.register(Box::new(metrics.logins.clone()))?;
        registry.register(Box::new(metrics.statements.clone()))?;
        registry.register(Box::new(metrics.statement_seconds.clone()))?;
        registry.register(Box::new(metrics.bytes_sent.clone()))?;
        registry.register(Box::new(metrics.waiting.clone()))?;
        registry.register(Box::new(metrics.workers_started.clone()))?;
        registry.register(Box::new(metrics.workers_retired.clone()))?;
        registry.register(Box::new(metrics.workers_lost.clone()))?;
        registry.register(Box::new(metrics.workers.clone()))?;
        Ok(metrics)
    }

    /// Sets how many workers are in a state.
    pub fn set_workers(&self, state: &str, count: usize) {
        self.workers
            .with_label_values(&[state])
            .set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    /// Prometheus' text format.
    pub fn render(&self) -> String {
        TextEncoder::new()
            .encode_to_string(&self.registry.gather())
            .unwrap_or_default()
    }
}
