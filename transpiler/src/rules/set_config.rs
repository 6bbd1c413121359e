//! `set_config(name, value, is_local)`: the session's own work, done when the statement has run.
//!
//! The call gives the value; the change goes with the plan. Arguments that are neither literals nor parameters are
//! refused: nobody but the engine knows their values, and the engine does not keep the session's settings.

use std::ops::ControlFlow;

use pintail_sqlstate::SqlState;
use sqlparser::ast::{self, CaseWhen, Expr, Function, Value, VisitMut, VisitorMut};

use super::{build, last_name};
use crate::Error;
use crate::plan::{SettingChange, SettingText};

/// Puts values in place of the calls, and hands back what the calls change.
pub(super) fn apply(statement: &mut ast::Statement) -> Result<Vec<SettingChange>, Error> {
    let mut calls = Calls { changes: Vec::new() };
    match statement.visit(&mut calls) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(calls.changes),
    }
}

struct Calls {
    changes: Vec<SettingChange>,
}

impl VisitorMut for Calls {
    type Break = Error;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Error> {
        let Expr::Function(function) = &*expr else {
            return ControlFlow::Continue(());
        };
        if function.name.0.len() > 1 || last_name(&function.name).as_deref() != Some("set_config") {
            return ControlFlow::Continue(());
        }
        match change(function) {
            Ok((change, value)) => {
                self.changes.push(change);
                *expr = value;
                ControlFlow::Continue(())
            }
            Err(error) => ControlFlow::Break(error),
        }
    }
}

fn change(function: &Function) -> Result<(SettingChange, Expr), Error> {
    let args = build::plain_arguments(function).unwrap_or_default();
    let [name, value, local] = args.as_slice() else {
        return Err(Error::invalid(
            SqlState::UNDEFINED_FUNCTION,
            "function set_config does not exist",
        ));
    };
    let change = SettingChange {
        name: text(name)?,
        value: text(value)?,
        local: truth(local)?,
    };
    if let (SettingText::Literal(name), SettingText::Literal(value)) = (&change.name, &change.value)
        && name.eq_ignore_ascii_case("search_path")
    {
        search_path(value.split(',').map(|entry| entry.trim().trim_matches('"')))?;
    }
    let mut answer = build::cast(bare(value).clone(), build::varchar());
    if let SettingText::Parameter(_) = change.name {
        // The name's parameter stays in the text, so that the statement takes as many as the client wrote.
        let named = build::cast(bare(name).clone(), build::varchar());
        answer = Expr::Case {
            case_token: ast::helpers::attached_token::AttachedToken::empty(),
            end_token: ast::helpers::attached_token::AttachedToken::empty(),
            operand: None,
            conditions: vec![CaseWhen {
                condition: Expr::IsNotNull(Box::new(named)),
                result: answer,
            }],
            else_result: None,
        };
    }
    Ok((change, answer))
}

/// Refuses a search path through what is hidden.
pub(crate) fn search_path<'e>(mut entries: impl Iterator<Item = &'e str>) -> Result<(), Error> {
    entries.try_for_each(super::gate::hidden)
}

/// The argument without casts to text and parentheses.
fn bare(expr: &Expr) -> &Expr {
    match expr {
        Expr::Nested(inner) => bare(inner),
        Expr::Cast { expr, .. } => bare(expr),
        other => other,
    }
}

fn text(expr: &Expr) -> Result<SettingText, Error> {
    let expr = bare(expr);
    if let Some(value) = build::literal(expr) {
        return Ok(SettingText::Literal(value));
    }
    if let Some(number) = build::parameter(expr) {
        return Ok(SettingText::Parameter(number));
    }
    if build::is_null(expr) {
        return Ok(SettingText::Null);
    }
    Err(Error::unsupported("set_config() takes only literals and parameters"))
}

fn truth(expr: &Expr) -> Result<bool, Error> {
    let word = match bare(expr) {
        Expr::Value(value) if matches!(value.value, Value::Boolean(_)) => value.value.to_string().to_lowercase(),
        other => build::literal(other).unwrap_or_default().to_lowercase(),
    };
    match word.as_str() {
        "true" | "t" | "yes" | "on" | "1" => Ok(true),
        "false" | "f" | "no" | "off" | "0" => Ok(false),
        _ => Err(Error::unsupported(
            "set_config() takes only true or false as its third argument",
        )),
    }
}
