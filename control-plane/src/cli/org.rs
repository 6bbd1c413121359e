//! `pintail org …`

use clap::{ArgGroup, Subcommand};
use serde_json::{Value, json};

use super::arguments::{LimitArguments, only};
use super::client::{Asked, escaped};
use super::print::Printer;
use crate::admin::Verb;

const COLUMNS: &[&str] = &["slug", "standing", "hosts", "limits", "created_at"];

/// Commands about organisations.
#[derive(Debug, Subcommand)]
pub enum OrgCommand {
    /// Makes an organisation
    Create {
        /// Its short name: 2 to 31 of a to z, 0 to 9 and _, beginning with a letter
        org: String,
        /// A URL prefix beyond its own that its statements may use, such as `s3://partner/exchange/`
        #[arg(long = "location", value_name = "URL")]
        locations: Vec<String>,
        #[command(flatten)]
        limits: LimitArguments,
    },
    /// Lists organisations
    List,
    /// Shows an organisation
    Show {
        /// Its short name
        org: String,
    },
    /// Changes an organisation
    #[command(group(ArgGroup::new("standing").args(["enable", "disable"])))]
    Set {
        /// Its short name
        org: String,
        /// Lets its users in again
        #[arg(long)]
        enable: bool,
        /// Keeps its users out; open sessions end at their next statement
        #[arg(long)]
        disable: bool,
        /// The URL prefixes beyond its own, in place of the present ones; `none` for none
        #[arg(long = "location", value_name = "URL")]
        locations: Vec<String>,
        #[command(flatten)]
        limits: LimitArguments,
    },
    /// Removes an organisation that has no catalogs
    Delete {
        /// Its short name
        org: String,
    },
}

pub(super) async fn run(command: OrgCommand, asked: &Asked, printer: &Printer<'_>) -> anyhow::Result<()> {
    let path = |org: &str| format!("/orgs/{}", escaped(org));
    match command {
        OrgCommand::Create { org, locations, limits } => {
            let mut body = json!({ "locations": locations });
            limits.apply(&mut body)?;
            anyhow::ensure!(
                asked.get(&path(&org)).await.is_err(),
                "there is an organisation {org:?} already: `pintail org set` changes it"
            );
            printer.one(&asked.ask(Verb::Put, &path(&org), Some(&body)).await?);
        }
        OrgCommand::List => printer.many(&asked.list("/orgs").await?, COLUMNS),
        OrgCommand::Show { org } => printer.one(&asked.get(&path(&org)).await?),
        OrgCommand::Set {
            org,
            enable,
            disable,
            locations,
            limits,
        } => {
            let mut body = only(&asked.get(&path(&org)).await?, &["standing", "limits", "locations"]);
            set_standing(&mut body, enable, disable);
            if !locations.is_empty() {
                body["locations"] = json!(named(&locations));
            }
            limits.apply(&mut body)?;
            printer.one(&asked.ask(Verb::Put, &path(&org), Some(&body)).await?);
        }
        OrgCommand::Delete { org } => {
            asked.ask(Verb::Delete, &path(&org), None).await?;
            printer.note(&format!("organisation {org} is gone"));
        }
    }
    Ok(())
}

/// Changes whether something may be used, where a flag says so.
pub(super) fn set_standing(body: &mut Value, enable: bool, disable: bool) {
    if enable {
        body["standing"] = json!("active");
    }
    if disable {
        body["standing"] = json!("disabled");
    }
}

/// A list where `none` stands for an empty one.
fn named(list: &[String]) -> Vec<&String> {
    list.iter().filter(|name| *name != "none").collect()
}
