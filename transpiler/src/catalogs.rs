//! The catalogs that a statement names: first parts of names of three parts.

use std::ops::ControlFlow;

use sqlparser::ast::{self, Ident, ObjectName, ObjectNamePart, Visit, Visitor};

use crate::lex::{Token, TokenKind};
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

/// The catalogs that a statement names, each once, in order.
pub(crate) fn named(tree: &Tree, tokens: &[Token<'_>]) -> Vec<String> {
    let mut found = Vec::new();
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

/// The catalog of a relation's name.
pub(crate) fn of(name: &ObjectName) -> Option<String> {
    match name.0.as_slice() {
        [ObjectNamePart::Identifier(catalog), _, _] => Some(folded(catalog)),
        _ => None,
    }
}

fn note(name: &ObjectName, found: &mut Vec<String>) {
    if let Some(catalog) = of(name)
        && !found.contains(&catalog)
    {
        found.push(catalog);
    }
}

struct Names<'a> {
    found: &'a mut Vec<String>,
}

impl Visitor for Names<'_> {
    type Break = ();

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<()> {
        note(relation, self.found);
        ControlFlow::Continue(())
    }
}

/// Names outside the visitor's sight.
fn own_names(tree: &ast::Statement, found: &mut Vec<String>) {
    use ast::Statement as S;
    match tree {
        S::Drop { names, .. } => names.iter().for_each(|name| note(name, found)),
        S::Comment { object_name, .. } => note(object_name, found),
        S::CreateIndex(index) => note(&index.table_name, found),
        _ => {}
    }
}

fn of_tokens(tokens: &[Token<'_>], found: &mut Vec<String>) {
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
        if let Some(catalog) = a.name().filter(|catalog| named && !found.contains(catalog)) {
            found.push(catalog);
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
