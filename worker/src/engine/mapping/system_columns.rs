//! `PostgreSQL`'s system columns and the type of `ctid`: no row of a lake has them, so what asks for them is refused by name.

use pintail_sqlstate::{Report, SqlState};

/// The manual's section 5.5, "System Columns".
const COLUMNS: [&str; 6] = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"];

/// What is told in place of `report` where that says that one of them does not exist; else `report` itself.
pub(super) fn refused(report: Report) -> Report {
    let name = |kind: &str| Some(report.message.strip_prefix(kind)?.split_once('"')?.0);
    let message = if let Some(column) = name("column \"").filter(|name| COLUMNS.contains(name)) {
        format!("system column \"{column}\" is not supported")
    } else if name("type \"") == Some("tid") {
        "type \"tid\" is not supported".to_owned()
    } else {
        return report;
    };
    let refused = Report::new(SqlState::FEATURE_NOT_SUPPORTED, message).with_hint("Name rows by a key of the table's.");
    Report {
        position: report.position,
        ..refused
    }
}
