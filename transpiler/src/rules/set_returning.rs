//! Functions that return sets: in select lists as UNNEST, in FROM with PostgreSQL's column names.

use std::ops::ControlFlow;

use sqlparser::ast::{
    self, DataType, Expr, FunctionArg, FunctionArgExpr, TableAlias, TableAliasColumnDef, TableFactor, TimezoneInfo,
    VisitMut, VisitorMut,
};

use super::{build, last_name};

/// Functions of FROM whose one column takes the table alias's name.
const ALIASED: &[&str] = &[
    "generate_series",
    "unnest",
    "regexp_split_to_table",
    "string_to_table",
    "generate_subscripts",
    "json_object_keys",
    "jsonb_object_keys",
    "regexp_matches",
];

/// Names the columns of FROM's functions and gives their arguments PostgreSQL's types.
pub(super) fn apply(statement: &mut ast::Statement) {
    let _ = statement.visit(&mut From);
}

/// `generate_series` of a select list makes rows, not a list.
pub(super) fn unnest(expr: &mut Expr) {
    match expr {
        Expr::Function(function) if last_name(&function.name).as_deref() == Some("generate_series") => {
            if let Some(args) = build::plain_arguments(function) {
                let call = series(args);
                *expr = build::call("unnest", vec![call]);
            }
        }
        Expr::BinaryOp { left, right, .. } => {
            unnest(left);
            unnest(right);
        }
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => unnest(inner),
        _ => {}
    }
}

fn series(args: Vec<Expr>) -> Expr {
    build::call("generate_series", typed(args))
}

/// A series of dates is one of `timestamptz`.
fn typed(args: Vec<Expr>) -> Vec<Expr> {
    args.into_iter()
        .map(|arg| {
            if is_date(&arg) {
                build::cast(arg, DataType::Timestamp(None, TimezoneInfo::WithTimeZone))
            } else {
                arg
            }
        })
        .collect()
}

fn is_date(expr: &Expr) -> bool {
    match expr {
        Expr::TypedString(typed) => typed.data_type == DataType::Date,
        Expr::Cast { data_type, .. } => *data_type == DataType::Date,
        Expr::Nested(inner) => is_date(inner),
        Expr::Function(function) => last_name(&function.name).as_deref() == Some("current_date"),
        _ => false,
    }
}

struct From;

impl VisitorMut for From {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        let (name, args, alias) = match factor {
            TableFactor::Table {
                name,
                args: Some(args),
                alias,
                ..
            } => (name, &mut args.args, alias),
            TableFactor::Function { name, args, alias, .. } => (name, args, alias),
            _ => return ControlFlow::Continue(()),
        };
        let Some(function) = last_name(name) else {
            return ControlFlow::Continue(());
        };
        if let Some(alias) = alias
            && alias.columns.is_empty()
            && ALIASED.contains(&function.as_str())
        {
            alias.columns.push(TableAliasColumnDef {
                name: alias.name.clone(),
                data_type: None,
            });
        }
        match function.as_str() {
            "generate_series" => dates(args),
            "json_each" | "jsonb_each" | "json_each_text" | "jsonb_each_text" => {
                *name = build::plain(&["__pintail", "pg", &format!("_{function}")]);
                named(alias, &function);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

fn dates(args: &mut [FunctionArg]) {
    for arg in args {
        if let FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) = arg
            && is_date(expr)
        {
            *expr = build::cast(expr.clone(), DataType::Timestamp(None, TimezoneInfo::WithTimeZone));
        }
    }
}

/// A renamed function keeps its name as the table's.
fn named(alias: &mut Option<TableAlias>, name: &str) {
    if alias.is_none() {
        *alias = Some(TableAlias {
            explicit: true,
            name: build::ident(name),
            columns: Vec::new(),
            at: None,
        });
    }
}
