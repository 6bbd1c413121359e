//! What goes wrong in a worker, and what the client is told of it.

mod unavailable;

use std::io;

use pintail_sqlstate::{Report, SqlState, ToReport};
use pintail_worker_api::error::to_status;
use tonic::Status;

pub use self::unavailable::Unavailable;

/// Why a statement was stopped from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The client asked.
    Request,
    /// The deadline of the ticket passed.
    Timeout,
    /// Nobody reads the answer any more.
    Dropped,
    /// The worker shuts down.
    Shutdown,
}

/// Every failure of a worker.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The engine refused or failed the statement.
    #[error("{report}")]
    Statement {
        /// What the client is told.
        report: Box<Report>,
        /// The engine's error type says that its state is not to be trusted.
        broken: bool,
    },
    /// The statement was stopped.
    #[error("the statement was stopped: {0:?}")]
    Stopped(StopReason),
    /// A second session was asked for.
    #[error("a session is open")]
    SessionOpen,
    /// A statement came without a session.
    #[error("no session is open")]
    NoSession,
    /// A ticket named a statement that is not prepared.
    #[error("no prepared statement {0}")]
    UnknownStatement(u64),
    /// A statement reads relations of the control plane's that it did not bring.
    #[error("relations are missing: {0:?}")]
    Needs(Vec<String>),
    /// DDL changed what a prepared statement returns.
    #[error("the result type of a prepared statement changed")]
    ResultTypeChanged,
    /// Several statements where one is prepared.
    #[error("several statements in one prepared statement")]
    SeveralStatements,
    /// A parameter's bytes do not fit its type.
    #[error("parameter {position}")]
    Parameter {
        /// 1-based.
        position: usize,
        /// The reason, already told as `PostgreSQL` does.
        report: Box<Report>,
    },
    /// A result would have to be a number that the engine's decimals do not hold.
    #[error("a number beyond 38 digits")]
    NumberBeyond,
    /// Too few or too many parameters.
    #[error("{given} parameters for {wanted}")]
    ParameterCount {
        /// How many came.
        given: usize,
        /// How many the statement has.
        wanted: usize,
    },
    /// A value that has no form in the announced type, or a format or setting that cannot be.
    #[error("encoding failed")]
    Encoding(#[from] pintail_pgtypes::Error),
    /// The client gave a `COPY` up.
    #[error("COPY from stdin failed: {reason}")]
    CopyFailed {
        /// Its reason.
        reason: String,
        /// How far the data was read.
        context: String,
    },
    /// A call outside the contract.
    #[error("bad request: {0}")]
    BadRequest(String),
    /// The rows set aside for suspended portals outgrew their limit.
    #[error("the spool is full")]
    SpoolFull,
    /// The spool could not be written or read.
    #[error("the spool failed")]
    Spool(#[source] io::Error),
    /// The catalogs could not be attached, or a setting refused.
    #[error("the instance could not be built: {step}")]
    Instance {
        /// What was tried, without secrets.
        step: String,
        /// The engine's answer.
        report: Box<Report>,
    },
    /// One of the organisation's catalogs cannot be attached, for a reason that is known.
    #[error("catalog \"{catalog}\" is not available: {problem:?}")]
    Catalog {
        /// Its name.
        catalog: String,
        /// The reason.
        problem: Unavailable,
    },
    /// A session asked to start in a catalog that is not attached.
    #[error("no catalog {0}")]
    UnknownCatalog(String),
    /// The bootstrap or the installation does not allow a start.
    #[error("cannot start: {0}")]
    Start(String),
    /// The process could not do something it needs.
    #[error("{what}")]
    Io {
        /// What was tried.
        what: String,
        /// The system's answer.
        #[source]
        source: io::Error,
    },
    /// A broken assumption; the client is told nothing more.
    #[error("internal error: {0}")]
    Internal(String),
}

impl Error {
    /// Whether the instance is not to be trusted any more.
    pub fn broken(&self) -> bool {
        matches!(self, Self::Statement { broken: true, .. })
    }

    /// The error as a Flight status with its detail.
    pub(crate) fn to_status(&self) -> Status {
        to_status(&self.to_report(), self.broken())
    }
}

impl ToReport for Error {
    fn to_report(&self) -> Report {
        match self {
            Self::Statement { report, .. } | Self::Parameter { report, .. } => report.as_ref().clone(),
            Self::Stopped(reason) => stopped(*reason),
            Self::SessionOpen => Report::new(SqlState::TOO_MANY_CONNECTIONS, "the worker already has a session"),
            Self::NoSession => Report::new(SqlState::CONNECTION_DOES_NOT_EXIST, "the worker has no open session"),
            Self::UnknownStatement(handle) => Report::new(
                SqlState::INVALID_SQL_STATEMENT_NAME,
                format!("prepared statement {handle} does not exist in the worker"),
            ),
            Self::NumberBeyond => Report::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, "value overflows numeric format")
                .with_detail("Numbers have at most 38 digits here, and are neither NaN nor infinite."),
            Self::ResultTypeChanged => Report::new(
                SqlState::FEATURE_NOT_SUPPORTED,
                "cached plan must not change result type",
            ),
            Self::SeveralStatements => Report::new(
                SqlState::SYNTAX_ERROR,
                "cannot insert multiple commands into a prepared statement",
            ),
            Self::ParameterCount { given: 0, .. } => {
                Report::new(SqlState::UNDEFINED_PARAMETER, "there is no parameter $1")
            }
            Self::ParameterCount { given, wanted } => Report::new(
                SqlState::PROTOCOL_VIOLATION,
                format!("bind message supplies {given} parameters, but prepared statement requires {wanted}"),
            ),
            Self::Encoding(cause) => cause.to_report(),
            Self::CopyFailed { context, .. } => {
                Report::new(SqlState::QUERY_CANCELED, self.to_string()).with_context(context.clone())
            }
            Self::BadRequest(reason) => Report::new(SqlState::PROTOCOL_VIOLATION, reason.clone()),
            Self::SpoolFull => Report::new(
                SqlState::CONFIGURATION_LIMIT_EXCEEDED,
                "the rows of a suspended portal exceed the worker's spool limit",
            )
            .with_hint("Read the portal to its end or close it before the next statement."),
            Self::Spool(cause) => io_report(cause, "the worker could not set rows of a suspended portal aside"),
            Self::Instance { step, report } => {
                let mut told = Report::new(
                    report.sqlstate,
                    format!("the organisation's catalogs are not available: {step}"),
                );
                told.detail = Some(report.message.clone());
                told
            }
            Self::Needs(names) => Report::new(
                SqlState::FEATURE_NOT_SUPPORTED,
                format!(
                    "{} can be read only in sessions of PostgreSQL's protocol",
                    names.join(", ")
                ),
            ),
            Self::Catalog { catalog, problem } => problem.report(catalog),
            Self::UnknownCatalog(catalog) => Report::new(
                SqlState::INVALID_CATALOG_NAME,
                format!("database \"{catalog}\" does not exist"),
            ),
            Self::Start(reason) => Report::new(SqlState::CONFIG_FILE_ERROR, reason.clone()),
            Self::Io { what, source } => io_report(source, what),
            Self::Internal(_) => Report::new(SqlState::INTERNAL_ERROR, "internal error in the worker"),
        }
    }
}

fn stopped(reason: StopReason) -> Report {
    match reason {
        StopReason::Request | StopReason::Dropped => {
            Report::new(SqlState::QUERY_CANCELED, "canceling statement due to user request")
        }
        StopReason::Timeout => Report::new(SqlState::QUERY_CANCELED, "canceling statement due to statement timeout"),
        StopReason::Shutdown => Report::new(
            SqlState::ADMIN_SHUTDOWN,
            "terminating connection due to administrator command",
        ),
    }
}

fn io_report(cause: &io::Error, what: &str) -> Report {
    let state = match cause.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => SqlState::DISK_FULL,
        io::ErrorKind::OutOfMemory => SqlState::OUT_OF_MEMORY,
        _ => SqlState::IO_ERROR,
    };
    Report::new(state, what).with_detail(cause.kind().to_string())
}
