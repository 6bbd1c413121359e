//! What a client is told when something goes wrong, or nearly.

use std::fmt;

use crate::SqlState;

/// How bad it is (`S` and `V` fields).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The statement failed; the session goes on.
    Error,
    /// The session ends.
    Fatal,
    /// Every session ends.
    Panic,
    /// A notice the user should act on.
    Warning,
    /// A notice worth reading.
    Notice,
    /// A notice for developers.
    Debug,
    /// A notice the user asked for.
    Info,
    /// A notice for the server's log.
    Log,
}

impl Severity {
    /// `PostgreSQL`'s word, never translated here.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "ERROR",
            Self::Fatal => "FATAL",
            Self::Panic => "PANIC",
            Self::Warning => "WARNING",
            Self::Notice => "NOTICE",
            Self::Debug => "DEBUG",
            Self::Info => "INFO",
            Self::Log => "LOG",
        }
    }
}

/// The fields of an `ErrorResponse` or a `NoticeResponse`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// `S`, `V`.
    pub severity: Severity,
    /// `C`.
    pub sqlstate: SqlState,
    /// `M`.
    pub message: String,
    /// `D`.
    pub detail: Option<String>,
    /// `H`.
    pub hint: Option<String>,
    /// `P`: 1-based, in characters of the client's text.
    pub position: Option<u32>,
    /// `s`.
    pub schema: Option<String>,
    /// `t`.
    pub table: Option<String>,
    /// `c`.
    pub column: Option<String>,
    /// `n`.
    pub constraint: Option<String>,
    /// `W`: where in what was being done, as `COPY t, line 3`.
    pub context: Option<String>,
}

impl Report {
    /// An `ERROR` without further fields.
    pub fn new(sqlstate: SqlState, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            sqlstate,
            message: message.into(),
            detail: None,
            hint: None,
            position: None,
            schema: None,
            table: None,
            column: None,
            constraint: None,
            context: None,
        }
    }

    /// The same report with another severity.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// The same report with a detail.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// The same report with a hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same report with a context.
    #[must_use]
    pub fn with_context(mut self, context: impl Into<String>) -> Self {
        self.context = Some(context.into());
        self
    }

    /// The same report with a position.
    #[must_use]
    pub fn with_position(mut self, position: Option<u32>) -> Self {
        self.position = position;
        self
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.severity.as_str(), self.message, self.sqlstate)
    }
}

/// An error that knows what the client is told of it.
pub trait ToReport {
    /// The client's view: complete, and free of secrets and internals.
    fn to_report(&self) -> Report;
}

/// An error with its causes, for logs and for operators.
pub fn chain(error: &dyn std::error::Error) -> String {
    std::iter::successors(error.source(), |cause| cause.source())
        .fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}
