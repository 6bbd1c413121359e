//! Building an instance: extensions, secrets, catalogs, settings, and then the engine's wall, in that order.
//!
//! The order is the point. After `enable_external_access=false` nothing more can be attached or loaded, and after
//! `lock_configuration=true` no setting moves except those of [`FREE_SETTINGS`].

use std::path::{Path, PathBuf};
use std::time::Instant;

use pintail_worker_api::bootstrap::{Bootstrap, CatalogSource, CatalogSpec, DataLocation, LakeOpening, PostgresTarget};

use super::capi::{ArrowOptions, Connection, Database};
use super::failure::Failure;
use super::mapping;
use crate::error::Error;
use crate::extensions::Extensions;

/// Settings that a session may change after the wall is up: they change no more than how values are shown.
const FREE_SETTINGS: &[&str] = &["timezone", "calendar"];

/// What every instance of a worker is built from.
#[derive(Debug)]
pub(crate) struct Blueprint {
    /// The organisation's bootstrap.
    pub(crate) bootstrap: Bootstrap,
    /// The verified extension files.
    pub(crate) extensions: Extensions,
    /// A file that holds the catalogs' views; without one they are made in each instance.
    pub(crate) catalog_file: Option<PathBuf>,
    /// Whether the engine's wall is raised; only tests leave it out, to see the walls behind it.
    pub(crate) engine_wall: EngineWall,
}

/// Whether the engine's own wall is raised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EngineWall {
    /// As in production.
    Up,
    /// Left out, so that a test can see what the kernel alone stops.
    LeftOutForTest,
}

/// A walled-in instance with the one connection of its session.
pub(crate) struct Instance {
    /// The session's connection.
    pub(crate) connection: Connection,
    /// How it writes Arrow.
    pub(crate) arrow: ArrowOptions,
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
        let bootstrap = &blueprint.bootstrap;
        let built = Instant::now();
        let threads = bootstrap.threads.max(1).to_string();
        let memory = format!("{}B", bootstrap.memory_limit);
        let database = Database::open(&[
            ("allow_unsigned_extensions", "true"),
            ("autoload_known_extensions", "false"),
            ("autoinstall_known_extensions", "false"),
            ("allow_community_extensions", "false"),
            ("allow_persistent_secrets", "false"),
            ("threads", &threads),
            ("memory_limit", &memory),
            ("temp_directory", &bootstrap.temp_dir.to_string_lossy()),
        ])
        .map_err(|failure| failed("open", &failure))?;
        let connection = database.connect().map_err(|failure| failed("connect", &failure))?;
        let mut builder = Builder { connection };
        builder.settings()?;
        builder.catalogs(blueprint)?;
        builder.views(blueprint.catalog_file.as_deref())?;
        if let Some(first) = bootstrap.catalogs.first() {
            builder.start_in(&first.name)?;
        }
        if blueprint.engine_wall == EngineWall::Up {
            builder.wall(bootstrap)?;
        }
        builder.finish(built)
    }
}

struct Builder {
    connection: Connection,
}

impl Builder {
    fn run(&mut self, step: &str, sql: &str) -> Result<(), Error> {
        run(&self.connection, sql).map_err(|failure| failed(step, &failure))
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

    fn catalogs(&mut self, blueprint: &Blueprint) -> Result<(), Error> {
        let specs = &blueprint.bootstrap.catalogs;
        if specs
            .iter()
            .any(|spec| matches!(spec.source, CatalogSource::DuckLake { .. }))
        {
            for name in ["ducklake", "postgres_scanner"] {
                let path = literal(&blueprint.extensions.path(name)?.to_string_lossy());
                self.run(&format!("load {name}"), &format!("LOAD {path}"))?;
            }
            // Many sessions may commit to one lake at once; the defaults give up after a few seconds.
            for sql in [
                "SET GLOBAL ducklake_max_retry_count = 100",
                "SET GLOBAL ducklake_retry_wait_ms = 10",
                "SET GLOBAL ducklake_retry_backoff = 1.1",
            ] {
                self.run("settings", sql)?;
            }
        }
        specs.iter().try_for_each(|spec| self.attach(spec))
    }

    fn attach(&mut self, spec: &CatalogSpec) -> Result<(), Error> {
        let name = identifier(&spec.name);
        let step = format!("attach {}", spec.name);
        match &spec.source {
            CatalogSource::Memory => self.run(&step, &format!("ATTACH ':memory:' AS {name}")),
            CatalogSource::DuckLake {
                metadata,
                metadata_schema,
                data,
                opening,
            } => {
                let DataLocation::Local { path: data_path } = data else {
                    return Err(Error::Start("lakes on S3 are not served".to_owned()));
                };
                let options = match opening {
                    LakeOpening::Existing => ", CREATE_IF_NOT_EXISTS false, AUTOMATIC_MIGRATION false",
                    LakeOpening::Provision => ", AUTOMATIC_MIGRATION true",
                };
                let secret = format!("__pintail_{}", spec.name);
                self.run(&step, &create_secret(&secret, metadata))?;
                let sql = format!(
                    "ATTACH 'ducklake:postgres:' AS {name} (META_SECRET {}, METADATA_SCHEMA {}, DATA_PATH {}, \
                     DATA_INLINING_ROW_LIMIT 0{options})",
                    literal(&secret),
                    literal(metadata_schema),
                    literal(data_path),
                );
                self.run(&step, &sql)
            }
            CatalogSource::Iceberg { .. } | CatalogSource::DuckDbFile { .. } => {
                Err(Error::Start("this kind of catalog is not served".to_owned()))
            }
        }
    }

    fn views(&mut self, file: Option<&Path>) -> Result<(), Error> {
        const STEP: &str = "install the catalogs' views";
        self.run(STEP, pintail_pgcatalog::INSTANCE)?;
        if let Some(file) = file {
            let path = literal(&file.to_string_lossy());
            return self.run(STEP, &format!("ATTACH {path} AS __pintail (READ_ONLY)"));
        }
        self.run(STEP, "ATTACH ':memory:' AS __pintail")?;
        pintail_pgcatalog::install()
            .iter()
            .try_for_each(|sql| self.run(STEP, sql))
    }

    fn start_in(&mut self, catalog: &str) -> Result<(), Error> {
        self.run("search path", &search_path(catalog))
    }

    fn wall(&mut self, bootstrap: &Bootstrap) -> Result<(), Error> {
        let own: Vec<_> = own_directories(bootstrap)
            .iter()
            .map(|path| literal(&directory_prefix(path)))
            .collect();
        let free: Vec<_> = FREE_SETTINGS.iter().map(|name| literal(name)).collect();
        for sql in [
            format!("SET allowed_directories = [{}]", own.join(", ")),
            "SET enable_external_access = false".to_owned(),
            format!("SET allowed_configs = [{}]", free.join(", ")),
            "SET lock_configuration = true".to_owned(),
        ] {
            self.run("raise the engine's wall", &sql)?;
        }
        Ok(())
    }

    fn finish(self, built: Instant) -> Result<Instance, Error> {
        let arrow = self.connection.arrow_options();
        let external_access = self.read_flag(&arrow, "enable_external_access")?;
        let configuration_locked = self.read_flag(&arrow, "lock_configuration")?;
        Ok(Instance {
            connection: self.connection,
            arrow,
            external_access,
            configuration_locked,
            built,
        })
    }

    fn read_flag(&self, arrow: &ArrowOptions, name: &str) -> Result<bool, Error> {
        let sql = format!("SELECT current_setting({})::BOOLEAN::INTEGER", literal(name));
        let step = "read the settings back";
        let value = read_integer(&self.connection, arrow, &sql).map_err(|failure| failed(step, &failure))?;
        value
            .map(|value| value != 0)
            .ok_or_else(|| Error::Internal(format!("{step}: no answer")))
    }
}

/// Makes the file of the catalogs' views, whole or not at all. For a process that does nothing else.
pub(crate) fn make_catalog_file(file: &Path) -> Result<(), Error> {
    const STEP: &str = "make the catalogs' file";
    let io = |source| Error::Io {
        what: format!("cannot write {}", file.display()),
        source,
    };
    let part = file.with_extension(format!("part{}", std::process::id()));
    let database = Database::open(&[("threads", "1")]).map_err(|failure| failed("open", &failure))?;
    let connection = database.connect().map_err(|failure| failed("connect", &failure))?;
    let mut builder = Builder { connection };
    builder.run(STEP, pintail_pgcatalog::INSTANCE)?;
    let path = literal(&part.to_string_lossy());
    builder.run(STEP, &format!("ATTACH {path} AS __pintail (STORAGE_VERSION 'v1.5.0')"))?;
    pintail_pgcatalog::install()
        .iter()
        .try_for_each(|sql| builder.run(STEP, sql))?;
    builder.run(STEP, "CHECKPOINT __pintail; USE memory; DETACH __pintail")?;
    drop((builder, database));
    std::fs::rename(&part, file).map_err(io)
}

/// Runs a text's statements and drops their rows.
pub(crate) fn run(connection: &Connection, sql: &str) -> Result<(), Failure> {
    let mut statements = connection.split(sql)?;
    for index in 0..statements.len() {
        let mut result = statements.prepare(index)?.execute()?;
        while result.fetch()?.is_some() {}
    }
    Ok(())
}

fn read_integer(connection: &Connection, arrow: &ArrowOptions, sql: &str) -> Result<Option<i32>, Failure> {
    let mut result = connection.split(sql)?.prepare(0)?.execute()?;
    let schema = arrow.schema(&result.columns())?;
    let Some(chunk) = result.fetch()? else { return Ok(None) };
    let batch = chunk.to_batch(arrow, &schema)?;
    let values = batch.column(0).as_any().downcast_ref::<arrow_array::Int32Array>();
    Ok(values.map(|values| values.value(0)))
}

/// The statement that makes a catalog the session's own, with the installed names behind it.
pub(crate) fn search_path(catalog: &str) -> String {
    format!(
        "SET search_path = {}",
        literal(&format!("{}.main,__pintail.pg", identifier(catalog)))
    )
}

/// The local directories that belong to the organisation.
pub(crate) fn own_directories(bootstrap: &Bootstrap) -> Vec<PathBuf> {
    let data = bootstrap.catalogs.iter().filter_map(|spec| match &spec.source {
        CatalogSource::DuckLake {
            data: DataLocation::Local { path },
            ..
        } => Some(PathBuf::from(path)),
        _ => None,
    });
    data.chain(bootstrap.directories.iter().cloned())
        .chain([bootstrap.temp_dir.clone()])
        .collect()
}

/// The engine compares prefixes, so a directory must end in its separator: `/data/a` would open `/data/ab` too.
fn directory_prefix(path: &Path) -> String {
    format!("{}/", path.to_string_lossy().trim_end_matches('/'))
}

fn create_secret(name: &str, target: &PostgresTarget) -> String {
    format!(
        "CREATE SECRET {} (TYPE postgres, HOST {}, PORT {}, DATABASE {}, USER {}, PASSWORD {})",
        identifier(name),
        literal(&target.host),
        target.port,
        literal(&target.database),
        literal(&target.user),
        literal(target.password.expose()),
    )
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

fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A quoted name.
pub(crate) fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
