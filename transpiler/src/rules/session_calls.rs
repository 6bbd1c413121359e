//! Functions of the session in FROM: a call that gives one value, as a query of one row.
//!
//! In expressions the engine calls them itself. A call of FROM takes no columns: it would be made once for equal arguments,
//! not once a row.

use std::ops::ControlFlow;

use sqlparser::ast::{self, Expr, FunctionArg, TableAlias, TableFactor, Visit, VisitMut, Visitor, VisitorMut};

use super::{build, last_name, select};
use crate::Error;

/// The functions, sorted.
const FUNCTIONS: &[&str] = &[
    "pg_advisory_lock",
    "pg_advisory_lock_shared",
    "pg_advisory_unlock",
    "pg_advisory_unlock_all",
    "pg_advisory_unlock_shared",
    "pg_advisory_xact_lock",
    "pg_advisory_xact_lock_shared",
    "pg_cancel_backend",
    "pg_notify",
    "pg_sleep",
    "pg_sleep_for",
    "pg_sleep_until",
    "pg_terminate_backend",
    "pg_try_advisory_lock",
    "pg_try_advisory_lock_shared",
    "pg_try_advisory_xact_lock",
    "pg_try_advisory_xact_lock_shared",
];

/// The types of a call's arguments, by position; empty where the function is none of these.
pub(super) fn arguments(function: &str, count: usize) -> &'static [u32] {
    const INT4: u32 = 23;
    const INT8: u32 = 20;
    const TEXT: u32 = 25;
    const FLOAT8: u32 = 701;
    const INTERVAL: u32 = 1186;
    const TIMESTAMPTZ: u32 = 1184;
    if FUNCTIONS.binary_search(&function).is_err() {
        return &[];
    }
    match function {
        "pg_notify" => &[TEXT, TEXT],
        "pg_sleep" => &[FLOAT8],
        "pg_sleep_for" => &[INTERVAL],
        "pg_sleep_until" => &[TIMESTAMPTZ],
        "pg_cancel_backend" | "pg_terminate_backend" => &[INT4, INT8],
        _ if count == 1 => &[INT8],
        _ => &[INT4, INT4],
    }
}

/// Makes queries of the calls in FROM.
pub(super) fn apply(statement: &mut ast::Statement) -> Result<(), Error> {
    match statement.visit(&mut Calls) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

struct Calls;

impl VisitorMut for Calls {
    type Break = Error;

    fn post_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Error> {
        let (name, args, alias) = match factor {
            TableFactor::Table {
                name,
                args: Some(args),
                alias,
                ..
            } => (&*name, &args.args, &*alias),
            TableFactor::Function { name, args, alias, .. } => (&*name, &*args, &*alias),
            _ => return ControlFlow::Continue(()),
        };
        let Some(function) = last_name(name).filter(|name| FUNCTIONS.binary_search(&name.as_str()).is_ok()) else {
            return ControlFlow::Continue(());
        };
        match query(&function, args, alias.clone()) {
            Ok(query) => {
                *factor = query;
                ControlFlow::Continue(())
            }
            Err(error) => ControlFlow::Break(error),
        }
    }
}

fn query(function: &str, args: &[FunctionArg], alias: Option<TableAlias>) -> Result<TableFactor, Error> {
    if args.iter().any(|arg| arg.visit(&mut Columns).is_break()) {
        return Err(Error::unsupported(format!(
            "function {function} of columns is not supported in FROM, only in the select list"
        )));
    }
    // The one column is called like the table.
    let alias = alias.unwrap_or_else(|| TableAlias {
        explicit: true,
        name: build::ident(function),
        columns: Vec::new(),
        at: None,
    });
    let list: Vec<String> = args.iter().map(ToString::to_string).collect();
    let sql = format!("SELECT {function}({}) AS {}", list.join(", "), alias.name);
    let Some(subquery) = select::query(&sql) else {
        return Err(Error::unsupported(format!(
            "function {function} is not supported in FROM so"
        )));
    };
    Ok(TableFactor::Derived {
        lateral: false,
        subquery,
        alias: Some(alias),
        sample: None,
    })
}

struct Columns;

impl Visitor for Columns {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn functions_are_sorted() {
        assert!(super::FUNCTIONS.is_sorted());
    }
}
