//! `FOR UPDATE` and its kin: a lake has no row locks, and who loses a race learns so when committing (40001).
//!
//! The clause is checked as PostgreSQL checks it (`CheckSelectLocking`) and then left out.

use std::ops::ControlFlow;

use pintail_sqlstate::SqlState;
use sqlparser::ast::{self, Distinct, Expr, GroupByExpr, LockClause, Query, Select, SetExpr};
use sqlparser::ast::{ObjectName, TableFactor, Visit, VisitMut, Visitor, VisitorMut};

use super::scope::is_aggregate;
use super::{folded, last_name, returning};
use crate::Error;

/// Takes the locking clauses out of every query; an error where PostgreSQL refuses one.
pub(super) fn apply(statement: &mut ast::Statement) -> Result<(), Error> {
    match statement.visit(&mut Locks) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

struct Locks;

impl VisitorMut for Locks {
    type Break = Error;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Error> {
        for lock in std::mem::take(&mut query.locks) {
            let result = check(&query.body, &lock);
            super::gate::flow(result)?;
        }
        ControlFlow::Continue(())
    }
}

fn check(body: &SetExpr, lock: &LockClause) -> Result<(), Error> {
    let refused = |what: &str| Error::unsupported(format!("FOR {} is not allowed with {what}", lock.lock_type));
    let select = match body {
        SetExpr::Select(select) => select,
        SetExpr::Query(query) => return check(&query.body, lock),
        SetExpr::SetOperation { .. } => return Err(refused("UNION/INTERSECT/EXCEPT")),
        SetExpr::Values(_) => {
            return Err(Error::unsupported(format!(
                "FOR {} cannot be applied to VALUES",
                lock.lock_type
            )));
        }
        _ => return Ok(()),
    };
    if matches!(select.distinct, Some(Distinct::Distinct | Distinct::On(_))) {
        return Err(refused("DISTINCT clause"));
    }
    if !matches!(&select.group_by, GroupByExpr::Expressions(by, with) if by.is_empty() && with.is_empty()) {
        return Err(refused("GROUP BY clause"));
    }
    if select.having.is_some() {
        return Err(refused("HAVING clause"));
    }
    if let ControlFlow::Break(what) = select.projection.visit(&mut Calls { depth: 0 }) {
        return Err(refused(what));
    }
    match &lock.of {
        Some(name) => known(select, name, lock),
        None => Ok(()),
    }
}

/// An error where `OF` names no relation of FROM.
fn known(select: &Select, name: &ObjectName, lock: &LockClause) -> Result<(), Error> {
    let wanted = last_name(name).unwrap_or_default();
    let factors = select
        .from
        .iter()
        .flat_map(|from| std::iter::once(&from.relation).chain(from.joins.iter().map(|join| &join.relation)));
    let mut nested = false;
    for factor in factors {
        let (own, alias) = match factor {
            TableFactor::Table { name, alias, .. } => (last_name(name), alias),
            TableFactor::Derived { alias, .. }
            | TableFactor::Function { alias, .. }
            | TableFactor::UNNEST { alias, .. } => (None, alias),
            _ => {
                nested = true;
                continue;
            }
        };
        if alias.as_ref().map(|alias| folded(&alias.name)).or(own).as_ref() == Some(&wanted) {
            return Ok(());
        }
    }
    if nested {
        return Ok(());
    }
    Err(Error::invalid(
        SqlState::UNDEFINED_TABLE,
        format!(
            "relation \"{wanted}\" in FOR {} clause not found in FROM clause",
            lock.lock_type
        ),
    ))
}

/// Finds what a locked query's own select list cannot have.
struct Calls {
    /// Queries around the place.
    depth: usize,
}

impl Visitor for Calls {
    type Break = &'static str;

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<&'static str> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<&'static str> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<&'static str> {
        match expr {
            Expr::Function(function) if self.depth == 0 => {
                let name = last_name(&function.name).unwrap_or_default();
                if function.over.is_some() {
                    ControlFlow::Break("window functions")
                } else if is_aggregate(function) {
                    ControlFlow::Break("aggregate functions")
                } else if returning::is_set(&name) {
                    ControlFlow::Break("set-returning functions in the target list")
                } else {
                    ControlFlow::Continue(())
                }
            }
            _ => ControlFlow::Continue(()),
        }
    }
}
