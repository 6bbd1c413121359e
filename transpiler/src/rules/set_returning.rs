//! Functions that return sets: in select lists as UNNEST, in FROM with PostgreSQL's column names.

use std::ops::ControlFlow;

use sqlparser::ast::{
    self, ArrayElemTypeDef, DataType, Expr, FunctionArg, FunctionArgExpr, TableAlias, TableAliasColumnDef, TableFactor,
    TimezoneInfo, Value, VisitMut, VisitorMut,
};

use super::{build, last_name, select, types};

/// Functions of FROM whose one column takes the table alias's name.
const ALIASED: &[&str] = &[
    "generate_series",
    "unnest",
    "regexp_split_to_table",
    "string_to_table",
    "generate_subscripts",
    "json_object_keys",
    "jsonb_object_keys",
    "pg_listening_channels",
    "regexp_matches",
];

/// Names the columns of FROM's functions and gives their arguments PostgreSQL's types.
///
/// `declared` are the types that the client gave the parameters, 0 where it gave none.
pub(super) fn apply(statement: &mut ast::Statement, declared: &[u32]) {
    let _ = statement.visit(&mut From { declared });
}

/// `generate_series` of a select list makes rows, not a list.
pub(super) fn unnest(expr: &mut Expr, declared: &[u32]) {
    match expr {
        Expr::Function(function) if last_name(&function.name).as_deref() == Some("generate_series") => {
            if let Some(args) = build::plain_arguments(function) {
                let small = are_small(&args, declared);
                let mut call = series(args);
                if small {
                    let element = Box::new(build::named_type("INTEGER"));
                    call = build::cast(call, DataType::Array(ArrayElemTypeDef::SquareBracket(element, None)));
                }
                *expr = build::call("unnest", vec![call]);
            }
        }
        Expr::Function(function) => {
            let name = last_name(&function.name).unwrap_or_default();
            let list = match name.as_str() {
                "json_array_elements" | "jsonb_array_elements" => "_json_elements",
                "pg_listening_channels" => "_listening_channels",
                "json_array_elements_text" | "jsonb_array_elements_text" => "_json_elements_text",
                _ => return,
            };
            if let Some(args) = build::plain_arguments(function) {
                *expr = build::call("unnest", vec![build::own(list, args)]);
            }
        }
        Expr::BinaryOp { left, right, .. } => {
            unnest(left, declared);
            unnest(right, declared);
        }
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => unnest(inner, declared),
        _ => {}
    }
}

fn series(args: Vec<Expr>) -> Expr {
    build::call("generate_series", typed(args))
}

/// A series of dates is one of `timestamptz`.
fn typed(args: Vec<Expr>) -> Vec<Expr> {
    args.into_iter()
        .map(|arg| {
            if is_date(&arg) {
                build::cast(arg, DataType::Timestamp(None, TimezoneInfo::WithTimeZone))
            } else {
                arg
            }
        })
        .collect()
}

fn is_date(expr: &Expr) -> bool {
    match expr {
        Expr::TypedString(typed) => typed.data_type == DataType::Date,
        Expr::Cast { data_type, .. } => *data_type == DataType::Date,
        Expr::Nested(inner) => is_date(inner),
        Expr::Function(function) => last_name(&function.name).as_deref() == Some("current_date"),
        _ => false,
    }
}

struct From<'a> {
    declared: &'a [u32],
}

impl VisitorMut for From<'_> {
    type Break = ();

    fn post_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        let (name, args, alias) = match factor {
            TableFactor::Table {
                name,
                args: Some(args),
                alias,
                ..
            } => (name, &mut args.args, alias),
            TableFactor::Function { name, args, alias, .. } => (name, args, alias),
            _ => return ControlFlow::Continue(()),
        };
        let Some(function) = last_name(name) else {
            return ControlFlow::Continue(());
        };
        if let Some(alias) = alias
            && alias.columns.is_empty()
            && ALIASED.contains(&function.as_str())
        {
            alias.columns.push(TableAliasColumnDef {
                name: alias.name.clone(),
                data_type: None,
            });
        }
        match function.as_str() {
            "generate_series" if build::expressions(args).is_some_and(|args| are_small(&args, self.declared)) => {
                if let Some(narrow) = narrow(args, alias.take()) {
                    *factor = narrow;
                }
            }
            "generate_series" => dates(args),
            "json_each" | "jsonb_each" | "json_each_text" | "jsonb_each_text" => {
                *name = build::plain(&["__pintail", "pg", &format!("_{function}")]);
                named(alias, &function);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

fn dates(args: &mut [FunctionArg]) {
    let first = match args.first() {
        Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Cast { data_type, .. }))) => Some(data_type.clone()),
        Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::TypedString(typed)))) => Some(typed.data_type.clone()),
        _ => None,
    };
    // Bare strings take the first argument's type; the step is an interval.
    for (index, arg) in args.iter_mut().enumerate().skip(1) {
        if let FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) = arg
            && build::literal(expr).is_some()
        {
            let data_type = if index == 1 {
                first.clone()
            } else {
                Some(build::named_type("INTERVAL"))
            };
            if let Some(data_type) = data_type {
                *expr = build::cast(expr.clone(), data_type);
            }
        }
    }
    for arg in args {
        if let FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) = arg
            && is_date(expr)
        {
            *expr = build::cast(expr.clone(), DataType::Timestamp(None, TimezoneInfo::WithTimeZone));
        }
    }
}

/// A renamed function keeps its name as the table's.
fn named(alias: &mut Option<TableAlias>, name: &str) {
    if alias.is_none() {
        *alias = Some(TableAlias {
            explicit: true,
            name: build::ident(name),
            columns: Vec::new(),
            at: None,
        });
    }
}

/// Whether a series' arguments are of type `int4`: literals that fit it, casts to it, and parameters beside them.
fn are_small(args: &[Expr], declared: &[u32]) -> bool {
    let open = |expr: &Expr| matches!(build::declared(expr, declared), Some(0 | 23));
    args.iter().all(|expr| is_small(expr) || open(expr)) && args.iter().any(is_small)
}

fn is_small(expr: &Expr) -> bool {
    let number = match expr {
        Expr::UnaryOp { expr, .. } | Expr::Nested(expr) => expr,
        Expr::Cast { data_type, .. } => return types::oid_of(data_type) == Some(23),
        other => other,
    };
    matches!(number, Expr::Value(value)
        if matches!(&value.value, Value::Number(text, _) if text.parse::<i32>().is_ok()))
}

/// A series of `int4`: the engine's is of `int8`.
fn narrow(args: &[FunctionArg], alias: Option<TableAlias>) -> Option<TableFactor> {
    let list: Vec<String> = args.iter().map(ToString::to_string).collect();
    let sql = format!(
        "SELECT generate_series::INTEGER AS generate_series FROM generate_series({})",
        list.join(", ")
    );
    let mut alias = Some(alias).flatten();
    named(&mut alias, "generate_series");
    Some(TableFactor::Derived {
        lateral: false,
        subquery: select::query(&sql)?,
        alias,
        sample: None,
    })
}
