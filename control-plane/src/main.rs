//! The command line of Pintail.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Arg, ArgMatches, Args as _, Command, FromArgMatches as _, Subcommand};
use pintail::config::{Config, FIELDS, LogFormat, Secrecy, Sources};
use pintail::{cli, serve};
use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    let matches = command().get_matches();
    let result = match matches.subcommand() {
        Some(("serve", arguments)) => resolve(arguments).and_then(run),
        Some(("connection", arguments)) => resolve(arguments).and_then(|config| connection(&config, arguments)),
        Some(("config", arguments)) => {
            if let Some(("check", arguments)) = arguments.subcommand() {
                resolve(arguments).map(|_| say("the configuration is valid"))
            } else {
                say(Config::reference().trim_end());
                Ok(())
            }
        }
        Some(("api", _)) => {
            say(pintail::admin::document().trim_end());
            Ok(())
        }
        Some(("completion", arguments)) => {
            complete(arguments);
            Ok(())
        }
        _ => operate(&matches),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn command() -> Command {
    let configured = |command: Command| {
        let command = command.arg(
            Arg::new("config")
                .long("config")
                .value_name("FILE")
                .help("Configuration file, TOML"),
        );
        FIELDS
            .iter()
            .filter(|field| field.secret == Secrecy::Public)
            .fold(command, |command, field| {
                let default = if field.default.is_empty() {
                    String::new()
                } else {
                    format!(" [default: {}]", field.default)
                };
                command.arg(
                    Arg::new(field.key)
                        .long(field.key.replace('_', "-"))
                        .value_name(field.form.replace('`', ""))
                        .help(format!("{}{default}", field.help.trim())),
                )
            })
    };
    let command = Command::new("pintail")
        .about("A PostgreSQL wire-protocol server backed by DuckDB workers")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(configured(Command::new("serve").about("Runs the server")))
        .subcommand(
            configured(Command::new("connection").about("Prints how to connect to the running server")).arg(
                Arg::new("format")
                    .long("format")
                    .value_parser(["psql", "env", "admin", "pid"])
                    .default_value("psql")
                    .help("A psql line, export lines for a shell, the admin address, or the process id"),
            ),
        )
        .subcommand(
            Command::new("config")
                .about("Checks or explains the configuration")
                .subcommand_required(true)
                .subcommand(configured(
                    Command::new("check").about("Reads every source and tells every mistake"),
                ))
                .subcommand(Command::new("reference").about("Prints the reference of all keys, Markdown")),
        )
        .subcommand(Command::new("api").about("Prints the OpenAPI document of the admin API"))
        .subcommand(
            Command::new("completion")
                .about("Prints a shell's completion script")
                .arg(
                    Arg::new("shell")
                        .required(true)
                        .value_parser(clap::value_parser!(clap_complete::Shell)),
                ),
        );
    // The options of the operator's commands stand with each of them, not with `serve`, whose are the configuration's.
    let operators = <cli::Command as Subcommand>::augment_subcommands(Command::new("operator"));
    operators.get_subcommands().fold(command, |command, operator| {
        command.subcommand(cli::Access::augment_args(operator.clone()))
    })
}

/// An operator's command.
fn operate(matches: &ArgMatches) -> anyhow::Result<()> {
    let command = cli::Command::from_arg_matches(matches)?;
    let Some((_, arguments)) = matches.subcommand() else {
        return Ok(());
    };
    let access = cli::Access::from_arg_matches(arguments)?;
    let config = resolve_with(BTreeMap::new(), access.config.as_ref())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        if access.offline {
            log(&config, "warn")?;
            return serve::offline(config, async |router| {
                cli::run(command, &cli::Asked::Local(router), &access, &say).await
            })
            .await;
        }
        let asked = access.remote(&config)?;
        cli::run(command, &asked, &access, &say).await
    })
}

fn complete(arguments: &ArgMatches) {
    if let Some(shell) = arguments.get_one::<clap_complete::Shell>("shell") {
        clap_complete::generate(*shell, &mut command(), "pintail", &mut std::io::stdout());
    }
}

fn resolve(arguments: &ArgMatches) -> anyhow::Result<Config> {
    let flags: BTreeMap<String, String> = FIELDS
        .iter()
        .filter(|field| field.secret == Secrecy::Public)
        .filter_map(|field| {
            arguments
                .get_one::<String>(field.key)
                .map(|value| (field.key.to_owned(), value.clone()))
        })
        .collect();
    resolve_with(flags, arguments.get_one::<String>("config").map(PathBuf::from).as_ref())
}

fn resolve_with(flags: BTreeMap<String, String>, file: Option<&PathBuf>) -> anyhow::Result<Config> {
    let environment = std::env::vars()
        .filter(|(name, _)| name.starts_with("PINTAIL_"))
        .collect();
    let file = match file {
        Some(path) => std::fs::read_to_string(path).with_context(|| path.display().to_string())?,
        None => String::new(),
    };
    Config::resolve(&Sources::new(flags, environment, &file)).map_err(|mistakes| {
        let list: Vec<String> = mistakes.iter().map(|mistake| format!("  {mistake}")).collect();
        anyhow::anyhow!("the configuration is not valid:\n{}", list.join("\n"))
    })
}

fn run(config: Config) -> anyhow::Result<()> {
    log(&config, &config.log)?;
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(serve::serve(config, CancellationToken::new()))
}

fn log(config: &Config, filter: &str) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(filter).with_context(|| format!("log: {filter:?} is not a filter"))?;
    let logging = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    match config.log_format {
        LogFormat::Text => logging.init(),
        LogFormat::Json => logging.json().init(),
    }
    Ok(())
}

fn connection(config: &Config, arguments: &ArgMatches) -> anyhow::Result<()> {
    let connection = serve::Connection::read(&config.data_dir())?;
    let variables = connection.variables();
    match arguments.get_one::<String>("format").map(String::as_str) {
        Some("env") => {
            for (name, value) in &variables {
                say(&format!("export {name}={value}"));
            }
        }
        Some("admin") => say(&connection.admin().to_string()),
        Some("pid") => say(&connection.pid().to_string()),
        _ => {
            let value = |name: &str| {
                variables
                    .iter()
                    .find(|(key, _)| *key == name)
                    .map_or("", |(_, value)| value)
            };
            say(&format!(
                "PGPASSWORD={} psql \"host={} port={} user={} dbname={} sslmode={}\"",
                value("PGPASSWORD"),
                value("PGHOST"),
                value("PGPORT"),
                value("PGUSER"),
                value("PGDATABASE"),
                value("PGSSLMODE"),
            ));
        }
    }
    Ok(())
}

/// The command line's answer. Who does not read it to its end is not told the rest.
fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

#[allow(clippy::print_stderr, reason = "the command line's complaint")]
fn complain(text: &str) {
    eprintln!("pintail: {text}");
}
