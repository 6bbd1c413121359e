//! A statement's kind, tag and whether it answers with rows, from its tree or, failing that, its tokens.

mod opaque;

use std::ops::ControlFlow;

use sqlparser::ast::{self, ObjectType, SetExpr, Visit, Visitor};

use crate::{Kind, Returns, Tag};

pub(crate) use opaque::opaque;

/// The three together.
pub(crate) struct Class {
    pub(crate) kind: Kind,
    pub(crate) tag: Tag,
    pub(crate) returns: Returns,
}

impl Class {
    fn fixed(kind: Kind, tag: &str) -> Self {
        Self {
            kind,
            tag: Tag::Fixed(tag.to_owned()),
            returns: Returns::Nothing,
        }
    }

    fn rows(kind: Kind, tag: &'static str, returns: Returns) -> Self {
        Self {
            kind,
            tag: Tag::Rows(tag),
            returns,
        }
    }
}

/// Classifies a parsed statement.
pub(crate) fn tree(statement: &ast::Statement) -> Class {
    use ast::Statement as S;
    match statement {
        S::Query(query) => self::query(query),
        S::Insert(insert) => Class::rows(Kind::Write, "INSERT 0", returning(insert.returning.as_ref())),
        S::Update(update) => Class::rows(Kind::Write, "UPDATE", returning(update.returning.as_ref())),
        S::Delete(delete) => Class::rows(Kind::Write, "DELETE", returning(delete.returning.as_ref())),
        S::Merge(merge) => {
            let returns = if merge.output.is_some() {
                Returns::Rows
            } else {
                Returns::Nothing
            };
            Class::rows(Kind::Write, "MERGE", returns)
        }
        S::Truncate(_) => Class::fixed(Kind::Write, "TRUNCATE TABLE"),
        S::CreateTable(create) if create.with_data.as_ref().is_some_and(|with| !with.data) => {
            Class::fixed(Kind::Ddl, "CREATE TABLE AS")
        }
        S::CreateTable(create) if create.query.is_some() => Class::rows(Kind::Ddl, "SELECT", Returns::Nothing),
        S::Explain {
            statement: inner,
            analyze,
            options,
            ..
        } => Class {
            // With ANALYZE it does what it explains.
            kind: match tree(inner).kind {
                Kind::Read => Kind::Explain,
                kind if *analyze || options.is_some() => kind,
                _ => Kind::Explain,
            },
            tag: Tag::Fixed("EXPLAIN".to_owned()),
            returns: Returns::Rows,
        },
        S::ExplainTable { .. } => Class {
            kind: Kind::Explain,
            tag: Tag::Fixed("EXPLAIN".to_owned()),
            returns: Returns::Rows,
        },
        S::Call(_) => Class {
            kind: Kind::Other,
            tag: Tag::Fixed("CALL".to_owned()),
            returns: Returns::Unknown,
        },
        S::Pragma { .. } | S::ShowTables { .. } | S::ShowVariable { .. } | S::ShowDatabases { .. } => {
            Class::rows(Kind::Read, "SELECT", Returns::Unknown)
        }
        other => match definition(other) {
            Some(tag) => Class::fixed(Kind::Ddl, &tag),
            None => Class {
                kind: Kind::Other,
                tag: Tag::Fixed(first_words(other)),
                returns: Returns::Unknown,
            },
        },
    }
}

fn returning(items: Option<&Vec<ast::SelectItem>>) -> Returns {
    if items.is_some() {
        Returns::Rows
    } else {
        Returns::Nothing
    }
}

fn query(query: &ast::Query) -> Class {
    match body(&query.body) {
        SetExpr::Select(select) if select.into.is_some() => {
            return Class::rows(Kind::Ddl, "SELECT", Returns::Nothing);
        }
        SetExpr::Insert(inner) | SetExpr::Update(inner) | SetExpr::Delete(inner) | SetExpr::Merge(inner) => {
            return tree(inner);
        }
        _ => {}
    }
    let mut writes = Writes;
    let kind = if query.visit(&mut writes).is_break() {
        Kind::Write
    } else {
        Kind::Read
    };
    Class::rows(kind, "SELECT", Returns::Rows)
}

fn body(body: &SetExpr) -> &SetExpr {
    match body {
        SetExpr::Query(query) => self::body(&query.body),
        other => other,
    }
}

/// Finds a data-modifying WITH query or a function that changes something.
struct Writes;

impl Visitor for Writes {
    type Break = ();

    fn pre_visit_query(&mut self, query: &ast::Query) -> ControlFlow<()> {
        match body(&query.body) {
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_expr(&mut self, expr: &ast::Expr) -> ControlFlow<()> {
        if let ast::Expr::Function(function) = expr
            && let Some(name) = crate::rules::last_name(&function.name)
            && matches!(name.as_str(), "nextval" | "setval")
        {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// The tag of a statement about definitions.
fn definition(statement: &ast::Statement) -> Option<String> {
    use ast::Statement as S;
    let tag = match statement {
        S::CreateTable(_) => "CREATE TABLE",
        S::CreateView(view) if view.materialized => "CREATE MATERIALIZED VIEW",
        S::CreateView(_) => "CREATE VIEW",
        S::CreateIndex(_) => "CREATE INDEX",
        S::CreateSchema { .. } => "CREATE SCHEMA",
        S::CreateDatabase { .. } => "CREATE DATABASE",
        S::CreateFunction(_) | S::CreateMacro { .. } => "CREATE FUNCTION",
        S::CreateProcedure { .. } => "CREATE PROCEDURE",
        S::CreateSequence { .. } => "CREATE SEQUENCE",
        S::CreateType { .. } => "CREATE TYPE",
        S::CreateDomain(_) => "CREATE DOMAIN",
        S::CreateRole(_) => "CREATE ROLE",
        S::CreateExtension(_) => "CREATE EXTENSION",
        S::CreateTrigger(_) => "CREATE TRIGGER",
        S::CreatePolicy(_) => "CREATE POLICY",
        S::AlterTable(_) => "ALTER TABLE",
        S::AlterView(_) => "ALTER VIEW",
        S::AlterSchema(_) => "ALTER SCHEMA",
        S::AlterIndex { .. } => "ALTER INDEX",
        S::AlterType(_) => "ALTER TYPE",
        S::AlterRole { .. } => "ALTER ROLE",
        S::AlterDefaultPrivileges(_) => "ALTER DEFAULT PRIVILEGES",
        S::Comment { .. } => "COMMENT",
        S::Grant(_) => "GRANT",
        S::GrantRole(_) => "GRANT ROLE",
        S::Revoke(_) => "REVOKE",
        S::RevokeRole(_) => "REVOKE ROLE",
        S::DropFunction(_) => "DROP FUNCTION",
        S::DropDomain(_) => "DROP DOMAIN",
        S::DropProcedure { .. } => "DROP PROCEDURE",
        S::DropExtension(_) => "DROP EXTENSION",
        S::DropTrigger(_) => "DROP TRIGGER",
        S::Drop { object_type, .. } => return Some(format!("DROP {}", object(*object_type))),
        S::AttachDuckDBDatabase { .. } | S::AttachDatabase { .. } => "ATTACH",
        S::DetachDuckDBDatabase { .. } => "DETACH",
        S::CreateSecret { .. } => "CREATE SECRET",
        S::DropSecret { .. } => "DROP SECRET",
        _ => return None,
    };
    Some(tag.to_owned())
}

fn object(object: ObjectType) -> String {
    object.to_string().to_uppercase()
}

fn first_words(statement: &ast::Statement) -> String {
    let text = statement.to_string();
    text.split_whitespace()
        .take(2)
        .collect::<Vec<_>>()
        .join(" ")
        .to_uppercase()
}
