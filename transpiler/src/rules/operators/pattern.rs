//! Regular expressions: PostgreSQL's escapes in the engine's notation, and `SIMILAR TO`.

use sqlparser::ast::Expr;

use super::super::build;
use crate::Error;

/// `left ~ right`, matched anywhere; `options` are the engine's (`s`: the dot takes newlines, `i`: any case).
pub(super) fn regex(left: &Expr, right: &Expr, options: &str) -> Expr {
    let pattern = match build::literal(right) {
        Some(text) => build::text(&format!("(?{options}){}", translated(&text))),
        None => build::own("_regex", vec![right.clone(), build::text(&format!("(?{options})"))]),
    };
    build::own("_match", vec![left.clone(), pattern])
}

/// Word boundaries and string ends in the engine's notation.
pub(in crate::rules) fn translated(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('m' | 'M' | 'y') => out.push_str("\\b"),
            Some('Y') => out.push_str("\\B"),
            Some('Z') => out.push_str("\\z"),
            Some(other) => {
                out.push('\\');
                out.push(other);
            }
            None => out.push('\\'),
        }
    }
    out
}

/// `left SIMILAR TO pattern`.
pub(super) fn similar(left: &Expr, pattern: &Expr, escape: Option<&Expr>) -> Result<Expr, Error> {
    let escape = match escape {
        None => Some('\\'),
        Some(expr) => match build::literal(expr) {
            Some(text) => text.chars().next(),
            None => {
                return Err(Error::unsupported(
                    "SIMILAR TO with an ESCAPE that is not a literal is not supported",
                ));
            }
        },
    };
    let pattern = match build::literal(pattern) {
        Some(text) => build::text(&similar_to_regex(&text, escape)),
        None => build::own("_similar", vec![pattern.clone()]),
    };
    Ok(build::own("_match", vec![left.clone(), pattern]))
}

/// A `SIMILAR TO` pattern as a regular expression over the whole string.
fn similar_to_regex(pattern: &str, escape: Option<char>) -> String {
    let mut out = String::from("(?s)^(?:");
    let mut chars = pattern.chars();
    let mut class = false;
    while let Some(c) = chars.next() {
        if Some(c) == escape {
            if let Some(next) = chars.next() {
                if !next.is_alphanumeric() {
                    out.push('\\');
                }
                out.push(next);
            }
            continue;
        }
        match c {
            '[' => class = true,
            ']' => class = false,
            _ => {}
        }
        match c {
            '%' if !class => out.push_str(".*"),
            '_' if !class => out.push('.'),
            '.' | '^' | '$' | '\\' if !class => {
                out.push('\\');
                out.push(c);
            }
            '(' if !class => out.push_str("(?:"),
            _ => out.push(c),
        }
    }
    out.push_str(")$");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_patterns_become_whole_string_expressions() {
        assert_eq!(similar_to_regex("(a|b)%_.", Some('\\')), "(?s)^(?:(?:a|b).*.\\.)$");
        assert_eq!(similar_to_regex("a#%", Some('#')), "(?s)^(?:a\\%)$");
    }

    #[test]
    fn word_boundaries_are_translated() {
        assert_eq!(translated(r"\mfoo\M\d\\m"), r"\bfoo\b\d\\m");
    }
}
