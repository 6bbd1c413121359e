//! `pintail host|token|session|worker|audit|status|seal …`

use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;

use super::client::{Asked, escaped};
use super::print::Printer;
use crate::admin::Verb;

/// Commands about host names.
#[derive(Debug, Subcommand)]
pub enum HostCommand {
    /// Gives an organisation a host name
    Add {
        /// The organisation
        org: String,
        /// A DNS name
        host: String,
    },
    /// Lists an organisation's host names
    List {
        /// The organisation
        org: String,
    },
    /// Takes a host name from an organisation
    Remove {
        /// The organisation
        org: String,
        /// A DNS name
        host: String,
    },
}

/// What a token may do.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum TokenRoleName {
    /// Look
    Viewer,
    /// Act on sessions, workers and provisioning
    Operator,
    /// Change everything
    Admin,
}

/// Commands about tokens.
#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Makes a token and prints it, once
    Create {
        /// Its name
        name: String,
        /// What it may do
        #[arg(long, default_value = "viewer")]
        role: TokenRoleName,
    },
    /// Lists tokens
    List,
    /// Makes a token worthless
    Revoke {
        /// Its name
        name: String,
    },
}

/// Commands about sessions.
#[derive(Debug, Subcommand)]
pub enum SessionCommand {
    /// Lists sessions
    List {
        /// Those of one organisation
        #[arg(long)]
        org: Option<String>,
    },
    /// Cancels what a session runs
    Cancel {
        /// Its process id
        pid: i32,
    },
    /// Ends a session
    End {
        /// Its process id
        pid: i32,
    },
}

/// Commands about workers.
#[derive(Debug, Subcommand)]
pub enum WorkerCommand {
    /// Lists workers
    List,
    /// Retires a worker that has no session
    Retire {
        /// Its name
        id: String,
    },
}

/// The record of changes.
#[derive(Debug, Args)]
pub struct AuditCommand {
    /// Most entries
    #[arg(long, default_value = "100")]
    limit: u32,
}

/// The state of the installation.
#[derive(Debug, Args)]
pub struct StatusCommand {}

/// Commands about sealing keys.
#[derive(Debug, Subcommand)]
pub enum SealCommand {
    /// Seals every credential anew under the first of the sealing keys
    Rotate,
}

pub(super) async fn host(command: HostCommand, asked: &Asked, printer: &Printer<'_>) -> anyhow::Result<()> {
    let path = |org: &str, host: &str| format!("/orgs/{}/hosts/{}", escaped(org), escaped(host));
    match command {
        HostCommand::Add { org, host } => {
            asked.ask(Verb::Put, &path(&org, &host), None).await?;
            printer.note(&format!("{host} is {org}"));
        }
        HostCommand::List { org } => {
            let hosts = asked.list(&format!("/orgs/{}/hosts", escaped(&org))).await?;
            let hosts: Vec<_> = hosts.into_iter().map(|host| json!({ "host": host })).collect();
            printer.many(&hosts, &["host"]);
        }
        HostCommand::Remove { org, host } => {
            asked.ask(Verb::Delete, &path(&org, &host), None).await?;
            printer.note(&format!("{host} is nobody's"));
        }
    }
    Ok(())
}

pub(super) async fn token(command: TokenCommand, asked: &Asked, printer: &Printer<'_>) -> anyhow::Result<()> {
    match command {
        TokenCommand::Create { name, role } => {
            let role = match role {
                TokenRoleName::Viewer => "viewer",
                TokenRoleName::Operator => "operator",
                TokenRoleName::Admin => "admin",
            };
            let body = json!({ "name": name, "role": role });
            printer.one(&asked.ask(Verb::Post, "/tokens", Some(&body)).await?);
        }
        TokenCommand::List => printer.many(&asked.list("/tokens").await?, &["name", "role", "created_at"]),
        TokenCommand::Revoke { name } => {
            asked
                .ask(Verb::Delete, &format!("/tokens/{}", escaped(&name)), None)
                .await?;
            printer.note(&format!("token {name} is worthless"));
        }
    }
    Ok(())
}

pub(super) async fn session(command: SessionCommand, asked: &Asked, printer: &Printer<'_>) -> anyhow::Result<()> {
    const COLUMNS: &[&str] = &[
        "pid",
        "org",
        "user",
        "catalog",
        "client",
        "application",
        "activity",
        "since",
        "worker",
    ];
    match command {
        SessionCommand::List { org } => {
            let path = org.map_or_else(
                || "/sessions".to_owned(),
                |org| format!("/sessions?org={}", escaped(&org)),
            );
            printer.many(&asked.list(&path).await?, COLUMNS);
        }
        SessionCommand::Cancel { pid } => {
            asked.ask(Verb::Post, &format!("/sessions/{pid}/cancel"), None).await?;
            printer.note(&format!("session {pid} was asked to stop what it runs"));
        }
        SessionCommand::End { pid } => {
            asked.ask(Verb::Delete, &format!("/sessions/{pid}"), None).await?;
            printer.note(&format!("session {pid} was asked to end"));
        }
    }
    Ok(())
}

pub(super) async fn worker(command: WorkerCommand, asked: &Asked, printer: &Printer<'_>) -> anyhow::Result<()> {
    match command {
        WorkerCommand::List => {
            let workers = asked.list("/workers").await?;
            printer.many(&workers, &["id", "org", "catalogs", "state", "seconds"]);
        }
        WorkerCommand::Retire { id } => {
            asked
                .ask(Verb::Delete, &format!("/workers/{}", escaped(&id)), None)
                .await?;
            printer.note(&format!("worker {id} ends"));
        }
    }
    Ok(())
}

pub(super) async fn audit(command: &AuditCommand, asked: &Asked, printer: &Printer<'_>) -> anyhow::Result<()> {
    let limit = command.limit.clamp(1, 1000);
    let answer = asked.get(&format!("/audit?limit={limit}")).await?;
    let entries = answer["items"].as_array().cloned().unwrap_or_default();
    printer.many(&entries, &["at", "actor", "action", "object", "detail"]);
    Ok(())
}

pub(super) async fn status(asked: &Asked, printer: &Printer<'_>) -> anyhow::Result<()> {
    let mut status = asked.get("/status").await?;
    // One line a wall reads better than one line of four.
    if let Some(walls) = status["walls"].take().as_object() {
        for (name, state) in walls {
            status[format!("wall: {name}")] = state.clone();
        }
    }
    if let Some(members) = status.as_object_mut() {
        members.remove("walls");
    }
    printer.one(&status);
    Ok(())
}

pub(super) async fn seal(command: &SealCommand, asked: &Asked, printer: &Printer<'_>) -> anyhow::Result<()> {
    match command {
        SealCommand::Rotate => printer.one(&asked.ask(Verb::Post, "/seals/rotate", None).await?),
    }
    Ok(())
}
