//! Building an instance: extensions, secrets, catalogs, settings, and then the engine's wall, in that order.

mod attach;
mod file_lock;
mod iceberg;
pub(crate) mod reach;
mod secrets;
pub(crate) mod sql;
mod start;
mod views;
mod wall;

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use pintail_worker_api::bootstrap::{Bootstrap, CatalogSource, FileAccess};

use self::file_lock::FileLock;
pub(crate) use self::iceberg::PLACEHOLDER;
pub(crate) use self::start::start_in;
pub(crate) use self::views::make_catalog_file;
use super::capi::feed::Feeder;
use super::capi::{ArrowOptions, Connection, Database};
use super::desk::Desk;
use super::failure::Failure;
use super::mapping;
use crate::error::Error;
use crate::extensions::Extensions;
use crate::left_out::{LeftOut, Part};

/// What every instance of a worker is built from.
#[derive(Debug)]
pub(crate) struct Blueprint {
    /// The organisation's bootstrap.
    pub(crate) bootstrap: Bootstrap,
    /// The verified extension files.
    pub(crate) extensions: Extensions,
    /// A file that holds the catalogs' views; without one they are made in each instance.
    pub(crate) catalog_file: Option<PathBuf>,
    /// What only tests leave out, to see the walls behind it.
    pub(crate) left_out: LeftOut,
}

/// How many instances of a blueprint may be there at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// Any number.
    Shared,
    /// One: a database file that is written can be open in one instance only.
    Exclusive,
}

impl Blueprint {
    /// How many instances of it may be there at once.
    pub(crate) fn sharing(&self) -> Sharing {
        let written = |source: &CatalogSource| {
            matches!(
                source,
                CatalogSource::DuckDbFile {
                    access: FileAccess::ReadWrite,
                    ..
                }
            )
        };
        if self.bootstrap.catalogs.iter().any(|spec| written(&spec.source)) {
            Sharing::Exclusive
        } else {
            Sharing::Shared
        }
    }
}

/// A walled-in instance with the one connection of its session.
pub(crate) struct Instance {
    /// The session's connection.
    pub(crate) connection: Connection,
    /// How it writes Arrow.
    pub(crate) arrow: ArrowOptions,
    /// Where the rows of a `COPY` come in.
    pub(crate) feeder: Feeder,
    /// What it shares with the control plane.
    pub(crate) desk: Arc<Desk>,
    /// `enable_external_access` as read back.
    pub(crate) external_access: bool,
    /// `lock_configuration` as read back.
    pub(crate) configuration_locked: bool,
    /// When it was built.
    pub(crate) built: Instant,
}

impl Instance {
    /// Builds an instance; takes tens of milliseconds.
    pub(crate) fn build(blueprint: &Blueprint) -> Result<Self, Error> {
        let built = Instant::now();
        let bootstrap = &blueprint.bootstrap;
        let mut builder = Builder::open(bootstrap)?;
        builder.settings()?;
        for name in attach::needed_extensions(bootstrap) {
            builder.load(name, &blueprint.extensions)?;
        }
        for spec in &bootstrap.catalogs {
            attach::attach(&mut builder, spec, &blueprint.left_out)?;
        }
        views::install(&mut builder, blueprint.catalog_file.as_deref())?;
        if let Some(first) = bootstrap.catalogs.first() {
            start_in(&builder.connection, &first.name)?;
        }
        if !blueprint.left_out.contains(Part::EngineWall) {
            wall::raise(&mut builder, bootstrap)?;
        }
        builder.finish(built)
    }
}

/// An instance that is not walled in yet.
struct Builder {
    connection: Connection,
    feeder: Feeder,
    desk: Arc<Desk>,
}

impl Builder {
    /// On a connection of a new instance, which learns its own functions before anything else: while a result is read, a
    /// function would be made in its transaction.
    fn on(connection: Connection) -> Result<Self, Error> {
        let desk = Arc::default();
        let feeder = Feeder::register(&connection).map_err(|failure| failed("register", &failure))?;
        let registered = connection.register_hooks(&desk);
        registered.map_err(|failure| failed("register", &failure))?;
        let casts = connection.register_casts();
        casts.map_err(|failure| failed("register", &failure))?;
        Ok(Self {
            connection,
            feeder,
            desk,
        })
    }

    /// Takes the locks of the database files, which are given back when the instance's last handle is closed, and opens it.
    fn open(bootstrap: &Bootstrap) -> Result<Self, Error> {
        let mut locks: Vec<Box<dyn Any + Send + Sync>> = Vec::new();
        for spec in &bootstrap.catalogs {
            if let CatalogSource::DuckDbFile { path, access } = &spec.source {
                locks.push(Box::new(FileLock::take(&spec.name, path.as_ref(), *access)?));
            }
        }
        let threads = bootstrap.threads.max(1).to_string();
        let memory = format!("{}B", bootstrap.memory_limit);
        let settings = [
            ("allow_unsigned_extensions", "true"),
            ("autoload_known_extensions", "false"),
            ("autoinstall_known_extensions", "false"),
            ("allow_community_extensions", "false"),
            ("allow_persistent_secrets", "false"),
            ("threads", &threads),
            ("memory_limit", &memory),
            ("temp_directory", &bootstrap.temp_dir.to_string_lossy()),
        ];
        let database = Database::open(&settings, locks).map_err(|failure| failed("open", &failure))?;
        Self::on(database.connect().map_err(|failure| failed("connect", &failure))?)
    }

    fn run(&mut self, step: &str, sql: &str) -> Result<(), Error> {
        sql::run(&self.connection, sql).map_err(|failure| failed(step, &failure))
    }

    /// Runs a step of attaching a catalog.
    fn attach(&mut self, catalog: &str, sql: &str) -> Result<(), Error> {
        sql::run(&self.connection, sql).map_err(|failure| match mapping::unavailable(&failure) {
            Some(problem) => Error::Catalog {
                catalog: catalog.to_owned(),
                problem,
            },
            None => failed(&format!("attach {catalog}"), &failure),
        })
    }

    /// What brings the engine nearer to `PostgreSQL`.
    fn settings(&mut self) -> Result<(), Error> {
        const SETTINGS: &[&str] = &[
            "SET GLOBAL integer_division = true",
            "SET GLOBAL default_null_order = 'nulls_last_on_asc_first_on_desc'",
            "SET GLOBAL scalar_subquery_error_on_multiple_rows = true",
            "SET GLOBAL ieee_floating_point_ops = false",
            "SET GLOBAL arrow_lossless_conversion = true",
            "SET GLOBAL preserve_identifier_case = false",
            "SET GLOBAL lambda_syntax = 'DISABLE_SINGLE_ARROW'",
            "SET GLOBAL TimeZone = 'UTC'",
            // Only this connection: the extensions' own connections read each other's errors as plain text.
            "SET SESSION errors_as_json = true",
        ];
        SETTINGS.iter().try_for_each(|sql| self.run("settings", sql))
    }

    fn load(&mut self, name: &str, extensions: &Extensions) -> Result<(), Error> {
        let path = sql::literal(&extensions.path(name)?.to_string_lossy());
        self.run(&format!("load {name}"), &format!("LOAD {path}"))?;
        let settings: &[&str] = match name {
            // Many sessions may commit to one lake at once; the defaults give up after a few seconds.
            "ducklake" => &[
                "SET GLOBAL ducklake_max_retry_count = 100",
                "SET GLOBAL ducklake_retry_wait_ms = 10",
                "SET GLOBAL ducklake_retry_backoff = 1.1",
            ],
            // Keys come from secrets alone, never from the process's environment.
            "httpfs" => &["SET GLOBAL enable_global_s3_configuration = false"],
            _ => &[],
        };
        settings.iter().try_for_each(|sql| self.run("settings", sql))
    }

    fn finish(self, built: Instant) -> Result<Instance, Error> {
        let arrow = self.connection.arrow_options();
        let external_access = wall::read_flag(&self, &arrow, "enable_external_access")?;
        let configuration_locked = wall::read_flag(&self, &arrow, "lock_configuration")?;
        Ok(Instance {
            connection: self.connection,
            arrow,
            feeder: self.feeder,
            desk: self.desk,
            external_access,
            configuration_locked,
            built,
        })
    }
}

/// A failed step of the build; the engine's text passes the mapping, the statement (which may hold a password) does not.
fn failed(step: &str, failure: &Failure) -> Error {
    use pintail_sqlstate::ToReport;
    let report = Box::new(mapping::to_error(failure, "").to_report());
    Error::Instance {
        step: step.to_owned(),
        report,
    }
}
