//! `format()`: its template is read here and becomes a concatenation.

use pintail_sqlstate::SqlState;
use sqlparser::ast::Expr;

use super::build;
use crate::Error;

/// The text that `template` makes of `args`.
pub(super) fn expand(template: &str, args: &[Expr]) -> Result<Expr, Error> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut next = 0_usize;
    let mut chars = template.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        if chars.next_if_eq(&'%').is_some() {
            text.push('%');
            continue;
        }
        let spec = specifier(&mut chars)?;
        let index = spec.position.map_or(next, |n| n - 1);
        next = index + 1;
        let argument = args
            .get(index)
            .ok_or_else(|| Error::invalid(SqlState::INVALID_PARAMETER_VALUE, "too few arguments for format()"))?;
        if !text.is_empty() {
            parts.push(build::text(&text));
            text.clear();
        }
        parts.push(converted(&spec, argument.clone()));
    }
    if !text.is_empty() || parts.is_empty() {
        parts.push(build::text(&text));
    }
    Ok(build::call("concat", parts))
}

/// `%[position$][-][width]type`.
struct Specifier {
    position: Option<usize>,
    left: bool,
    width: Option<usize>,
    conversion: char,
}

fn specifier(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Result<Specifier, Error> {
    let mut spec = Specifier {
        position: None,
        left: false,
        width: None,
        conversion: 's',
    };
    loop {
        match chars.next() {
            Some('-') => spec.left = true,
            Some(digit) if digit.is_ascii_digit() => {
                let mut number = digit.to_string();
                while let Some(more) = chars.next_if(char::is_ascii_digit) {
                    number.push(more);
                }
                let number = number.parse().ok();
                if chars.next_if_eq(&'$').is_some() {
                    spec.position = number.filter(|&n| n > 0);
                } else {
                    spec.width = number;
                }
            }
            Some(conversion @ ('s' | 'I' | 'L')) => {
                spec.conversion = conversion;
                return Ok(spec);
            }
            Some(other) => {
                return Err(Error::invalid(
                    SqlState::INVALID_PARAMETER_VALUE,
                    format!("unrecognized format() type specifier \"{other}\""),
                ));
            }
            None => {
                return Err(Error::invalid(
                    SqlState::INVALID_PARAMETER_VALUE,
                    "unterminated format() type specifier",
                ));
            }
        }
    }
}

fn converted(spec: &Specifier, argument: Expr) -> Expr {
    let text = build::cast(argument, build::varchar());
    let value = match spec.conversion {
        'I' => build::call("quote_ident", vec![text]),
        'L' => build::call("quote_nullable", vec![text]),
        _ => build::call("coalesce", vec![text, build::text("")]),
    };
    let Some(width) = spec.width else { return value };
    let name = if spec.left { "_pad_right" } else { "_pad_left" };
    build::own(name, vec![value, build::number(&width.to_string())])
}
