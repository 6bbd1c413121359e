//! JSON's operators, and containment, which arrays share.

use sqlparser::ast::{BinaryOperator, DataType, Expr, Value};

use super::super::literals::{self, Item};
use super::super::{build, last_name};
use crate::Error;

/// Whether an expression is visibly JSON.
pub(super) fn is_json(expr: &Expr) -> bool {
    match expr {
        Expr::Cast { data_type, .. } => matches!(data_type, DataType::JSON | DataType::JSONB),
        Expr::TypedString(typed) => matches!(typed.data_type, DataType::JSON | DataType::JSONB),
        Expr::Nested(inner) => is_json(inner),
        Expr::BinaryOp { op, .. } => matches!(op, BinaryOperator::Arrow | BinaryOperator::HashArrow),
        Expr::Function(function) => last_name(&function.name).is_some_and(|name| {
            (name.starts_with("json") || name.starts_with("_json") || name == "to_json")
                && !name.ends_with("_text")
                && !matches!(name.as_str(), "_json_text" | "_json_path_text")
        }),
        _ => false,
    }
}

/// Whether an expression is visibly a network address.
pub(super) fn is_network(expr: &Expr) -> bool {
    matches!(expr, Expr::Cast { data_type: DataType::Custom(name, _), .. }
        if matches!(last_name(name).as_deref(), Some("inet" | "cidr")))
}

/// The call that an operator becomes; `None` where the engine's own will do.
pub(super) fn operator(left: &Expr, op: &BinaryOperator, right: &Expr) -> Result<Option<Expr>, Error> {
    use BinaryOperator as B;
    let own = |name: &str| Some(build::own(name, vec![left.clone(), right.clone()]));
    Ok(match op {
        B::Arrow => own(if is_index(right) { "_json_item" } else { "_json_get" }),
        B::LongArrow => own(if is_index(right) {
            "_json_item_text"
        } else {
            "_json_text"
        }),
        B::HashArrow => Some(build::own("_json_path", vec![left.clone(), path(right)?])),
        B::HashLongArrow => Some(build::own("_json_path_text", vec![left.clone(), path(right)?])),
        B::AtArrow if is_json(left) || is_json(right) => own("_json_contains"),
        B::ArrowAt if is_json(left) || is_json(right) => {
            Some(build::own("_json_contains", vec![right.clone(), left.clone()]))
        }
        B::Question => own("_json_has"),
        B::QuestionPipe => Some(build::own("_json_has_any", vec![left.clone(), path(right)?])),
        B::QuestionAnd => Some(build::own("_json_has_all", vec![left.clone(), path(right)?])),
        B::Minus if is_json(left) && is_index(right) => own("_json_delete_item"),
        B::Minus if is_json(left) => own("_json_delete"),
        B::HashMinus => Some(build::own("_json_delete_path", vec![left.clone(), path(right)?])),
        B::AtQuestion => return Err(Error::unsupported("the operator @? is not supported")),
        _ => None,
    })
}

/// Whether an operand is visibly a whole number.
fn is_index(expr: &Expr) -> bool {
    match expr {
        Expr::Value(value) => matches!(value.value, Value::Number(..)),
        Expr::UnaryOp { expr, .. } | Expr::Nested(expr) => is_index(expr),
        Expr::Cast { data_type, .. } => {
            matches!(
                data_type,
                DataType::Int(_) | DataType::Integer(_) | DataType::BigInt(_) | DataType::Int4(_)
            )
        }
        _ => false,
    }
}

/// A text array, from a literal or as it stands.
fn path(expr: &Expr) -> Result<Expr, Error> {
    let Some(text) = build::literal(expr) else {
        return Ok(expr.clone());
    };
    let Item::List(items) = literals::array(&text)? else {
        return Ok(expr.clone());
    };
    let elem = items
        .iter()
        .map(|item| match item {
            Item::Text(text) => build::text(text),
            Item::Null | Item::List(_) => build::text(""),
        })
        .collect();
    Ok(Expr::Array(sqlparser::ast::Array { elem, named: true }))
}
