//! The first layer of the fourth wall: what nobody may do, and what only a login without restrictions may.
//!
//! A tree is judged on its statements' kinds and on every name it holds; an opaque statement on its tokens. Functions of
//! FROM are an allow list; in expressions, a function that nobody knows is a user's macro. Relations of restricted logins
//! are [`super::authorise`]'s.

mod arguments;
mod functions;
mod net;
mod statements;
mod verdict;

use std::ops::ControlFlow;

use sqlparser::ast::{
    self, Expr, FunctionArg, FunctionArguments, Ident, ObjectName, ObjectNamePart, Query, TableFactor, TableObject,
    Visit, Visitor,
};

use self::verdict::{Verdict, verdict};
use super::last_name;
use crate::{Access, Error};

pub(super) use arguments::file;
pub(crate) use net::tokens;

/// Catalogs and schemas that belong to Pintail and to the lake's own bookkeeping.
const INTERNAL: &str = "__ducklake_metadata_";
const HIDDEN: &str = "__pintail";
/// Variables that carry the session's own values.
const VARIABLES: &str = "pintail_";

/// Refuses a tree that names what the login may not use.
pub(super) fn check(statement: &ast::Statement, access: &Access<'_>) -> Result<(), Error> {
    let mut visitor = Gate {
        restricted: access.is_restricted(),
    };
    match statement.visit(&mut visitor) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

/// Refuses a name of Pintail's own or of the lake's bookkeeping.
pub(super) fn hidden(name: &str) -> Result<(), Error> {
    let lower = name.to_lowercase();
    if lower.starts_with(INTERNAL) {
        return Err(Error::forbidden(format!("catalog {name}")));
    }
    if lower.starts_with(HIDDEN) {
        return Err(Error::forbidden(format!("schema {name}")));
    }
    Ok(())
}

/// Where a call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Expression,
    From,
}

struct Gate {
    restricted: bool,
}

impl Gate {
    fn call(&self, name: &ObjectName, args: &[FunctionArg], place: Place) -> Result<(), Error> {
        let Some(last) = last_name(name) else {
            return Err(Error::forbidden(format!("function {name}")));
        };
        let known = verdict(&last.to_lowercase());
        let allowed = match known {
            Verdict::Everyone => true,
            Verdict::Expressions => place == Place::Expression,
            Verdict::Owners(argument) if !self.restricted => return arguments::check(&last, argument, args),
            Verdict::Owners(_) | Verdict::Nobody => false,
            Verdict::Unknown => !self.restricted && place == Place::Expression,
        };
        // The list knows the system's functions; a schema may hold another of the same name.
        let qualified = name.0.len() > 1 && !is_system(name);
        if allowed && !(self.restricted && qualified) {
            return Ok(());
        }
        Err(Error::forbidden(format!("function {last}")))
    }

    /// A call with all that may stand for arguments.
    fn function(&self, function: &ast::Function, place: Place) -> Result<(), Error> {
        match &function.args {
            FunctionArguments::List(list) => self.call(&function.name, &list.args, place),
            FunctionArguments::None | FunctionArguments::Subquery(_) => self.call(&function.name, &[], place),
        }
    }

    fn factor(&self, factor: &TableFactor) -> Result<(), Error> {
        match factor {
            TableFactor::Table {
                name, args: Some(list), ..
            } => self.call(name, &list.args, Place::From),
            TableFactor::Function { name, args, .. } => self.call(name, args, Place::From),
            TableFactor::Table { .. }
            | TableFactor::Derived { .. }
            | TableFactor::UNNEST { .. }
            | TableFactor::NestedJoin { .. }
            | TableFactor::Pivot { .. }
            | TableFactor::Unpivot { .. } => Ok(()),
            other => {
                let word = other.to_string();
                let word = word.split(['(', ' ']).next().unwrap_or_default();
                Err(Error::forbidden(format!("function {}", word.to_lowercase())))
            }
        }
    }

    fn statement(&self, statement: &ast::Statement) -> Result<(), Error> {
        statements::check(statement, self.restricted)?;
        match statement {
            ast::Statement::Call(function) => self.function(function, Place::From),
            ast::Statement::Insert(insert) => match &insert.table {
                TableObject::TableName(_) => Ok(()),
                TableObject::TableFunction(function) => self.function(function, Place::From),
                TableObject::TableQuery(_) => Err(Error::unsupported("INSERT INTO (query) is not supported")),
            },
            _ => Ok(()),
        }
    }
}

/// Whether a function's schema is PostgreSQL's own, which the name rules resolve.
fn is_system(name: &ObjectName) -> bool {
    let parts: Vec<String> = name
        .0
        .iter()
        .filter_map(|part| part.as_ident().map(super::folded))
        .collect();
    matches!(parts.as_slice(), [schema, _] if schema == "pg_catalog" || schema == "information_schema")
}

pub(super) fn flow(result: Result<(), Error>) -> ControlFlow<Error> {
    match result {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    }
}

impl Visitor for Gate {
    type Break = Error;

    fn pre_visit_ident(&mut self, ident: &Ident) -> ControlFlow<Error> {
        flow(hidden(&ident.value))
    }

    /// The engine takes a relation that it does not have for a file, all parts of its name together.
    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<Error> {
        let parts = relation.0.iter().filter_map(ObjectNamePart::as_ident);
        let parts: Vec<&str> = parts.map(|part| part.value.as_str()).collect();
        flow(file(&parts.join(".")))
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Error> {
        if query.pipe_operators.is_empty() {
            return ControlFlow::Continue(());
        }
        ControlFlow::Break(Error::unsupported("pipe operators are not supported"))
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<Error> {
        flow(self.factor(factor))
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Error> {
        flow(match expr {
            Expr::Function(function) => self.function(function, Place::Expression),
            _ => Ok(()),
        })
    }

    fn pre_visit_statement(&mut self, statement: &ast::Statement) -> ControlFlow<Error> {
        flow(self.statement(statement))
    }
}
