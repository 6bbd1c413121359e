//! Where the admin API is and with which token it is asked.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;

use super::client::{Asked, Remote};
use crate::config::Config;
use crate::serve::Runtime;

/// Options of every operator's command. Secrets come by environment or file.
#[derive(Debug, Clone, Args)]
pub struct Access {
    /// Address of the admin API; without it, the server that runs on this machine's data directory
    #[arg(long, global = true, env = "PINTAIL_ADMIN_URL", value_name = "URL")]
    pub url: Option<String>,
    /// File that holds the bearer token; without it, the variable `PINTAIL_TOKEN` or the local operator's token
    #[arg(long, global = true, env = "PINTAIL_TOKEN_FILE", value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Certificates to trust, PEM, where the admin API's is not publicly known
    #[arg(long, global = true, env = "PINTAIL_ADMIN_CA", value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// Print JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// Work on the configuration store directly, without a server
    #[arg(long, global = true)]
    pub offline: bool,
    /// Configuration file, TOML
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

impl Access {
    /// The API of a running server.
    pub fn remote(&self, config: &Config) -> anyhow::Result<Asked> {
        let data_dir = config.data_dir();
        let (url, local) = match &self.url {
            Some(url) => (url.trim_end_matches('/').to_owned(), false),
            None => {
                let runtime = Runtime::read(&data_dir).context("name the admin API by --url, or use --offline")?;
                let scheme = if runtime.admin_tls { "https" } else { "http" };
                (format!("{scheme}://{}", reachable(runtime.admin)), true)
            }
        };
        let token = match (&self.token_file, std::env::var("PINTAIL_TOKEN")) {
            (Some(path), _) => std::fs::read_to_string(path).with_context(|| path.display().to_string())?,
            (None, Ok(token)) => token,
            (None, Err(_)) => Runtime::token(&data_dir).context("no token: set PINTAIL_TOKEN or --token-file")?,
        };
        let own_certificate = data_dir.join("tls/certificate.pem");
        let ca = match &self.ca {
            Some(path) => Some(path.clone()),
            None => (local && own_certificate.is_file()).then_some(own_certificate),
        };
        Ok(Asked::Remote(Remote::new(url, token.trim(), ca.as_deref())?))
    }
}

/// A server that listens everywhere is reached here.
fn reachable(mut address: std::net::SocketAddr) -> std::net::SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
    }
    address
}
