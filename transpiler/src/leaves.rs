//! What a statement leaves in its instance that a move to another instance would lose.

use sqlparser::ast;

use crate::script::Tree;
use crate::{Kind, SecretPersistence};

/// What success leaves in the instance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Leaves {
    /// Nothing that another instance of the same catalogs lacks.
    #[default]
    Nothing,
    /// Temporary objects, attached databases, variables, a session's secrets, or what cannot be told.
    SessionState,
}

/// What a statement of this tree and kind leaves.
pub(crate) fn leaves(tree: &Tree, kind: &Kind) -> Leaves {
    match (tree, kind) {
        (_, Kind::Secret(secret)) if secret.persistence == SecretPersistence::Session => Leaves::SessionState,
        (Tree::Command, _) | (Tree::Opaque, Kind::Read | Kind::Write | Kind::Explain) => Leaves::Nothing,
        (Tree::Opaque, _) => Leaves::SessionState,
        (Tree::Postgres(tree) | Tree::DuckDb(tree), kind) => of_tree(tree, kind),
    }
}

fn of_tree(tree: &ast::Statement, kind: &Kind) -> Leaves {
    use ast::Statement as S;
    let persists = match tree {
        S::CreateTable(table) => !table.temporary && !named_temporary(&table.name),
        S::CreateView(view) => !view.temporary && !named_temporary(&view.name),
        S::CreateSequence { temporary, name, .. } => !temporary && !named_temporary(name),
        S::CreateSchema { .. }
        | S::CreateIndex(_)
        | S::Drop { .. }
        | S::AlterTable(_)
        | S::AlterView(_)
        | S::AlterSchema(_)
        | S::Comment { .. } => true,
        S::Query(query) => !selects_into_temporary(query),
        _ => matches!(kind, Kind::Read | Kind::Write | Kind::Explain),
    };
    if persists {
        Leaves::Nothing
    } else {
        Leaves::SessionState
    }
}

fn named_temporary(name: &ast::ObjectName) -> bool {
    name.0.len() > 1
        && name
            .0
            .iter()
            .filter_map(ast::ObjectNamePart::as_ident)
            .any(|part| matches!(crate::rules::folded(part).as_str(), "temp" | "pg_temp" | "memory"))
}

fn selects_into_temporary(query: &ast::Query) -> bool {
    match query.body.as_ref() {
        ast::SetExpr::Select(select) => select.into.as_ref().is_some_and(|into| {
            into.temporary
                || into
                    .targets
                    .iter()
                    .any(|target| target.to_string().to_lowercase().starts_with("temp."))
        }),
        ast::SetExpr::Query(query) => selects_into_temporary(query),
        _ => false,
    }
}

/// The temporary table that a statement makes.
pub(crate) fn temporary(tree: &Tree) -> Option<String> {
    let (Tree::Postgres(tree) | Tree::DuckDb(tree)) = tree else {
        return None;
    };
    match tree.as_ref() {
        ast::Statement::CreateTable(table) if table.temporary || named_temporary(&table.name) => {
            crate::rules::last_name(&table.name)
        }
        ast::Statement::Query(query) if selects_into_temporary(query) => into(&query.body),
        _ => None,
    }
}

fn into(body: &ast::SetExpr) -> Option<String> {
    match body {
        ast::SetExpr::Select(select) => match select.into.as_ref()?.targets.first()? {
            ast::Expr::Identifier(name) => Some(crate::rules::folded(name)),
            ast::Expr::CompoundIdentifier(names) => names.last().map(crate::rules::folded),
            _ => None,
        },
        ast::SetExpr::Query(query) => into(&query.body),
        _ => None,
    }
}

/// The tables that a statement drops, by the last parts of their names.
pub(crate) fn dropped(tree: &Tree) -> Vec<String> {
    match tree {
        Tree::Postgres(tree) | Tree::DuckDb(tree) => match tree.as_ref() {
            ast::Statement::Drop {
                object_type: ast::ObjectType::Table,
                names,
                ..
            } => names.iter().filter_map(crate::rules::last_name).collect(),
            _ => Vec::new(),
        },
        Tree::Opaque | Tree::Command => Vec::new(),
    }
}
