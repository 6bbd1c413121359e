//! `COPY`, in PostgreSQL's present and its two older spellings (manual, "COPY").

use super::reader::commas;
use super::{Parsed, Reader};
use crate::lex::Token;
use crate::{Error, Kind, Returns, Statement, Tag};
use pintail_sqlstate::SqlState;

/// A `COPY` statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copy {
    /// What is copied.
    pub target: CopyTarget,
    /// Where to or from.
    pub side: CopySide,
    /// How it is written.
    pub options: CopyOptions,
}

/// What is copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CopyTarget {
    /// `COPY table (columns)`.
    Table {
        /// The table's name, one to three parts, unquoted.
        name: Vec<String>,
        /// The columns named; empty for all.
        columns: Vec<String>,
        /// `SELECT columns FROM table`, for `COPY … TO`.
        query: Box<Statement>,
        /// `INSERT INTO table (columns)`, to which a source can be appended, for `COPY … FROM`.
        insert: String,
    },
    /// `COPY (query) TO …`.
    Query(Box<Statement>),
}

/// The other end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CopySide {
    /// `FROM STDIN`.
    Stdin,
    /// `TO STDOUT`.
    Stdout,
    /// `FROM 'file'`.
    FromFile(String),
    /// `TO 'file'`.
    ToFile(String),
    /// `FROM PROGRAM` or `TO PROGRAM`, which nobody may use.
    Program,
}

/// The representation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum CopyFormat {
    /// PostgreSQL's text format.
    #[default]
    Text,
    /// CSV.
    Csv,
    /// PostgreSQL's binary format.
    Binary,
    /// Another by name, lower case: `parquet`, `arrow`.
    Other(String),
}

/// Columns that a `FORCE_…` option names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ForceColumns {
    /// Not given.
    #[default]
    None,
    /// `*`.
    All,
    /// These.
    Columns(Vec<String>),
}

/// `WITH (…)`; `None` where the client leaves the default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CopyOptions {
    /// `FORMAT`.
    pub format: CopyFormat,
    /// `DELIMITER`.
    pub delimiter: Option<String>,
    /// `NULL`.
    pub null: Option<String>,
    /// `DEFAULT`.
    pub default: Option<String>,
    /// `HEADER`: `false`, `true` or `match`.
    pub header: Option<String>,
    /// `QUOTE`.
    pub quote: Option<String>,
    /// `ESCAPE`.
    pub escape: Option<String>,
    /// `ENCODING`.
    pub encoding: Option<String>,
    /// `FORCE_QUOTE`.
    pub force_quote: ForceColumns,
    /// `FORCE_NOT_NULL`.
    pub force_not_null: ForceColumns,
    /// `FORCE_NULL`.
    pub force_null: ForceColumns,
    /// Options of formats beyond PostgreSQL's, as name and value.
    pub other: Vec<(String, String)>,
}

/// Reads a `COPY`.
pub(super) fn parse(reader: &mut Reader<'_, '_>) -> Result<Parsed, Error> {
    reader.expect("COPY")?;
    let binary = reader.eat("BINARY");
    let target = target(reader)?;
    let from = reader.eat("FROM");
    if !from {
        reader.expect("TO")?;
    }
    if from && matches!(target, CopyTarget::Query(_)) {
        return Err(reader.unexpected());
    }
    let side = side(reader, from)?;
    let mut options = CopyOptions::default();
    if binary {
        options.format = CopyFormat::Binary;
    }
    let delimiters = reader.eat("USING DELIMITERS") || reader.eat("DELIMITERS");
    if delimiters {
        options.delimiter = Some(reader.literal()?);
    }
    let _ = reader.eat("WITH");
    if reader.eat_symbol("(") {
        for option in commas(reader.group()?) {
            modern(reader, option, &mut options)?;
        }
    } else {
        while !reader.at_end() && !reader.peek().is_some_and(|t| t.is_word("WHERE")) {
            legacy(reader, &mut options)?;
        }
    }
    if reader.eat("WHERE") {
        return Err(Error::unsupported("COPY FROM … WHERE is not supported"));
    }
    reader.expect_end()?;
    Ok(Parsed {
        kind: Kind::Copy(Copy { target, side, options }),
        tag: Tag::Rows("COPY"),
        returns: Returns::Nothing,
    })
}

fn target(reader: &mut Reader<'_, '_>) -> Result<CopyTarget, Error> {
    if reader.eat_symbol("(") {
        let query = reader.group()?;
        return Ok(CopyTarget::Query(Box::new(reader.nested(query)?)));
    }
    let name = reader.names()?;
    let mut columns = Vec::new();
    if reader.eat_symbol("(") {
        for part in commas(reader.group()?) {
            columns.extend(part.first().and_then(Token::name));
        }
    }
    let table = name.iter().map(|part| quote(part)).collect::<Vec<_>>().join(".");
    let list = columns.iter().map(|c| quote(c)).collect::<Vec<_>>().join(", ");
    let select = if columns.is_empty() { "*" } else { &list };
    let text = format!("SELECT {select} FROM {table}");
    let tokens = crate::lex::tokens(&text)?;
    let query = Box::new(crate::script::statement(&text, &tokens)?);
    let insert = if columns.is_empty() {
        format!("INSERT INTO {table}")
    } else {
        format!("INSERT INTO {table} ({list})")
    };
    Ok(CopyTarget::Table {
        name,
        columns,
        query,
        insert,
    })
}

/// `name` as a quoted identifier.
fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn side(reader: &mut Reader<'_, '_>, from: bool) -> Result<CopySide, Error> {
    if reader.eat("PROGRAM") {
        reader.literal()?;
        return Ok(CopySide::Program);
    }
    // PostgreSQL takes STDIN and STDOUT for each other.
    if reader.eat_any(&["STDIN", "STDOUT"]) {
        return Ok(if from { CopySide::Stdin } else { CopySide::Stdout });
    }
    let file = reader.literal()?;
    Ok(if from {
        CopySide::FromFile(file)
    } else {
        CopySide::ToFile(file)
    })
}

fn modern(reader: &Reader<'_, '_>, tokens: &[Token<'_>], options: &mut CopyOptions) -> Result<(), Error> {
    let Some((name, rest)) = tokens.split_first() else {
        return Err(reader.unexpected());
    };
    let name = name.name().ok_or_else(|| reader.unexpected())?;
    let value = || -> String {
        match rest {
            [] => "true".to_owned(),
            [one] => one
                .literal()
                .or_else(|| one.name())
                .unwrap_or_else(|| one.text.to_owned()),
            more => reader.text(more),
        }
    };
    match name.as_str() {
        "format" => options.format = format(&value()),
        "delimiter" => options.delimiter = Some(value()),
        "null" => options.null = Some(value()),
        "default" => options.default = Some(value()),
        "header" => options.header = Some(header(&value())?),
        "quote" => options.quote = Some(value()),
        "escape" => options.escape = Some(value()),
        "encoding" => options.encoding = Some(value()),
        "freeze" => {}
        "force_quote" => options.force_quote = columns(rest),
        "force_not_null" => options.force_not_null = columns(rest),
        "force_null" => options.force_null = columns(rest),
        _ if matches!(options.format, CopyFormat::Other(_)) => options.other.push((name, value())),
        _ => {
            return Err(Error::invalid(
                SqlState::SYNTAX_ERROR,
                format!("option \"{name}\" not recognized"),
            ));
        }
    }
    Ok(())
}

fn legacy(reader: &mut Reader<'_, '_>, options: &mut CopyOptions) -> Result<(), Error> {
    if reader.eat("BINARY") {
        options.format = CopyFormat::Binary;
    } else if reader.eat("CSV") {
        options.format = CopyFormat::Csv;
    } else if reader.eat("HEADER") {
        options.header = Some("true".to_owned());
    } else if reader.eat("FREEZE") {
    } else if reader.eat("DELIMITER") {
        options.delimiter = Some(valued(reader)?);
    } else if reader.eat("NULL") {
        options.null = Some(valued(reader)?);
    } else if reader.eat("QUOTE") {
        options.quote = Some(valued(reader)?);
    } else if reader.eat("ESCAPE") {
        options.escape = Some(valued(reader)?);
    } else if reader.eat("ENCODING") {
        options.encoding = Some(reader.literal()?);
    } else if reader.eat("FORCE QUOTE") {
        options.force_quote = listed(reader)?;
    } else if reader.eat("FORCE NOT NULL") {
        options.force_not_null = listed(reader)?;
    } else if reader.eat("FORCE NULL") {
        options.force_null = listed(reader)?;
    } else {
        return Err(reader.unexpected());
    }
    Ok(())
}

fn valued(reader: &mut Reader<'_, '_>) -> Result<String, Error> {
    let _ = reader.eat("AS");
    reader.literal()
}

fn listed(reader: &mut Reader<'_, '_>) -> Result<ForceColumns, Error> {
    if reader.eat_symbol("*") {
        return Ok(ForceColumns::All);
    }
    let mut names = vec![reader.name()?];
    while reader.eat_symbol(",") {
        names.push(reader.name()?);
    }
    Ok(ForceColumns::Columns(names))
}

fn columns(tokens: &[Token<'_>]) -> ForceColumns {
    if tokens.iter().any(|t| t.is_symbol("*")) {
        return ForceColumns::All;
    }
    ForceColumns::Columns(tokens.iter().filter_map(Token::name).collect())
}

fn format(name: &str) -> CopyFormat {
    match name.to_lowercase().as_str() {
        "text" => CopyFormat::Text,
        "csv" => CopyFormat::Csv,
        "binary" => CopyFormat::Binary,
        other => CopyFormat::Other(other.to_owned()),
    }
}

fn header(value: &str) -> Result<String, Error> {
    match value.to_lowercase().as_str() {
        "true" | "on" | "1" => Ok("true".to_owned()),
        "false" | "off" | "0" => Ok("false".to_owned()),
        "match" => Ok("match".to_owned()),
        _ => Err(Error::invalid(
            SqlState::SYNTAX_ERROR,
            "header requires a Boolean value or \"match\"",
        )),
    }
}
