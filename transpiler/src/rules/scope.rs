//! Where the engine knows an expression's type while it expands macros.
//!
//! DuckDB chooses among a macro's typed overloads before it binds aggregates, window functions, columns of an enclosing
//! query and parameters without a type; there it errs or guesses. Rules use typed overloads only where this file says so.

use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Function, InTarget, TableFactor, Visit, Visitor};

use super::{build, last_name};

/// The engine's aggregates and window functions.
const AGGREGATES: &[&str] = &[
    "any_value",
    "approx_count_distinct",
    "approx_quantile",
    "arbitrary",
    "arg_max",
    "arg_min",
    "argmax",
    "argmin",
    "array_agg",
    "avg",
    "bit_and",
    "bit_or",
    "bit_xor",
    "bool_and",
    "bool_or",
    "corr",
    "count",
    "count_if",
    "countif",
    "covar_pop",
    "covar_samp",
    "cume_dist",
    "dense_rank",
    "entropy",
    "every",
    "favg",
    "first",
    "first_value",
    "fsum",
    "group_concat",
    "grouping",
    "histogram",
    "json_agg",
    "jsonb_agg",
    "json_object_agg",
    "jsonb_object_agg",
    "kurtosis",
    "lag",
    "last",
    "last_value",
    "lead",
    "list",
    "listagg",
    "mad",
    "max",
    "max_by",
    "mean",
    "median",
    "min",
    "min_by",
    "mode",
    "nth_value",
    "ntile",
    "percent_rank",
    "percentile_cont",
    "percentile_disc",
    "product",
    "quantile",
    "quantile_cont",
    "quantile_disc",
    "rank",
    "regr_avgx",
    "regr_avgy",
    "regr_count",
    "regr_intercept",
    "regr_r2",
    "regr_slope",
    "regr_sxx",
    "regr_sxy",
    "regr_syy",
    "row_number",
    "skewness",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "string_agg",
    "sum",
    "sum_no_overflow",
    "var_pop",
    "var_samp",
    "variance",
];

/// How many queries inside expressions, or lateral ones, surround a place.
#[derive(Debug, Default)]
pub(super) struct Depth(usize);

impl Depth {
    pub(super) fn enter(&mut self, expr: &Expr) {
        self.0 += usize::from(holds_query(expr));
    }

    pub(super) fn leave(&mut self, expr: &Expr) {
        self.0 -= usize::from(holds_query(expr));
    }

    pub(super) fn enter_factor(&mut self, factor: &TableFactor) {
        self.0 += usize::from(lateral(factor));
    }

    pub(super) fn leave_factor(&mut self, factor: &TableFactor) {
        self.0 -= usize::from(lateral(factor));
    }

    /// No enclosing query can lend its columns here.
    pub(super) fn is_top(&self) -> bool {
        self.0 == 0
    }
}

fn holds_query(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Subquery(_)
            | Expr::Exists { .. }
            | Expr::In {
                target: InTarget::Subquery(_),
                ..
            }
    )
}

fn lateral(factor: &TableFactor) -> bool {
    matches!(factor, TableFactor::Derived { lateral: true, .. })
}

/// Whether the engine can tell the expression's type by its own columns and literals.
pub(super) fn typed_alone(expr: &Expr) -> bool {
    expr.visit(&mut Alone).is_continue()
}

struct Alone;

impl Visitor for Alone {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        let unknown = holds_query(expr)
            || build::parameter(expr).is_some()
            || matches!(expr, Expr::Function(function) if is_aggregate(function));
        if unknown {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Whether a call is an aggregate's or a window function's.
pub(super) fn is_aggregate(function: &Function) -> bool {
    function.over.is_some()
        || function.filter.is_some()
        || !function.within_group.is_empty()
        || last_name(&function.name).is_some_and(|name| AGGREGATES.contains(&name.as_str()))
}
