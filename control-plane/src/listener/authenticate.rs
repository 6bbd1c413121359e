//! From a start-up packet to a proven user (manual, "SASL Authentication").
//!
//! An unknown organisation, user or catalog, a disabled user and a wrong password take the same path and get the same
//! answer: a verifier that no password fits stands in for the missing one.

use std::io;
use std::time::{Instant, SystemTime};

use bytes::{Bytes, BytesMut};
use pintail_configstore::{Role, login_salt};
use pintail_sqlstate::{Report, Severity, SqlState, ToReport};
use pintail_transpiler::LoginRole;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::Server;
use super::bans::Attempt;
use super::handshake::Client;
use crate::account::Account;
use crate::login::{Login, storage_of};
use crate::routing::{self, Said};
use crate::session::driver::Admitted;
use crate::session::{Identity, Machine, UserAccess};
use crate::sessions::{Activity, SessionInfo};
use crate::wire::scram::{self, Binding, Refused, Verifier};
use crate::wire::startup::{self, Startup};
use crate::wire::{backend, frontend};

/// No message of authentication is longer; `PostgreSQL` has the same limit for SASL.
const LONGEST_MESSAGE: usize = 64 << 10;
/// Start-up parameters that are not settings.
const NOT_SETTINGS: &[&str] = &["user", "database", "options", "replication"];

/// Authenticates; the outer error is the connection's, the inner one is told to the client.
pub(super) async fn authenticate<S: AsyncRead + AsyncWrite + Unpin>(
    server: &Server,
    stream: &mut S,
    startup: &Startup,
    client: &Client,
) -> io::Result<Result<Admitted, Report>> {
    let parameter = |name: &str| {
        startup
            .parameters
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    };
    let Some(user) = parameter("user") else {
        return Ok(Err(fatal(
            SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
            "no PostgreSQL user name specified in startup packet",
        )));
    };
    if parameter("replication").is_some_and(|value| !matches!(value, "false" | "off" | "no" | "0")) {
        return Ok(Err(fatal(
            SqlState::FEATURE_NOT_SUPPORTED,
            "replication connections are not supported",
        )));
    }
    let database = parameter("database").unwrap_or(user);
    let mut settings = match settings(startup) {
        Ok(settings) => settings,
        Err(report) => return Ok(Err(report)),
    };
    // The last one counts, as with any setting.
    let option = settings
        .iter()
        .rfind(|(name, _)| name == routing::OPTION)
        .map(|(_, value)| value.clone());
    settings.retain(|(name, _)| name != routing::OPTION);
    let snapshot = server.accounts.store.snapshot();
    let route = routing::route(
        &server.config,
        &snapshot,
        Said {
            server_name: client.server_name.as_deref(),
            option: option.as_deref(),
            user,
        },
    );
    tracing::Span::current()
        .record("user", route.user.as_str())
        .record("org", route.org.as_deref().unwrap_or_default());
    // A client that left its database out means its user's name, without the organisation.
    let database = if database == user {
        route.user.as_str()
    } else {
        database
    };
    let login = route
        .org
        .as_deref()
        .and_then(|org| Login::find(&snapshot, org, &route.user, database));
    let salt = login_salt(&server.salt_key, route.org.as_deref().unwrap_or_default(), &route.user);
    let attempt = Attempt {
        address: client.address.ip(),
        org: route.org.as_deref().unwrap_or_default(),
        user: &route.user,
    };
    if let Err(report) = server.bans.check(attempt, Instant::now()) {
        server.metrics.logins.with_label_values(&["banned"]).inc();
        return Ok(Err(report));
    }
    let login = match prove(stream, salt, login, client.binding.as_ref()).await? {
        Ok(login) => login,
        Err(refused) => {
            server.bans.fail(attempt, Instant::now());
            server.metrics.logins.with_label_values(&["refused"]).inc();
            tracing::info!(reason = %refused, "a login was refused");
            return Ok(Err(match refused {
                Refused::Password => fatal(
                    SqlState::INVALID_PASSWORD,
                    &format!("password authentication failed for user \"{user}\""),
                ),
                other => other.to_report(),
            }));
        }
    };
    server.bans.succeed(attempt);
    accept(server, startup, login, settings, client, stream).await
}

/// Runs SCRAM. A name that is not known and a password that does not fit are refused alike.
async fn prove<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut S,
    salt: [u8; 16],
    login: Option<Login>,
    binding: Option<&Binding>,
) -> io::Result<Result<Login, Refused>> {
    let stored = login
        .as_ref()
        .and_then(|login| Verifier::parse(login.user.verifier.expose()));
    let verifier = stored.unwrap_or_else(|| Verifier::fake(salt));
    let mut buffer = BytesMut::new();
    backend::authentication_sasl(&mut buffer, scram::mechanisms(binding));
    stream.write_all_buf(&mut buffer).await?;
    let (answer, state) = match scram::first(password_message(stream).await?, verifier, binding) {
        Ok(going_on) => going_on,
        Err(refused) => return Ok(Err(refused)),
    };
    backend::authentication_continue(&mut buffer, answer);
    stream.write_all_buf(&mut buffer).await?;
    let answer = match scram::last(&password_message(stream).await?, &state) {
        Ok(answer) => answer,
        Err(refused) => return Ok(Err(refused)),
    };
    let Some(login) = login else {
        return Ok(Err(Refused::Password));
    };
    backend::authentication_ok(&mut buffer, answer);
    stream.write_all_buf(&mut buffer).await?;
    Ok(Ok(login))
}

async fn password_message<S: AsyncRead + Unpin>(stream: &mut S) -> io::Result<Bytes> {
    let invalid = |reason: &'static str| io::Error::new(io::ErrorKind::InvalidData, reason);
    let mut header = [0u8; 5];
    stream.read_exact(&mut header).await?;
    let length = u32::from_be_bytes([header[1], header[2], header[3], header[4]]) as usize;
    if header[0] != b'p' || !(4..=LONGEST_MESSAGE).contains(&length) {
        return Err(invalid("not a message of authentication"));
    }
    let mut body = vec![0; length - 4];
    stream.read_exact(&mut body).await?;
    match frontend::decode(b'p', Bytes::from(body)) {
        Ok(frontend::Message::Password(body)) => Ok(body),
        _ => Err(invalid("not a message of authentication")),
    }
}

/// Settings of the start-up packet; those of `options` come first, so that named ones win.
fn settings(startup: &Startup) -> Result<Vec<(String, String)>, Report> {
    let mut settings = Vec::new();
    if let Some(text) = startup.parameters.get("options") {
        settings = startup::options(text).map_err(|word| {
            fatal(
                SqlState::SYNTAX_ERROR,
                &format!("invalid command-line argument for server process: {word}"),
            )
        })?;
    }
    let named = startup
        .parameters
        .iter()
        .filter(|(name, _)| !NOT_SETTINGS.contains(&name.as_str()) && !name.starts_with("_pq_."))
        .map(|(name, value)| (name.clone(), value.clone()));
    settings.extend(named);
    Ok(settings)
}

async fn accept<S: AsyncWrite + Unpin>(
    server: &Server,
    startup: &Startup,
    login: Login,
    settings: Vec<(String, String)>,
    client: &Client,
    stream: &mut S,
) -> io::Result<Result<Admitted, Report>> {
    let secret_length = if startup.minor >= 2 { 32 } else { 4 };
    let cancellation = server.shared.cancels.register(secret_length);
    let pid = cancellation.key().pid;
    let account = match Account::open(server.accounts.clone(), login) {
        Ok(account) => account,
        Err(report) => return Ok(Err(report)),
    };
    let mut machine = match Machine::new(identity(&account, pid, client), server.scripts.clone(), &settings) {
        Ok(machine) => machine,
        Err(report) => return Ok(Err(report.with_severity(Severity::Fatal))),
    };
    let presence = server
        .shared
        .sessions
        .enter(session_info(&account, pid, client, startup));
    let mut buffer = BytesMut::new();
    backend::backend_key(&mut buffer, cancellation.key());
    stream.write_all_buf(&mut buffer).await?;
    machine.greet();
    server.metrics.logins.with_label_values(&["ok"]).inc();
    tracing::info!(pid, "session started");
    Ok(Ok(Admitted {
        machine,
        cancellation,
        account,
        presence,
    }))
}

fn identity(account: &Account, backend_pid: i32, client: &Client) -> Identity {
    let login = account.login();
    Identity {
        user: login.user.name.to_string(),
        catalog: login.catalog.name.to_string(),
        storage: storage_of(&login.catalog),
        access: UserAccess {
            role: match login.user.role {
                Role::Owner => LoginRole::Owner,
                Role::Writer => LoginRole::Writer,
                Role::Reader => LoginRole::Reader,
            },
            schemas: login.user.schemas.clone(),
        },
        attached: account.attached(),
        reachable: account.reachable(),
        statement_limit_ms: account.statement_limit_ms(),
        backend_pid,
        client_address: Some(client.address.ip().to_string()),
    }
}

fn session_info(account: &Account, pid: i32, client: &Client, startup: &Startup) -> SessionInfo {
    let (login, now) = (account.login(), SystemTime::now());
    SessionInfo {
        pid,
        org: login.org.slug.to_string(),
        user: login.user.name.to_string(),
        catalog: login.catalog.name.to_string(),
        client: client.address.ip(),
        client_port: client.address.port(),
        application: startup.parameters.get("application_name").cloned().unwrap_or_default(),
        started: now,
        activity: Activity::Idle,
        since: now,
        worker: None,
    }
}

fn fatal(sqlstate: SqlState, message: &str) -> Report {
    Report::new(sqlstate, message).with_severity(Severity::Fatal)
}
