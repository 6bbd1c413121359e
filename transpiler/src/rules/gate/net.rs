//! Tokens judged: the only judgement of opaque statements, and a net under that of trees.
//!
//! Under a tree it catches a refused function's name before a parenthesis wherever the tree may hide it, and hidden names
//! anywhere. Of an opaque statement nothing is known but its words, so what could be a call must be of a known function.

use super::{VARIABLES, Verdict, functions, hidden, verdict};
use crate::Error;
use crate::lex::Token;
use crate::script::Tree;

/// Words after which a name before a parenthesis is a table's with its columns.
const BEFORE_TABLES: &[&str] = &["INTO", "TABLE", "EXISTS", "REFERENCES", "VIEW"];

/// Words with which an opaque statement may begin. Their kinds have nothing to refuse but names.
const OPAQUE: &[&str] = &[
    "SELECT",
    "FROM",
    "WITH",
    "VALUES",
    "TABLE",
    "INSERT",
    "UPDATE",
    "DELETE",
    "MERGE",
    "TRUNCATE",
    "CREATE",
    "ALTER",
    "DROP",
    "COMMENT",
    "EXPLAIN",
    "DESCRIBE",
    "DESC",
    "SUMMARIZE",
    "SHOW",
    "PIVOT",
    "PIVOT_WIDER",
    "PIVOT_LONGER",
    "UNPIVOT",
    "SET",
    "ATTACH",
];

/// Statements of PostgreSQL's that Pintail lacks.
const LACKING: &[&str] = &["DO", "GRANT", "REVOKE", "REASSIGN", "REFRESH", "SECURITY", "EXECUTE"];

/// Objects that no opaque statement may create, alter or drop.
const OBJECTS: &[&str] = &[
    "DATABASE",
    "SYSTEM",
    "SECRET",
    "USER",
    "ROLE",
    "GROUP",
    "SERVER",
    "EXTENSION",
];

/// What the tokens of a statement are refused for, whoever sends it.
pub(crate) fn tokens(tokens: &[Token<'_>], tree: &Tree) -> Option<Error> {
    let judged = match tree {
        // The arguments of EXECUTE are expressions.
        Tree::Command if tokens.first().is_some_and(|first| first.is_word("EXECUTE")) => words(tokens),
        Tree::Command => Ok(()),
        Tree::Postgres(_) | Tree::DuckDb(_) => words(tokens),
        Tree::Opaque => words(tokens).and_then(|()| opaque(tokens)),
    };
    judged.err()
}

fn words(tokens: &[Token<'_>]) -> Result<(), Error> {
    let sets = tokens
        .first()
        .is_some_and(|token| token.is_word("SET") || token.is_word("RESET"));
    for (i, token) in tokens.iter().enumerate() {
        let Some(name) = token.name() else { continue };
        hidden(&name)?;
        let lower = name.to_lowercase();
        if sets && lower.starts_with(VARIABLES) {
            return Err(Error::forbidden(format!("variable {name}")));
        }
        if called(tokens, i) && !after(tokens, i, BEFORE_TABLES) && verdict(&lower) == Verdict::Nobody {
            return Err(Error::forbidden(format!("function {name}")));
        }
    }
    if sets && tokens.get(1).is_some_and(|token| token.is_word("GLOBAL")) {
        return Err(Error::forbidden("statement SET GLOBAL"));
    }
    Ok(())
}

fn called(tokens: &[Token<'_>], i: usize) -> bool {
    tokens.get(i + 1).is_some_and(|next| next.is_symbol("("))
}

fn after(tokens: &[Token<'_>], i: usize, words: &[&str]) -> bool {
    i > 0 && words.iter().any(|word| tokens[i - 1].is_word(word))
}

fn opaque(tokens: &[Token<'_>]) -> Result<(), Error> {
    let Some(first) = tokens.iter().find(|token| !token.is_symbol("(")) else {
        return Ok(());
    };
    let word = first.text.to_uppercase();
    if LACKING.contains(&word.as_str()) {
        return Err(Error::unsupported(format!("{word} is not supported")));
    }
    if !OPAQUE.contains(&word.as_str()) || (word == "ATTACH" && !attaches_memory(tokens)) {
        return Err(Error::forbidden(format!("statement {word}")));
    }
    if word == "UPDATE" && tokens.get(1).is_some_and(|token| token.is_word("EXTENSIONS")) {
        return Err(Error::forbidden("statement UPDATE EXTENSIONS"));
    }
    let objects = matches!(word.as_str(), "CREATE" | "ALTER" | "DROP");
    if objects && let Some(object) = object(tokens) {
        return Err(Error::forbidden(format!("statement {word} {object}")));
    }
    for (i, token) in tokens.iter().enumerate() {
        if let Some(name) = token.name().filter(|_| called(tokens, i)) {
            call(tokens, i, &name.to_lowercase())?;
        }
    }
    Ok(())
}

/// The object of a CREATE, ALTER or DROP that is none of an opaque statement's.
fn object(tokens: &[Token<'_>]) -> Option<&'static str> {
    const NOISE: &[&str] = &[
        "OR",
        "REPLACE",
        "PERSISTENT",
        "TEMPORARY",
        "TEMP",
        "IF",
        "NOT",
        "EXISTS",
    ];
    let token = tokens
        .iter()
        .skip(1)
        .find(|token| !NOISE.iter().any(|word| token.is_word(word)))?;
    OBJECTS.iter().copied().find(|word| token.is_word(word))
}

fn attaches_memory(tokens: &[Token<'_>]) -> bool {
    let target = tokens.iter().find_map(Token::literal);
    target.as_deref() == Some(":memory:") && !tokens.iter().any(|token| token.is_symbol("("))
}

/// A name before a parenthesis, which in an opaque statement may be a call.
fn call(tokens: &[Token<'_>], i: usize, name: &str) -> Result<(), Error> {
    /// Words after which a name before a parenthesis is defined, with its columns or parameters.
    const DEFINES: &[&str] = &["AS", "WITH", "RECURSIVE", "MACRO", "FUNCTION", "TYPE", "INDEX"];
    let known = match verdict(name) {
        Verdict::Everyone | Verdict::Owners => true,
        Verdict::Nobody => false,
        Verdict::Unknown => functions::WORDS.binary_search(&name).is_ok(),
    };
    let defined = || after(tokens, i, DEFINES) || after(tokens, i, BEFORE_TABLES) || names_a_query(tokens, i + 1);
    if known || (verdict(name) == Verdict::Unknown && defined()) {
        return Ok(());
    }
    Err(Error::forbidden(format!("function {name}")))
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
