//! Which column of which table an output column plainly is, as `RowDescription` says it.
//!
//! PostgreSQL follows names through joins, sub-queries in FROM and WITH queries, and stops at expressions and at set
//! operations (`markTargetListOrigin`). Such columns have their table's type modifier, casts that of the type they name. What columns a
//! table has is the engine's to know: the names are found here, their numbers there.

use std::rc::Rc;

use sqlparser::ast::{
    self, Expr, JoinConstraint, JoinOperator, ObjectName, ObjectNamePart, Query, Select, SelectItem,
    SelectItemQualifiedWildcardKind, SetExpr, TableFactor, TableObject, TableWithJoins,
};

use super::{columns, folded, last_name, types};
use crate::plan::{Context, Origin, Origins, Place, Table};
use crate::session::is_own_schema;

/// Where the columns of the statement's rows come from; `None` where their number cannot be told.
pub(super) fn of(statement: &ast::Statement, context: &Context<'_>) -> Option<Origins> {
    let mut finder = Finder {
        context,
        tables: Vec::new(),
    };
    let items = finder.statement(statement)?;
    let columns = items.into_iter().map(|item| item.origin).collect();
    Some(Origins {
        tables: finder.tables,
        columns,
    })
}

/// An expression without a modifier.
const COMPUTED: Origin = Origin::Computed { modifier: None };

/// An output column, or all of a table's at once.
#[derive(Clone)]
struct Item {
    /// Empty for all of a table's.
    name: String,
    origin: Origin,
}

/// What a name in FROM stands for.
#[derive(Clone)]
struct Relation {
    alias: String,
    /// `None` where nothing is known of its columns.
    items: Option<Vec<Item>>,
}

/// What names mean at a place. The innermost relations are last.
#[derive(Clone, Default)]
struct Scope {
    queries: Rc<Vec<Relation>>,
    relations: Rc<Vec<Relation>>,
    /// What joins have made one column of two.
    merged: Merged,
}

/// Columns that stand for those of both sides of a join.
#[derive(Clone, Default)]
struct Merged {
    /// A join did, so that `*` has fewer columns than the tables.
    any: bool,
    /// Names of USING whose value is that of the left side.
    left: Vec<String>,
    /// A bare name may be neither side's: NATURAL, RIGHT and FULL.
    unknown: bool,
}

struct Finder<'a> {
    context: &'a Context<'a>,
    tables: Vec<Table>,
}

impl Finder<'_> {
    fn statement(&mut self, statement: &ast::Statement) -> Option<Vec<Item>> {
        let scope = Scope::default();
        match statement {
            ast::Statement::Query(query) => self.query(query, &scope),
            ast::Statement::Insert(insert) => {
                let TableObject::TableName(name) = &insert.table else {
                    return None;
                };
                let alias = insert.table_alias.as_ref().map(|alias| folded(&alias.alias));
                let target = self.named(name, alias, &scope);
                self.returned(insert.returning.as_deref()?, vec![target])
            }
            ast::Statement::Update(update) if update.from.is_none() => {
                self.changed(update.returning.as_deref()?, &update.table)
            }
            ast::Statement::Delete(delete) if delete.using.is_none() => match &delete.from {
                ast::FromTable::WithFromKeyword(from) | ast::FromTable::WithoutKeyword(from) => {
                    self.changed(delete.returning.as_deref()?, from.first()?)
                }
            },
            _ => None,
        }
    }

    fn changed(&mut self, items: &[SelectItem], target: &TableWithJoins) -> Option<Vec<Item>> {
        let scope = Scope::default();
        let target = self.factor(&target.relation, &scope, &scope);
        self.returned(items, vec![target])
    }

    fn returned(&mut self, items: &[SelectItem], relations: Vec<Relation>) -> Option<Vec<Item>> {
        let scope = Scope {
            relations: Rc::new(relations),
            ..Scope::default()
        };
        projected(items, &scope, 0)
    }

    fn query(&mut self, query: &Query, outer: &Scope) -> Option<Vec<Item>> {
        let mut scope = outer.clone();
        if let Some(with) = &query.with {
            for cte in &with.cte_tables {
                let items = self
                    .query(&cte.query, &scope)
                    .and_then(|items| renamed(items, &cte.alias.columns));
                Rc::make_mut(&mut scope.queries).push(Relation {
                    alias: folded(&cte.alias.name),
                    items,
                });
            }
        }
        self.body(&query.body, &scope)
    }

    fn body(&mut self, body: &SetExpr, scope: &Scope) -> Option<Vec<Item>> {
        match body {
            SetExpr::Select(select) => self.select(select, scope),
            SetExpr::Query(query) => self.query(query, scope),
            SetExpr::Insert(change) | SetExpr::Update(change) | SetExpr::Delete(change) => self.statement(change),
            _ => None,
        }
    }

    fn select(&mut self, select: &Select, outer: &Scope) -> Option<Vec<Item>> {
        let mut scope = outer.clone();
        scope.merged = Merged::default();
        for from in &select.from {
            self.source(from, &mut scope, outer);
        }
        projected(&select.projection, &scope, outer.relations.len())
    }

    fn source(&mut self, from: &TableWithJoins, scope: &mut Scope, outer: &Scope) {
        let first = self.factor(&from.relation, scope, outer);
        Rc::make_mut(&mut scope.relations).push(first);
        for join in &from.joins {
            let joined = self.factor(&join.relation, scope, outer);
            Rc::make_mut(&mut scope.relations).push(joined);
            merge(&join.join_operator, &mut scope.merged);
        }
    }

    fn factor(&mut self, factor: &TableFactor, scope: &Scope, outer: &Scope) -> Relation {
        match factor {
            TableFactor::Table {
                name,
                alias,
                args: None,
                ..
            } => {
                let own = alias.as_ref().map(|alias| folded(&alias.name));
                let mut relation = self.named(name, own, scope);
                if let Some(alias) = alias {
                    relation.items = relation.items.and_then(|items| renamed(items, &alias.columns));
                }
                relation
            }
            TableFactor::Derived {
                lateral,
                subquery,
                alias,
                ..
            } => {
                let items = self.query(subquery, if *lateral { scope } else { outer });
                let names = alias.as_ref().map_or(&[][..], |alias| &alias.columns);
                Relation {
                    alias: alias.as_ref().map(|alias| folded(&alias.name)).unwrap_or_default(),
                    items: items.and_then(|items| renamed(items, names)),
                }
            }
            _ => Relation {
                alias: String::new(),
                items: None,
            },
        }
    }

    /// A WITH query, or a table.
    fn named(&mut self, name: &ObjectName, alias: Option<String>, scope: &Scope) -> Relation {
        let alias = alias.or_else(|| last_name(name)).unwrap_or_default();
        if let [ObjectNamePart::Identifier(one)] = name.0.as_slice() {
            let one = folded(one);
            if let Some(query) = scope.queries.iter().rev().find(|query| query.alias == one) {
                let items = query.items.clone();
                return Relation { alias, items };
            }
        }
        let items = self.table(name).map(|index| {
            vec![Item {
                name: String::new(),
                origin: Origin::All(index),
            }]
        });
        Relation { alias, items }
    }

    /// The number of a table among those that are asked for.
    fn table(&mut self, name: &ObjectName) -> Option<usize> {
        let parts: Vec<String> = name
            .0
            .iter()
            .map(|part| part.as_ident().map(folded))
            .collect::<Option<_>>()?;
        let place = |database: &str, schema: &str| Place {
            database: database.to_owned(),
            schema: schema.to_owned(),
        };
        let (places, name) = match parts.as_slice() {
            [name] => (self.places_of(name), name),
            [schema, name] if schema == "temp" => (vec![place("temp", "main")], name),
            [schema, name] if self.context.own_databases.contains(schema) => (vec![place(schema, "main")], name),
            [schema, name] => (vec![place(self.context.catalog, schema)], name),
            [database, schema, name] => (vec![place(database, schema)], name),
            _ => return None,
        };
        let table = Table {
            places,
            name: name.clone(),
        };
        let found = self.tables.iter().position(|known| *known == table);
        Some(found.unwrap_or_else(|| {
            self.tables.push(table);
            self.tables.len() - 1
        }))
    }

    /// Where a name of one part is looked for, in order.
    fn places_of(&self, name: &str) -> Vec<Place> {
        let temporary = self.context.temporary.iter().any(|table| table == name).then(|| Place {
            database: "temp".to_owned(),
            schema: "main".to_owned(),
        });
        let path = self.context.search_path.iter().filter(|entry| is_own_schema(entry));
        let path = path.map(|entry| match entry.as_str() {
            "public" => "main",
            other => other,
        });
        let path = path.map(|schema| Place {
            database: self.context.catalog.to_owned(),
            schema: schema.to_owned(),
        });
        temporary.into_iter().chain(path).collect()
    }
}

/// Notes what a join shows one column of for two.
fn merge(operator: &JoinOperator, merged: &mut Merged) {
    use JoinOperator as J;
    let (constraint, keeps_left) = match operator {
        J::Join(constraint) | J::Inner(constraint) | J::Left(constraint) | J::LeftOuter(constraint) => {
            (constraint, true)
        }
        J::Right(constraint) | J::RightOuter(constraint) | J::FullOuter(constraint) => (constraint, false),
        _ => return,
    };
    match constraint {
        JoinConstraint::Using(columns) if keeps_left => {
            merged.any = true;
            merged.left.extend(columns.iter().filter_map(last_name));
        }
        JoinConstraint::Using(_) | JoinConstraint::UsingAlias(..) | JoinConstraint::Natural => {
            merged.any = true;
            merged.unknown = true;
        }
        JoinConstraint::On(_) | JoinConstraint::None => {}
    }
}

fn projected(items: &[SelectItem], scope: &Scope, outer: usize) -> Option<Vec<Item>> {
    let mut out = Vec::new();
    for item in items {
        match item {
            SelectItem::UnnamedExpr(expr) => out.push(Item {
                name: columns::name_of(expr),
                origin: of_expr(expr, scope),
            }),
            SelectItem::ExprWithAlias { expr, alias } => out.push(Item {
                name: folded(alias),
                origin: of_expr(expr, scope),
            }),
            SelectItem::Wildcard(_) if !scope.merged.any => {
                for relation in scope.relations.iter().skip(outer) {
                    out.extend(relation.items.clone()?);
                }
            }
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
                let alias = last_name(name)?;
                let relation = scope.relations.iter().rev().find(|relation| relation.alias == alias)?;
                out.extend(relation.items.clone()?);
            }
            _ => return None,
        }
    }
    Some(out)
}

/// Under other names; `None` where they cannot be given out.
fn renamed(mut items: Vec<Item>, names: &[ast::TableAliasColumnDef]) -> Option<Vec<Item>> {
    for (position, name) in names.iter().enumerate() {
        let item = items.get_mut(position).filter(|item| !item.name.is_empty())?;
        item.name = folded(&name.name);
    }
    Some(items)
}

fn of_expr(expr: &Expr, scope: &Scope) -> Origin {
    match expr {
        Expr::Identifier(ident) if !scope.merged.unknown => find(None, &folded(ident), scope),
        Expr::CompoundIdentifier(parts) => match parts.as_slice() {
            [.., table, name] => find(Some(&folded(table)), &folded(name), scope),
            _ => COMPUTED,
        },
        Expr::Nested(inner) => of_expr(inner, scope),
        Expr::Cast { data_type, .. } => Origin::Computed {
            modifier: types::modifier(data_type),
        },
        Expr::Array(array) => alike(array.elem.iter(), scope),
        Expr::Case {
            conditions,
            else_result,
            ..
        } => alike(
            conditions.iter().map(|when| &when.result).chain(else_result.as_deref()),
            scope,
        ),
        _ => COMPUTED,
    }
}

/// Alternatives, or an array's elements: their modifier where all have the same.
fn alike<'a>(mut alternatives: impl Iterator<Item = &'a Expr>, scope: &Scope) -> Origin {
    let Some(first) = alternatives.next().map(|expr| of_expr(expr, scope)) else {
        return COMPUTED;
    };
    let same = matches!(first, Origin::Computed { .. }) && alternatives.all(|expr| of_expr(expr, scope) == first);
    if same { first } else { COMPUTED }
}

/// What a column's name stands for: a column known by that name, else one of those tables.
fn find(table: Option<&str>, name: &str, scope: &Scope) -> Origin {
    let relations = scope.relations.iter().rev();
    let visible = relations.filter(|relation| table.is_none_or(|table| table == relation.alias));
    let mut items: Vec<&Item> = match table {
        Some(_) => visible
            .take(1)
            .filter_map(|relation| relation.items.as_ref())
            .flatten()
            .collect(),
        None => visible
            .filter_map(|relation| relation.items.as_ref())
            .flatten()
            .collect(),
    };
    if table.is_none() && scope.merged.left.iter().any(|merged| merged == name) {
        items.reverse();
    }
    if let Some(item) = items.iter().find(|item| item.name == name) {
        return item.origin.clone();
    }
    let tables: Vec<usize> = items
        .iter()
        .filter_map(|item| match item.origin {
            Origin::All(index) => Some(index),
            _ => None,
        })
        .collect();
    if tables.is_empty() {
        return COMPUTED;
    }
    Origin::Column {
        tables,
        name: name.to_owned(),
    }
}
