//! Aggregates under PostgreSQL's names, and the argument of `sum` prepared for its result type.

use std::ops::ControlFlow;

use sqlparser::ast::{
    self, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, ObjectName, ObjectNamePart, VisitMut,
    VisitorMut,
};

use super::scope::{self, Depth};
use super::{build, last_name};

/// Rewrites every call of such an aggregate, as a window function too.
pub(super) fn apply(statement: &mut ast::Statement) {
    let _ = statement.visit(&mut Aggregates {
        depth: Depth::default(),
    });
}

struct Aggregates {
    depth: Depth,
}

impl VisitorMut for Aggregates {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        self.depth.enter(expr);
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        self.depth.leave(expr);
        let Expr::Function(function) = expr else {
            return ControlFlow::Continue(());
        };
        if function.name.0.len() != 1 {
            return ControlFlow::Continue(());
        }
        let Some(name) = last_name(&function.name) else {
            return ControlFlow::Continue(());
        };
        match name.as_str() {
            "sum" if self.depth.is_top() => widen(function),
            "every" => rename(function, "bool_and"),
            "json_agg" | "jsonb_agg" => {
                let inner = with_name(function, "list");
                *expr = build::own(
                    if name == "json_agg" {
                        "_json_list"
                    } else {
                        "_jsonb_list"
                    },
                    vec![inner],
                );
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// `sum` of a bigint is exact and wide: its argument becomes a decimal.
fn widen(function: &mut Function) {
    let Some(argument) = single(function) else { return };
    if !scope::typed_alone(argument) {
        return;
    }
    if let FunctionArguments::List(list) = &mut function.args
        && let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))) = list.args.first_mut()
    {
        *argument = build::own("_sum_arg", vec![argument.clone()]);
    }
}

/// The one plain argument.
pub(super) fn single(function: &Function) -> Option<&Expr> {
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

/// The same call under another name.
pub(super) fn with_name(function: &Function, name: &str) -> Expr {
    let mut function = function.clone();
    rename(&mut function, name);
    Expr::Function(function)
}
