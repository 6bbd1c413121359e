//! Arguments that name files or relations, and names of files wherever else they stand.
//!
//! The engine takes the query string of an object's name for settings of its own, the store's host among them: it sends the
//! request, and the keys' signature, to whatever host stands there. So an object's name has no query string. And it takes
//! any expression that it can fold for a name, a parameter's or a variable's value too, which nobody knows when a statement
//! is judged: so such an argument is a literal, or literals put together.

use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, DataType, Expr, FunctionArg, FunctionArgExpr, UnaryOperator, Value, ValueWithSpan, Visit, Visitor,
};

use super::verdict::Argument;
use super::{HIDDEN, INTERNAL};
use crate::Error;

/// Judges the arguments of a call.
pub(super) fn check(function: &str, argument: Argument, args: &[FunctionArg]) -> Result<(), Error> {
    if argument == Argument::Value {
        return Ok(());
    }
    for arg in args {
        match positional(arg) {
            Some(expr) => constants(expr)
                .ok_or_else(|| not_a_literal(function))?
                .iter()
                .try_for_each(|text| judge(argument, text))?,
            None => match arg.visit(&mut Literals { argument }) {
                ControlFlow::Break(error) => return Err(error),
                ControlFlow::Continue(()) => {}
            },
        }
    }
    Ok(())
}

/// What is said of an argument whose value nobody knows yet.
pub(super) fn not_a_literal(function: &str) -> Error {
    Error::forbidden(format!("function {function} of what is not a literal"))
}

/// Judges what an argument names.
pub(super) fn judge(argument: Argument, text: &str) -> Result<(), Error> {
    match argument {
        Argument::Value => Ok(()),
        Argument::File => file(text),
        Argument::Relation => {
            let lower = text.to_lowercase();
            if lower.contains(HIDDEN) || lower.contains(INTERNAL) {
                return Err(Error::forbidden(format!("table {text}")));
            }
            Ok(())
        }
    }
}

/// Refuses the name of an object with a query string.
pub(crate) fn file(name: &str) -> Result<(), Error> {
    let lower = name.to_lowercase();
    let Some((scheme, _)) = lower.split_once("://") else {
        return Ok(());
    };
    // The query string of these goes to the host that the name says; of a local file it is a pattern.
    if matches!(scheme, "http" | "https" | "file") || !lower.contains('?') {
        return Ok(());
    }
    Err(Error::forbidden("query strings in names of objects"))
}

/// An argument that the engine takes by its place: neither `name => value` nor `name = value`.
fn positional(arg: &FunctionArg) -> Option<&Expr> {
    match arg {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::BinaryOp {
            left,
            op: BinaryOperator::Eq,
            ..
        })) if matches!(left.as_ref(), Expr::Identifier(_)) => None,
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    }
}

/// The texts that an expression of literals is or holds; `None` of any other expression.
fn constants(expr: &Expr) -> Option<Vec<String>> {
    match expr {
        Expr::Value(value) => constant(value),
        Expr::Nested(inner)
        | Expr::Cast {
            expr: inner,
            data_type: DataType::Varchar(_) | DataType::Text,
            ..
        } => constants(inner),
        Expr::Array(array) => {
            let elements: Option<Vec<_>> = array.elem.iter().map(constants).collect();
            Some(elements?.into_iter().flatten().collect())
        }
        Expr::BinaryOp {
            left,
            op: BinaryOperator::StringConcat,
            right,
        } => match (constants(left)?.as_slice(), constants(right)?.as_slice()) {
            ([left], [right]) => Some(vec![format!("{left}{right}")]),
            _ => None,
        },
        Expr::UnaryOp {
            op: UnaryOperator::Minus,
            expr: inner,
        } if matches!(inner.as_ref(), Expr::Value(value) if matches!(value.value, Value::Number(..))) => {
            Some(Vec::new())
        }
        _ => None,
    }
}

/// Literals with escapes are none: the engine and the parser need not agree on what they say.
fn constant(value: &ValueWithSpan) -> Option<Vec<String>> {
    match &value.value {
        Value::SingleQuotedString(text) => Some(vec![text.replace("''", "'")]),
        Value::DollarQuotedString(text) => Some(vec![text.value.clone()]),
        Value::Number(..) | Value::Boolean(_) | Value::Null => Some(Vec::new()),
        _ => None,
    }
}

struct Literals {
    argument: Argument,
}

impl Visitor for Literals {
    type Break = Error;

    fn pre_visit_value(&mut self, value: &ValueWithSpan) -> ControlFlow<Error> {
        let text = match &value.value {
            Value::SingleQuotedString(text) | Value::EscapedStringLiteral(text) => text,
            Value::DollarQuotedString(text) => &text.value,
            _ => return ControlFlow::Continue(()),
        };
        super::flow(judge(self.argument, text))
    }
}
