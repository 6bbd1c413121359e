//! The configuration of `pintail serve`.
//!
//! Each field is declared once, in [`fields!`] below: its type, default and meaning. From there come the flag
//! (`--worker-memory`), the environment variable (`PINTAIL_WORKER_MEMORY`), the key of the TOML file (`worker_memory`), the
//! reference in `docs/configuration.md` and `--help`. Precedence: flag, environment, file, default. All mistakes are
//! reported together.

mod source;
mod value;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::listener::{BanLimits, GateLimits};

pub use source::{Mistake, Sources};
pub use value::{
    AdminTls, ByteSize, FromText, KernelWallMode, LogFormat, MaybePath, MaybeSecret, Names, OnOff, OrgFallback,
    OrgFallbacks, Plaintext, UrlStyleName,
};

/// How a field is declared, for the flag, the reference and `--help`.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The key in the TOML file.
    pub key: &'static str,
    /// The default as a user would write it; empty for none.
    pub default: &'static str,
    /// What it means, with its unit.
    pub help: &'static str,
    /// What a value looks like.
    pub form: &'static str,
    /// A secret comes by environment or file, never by flag.
    pub secret: Secrecy,
}

/// Whether a field's value may appear in a process list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrecy {
    /// It may.
    Public,
    /// It may not, so there is no flag for it.
    Secret,
}

macro_rules! fields {
    ($( $(#[doc = $help:literal])+ $key:ident : $type:ty = $default:literal, $secret:ident; )+) => {
        /// The configuration in force.
        #[derive(Debug, Clone)]
        pub struct Config {
            $( $(#[doc = $help])+ pub $key: $type, )+
        }

        /// Every field, in the order of the reference.
        pub const FIELDS: &[Field] = &[
            $( Field {
                key: stringify!($key),
                default: $default,
                help: concat!($($help),+),
                form: <$type as FromText>::FORM,
                secret: Secrecy::$secret,
            }, )+
        ];

        impl Config {
            /// Reads every field from its strongest source, or tells every mistake.
            pub fn resolve(sources: &Sources) -> Result<Self, Vec<Mistake>> {
                let mut mistakes = sources.mistakes().to_vec();
                $( let $key = sources.value::<$type>(stringify!($key), $default, &mut mistakes); )+
                if !mistakes.is_empty() {
                    return Err(mistakes);
                }
                // Without a mistake every value is there.
                match ($($key,)+) {
                    ($(Some($key),)+) => Ok(Self { $($key),+ }),
                    _ => Err(mistakes),
                }
            }
        }
    };
}

fields! {
    /// Address of the PostgreSQL protocol; port 0 takes a free one.
    listen: SocketAddr = "127.0.0.1:5432", Public;
    /// Address of the admin port (`/api/v1`, `/metrics`, `/healthz`, `/readyz`); port 0 takes a free one.
    admin_listen: SocketAddr = "127.0.0.1:8432", Public;
    /// TLS on the admin port, with the certificates of the PostgreSQL port: `on`, `off`, or `auto` for everywhere but loopback addresses.
    admin_tls: AdminTls = "auto", Public;
    /// Directory of everything that this installation keeps. Empty: `/var/lib/pintail` as root, else `pintail` in the user's data directory.
    data_dir: MaybePath = "", Public;
    /// URL of the PostgreSQL that holds the configuration store (`postgres://user:password@host:port/database`). Empty: an embedded one.
    store_url: MaybeSecret = "", Secret;
    /// Installation directory of the embedded PostgreSQL (it holds `bin/postgres`). Empty: `postgres` beside the program.
    postgres_dir: MaybePath = "", Public;
    /// The worker program. Empty: `pintail-worker` beside the program.
    worker_program: MaybePath = "", Public;
    /// Directory of the DuckDB extension files. Empty: `extensions` beside the program.
    extension_dir: MaybePath = "", Public;
    /// Keys that seal credentials in the store: base64 of 32 bytes each, separated by commas. The first seals, all open. Empty: one made at first start, kept in the data directory.
    seal_keys: MaybeSecret = "", Secret;
    /// How often the configuration store is asked for changes, should its notifications be lost.
    store_poll: Duration = "15s", Public;
    /// Certificate chain, PEM. Empty: a self-signed one, made at first start.
    tls_cert: MaybePath = "", Public;
    /// Private key of the certificate, PEM.
    tls_key: MaybePath = "", Public;
    /// Directory of further certificates, each `<name>.crt` (chain, PEM) with `<name>.key`; the one whose names fit the client's server name is used. Read again on SIGHUP and when files change.
    tls_dir: MaybePath = "", Public;
    /// Directory of an ACME authority (RFC 8555) that is asked for a certificate for each host name of an organisation that no certificate above fits, such as `https://acme-v02.api.letsencrypt.org/directory`. To set it is to agree to the authority's terms. Empty: none is asked.
    acme_directory: String = "", Public;
    /// Mail addresses that the authority may write to, separated by commas.
    acme_contacts: Names = "", Public;
    /// Root certificate, PEM, of an authority of one's own. Empty: the system's.
    acme_root: MaybePath = "", Public;
    /// Address that answers the authority's challenges (HTTP-01): it asks port 80 of the host name.
    acme_listen: SocketAddr = "0.0.0.0:80", Public;
    /// Who may start a session without TLS: `never` anybody, clients on `loopback` addresses, or `always` everybody.
    allow_plaintext: Plaintext = "never", Public;
    /// Domains below which each organisation has a host name, separated by commas: with `db.example.com`, `acme.db.example.com` is the organisation `acme`.
    host_suffixes: Names = "", Public;
    /// How clients whose host name tells no organisation may name one: `options` (`options=-c pintail.org=acme`), `user` (`alice@acme`), or both, separated by commas. Empty: not at all.
    org_fallbacks: OrgFallbacks = "options", Public;
    /// The organisation of clients that name none. Empty: none.
    default_org: String = "local", Public;
    /// Most client connections at a time, those still authenticating included; 0 for no limit.
    max_connections: usize = "1000", Public;
    /// Time for TLS, start-up packet and authentication together; 0 for no limit.
    authentication_timeout: Duration = "10s", Public;
    /// Most connections at a time that have not authenticated; beyond it the oldest of them is closed. 0 for no limit.
    unauthenticated_max: usize = "1000", Public;
    /// The same for the connections of one address (of one /64 network with IPv6); 0 for no limit.
    unauthenticated_max_per_address: usize = "200", Public;
    /// Failed logins of one address within `ban_window` after which it is banned; 0 for no such ban. Clients behind one proxy share an address.
    ban_address_after: usize = "100", Public;
    /// Failed logins of one address as one user within `ban_window` after which they are banned together; 0 for no such ban.
    ban_user_after: usize = "20", Public;
    /// Time within which failed logins are counted together.
    ban_window: Duration = "1m", Public;
    /// How long a ban lasts.
    ban_time: Duration = "1m", Public;
    /// Silence after which a client's machine is asked whether it is still there; 0 for never.
    tcp_keepalive_idle: Duration = "60s", Public;
    /// Time between such questions.
    tcp_keepalive_interval: Duration = "10s", Public;
    /// Questions without an answer after which the connection is over.
    tcp_keepalive_count: u32 = "3", Public;
    /// How long what was sent to a client may stay unacknowledged by its machine before the connection is over; 0 for the system's default. Linux only.
    tcp_user_timeout: Duration = "60s", Public;
    /// Most workers at a time.
    workers_max: usize = "8", Public;
    /// Workers started ahead that belong to no organisation yet.
    workers_spare: usize = "1", Public;
    /// How long a worker without a session waits for its organisation's next one.
    worker_idle_ttl: Duration = "5m", Public;
    /// How long a session waits for a worker before 53300.
    worker_queue_timeout: Duration = "30s", Public;
    /// Time for a worker to start and attach its catalogs.
    worker_start_timeout: Duration = "30s", Public;
    /// Most catalogs that a session's instance has attached: the one it starts in and those its user used last.
    catalogs_attached: usize = "4", Public;
    /// How long the data of a deleted catalog is kept.
    deleted_data_retention: Duration = "7d", Public;
    /// Bucket of catalogs on an object store that name none.
    s3_bucket: String = "", Public;
    /// Host and port of the object store; empty for AWS.
    s3_endpoint: String = "", Public;
    /// Its region.
    s3_region: String = "us-east-1", Public;
    /// How buckets are addressed: `path` or `vhost`.
    s3_url_style: UrlStyleName = "path", Public;
    /// Whether it is reached over TLS: `on` or `off`.
    s3_tls: OnOff = "on", Public;
    /// Access key of catalogs that bring none. A key that opens the whole bucket leaves storage isolation to the engine alone.
    s3_key_id: MaybeSecret = "", Secret;
    /// Its secret.
    s3_secret: MaybeSecret = "", Secret;
    /// DuckDB's memory limit in each worker.
    worker_memory: ByteSize = "2GiB", Public;
    /// DuckDB's threads in each worker; 0 for one a core.
    worker_threads: u32 = "0", Public;
    /// Age at which a worker's prepared instance is built anew.
    standby_max_age: Duration = "10m", Public;
    /// Kernel isolation of workers (Landlock): `auto` where the kernel can, `require`, or `off`.
    kernel_wall: KernelWallMode = "auto", Public;
    /// How long running statements may go on after SIGTERM.
    shutdown_grace: Duration = "20s", Public;
    /// What is logged, as `level` or `target=level,…`.
    log: String = "info", Public;
    /// `text` or `json`.
    log_format: LogFormat = "text", Public;
}

impl Config {
    /// The installation's directory.
    pub fn data_dir(&self) -> PathBuf {
        self.data_dir.0.clone().unwrap_or_else(default_data_dir)
    }

    /// The worker program.
    pub fn worker_program(&self) -> PathBuf {
        self.worker_program
            .0
            .clone()
            .unwrap_or_else(|| beside_program("pintail-worker"))
    }

    /// The directory of the extension files.
    pub fn extension_dir(&self) -> PathBuf {
        self.extension_dir
            .0
            .clone()
            .unwrap_or_else(|| beside_program("extensions"))
    }

    /// The directory of the embedded `PostgreSQL`.
    pub fn postgres_dir(&self) -> PathBuf {
        self.postgres_dir
            .0
            .clone()
            .unwrap_or_else(|| beside_program("postgres"))
    }

    /// How many connections may be unauthenticated.
    pub fn gate_limits(&self) -> GateLimits {
        GateLimits {
            total: self.unauthenticated_max,
            per_address: self.unauthenticated_max_per_address,
        }
    }

    /// When clients are banned.
    pub fn ban_limits(&self) -> BanLimits {
        BanLimits {
            address: self.ban_address_after,
            user: self.ban_user_after,
            window: self.ban_window,
            time: self.ban_time,
        }
    }

    /// Threads of a worker.
    pub fn worker_threads(&self) -> u32 {
        if self.worker_threads > 0 {
            return self.worker_threads;
        }
        std::thread::available_parallelism().map_or(1, |cores| u32::try_from(cores.get()).unwrap_or(1))
    }

    /// The reference page, Markdown.
    pub fn reference() -> String {
        use std::fmt::Write as _;
        let mut page = String::from(
            "# Configuration\n\nGenerated by `pintail config reference`. A flag wins over the environment, the environment over \
             the file named by `--config` (TOML), the file over the default. `pintail config check` reads all of them and \
             tells every mistake.\n\n| key, flag, variable | value | default | meaning |\n|---|---|---|---|\n",
        );
        for field in FIELDS {
            let flag = match field.secret {
                Secrecy::Public => format!("<br>`--{}`", field.key.replace('_', "-")),
                Secrecy::Secret => format!("<br>or `{}_file`, a file that holds it", field.key),
            };
            let default = if field.default.is_empty() {
                String::new()
            } else {
                format!("`{}`", field.default)
            };
            // Writing to a string does not fail.
            let _ = writeln!(
                page,
                "| `{}`{flag}<br>`PINTAIL_{}` | {} | {default} | {} |",
                field.key,
                field.key.to_uppercase(),
                field.form,
                field.help.trim(),
            );
        }
        page
    }
}

fn beside_program(name: &str) -> PathBuf {
    std::env::current_exe()
        .ok()
        .and_then(|program| program.parent().map(|directory| directory.join(name)))
        .unwrap_or_else(|| PathBuf::from(name))
}

fn default_data_dir() -> PathBuf {
    // As root the embedded PostgreSQL runs as another user, which cannot reach into root's home.
    if crate::unix::is_root() {
        return PathBuf::from("/var/lib/pintail");
    }
    if let Some(data) = std::env::var_os("XDG_DATA_HOME").filter(|value| !value.is_empty()) {
        return PathBuf::from(data).join("pintail");
    }
    let home = std::env::var_os("HOME").unwrap_or_else(|| ".".into());
    PathBuf::from(home).join(".local/share/pintail")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn resolve(flags: &[(&str, &str)], env: &[(&str, &str)], file: &str) -> Result<Config, Vec<Mistake>> {
        let pairs = |list: &[(&str, &str)]| -> BTreeMap<String, String> {
            list.iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
                .collect()
        };
        Config::resolve(&Sources::new(pairs(flags), pairs(env), file))
    }

    #[test]
    fn defaults_are_complete_and_valid() {
        let config = resolve(&[], &[], "").expect("defaults");
        assert_eq!(config.worker_memory.0, 2 << 30);
        assert_eq!(config.worker_idle_ttl, Duration::from_mins(5));
    }

    #[test]
    fn a_flag_wins_over_the_environment_and_that_over_the_file() {
        let file = "workers_max = 3\nworkers_spare = 3\nlog = \"warn\"";
        let config = resolve(
            &[("workers_max", "5")],
            &[("PINTAIL_WORKERS_MAX", "4"), ("PINTAIL_WORKERS_SPARE", "4")],
            file,
        )
        .expect("valid");
        assert_eq!(
            (config.workers_max, config.workers_spare, config.log.as_str()),
            (5, 4, "warn")
        );
    }

    #[test]
    fn every_mistake_is_told_at_once() {
        let mistakes = resolve(
            &[("listen", "nowhere")],
            &[("PINTAIL_WORKER_IDLE_TTL", "5 parsecs")],
            "workers_max = -1\nnonsense = true\nworker_memory = \"2 elephants\"",
        )
        .expect_err("mistakes");
        let text: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        assert_eq!(mistakes.len(), 5, "{text:?}");
        for word in ["listen", "worker_idle_ttl", "workers_max", "nonsense", "worker_memory"] {
            assert!(text.iter().any(|line| line.contains(word)), "{word}: {text:?}");
        }
    }

    #[test]
    fn a_secret_comes_from_a_file_and_not_from_a_flag() {
        let file = tempfile::NamedTempFile::new().expect("file");
        std::fs::write(file.path(), "postgres://x\n").expect("write");
        let config = resolve(&[], &[("PINTAIL_STORE_URL_FILE", &file.path().to_string_lossy())], "").expect("valid");
        assert_eq!(config.store_url.expose(), Some("postgres://x"));
        assert!(resolve(&[("store_url", "postgres://x")], &[], "").is_err());
    }
}
