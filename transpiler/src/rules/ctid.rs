//! `ctid BETWEEN '(a,0)'::tid AND '(b,0)'::tid`: how a large table is read in parts, by DuckDB's own `postgres` extension for one.
//!
//! A lake's rows have no such number, and every table reports no pages; yet that extension guesses pages of a table that it has
//! filled itself. So all rows count as being on page 0: the one range that holds it holds them all, every other one none.

use std::ops::ControlFlow;

use sqlparser::ast::{self, Expr, Value, VisitMut, VisitorMut};

use super::{build, last_name};

/// Takes a range of whole pages for true where it holds page 0, for false where it does not.
pub(super) fn apply(statement: &mut ast::Statement) {
    let _ = statement.visit(&mut Ranges);
}

struct Ranges;

impl VisitorMut for Ranges {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::Between {
            expr: subject,
            negated: false,
            low,
            high,
        } = expr
            && is_ctid(subject)
            && let (Some(low), Some(high)) = (page(low), page(high))
        {
            // Places on a page count from 1, so the range up to `(0,0)` holds nothing.
            *expr = Expr::value(Value::Boolean(low == 0 && high > 0));
        }
        ControlFlow::Continue(())
    }
}

fn is_ctid(expr: &Expr) -> bool {
    let name = match expr {
        Expr::Identifier(name) => Some(name),
        Expr::CompoundIdentifier(names) => names.last(),
        _ => None,
    };
    name.is_some_and(|name| super::folded(name) == "ctid")
}

/// The page of `'(page,0)'::tid`.
fn page(expr: &Expr) -> Option<u64> {
    let Expr::Cast {
        expr,
        data_type: ast::DataType::Custom(name, _),
        ..
    } = expr
    else {
        return None;
    };
    if last_name(name)? != "tid" {
        return None;
    }
    let text = build::literal(expr)?;
    let (page, offset) = text.strip_prefix('(')?.strip_suffix(')')?.split_once(',')?;
    (offset.trim() == "0").then(|| page.trim().parse().ok()).flatten()
}
