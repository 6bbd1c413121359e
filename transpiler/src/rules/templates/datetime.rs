//! Date and time patterns (manual, "Data Type Formatting Functions", table "Template Patterns for Date/Time Formatting").

use sqlparser::ast::Expr;

use super::super::build;
use crate::Error;

/// One piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    /// The engine's `strftime` directive or plain text, ready to be joined with its neighbours.
    Format(String),
    /// A directive whose result needs a function: its name, the directive, and the width to pad to.
    Through(&'static str, &'static str, Option<u32>),
    /// A `date_part` field as a number.
    Part(&'static str),
}

/// Pattern, how `to_char` writes it, how `strptime` reads it.
type Pattern = (&'static str, Piece0, Option<&'static str>);

/// A piece without owned text.
#[derive(Debug, Clone, Copy)]
enum Piece0 {
    Format(&'static str),
    Through(&'static str, &'static str, Option<u32>),
    Part(&'static str),
}

use Piece0::{Format, Part, Through};

/// Longest first where one begins another.
const PATTERNS: &[Pattern] = &[
    ("YYYY", Format("%Y"), Some("%Y")),
    ("Y,YYY", Format("%Y"), None),
    ("IYYY", Format("%G"), None),
    ("YYY", Format("%Y"), None),
    ("YY", Format("%y"), Some("%y")),
    ("MONTH", Through("upper", "%B", Some(9)), Some("%B")),
    ("Month", Through("", "%B", Some(9)), Some("%B")),
    ("month", Through("lower", "%B", Some(9)), Some("%B")),
    ("MON", Through("upper", "%b", None), Some("%b")),
    ("Mon", Format("%b"), Some("%b")),
    ("mon", Through("lower", "%b", None), Some("%b")),
    ("MM", Format("%m"), Some("%m")),
    ("DAY", Through("upper", "%A", Some(9)), Some("%A")),
    ("Day", Through("", "%A", Some(9)), Some("%A")),
    ("day", Through("lower", "%A", Some(9)), Some("%A")),
    ("DDD", Format("%j"), Some("%j")),
    ("DD", Format("%d"), Some("%d")),
    ("DY", Through("upper", "%a", None), Some("%a")),
    ("Dy", Format("%a"), Some("%a")),
    ("dy", Through("lower", "%a", None), Some("%a")),
    ("HH24", Format("%H"), Some("%H")),
    ("HH12", Format("%I"), Some("%I")),
    ("HH", Format("%I"), Some("%I")),
    ("MI", Format("%M"), Some("%M")),
    ("SS", Format("%S"), Some("%S")),
    ("MS", Format("%g"), Some("%g")),
    ("US", Format("%f"), Some("%f")),
    ("FF3", Format("%g"), None),
    ("FF6", Format("%f"), None),
    ("AM", Format("%p"), Some("%p")),
    ("PM", Format("%p"), Some("%p")),
    ("am", Through("lower", "%p", None), Some("%p")),
    ("pm", Through("lower", "%p", None), Some("%p")),
    ("IW", Format("%V"), None),
    ("TZH", Format("%z"), Some("%z")),
    ("TZ", Format("%Z"), Some("%Z")),
    ("OF", Format("%z"), Some("%z")),
    ("Q", Part("quarter"), None),
    ("ID", Part("isodow"), None),
    ("CC", Part("century"), None),
];

/// `to_char(value, template)`.
pub(super) fn to_char(value: &Expr, template: &str) -> Result<Expr, Error> {
    let pieces = pieces(template)?;
    let mut parts: Vec<Expr> = pieces.iter().map(|piece| written(value, piece)).collect();
    Ok(match parts.len() {
        0 => build::text(""),
        1 => parts.remove(0),
        _ => build::call("concat", parts),
    })
}

fn written(value: &Expr, piece: &Piece) -> Expr {
    let format = |text: &str| build::own("_char", vec![value.clone(), build::text(text)]);
    match piece {
        Piece::Format(text) => format(text),
        Piece::Through(function, directive, width) => {
            let text = format(directive);
            let text = if function.is_empty() {
                text
            } else {
                build::call(function, vec![text])
            };
            match width {
                Some(width) => build::own("_pad_right", vec![text, build::number(&width.to_string())]),
                None => text,
            }
        }
        Piece::Part(field) => build::own("_part_text", vec![build::text(field), value.clone()]),
    }
}

/// The `strptime` format that reads what `template` describes.
pub(super) fn input(template: &str) -> Result<String, Error> {
    let mut out = String::new();
    let mut rest = template;
    while !rest.is_empty() {
        rest = skip_modifiers(rest);
        if let Some((text, after)) = quoted(rest) {
            out.push_str(&escaped(text));
            rest = after;
        } else if let Some((pattern, _, read)) = found(rest) {
            let read = read.ok_or_else(|| unsupported(pattern))?;
            out.push_str(read);
            rest = &rest[pattern.len()..];
        } else {
            rest = plain(rest, &mut out)?;
        }
    }
    Ok(out)
}

fn pieces(template: &str) -> Result<Vec<Piece>, Error> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut rest = template;
    while !rest.is_empty() {
        let fill = rest.starts_with("FM");
        rest = skip_modifiers(rest);
        if let Some((text, after)) = quoted(rest) {
            join(&mut pieces, &escaped(text));
            rest = after;
        } else if let Some((pattern, piece, _)) = found(rest) {
            match piece {
                Format(text) if fill => join(&mut pieces, &unpadded(text)),
                Format(text) => join(&mut pieces, text),
                Through(function, directive, width) => {
                    let width = if fill { None } else { *width };
                    pieces.push(Piece::Through(function, directive, width));
                }
                Part(field) => pieces.push(Piece::Part(field)),
            }
            rest = &rest[pattern.len()..];
            if let Some(after) = rest.strip_prefix("th").or_else(|| rest.strip_prefix("TH")) {
                let _ = after;
                return Err(unsupported("th"));
            }
        } else {
            let mut text = String::new();
            rest = plain(rest, &mut text)?;
            join(&mut pieces, &text);
        }
    }
    Ok(pieces)
}

fn join(pieces: &mut Vec<Piece>, text: &str) {
    if let Some(Piece::Format(last)) = pieces.last_mut() {
        last.push_str(text);
    } else if !text.is_empty() {
        pieces.push(Piece::Format(text.to_owned()));
    }
}

/// `%d` without its leading zero is `%-d`.
fn unpadded(directive: &str) -> String {
    match directive {
        "%m" | "%d" | "%H" | "%I" | "%M" | "%S" | "%j" => directive.replace('%', "%-"),
        other => other.to_owned(),
    }
}

fn skip_modifiers(rest: &str) -> &str {
    rest.strip_prefix("FM")
        .or_else(|| rest.strip_prefix("FX"))
        .or_else(|| rest.strip_prefix("TM"))
        .unwrap_or(rest)
}

/// Text in double quotes, and what follows it.
fn quoted(rest: &str) -> Option<(&str, &str)> {
    let body = rest.strip_prefix('"')?;
    let end = body.find('"')?;
    Some((&body[..end], &body[end + 1..]))
}

/// Patterns are known in upper case, or in lower case altogether where the case carries no meaning.
fn found(rest: &str) -> Option<&'static Pattern> {
    PATTERNS.iter().find(|(pattern, piece, _)| {
        rest.get(..pattern.len()).is_some_and(|head| {
            let matters = matches!(piece, Through(..)) || matches!(*pattern, "Mon" | "Dy" | "AM" | "PM");
            head == *pattern || (!matters && head.eq_ignore_ascii_case(pattern))
        })
    })
}

/// One character that is no pattern; a letter that PostgreSQL would read as one is refused.
fn plain<'a>(rest: &'a str, out: &mut String) -> Result<&'a str, Error> {
    let Some(c) = rest.chars().next() else { return Ok(rest) };
    if matches!(c, 'J' | 'W' | 'Y' | 'I' | 'D') {
        return Err(unsupported(&c.to_string()));
    }
    out.push_str(&escaped(&c.to_string()));
    Ok(&rest[c.len_utf8()..])
}

fn escaped(text: &str) -> String {
    text.replace('%', "%%")
}

fn unsupported(pattern: &str) -> Error {
    Error::unsupported(format!("the template pattern \"{pattern}\" is not supported"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_become_directives() {
        assert_eq!(input("YYYY-MM-DD HH24:MI:SS"), Ok("%Y-%m-%d %H:%M:%S".to_owned()));
        assert_eq!(pieces("yyyy-mm"), Ok(vec![Piece::Format("%Y-%m".to_owned())]));
        assert_eq!(
            pieces("FMMonth \"of\" YYYY"),
            Ok(vec![Piece::Through("", "%B", None), Piece::Format(" of %Y".to_owned())])
        );
        assert_eq!(pieces("FMDD"), Ok(vec![Piece::Format("%-d".to_owned())]));
    }
}
