//! Calls in statements that no grammar takes: what follows a name in parentheses, by its tokens.

use super::super::arguments;
use super::super::functions;
use super::super::verdict::{Argument, Verdict, verdict};
use super::{BEFORE_TABLES, after, called};
use crate::Error;
use crate::lex::{self, Token, TokenKind};

/// Judges every name before a parenthesis, which may be a call.
pub(super) fn check(tokens: &[Token<'_>]) -> Result<(), Error> {
    for (i, token) in tokens.iter().enumerate() {
        if let Some(name) = token.name().filter(|_| called(tokens, i)) {
            call(tokens, i, &name.to_lowercase())?;
        }
    }
    Ok(())
}

fn call(tokens: &[Token<'_>], i: usize, name: &str) -> Result<(), Error> {
    /// Words after which a name before a parenthesis is defined, with its columns or parameters.
    const DEFINES: &[&str] = &["AS", "WITH", "RECURSIVE", "MACRO", "FUNCTION", "TYPE", "INDEX"];
    let known = match verdict(name) {
        Verdict::Everyone => true,
        Verdict::Owners(argument) => return group(name, argument, &tokens[i + 2..]),
        // Whether it stands in FROM, the tokens do not tell.
        Verdict::Expressions | Verdict::Nobody => false,
        Verdict::Unknown => functions::WORDS.binary_search(&name).is_ok(),
    };
    let defined = || after(tokens, i, DEFINES) || after(tokens, i, BEFORE_TABLES) || names_a_query(tokens, i + 1);
    if known || (verdict(name) == Verdict::Unknown && defined()) {
        return Ok(());
    }
    Err(Error::forbidden(format!("function {name}")))
}

/// Judges the arguments that `rest` begins with, up to the parenthesis that closes them.
fn group(name: &str, argument: Argument, rest: &[Token<'_>]) -> Result<(), Error> {
    if argument == Argument::Value {
        return Ok(());
    }
    let (mut depth, mut start) = (0_usize, 0);
    for (i, token) in rest.iter().enumerate() {
        if token.is_symbol("(") || token.is_symbol("[") || token.is_symbol("{") {
            depth += 1;
        } else if depth > 0 && (token.is_symbol(")") || token.is_symbol("]") || token.is_symbol("}")) {
            depth -= 1;
        } else if depth == 0 && (token.is_symbol(",") || token.is_symbol(")")) {
            one(name, argument, &rest[start..i])?;
            start = i + 1;
            if token.is_symbol(")") {
                return Ok(());
            }
        }
    }
    Err(arguments::not_a_literal(name))
}

/// Judges one argument: literals, alone or in a list, unless it has a name.
fn one(name: &str, argument: Argument, tokens: &[Token<'_>]) -> Result<(), Error> {
    let named = match tokens {
        [first, second, ..] if first.name().is_some() => second.is_symbol("=") || second.is_symbol(":"),
        _ => false,
    };
    let plain = |token: &Token<'_>| match token.kind {
        TokenKind::Number => true,
        // A prefix says that the engine reads the text in another way than it stands there.
        TokenKind::Text => token.text.starts_with(['\'', '$']),
        TokenKind::Symbol => matches!(token.text, "[" | "]" | "(" | ")" | ","),
        TokenKind::Word => ["TRUE", "FALSE", "NULL"].iter().any(|word| token.is_word(word)),
        TokenKind::Quoted | TokenKind::Parameter | TokenKind::Semicolon => false,
    };
    if !named && !tokens.iter().all(plain) {
        return Err(arguments::not_a_literal(name));
    }
    lex::literals(tokens)
        .iter()
        .try_for_each(|text| arguments::judge(argument, text))
}

/// Whether the group that opens at `open` is followed by `AS (` or `AS MATERIALIZED`: a WITH query's columns.
fn names_a_query(tokens: &[Token<'_>], open: usize) -> bool {
    let mut depth = 0_usize;
    for (i, token) in tokens.iter().enumerate().skip(open) {
        if token.is_symbol("(") {
            depth += 1;
        } else if token.is_symbol(")") {
            depth -= 1;
            if depth == 0 {
                let next = |n: usize| tokens.get(i + n);
                return next(1).is_some_and(|token| token.is_word("AS"))
                    && next(2).is_some_and(|token| {
                        token.is_symbol("(") || token.is_word("MATERIALIZED") || token.is_word("NOT")
                    });
            }
        }
    }
    false
}
