//! Reaching the store: its URL, and TLS as libpq's `sslmode` names it (manual, "SSL Support" of libpq).

mod parameters;
mod tls;

use std::str::FromStr;
use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, RecyclingMethod};
use futures::StreamExt as _;
use futures::stream::BoxStream;
use pintail_worker_api::Secret;
use pintail_worker_api::bootstrap::PostgresTarget;
use tokio::time::timeout;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{AsyncMessage, Client, NoTls, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::Error;

/// How long to wait for a connection.
pub(crate) const WAIT: Duration = Duration::from_secs(5);
/// No statement of this program is meant to take this long.
const STATEMENT_TIMEOUT: &str = "-c statement_timeout=60s -c lock_timeout=20s";

/// What a connection says between answers; polling it drives the connection.
pub(crate) type Messages = BoxStream<'static, Result<AsyncMessage, tokio_postgres::Error>>;

/// Where the store is, and how it is reached.
#[derive(Clone)]
pub(crate) struct Endpoint {
    pub(crate) target: PostgresTarget,
    tls: Option<MakeRustlsConnect>,
    libpq: Vec<(&'static str, String)>,
}

impl Endpoint {
    /// A server reached without TLS.
    pub(crate) fn plain(target: PostgresTarget) -> Self {
        Self {
            target,
            tls: None,
            libpq: Vec::new(),
        }
    }

    /// Understands `postgres://…` or key=value with its `sslmode` and `sslrootcert`.
    pub(crate) fn by_url(url: &str) -> Result<Self, Error> {
        let (rest, ssl) = parameters::take(url)?;
        let config = tokio_postgres::Config::from_str(&rest).map_err(|error| refused(&error))?;
        let (host, is_socket) = match config.get_hosts() {
            [Host::Tcp(name)] => (name.clone(), false),
            [Host::Unix(path)] => (path.to_string_lossy().into_owned(), true),
            [] => return Err(bad("it names no host")),
            _ => return Err(bad("it names several hosts")),
        };
        let target = PostgresTarget {
            host,
            port: config.get_ports().first().copied().unwrap_or(5432),
            database: config
                .get_dbname()
                .ok_or_else(|| bad("it names no database"))?
                .to_owned(),
            user: config.get_user().ok_or_else(|| bad("it names no user"))?.to_owned(),
            password: Secret::new(
                String::from_utf8_lossy(config.get_password().ok_or_else(|| bad("it names no password"))?).into_owned(),
            ),
        };
        // Like libpq, which does not use TLS on a Unix socket whatever the mode.
        let tls = if is_socket { None } else { tls::connector(&ssl)? };
        let libpq = if is_socket { Vec::new() } else { ssl.for_libpq() };
        Ok(Self { target, tls, libpq })
    }

    /// The environment in which libpq reaches the server in the same way.
    pub(crate) fn libpq(&self) -> &[(&'static str, String)] {
        &self.libpq
    }

    /// Makes the pool's connections.
    pub(crate) fn manager(&self) -> Manager {
        let settings = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        match &self.tls {
            Some(tls) => Manager::from_config(self.config(), tls.clone(), settings),
            None => Manager::from_config(self.config(), NoTls, settings),
        }
    }

    /// A connection of one's own; nothing happens on it unless its messages are polled.
    pub(crate) async fn connect(&self) -> Result<(Client, Messages), Error> {
        let config = self.config();
        let connecting = async {
            match &self.tls {
                Some(tls) => connect(&config, tls.clone()).await,
                None => connect(&config, NoTls).await,
            }
        };
        timeout(WAIT, connecting).await.unwrap_or_else(|_| Err(Error::gone()))
    }

    fn config(&self) -> tokio_postgres::Config {
        let mut config = tokio_postgres::Config::new();
        config
            .host(&self.target.host)
            .port(self.target.port)
            .dbname(&self.target.database)
            .user(&self.target.user)
            .password(self.target.password.expose())
            .application_name("pintail")
            .options(STATEMENT_TIMEOUT)
            .ssl_mode(if self.tls.is_some() {
                SslMode::Require
            } else {
                SslMode::Disable
            })
            .keepalives_idle(Duration::from_secs(30))
            .connect_timeout(WAIT);
        config
    }
}

async fn connect<T>(config: &tokio_postgres::Config, tls: T) -> Result<(Client, Messages), Error>
where
    T: MakeTlsConnect<Socket>,
    T::Stream: Send + 'static,
{
    let (client, mut connection) = config.connect(tls).await?;
    let messages = futures::stream::poll_fn(move |context| connection.poll_message(context));
    Ok((client, messages.boxed()))
}

fn bad(reason: impl Into<String>) -> Error {
    Error::Url { reason: reason.into() }
}

/// A parser's complaint, if it can be repeated: one about an unknown option may quote part of a password.
fn refused(error: &tokio_postgres::Error) -> Error {
    let said = std::error::Error::source(error)
        .map(ToString::to_string)
        .unwrap_or_default();
    if said.starts_with("invalid value for option") {
        bad(said)
    } else {
        bad("it is neither postgres://user:password@host/database nor a list of key=value that is known")
    }
}
