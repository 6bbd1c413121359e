//! Number patterns (manual, table "Template Patterns for Numeric Formatting").

use sqlparser::ast::Expr;

use super::super::build;

/// Whether a template is for numbers: digits, and no letter of a date.
pub(super) fn is_template(template: &str) -> bool {
    let digits = template.contains('9') || template.contains('0');
    let dates = [
        "YY", "MM", "DD", "HH", "MI", "SS", "yy", "mm", "dd", "hh", "mi", "ss", "Mon", "Day",
    ];
    digits && !dates.iter().any(|pattern| template.contains(pattern))
}

/// What a template asks for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Shape {
    /// Digit places before the point.
    whole: usize,
    /// Digit places after it.
    decimals: usize,
    /// Places from the first `0` before the point.
    zeros: usize,
    /// Commas before the point.
    commas: usize,
    /// Text before and after the digits.
    prefix: String,
    suffix: String,
    /// `FM`.
    fill: bool,
}

fn shape(template: &str) -> Shape {
    let mut shape = Shape::default();
    let mut rest = template;
    if let Some(after) = rest.strip_prefix("FM") {
        shape.fill = true;
        rest = after;
    }
    let mut point = false;
    for c in rest.chars() {
        match c {
            '9' | '0' if point => shape.decimals += 1,
            '9' => {
                shape.whole += 1;
                shape.zeros += usize::from(shape.zeros > 0);
            }
            '0' => {
                shape.whole += 1;
                shape.zeros += 1;
            }
            '.' | 'D' => point = true,
            ',' | 'G' => shape.commas += 1,
            'S' | 'M' | 'I' | 'L' | 'P' | 'R' | '"' => {}
            other if shape.whole == 0 => shape.prefix.push(other),
            other => shape.suffix.push(other),
        }
    }
    shape
}

/// `to_char(number, template)`: sign, digits and padding as PostgreSQL sets them.
pub(super) fn to_char(value: &Expr, template: &str) -> Expr {
    let shape = shape(template);
    let text = |n: usize| build::number(&n.to_string());
    let width = shape.whole + shape.commas + if shape.decimals > 0 { shape.decimals + 1 } else { 0 };
    let body = build::own(
        "_number_text",
        vec![
            value.clone(),
            text(shape.decimals),
            text(usize::from(shape.commas > 0)),
            text(shape.zeros),
        ],
    );
    let padded = if shape.fill { text(0) } else { text(width + 1) };
    let number = build::own(
        "_number_signed",
        vec![value.clone(), body, padded, build::text(&shape.prefix)],
    );
    if shape.suffix.is_empty() {
        return number;
    }
    build::call("concat", vec![number, build::text(&shape.suffix)])
}

/// `to_number(text, template)`: the template only says what to skip.
pub(super) fn to_number(value: &Expr) -> Expr {
    build::own("_to_number", vec![value.clone()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes() {
        let shape = shape("FM$999,990.00");
        assert_eq!((shape.whole, shape.decimals, shape.zeros, shape.commas), (6, 2, 1, 1));
        assert_eq!(shape.prefix, "$");
        assert!(shape.fill);
        assert!(is_template("9999.99") && !is_template("YYYY-MM-DD"));
    }
}
