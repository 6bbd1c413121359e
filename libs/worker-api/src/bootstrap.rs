//! What a worker is told once, on standard input, when it is activated for an organisation.
//!
//! The control plane starts `pintail-worker --extension-dir …` with an empty environment. The process verifies its extension
//! files, writes `{"event":"spare"}` as one line on standard output and waits, single-threaded, for one line of JSON: a
//! [`Bootstrap`]. It then locks itself in, starts its runtime, listens on [`Bootstrap::socket`] and writes
//! `{"event":"serving", …}` ([`WorkerEvent`]). Standard input stays open; its end means that the parent is gone and the
//! worker exits. Logs go to standard error.

mod catalog;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use self::catalog::{
    CatalogSource, CatalogSpec, DataLocation, FileAccess, IcebergAuth, LakeOpening, PostgresTarget, S3Target, Tls,
    UrlStyle,
};
use crate::Secret;

/// The one line of JSON that turns a spare process into an organisation's worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bootstrap {
    /// The worker's name in logs and in `pintail_worker_id()`.
    pub worker_id: String,
    /// The organisation that this process serves until it exits.
    pub org: String,
    /// Every Flight call carries it as `authorization: Bearer <token>`.
    pub token: Secret<String>,
    /// The Unix socket to listen on. Its directory exists and belongs to the worker.
    pub socket: PathBuf,
    /// A directory of the worker's own for spilling; emptied by the worker at start.
    pub temp_dir: PathBuf,
    /// Catalogs to attach, the first one being the session's default.
    pub catalogs: Vec<CatalogSpec>,
    /// Further local directories of the organisation's own (absolute, existing) whose files its SQL may read and write.
    #[serde(default)]
    pub directories: Vec<PathBuf>,
    /// URL prefixes that the operator opened for the organisation's SQL, such as `s3://partner/exchange/`.
    #[serde(default)]
    pub locations: Vec<String>,
    /// TCP ports to connect to, beyond those that the catalogs name.
    #[serde(default)]
    pub ports: Vec<u16>,
    /// `DuckDB`'s `memory_limit` in bytes, for the client's instance.
    pub memory_limit: u64,
    /// `DuckDB`'s `threads`.
    pub threads: u32,
    /// A standby instance older than this is rebuilt before it is handed out, in seconds.
    pub standby_max_age_seconds: u64,
    /// Whether the kernel wall may be missing ("auto"), must be up ("require") or is left out ("off").
    pub kernel_wall: KernelWall,
}

/// How strictly the kernel wall (Landlock) is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KernelWall {
    /// Up where the kernel can, reported where it cannot.
    Auto,
    /// The worker exits where the kernel cannot.
    Require,
    /// Not raised.
    Off,
}

/// One line that a worker writes on standard output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum WorkerEvent {
    /// Libraries loaded, extensions verified; waiting for the bootstrap.
    Spare,
    /// Listening on the socket; the walls as raised.
    Serving {
        /// `"up"`, `"partial: …"` or `"off: …"`.
        kernel_wall: String,
    },
    /// The process gives up; the reason is fit for an operator's eyes.
    Failed {
        /// One sentence.
        reason: String,
    },
}
