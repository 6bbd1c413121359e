//! Aggregates whose result type differs: `sum` of integers, `avg` of exact numbers, and names DuckDB lacks.

use std::ops::ControlFlow;

use sqlparser::ast::{
    self, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, ObjectName, ObjectNamePart, VisitMut,
    VisitorMut,
};

use super::{build, last_name};
use crate::Error;

/// Rewrites every call of such an aggregate, as a window function too.
pub(super) fn apply(statement: &mut ast::Statement) -> Result<(), Error> {
    let _ = statement.visit(&mut Aggregates);
    Ok(())
}

struct Aggregates;

impl VisitorMut for Aggregates {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        let Expr::Function(function) = expr else { return ControlFlow::Continue(()) };
        if function.name.0.len() != 1 {
            return ControlFlow::Continue(());
        }
        let Some(name) = last_name(&function.name) else { return ControlFlow::Continue(()) };
        match name.as_str() {
            "sum" if single(function).is_some() => {
                let inner = with_argument(function, "sum", Some("_sum_arg"));
                *expr = build::own("_sum", vec![inner]);
            }
            "avg" if single(function).is_some() => {
                let sum = with_argument(function, "sum", None);
                let count = with_argument(function, "count", None);
                *expr = build::own("_avg", vec![sum, count]);
            }
            "every" => rename(function, "bool_and"),
            "json_agg" | "jsonb_agg" => {
                let inner = with_name(function, "list");
                *expr = build::own(if name == "json_agg" { "_json_list" } else { "_jsonb_list" }, vec![inner]);
            }
            "stddev" | "variance" if single(function).is_some() => {}
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// The one plain argument.
fn single(function: &Function) -> Option<&Expr> {
    match &function.args {
        FunctionArguments::List(list) => match list.args.as_slice() {
            [FunctionArg::Unnamed(FunctionArgExpr::Expr(expr))] => Some(expr),
            _ => None,
        },
        _ => None,
    }
}

fn rename(function: &mut Function, name: &str) {
    function.name = ObjectName(vec![ObjectNamePart::Identifier(ast::Ident::new(name))]);
}

fn with_name(function: &Function, name: &str) -> Expr {
    let mut function = function.clone();
    rename(&mut function, name);
    Expr::Function(function)
}

/// The same call under another name, its argument passed through a macro.
fn with_argument(function: &Function, name: &str, through: Option<&str>) -> Expr {
    let mut function = function.clone();
    rename(&mut function, name);
    if let Some(through) = through
        && let FunctionArguments::List(list) = &mut function.args
        && let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))) = list.args.first_mut()
    {
        *argument = build::own(through, vec![argument.clone()]);
    }
    Expr::Function(function)
}
