//! The catalogs that a statement names: first parts of names of three parts.

use std::ops::ControlFlow;

use sqlparser::ast::{self, CommentObject, Ident, ObjectName, ObjectNamePart, ObjectType, SchemaName, Visit, Visitor};

use crate::Error;
use crate::lex::{Token, TokenKind};
use crate::plan::Context;
use crate::rules::folded;
use crate::script::Tree;

/// Words after which a name of a relation or schema stands.
const BEFORE_NAMES: &[&str] = &[
    "FROM",
    "JOIN",
    "INTO",
    "TABLE",
    "VIEW",
    "UPDATE",
    "USING",
    "DESCRIBE",
    "DESC",
    "SUMMARIZE",
    "SHOW",
    "EXISTS",
    "ON",
    "PIVOT",
    "UNPIVOT",
];

/// Databases that belong to the session or to the engine, in names of three parts.
const OWN: &[&str] = &["temp", "memory", "system", "pg_temp"];

/// Catalogs, each once, and for each the first name that begins with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) catalogs: Vec<String>,
    names: Vec<String>,
}

impl Named {
    fn push(&mut self, catalog: String, name: String) {
        if !self.catalogs.contains(&catalog) {
            self.catalogs.push(catalog);
            self.names.push(name);
        }
    }
}

/// PostgreSQL's complaint about a database that is not the session's.
pub(crate) fn cross_database(name: &str) -> Error {
    Error::unsupported(format!("cross-database references are not implemented: \"{name}\""))
}

/// Refuses names that begin with a catalog which the session does not have.
pub(crate) fn check(named: &Named, context: &Context<'_>) -> Result<(), Error> {
    let known = |catalog: &str| {
        catalog == context.catalog
            || context.catalogs.iter().any(|known| known == catalog)
            || (OWN.contains(&catalog) && !context.access.is_restricted())
    };
    let mut both = named.catalogs.iter().zip(&named.names);
    match both.find(|(catalog, _)| !known(catalog)) {
        Some((_, name)) => Err(cross_database(name)),
        None => Ok(()),
    }
}

/// The catalogs that a statement names, each once, in order.
pub(crate) fn named(tree: &Tree, tokens: &[Token<'_>]) -> Named {
    let mut found = Named::default();
    match tree {
        Tree::Postgres(tree) | Tree::DuckDb(tree) => {
            let _ = tree.visit(&mut Names { found: &mut found });
            own_names(tree, &mut found);
        }
        Tree::Opaque => of_tokens(tokens, &mut found),
        Tree::Command => {}
    }
    found
}

/// Whether a database is the session's or the engine's own.
pub(crate) fn is_own(catalog: &str) -> bool {
    OWN.contains(&catalog)
}

/// The catalog of a relation's name.
///
/// The engine takes the first of two parts for a catalog too, where it has one of that name.
pub(crate) fn of(name: &ObjectName, context: &Context<'_>) -> String {
    let other = |catalog: &String| is_own(catalog) || context.catalogs.iter().any(|known| known == catalog);
    let catalog = match name.0.as_slice() {
        [ObjectNamePart::Identifier(catalog), _, _] => Some(folded(catalog)),
        [ObjectNamePart::Identifier(first), _] => Some(folded(first)).filter(other),
        _ => None,
    };
    catalog.unwrap_or_else(|| context.catalog.to_owned())
}

/// The catalog of a schema's name.
pub(crate) fn of_schema(name: &ObjectName, context: &Context<'_>) -> String {
    match name.0.as_slice() {
        [ObjectNamePart::Identifier(catalog), _] => folded(catalog),
        _ => context.catalog.to_owned(),
    }
}

fn note(name: &ObjectName, found: &mut Named) {
    let parts: Vec<String> = name.0.iter().filter_map(ObjectNamePart::as_ident).map(folded).collect();
    if let [catalog, _, _] = parts.as_slice() {
        found.push(catalog.clone(), parts.join("."));
    }
}

/// A schema's name has one part less.
fn note_schema(name: &ObjectName, found: &mut Named) {
    if let [ObjectNamePart::Identifier(catalog), ObjectNamePart::Identifier(schema)] = name.0.as_slice() {
        let (catalog, schema) = (folded(catalog), folded(schema));
        let full = format!("{catalog}.{schema}");
        found.push(catalog, full);
    }
}

struct Names<'a> {
    found: &'a mut Named,
}

impl Visitor for Names<'_> {
    type Break = ();

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<()> {
        note(relation, self.found);
        ControlFlow::Continue(())
    }
}

/// Names outside the visitor's sight.
fn own_names(tree: &ast::Statement, found: &mut Named) {
    use ast::Statement as S;
    match tree {
        S::Drop {
            object_type: ObjectType::Schema,
            names,
            ..
        } => names.iter().for_each(|name| note_schema(name, found)),
        S::Drop { names, .. } => names.iter().for_each(|name| note(name, found)),
        S::CreateSchema {
            schema_name: SchemaName::Simple(name) | SchemaName::NamedAuthorization(name, _),
            ..
        } => note_schema(name, found),
        S::Truncate(truncate) => truncate.table_names.iter().for_each(|target| note(&target.name, found)),
        S::CreateFunction(create) => note(&create.name, found),
        S::CreateMacro { name, .. } | S::CreateSequence { name, .. } | S::CreateType { name, .. } => note(name, found),
        S::Comment {
            object_type: CommentObject::Column,
            object_name,
            ..
        } => {
            let mut table = object_name.clone();
            table.0.pop();
            note(&table, found);
        }
        S::Comment { object_name, .. } => note(object_name, found),
        S::CreateIndex(index) => note(&index.table_name, found),
        _ => {}
    }
}

fn of_tokens(tokens: &[Token<'_>], found: &mut Named) {
    for window in tokens.windows(6) {
        let [before, a, dot, b, second, c] = window else {
            continue;
        };
        let named = BEFORE_NAMES.iter().any(|word| before.is_word(word))
            && dot.is_symbol(".")
            && second.is_symbol(".")
            && [a, b, c]
                .iter()
                .all(|token| matches!(token.kind, TokenKind::Word | TokenKind::Quoted));
        if let (true, Some(a), Some(b), Some(c)) = (named, a.name(), b.name(), c.name()) {
            let full = format!("{a}.{b}.{c}");
            found.push(a, full);
        }
    }
}

/// The name of the database that an ATTACH makes.
pub(crate) fn attached(tree: &Tree) -> Option<String> {
    let (Tree::Postgres(tree) | Tree::DuckDb(tree)) = tree else {
        return None;
    };
    match tree.as_ref() {
        ast::Statement::AttachDuckDBDatabase { database_alias, .. } => database_alias.as_ref().map(alias),
        ast::Statement::AttachDatabase { schema_name, .. } => Some(alias(schema_name)),
        _ => None,
    }
}

fn alias(ident: &Ident) -> String {
    folded(ident)
}
