//! Types of output columns that PostgreSQL knows and the engine does not: `name`, `varchar`, `oid`, `jsonb` …
//!
//! Read from the tree alone: the catalogs' columns, casts and the system's functions. Runs when names are resolved and
//! before anything else is rewritten.

mod functions;

use std::rc::Rc;

use sqlparser::ast::{
    self, BinaryOperator, Expr, Ident, ObjectName, ObjectNamePart, Query, Select, SelectItem,
    SelectItemQualifiedWildcardKind, SetExpr, TableFactor, Value,
};

use super::{build, columns, folded, last_name, literals, types};
use crate::plan::Column;

/// `text`.
const TEXT: u32 = 25;
/// `json`.
const JSON: u32 = 114;
/// `bit`.
const BIT: u32 = 1560;
/// `jsonb`.
const JSONB: u32 = 3802;

/// The columns of the statement's rows; `None` where the engine's description is as good or the columns cannot be told.
///
/// `declared` are the types that the client gave the parameters, 0 where it gave none.
pub(super) fn columns_of(statement: &ast::Statement, declared: &[u32]) -> Option<Vec<Column>> {
    let ast::Statement::Query(query) = statement else {
        return None;
    };
    let scope = Scope {
        declared: declared.to_vec(),
        ..Scope::default()
    };
    let found = of_query(query, &scope)?;
    found.iter().any(|column| column.type_oid != 0).then_some(found)
}

/// What names mean at a place. Scopes within share it until they add to it: a statement may have thousands of either.
#[derive(Default, Clone)]
struct Scope {
    /// Types of parameters.
    declared: Vec<u32>,
    /// WITH queries.
    queries: Rc<Relations>,
    /// Tables of FROM, by alias.
    tables: Rc<Relations>,
}

/// Names and columns; `None` where the columns are the engine's to know.
type Relations = Vec<(String, Option<Vec<Column>>)>;

fn of_query(query: &Query, outer: &Scope) -> Option<Vec<Column>> {
    let mut scope = outer.clone();
    if let Some(with) = &query.with {
        for cte in &with.cte_tables {
            let found = of_query(&cte.query, &scope).map(|found| renamed(found, &cte.alias.columns));
            Rc::make_mut(&mut scope.queries).push((folded(&cte.alias.name), found));
        }
    }
    of_body(&query.body, &scope)
}

fn of_body(body: &SetExpr, scope: &Scope) -> Option<Vec<Column>> {
    match body {
        SetExpr::Select(select) => of_select(select, scope),
        SetExpr::Query(query) => of_query(query, scope),
        SetExpr::SetOperation { left, right, .. } => {
            let (left, right) = (of_body(left, scope)?, of_body(right, scope)?);
            Some(
                left.into_iter()
                    .zip(right)
                    .map(|(left, right)| Column {
                        type_oid: if left.type_oid == right.type_oid {
                            left.type_oid
                        } else {
                            0
                        },
                        name: left.name,
                    })
                    .collect(),
            )
        }
        _ => None,
    }
}

fn of_select(select: &Select, outer: &Scope) -> Option<Vec<Column>> {
    let mut scope = outer.clone();
    for from in &select.from {
        factor(&from.relation, &mut scope, outer);
        for join in &from.joins {
            factor(&join.relation, &mut scope, outer);
        }
    }
    let mut out = Vec::new();
    for item in &select.projection {
        match item {
            SelectItem::UnnamedExpr(expr) => out.push(Column {
                name: columns::name_of(expr),
                type_oid: infer(expr, &scope),
            }),
            SelectItem::ExprWithAlias { expr, alias } => out.push(Column {
                name: folded(alias),
                type_oid: infer(expr, &scope),
            }),
            SelectItem::Wildcard(_) if select.from.iter().all(|from| from.joins.iter().all(plain)) => {
                for (_, found) in scope.tables.iter().skip(outer.tables.len()) {
                    out.extend(found.clone()?);
                }
            }
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
                let alias = last_name(name)?;
                let (_, found) = scope.tables.iter().rev().find(|(name, _)| *name == alias)?;
                out.extend(found.clone()?);
            }
            _ => return None,
        }
    }
    Some(out)
}

/// Whether a join shows all columns of both sides.
fn plain(join: &ast::Join) -> bool {
    !join.join_operator_uses_columns()
}

/// Tells joins that merge columns from those that do not.
trait MergesColumns {
    fn join_operator_uses_columns(&self) -> bool;
}

impl MergesColumns for ast::Join {
    fn join_operator_uses_columns(&self) -> bool {
        use ast::{JoinConstraint as C, JoinOperator as J};
        match &self.join_operator {
            J::Join(c)
            | J::Inner(c)
            | J::Left(c)
            | J::LeftOuter(c)
            | J::Right(c)
            | J::RightOuter(c)
            | J::FullOuter(c) => {
                matches!(c, C::Using(_) | C::Natural)
            }
            _ => false,
        }
    }
}

fn factor(factor: &TableFactor, scope: &mut Scope, outer: &Scope) {
    let (name, found) = match factor {
        TableFactor::Table {
            name,
            alias,
            args: None,
            ..
        } => {
            let own = alias
                .as_ref()
                .map(|alias| folded(&alias.name))
                .or_else(|| last_name(name));
            let found = relation(name, scope);
            let names = alias.as_ref().map_or(&[][..], |alias| &alias.columns);
            (own, found.map(|found| renamed(found, names)))
        }
        TableFactor::Derived {
            lateral,
            subquery,
            alias,
            ..
        } => {
            let found = of_query(subquery, if *lateral { scope } else { outer });
            let names = alias.as_ref().map_or(&[][..], |alias| &alias.columns);
            (
                alias.as_ref().map(|alias| folded(&alias.name)),
                found.map(|found| renamed(found, names)),
            )
        }
        _ => (None, None),
    };
    Rc::make_mut(&mut scope.tables).push((name.unwrap_or_default(), found));
}

fn renamed(mut found: Vec<Column>, names: &[ast::TableAliasColumnDef]) -> Vec<Column> {
    for (column, name) in found.iter_mut().zip(names) {
        column.name = folded(&name.name);
    }
    found
}

/// The columns of a WITH query or of a relation of the catalogs.
fn relation(name: &ObjectName, scope: &Scope) -> Option<Vec<Column>> {
    let parts: Vec<&Ident> = name.0.iter().filter_map(ObjectNamePart::as_ident).collect();
    match parts.as_slice() {
        [one] => {
            let one = folded(one);
            scope.queries.iter().rev().find(|(name, _)| *name == one)?.1.clone()
        }
        [database, schema, relation] if database.value == "__pintail" => {
            let schema = if schema.value == "pg" {
                "pg_catalog"
            } else {
                "information_schema"
            };
            let (_, _, columns) = pintail_pgcatalog::COLUMNS
                .iter()
                .find(|(s, r, _)| *s == schema && *r == relation.value)?;
            Some(
                columns
                    .iter()
                    .map(|(name, oid)| Column {
                        name: (*name).to_owned(),
                        type_oid: *oid,
                    })
                    .collect(),
            )
        }
        _ => None,
    }
}

/// A column's type; 0 where it is the engine's to know.
fn column(table: Option<&str>, name: &str, scope: &Scope) -> u32 {
    let mut found = scope
        .tables
        .iter()
        .filter(|(alias, _)| table.is_none_or(|table| table == alias))
        .filter_map(|(_, columns)| columns.as_ref())
        .flatten()
        .filter(|column| column.name == name);
    match (found.next(), table) {
        (Some(first), _) => first.type_oid,
        (None, _) => 0,
    }
}

/// An expression's type; 0 where it is the engine's to know.
fn infer(expr: &Expr, scope: &Scope) -> u32 {
    match expr {
        Expr::Identifier(ident) => column(None, &folded(ident), scope),
        Expr::CompoundIdentifier(parts) => match parts.as_slice() {
            [.., table, name] => column(Some(&folded(table)), &folded(name), scope),
            _ => 0,
        },
        Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => infer(inner, scope),
        Expr::Cast { data_type, .. } => types::oid_of(data_type).unwrap_or(0),
        Expr::TypedString(typed) => types::oid_of(&typed.data_type).unwrap_or(0),
        Expr::Value(value) if literals::bits(&value.value).is_ok_and(|bits| bits.is_some()) => BIT,
        Expr::Value(_) if let Some(declared) = build::declared(expr, &scope.declared) => declared,
        Expr::Value(value) if matches!(value.value, Value::Null | Value::SingleQuotedString(_)) => TEXT,
        Expr::Function(function) => functions::infer(function, |argument| infer(argument, scope)),
        Expr::BinaryOp { left, op, right } => operator(infer(left, scope), op, infer(right, scope)),
        Expr::Case {
            conditions,
            else_result,
            ..
        } => {
            let results = conditions.iter().map(|when| &when.result).chain(else_result.as_deref());
            unified(
                results
                    .filter(|expr| !super::build::is_null(expr))
                    .map(|expr| infer(expr, scope)),
            )
        }
        Expr::Array(array) => {
            let element = unified(array.elem.iter().map(|expr| infer(expr, scope)));
            // An array of arrays has more dimensions, not another type.
            let is_array = types::element_of(element).is_some();
            if is_array {
                element
            } else {
                types::array_of(element).unwrap_or(0)
            }
        }
        Expr::Subquery(query) => of_query(query, scope)
            .and_then(|found| found.first().map(|c| c.type_oid))
            .unwrap_or(0),
        _ => 0,
    }
}

/// The common type of alternatives, where they have one.
fn unified(mut types: impl Iterator<Item = u32>) -> u32 {
    let Some(first) = types.next() else { return 0 };
    if types.all(|other| other == first) { first } else { 0 }
}

fn operator(left: u32, op: &BinaryOperator, right: u32) -> u32 {
    use BinaryOperator as B;
    match op {
        B::Arrow | B::HashArrow if left == JSONB => JSONB,
        B::Arrow | B::HashArrow => JSON,
        B::LongArrow | B::HashLongArrow => TEXT,
        B::StringConcat | B::Minus | B::HashMinus if left == JSONB || right == JSONB => JSONB,
        B::StringConcat if left != 0 && right != 0 => TEXT,
        _ => 0,
    }
}
