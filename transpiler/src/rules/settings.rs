//! Settings read by queries: `current_setting('name')` and `pg_settings`.

use std::ops::ControlFlow;

use pintail_sqlstate::SqlState;
use sqlparser::ast::{self, Expr, Function, ObjectNamePart, TableAlias, TableFactor, VisitMut, VisitorMut};

use super::{build, select};
use crate::Error;
use crate::plan::Context;
use crate::session;

/// Settings that `pg_settings` shows, with their categories' types and contexts.
const SHOWN: &[(&str, &str, &str)] = &[
    ("application_name", "string", "user"),
    ("bytea_output", "enum", "user"),
    ("client_encoding", "string", "user"),
    ("client_min_messages", "enum", "user"),
    ("DateStyle", "string", "user"),
    ("default_transaction_isolation", "enum", "user"),
    ("default_transaction_read_only", "bool", "user"),
    ("extra_float_digits", "integer", "user"),
    ("idle_in_transaction_session_timeout", "integer", "user"),
    ("integer_datetimes", "bool", "internal"),
    ("IntervalStyle", "enum", "user"),
    ("lock_timeout", "integer", "user"),
    ("max_connections", "integer", "postmaster"),
    ("max_identifier_length", "integer", "internal"),
    ("max_index_keys", "integer", "internal"),
    ("search_path", "string", "user"),
    ("server_encoding", "string", "internal"),
    ("server_version", "string", "internal"),
    ("server_version_num", "integer", "internal"),
    ("standard_conforming_strings", "bool", "user"),
    ("statement_timeout", "integer", "user"),
    ("TimeZone", "string", "user"),
    ("transaction_isolation", "enum", "user"),
    ("transaction_read_only", "bool", "user"),
];

/// The value of a setting named by a literal; a name computed at run time is left to the engine.
pub(super) fn current_setting(function: &Function, context: &Context<'_>) -> Result<Option<Expr>, Error> {
    let Some(args) = build::plain_arguments(function) else {
        return Ok(None);
    };
    let Some(name) = args.first().and_then(build::literal) else {
        // The engine would answer of its own settings.
        return if context.access.is_restricted() {
            Err(Error::forbidden("a setting whose name is computed"))
        } else {
            Ok(None)
        };
    };
    let missing_ok = args
        .get(1)
        .is_some_and(|arg| arg.to_string().eq_ignore_ascii_case("true"));
    match (context.setting)(&name) {
        Some(value) => Ok(Some(build::cast(build::text(&value), build::varchar()))),
        None if missing_ok => Ok(Some(build::cast(Expr::value(ast::Value::Null), build::varchar()))),
        None => Err(Error::invalid(
            SqlState::UNDEFINED_OBJECT,
            format!("unrecognized configuration parameter \"{name}\""),
        )),
    }
}

/// Puts the session's settings where a query reads `pg_settings`.
pub(super) fn apply(statement: &mut ast::Statement, context: &Context<'_>) {
    let _ = statement.visit(&mut Settings { context });
}

struct Settings<'a> {
    context: &'a Context<'a>,
}

impl VisitorMut for Settings<'_> {
    type Break = ();

    fn post_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        let TableFactor::Table {
            name,
            alias,
            args: None,
            ..
        } = factor
        else {
            return ControlFlow::Continue(());
        };
        let parts: Vec<&str> = name
            .0
            .iter()
            .filter_map(ObjectNamePart::as_ident)
            .map(|i| i.value.as_str())
            .collect();
        if parts != ["__pintail", "pg", "pg_settings"] {
            return ControlFlow::Continue(());
        }
        let alias = alias.clone().unwrap_or_else(|| TableAlias {
            explicit: true,
            name: build::ident("pg_settings"),
            columns: Vec::new(),
            at: None,
        });
        if let Some(subquery) = select::query(&query(self.context)) {
            *factor = TableFactor::Derived {
                lateral: false,
                subquery,
                alias: Some(alias),
                sample: None,
            };
        }
        ControlFlow::Continue(())
    }
}

fn query(context: &Context<'_>) -> String {
    let rows: Vec<String> = SHOWN
        .iter()
        .filter_map(|(name, vartype, scope)| {
            let value = (context.setting)(name)?;
            Some(format!(
                "({}, {}, '{vartype}', '{scope}')",
                session::literal(name),
                session::literal(&value)
            ))
        })
        .collect();
    let rows = if rows.is_empty() {
        "(NULL::VARCHAR, NULL::VARCHAR, NULL::VARCHAR, NULL::VARCHAR)".to_owned()
    } else {
        rows.join(", ")
    };
    format!(
        "SELECT v.name, v.setting, NULL::VARCHAR AS unit, 'Client Connection Defaults' AS category, '' AS short_desc, \
         NULL::VARCHAR AS extra_desc, v.context, v.vartype, 'default' AS source, NULL::VARCHAR AS min_val, \
         NULL::VARCHAR AS max_val, NULL::VARCHAR[] AS enumvals, v.setting AS boot_val, v.setting AS reset_val, \
         NULL::VARCHAR AS sourcefile, NULL::INTEGER AS sourceline, false AS pending_restart \
         FROM (VALUES {rows}) AS v(name, setting, vartype, context) WHERE v.name IS NOT NULL"
    )
}
