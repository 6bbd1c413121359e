//! A client's text cut into statements, each parsed once.

use std::borrow::Cow;
use std::sync::Arc;

use pintail_sqlstate::SqlState;
use sqlparser::ast;
use sqlparser::dialect::{Dialect, DuckDbDialect, PostgreSqlDialect};
use sqlparser::parser::{Parser, ParserError, ParserOptions};
use sqlparser::tokenizer::{Token as Theirs, TokenWithSpan, Tokenizer};

use crate::classify;
use crate::lex::{self, Token, TokenKind};
use crate::{Error, Kind, Leaves, Returns, Tag, catalogs, command, leaves, rules};

/// The statements of one text. Cloning shares them.
#[derive(Debug, Clone)]
pub struct Script {
    /// In order; empty where the text is blank, a comment or `;`.
    pub statements: Arc<[Statement]>,
}

/// One statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The client's own bytes, from its first token to its last, without a `;`.
    pub text: String,
    /// Characters of the client's text before it.
    pub offset: usize,
    /// What it is.
    pub kind: Kind,
    /// How its answer ends.
    pub tag: Tag,
    /// Whether it answers with rows.
    pub returns: Returns,
    pub(crate) tree: Tree,
    pub(crate) named: catalogs::Named,
    /// What its tokens alone are refused for.
    pub(crate) forbidden: Option<Error>,
}

impl Statement {
    /// The catalogs that its names of three parts begin with, folded, each once; empty for most.
    ///
    /// They must be attached, and in the context, before the statement is rewritten.
    pub fn catalogs(&self) -> &[String] {
        &self.named.catalogs
    }

    /// Whether no grammar takes it, so that nothing is known of what it holds.
    pub fn is_opaque(&self) -> bool {
        matches!(self.tree, Tree::Opaque)
    }

    /// What its success leaves in the instance that a move would lose.
    pub fn leaves(&self) -> Leaves {
        leaves::leaves(&self.tree, &self.kind)
    }

    /// The temporary table that it makes, by its name alone.
    pub fn makes_temporary(&self) -> Option<String> {
        leaves::temporary(&self.tree)
    }

    /// The tables that it drops, by the last parts of their names.
    pub fn drops(&self) -> Vec<String> {
        leaves::dropped(&self.tree)
    }

    /// The name of the database that it attaches: from its success on, names of three parts may begin with it.
    pub fn attaches(&self) -> Option<String> {
        catalogs::attached(&self.tree)
    }
}

/// How much of a statement is understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tree {
    /// PostgreSQL's grammar took it: PostgreSQL's semantics hold.
    Postgres(Box<ast::Statement>),
    /// Only DuckDB's grammar took it: DuckDB's semantics hold.
    DuckDb(Box<ast::Statement>),
    /// Neither took it; the engine judges its text.
    Opaque,
    /// The control plane's own command; nothing for the engine.
    Command,
}

/// Cuts `sql` into statements and parses each.
///
/// A lexical mistake, and a statement that begins with no word of SQL, are errors; a statement that no grammar takes is
/// opaque and left to the engine.
pub fn parse(sql: &str) -> Result<Script, Error> {
    let tokens = lex::tokens(sql)?;
    if tokens.len() > LONGEST {
        return Err(Error::invalid(
            SqlState::PROGRAM_LIMIT_EXCEEDED,
            format!("query is too long: more than {LONGEST} words, numbers and symbols"),
        ));
    }
    let statements = tokens
        .split(|token| token.kind == TokenKind::Semicolon)
        .filter(|tokens| !tokens.is_empty())
        .map(|tokens| {
            if lex::depth(tokens) > DEEPEST {
                return Err(Error::invalid(
                    SqlState::STATEMENT_TOO_COMPLEX,
                    "statement is too complex: too many operators or set operations in one expression",
                ));
            }
            statement(sql, tokens)
        })
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Script {
        statements: statements.into(),
    })
}

/// Parses the statement that `tokens` spell within `sql`.
pub(crate) fn statement(sql: &str, tokens: &[Token<'_>]) -> Result<Statement, Error> {
    let (start, end) = match (tokens.first(), tokens.last()) {
        (Some(first), Some(last)) => (first.start, last.end()),
        _ => (sql.len(), sql.len()),
    };
    let text = sql[start..end].to_owned();
    let offset = sql[..start].chars().count();
    if let Some(parsed) = command::parse(sql, tokens)? {
        return Ok(Statement {
            text,
            offset,
            kind: parsed.kind,
            tag: parsed.tag,
            returns: parsed.returns,
            tree: Tree::Command,
            named: catalogs::Named::default(),
            forbidden: rules::gate_tokens(tokens, &Tree::Command),
        });
    }
    let tree = match tokens {
        [first, rest @ ..] if first.is_word("TABLE") && !rest.is_empty() => {
            let plain = format!("SELECT * FROM {}", lex::plain(sql, rest));
            tree(&plain, &lex::tokens(&plain)?)?
        }
        _ => match lex::plain(sql, tokens) {
            plain if tokens.windows(2).any(is_key_lock) => {
                let plain = without_key(&plain)?;
                tree(&plain, &lex::tokens(&plain)?)?
            }
            Cow::Borrowed(plain) => tree(plain, tokens)?,
            Cow::Owned(plain) => tree(&plain, &lex::tokens(&plain)?)?,
        },
    };
    let class = match &tree {
        Tree::Postgres(tree) | Tree::DuckDb(tree) => classify::tree(tree),
        Tree::Opaque | Tree::Command => classify::opaque(sql, tokens)?,
    };
    Ok(Statement {
        text,
        offset,
        kind: class.kind,
        tag: class.tag,
        returns: class.returns,
        named: catalogs::named(&tree, tokens),
        forbidden: rules::gate_tokens(tokens, &tree),
        tree,
    })
}

/// Whether `FOR KEY SHARE` or `FOR NO KEY UPDATE` may begin: weaker locks, which mean what the others mean where there are none.
fn is_key_lock(pair: &[Token<'_>]) -> bool {
    matches!(pair, [first, key] if key.is_word("KEY") && (first.is_word("FOR") || first.is_word("NO")))
}

/// The text with `FOR SHARE` and `FOR UPDATE` in place of them: the parser knows no others.
fn without_key(text: &str) -> Result<String, Error> {
    let tokens = lex::tokens(text)?;
    let (mut out, mut copied) = (String::new(), 0);
    for (at, token) in tokens.iter().enumerate() {
        let rest = &tokens[at..];
        let spells = |words: &[&str]| {
            rest.len() >= words.len() && rest.iter().zip(words).all(|(token, word)| token.is_word(word))
        };
        let words = if spells(&["FOR", "KEY", "SHARE"]) {
            2
        } else if spells(&["FOR", "NO", "KEY", "UPDATE"]) {
            3
        } else {
            continue;
        };
        out.push_str(&text[copied..token.end()]);
        copied = rest[words - 1].end();
    }
    out.push_str(&text[copied..]);
    Ok(out)
}

fn tree(text: &str, tokens: &[Token<'_>]) -> Result<Tree, Error> {
    if let Some(tree) = one(&PostgreSqlDialect {}, text, tokens)? {
        return Ok(Tree::Postgres(tree));
    }
    Ok(match one(&DuckDbDialect, text, tokens)? {
        Some(tree) => Tree::DuckDb(tree),
        None => Tree::Opaque,
    })
}

/// How many tokens a text may have: a tree takes some hundred bytes for each, of memory that all sessions share.
const LONGEST: usize = 500_000;

/// How deep a tree may be by its tokens alone: chains of operators nest without a parenthesis. The threads that walk trees
/// have a stack for that many levels.
const DEEPEST: usize = 10_000;

/// How deep expressions may nest before a statement is refused.
const DEPTH: usize = 300;

/// The single statement that `dialect` reads in all of `text`; 54001 where it nests too deep to be understood.
///
/// None where the dialect's own lexer finds other words or quotes than `tokens`, which are the engine's: its tree would be
/// of another statement.
///
/// Literals keep their doubled quotes: printing a tree then gives back exactly the bytes that were read.
fn one(dialect: &dyn Dialect, text: &str, tokens: &[Token<'_>]) -> Result<Option<Box<ast::Statement>>, Error> {
    let options = ParserOptions {
        unescape: false,
        ..ParserOptions::default()
    };
    let parser = Parser::new(dialect).with_recursion_limit(DEPTH).with_options(options);
    let Ok(theirs) = Tokenizer::new(dialect, text)
        .with_unescape(false)
        .tokenize_with_location()
    else {
        return Ok(None);
    };
    if !alike(tokens, &theirs) {
        return Ok(None);
    }
    let parsed = parser.with_tokens_with_locations(theirs).parse_statements();
    match parsed {
        Ok(mut statements) => Ok(match (statements.pop(), statements.is_empty()) {
            (Some(statement), true) => Some(Box::new(statement)),
            _ => None,
        }),
        Err(ParserError::RecursionLimitExceeded) => Err(Error::invalid(
            SqlState::STATEMENT_TOO_COMPLEX,
            "statement nests too deep: more than 300 levels",
        )),
        Err(_) => Ok(None),
    }
}

/// Whether both lexers read the same unquoted words and as many quoted things, in the same order.
fn alike(ours: &[Token<'_>], theirs: &[TokenWithSpan]) -> bool {
    let ours = ours.iter().filter_map(|token| match token.kind {
        TokenKind::Word => Some(Lexeme::Word(token.text)),
        TokenKind::Quoted | TokenKind::Text => Some(Lexeme::Quoted),
        _ => None,
    });
    let theirs = theirs.iter().filter_map(|token| match &token.token {
        Theirs::Word(word) if word.quote_style.is_none() => Some(Lexeme::Word(&word.value)),
        Theirs::Word(_)
        | Theirs::SingleQuotedString(_)
        | Theirs::DollarQuotedString(_)
        | Theirs::EscapedStringLiteral(_)
        | Theirs::UnicodeStringLiteral(_)
        | Theirs::NationalStringLiteral(_)
        | Theirs::HexStringLiteral(_)
        | Theirs::SingleQuotedByteStringLiteral(_) => Some(Lexeme::Quoted),
        _ => None,
    });
    ours.eq(theirs)
}

/// What the two lexers must agree on.
#[derive(PartialEq)]
enum Lexeme<'a> {
    Word(&'a str),
    Quoted,
}
