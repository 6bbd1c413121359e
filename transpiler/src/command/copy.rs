//! `COPY`, in PostgreSQL's present and its two older spellings (manual, "COPY").

mod options;

pub use self::options::{CopyFormat, CopyOptions, ForceColumns};
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

/// Reads a `COPY`.
pub(super) fn parse(reader: &mut Reader<'_, '_>) -> Result<Parsed, Error> {
    reader.expect("COPY")?;
    let binary = reader.eat("BINARY");
    let target = target(reader)?;
    let from = matches!(target, CopyTarget::Table { .. }) && reader.eat("FROM");
    if !from {
        reader.expect("TO")?;
    }
    let side = side(reader, from)?;
    let options = options::read(reader, binary, from)?;
    if reader.eat("WHERE") {
        if from {
            return Err(Error::unsupported("COPY FROM … WHERE is not supported"));
        }
        return Err(Error::invalid(
            SqlState::SYNTAX_ERROR,
            "WHERE clause not allowed with COPY TO",
        ));
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
        let tokens = reader.group()?;
        let query = reader.nested(tokens)?;
        if query.kind == Kind::Ddl && query.tag == Tag::Rows("SELECT") {
            return Err(Error::unsupported("COPY (SELECT INTO) is not supported"));
        }
        if !matches!(query.kind, Kind::Read | Kind::Write) {
            // The grammar has queries and changes of rows there, nothing else.
            return Err(reader.unexpected_at(tokens.first()));
        }
        if matches!(query.kind, Kind::Write) && query.returns == Returns::Nothing {
            return Err(Error::unsupported("COPY query must have a RETURNING clause"));
        }
        return Ok(CopyTarget::Query(Box::new(query)));
    }
    let name = reader.names()?;
    let mut columns = Vec::new();
    if reader.eat_symbol("(") {
        let list = reader.group()?;
        if list.is_empty() {
            return Err(reader.unexpected());
        }
        for part in commas(list) {
            columns.push(part.first().and_then(Token::name).ok_or_else(|| reader.unexpected())?);
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
