//! The ordered rules that turn PostgreSQL's semantics into DuckDB's. One file a rule; each output re-parses.

mod gate;
mod types;

use sqlparser::ast::{self, ObjectName, ObjectNamePart};

use crate::plan::{Context, Plan};
use crate::{Error, Statement};

pub(crate) use gate::tokens as gate_tokens;
pub(crate) use types::type_oid;

/// Every rule, over a statement in PostgreSQL's grammar.
pub(crate) fn apply(statement: &mut ast::Statement, context: &Context<'_>) -> Result<(), Error> {
    gate::check(statement)?;
    let _ = context;
    Ok(())
}

/// The rules that hold for DuckDB's own statements too: names, and the gate.
pub(crate) fn apply_duckdb(statement: &mut ast::Statement, context: &Context<'_>) -> Result<(), Error> {
    gate::check(statement)?;
    let _ = context;
    Ok(())
}

/// A statement whose plan is more than one rewritten step; `None` where the rules suffice.
pub(crate) fn plan(
    _statement: &Statement,
    _tree: &ast::Statement,
    _context: &Context<'_>,
) -> Result<Option<Plan>, Error> {
    Ok(None)
}

/// The last part of a name, folded where unquoted.
pub(crate) fn last_name(name: &ObjectName) -> Option<String> {
    match name.0.last()? {
        ObjectNamePart::Identifier(ident) => Some(folded(ident)),
        ObjectNamePart::Function(_) => None,
    }
}

/// An identifier's value as PostgreSQL reads it.
pub(crate) fn folded(ident: &ast::Ident) -> String {
    if ident.quote_style.is_some() { ident.value.clone() } else { ident.value.to_lowercase() }
}
