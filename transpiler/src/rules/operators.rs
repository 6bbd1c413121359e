//! Operators that DuckDB lacks, spells otherwise or means otherwise.

mod json;
mod pattern;

use std::ops::ControlFlow;

use sqlparser::ast::{self, BinaryOperator, DataType, Expr, TableFactor, UnaryOperator, Value, VisitMut, VisitorMut};

pub(super) use pattern::translated;

use super::scope::{self, Depth};
use super::{build, last_name};
use crate::Error;

/// Rewrites every operator that needs it.
pub(super) fn apply(statement: &mut ast::Statement) -> Result<(), Error> {
    match statement.visit(&mut Operators {
        depth: Depth::default(),
    }) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

struct Operators {
    depth: Depth,
}

impl VisitorMut for Operators {
    type Break = Error;

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Error> {
        self.depth.enter_factor(factor);
        ControlFlow::Continue(())
    }

    fn post_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Error> {
        self.depth.leave_factor(factor);
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Error> {
        self.depth.enter(expr);
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Error> {
        self.depth.leave(expr);
        let top = self.depth.is_top();
        super::like::escape(expr);
        let rewritten = match expr {
            Expr::BinaryOp { left, op, right } => {
                qualified(op);
                binary(left, op, right, top)
            }
            Expr::UnaryOp { op, expr } => Ok(unary(*op, expr)),
            Expr::SimilarTo {
                negated,
                expr,
                pattern,
                escape_char,
            } => pattern::similar(expr, pattern, escape_char.as_deref())
                .map(|new| Some(if *negated { not(new) } else { new })),
            Expr::IsNormalized { .. } => Err(Error::unsupported("IS NORMALIZED is not supported")),
            Expr::AnyOp {
                left,
                compare_op,
                right,
                ..
            } => Ok(any(left, compare_op, right, Quantifier::Any)),
            Expr::AllOp {
                left,
                compare_op,
                right,
            } => Ok(any(left, compare_op, right, Quantifier::All)),
            Expr::Like {
                negated,
                any: true,
                expr,
                pattern,
                ..
            } => Ok(any(expr, &like(*negated, Case::Exact), pattern, Quantifier::Any)),
            Expr::ILike {
                negated,
                any: true,
                expr,
                pattern,
                ..
            } => Ok(any(expr, &like(*negated, Case::Folded), pattern, Quantifier::Any)),
            Expr::IsUnknown(inner) => Ok(Some(Expr::IsNull(inner.clone()))),
            Expr::IsNotUnknown(inner) => Ok(Some(Expr::IsNotNull(inner.clone()))),
            _ => Ok(None),
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

/// Whether LIKE minds the case.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Exact,
    Folded,
}

/// LIKE as an operator.
fn like(negated: bool, case: Case) -> BinaryOperator {
    match (negated, case) {
        (false, Case::Exact) => BinaryOperator::PGLikeMatch,
        (true, Case::Exact) => BinaryOperator::PGNotLikeMatch,
        (false, Case::Folded) => BinaryOperator::PGILikeMatch,
        (true, Case::Folded) => BinaryOperator::PGNotILikeMatch,
    }
}

fn not(expr: Expr) -> Expr {
    Expr::Nested(Box::new(Expr::UnaryOp {
        op: UnaryOperator::Not,
        expr: Box::new(expr),
    }))
}

/// `OPERATOR(pg_catalog.~)` is `~`.
fn qualified(op: &mut BinaryOperator) {
    use BinaryOperator as B;
    let BinaryOperator::PGCustomBinaryOperator(parts) = op else {
        return;
    };
    *op = match parts.last().map(String::as_str) {
        Some("~") => B::PGRegexMatch,
        Some("~*") => B::PGRegexIMatch,
        Some("!~") => B::PGRegexNotMatch,
        Some("!~*") => B::PGRegexNotIMatch,
        Some("~~") => B::PGLikeMatch,
        Some("~~*") => B::PGILikeMatch,
        Some("!~~") => B::PGNotLikeMatch,
        Some("!~~*") => B::PGNotILikeMatch,
        Some("=") => B::Eq,
        Some("<>") => B::NotEq,
        Some("<") => B::Lt,
        Some(">") => B::Gt,
        Some("<=") => B::LtEq,
        Some(">=") => B::GtEq,
        Some("+") => B::Plus,
        Some("-") => B::Minus,
        Some("*") => B::Multiply,
        Some("/") => B::Divide,
        Some("%") => B::Modulo,
        Some("||") => B::StringConcat,
        Some("@>") => B::AtArrow,
        Some("<@") => B::ArrowAt,
        Some("&&") => B::PGOverlap,
        _ => return,
    };
}

fn binary(left: &Expr, op: &BinaryOperator, right: &Expr, top: bool) -> Result<Option<Expr>, Error> {
    use BinaryOperator as B;
    let pair = || vec![left.clone(), right.clone()];
    Ok(match op {
        B::Divide if typed(left) && typed(right) => {
            let known = top && scope::typed_alone(left) && scope::typed_alone(right);
            Some(build::own(if known { "_div" } else { "_div_any" }, pair()))
        }
        B::Modulo if typed(left) && typed(right) => Some(build::own("_mod", pair())),
        B::PGRegexMatch => Some(pattern::regex(left, right, "s")),
        B::PGRegexIMatch => Some(pattern::regex(left, right, "is")),
        B::PGRegexNotMatch => Some(not(pattern::regex(left, right, "s"))),
        B::PGRegexNotIMatch => Some(not(pattern::regex(left, right, "is"))),
        B::PGBitwiseXor => Some(build::call("xor", pair())),
        B::PGBitwiseShiftLeft if json::is_network(left) => {
            return Err(Error::unsupported("network operators are not supported"));
        }
        B::Minus if dates(left, right) => {
            let difference = Expr::BinaryOp {
                left: Box::new(left.clone()),
                op: B::Minus,
                right: Box::new(right.clone()),
            };
            Some(build::cast(Expr::Nested(Box::new(difference)), DataType::Integer(None)))
        }
        B::StringConcat => concat(left, right),
        B::AtAt => return Err(Error::unsupported("text search is not supported")),
        _ => json::operator(left, op, right)?,
    })
}

/// Whether PostgreSQL knows an operand's type: a bare string or NULL takes the other side's.
fn typed(expr: &Expr) -> bool {
    build::literal(expr).is_none() && !build::is_null(expr)
}

fn dates(left: &Expr, right: &Expr) -> bool {
    is_date(left) && is_date(right)
}

fn is_date(expr: &Expr) -> bool {
    match expr {
        Expr::TypedString(typed) => typed.data_type == DataType::Date,
        Expr::Cast { data_type, .. } => *data_type == DataType::Date,
        Expr::Function(function) => last_name(&function.name).as_deref() == Some("current_date"),
        Expr::Nested(inner) => is_date(inner),
        _ => false,
    }
}

fn concat(left: &Expr, right: &Expr) -> Option<Expr> {
    if json::is_json(left) || json::is_json(right) {
        return Some(build::own("_jsonb_concat", vec![left.clone(), right.clone()]));
    }
    match (is_array(left), is_array(right)) {
        (true, false) if scalar(right) => Some(build::call("list_append", vec![left.clone(), right.clone()])),
        (false, true) if scalar(left) => Some(build::call("list_prepend", vec![left.clone(), right.clone()])),
        (false, false) if build::is_null(right) || build::is_null(left) => {
            let text = |side: &Expr| {
                Box::new(if build::is_null(side) {
                    build::cast(side.clone(), build::varchar())
                } else {
                    side.clone()
                })
            };
            Some(Expr::BinaryOp {
                left: text(left),
                op: BinaryOperator::StringConcat,
                right: text(right),
            })
        }
        _ => None,
    }
}

fn is_array(expr: &Expr) -> bool {
    match expr {
        Expr::Array(_) => true,
        Expr::Cast { data_type, .. } => matches!(data_type, DataType::Array(_)),
        Expr::Nested(inner) => is_array(inner),
        _ => false,
    }
}

fn scalar(expr: &Expr) -> bool {
    match expr {
        Expr::Value(value) => value.value != Value::Null,
        Expr::UnaryOp { expr, .. } => scalar(expr),
        _ => false,
    }
}

fn unary(op: UnaryOperator, expr: &Expr) -> Option<Expr> {
    let name = match op {
        UnaryOperator::PGAbs => "abs",
        UnaryOperator::PGSquareRoot => "sqrt",
        UnaryOperator::PGCubeRoot => "cbrt",
        UnaryOperator::PGPrefixFactorial | UnaryOperator::PGPostfixFactorial => "factorial",
        _ => return None,
    };
    Some(build::call(name, vec![expr.clone()]))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quantifier {
    Any,
    All,
}

/// `x op ANY (array)` for operators that became calls, over a literal array of patterns.
fn any(left: &Expr, op: &BinaryOperator, right: &Expr, quantifier: Quantifier) -> Option<Expr> {
    use BinaryOperator as B;
    let array = match right {
        Expr::Nested(inner) => inner.as_ref(),
        other => other,
    };
    // '{a,b}' without a cast takes the left side's type.
    if let Some(text) = build::literal(array)
        && matches!(op, B::Eq | B::NotEq)
        && let Ok(super::literals::Item::List(items)) = super::literals::array(&text)
    {
        let elem = items
            .iter()
            .map(|item| match item {
                super::literals::Item::Text(text) => build::text(text),
                _ => Expr::value(Value::Null),
            })
            .collect();
        let list = Expr::Array(ast::Array { elem, named: true });
        return Some(quantified(left, op, list, quantifier));
    }
    let Expr::Array(list) = array else { return None };
    if !matches!(
        op,
        B::PGRegexMatch
            | B::PGRegexIMatch
            | B::PGRegexNotMatch
            | B::PGRegexNotIMatch
            | B::PGLikeMatch
            | B::PGILikeMatch
            | B::PGNotLikeMatch
            | B::PGNotILikeMatch
    ) {
        return None;
    }
    let each = list.elem.iter().map(|item| {
        let plain = Expr::BinaryOp {
            left: Box::new(left.clone()),
            op: op.clone(),
            right: Box::new(item.clone()),
        };
        binary(left, op, item, false).ok().flatten().unwrap_or(plain)
    });
    let joint = if quantifier == Quantifier::Any { B::Or } else { B::And };
    let all = each.reduce(|left, right| Expr::BinaryOp {
        left: Box::new(left),
        op: joint.clone(),
        right: Box::new(right),
    })?;
    Some(Expr::Nested(Box::new(all)))
}

fn quantified(left: &Expr, op: &BinaryOperator, list: Expr, quantifier: Quantifier) -> Expr {
    let (left, right) = (Box::new(left.clone()), Box::new(Expr::Nested(Box::new(list))));
    match quantifier {
        Quantifier::Any => Expr::AnyOp {
            left,
            compare_op: op.clone(),
            right,
            is_some: false,
        },
        Quantifier::All => Expr::AllOp {
            left,
            compare_op: op.clone(),
            right,
        },
    }
}
