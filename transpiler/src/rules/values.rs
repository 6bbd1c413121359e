//! `VALUES` as a table: its columns are `column1`, `column2`, …

use std::ops::ControlFlow;

use sqlparser::ast::{
    self, Query, SetExpr, TableAlias, TableAliasColumnDef, TableFactor, Values, VisitMut, VisitorMut,
};

use super::build;

/// Names the columns of every `VALUES` that stands as a query.
pub(super) fn apply(statement: &mut ast::Statement) {
    if let ast::Statement::Query(query) = statement
        && let SetExpr::Values(values) = query.body.as_ref()
    {
        let table = wrap(values);
        *query.body = table;
    }
    let _ = statement.visit(&mut Namer);
}

fn wrap(values: &Values) -> SetExpr {
    let columns = columns(values);
    let subquery = Query {
        with: None,
        body: Box::new(SetExpr::Values(values.clone())),
        order_by: None,
        limit_clause: None,
        fetch: None,
        locks: Vec::new(),
        for_clause: None,
        settings: None,
        format_clause: None,
        pipe_operators: Vec::new(),
    };
    let factor = TableFactor::Derived {
        lateral: false,
        subquery: Box::new(subquery),
        alias: Some(TableAlias {
            explicit: true,
            name: build::ident("*VALUES*"),
            columns,
            at: None,
        }),
        sample: None,
    };
    super::select::all_from(factor)
}

fn columns(values: &Values) -> Vec<TableAliasColumnDef> {
    let width = values.rows.first().map_or(0, |row| row.content.len());
    (1..=width)
        .map(|n| TableAliasColumnDef {
            name: build::ident(&format!("column{n}")),
            data_type: None,
        })
        .collect()
}

struct Namer;

impl VisitorMut for Namer {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        if let TableFactor::Derived {
            subquery,
            alias: Some(alias),
            ..
        } = factor
            && let SetExpr::Values(values) = subquery.body.as_ref()
        {
            let named = alias.columns.len();
            let missing = columns(values).into_iter().skip(named);
            alias.columns.extend(missing);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        let Some(with) = &mut query.with else {
            return ControlFlow::Continue(());
        };
        for cte in &mut with.cte_tables {
            if cte.alias.columns.is_empty()
                && let SetExpr::Values(values) = cte.query.body.as_ref()
            {
                cte.alias.columns = columns(values);
            }
        }
        ControlFlow::Continue(())
    }
}
