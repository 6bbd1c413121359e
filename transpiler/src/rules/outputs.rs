//! Result types of `sum` and `avg`, given where the engine knows them: in a projection around the query.
//!
//! `SELECT g, avg(x) FROM t GROUP BY g` becomes
//! `SELECT q.g, _avg(q.pintail_2.s, q.pintail_2.c) AS avg FROM (SELECT g, struct_pack(s := sum(x), c := count(x)) …) AS q`,
//! for the outermost query, WITH queries and tables that are queries. In scalar sub-queries the engine's types stay.

use std::ops::ControlFlow;

use sqlparser::ast::{
    self, ExcludeSelectItem, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgOperator, GroupByExpr, Ident,
    OrderByKind, Query, SelectItem, SetExpr, TableAlias, TableFactor, Value, Visit, VisitMut, Visitor, VisitorMut,
    WildcardAdditionalOptions,
};

use super::{aggregates, build, folded, last_name, select};

/// The projected query's alias.
const ALIAS: &str = "q";

/// Wraps every query that needs it.
pub(super) fn apply(statement: &mut ast::Statement) {
    let _ = statement.visit(&mut Outputs);
    match statement {
        ast::Statement::Query(query) => wrap(query),
        ast::Statement::CreateView(view) => wrap(&mut view.query),
        ast::Statement::CreateTable(table) => {
            if let Some(query) = &mut table.query {
                wrap(query);
            }
        }
        _ => {}
    }
}

struct Outputs;

impl VisitorMut for Outputs {
    type Break = ();

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        if let Some(with) = &mut query.with
            && !with.recursive
        {
            with.cte_tables.iter_mut().for_each(|cte| wrap(&mut cte.query));
        }
        ControlFlow::Continue(())
    }

    fn post_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        if let TableFactor::Derived {
            lateral: false,
            subquery,
            ..
        } = factor
        {
            wrap(subquery);
        }
        ControlFlow::Continue(())
    }
}

/// What an item needs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Nothing,
    /// Holds `sum`: a HUGEINT becomes a BIGINT.
    Sum,
    /// Is `avg(x)`.
    Avg,
}

struct Item {
    need: Need,
    expr: Expr,
    /// The column's name for the client.
    name: String,
    /// The column's name in the inner query.
    inner: String,
}

fn wrap(query: &mut Query) {
    let SetExpr::Select(select) = query.body.as_mut() else {
        return;
    };
    let plain = select.distinct.is_none()
        && select.into.is_none()
        && !matches!(select.group_by, GroupByExpr::All(_))
        && query.for_clause.is_none();
    let stars = select.projection.iter().filter(|item| is_star(item)).count();
    let one_table = select.from.len() == 1 && select.from.iter().all(|from| from.joins.is_empty());
    if !plain || stars > 1 || (stars == 1 && !one_table) {
        return;
    }
    let Some(items) = items(&select.projection) else { return };
    if items.iter().flatten().all(|item| item.need == Need::Nothing) {
        return;
    }
    let projection = select.projection.iter().zip(&items);
    select.projection = projection.map(|(item, read)| inner_item(item, read.as_ref())).collect();
    order(query, &items);
    let inner = query.clone();
    let alias = TableAlias {
        explicit: true,
        name: Ident::new(ALIAS),
        columns: Vec::new(),
        at: None,
    };
    let mut body = select::all_from(TableFactor::Derived {
        lateral: false,
        subquery: Box::new(inner),
        alias: Some(alias),
        sample: None,
    });
    if let SetExpr::Select(outer) = &mut body {
        outer.projection = items.iter().map(|item| outer_item(item.as_ref(), &items)).collect();
    }
    query.with = None;
    query.order_by = None;
    query.limit_clause = None;
    query.fetch = None;
    query.locks = Vec::new();
    *query.body = body;
}

fn is_star(item: &SelectItem) -> bool {
    matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..))
}

/// Every item read, `None` for a star; nothing at all where one cannot be.
fn items(projection: &[SelectItem]) -> Option<Vec<Option<Item>>> {
    let star = projection.iter().any(is_star);
    let mut items = Vec::with_capacity(projection.len());
    for (index, item) in projection.iter().enumerate() {
        let (expr, name) = match item {
            SelectItem::Wildcard(_) => {
                items.push(None);
                continue;
            }
            SelectItem::UnnamedExpr(expr) => (expr, super::columns::name_of(expr)),
            SelectItem::ExprWithAlias { expr, alias } => (expr, folded(alias)),
            _ => return None,
        };
        let need = need(expr);
        let unique = projection
            .iter()
            .filter(|other| named(other).as_deref() == Some(&name))
            .count()
            == 1;
        let inner = if star || !unique || need == Need::Avg {
            format!("pintail_{index}")
        } else {
            name.clone()
        };
        items.push(Some(Item {
            need,
            expr: expr.clone(),
            name,
            inner,
        }));
    }
    Some(items)
}

fn named(item: &SelectItem) -> Option<String> {
    match item {
        SelectItem::UnnamedExpr(expr) => Some(super::columns::name_of(expr)),
        SelectItem::ExprWithAlias { alias, .. } => Some(folded(alias)),
        _ => None,
    }
}

fn need(expr: &Expr) -> Need {
    if let Some(function) = average(expr)
        && aggregates::single(function).is_some()
    {
        return Need::Avg;
    }
    if expr.visit(&mut HasSum).is_break() {
        Need::Sum
    } else {
        Need::Nothing
    }
}

fn average(expr: &Expr) -> Option<&Function> {
    match expr {
        Expr::Nested(inner) => average(inner),
        Expr::Function(function) if function.name.0.len() == 1 => {
            (last_name(&function.name).as_deref() == Some("avg")).then_some(function)
        }
        _ => None,
    }
}

struct HasSum;

impl Visitor for HasSum {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Function(function) if last_name(&function.name).as_deref() == Some("sum") => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

fn inner_item(item: &SelectItem, read: Option<&Item>) -> SelectItem {
    let Some(read) = read else { return item.clone() };
    if read.need == Need::Nothing && read.inner == read.name {
        return item.clone();
    }
    let expr = match average(&read.expr) {
        Some(function) if read.need == Need::Avg => pack(function),
        _ => read.expr.clone(),
    };
    SelectItem::ExprWithAlias {
        expr,
        alias: build::ident(&read.inner),
    }
}

/// `struct_pack(s := sum(x), c := count(x))`.
fn pack(function: &Function) -> Expr {
    let named = |name: &str, aggregate: &str| FunctionArg::Named {
        name: Ident::new(name),
        arg: FunctionArgExpr::Expr(aggregates::with_name(function, aggregate)),
        operator: FunctionArgOperator::Assignment,
    };
    let mut call = build::call("struct_pack", Vec::new());
    if let Expr::Function(pack) = &mut call
        && let ast::FunctionArguments::List(list) = &mut pack.args
    {
        list.args = vec![named("s", "sum"), named("c", "count")];
    }
    call
}

fn outer_item(item: Option<&Item>, items: &[Option<Item>]) -> SelectItem {
    let Some(item) = item else {
        let own = items.iter().flatten().map(|item| item_name(&item.inner)).collect();
        return SelectItem::Wildcard(WildcardAdditionalOptions {
            opt_exclude: Some(ExcludeSelectItem::Multiple(own)),
            ..WildcardAdditionalOptions::default()
        });
    };
    let column = Expr::CompoundIdentifier(vec![Ident::new(ALIAS), build::ident(&item.inner)]);
    let field =
        |name: &str| Expr::CompoundIdentifier(vec![Ident::new(ALIAS), build::ident(&item.inner), Ident::new(name)]);
    let expr = match item.need {
        Need::Nothing => column,
        Need::Sum => build::own("_sum", vec![column]),
        Need::Avg => build::own("_avg", vec![field("s"), field("c")]),
    };
    SelectItem::ExprWithAlias {
        expr,
        alias: build::ident(&item.name),
    }
}

fn item_name(name: &str) -> ast::ObjectName {
    build::object(&[name])
}

/// ORDER BY names and numbers output columns, some of which have new names and types.
fn order(query: &mut Query, items: &[Option<Item>]) {
    let Some(order_by) = &mut query.order_by else { return };
    let OrderByKind::Expressions(expressions) = &mut order_by.kind else {
        return;
    };
    for element in expressions {
        let found = match &element.expr {
            Expr::Identifier(ident) => {
                let name = folded(ident);
                items
                    .iter()
                    .flatten()
                    .find(|item| item.name == name && item.inner != item.name)
            }
            Expr::Value(value) => match &value.value {
                Value::Number(text, _) => text
                    .parse::<usize>()
                    .ok()
                    .and_then(|n| items.get(n.checked_sub(1)?)?.as_ref())
                    .filter(|item| item.need == Need::Avg),
                _ => None,
            },
            _ => None,
        };
        if let Some(item) = found {
            element.expr = if item.need == Need::Avg {
                item.expr.clone()
            } else {
                Expr::Identifier(build::ident(&item.inner))
            };
        }
    }
}
