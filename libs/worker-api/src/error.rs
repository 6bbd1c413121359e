//! How an error crosses between worker and control plane: a [`Report`] packed into `tonic::Status::details`.

use pintail_sqlstate::{Report, Severity, SqlState, ToReport};
use prost::Message;
use tonic::{Code, Status};

use crate::messages::ErrorDetail;

/// Why a call to a worker gave no answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CallError {
    /// The worker answered with an error of the statement; the worker itself goes on unless `broken`.
    #[error("the statement failed")]
    Statement {
        /// What the client is told.
        report: Box<Report>,
        /// The instance reported an internal or fatal error; the worker must be retired.
        broken: bool,
    },
    /// The worker was gone before the call left: it did nothing.
    #[error("the worker was lost before the call: {reason}")]
    Unsent {
        /// For the log.
        reason: String,
    },
    /// The worker is gone or does not speak the contract; whether the statement ran is unknown.
    #[error("the connection to the worker was lost: {reason}")]
    Lost {
        /// The transport's own words, for the log.
        reason: String,
    },
}

impl ToReport for CallError {
    fn to_report(&self) -> Report {
        match self {
            Self::Statement { report, .. } => report.as_ref().clone(),
            Self::Lost { .. } => Report::new(
                SqlState::CONNECTION_FAILURE,
                "the worker that ran this session was lost",
            )
            .with_detail("Whether the last statement took effect is not known."),
            Self::Unsent { .. } => Report::new(
                SqlState::CONNECTION_FAILURE,
                "the worker that ran this session was lost",
            )
            .with_detail("The last statement did not run."),
        }
    }
}

/// Packs a report for the control plane.
pub fn to_status(report: &Report, broken: bool) -> Status {
    // A gRPC message travels in a header of bounded size, so only a short copy goes there, for stock Flight clients.
    let short: String = report.message.chars().take(256).collect();
    let detail = bounded(to_detail(report, broken));
    Status::with_details(code_of(report.sqlstate), short, detail.encode_to_vec().into())
}

/// A report as a message.
pub fn to_detail(report: &Report, broken: bool) -> ErrorDetail {
    let text = |field: &Option<String>| field.clone().unwrap_or_default();
    ErrorDetail {
        sqlstate: report.sqlstate.as_str().to_owned(),
        message: report.message.clone(),
        detail: text(&report.detail),
        hint: text(&report.hint),
        position: report.position.unwrap_or(0),
        schema: text(&report.schema),
        table: text(&report.table),
        column: text(&report.column),
        constraint: text(&report.constraint),
        worker_broken: broken,
        context: text(&report.context),
    }
}

/// Unpacks what [`to_status`] packed; a status without a detail is a lost worker.
pub fn from_status(status: &Status) -> CallError {
    let detail = match status.details() {
        [] => None,
        details => ErrorDetail::decode(details).ok(),
    };
    detail.and_then(from_detail).unwrap_or_else(|| CallError::Lost {
        reason: format!("{:?}: {}", status.code(), status.message()),
    })
}

/// Unpacks what [`to_detail`] packed; `None` for a code that is none.
pub fn from_detail(detail: ErrorDetail) -> Option<CallError> {
    SqlState::parse(&detail.sqlstate)?;
    Some(CallError::Statement {
        broken: detail.worker_broken,
        report: Box::new(report_of(detail)),
    })
}

/// The report that [`to_detail`] packed; a code that is none becomes that of an internal error.
pub fn report_of(detail: ErrorDetail) -> Report {
    let field = |text: String| (!text.is_empty()).then_some(text);
    Report {
        severity: Severity::Error,
        sqlstate: SqlState::parse(&detail.sqlstate).unwrap_or(SqlState::INTERNAL_ERROR),
        message: detail.message,
        detail: field(detail.detail),
        hint: field(detail.hint),
        position: (detail.position > 0).then_some(detail.position),
        schema: field(detail.schema),
        table: field(detail.table),
        column: field(detail.column),
        constraint: field(detail.constraint),
        context: field(detail.context),
    }
}

/// Details travel in a header too: texts are cut so that the whole stays below the usual 16 KiB limit after base64.
fn bounded(mut detail: ErrorDetail) -> ErrorDetail {
    let texts = [
        &mut detail.message,
        &mut detail.detail,
        &mut detail.hint,
        &mut detail.context,
    ];
    for text in texts {
        const LIMIT: usize = 2500;
        if text.len() > LIMIT {
            let mut end = LIMIT;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.truncate(end);
            text.push('…');
        }
    }
    detail
}

fn code_of(sqlstate: SqlState) -> Code {
    match sqlstate.class() {
        "57" => Code::Cancelled,
        "53" => Code::ResourceExhausted,
        "0A" => Code::Unimplemented,
        "28" => Code::Unauthenticated,
        "40" => Code::Aborted,
        "XX" => Code::Internal,
        _ => Code::InvalidArgument,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_survives_the_way() {
        let mut report = Report::new(SqlState::UNDEFINED_TABLE, "relation \"é\" does not exist")
            .with_hint("Did you mean \"e\"?")
            .with_position(Some(15));
        report.table = Some("é".into());
        report.context = Some("COPY é, line 1".into());
        let CallError::Statement { report: back, broken } = from_status(&to_status(&report, true)) else {
            panic!("a statement's error");
        };
        assert_eq!(*back, report);
        assert!(broken);
    }

    #[test]
    fn a_long_message_is_cut_at_a_character() {
        let report = Report::new(SqlState::INTERNAL_ERROR, "é".repeat(100_000));
        let CallError::Statement { report, .. } = from_status(&to_status(&report, false)) else {
            panic!("a statement's error");
        };
        assert!(report.message.len() < 4000 && report.message.ends_with("é…"));
    }

    #[test]
    fn a_bare_status_is_a_lost_worker() {
        assert!(matches!(
            from_status(&Status::unavailable("gone")),
            CallError::Lost { .. }
        ));
    }
}
