//! Names of unnamed output columns, by PostgreSQL's rule (`FigureColname`).

use std::ops::ControlFlow;

use sqlparser::ast::{
    self, AccessExpr, Array, DataType, Expr, Query, Select, SelectItem, SetExpr, Subscript, TrimWhereField, VisitMut,
    VisitorMut,
};

use super::{build, folded, last_name, types};

/// What PostgreSQL calls a column it has no name for.
const NAMELESS: &str = "?column?";

/// Names the unnamed columns of every select list.
pub(super) fn apply(statement: &mut ast::Statement) {
    let _ = statement.visit(&mut Namer);
}

struct Namer;

impl VisitorMut for Namer {
    type Break = ();

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        select.projection.iter_mut().for_each(name_item);
        ControlFlow::Continue(())
    }

    fn pre_visit_statement(&mut self, statement: &mut ast::Statement) -> ControlFlow<()> {
        let returning = match statement {
            ast::Statement::Insert(insert) => insert.returning.as_mut(),
            ast::Statement::Update(update) => update.returning.as_mut(),
            ast::Statement::Delete(delete) => delete.returning.as_mut(),
            _ => None,
        };
        if let Some(items) = returning {
            items.iter_mut().for_each(name_item);
        }
        ControlFlow::Continue(())
    }
}

fn name_item(item: &mut SelectItem) {
    let SelectItem::UnnamedExpr(expr) = item else { return };
    if matches!(
        expr,
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Wildcard(_)
    ) {
        return;
    }
    // `COLUMNS(*)` and its kin are DuckDB's and expand to many columns.
    if matches!(expr, Expr::Function(f) if last_name(&f.name).as_deref() == Some("columns")) {
        return;
    }
    let alias = build::ident(&name_of(expr));
    let expr = expr.clone();
    *item = SelectItem::ExprWithAlias { expr, alias };
}

/// The name of a column that `expr` makes.
pub(super) fn name_of(expr: &Expr) -> String {
    figure(expr).map_or_else(|| NAMELESS.to_owned(), |(name, _)| name)
}

/// How sure PostgreSQL is of a name: a type's name gives way to a better one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strength {
    Weak,
    Strong,
}

#[allow(clippy::unnecessary_wraps, reason = "every arm of `figure` is an option")]
fn strong(name: impl Into<String>) -> Option<(String, Strength)> {
    Some((name.into(), Strength::Strong))
}

fn figure(expr: &Expr) -> Option<(String, Strength)> {
    match expr {
        Expr::Identifier(ident) => strong(folded(ident)),
        Expr::CompoundIdentifier(parts) => strong(folded(parts.last()?)),
        Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => figure(inner),
        Expr::CompoundFieldAccess { root, access_chain } => field(access_chain).or_else(|| figure(root)),
        Expr::Function(function) => function_name(function),
        Expr::Cast { expr, data_type, .. } => weak(figure(expr), || types::internal_name(data_type)),
        Expr::TypedString(typed) => Some((types::internal_name(&typed.data_type), Strength::Weak)),
        Expr::Interval(_) => Some(("interval".to_owned(), Strength::Weak)),
        Expr::Case { else_result, .. } => weak(else_result.as_deref().and_then(figure), || "case".to_owned()),
        Expr::Exists { negated: false, .. } => strong("exists"),
        Expr::Subquery(query) => subquery(query),
        Expr::Array(Array { .. }) => strong("array"),
        Expr::Tuple(_) => strong("row"),
        Expr::Extract { .. } => strong("extract"),
        Expr::Ceil { .. } => strong("ceil"),
        Expr::Floor { .. } => strong("floor"),
        Expr::Position { .. } => strong("position"),
        Expr::Substring { .. } => strong("substring"),
        Expr::Overlay { .. } => strong("overlay"),
        Expr::AtTimeZone { .. } => strong("timezone"),
        Expr::Trim { trim_where, .. } => strong(match trim_where {
            Some(TrimWhereField::Leading) => "ltrim",
            Some(TrimWhereField::Trailing) => "rtrim",
            _ => "btrim",
        }),
        _ => None,
    }
}

fn weak(inner: Option<(String, Strength)>, name: impl Fn() -> String) -> Option<(String, Strength)> {
    match inner {
        Some((name, Strength::Strong)) => strong(name),
        _ => Some((name(), Strength::Weak)),
    }
}

fn function_name(function: &ast::Function) -> Option<(String, Strength)> {
    if last_name(&function.name).as_deref() == Some("array")
        && matches!(function.args, ast::FunctionArguments::Subquery(_))
    {
        return strong("array");
    }
    strong(last_name(&function.name)?)
}

fn field(chain: &[AccessExpr]) -> Option<(String, Strength)> {
    chain.iter().rev().find_map(|access| match access {
        AccessExpr::Dot(Expr::Identifier(ident)) => strong(folded(ident)),
        AccessExpr::Dot(_) | AccessExpr::Subscript(Subscript::Index { .. } | Subscript::Slice { .. }) => None,
    })
}

fn subquery(query: &Query) -> Option<(String, Strength)> {
    match query.body.as_ref() {
        SetExpr::Select(select) => match select.projection.first()? {
            SelectItem::UnnamedExpr(expr) => figure(expr),
            SelectItem::ExprWithAlias { alias, .. } => strong(folded(alias)),
            _ => None,
        },
        SetExpr::Values(_) => strong("column1"),
        _ => None,
    }
}

/// The element type where the type is an array.
pub(super) fn element(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Array(
            ast::ArrayElemTypeDef::SquareBracket(inner, _) | ast::ArrayElemTypeDef::Qualified(inner, _),
        ) => element(inner),
        other => other,
    }
}
