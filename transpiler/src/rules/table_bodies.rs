//! `TABLE t` where a query may stand: `SELECT * FROM t`, so that one kind of place names relations.

use std::ops::ControlFlow;

use sqlparser::ast::{self, Ident, ObjectName, Query, SetExpr, Table, TableFactor, VisitMut, VisitorMut};

use super::select;

/// Puts a SELECT in place of every TABLE.
pub(super) fn apply(statement: &mut ast::Statement) {
    let _ = statement.visit(&mut Bodies);
}

struct Bodies;

impl VisitorMut for Bodies {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        body(&mut query.body);
        ControlFlow::Continue(())
    }
}

fn body(set: &mut SetExpr) {
    match set {
        SetExpr::SetOperation { left, right, .. } => {
            body(left);
            body(right);
        }
        SetExpr::Table(table) => {
            if let Some(factor) = factor(table) {
                *set = select::all_from(factor);
            }
        }
        _ => {}
    }
}

fn factor(table: &Table) -> Option<TableFactor> {
    let parts: Vec<Ident> = [&table.schema_name, &table.table_name]
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    (!parts.is_empty()).then(|| TableFactor::Table {
        name: ObjectName::from(parts),
        alias: None,
        args: None,
        with_hints: Vec::new(),
        version: None,
        with_ordinality: false,
        partitions: Vec::new(),
        json_path: None,
        sample: None,
        index_directives: Vec::new(),
        inheritance: None,
    })
}
