//! `pintail user …`

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use serde_json::{Value, json};

use super::arguments::{LimitArguments, only, password, psql_line};
use super::client::{Asked, escaped};
use super::org::set_standing;
use super::print::Printer;
use crate::admin::Verb;

const COLUMNS: &[&str] = &[
    "name",
    "standing",
    "role",
    "schemas",
    "catalogs",
    "limits",
    "created_at",
];

/// What a user may do.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum RoleName {
    /// Everything in its catalogs
    Owner,
    /// Reads and writes, in its schemas
    Writer,
    /// Reads, in its schemas
    Reader,
}

/// What a user may do and where.
#[derive(Debug, Clone, Args)]
pub struct Rights {
    /// What it may do
    #[arg(long)]
    role: Option<RoleName>,
    /// A schema that it is confined to
    #[arg(long = "schema", value_name = "NAME", conflicts_with = "all_schemas")]
    schemas: Vec<String>,
    /// Confines it to no schemas
    #[arg(long)]
    all_schemas: bool,
    /// A catalog that it may use
    #[arg(long = "catalog", value_name = "NAME", conflicts_with = "all_catalogs")]
    catalogs: Vec<String>,
    /// Lets it use every catalog
    #[arg(long)]
    all_catalogs: bool,
    #[command(flatten)]
    limits: LimitArguments,
}

/// Commands about users.
#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// Makes a user and prints its password, unless one is given
    Create {
        /// The organisation
        org: String,
        /// The user
        user: String,
        /// File that holds the password
        #[arg(long, value_name = "FILE")]
        password_file: Option<PathBuf>,
        #[command(flatten)]
        rights: Rights,
    },
    /// Lists an organisation's users
    List {
        /// The organisation
        org: String,
    },
    /// Shows a user
    Show {
        /// The organisation
        org: String,
        /// The user
        user: String,
    },
    /// Changes a user; open sessions end at their next statement where its rights change
    #[command(group(ArgGroup::new("standing").args(["enable", "disable"])))]
    Set {
        /// The organisation
        org: String,
        /// The user
        user: String,
        /// Lets it in again
        #[arg(long)]
        enable: bool,
        /// Keeps it out
        #[arg(long)]
        disable: bool,
        #[command(flatten)]
        rights: Rights,
    },
    /// Gives a user another password and prints it, unless one is given
    Password {
        /// The organisation
        org: String,
        /// The user
        user: String,
        /// File that holds the password
        #[arg(long, value_name = "FILE")]
        password_file: Option<PathBuf>,
    },
    /// Removes a user and its secrets
    Delete {
        /// The organisation
        org: String,
        /// The user
        user: String,
    },
}

impl Rights {
    fn apply(&self, body: &mut Value) -> anyhow::Result<()> {
        if let Some(role) = self.role {
            body["role"] = json!(match role {
                RoleName::Owner => "owner",
                RoleName::Writer => "writer",
                RoleName::Reader => "reader",
            });
        }
        for (name, list, all) in [
            ("schemas", &self.schemas, self.all_schemas),
            ("catalogs", &self.catalogs, self.all_catalogs),
        ] {
            if all {
                body[name] = Value::Null;
            } else if !list.is_empty() {
                body[name] = json!(list);
            }
        }
        self.limits.apply(body)
    }
}

pub(super) async fn run(command: UserCommand, asked: &Asked, printer: &Printer<'_>) -> anyhow::Result<()> {
    let path = |org: &str, user: &str| format!("/orgs/{}/users/{}", escaped(org), escaped(user));
    match command {
        UserCommand::Create {
            org,
            user,
            password_file,
            rights,
        } => {
            let (password, made) = password(password_file.as_ref())?;
            let mut body = json!({ "password": password });
            rights.apply(&mut body)?;
            let path = path(&org, &user);
            anyhow::ensure!(
                asked.get(&path).await.is_err(),
                "there is a user {user:?} already: `pintail user set` changes it"
            );
            let answer = asked.ask(Verb::Put, &path, Some(&body)).await?;
            tell(printer, answer, made);
            suggest(asked, printer, &org, &user).await;
        }
        UserCommand::List { org } => {
            let users = asked.list(&format!("/orgs/{}/users", escaped(&org))).await?;
            printer.many(&users, COLUMNS);
        }
        UserCommand::Show { org, user } => printer.one(&asked.get(&path(&org, &user)).await?),
        UserCommand::Set {
            org,
            user,
            enable,
            disable,
            rights,
        } => {
            let path = path(&org, &user);
            let mut body = present(asked, &path).await?;
            set_standing(&mut body, enable, disable);
            rights.apply(&mut body)?;
            printer.one(&asked.ask(Verb::Put, &path, Some(&body)).await?);
        }
        UserCommand::Password {
            org,
            user,
            password_file,
        } => {
            let (password, made) = password(password_file.as_ref())?;
            let path = path(&org, &user);
            let mut body = present(asked, &path).await?;
            body["password"] = json!(password);
            let answer = asked.ask(Verb::Put, &path, Some(&body)).await?;
            tell(printer, answer, made);
        }
        UserCommand::Delete { org, user } => {
            asked.ask(Verb::Delete, &path(&org, &user), None).await?;
            printer.note(&format!("user {user} is gone"));
        }
    }
    Ok(())
}

async fn present(asked: &Asked, path: &str) -> anyhow::Result<Value> {
    let answer = asked.get(path).await?;
    Ok(only(&answer, &["standing", "role", "schemas", "catalogs", "limits"]))
}

fn tell(printer: &Printer<'_>, mut answer: Value, made: Option<String>) {
    if let Some(password) = made {
        answer["password"] = json!(password);
    }
    printer.one(&answer);
}

/// How to connect, where the organisation has a catalog already.
async fn suggest(asked: &Asked, printer: &Printer<'_>, org: &str, user: &str) {
    let catalogs = asked.list(&format!("/orgs/{}/catalogs", escaped(org))).await;
    let mine = asked
        .get(&format!("/orgs/{}/users/{}", escaped(org), escaped(user)))
        .await;
    let allowed = mine.ok().and_then(|user| user["catalogs"].as_array().cloned());
    let may_use = |catalog: &Value| allowed.as_ref().is_none_or(|names| names.contains(&catalog["name"]));
    let ready = |catalog: &Value| catalog["state"] == json!("ready") && may_use(catalog);
    let first = catalogs.ok().and_then(|list| list.into_iter().find(ready));
    let (Some(catalog), Ok(status)) = (first, asked.get("/status").await) else {
        return;
    };
    if let Some(line) = psql_line(&status, org, user, catalog["name"].as_str().unwrap_or_default()) {
        printer.note(&format!("\n{line}"));
    }
}
