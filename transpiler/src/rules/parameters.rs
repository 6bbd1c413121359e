//! Types of parameters: those that the client declared, which the engine is told, and those that the text says.

use std::ops::ControlFlow;

use pintail_sqlstate::SqlState;
use sqlparser::ast::{self, Expr, ObjectName, TableFactor, Value, ValueWithSpan, Visit, VisitMut, Visitor, VisitorMut};

use super::{build, last_name, session_calls, types};
use crate::Error;
use crate::plan::Context;

/// Wraps each such parameter in a cast.
pub(super) fn apply(statement: &mut ast::Statement, context: &Context<'_>) {
    let _ = statement.visit(&mut Texts {
        oids: context.param_oids,
    });
    if context.param_oids.iter().all(|&oid| oid == 0 || oid == UNKNOWN) {
        return;
    }
    let mut casts = Casts {
        oids: context.param_oids,
        cast: 0,
    };
    let _ = statement.visit(&mut casts);
}

/// Refuses numbers that no parameter has: they count from 1, in the protocol's 16 bits.
pub(super) fn check(statement: &ast::Statement) -> Result<(), Error> {
    match statement.visit(&mut Numbers) {
        ControlFlow::Break(number) => Err(Error::invalid(
            SqlState::UNDEFINED_PARAMETER,
            format!("there is no parameter {number}"),
        )),
        ControlFlow::Continue(()) => Ok(()),
    }
}

struct Numbers;

impl Visitor for Numbers {
    type Break = String;

    fn pre_visit_value(&mut self, value: &ValueWithSpan) -> ControlFlow<String> {
        match &value.value {
            Value::Placeholder(name)
                if name.strip_prefix('$').is_some_and(|digits| {
                    digits.bytes().all(|byte| byte.is_ascii_digit())
                        && !digits.parse::<u16>().is_ok_and(|number| number > 0)
                }) =>
            {
                ControlFlow::Break(name.clone())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

/// The types that casts directly around parameters say, by position; 0 where a parameter first stands without one.
///
/// Names of objects (`$1::regclass`) stay open: what the client sends for them is text.
pub(super) fn said(statement: &ast::Statement) -> Vec<u32> {
    let mut said = Said { oids: Vec::new() };
    let _ = statement.visit(&mut said);
    said.oids.into_iter().map(Option::unwrap_or_default).collect()
}

struct Said {
    /// `None` for a parameter that was not met yet.
    oids: Vec<Option<u32>>,
}

impl Said {
    fn note(&mut self, number: usize, oid: u32) {
        // The protocol counts parameters in 16 bits.
        if number == 0 || number > usize::from(u16::MAX) {
            return;
        }
        if self.oids.len() < number {
            self.oids.resize(number, None);
        }
        self.oids[number - 1].get_or_insert(oid);
    }
}

impl Said {
    /// Parameters that are arguments of the session's functions.
    fn arguments(&mut self, function: &ObjectName, arguments: &[Expr]) {
        let function = last_name(function).unwrap_or_default();
        if function == "generate_series" {
            return self.series(arguments);
        }
        let types = session_calls::arguments(&function, arguments.len());
        for (argument, oid) in arguments.iter().zip(types) {
            if let Some(number) = build::parameter(argument) {
                self.note(number, *oid);
            }
        }
    }
}

impl Said {
    /// Bounds of a series have one type: that of a bound which is a number.
    fn series(&mut self, bounds: &[Expr]) {
        let number = bounds.iter().find_map(integer);
        let Some(oid) = number.map(|number| if i32::try_from(number).is_ok() { INT4 } else { INT8 }) else {
            return;
        };
        for parameter in bounds.iter().filter_map(build::parameter) {
            self.note(parameter, oid);
        }
    }
}

impl Visitor for Said {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        let (name, args) = match factor {
            TableFactor::Table {
                name, args: Some(args), ..
            } => (name, args.args.as_slice()),
            TableFactor::Function { name, args, .. } => (name, args.as_slice()),
            _ => return ControlFlow::Continue(()),
        };
        self.arguments(name, &build::expressions(args).unwrap_or_default());
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if let Expr::Cast {
            expr: inner, data_type, ..
        } = expr
            && let Some(number) = build::parameter(inner)
        {
            let name = data_type.to_string();
            let is_name = name.to_lowercase().starts_with("reg");
            self.note(number, types::type_oid(&name).filter(|_| !is_name).unwrap_or(0));
        } else if let Expr::Function(function) = expr {
            self.arguments(&function.name, &build::plain_arguments(function).unwrap_or_default());
        } else if matches!(expr, Expr::Value(_))
            && let Some(number) = build::parameter(expr)
        {
            self.note(number, 0);
        }
        ControlFlow::Continue(())
    }
}

/// A whole number that stands in the text.
fn integer(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Value(value) => match &value.value {
            ast::Value::Number(digits, _) => digits.to_string().parse().ok(),
            _ => None,
        },
        Expr::UnaryOp { expr, .. } => integer(expr),
        _ => None,
    }
}

const INT4: u32 = 23;
const INT8: u32 = 20;
/// Functions of text and of bytes: an argument that says neither is text, as PostgreSQL prefers it.
const OF_TEXT: &[&str] = &["length", "octet_length", "bit_length"];

struct Texts<'a> {
    oids: &'a [u32],
}

impl VisitorMut for Texts<'_> {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        let Expr::Function(function) = expr else {
            return ControlFlow::Continue(());
        };
        let named = last_name(&function.name).is_some_and(|name| OF_TEXT.contains(&name.as_str()));
        if named
            && let Some([argument]) = build::plain_arguments(function).as_deref()
            && let Some(number) = build::parameter(argument)
            && let declared = number.checked_sub(1).and_then(|index| self.oids.get(index))
            && declared.is_none_or(|&oid| oid == 0 || oid == UNKNOWN)
        {
            function.args = build::arguments(vec![build::cast(argument.clone(), build::varchar())]);
        }
        ControlFlow::Continue(())
    }
}

/// The OID of `unknown`.
const UNKNOWN: u32 = 705;

struct Casts<'a> {
    oids: &'a [u32],
    /// Depth of casts directly around a parameter, which already say its type.
    cast: usize,
}

impl VisitorMut for Casts<'_> {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::Cast { expr: inner, .. } = expr
            && build::parameter(inner).is_some()
        {
            self.cast += 1;
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if !matches!(expr, Expr::Value(_)) {
            return ControlFlow::Continue(());
        }
        if let Some(n) = build::parameter(expr) {
            if self.cast > 0 {
                self.cast -= 1;
                return ControlFlow::Continue(());
            }
            let oid = n.checked_sub(1).and_then(|index| self.oids.get(index));
            if let Some(data_type) = oid.and_then(|&oid| types::engine_type(oid)) {
                *expr = build::cast(expr.clone(), data_type);
            }
        }
        ControlFlow::Continue(())
    }
}
