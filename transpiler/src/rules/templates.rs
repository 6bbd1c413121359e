//! `to_char`, `to_date` and `to_timestamp` with templates that are literals: PostgreSQL's patterns in the engine's.

mod datetime;
mod number;

use sqlparser::ast::{Expr, Function};

use super::{build, last_name};
use crate::Error;

/// The call that a formatting function becomes; `None` for any other function.
pub(super) fn call(function: &Function) -> Result<Option<Expr>, Error> {
    let Some(name) = last_name(&function.name) else {
        return Ok(None);
    };
    if !matches!(name.as_str(), "to_char" | "to_date" | "to_timestamp" | "to_number") {
        return Ok(None);
    }
    let Some(args) = build::plain_arguments(function) else {
        return Ok(None);
    };
    let [value, template] = args.as_slice() else {
        return Ok(None);
    };
    let Some(template) = build::literal(template) else {
        return Err(Error::unsupported(format!(
            "{name}() with a template that is not a literal is not supported"
        )));
    };
    Ok(Some(match name.as_str() {
        "to_char" if number::is_template(&template) => number::to_char(value, &template),
        "to_char" => datetime::to_char(value, &template)?,
        "to_number" => number::to_number(value),
        other => {
            let format = build::text(&datetime::input(&template)?);
            build::own(
                if other == "to_date" {
                    "_to_date"
                } else {
                    "_to_timestamp"
                },
                vec![value.clone(), format],
            )
        }
    }))
}
