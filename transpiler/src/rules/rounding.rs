//! `round(x, n)` and `trunc(x, n)`: numeric with n digits after the point, whatever the engine made of x.

use sqlparser::ast::{DataType, ExactNumberInfo, Expr, Function, Value};

use super::{build, last_name};

/// Most digits kept, so that what is before the point still fits.
const MOST: i64 = 20;

/// The call as a decimal of n digits; `None` where n is no literal.
pub(super) fn call(function: &Function) -> Option<Expr> {
    let name = last_name(&function.name)?;
    let args = build::plain_arguments(function)?;
    let [_, digits] = args.as_slice() else { return None };
    let Expr::Value(value) = digits else { return None };
    let Value::Number(digits, _) = &value.value else {
        return None;
    };
    let digits = digits.parse::<i64>().ok().filter(|n| (0..=MOST).contains(n))?;
    let info = ExactNumberInfo::PrecisionAndScale(38, digits);
    Some(build::cast(build::call(&name, args), DataType::Decimal(info)))
}
