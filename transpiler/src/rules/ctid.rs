//! `ctid BETWEEN '(a,0)'::tid AND '(b,0)'::tid`: how a large table is read in parts, by DuckDB's own `postgres` extension for one.
//!
//! Every table reports no pages, so the range that is asked for is that of all. Clients that guess pages ask for others; for
//! those there is no `ctid`.

use std::ops::ControlFlow;

use sqlparser::ast::{self, Expr, Value, VisitMut, VisitorMut};

use super::{build, last_name};

/// The number of the last page that there can be.
const LAST_PAGE: u64 = u32::MAX as u64;

/// Takes the range of all pages for true.
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
            && page(low) == Some(0)
            && page(high).is_some_and(|page| page >= LAST_PAGE)
        {
            *expr = Expr::value(Value::Boolean(true));
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
