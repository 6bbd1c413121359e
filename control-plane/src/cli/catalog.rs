//! `pintail catalog …`

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};

use super::arguments::psql_line;
use super::client::{Asked, escaped};
use super::print::Printer;
use crate::admin::Verb;

const COLUMNS: &[&str] = &[
    "name",
    "kind",
    "state",
    "reason",
    "location",
    "incarnation",
    "created_at",
];

/// Kinds of catalogs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KindName {
    /// A `DuckLake`: metadata in `PostgreSQL`, Parquet on local disk or S3
    Ducklake,
    /// A `DuckDB` file in the organisation's own directory
    DuckdbFile,
    /// A database in memory, new in each session
    Memory,
}

/// What a catalog is to be.
#[derive(Debug, Args)]
pub struct Description {
    /// The kind; an Iceberg warehouse is described by --spec
    #[arg(long, default_value = "ducklake")]
    kind: KindName,
    /// A file with the request's JSON, for everything that has no flag (see the `OpenAPI` document); `-` for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["kind", "s3", "bucket", "key_file"])]
    spec: Option<String>,
    /// Data on the installation's object store
    #[arg(long)]
    s3: bool,
    /// Data in this bucket
    #[arg(long, value_name = "NAME")]
    bucket: Option<String>,
    /// Host and port of the bucket's store, where it is not the installation's
    #[arg(long, value_name = "HOST[:PORT]")]
    endpoint: Option<String>,
    /// That store is reached without TLS
    #[arg(long)]
    no_tls: bool,
    /// File with the access key on its first line and the secret on its second; they should open the catalog's prefix only
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// The database file is read by many sessions and written by none
    #[arg(long)]
    read_only: bool,
}

/// Commands about catalogs.
#[derive(Debug, Subcommand)]
pub enum CatalogCommand {
    /// Makes a catalog and waits until it is ready
    Create {
        /// The organisation
        org: String,
        /// The catalog
        catalog: String,
        #[command(flatten)]
        description: Description,
    },
    /// Gives a catalog other credentials; everything else of it stays
    Set {
        /// The organisation
        org: String,
        /// The catalog
        catalog: String,
        #[command(flatten)]
        description: Description,
    },
    /// Lists an organisation's catalogs
    List {
        /// The organisation
        org: String,
    },
    /// Shows a catalog
    Show {
        /// The organisation
        org: String,
        /// The catalog
        catalog: String,
    },
    /// Goes on with a catalog that is not ready
    Provision {
        /// The organisation
        org: String,
        /// The catalog
        catalog: String,
    },
    /// Removes a catalog: its metadata at once, its data after the retention time
    Delete {
        /// The organisation
        org: String,
        /// The catalog
        catalog: String,
    },
}

impl Description {
    fn body(&self) -> anyhow::Result<Value> {
        if let Some(file) = &self.spec {
            let text = if file == "-" {
                std::io::read_to_string(std::io::stdin())?
            } else {
                std::fs::read_to_string(file).with_context(|| file.clone())?
            };
            return serde_json::from_str(&text).with_context(|| format!("{file} is no JSON"));
        }
        let on_s3 = self.s3 || self.bucket.is_some() || self.key_file.is_some() || self.endpoint.is_some();
        Ok(match self.kind {
            KindName::Ducklake if on_s3 => json!({ "kind": "ducklake", "storage": self.storage()? }),
            KindName::Ducklake => json!({ "kind": "ducklake" }),
            KindName::DuckdbFile => {
                let access = if self.read_only { "read_only" } else { "read_write" };
                json!({ "kind": "duckdb_file", "access": access })
            }
            KindName::Memory => json!({ "kind": "memory" }),
        })
    }

    fn storage(&self) -> anyhow::Result<Value> {
        let mut target = json!({});
        if let Some(endpoint) = &self.endpoint {
            target["endpoint"] = json!(endpoint);
        }
        if self.no_tls {
            target["tls"] = json!(false);
        }
        if let Some(path) = &self.key_file {
            let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
            let mut lines = text.lines().map(str::trim);
            let (Some(key), Some(secret)) = (lines.next(), lines.next()) else {
                anyhow::bail!(
                    "{}: the access key stands on the first line, the secret on the second",
                    path.display()
                );
            };
            target["key_id"] = json!(key);
            target["secret"] = json!(secret);
        }
        let mut storage = json!({ "at": "s3", "target": target });
        if let Some(bucket) = &self.bucket {
            storage["bucket"] = json!(bucket);
        }
        Ok(storage)
    }
}

pub(super) async fn run(command: CatalogCommand, asked: &Asked, printer: &Printer<'_>) -> anyhow::Result<()> {
    let path = |org: &str, catalog: &str| format!("/orgs/{}/catalogs/{}", escaped(org), escaped(catalog));
    match command {
        CatalogCommand::Create {
            org,
            catalog,
            description,
        } => {
            let path = path(&org, &catalog);
            anyhow::ensure!(
                asked.get(&path).await.is_err(),
                "there is a catalog {catalog:?} already: `pintail catalog provision` goes on with one that is not ready"
            );
            let answer = asked.ask(Verb::Put, &path, Some(&description.body()?)).await?;
            ready(&answer, printer)?;
            suggest(asked, printer, &org, &catalog).await;
        }
        CatalogCommand::Set {
            org,
            catalog,
            description,
        } => {
            let path = path(&org, &catalog);
            asked.get(&path).await?;
            ready(&asked.ask(Verb::Put, &path, Some(&description.body()?)).await?, printer)?;
        }
        CatalogCommand::List { org } => {
            let catalogs = asked.list(&format!("/orgs/{}/catalogs", escaped(&org))).await?;
            printer.many(&catalogs, COLUMNS);
        }
        CatalogCommand::Show { org, catalog } => printer.one(&asked.get(&path(&org, &catalog)).await?),
        CatalogCommand::Provision { org, catalog } => {
            let path = format!("{}/provision", path(&org, &catalog));
            ready(&asked.ask(Verb::Post, &path, None).await?, printer)?;
        }
        CatalogCommand::Delete { org, catalog } => {
            asked.ask(Verb::Delete, &path(&org, &catalog), None).await?;
            printer.note(&format!(
                "catalog {catalog} is gone; its data is kept for the retention time"
            ));
        }
    }
    Ok(())
}

/// Prints a catalog; one that is not ready is a failure.
fn ready(answer: &Value, printer: &Printer<'_>) -> anyhow::Result<()> {
    printer.one(answer);
    let state = answer["state"].as_str().unwrap_or_default();
    let reason = answer["reason"].as_str().unwrap_or("no reason given");
    anyhow::ensure!(state == "ready", "the catalog is {state}: {reason}");
    Ok(())
}

/// How the organisation's first user connects.
async fn suggest(asked: &Asked, printer: &Printer<'_>, org: &str, catalog: &str) {
    let users = asked
        .list(&format!("/orgs/{}/users", escaped(org)))
        .await
        .unwrap_or_default();
    let (Some(user), Ok(status)) = (users.first(), asked.get("/status").await) else {
        return;
    };
    if let Some(line) = psql_line(&status, org, user["name"].as_str().unwrap_or_default(), catalog) {
        printer.note(&format!("\n{line}"));
    }
}
