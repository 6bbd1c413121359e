//! Special syntax and calls that a macro of the same name cannot stand for.

use std::ops::ControlFlow;

use sqlparser::ast::{
    self, DateTimeField, Expr, Function, FunctionArguments, Ident, ObjectName, ObjectNamePart, Select, SelectItem,
    TrimWhereField, VisitMut, VisitorMut,
};

use super::{build, last_name, set_returning, settings};
use crate::Error;
use crate::plan::Context;

/// Rewrites special forms, session functions and set-returning calls of select lists.
pub(super) fn apply(statement: &mut ast::Statement, context: &Context<'_>) -> Result<(), Error> {
    match statement.visit(&mut Functions { context }) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

struct Functions<'a> {
    context: &'a Context<'a>,
}

impl VisitorMut for Functions<'_> {
    type Break = Error;

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Error> {
        for item in &mut select.projection {
            if let SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } = item {
                set_returning::unnest(expr, self.context.param_oids);
            }
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Error> {
        let rewritten = if let Expr::Function(function) = expr {
            self.function(function)
        } else {
            Ok(special(expr))
        };
        match rewritten {
            Ok(Some(new)) => {
                *expr = new;
                ControlFlow::Continue(())
            }
            Ok(None) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        }
    }
}

/// Special syntax as a call, so that the macro of PostgreSQL's semantics answers.
fn special(expr: &Expr) -> Option<Expr> {
    Some(match expr {
        Expr::Identifier(ident) if ident.quote_style.is_none() && ident.value == "current_schema" => {
            build::call("current_schema", Vec::new())
        }
        Expr::Position { expr, r#in } => build::own("_position", vec![(**r#in).clone(), (**expr).clone()]),
        Expr::Substring {
            expr,
            substring_from: Some(pattern),
            substring_for: None,
            ..
        } if build::literal(pattern).is_some() => matched(expr, &build::literal(pattern).unwrap_or_default()),
        Expr::Substring {
            expr,
            substring_from,
            substring_for,
            ..
        } => {
            let from = substring_from.as_deref().cloned().unwrap_or_else(|| build::number("1"));
            let mut args = vec![(**expr).clone(), from];
            args.extend(substring_for.as_deref().cloned());
            build::own("_substring", args)
        }
        Expr::Overlay {
            expr,
            overlay_what,
            overlay_from,
            overlay_for,
        } => {
            let mut args = vec![(**expr).clone(), (**overlay_what).clone(), (**overlay_from).clone()];
            args.extend(overlay_for.as_deref().cloned());
            build::own("_overlay", args)
        }
        Expr::Trim {
            trim_where,
            trim_what,
            expr,
            trim_characters: None,
        } => {
            let name = match trim_where {
                Some(TrimWhereField::Leading) => "ltrim",
                Some(TrimWhereField::Trailing) => "rtrim",
                _ => "trim",
            };
            let what = trim_what.as_deref().cloned().unwrap_or_else(|| build::text(" "));
            build::call(name, vec![(**expr).clone(), what])
        }
        Expr::Extract { field, expr, .. } => extract(field, expr),
        Expr::AtTimeZone { timestamp, time_zone } => {
            build::call("timezone", vec![(**time_zone).clone(), (**timestamp).clone()])
        }
        _ => return None,
    })
}

/// `extract` is numeric: whole, but for seconds and what is counted in them.
fn extract(field: &DateTimeField, expr: &Expr) -> Expr {
    let word = match field {
        DateTimeField::Custom(ident) => ident.value.to_lowercase(),
        other => other.to_string().to_lowercase(),
    };
    let name = match word.trim_matches('\'') {
        "second" | "seconds" => "_extract_second",
        "millisecond" | "milliseconds" => "_extract_millisecond",
        "epoch" => "_extract_epoch",
        "julian" => "_extract_julian",
        other => return build::own("_extract", vec![build::text(other), expr.clone()]),
    };
    build::own(name, vec![expr.clone()])
}

impl Functions<'_> {
    fn function(&self, function: &mut Function) -> Result<Option<Expr>, Error> {
        let Some(name) = last_name(&function.name) else {
            return Ok(None);
        };
        if function.name.0.len() > 1 {
            return Ok(None);
        }
        let quoted = function
            .name
            .0
            .iter()
            .any(|part| part.as_ident().is_some_and(|i| i.quote_style.is_some()));
        if matches!(function.args, FunctionArguments::None) && !quoted {
            return Ok(keyword(&name));
        }
        Ok(match name.as_str() {
            "to_char" | "to_date" | "to_timestamp" | "to_number" => super::templates::call(function)?,
            "round" | "trunc" => super::rounding::call(function),
            "encode" => encoded(function)?,
            "jsonb_set" | "json_set" => jsonb_set(function)?,
            "current_setting" => settings::current_setting(function, self.context)?,
            "format" => format(function)?,
            "json_build_object" | "jsonb_build_object" => variadic(function, &name),
            "json_build_array" | "jsonb_build_array" => listed(function, &name),
            "json_extract_path" | "jsonb_extract_path" => path(function, "_json_path"),
            "json_extract_path_text" | "jsonb_extract_path_text" => path(function, "_json_path_text"),
            "to_json" | "to_jsonb" => to_json(function, &name)?,
            "row_to_json" => Some(renamed(function, "to_json")),
            "num_nulls" => counted(function, true),
            "num_nonnulls" => counted(function, false),
            "regexp_matches"
            | "regexp_match"
            | "regexp_replace"
            | "regexp_split_to_array"
            | "regexp_split_to_table"
            | "regexp_count"
            | "regexp_instr"
            | "regexp_substr"
            | "regexp_like" => regex(function),
            _ => None,
        })
    }
}

/// SQL's values without parentheses.
fn keyword(name: &str) -> Option<Expr> {
    match name {
        "current_user" | "user" | "current_role" => Some(build::call("current_user", Vec::new())),
        "session_user" => Some(build::call("session_user", Vec::new())),
        "current_catalog" => Some(build::call("current_database", Vec::new())),
        "current_schema" => Some(build::call("current_schema", Vec::new())),
        // As words, the engine takes them for columns: for the output column of that name, where there is one.
        "current_date" => Some(build::call("current_date", Vec::new())),
        "current_time" => Some(build::call("get_current_time", Vec::new())),
        "current_timestamp" => Some(build::call("now", Vec::new())),
        "localtime" => Some(build::call("current_localtime", Vec::new())),
        "localtimestamp" => Some(build::call("current_localtimestamp", Vec::new())),
        _ => None,
    }
}

fn renamed(function: &Function, name: &str) -> Expr {
    let mut function = function.clone();
    function.name = ObjectName(vec![ObjectNamePart::Identifier(Ident::new(name))]);
    Expr::Function(function)
}

/// `format('…', …)` has conversions of its own; without arguments it only unescapes `%%`.
fn format(function: &Function) -> Result<Option<Expr>, Error> {
    let Some(mut args) = build::plain_arguments(function) else {
        return Ok(None);
    };
    if args.is_empty() {
        return Ok(None);
    }
    let template = args.remove(0);
    let Some(text) = build::literal(&template) else {
        return Err(Error::unsupported(
            "format() with a template that is not a literal is not supported",
        ));
    };
    super::format::expand(&text, &args).map(Some)
}

fn variadic(function: &Function, name: &str) -> Option<Expr> {
    let args = build::plain_arguments(function)?;
    let target = if name.starts_with("jsonb") {
        "_jsonb_object"
    } else {
        "_json_object"
    };
    let items: Vec<Expr> = args
        .chunks(2)
        .map(|pair| {
            let value = pair.get(1).cloned().unwrap_or_else(|| Expr::value(ast::Value::Null));
            build::own("_json_member", vec![pair[0].clone(), value])
        })
        .collect();
    let list = Expr::Array(ast::Array {
        elem: items,
        named: true,
    });
    Some(build::own(target, vec![list]))
}

fn path(function: &Function, name: &str) -> Option<Expr> {
    let mut args = build::plain_arguments(function)?;
    if args.is_empty() {
        return None;
    }
    let value = args.remove(0);
    let list = Expr::Array(ast::Array {
        elem: args,
        named: true,
    });
    Some(build::own(name, vec![value, list]))
}

fn to_json(function: &Function, name: &str) -> Result<Option<Expr>, Error> {
    let args = build::plain_arguments(function).unwrap_or_default();
    if let [argument] = args.as_slice()
        && (build::literal(argument).is_some() || build::is_null(argument))
    {
        return Err(Error::invalid(
            pintail_sqlstate::SqlState::DATATYPE_MISMATCH,
            "could not determine polymorphic type because input has type unknown",
        ));
    }
    Ok(if name == "to_jsonb" {
        Some(renamed(function, "to_json"))
    } else {
        None
    })
}

fn counted(function: &Function, nulls: bool) -> Option<Expr> {
    let args = build::plain_arguments(function)?;
    let list = Expr::Array(ast::Array {
        elem: args,
        named: true,
    });
    Some(build::own(
        if nulls { "_num_nulls" } else { "_num_nonnulls" },
        vec![list],
    ))
}

/// The pattern argument's escapes, where it is a literal.
fn regex(function: &mut Function) -> Option<Expr> {
    let mut args = build::plain_arguments(function)?;
    let pattern = args.get_mut(1)?;
    let text = build::literal(pattern)?;
    let translated = super::operators::translated(&text);
    if translated == text {
        return None;
    }
    *pattern = build::text(&translated);
    let mut function = function.clone();
    function.args = build::arguments(args);
    Some(Expr::Function(function))
}

/// The path argument is a text array, its literal included.
fn jsonb_set(function: &Function) -> Result<Option<Expr>, Error> {
    let Some(mut args) = build::plain_arguments(function) else {
        return Ok(None);
    };
    let Some(text) = args.get(1).and_then(build::literal) else {
        return Ok(None);
    };
    let super::literals::Item::List(items) = super::literals::array(&text)? else {
        return Ok(None);
    };
    let elem = items
        .iter()
        .filter_map(|item| match item {
            super::literals::Item::Text(text) => Some(build::text(text)),
            _ => None,
        })
        .collect();
    args[1] = Expr::Array(ast::Array { elem, named: true });
    Ok(Some(build::call("jsonb_set", args)))
}

/// `substring(text from pattern)`: the first group of the match, or the match.
fn matched(expr: &Expr, pattern: &str) -> Expr {
    let pattern = super::operators::translated(pattern);
    let bytes = pattern.as_bytes();
    let grouped = (0..bytes.len())
        .any(|i| bytes[i] == b'(' && bytes.get(i + 1) != Some(&b'?') && (i == 0 || bytes[i - 1] != b'\\'));
    let group = build::number(if grouped { "1" } else { "0" });
    build::own("_substring_match", vec![expr.clone(), build::text(&pattern), group])
}

/// `encode('text', …)`: a literal is of type bytea here.
fn encoded(function: &Function) -> Result<Option<Expr>, Error> {
    let Some(mut args) = build::plain_arguments(function) else {
        return Ok(None);
    };
    let Some(text) = args.first().and_then(build::literal) else {
        return Ok(None);
    };
    let bytes = super::literals::bytea(&text)?;
    args[0] = build::cast(build::text(&super::literals::blob(&bytes)), build::named_type("BLOB"));
    Ok(Some(build::call("encode", args)))
}

/// `json_build_array(…)` in PostgreSQL's spacing.
fn listed(function: &Function, name: &str) -> Option<Expr> {
    let args = build::plain_arguments(function)?;
    let elem = args
        .into_iter()
        .map(|arg| build::own("_json_value", vec![arg]))
        .collect();
    let list = Expr::Array(ast::Array { elem, named: true });
    let target = if name.starts_with("jsonb") {
        "_jsonb_array"
    } else {
        "_json_array"
    };
    Some(build::own(target, vec![list]))
}
