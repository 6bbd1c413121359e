//! Literals that INSERT and UPDATE give to columns: bytea and array notation is read by the column's own type.
//!
//! The transpiler does not know a column's type; the engine does. `'\x48'` for the third column of `t` becomes
//! `_literal('\x48', (SELECT c3 FROM t AS t(c1, c2, c3) LIMIT 0))`, whose overload is chosen by the second argument.

use sqlparser::ast::{
    self, Assignment, AssignmentTarget, Expr, Ident, Insert, ObjectName, SetExpr, TableFactor, TableObject, Update,
};

use super::{build, last_name, select};

/// Rewrites the literals of an INSERT's VALUES and an UPDATE's assignments.
pub(super) fn apply(statement: &mut ast::Statement) {
    match statement {
        ast::Statement::Insert(insert) => self::insert(insert),
        ast::Statement::Update(update) => self::update(update),
        _ => {}
    }
}

fn insert(insert: &mut Insert) {
    let TableObject::TableName(table) = &insert.table else {
        return;
    };
    let table = table.clone();
    let columns: Vec<String> = insert.columns.iter().filter_map(last_name).collect();
    let Some(source) = &mut insert.source else { return };
    let SetExpr::Values(values) = source.body.as_mut() else {
        return;
    };
    for row in &mut values.rows {
        for (index, expr) in row.content.iter_mut().enumerate() {
            if let Some(text) = notation(expr) {
                let like = match columns.get(index) {
                    Some(column) => named(&table, column),
                    None => numbered(&table, index + 1),
                };
                if let Some(like) = like {
                    *expr = build::own("_literal", vec![build::text(&text), like]);
                }
            }
        }
    }
}

fn update(update: &mut Update) {
    let TableFactor::Table { name, .. } = &update.table.relation else {
        return;
    };
    let table = name.clone();
    for Assignment { target, value } in &mut update.assignments {
        let AssignmentTarget::ColumnName(column) = target else {
            continue;
        };
        if let Some(text) = notation(value)
            && let Some(column) = last_name(column)
            && let Some(like) = named(&table, &column)
        {
            *value = build::own("_literal", vec![build::text(&text), like]);
        }
    }
}

/// The text of a literal in a notation that only its column can read.
fn notation(expr: &Expr) -> Option<String> {
    let text = build::literal(expr)?;
    let array = text.starts_with('{') && text.ends_with('}');
    (text.contains('\\') || array).then_some(text)
}

fn named(table: &ObjectName, column: &str) -> Option<Expr> {
    let query = select::query(&format!("SELECT {} FROM {table} LIMIT 0", build::ident(column)))?;
    Some(Expr::Subquery(query))
}

fn numbered(table: &ObjectName, n: usize) -> Option<Expr> {
    let names: Vec<String> = (1..=n).map(|i| Ident::new(format!("c{i}")).to_string()).collect();
    let query = select::query(&format!("SELECT c{n} FROM {table} AS t({}) LIMIT 0", names.join(", ")))?;
    Some(Expr::Subquery(query))
}
