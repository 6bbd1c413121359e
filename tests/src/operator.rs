//! The operator's side of an installation: the command line, and clients of other organisations.

use std::process::Output;

use anyhow::Context as _;
use serde_json::Value;

use crate::{Installation, program_path};

/// A user of an organisation, as a client names it.
#[derive(Debug, Clone)]
pub struct Client {
    /// The organisation, by start-up option; `None` for whatever the server thinks.
    pub org: Option<String>,
    /// The user.
    pub user: String,
    /// The password.
    pub password: String,
    /// The catalog.
    pub catalog: String,
    /// The host name, which is the TLS server name too.
    pub host: String,
}

impl Client {
    /// `user` of `org` with the password that [`Installation::org`] gives, in the catalog `lake`.
    pub fn of(org: &str, user: &str) -> Self {
        Self {
            org: Some(org.to_owned()),
            user: user.to_owned(),
            password: password(user),
            catalog: "lake".to_owned(),
            host: "localhost".to_owned(),
        }
    }

    /// In another catalog.
    #[must_use]
    pub fn catalog(mut self, catalog: &str) -> Self {
        catalog.clone_into(&mut self.catalog);
        self
    }

    /// Under another host name, which alone names the organisation.
    #[must_use]
    pub fn host(mut self, host: &str) -> Self {
        host.clone_into(&mut self.host);
        self.org = None;
        self
    }

    /// With another password.
    #[must_use]
    pub fn password(mut self, password: &str) -> Self {
        password.clone_into(&mut self.password);
        self
    }
}

fn password(user: &str) -> String {
    format!("password of {user}")
}

impl Installation {
    /// Runs the command line against this installation.
    pub fn run_cli(&self, arguments: &[&str], variables: &[(&str, &str)]) -> anyhow::Result<Output> {
        let own = self.settings();
        Ok(std::process::Command::new(program_path("pintail")?)
            .args(arguments)
            .env("PINTAIL_DATA_DIR", self.data_dir())
            .envs(own)
            .envs(variables.iter().copied())
            .output()?)
    }

    /// What the command line answers with `--json`.
    pub fn cli(&self, arguments: &[&str]) -> anyhow::Result<Value> {
        let output = self.run_cli(&[arguments, &["--json"]].concat(), &[])?;
        anyhow::ensure!(
            output.status.success(),
            "pintail {}: {}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr).trim()
        );
        let text = String::from_utf8_lossy(&output.stdout);
        if text.trim().is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_str(&text).with_context(|| text.into_owned())
    }

    /// What the command line complains of.
    pub fn cli_fails(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let output = self.run_cli(arguments, &[])?;
        anyhow::ensure!(!output.status.success(), "pintail {} succeeded", arguments.join(" "));
        Ok(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }

    /// Makes an organisation with users and catalogs.
    pub fn org(&self, org: &str, users: &[&str], catalogs: &[&str]) -> anyhow::Result<()> {
        self.cli(&["org", "create", org])?;
        for user in users {
            self.user(org, user, &[])?;
        }
        for catalog in catalogs {
            self.cli(&["catalog", "create", org, catalog])?;
        }
        Ok(())
    }

    /// Makes a user with further arguments.
    pub fn user(&self, org: &str, user: &str, arguments: &[&str]) -> anyhow::Result<()> {
        let file = tempfile::NamedTempFile::new()?;
        std::fs::write(file.path(), password(user))?;
        let path = file.path().to_string_lossy().into_owned();
        self.cli(&[&["user", "create", org, user, "--password-file", &path], arguments].concat())?;
        Ok(())
    }

    /// The configuration of a client of some organisation.
    pub fn config_of(&self, client: &Client) -> tokio_postgres::Config {
        let mut config = tokio_postgres::Config::new();
        config
            .host(&client.host)
            .hostaddr(std::net::Ipv4Addr::LOCALHOST.into())
            .port(self.port())
            .user(&client.user)
            .password(&client.password)
            .dbname(&client.catalog)
            .ssl_mode(tokio_postgres::config::SslMode::Require);
        if let Some(org) = &client.org {
            config.options(format!("-c pintail.org={org}"));
        }
        config
    }

    /// A connected client of some organisation.
    pub async fn connect_as(&self, client: &Client) -> Result<tokio_postgres::Client, tokio_postgres::Error> {
        let tls = self.tls().expect("a TLS connector");
        let (client, connection) = self.config_of(client).connect(tls).await?;
        tokio::spawn(connection);
        Ok(client)
    }
}

/// SQLSTATE and message of an error that the server sent; a lost connection has neither.
pub fn told(error: &tokio_postgres::Error) -> (String, String) {
    error
        .as_db_error()
        .map(|error| (error.code().code().to_owned(), error.message().to_owned()))
        .unwrap_or_default()
}

/// SQLSTATE of a statement that must fail.
pub async fn state(client: &tokio_postgres::Client, sql: &str) -> String {
    match client.simple_query(sql).await {
        Ok(_) => format!("{sql} succeeded"),
        Err(error) => told(&error).0,
    }
}

/// The first value of a statement's first row, as text.
pub async fn value(client: &tokio_postgres::Client, sql: &str) -> String {
    let messages = client
        .simple_query(sql)
        .await
        .unwrap_or_else(|error| panic!("{sql}: {:?}", told(&error)));
    messages
        .iter()
        .find_map(|message| match message {
            tokio_postgres::SimpleQueryMessage::Row(row) => Some(row.get(0).unwrap_or("NULL").to_owned()),
            _ => None,
        })
        .unwrap_or_else(|| "no row".to_owned())
}
