//! Statements that no grammar takes, judged by their tokens, conservatively.

use super::Class;
use crate::lex::{self, Token};
use crate::{Error, Kind, Returns, Tag};

/// Words with which a statement of PostgreSQL or DuckDB can begin.
const STARTS: &[&str] = &[
    "ALTER",
    "ATTACH",
    "CALL",
    "COMMENT",
    "CREATE",
    "DELETE",
    "DESCRIBE",
    "DESC",
    "DETACH",
    "DO",
    "DROP",
    "EXECUTE",
    "EXPLAIN",
    "EXPORT",
    "FORCE",
    "FROM",
    "GRANT",
    "IMPORT",
    "INSERT",
    "INSTALL",
    "LOAD",
    "MERGE",
    "PIVOT",
    "PIVOT_WIDER",
    "PIVOT_LONGER",
    "PRAGMA",
    "REASSIGN",
    "REFRESH",
    "REVOKE",
    "SECURITY",
    "SELECT",
    "SET",
    "SHOW",
    "SUMMARIZE",
    "TABLE",
    "TRUNCATE",
    "UNPIVOT",
    "UPDATE",
    "USE",
    "VALUES",
    "WITH",
];

/// Words that, in a statement that begins as a read, may make it something else.
const WRITES: &[&str] = &["INSERT", "UPDATE", "DELETE", "MERGE", "INTO", "CREATE", "COPY"];

/// Classifies by tokens; a first word that begins no statement is a syntax error.
pub(crate) fn opaque(sql: &str, tokens: &[Token<'_>]) -> Result<Class, Error> {
    let first = tokens.iter().find(|t| !t.is_symbol("("));
    let Some(first) = first.filter(|t| STARTS.iter().any(|word| t.is_word(word))) else {
        return Err(unexpected(sql, tokens.first()));
    };
    let word = first.text.to_uppercase();
    let at_cursor = |three: &[Token<'_>]| matches!(three, [a, b, c] if a.is_word("WHERE") && b.is_word("CURRENT") && c.is_word("OF"));
    if matches!(word.as_str(), "UPDATE" | "DELETE") && tokens.windows(3).any(at_cursor) {
        return Err(Error::unsupported("WHERE CURRENT OF is not supported"));
    }
    Ok(match word.as_str() {
        "SELECT" | "VALUES" | "TABLE" | "FROM" | "WITH" => {
            let kind = if tokens.iter().any(writes) {
                Kind::Other
            } else {
                Kind::Read
            };
            Class::rows(kind, "SELECT", Returns::Unknown)
        }
        "PIVOT" | "PIVOT_WIDER" | "PIVOT_LONGER" | "UNPIVOT" | "DESCRIBE" | "DESC" | "SUMMARIZE" | "SHOW"
        | "PRAGMA" => Class::rows(Kind::Other, "SELECT", Returns::Unknown),
        "INSERT" => Class::rows(Kind::Write, "INSERT 0", Returns::Unknown),
        "UPDATE" => Class::rows(Kind::Write, "UPDATE", Returns::Unknown),
        "DELETE" => Class::rows(Kind::Write, "DELETE", Returns::Unknown),
        "MERGE" => Class::rows(Kind::Write, "MERGE", Returns::Unknown),
        "TRUNCATE" => Class::fixed(Kind::Write, "TRUNCATE TABLE"),
        "EXPLAIN" => Class {
            kind: if tokens.iter().any(writes) {
                Kind::Other
            } else {
                Kind::Explain
            },
            tag: Tag::Fixed("EXPLAIN".to_owned()),
            returns: Returns::Rows,
        },
        "CREATE" | "ALTER" | "DROP" => Class::fixed(Kind::Ddl, &ddl_tag(tokens)),
        "COMMENT" | "GRANT" | "REVOKE" => Class::fixed(Kind::Ddl, &word),
        _ => Class {
            kind: Kind::Other,
            tag: Tag::Fixed(word),
            returns: Returns::Unknown,
        },
    })
}

fn writes(token: &Token<'_>) -> bool {
    WRITES.iter().any(|word| token.is_word(word))
}

/// `CREATE TABLE` of `CREATE OR REPLACE TEMP TABLE …`.
fn ddl_tag(tokens: &[Token<'_>]) -> String {
    const NOISE: &[&str] = &[
        "OR",
        "REPLACE",
        "TEMP",
        "TEMPORARY",
        "UNLOGGED",
        "GLOBAL",
        "LOCAL",
        "UNIQUE",
        "PERSISTENT",
    ];
    let words: Vec<String> = tokens
        .iter()
        .filter(|t| !NOISE.iter().any(|word| t.is_word(word)))
        .map(|t| t.text.to_uppercase())
        .take(3)
        .collect();
    let wide = matches!(
        words.get(1).map(String::as_str),
        Some("MATERIALIZED" | "FOREIGN" | "EVENT" | "DEFAULT" | "TEXT")
    );
    let count = if wide { 3 } else { 2 };
    words
        .iter()
        .take(count)
        .cloned()
        .collect::<Vec<_>>()
        .join(" ")
        .replace("MACRO", "FUNCTION")
}

fn unexpected(sql: &str, token: Option<&Token<'_>>) -> Error {
    let (near, at) = token.map_or((String::new(), sql.len()), |t| (t.text.to_owned(), t.start));
    Error::SyntaxError {
        message: format!("syntax error at or near \"{near}\""),
        position: lex::position(sql, at),
    }
}
