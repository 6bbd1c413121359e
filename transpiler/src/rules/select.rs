//! Whole queries made from a template.

use sqlparser::ast::{Query, Select, SetExpr, Statement, TableFactor};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;

/// A query from SQL that this crate wrote; `None` only where that SQL is wrong.
pub(super) fn query(sql: &str) -> Option<Box<Query>> {
    match Parser::parse_sql(&PostgreSqlDialect {}, sql).ok()?.pop()? {
        Statement::Query(query) => Some(query),
        _ => None,
    }
}

/// `SELECT * FROM factor`.
pub(super) fn all_from(factor: TableFactor) -> SetExpr {
    let body = query("SELECT * FROM t").map(|query| *query.body);
    match body {
        Some(SetExpr::Select(mut select)) => {
            replace(&mut select, factor);
            SetExpr::Select(select)
        }
        // The template is a SELECT; this keeps the factor in any case.
        other => other.unwrap_or_else(|| match factor {
            TableFactor::Derived { subquery, .. } => *subquery.body,
            _ => SetExpr::Values(sqlparser::ast::Values {
                explicit_row: false,
                value_keyword: false,
                rows: Vec::new(),
            }),
        }),
    }
}

fn replace(select: &mut Select, factor: TableFactor) {
    if let Some(from) = select.from.first_mut() {
        from.relation = factor;
    }
}
