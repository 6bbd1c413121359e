//! Which names mean WITH queries at a place, as the engine sees it.
//!
//! The engine takes a name for a WITH query after that query's definition; inside it only of `WITH RECURSIVE` over a UNION,
//! and there only in the recursive term. Everywhere else the name is a table's.

use std::ops::ControlFlow;

use pintail_sqlstate::SqlState;
use sqlparser::ast::{Cte, ObjectName, Query, SetExpr, SetOperator, Visit, Visitor};

use super::folded;
use crate::Error;

/// The queries around a place, outermost first.
#[derive(Debug, Default)]
pub(super) struct Scopes(Vec<Scope>);

#[derive(Debug)]
struct Scope {
    queries: Vec<Named>,
    /// Queries directly below that were entered: the WITH queries come first, in order.
    entered: usize,
    /// How many of the names mean queries at the present place.
    visible: usize,
}

#[derive(Debug)]
struct Named {
    name: String,
    /// Whether it may mean itself.
    recursive: bool,
}

impl Scopes {
    /// Whether the folded name means a WITH query here.
    pub(super) fn names_a_query(&self, name: &str) -> bool {
        self.0
            .iter()
            .any(|scope| scope.queries[..scope.visible].iter().any(|query| query.name == name))
    }

    /// Enters a query, before any of its parts is visited.
    pub(super) fn enter(&mut self, query: &Query) -> Result<(), Error> {
        if let Some(outer) = self.0.last_mut() {
            let index = outer.entered;
            outer.visible = match outer.queries.get(index) {
                Some(query) => index + usize::from(query.recursive),
                None => outer.queries.len(),
            };
            outer.entered += 1;
        }
        let mut queries = Vec::new();
        if let Some(with) = &query.with {
            for cte in &with.cte_tables {
                let name = folded(&cte.alias.name);
                let recursive = with.recursive && recurs(cte, &name)?;
                queries.push(Named { name, recursive });
            }
        }
        self.0.push(Scope {
            queries,
            entered: 0,
            visible: 0,
        });
        Ok(())
    }

    /// Leaves the innermost query.
    pub(super) fn leave(&mut self) {
        self.0.pop();
        if let Some(outer) = self.0.last_mut() {
            outer.visible = outer.entered.min(outer.queries.len());
        }
    }
}

/// Whether a query of WITH RECURSIVE may mean itself; an error where its first term does.
fn recurs(cte: &Cte, name: &str) -> Result<bool, Error> {
    let SetExpr::SetOperation {
        op: SetOperator::Union,
        left,
        ..
    } = cte.query.body.as_ref()
    else {
        return Ok(false);
    };
    if left.visit(&mut Mentions { name }).is_break() {
        return Err(Error::invalid(
            SqlState::INVALID_RECURSION,
            format!("recursive reference to query \"{name}\" must not appear within its non-recursive term"),
        ));
    }
    Ok(true)
}

struct Mentions<'a> {
    name: &'a str,
}

impl Visitor for Mentions<'_> {
    type Break = ();

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<()> {
        let same = match relation.0.as_slice() {
            [one] => one.as_ident().is_some_and(|ident| folded(ident) == self.name),
            _ => false,
        };
        if same {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}
