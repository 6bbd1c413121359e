//! The operator's command line: a client of the admin API.
//!
//! Each command is one or a few requests of `/api/v1`. They go to a running server, or with `--offline` to the same routes
//! inside this process, so there is one meaning of each command.

mod access;
mod arguments;
mod catalog;
mod client;
mod org;
mod print;
mod rest;
mod user;

use clap::Subcommand;

pub use access::Access;
pub use catalog::KindName;
pub use client::Asked;
pub use user::RoleName;

/// What an operator may ask for.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Organisations
    #[command(subcommand)]
    Org(org::OrgCommand),
    /// Host names of organisations' own
    #[command(subcommand)]
    Host(rest::HostCommand),
    /// Users of an organisation
    #[command(subcommand)]
    User(user::UserCommand),
    /// Catalogs of an organisation
    #[command(subcommand)]
    Catalog(catalog::CatalogCommand),
    /// Bearer tokens of the admin API
    #[command(subcommand)]
    Token(rest::TokenCommand),
    /// Sessions of the running server
    #[command(subcommand)]
    Session(rest::SessionCommand),
    /// Workers of the running server
    #[command(subcommand)]
    Worker(rest::WorkerCommand),
    /// The record of changes
    Audit(rest::AuditCommand),
    /// The walls, the counts, and what is not as it should be
    Status(rest::StatusCommand),
    /// Keys that seal credentials
    #[command(subcommand)]
    Seal(rest::SealCommand),
}

/// Runs a command; what it says goes to `say`.
pub async fn run(command: Command, asked: &Asked, access: &Access, say: &dyn Fn(&str)) -> anyhow::Result<()> {
    let printer = print::Printer::new(access.json, say);
    match command {
        Command::Org(command) => org::run(command, asked, &printer).await,
        Command::Host(command) => rest::host(command, asked, &printer).await,
        Command::User(command) => user::run(command, asked, &printer).await,
        Command::Catalog(command) => catalog::run(command, asked, &printer).await,
        Command::Token(command) => rest::token(command, asked, &printer).await,
        Command::Session(command) => rest::session(command, asked, &printer).await,
        Command::Worker(command) => rest::worker(command, asked, &printer).await,
        Command::Audit(command) => rest::audit(&command, asked, &printer).await,
        Command::Status(_) => rest::status(asked, &printer).await,
        Command::Seal(command) => rest::seal(&command, asked, &printer).await,
    }
}
