//! `WITH x AS (INSERT … RETURNING …)`: the engine has no queries that change rows.

use std::ops::ControlFlow;

use sqlparser::ast::{self, SetExpr, Visit, Visitor};

use crate::Error;

/// Refuses a WITH query that changes rows.
pub(super) fn check(statement: &ast::Statement) -> Result<(), Error> {
    match statement.visit(&mut With) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

struct With;

impl Visitor for With {
    type Break = Error;

    fn pre_visit_query(&mut self, query: &ast::Query) -> ControlFlow<Error> {
        let changes = |table: &ast::Cte| {
            matches!(
                table.query.body.as_ref(),
                SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_)
            )
        };
        match &query.with {
            Some(with) if with.cte_tables.iter().any(changes) => ControlFlow::Break(Error::unsupported(
                "data-modifying statements in WITH are not supported",
            )),
            _ => ControlFlow::Continue(()),
        }
    }
}
