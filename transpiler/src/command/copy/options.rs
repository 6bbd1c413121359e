//! `COPY`'s options: read in any of their spellings, and held to PostgreSQL's rules (`ProcessCopyOptions`).

use pintail_sqlstate::SqlState;

use crate::Error;
use crate::command::Reader;
use crate::command::reader::commas;
use crate::lex::Token;

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
    /// `DELIMITER`: one byte.
    pub delimiter: Option<String>,
    /// `NULL`.
    pub null: Option<String>,
    /// `HEADER`: `false`, `true` or `match`.
    pub header: Option<String>,
    /// `QUOTE`: one byte.
    pub quote: Option<String>,
    /// `ESCAPE`: one byte.
    pub escape: Option<String>,
    /// `ENCODING`: UTF-8 by one of its names.
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

/// Names of UTF-8, without hyphens and underscores, and of no encoding at all.
const ENCODINGS: &[&str] = &["utf8", "unicode", "sqlascii"];

/// Bytes that mean something in text.
const NO_DELIMITERS: &str = "\\.abcdefghijklmnopqrstuvwxyz0123456789";

/// Options on their way, and which were given.
#[derive(Default)]
struct Options {
    options: CopyOptions,
    given: Vec<String>,
}

/// Reads the options of `COPY … FROM`, or of `COPY … TO`; `binary` says that the statement began with `COPY BINARY`.
pub(super) fn read(reader: &mut Reader<'_, '_>, binary: bool, from: bool) -> Result<CopyOptions, Error> {
    let mut read = Options::default();
    if binary {
        read.give("format")?;
        read.options.format = CopyFormat::Binary;
    }
    if reader.eat("USING DELIMITERS") || reader.eat("DELIMITERS") {
        read.give("delimiter")?;
        read.options.delimiter = Some(reader.literal()?);
    }
    let _ = reader.eat("WITH");
    if reader.eat_symbol("(") {
        let group = reader.group()?;
        if group.is_empty() {
            return Err(Error::invalid(SqlState::SYNTAX_ERROR, "syntax error at or near \")\""));
        }
        for option in commas(group) {
            read.modern(reader, option)?;
        }
    } else {
        while !reader.at_end() && !reader.peek().is_some_and(|t| t.is_word("WHERE")) {
            read.legacy(reader)?;
        }
    }
    read.options.check(from)?;
    Ok(read.options)
}

impl Options {
    /// Notes that an option is given, which it may be once.
    fn give(&mut self, name: &str) -> Result<(), Error> {
        if self.given.iter().any(|given| given == name) {
            return Err(syntax("conflicting or redundant options"));
        }
        self.given.push(name.to_owned());
        Ok(())
    }

    fn modern(&mut self, reader: &Reader<'_, '_>, tokens: &[Token<'_>]) -> Result<(), Error> {
        let Some((name, rest)) = tokens.split_first() else {
            return Err(reader.unexpected());
        };
        let name = name.name().ok_or_else(|| reader.unexpected())?;
        let options = &mut self.options;
        match name.as_str() {
            "format" => options.format = format(&valued(reader, &name, rest)?),
            "delimiter" => options.delimiter = Some(valued(reader, &name, rest)?),
            "null" => options.null = Some(valued(reader, &name, rest)?),
            "quote" => options.quote = Some(valued(reader, &name, rest)?),
            "escape" => options.escape = Some(valued(reader, &name, rest)?),
            "encoding" => options.encoding = Some(valued(reader, &name, rest)?),
            "header" => options.header = Some(header(&value(reader, rest))?),
            "freeze" => drop(boolean("freeze", &value(reader, rest))?),
            "force_quote" if matches!(rest, [star] if star.is_symbol("*")) => options.force_quote = ForceColumns::All,
            "force_quote" => options.force_quote = columns(&name, rest)?,
            "force_not_null" => options.force_not_null = columns(&name, rest)?,
            "force_null" => options.force_null = columns(&name, rest)?,
            _ => options.other.push((name.clone(), value(reader, rest))),
        }
        self.give(&name)
    }

    fn legacy(&mut self, reader: &mut Reader<'_, '_>) -> Result<(), Error> {
        const SPELLINGS: &[(&str, &str)] = &[
            ("BINARY", "format"),
            ("CSV", "format"),
            ("HEADER", "header"),
            ("FREEZE", "freeze"),
            ("DELIMITER", "delimiter"),
            ("NULL", "null"),
            ("QUOTE", "quote"),
            ("ESCAPE", "escape"),
            ("ENCODING", "encoding"),
            ("FORCE QUOTE", "force_quote"),
            ("FORCE NOT NULL", "force_not_null"),
            ("FORCE NULL", "force_null"),
        ];
        let found = SPELLINGS.iter().find(|(words, _)| reader.eat(words));
        let (words, name) = found.ok_or_else(|| reader.unexpected())?;
        self.give(name)?;
        let options = &mut self.options;
        match *words {
            "BINARY" => options.format = CopyFormat::Binary,
            "CSV" => options.format = CopyFormat::Csv,
            "HEADER" => options.header = Some("true".to_owned()),
            "DELIMITER" => options.delimiter = Some(quoted(reader)?),
            "NULL" => options.null = Some(quoted(reader)?),
            "QUOTE" => options.quote = Some(quoted(reader)?),
            "ESCAPE" => options.escape = Some(quoted(reader)?),
            "ENCODING" => options.encoding = Some(reader.literal()?),
            "FORCE QUOTE" if reader.eat_symbol("*") => options.force_quote = ForceColumns::All,
            "FORCE QUOTE" => options.force_quote = listed(reader)?,
            "FORCE NOT NULL" => options.force_not_null = listed(reader)?,
            "FORCE NULL" => options.force_null = listed(reader)?,
            _ => {}
        }
        Ok(())
    }
}

impl CopyOptions {
    /// Which options go together, in PostgreSQL's order and words.
    fn check(&self, from: bool) -> Result<(), Error> {
        if let CopyFormat::Other(name) = &self.format {
            return self.check_other(name);
        }
        if let Some((name, _)) = self.other.first() {
            return Err(syntax(format!("option \"{name}\" not recognized")));
        }
        if self.header.as_deref() == Some("match") && !from {
            return Err(Error::unsupported("cannot use \"match\" with HEADER in COPY TO"));
        }
        self.check_encoding()?;
        let (binary, csv) = (self.format == CopyFormat::Binary, self.format == CopyFormat::Csv);
        if binary && self.delimiter.is_some() {
            return Err(syntax("cannot specify DELIMITER in BINARY mode"));
        }
        if binary && self.null.is_some() {
            return Err(syntax("cannot specify NULL in BINARY mode"));
        }
        let delimiter = self.delimiter.as_deref().unwrap_or(if csv { "," } else { "\t" });
        let null = self.null.as_deref().unwrap_or(if csv { "" } else { "\\N" });
        one_byte("delimiter", Some(delimiter))?;
        if matches!(delimiter, "\n" | "\r") {
            return Err(value_of("COPY delimiter cannot be newline or carriage return"));
        }
        if null.contains(['\n', '\r']) {
            return Err(value_of(
                "COPY null representation cannot use newline or carriage return",
            ));
        }
        if !csv && NO_DELIMITERS.contains(delimiter) {
            return Err(value_of(format!("COPY delimiter cannot be \"{delimiter}\"")));
        }
        if binary && self.header.as_deref().is_some_and(|header| header != "false") {
            return Err(Error::unsupported("cannot specify HEADER in BINARY mode"));
        }
        self.check_csv(csv, delimiter)?;
        self.check_forced(csv, from)?;
        if null.contains(delimiter) {
            return Err(Error::unsupported(
                "COPY delimiter must not appear in the NULL specification",
            ));
        }
        if csv && null.contains(self.quote.as_deref().unwrap_or("\"")) {
            return Err(Error::unsupported(
                "CSV quote character must not appear in the NULL specification",
            ));
        }
        Ok(())
    }

    fn check_csv(&self, csv: bool, delimiter: &str) -> Result<(), Error> {
        for (name, given) in [("quote", &self.quote), ("escape", &self.escape)] {
            if !csv && given.is_some() {
                return Err(Error::unsupported(format!("COPY {name} available only in CSV mode")));
            }
            one_byte(name, given.as_deref())?;
            if csv && name == "quote" && given.as_deref().unwrap_or("\"") == delimiter {
                return Err(value_of("COPY delimiter and quote must be different"));
            }
        }
        Ok(())
    }

    fn check_forced(&self, csv: bool, from: bool) -> Result<(), Error> {
        let all = [
            ("force quote", &self.force_quote, false),
            ("force not null", &self.force_not_null, true),
            ("force null", &self.force_null, true),
        ];
        for (name, _, input) in all
            .into_iter()
            .filter(|(_, columns, _)| **columns != ForceColumns::None)
        {
            if !csv {
                return Err(Error::unsupported(format!("COPY {name} available only in CSV mode")));
            }
            if input != from {
                let side = if input { "FROM" } else { "TO" };
                return Err(Error::unsupported(format!(
                    "COPY {name} only available using COPY {side}"
                )));
            }
        }
        Ok(())
    }

    fn check_encoding(&self) -> Result<(), Error> {
        let Some(name) = &self.encoding else { return Ok(()) };
        let plain = name.to_lowercase().replace(['-', '_'], "");
        if ENCODINGS.contains(&plain.as_str()) {
            return Ok(());
        }
        Err(Error::unsupported(format!(
            "COPY in encoding \"{name}\" is not supported"
        )))
    }

    /// Formats that have options of their own, and none of PostgreSQL's.
    fn check_other(&self, name: &str) -> Result<(), Error> {
        let plain = Self {
            format: self.format.clone(),
            other: self.other.clone(),
            ..Self::default()
        };
        if *self == plain {
            return Ok(());
        }
        Err(Error::unsupported(format!(
            "COPY format \"{name}\" takes none of the options of text and CSV"
        )))
    }
}

fn one_byte(name: &str, value: Option<&str>) -> Result<(), Error> {
    if value.is_none_or(|value| value.len() == 1) {
        return Ok(());
    }
    Err(Error::unsupported(format!(
        "COPY {name} must be a single one-byte character"
    )))
}

fn syntax(message: impl Into<String>) -> Error {
    Error::invalid(SqlState::SYNTAX_ERROR, message)
}

fn value_of(message: impl Into<String>) -> Error {
    Error::invalid(SqlState::INVALID_PARAMETER_VALUE, message)
}

/// What stands behind an option's name.
fn value(reader: &Reader<'_, '_>, rest: &[Token<'_>]) -> String {
    match rest {
        [] => "true".to_owned(),
        [one] => one
            .literal()
            .or_else(|| one.name())
            .unwrap_or_else(|| one.text.to_owned()),
        more => reader.text(more),
    }
}

fn valued(reader: &Reader<'_, '_>, name: &str, rest: &[Token<'_>]) -> Result<String, Error> {
    if rest.is_empty() {
        return Err(syntax(format!("{name} requires a parameter")));
    }
    Ok(value(reader, rest))
}

fn quoted(reader: &mut Reader<'_, '_>) -> Result<String, Error> {
    let _ = reader.eat("AS");
    reader.literal()
}

fn listed(reader: &mut Reader<'_, '_>) -> Result<ForceColumns, Error> {
    let mut names = vec![reader.name()?];
    while reader.eat_symbol(",") {
        names.push(reader.name()?);
    }
    Ok(ForceColumns::Columns(names))
}

/// `(a, b)`.
fn columns(option: &str, tokens: &[Token<'_>]) -> Result<ForceColumns, Error> {
    let inside = match tokens {
        [open, inside @ .., close] if open.is_symbol("(") && close.is_symbol(")") => inside,
        _ => &[],
    };
    let names: Option<Vec<_>> = commas(inside)
        .into_iter()
        .map(|part| match part {
            [name] => name.name(),
            _ => None,
        })
        .collect();
    names
        .filter(|names| !names.is_empty())
        .map(ForceColumns::Columns)
        .ok_or_else(|| {
            value_of(format!(
                "argument to option \"{option}\" must be a list of column names"
            ))
        })
}

fn format(name: &str) -> CopyFormat {
    match name {
        "text" => CopyFormat::Text,
        "csv" => CopyFormat::Csv,
        "binary" => CopyFormat::Binary,
        other => CopyFormat::Other(other.to_owned()),
    }
}

/// A boolean by one of the names that PostgreSQL's options take.
fn boolean(name: &str, value: &str) -> Result<bool, Error> {
    match value.to_lowercase().as_str() {
        "true" | "on" | "1" => Ok(true),
        "false" | "off" | "0" => Ok(false),
        _ => Err(syntax(format!("{name} requires a Boolean value"))),
    }
}

fn header(value: &str) -> Result<String, Error> {
    if value.eq_ignore_ascii_case("match") {
        return Ok("match".to_owned());
    }
    match boolean("header", value) {
        Ok(given) => Ok(given.to_string()),
        Err(_) => Err(syntax("header requires a Boolean value or \"match\"")),
    }
}
