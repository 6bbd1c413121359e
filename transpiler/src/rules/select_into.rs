//! `SELECT … INTO t` as the `CREATE TABLE t AS SELECT …` that it means (manual, "SELECT INTO"). Comes first, so that every
//! other rule sees a table that is made.

use sqlparser::ast::{Expr, ObjectName, SetExpr, Statement};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;

/// Rewrites the statement where it selects into a table.
pub(super) fn apply(statement: &mut Statement) {
    let Statement::Query(query) = statement else {
        return;
    };
    let SetExpr::Select(body) = query.body.as_mut() else {
        return;
    };
    let Some(into) = &body.into else { return };
    let name = match into.targets.as_slice() {
        [Expr::Identifier(name)] => vec![name.clone()],
        [Expr::CompoundIdentifier(parts)] => parts.clone(),
        _ => return,
    };
    let template = if into.temporary {
        "CREATE TEMPORARY TABLE t AS SELECT 1"
    } else {
        "CREATE TABLE t AS SELECT 1"
    };
    let made = Parser::parse_sql(&PostgreSqlDialect {}, template).map(|mut made| made.pop());
    if let Ok(Some(Statement::CreateTable(mut create))) = made {
        body.into = None;
        create.name = ObjectName::from(name);
        create.query = Some(query.clone());
        *statement = Statement::CreateTable(create);
    }
}
