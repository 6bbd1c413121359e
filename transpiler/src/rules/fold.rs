//! Identifiers as PostgreSQL reads them: folded to lower case unless quoted, 63 bytes long, and quoted where the engine keeps
//! the word for itself; literals in one notation.

use std::ops::ControlFlow;

use sqlparser::ast::{self, Ident, Value, ValueWithSpan, VisitMut, VisitorMut};

/// PostgreSQL's `NAMEDATALEN` less one.
const LONGEST: usize = 63;

/// Folds every identifier of the statement.
pub(super) fn apply(statement: &mut ast::Statement) {
    let _ = statement.visit(&mut Fold);
}

/// Words that the engine's grammar keeps for itself, and PostgreSQL's does not.
///
/// Others that begin a clause where PostgreSQL reads an alias (`SEMI JOIN`, `ASOF JOIN`) or name what looks like a function
/// (`COLUMNS(…)`) are left to mean what they mean to the engine.
const ENGINE_WORDS: &[&str] = &[
    "at",
    "by",
    "describe",
    "generated",
    "lambda",
    "map",
    "pivot",
    "pivot_longer",
    "pivot_wider",
    "qualify",
    "show",
    "summarize",
    "unpivot",
];

struct Fold;

impl VisitorMut for Fold {
    type Break = ();

    fn pre_visit_ident(&mut self, ident: &mut Ident) -> ControlFlow<()> {
        if ident.quote_style.is_none() && ident.value.bytes().any(|b| b.is_ascii_uppercase()) {
            ident.value.make_ascii_lowercase();
        }
        if ident.value.len() > LONGEST {
            let mut end = LONGEST;
            while !ident.value.is_char_boundary(end) {
                end -= 1;
            }
            ident.value.truncate(end);
        }
        if ident.quote_style.is_none() && ENGINE_WORDS.contains(&ident.value.as_str()) {
            ident.quote_style = Some('"');
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_value(&mut self, value: &mut ValueWithSpan) -> ControlFlow<()> {
        let text = match &value.value {
            Value::EscapedStringLiteral(text) | Value::UnicodeStringLiteral(text) => text.replace('\'', "''"),
            Value::NationalStringLiteral(text) => text.clone(),
            _ => return ControlFlow::Continue(()),
        };
        value.value = Value::SingleQuotedString(text);
        ControlFlow::Continue(())
    }
}
