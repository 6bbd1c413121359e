//! Schemas and tables that a statement makes or drops: what they are called in each kind of catalog.

use std::ops::ControlFlow;

use sqlparser::ast::{self, ObjectName, ObjectNamePart, ObjectType, SchemaName, Statement as S, Visit, Visitor};

use super::{folded, public_to_main};
use crate::lex::Token;
use crate::plan::{Context, Storage};
use crate::{Error, catalogs};

/// Puts the names of schemas where the engine finds them, and refuses those that cannot be there.
pub(super) fn apply(statement: &mut ast::Statement, context: &Context<'_>) -> Result<(), Error> {
    match statement {
        S::CreateSchema {
            schema_name: SchemaName::Simple(name) | SchemaName::NamedAuthorization(name, _),
            ..
        } => made(name, context)?,
        S::Drop {
            object_type: ObjectType::Schema,
            names,
            ..
        } => names.iter().try_for_each(|name| dropped(name, context))?,
        _ => {}
    }
    match statement.visit(&mut Made { context }) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

/// Whether a schema is the one that a catalog has from the start, by either of its names.
fn is_first(name: &ObjectName) -> bool {
    last(name).is_some_and(|schema| matches!(schema.as_str(), "public" | "main"))
}

fn last(name: &ObjectName) -> Option<String> {
    name.0.last().and_then(ObjectNamePart::as_ident).map(folded)
}

fn made(name: &mut ObjectName, context: &Context<'_>) -> Result<(), Error> {
    if !is_first(name) {
        return Ok(());
    }
    match context.storage_of(&catalogs::of_schema(name, context)) {
        Some(Storage::Lake | Storage::Native) => {
            if let Some(ObjectNamePart::Identifier(schema)) = name.0.last_mut() {
                public_to_main(schema);
            }
            Ok(())
        }
        // The engine would make a namespace that no name reaches.
        Some(Storage::Iceberg) if last(name).as_deref() == Some("main") => {
            Err(Error::unsupported("a schema \"main\" is not supported in this catalog"))
        }
        Some(Storage::Iceberg) => Ok(()),
        None => Err(unknown(name)),
    }
}

/// Without its first schema a lake, or a database of the engine's own, takes no session any more.
fn dropped(name: &ObjectName, context: &Context<'_>) -> Result<(), Error> {
    if !is_first(name) {
        return Ok(());
    }
    match context.storage_of(&catalogs::of_schema(name, context)) {
        Some(Storage::Iceberg) => Ok(()),
        Some(Storage::Lake | Storage::Native) => Err(Error::unsupported(format!(
            "schema \"{}\" cannot be dropped in this catalog",
            last(name).unwrap_or_default()
        ))),
        None => Err(unknown(name)),
    }
}

/// Judges a statement that no grammar took, in which any name may be of something that is made.
pub(crate) fn of_tokens(sql: &str, context: &Context<'_>) -> Result<(), Error> {
    let others = context.catalogs.iter().map(|name| context.storage_of(name));
    let harmless = |storage| matches!(storage, Some(Storage::Lake | Storage::Native));
    if [Some(context.storage)].into_iter().chain(others).all(harmless) {
        return Ok(());
    }
    let tokens = crate::lex::tokens(sql)?;
    let creates = ["CREATE", "INTO"];
    if !tokens
        .iter()
        .any(|token| creates.iter().any(|word| token.is_word(word)))
    {
        return Ok(());
    }
    match tokens.iter().filter_map(Token::name).find(|name| name.contains('?')) {
        Some(name) => Err(Error::forbidden(format!("name {name}"))),
        None => Ok(()),
    }
}

fn unknown(name: &ObjectName) -> Error {
    Error::unsupported(format!("making or dropping schema \"{name}\" is not supported here"))
}

/// Looks at what is made anywhere in a statement.
///
/// A REST catalog puts the names of schemas and tables into the places of their objects as they are, and the engine takes
/// what follows a `?` there for settings of its own, the store's host among them. A lake and the engine's own databases do
/// not.
struct Made<'a> {
    context: &'a Context<'a>,
}

impl Made<'_> {
    fn place(&self, name: &ObjectName, catalog: &str) -> Result<(), Error> {
        if matches!(self.context.storage_of(catalog), Some(Storage::Lake | Storage::Native)) {
            return Ok(());
        }
        let parts = name.0.iter().filter_map(ObjectNamePart::as_ident);
        match parts.map(folded).find(|part| part.contains('?')) {
            Some(part) => Err(Error::forbidden(format!("name {part}"))),
            None => Ok(()),
        }
    }
}

impl Visitor for Made<'_> {
    type Break = Error;

    fn pre_visit_statement(&mut self, statement: &ast::Statement) -> ControlFlow<Error> {
        super::super::gate::flow(match statement {
            S::CreateTable(table) => self.place(&table.name, &catalogs::of(&table.name, self.context)),
            S::CreateSchema {
                schema_name: SchemaName::Simple(name) | SchemaName::NamedAuthorization(name, _),
                ..
            } => self.place(name, &catalogs::of_schema(name, self.context)),
            _ => Ok(()),
        })
    }
}
