//! Types of parameters: those that the client declared, which the engine is told, and those that the text says.

use std::ops::ControlFlow;

use pintail_sqlstate::SqlState;
use sqlparser::ast::{
    self, BinaryOperator, Expr, ObjectName, TableFactor, Value, ValueWithSpan, Visit, VisitMut, Visitor, VisitorMut,
};

use super::{build, last_name, session_calls, types};
use crate::Error;
use crate::plan::Context;

/// Wraps each such parameter in a cast.
pub(super) fn apply(statement: &mut ast::Statement, context: &Context<'_>) {
    if context.param_oids.iter().all(|&oid| oid == 0 || oid == build::UNKNOWN) {
        return;
    }
    let mut casts = Casts {
        oids: context.param_oids,
        cast: 0,
    };
    let _ = statement.visit(&mut casts);
}

/// Casts parameters that are arguments of functions whose overloads leave them open, as PostgreSQL resolves those. Runs before
/// functions get the engine's names.
pub(super) fn arguments(statement: &mut ast::Statement, context: &Context<'_>) {
    let _ = statement.visit(&mut Arguments {
        oids: context.param_oids,
    });
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
/// Names of objects (`$1::regclass`) stay open: what the client sends for them is text. Beside it, the first number that is
/// skipped.
pub(super) fn said(statement: &ast::Statement) -> (Vec<u32>, Option<usize>) {
    let mut said = Said { oids: Vec::new() };
    let _ = statement.visit(&mut said);
    let skipped = said.oids.iter().position(Option::is_none).map(|index| index + 1);
    let oids = said.oids.into_iter().map(Option::unwrap_or_default).collect();
    (oids, skipped)
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
    /// A parameter beside a number takes the number's type, as PostgreSQL prefers an operator of one type.
    fn operands(&mut self, operand: &Expr, other: &Expr) {
        let oid = match other {
            Expr::Cast { data_type, .. } => types::oid_of(data_type).filter(|oid| NUMBERS.contains(oid)),
            Expr::Value(value) => match &value.value {
                Value::Number(digits, _) if digits.contains('.') && !digits.contains(['e', 'E']) => Some(NUMERIC),
                _ => None,
            },
            _ => None,
        };
        if let (Some(number), Some(oid)) = (build::parameter(operand), oid) {
            self.note(number, oid);
        }
    }

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
        } else if let Expr::BinaryOp { left, op, right } = expr {
            if is_arithmetic(op) {
                self.operands(left, right);
                self.operands(right, left);
            }
        } else if let Expr::Function(function) = expr {
            self.arguments(&function.name, &build::plain_arguments(function).unwrap_or_default());
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_value(&mut self, value: &ValueWithSpan) -> ControlFlow<()> {
        if let Value::Placeholder(name) = &value.value
            && let Some(number) = name.strip_prefix('$').and_then(|digits| digits.parse().ok())
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

fn is_arithmetic(op: &BinaryOperator) -> bool {
    use BinaryOperator as B;
    matches!(op, B::Plus | B::Minus | B::Multiply | B::Divide | B::Modulo)
}

const INT4: u32 = 23;
const INT8: u32 = 20;
const NUMERIC: u32 = 1700;
/// `int2`, `int4`, `int8`, `float4`, `float8`, `numeric`.
const NUMBERS: [u32; 6] = [21, INT4, INT8, 700, 701, NUMERIC];
/// Functions of text and of bytes, and what an argument is that says neither: text, as PostgreSQL prefers it.
const OVERLOADED: &[(&str, &[&str])] = &[
    ("length", &["VARCHAR"]),
    ("octet_length", &["VARCHAR"]),
    ("bit_length", &["VARCHAR"]),
    ("substr", &["VARCHAR", "INTEGER", "INTEGER"]),
    ("left", &["VARCHAR", "INTEGER"]),
    ("right", &["VARCHAR", "INTEGER"]),
    ("repeat", &["VARCHAR", "INTEGER"]),
    ("lpad", &["VARCHAR", "INTEGER", "VARCHAR"]),
    ("rpad", &["VARCHAR", "INTEGER", "VARCHAR"]),
    ("split_part", &["VARCHAR", "VARCHAR", "INTEGER"]),
];

struct Arguments<'a> {
    oids: &'a [u32],
}

impl VisitorMut for Arguments<'_> {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        let Expr::Function(function) = expr else {
            return ControlFlow::Continue(());
        };
        let name = last_name(&function.name).unwrap_or_default();
        let Some((_, types)) = OVERLOADED.iter().find(|(function, _)| *function == name) else {
            return ControlFlow::Continue(());
        };
        let Some(mut arguments) = build::plain_arguments(function) else {
            return ControlFlow::Continue(());
        };
        let open = |argument: &Expr| build::declared(argument, self.oids) == Some(0);
        if !arguments.iter().any(open) {
            return ControlFlow::Continue(());
        }
        for (argument, kind) in arguments.iter_mut().zip(*types) {
            if open(argument) {
                *argument = build::cast(argument.clone(), build::named_type(kind));
            }
        }
        function.args = build::arguments(arguments);
        ControlFlow::Continue(())
    }
}

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
        if let Some(oid) = build::declared(expr, self.oids) {
            if self.cast > 0 {
                self.cast -= 1;
                return ControlFlow::Continue(());
            }
            if let Some(data_type) = types::engine_type(oid) {
                *expr = build::cast(expr.clone(), data_type);
            }
        }
        ControlFlow::Continue(())
    }
}
