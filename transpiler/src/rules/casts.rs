//! Casts whose meaning or spelling differs.

use std::ops::ControlFlow;

use sqlparser::ast::{
    self, Array, ArrayElemTypeDef, BinaryOperator, CharacterLength, DataType, ExactNumberInfo, Expr, TimezoneInfo,
    TypedString, VisitMut, VisitorMut,
};

use super::types::{self, Place};
use super::{build, literals};
use crate::Error;

/// Rewrites every cast and typed literal.
pub(super) fn apply(statement: &mut ast::Statement) -> Result<(), Error> {
    match statement.visit(&mut Casts) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

const OID: u32 = 26;
const INT4: u32 = 23;
const INT8: u32 = 20;

struct Casts;

impl VisitorMut for Casts {
    type Break = Error;

    fn post_visit_select(&mut self, select: &mut ast::Select) -> ControlFlow<Error> {
        for item in &mut select.projection {
            if let ast::SelectItem::UnnamedExpr(expr) | ast::SelectItem::ExprWithAlias { expr, .. } = item
                && let Some(name) = name_of(expr, &DataType::Text)
            {
                *expr = name;
            }
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Error> {
        if let Expr::BinaryOp { left, op, right } = expr {
            compared(left, op, right);
        }
        let rewritten = match expr {
            Expr::Cast {
                expr: inner, data_type, ..
            } => rewrite(inner, data_type),
            Expr::TypedString(TypedString { data_type, value, .. }) => {
                let inner = Expr::Value(value.clone());
                typed(&inner, data_type)
            }
            Expr::Value(value) => literals::bits(&value.value)
                .map(|digits| digits.map(|digits| build::cast(build::text(&digits), build::named_type("BIT")))),
            _ => Ok(None),
        };
        match rewritten {
            Ok(Some(new)) => *expr = new,
            Ok(None) => {}
            Err(error) => return ControlFlow::Break(error),
        }
        ControlFlow::Continue(())
    }
}

/// `type 'literal'`: a cast where DuckDB has no such literal.
fn typed(inner: &Expr, data_type: &DataType) -> Result<Option<Expr>, Error> {
    if let Some(new) = rewrite(inner, data_type)? {
        return Ok(Some(new));
    }
    let plain = matches!(
        data_type,
        DataType::Date | DataType::Time(None, _) | DataType::Timestamp(None, _) | DataType::Interval { .. }
    );
    Ok((!plain).then(|| build::cast(inner.clone(), data_type.clone())))
}

/// The expression that means `inner::data_type`; `None` where DuckDB means the same.
fn rewrite(inner: &Expr, data_type: &DataType) -> Result<Option<Expr>, Error> {
    let literal = build::literal(inner);
    if let Some(name) = name_of(inner, data_type) {
        return Ok(Some(name));
    }
    if let Some(found) = looked_up(inner, data_type) {
        return Ok(Some(found));
    }
    if let Some(length) = length(data_type) {
        return Ok(Some(sized(inner, data_type, length)));
    }
    if let Some(kind) = registered(data_type) {
        return Ok(Some(reg(inner, kind)));
    }
    if let Some(text) = &literal
        && let Some(new) = constant(text, data_type)?
    {
        return Ok(Some(new));
    }
    if *data_type == DataType::JSONB {
        return Ok(Some(build::own("_jsonb", vec![inner.clone()])));
    }
    if let DataType::Bytea = data_type
        && build::parameter(inner).is_none()
    {
        return Ok(Some(build::own("_bytea", vec![inner.clone()])));
    }
    if unconstrained(data_type)
        && let Some(scale) = literals::scale(inner)
    {
        let info = ExactNumberInfo::PrecisionAndScale(38, scale);
        return Ok(Some(build::cast(inner.clone(), DataType::Decimal(info))));
    }
    let mut engine = types::engine(data_type, Place::Cast)?;
    if matches!(data_type, DataType::Array(_)) && nesting(inner) > 1 {
        engine = deep(&engine, nesting(inner));
    }
    Ok((engine != *data_type).then(|| build::cast(inner.clone(), engine)))
}

/// How many array constructors stand in one another.
fn nesting(expr: &Expr) -> usize {
    match expr {
        Expr::Array(array) => 1 + array.elem.iter().map(nesting).max().unwrap_or(0),
        Expr::Nested(inner) => nesting(inner),
        _ => 0,
    }
}

fn unconstrained(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Numeric(ExactNumberInfo::None)
            | DataType::Decimal(ExactNumberInfo::None)
            | DataType::Dec(ExactNumberInfo::None)
    )
}

/// The length of a sized character type.
fn length(data_type: &DataType) -> Option<u64> {
    use DataType as D;
    match data_type {
        D::Character(length) | D::Char(length) => match length {
            Some(CharacterLength::IntegerLength { length, .. }) => Some(*length),
            Some(CharacterLength::Max) => None,
            None => Some(1),
        },
        D::CharacterVarying(Some(CharacterLength::IntegerLength { length, .. }))
        | D::CharVarying(Some(CharacterLength::IntegerLength { length, .. }))
        | D::Varchar(Some(CharacterLength::IntegerLength { length, .. })) => Some(*length),
        // `"char"` is a byte.
        D::Custom(name, _) if matches!(name.0.as_slice(), [part] if part.as_ident().is_some_and(is_char)) => Some(1),
        _ => None,
    }
}

fn is_char(name: &ast::Ident) -> bool {
    name.quote_style.is_some() && name.value == "char"
}

/// A cast to a sized character type cuts without a word; `char(n)` pads.
fn sized(inner: &Expr, data_type: &DataType, length: u64) -> Expr {
    let text = build::cast(inner.clone(), build::varchar());
    let n = build::number(&length.to_string());
    let cut = build::call("left", vec![text, n.clone()]);
    if matches!(data_type, DataType::Character(_) | DataType::Char(_)) {
        return build::call("rpad", vec![cut, n, build::text(" ")]);
    }
    cut
}

/// The object kind of a `reg…` type.
fn registered(data_type: &DataType) -> Option<&'static str> {
    match data_type {
        DataType::Regclass => Some("_regclass"),
        DataType::Custom(name, _) => match super::last_name(name)?.as_str() {
            "regclass" => Some("_regclass"),
            "regtype" => Some("_regtype"),
            "regproc" | "regprocedure" => Some("_regproc"),
            "regnamespace" => Some("_regnamespace"),
            "regrole" => Some("_regrole"),
            _ => None,
        },
        _ => None,
    }
}

/// An object's OID by its name, or the OID itself.
fn reg(inner: &Expr, kind: &str) -> Expr {
    build::own(kind, vec![inner.clone()])
}

/// An object's name, where the text of a `reg…` value is asked for.
fn name_of(inner: &Expr, data_type: &DataType) -> Option<Expr> {
    let text = matches!(
        data_type,
        DataType::Text | DataType::Varchar(None) | DataType::CharacterVarying(None)
    );
    let Expr::Function(function) = inner else { return None };
    let name = super::last_name(&function.name)?;
    if !text || !name.starts_with("_reg") || name.ends_with("_name") {
        return None;
    }
    let argument = build::plain_arguments(function)?.pop()?;
    Some(build::own(&format!("{name}_name"), vec![argument]))
}

/// The OID that `to_regclass` or `to_regtype` finds, where it is asked for.
fn looked_up(inner: &Expr, data_type: &DataType) -> Option<Expr> {
    let is_number = matches!(types::oid_of(data_type), Some(OID | INT4 | INT8));
    is_number.then(|| lookup(inner)).flatten()
}

fn lookup(inner: &Expr) -> Option<Expr> {
    let Expr::Function(function) = inner else { return None };
    let find = match super::last_name(&function.name)?.as_str() {
        "to_regclass" => "_find_class",
        "to_regtype" => "_find_type",
        _ => return None,
    };
    Some(build::own(find, build::plain_arguments(function)?))
}

/// Comparisons with what they find are of OIDs.
fn compared(left: &mut Expr, op: &BinaryOperator, right: &mut Expr) {
    if !matches!(op, BinaryOperator::Eq | BinaryOperator::NotEq) {
        return;
    }
    for side in [left, right] {
        if let Some(found) = lookup(side) {
            *side = found;
        }
    }
}

/// A literal whose notation is PostgreSQL's alone.
fn constant(text: &str, data_type: &DataType) -> Result<Option<Expr>, Error> {
    let with_era = match data_type {
        DataType::Date | DataType::Timestamp(..) => literals::with_era(text),
        _ => None,
    };
    if let Some(text) = with_era {
        let inner = build::text(&text);
        let again = constant(&text, data_type)?;
        return Ok(Some(match again {
            Some(done) => done,
            None => build::cast(inner, types::engine(data_type, Place::Cast)?),
        }));
    }
    Ok(match data_type {
        DataType::Bytea => {
            let bytes = literals::bytea(text)?;
            Some(build::cast(
                build::text(&literals::blob(&bytes)),
                build::named_type("BLOB"),
            ))
        }
        DataType::Timestamp(_, TimezoneInfo::WithTimeZone | TimezoneInfo::Tz) => {
            literals::with_seconds(text).map(|full| build::cast(build::text(&full), build::named_type("TIMESTAMPTZ")))
        }
        DataType::Boolean | DataType::Bool => {
            let value = literals::boolean(text)?;
            Some(build::cast(
                build::text(if value { "true" } else { "false" }),
                DataType::Boolean,
            ))
        }
        DataType::Array(ArrayElemTypeDef::SquareBracket(..) | ArrayElemTypeDef::Qualified(..))
            if text.trim_start().starts_with('{') =>
        {
            let items = literals::array(text)?;
            let engine = types::engine(data_type, Place::Cast)?;
            Some(build::cast(list(&items), depth(&engine, &items)))
        }
        _ => None,
    })
}

fn list(item: &literals::Item) -> Expr {
    match item {
        literals::Item::Null => Expr::value(ast::Value::Null),
        literals::Item::Text(text) => build::text(text),
        literals::Item::List(items) => Expr::Array(Array {
            elem: items.iter().map(list).collect(),
            named: false,
        }),
    }
}

/// PostgreSQL's array types say nothing of dimensions; DuckDB's do.
fn depth(data_type: &DataType, item: &literals::Item) -> DataType {
    deep(data_type, literals::dimensions(item).max(1))
}

/// The array type over the same element with so many dimensions.
fn deep(data_type: &DataType, dimensions: usize) -> DataType {
    let mut out = super::columns::element(data_type).clone();
    for _ in 0..dimensions {
        out = DataType::Array(ArrayElemTypeDef::SquareBracket(Box::new(out), None));
    }
    out
}
