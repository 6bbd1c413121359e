//! Parameters whose type the client declared: the engine is told.

use std::ops::ControlFlow;

use sqlparser::ast::{self, Expr, VisitMut, VisitorMut};

use super::{build, types};
use crate::plan::Context;

/// Wraps each such parameter in a cast.
pub(super) fn apply(statement: &mut ast::Statement, context: &Context<'_>) {
    if context.param_oids.iter().all(|&oid| oid == 0 || oid == UNKNOWN) {
        return;
    }
    let mut casts = Casts {
        oids: context.param_oids,
        cast: 0,
    };
    let _ = statement.visit(&mut casts);
}

/// The OID of `unknown`.
const UNKNOWN: u32 = 705;

struct Casts<'a> {
    oids: &'a [u32],
    /// Depth of casts directly around a parameter, which already say its type.
    cast: usize,
}

impl VisitorMut for Casts<'_> {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::Cast { expr: inner, .. } = expr
            && build::parameter(inner).is_some()
        {
            self.cast += 1;
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if !matches!(expr, Expr::Value(_)) {
            return ControlFlow::Continue(());
        }
        if let Some(n) = build::parameter(expr) {
            if self.cast > 0 {
                self.cast -= 1;
                return ControlFlow::Continue(());
            }
            let oid = n.checked_sub(1).and_then(|index| self.oids.get(index));
            if let Some(data_type) = oid.and_then(|&oid| types::engine_type(oid)) {
                *expr = build::cast(expr.clone(), data_type);
            }
        }
        ControlFlow::Continue(())
    }
}
