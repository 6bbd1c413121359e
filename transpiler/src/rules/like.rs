//! LIKE: a backslash escapes, as it does in PostgreSQL where ESCAPE says nothing else.

use sqlparser::ast::{BinaryOperator, Expr};

use super::build;

/// Gives a literal pattern with a backslash the escape character that PostgreSQL assumes.
pub(super) fn escape(expr: &mut Expr) {
    match expr {
        Expr::Like {
            any: false,
            pattern,
            escape_char: escape @ None,
            ..
        }
        | Expr::ILike {
            any: false,
            pattern,
            escape_char: escape @ None,
            ..
        } if escapes(pattern) => *escape = Some(Box::new(build::text("\\"))),
        Expr::BinaryOp { left, op, right } if escapes(right) => {
            let (negated, folded) = match op {
                BinaryOperator::PGLikeMatch => (false, false),
                BinaryOperator::PGNotLikeMatch => (true, false),
                BinaryOperator::PGILikeMatch => (false, true),
                BinaryOperator::PGNotILikeMatch => (true, true),
                _ => return,
            };
            *expr = like(left, right, negated, folded);
        }
        _ => {}
    }
}

#[allow(
    clippy::fn_params_excessive_bools,
    reason = "the two independent halves of the operator's name"
)]
fn like(left: &Expr, right: &Expr, negated: bool, folded: bool) -> Expr {
    let (any, expr, pattern) = (false, Box::new(left.clone()), Box::new(right.clone()));
    let escape_char = Some(Box::new(build::text("\\")));
    if folded {
        return Expr::ILike {
            negated,
            any,
            expr,
            pattern,
            escape_char,
        };
    }
    Expr::Like {
        negated,
        any,
        expr,
        pattern,
        escape_char,
    }
}

fn escapes(pattern: &Expr) -> bool {
    build::literal(pattern).is_some_and(|text| text.contains('\\'))
}
