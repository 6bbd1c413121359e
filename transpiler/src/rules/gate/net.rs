//! Tokens judged: the only judgement of opaque statements, and a net under that of trees.
//!
//! Under a tree it catches a refused function's name before a parenthesis wherever the tree may hide it, and hidden names
//! anywhere. Of an opaque statement nothing is known but its words, so what could be a call must be of a known function.

mod calls;

use super::verdict::{Argument, Verdict, verdict};
use super::{VARIABLES, arguments, hidden};
use crate::Error;
use crate::lex::{self, Token};
use crate::script::Tree;

/// Words after which a name before a parenthesis is a table's with its columns.
const BEFORE_TABLES: &[&str] = &["INTO", "TABLE", "EXISTS", "REFERENCES", "VIEW"];

/// Words after which a literal names a relation, or else a file.
const BEFORE_FILES: &[&str] = &[
    "FROM",
    "JOIN",
    "TABLE",
    "USING",
    "DESCRIBE",
    "DESC",
    "SUMMARIZE",
    "SHOW",
    "PIVOT",
    "PIVOT_WIDER",
    "PIVOT_LONGER",
    "UNPIVOT",
    "ONLY",
    "LATERAL",
];

/// Words with which an opaque statement may begin, beside those of [`EXPLAINED`]. Their kinds have nothing to refuse but
/// names.
const OPAQUE: &[&str] = &[
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
    "SET",
    "ATTACH",
];

/// Words with which what an opaque EXPLAIN explains may begin: with ANALYZE it runs, and not as its own kind would.
const EXPLAINED: &[&str] = &[
    "SELECT",
    "FROM",
    "WITH",
    "VALUES",
    "TABLE",
    "INSERT",
    "UPDATE",
    "DELETE",
    "MERGE",
    "PIVOT",
    "PIVOT_WIDER",
    "PIVOT_LONGER",
    "UNPIVOT",
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
        Tree::Postgres(_) => words(tokens).and_then(|()| names(tokens)),
        // The engine's own definitions have options that name places.
        Tree::DuckDb(_) if defines(tokens) => words(tokens).and_then(|()| texts(tokens)),
        Tree::DuckDb(_) => words(tokens).and_then(|()| names(tokens)),
        Tree::Opaque => words(tokens).and_then(|()| texts(tokens)).and_then(|()| opaque(tokens)),
    };
    judged.err()
}

fn defines(tokens: &[Token<'_>]) -> bool {
    tokens
        .first()
        .is_some_and(|first| ["CREATE", "ALTER"].iter().any(|word| first.is_word(word)))
}

/// Judges names that may be files': those in quotes, all parts together, and literals where a relation stands.
fn names(tokens: &[Token<'_>]) -> Result<(), Error> {
    let mut name = String::new();
    for (i, token) in tokens.iter().enumerate() {
        let dotted = i > 0 && tokens[i - 1].is_symbol(".");
        match token.name() {
            Some(part) if dotted => {
                name.push('.');
                name.push_str(&part);
            }
            Some(part) => name = part,
            None if token.is_symbol(".") => continue,
            None => {
                if after(tokens, i, BEFORE_FILES) {
                    lex::literals(&tokens[i..]).first().map_or(Ok(()), |text| place(text))?;
                }
                continue;
            }
        }
        arguments::file(&name)?;
    }
    Ok(())
}

/// Judges names that may be files', and every literal.
fn texts(tokens: &[Token<'_>]) -> Result<(), Error> {
    names(tokens)?;
    lex::literals(tokens).iter().try_for_each(|text| arguments::file(text))
}

/// Judges a literal that stands for a relation or a schema.
fn place(text: &str) -> Result<(), Error> {
    arguments::file(text)?;
    arguments::judge(Argument::Relation, text)
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
    let inner = explained(tokens);
    let Some(first) = inner.iter().find(|token| !token.is_symbol("(")) else {
        return Ok(());
    };
    let word = first.text.to_uppercase();
    if LACKING.contains(&word.as_str()) {
        return Err(Error::unsupported(format!("{word} is not supported")));
    }
    let explainable = EXPLAINED.contains(&word.as_str());
    if inner.len() < tokens.len() && !explainable {
        return Err(Error::forbidden(format!("statement EXPLAIN {word}")));
    }
    let known = explainable || OPAQUE.contains(&word.as_str());
    if !known || (word == "ATTACH" && !attaches_memory(tokens)) {
        return Err(Error::forbidden(format!("statement {word}")));
    }
    if word == "UPDATE" && inner.get(1).is_some_and(|token| token.is_word("EXTENSIONS")) {
        return Err(Error::forbidden("statement UPDATE EXTENSIONS"));
    }
    let objects = matches!(word.as_str(), "CREATE" | "ALTER" | "DROP");
    if objects && let Some(object) = object(tokens) {
        return Err(Error::forbidden(format!("statement {word} {object}")));
    }
    calls::check(tokens)
}

/// What an EXPLAIN explains, without its options; any other statement whole.
fn explained<'t, 's>(tokens: &'t [Token<'s>]) -> &'t [Token<'s>] {
    const OPTIONS: &[&str] = &["ANALYZE", "ANALYSE", "FORMAT", "VERBOSE", "COSTS", "BUFFERS", "TIMING"];
    let is_option = |token: &Token<'_>| OPTIONS.iter().any(|word| token.is_word(word));
    let [first, rest @ ..] = tokens else { return tokens };
    if !first.is_word("EXPLAIN") {
        return tokens;
    }
    let plain = rest.iter().take_while(|token| is_option(token)).count();
    let rest = &rest[plain..];
    match rest {
        [open, option, ..] if open.is_symbol("(") && is_option(option) => {
            let close = rest.iter().position(|token| token.is_symbol(")"));
            close.map_or(rest, |close| &rest[close + 1..])
        }
        _ => rest,
    }
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
    // OR REPLACE takes away the catalog of that name.
    let replaces = tokens.get(1).is_some_and(|token| token.is_word("OR"));
    target.as_deref() == Some(":memory:") && !replaces && !tokens.iter().any(|token| token.is_symbol("("))
}
