//! Identifiers as PostgreSQL reads them: folded to lower case unless quoted, 63 bytes long; literals in one notation.

use std::ops::ControlFlow;

use sqlparser::ast::{self, Ident, Value, ValueWithSpan, VisitMut, VisitorMut};

/// PostgreSQL's `NAMEDATALEN` less one.
const LONGEST: usize = 63;

/// Folds every identifier of the statement.
pub(super) fn apply(statement: &mut ast::Statement) {
    let _ = statement.visit(&mut Fold);
}

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
