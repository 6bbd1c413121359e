//! Which kinds of statements there are for whom: an allow list.

use sqlparser::ast::{self, DescribeAlias, ObjectType, Statement as S};

use super::super::build;
use super::super::ddl::is_lacking;
use crate::Error;

/// Refuses a statement, or a part of one, that is of no kind on the list.
///
/// Kinds that PostgreSQL has and Pintail lacks pass: another rule refuses them, and says what is missing.
pub(super) fn check(statement: &ast::Statement, restricted: bool) -> Result<(), Error> {
    let allowed = match statement {
        S::AttachDuckDBDatabase {
            database_path,
            attach_options,
            ..
        } => !restricted && database_path.value == ":memory:" && attach_options.is_empty(),
        S::AttachDatabase { database_file_name, .. } => {
            !restricted && build::literal(database_file_name).as_deref() == Some(":memory:")
        }
        S::Drop { object_type, .. } => droppable(*object_type),
        // With ANALYZE the inner statement runs, and not as its own kind would.
        S::Explain { statement: inner, .. } if !explainable(inner) => {
            return Err(Error::forbidden(format!("statement EXPLAIN {}", word(inner))));
        }
        // One word behind EXPLAIN is a relation for the parser, and for the engine it may be a statement.
        S::ExplainTable {
            describe_alias: DescribeAlias::Explain,
            ..
        } => false,
        _ if restricted => for_everyone(statement),
        _ => for_everyone(statement) || for_owners(statement),
    };
    if allowed {
        return Ok(());
    }
    Err(Error::forbidden(format!("statement {}", word(statement))))
}

fn droppable(object: ObjectType) -> bool {
    matches!(
        object,
        ObjectType::Table
            | ObjectType::View
            | ObjectType::MaterializedView
            | ObjectType::Index
            | ObjectType::Schema
            | ObjectType::Sequence
            | ObjectType::Type
            | ObjectType::Collation
            | ObjectType::ForeignTable
            | ObjectType::Role
            | ObjectType::Database
    )
}

/// What PostgreSQL explains (manual, "EXPLAIN").
fn explainable(statement: &ast::Statement) -> bool {
    match statement {
        S::Query(_) | S::Insert(_) | S::Update(_) | S::Delete(_) | S::Merge(_) => true,
        S::CreateTable(table) => table.query.is_some(),
        _ => false,
    }
}

/// What can be authorised name by name.
fn for_everyone(statement: &ast::Statement) -> bool {
    matches!(
        statement,
        S::Query(_)
            | S::Insert(_)
            | S::Update(_)
            | S::Delete(_)
            | S::Merge(_)
            | S::Truncate(_)
            | S::CreateTable(_)
            | S::CreateView(_)
            | S::CreateIndex(_)
            | S::AlterTable(_)
            | S::AlterView(_)
            | S::Comment { .. }
            | S::Explain { .. }
    )
}

fn for_owners(statement: &ast::Statement) -> bool {
    matches!(
        statement,
        S::Call(_)
            | S::Set(_)
            | S::CreateSchema { .. }
            | S::CreateMacro { .. }
            | S::CreateFunction(_)
            | S::CreateSequence { .. }
            | S::CreateType { .. }
            | S::AlterSchema(_)
            | S::AlterIndex { .. }
            | S::DropFunction(_)
            | S::ExplainTable { .. }
            | S::ShowTables { .. }
            | S::ShowDatabases { .. }
            | S::ShowSchemas { .. }
            | S::ShowViews { .. }
            | S::ShowColumns { .. }
            | S::ShowVariable { .. }
            | S::ShowVariables { .. }
            | S::ShowFunctions { .. }
    ) || is_lacking(statement)
}

/// The statement's first words.
fn word(statement: &ast::Statement) -> String {
    match statement {
        S::AttachDuckDBDatabase { .. } | S::AttachDatabase { .. } => "ATTACH".to_owned(),
        S::DetachDuckDBDatabase { .. } => "DETACH".to_owned(),
        S::Directory { .. } => "INSERT DIRECTORY".to_owned(),
        other => {
            let text = other.to_string();
            let mut words = text.split_whitespace().map(str::to_uppercase);
            let first = words.next().unwrap_or_default();
            match (first.as_str(), words.next()) {
                ("CREATE" | "DROP" | "ALTER" | "SHOW", Some(second)) => format!("{first} {second}"),
                _ => first,
            }
        }
    }
}
