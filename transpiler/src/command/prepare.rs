//! `PREPARE`, `EXECUTE` and `DEALLOCATE`.

use super::reader::commas;
use super::transaction::Transaction;
use super::{Parsed, Reader};
use crate::{Error, Kind, Returns, Statement, Tag};

/// `PREPARE name (types) AS statement`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepare {
    /// Its name.
    pub name: String,
    /// The declared parameter types' OIDs; 0 for one that is `unknown` or not built in.
    pub types: Vec<u32>,
    /// What it prepares.
    pub statement: Box<Statement>,
}

/// `EXECUTE name (arguments)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Execute {
    /// Its name.
    pub name: String,
    /// The arguments, expressions as written. A literal's value is in `literals` at the same place.
    pub arguments: Vec<String>,
    /// For each argument: `Some(value)` where it is a plain literal (`Some(None)` is NULL), else it needs evaluating.
    #[allow(clippy::option_option, reason = "a literal NULL is a value; no literal is none")]
    pub literals: Vec<Option<Option<String>>>,
}

/// `DEALLOCATE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deallocate {
    /// One statement.
    Name(String),
    /// All of them.
    All,
}

/// Reads one of the three.
pub(super) fn parse(reader: &mut Reader<'_, '_>) -> Result<Parsed, Error> {
    if reader.eat("PREPARE TRANSACTION") {
        return Ok(Parsed::new(
            Kind::Transaction(Transaction::TwoPhase),
            "PREPARE TRANSACTION",
        ));
    }
    if reader.eat("PREPARE") {
        return prepare(reader);
    }
    if reader.eat("EXECUTE") {
        return execute(reader);
    }
    reader.expect("DEALLOCATE")?;
    let _ = reader.rest().len() > 1 && reader.eat("PREPARE");
    let name = reader.name()?;
    reader.expect_end()?;
    let (deallocate, tag) = if name == "all" {
        (Deallocate::All, "DEALLOCATE ALL")
    } else {
        (Deallocate::Name(name), "DEALLOCATE")
    };
    Ok(Parsed::new(Kind::Deallocate(deallocate), tag))
}

fn prepare(reader: &mut Reader<'_, '_>) -> Result<Parsed, Error> {
    let name = reader.name()?;
    let mut types = Vec::new();
    if reader.eat_symbol("(") {
        for part in commas(reader.group()?) {
            types.push(crate::rules::type_oid(&reader.text(part)).unwrap_or(0));
        }
    }
    reader.expect("AS")?;
    let unexpected = reader.unexpected();
    let statement = Box::new(reader.statement()?);
    if !matches!(
        statement.kind,
        Kind::Read | Kind::Write | Kind::Ddl | Kind::Explain | Kind::Other
    ) {
        // A command is none of the statements that can be prepared.
        return Err(unexpected);
    }
    Ok(Parsed::new(
        Kind::Prepare(Prepare { name, types, statement }),
        "PREPARE",
    ))
}

fn execute(reader: &mut Reader<'_, '_>) -> Result<Parsed, Error> {
    let name = reader.name()?;
    let (mut arguments, mut literals) = (Vec::new(), Vec::new());
    if reader.eat_symbol("(") {
        for part in commas(reader.group()?) {
            arguments.push(reader.text(part));
            literals.push(literal(part));
        }
    }
    reader.expect_end()?;
    let execute = Execute {
        name,
        arguments,
        literals,
    };
    // The tag is that of the prepared statement.
    Ok(Parsed {
        kind: Kind::Execute(execute),
        tag: Tag::Fixed("EXECUTE".to_owned()),
        returns: Returns::Unknown,
    })
}

#[allow(clippy::option_option, reason = "a literal NULL is a value; no literal is none")]
fn literal(tokens: &[crate::lex::Token<'_>]) -> Option<Option<String>> {
    use crate::lex::TokenKind::Number;
    match tokens {
        [one] if one.is_word("NULL") => Some(None),
        [one] if one.is_word("TRUE") || one.is_word("FALSE") => Some(Some(one.text.to_lowercase())),
        [one] if one.kind == Number => Some(Some(one.text.to_owned())),
        [minus, one] if minus.is_symbol("-") && one.kind == Number => Some(Some(format!("-{}", one.text))),
        [one] => one.literal().map(Some),
        _ => None,
    }
}
