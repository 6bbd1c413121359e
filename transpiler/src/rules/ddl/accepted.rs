//! Definitions that need little or nothing of the engine, and those that are refused.

use pintail_sqlstate::{Report, Severity, SqlState};
use sqlparser::ast::{self, AlterSchema, AlterSchemaOperation, CommentObject, CreateIndex, Truncate};

use super::plan_of;
use crate::Error;
use crate::plan::{Context, Plan, Step, Storage};
use crate::script::Statement;

/// An index on a lake table: accepted, with a notice; a native table has real ones.
pub(super) fn create_index(index: &mut CreateIndex, context: &Context<'_>) -> Result<Option<Plan>, Error> {
    let catalog = crate::catalogs::of(&index.table_name, context);
    if context.storage_of(&catalog) == Some(Storage::Native) {
        index.using = None;
        index.concurrently = false;
        index.with = Vec::new();
        if index.predicate.is_some() {
            return Err(Error::unsupported("partial indexes are not supported"));
        }
        return Ok(None);
    }
    let name = index.name.as_ref().map_or_else(String::new, ToString::to_string);
    let notice = Report::new(
        SqlState::SUCCESSFUL_COMPLETION,
        format!("index {name} is accepted and not built: tables of this catalog have no indexes"),
    )
    .with_severity(Severity::Notice);
    Ok(Some(Plan::nothing(vec![notice])))
}

/// TRUNCATE of several tables is several steps.
pub(super) fn truncate(truncate: &Truncate) -> Option<Plan> {
    let mut one = truncate.clone();
    one.identity = None;
    one.cascade = None;
    one.table = true;
    for target in &mut one.table_names {
        target.only = false;
        target.has_asterisk = false;
    }
    let tables = one.table_names.clone();
    let sql = |target: &ast::TruncateTableTarget| {
        let mut alone = one.clone();
        alone.table_names = vec![target.clone()];
        ast::Statement::Truncate(alone).to_string()
    };
    let (last, before) = tables.split_last()?;
    let mut steps: Vec<_> = before.iter().map(|target| Step::auxiliary(sql(target))).collect();
    steps.push(Step::main(sql(last)));
    Some(plan_of(steps, Vec::new()))
}

/// A schema's owner means nothing; no catalog renames or moves one.
pub(super) fn alter_schema(schema: &AlterSchema) -> Result<Plan, Error> {
    let owner = |operation: &AlterSchemaOperation| matches!(operation, AlterSchemaOperation::OwnerTo { .. });
    if schema.operations.iter().all(owner) {
        return Ok(Plan::nothing(Vec::new()));
    }
    Err(Error::unsupported("ALTER SCHEMA … RENAME is not supported"))
}

/// Comments on tables, views and columns are kept; on anything else there is nothing to keep them at.
pub(super) fn comment(statement: &ast::Statement) -> Result<Option<Plan>, Error> {
    let ast::Statement::Comment { object_type, .. } = statement else {
        return Ok(None);
    };
    match object_type {
        CommentObject::Table | CommentObject::View | CommentObject::Column => Ok(None),
        other => Err(Error::unsupported(format!("COMMENT ON {other} is not supported"))),
    }
}

/// What PostgreSQL defines and this server does not.
pub(super) fn refuse(tree: &ast::Statement, statement: &Statement) -> Result<(), Error> {
    use ast::Statement as S;
    // These the engine has in a form of its own, which is judged before.
    let differs = matches!(
        tree,
        S::CreateType { .. } | S::CreateSequence { .. } | S::CreateFunction(_)
    );
    if differs || is_lacking(tree) {
        let tag = statement.tag.render(0);
        return Err(Error::unsupported(format!("{tag} is not supported")));
    }
    Ok(())
}

/// Kinds of statements that PostgreSQL has and neither this server nor the engine.
pub(in crate::rules) fn is_lacking(tree: &ast::Statement) -> bool {
    use ast::Statement as S;
    matches!(
        tree,
        S::CreateDatabase { .. }
            | S::CreateExtension(_)
            | S::DropExtension(_)
            | S::CreateRole(_)
            | S::AlterRole { .. }
            | S::Grant(_)
            | S::GrantRole(_)
            | S::Revoke(_)
            | S::RevokeRole(_)
            | S::AlterDefaultPrivileges(_)
            | S::CreateTrigger(_)
            | S::DropTrigger(_)
            | S::CreatePolicy(_)
            | S::AlterPolicy(_)
            | S::DropPolicy(_)
            | S::AlterType(_)
            | S::CreateDomain(_)
            | S::DropDomain(_)
            | S::CreateServer(_)
            | S::CreateForeignTable(_)
            | S::CreateForeignDataWrapper(_)
            | S::CreateUserMapping(_)
            | S::CreateRule(_)
            | S::DropRule(_)
            | S::CreateOperator(_)
            | S::CreateOperatorFamily(_)
            | S::CreateOperatorClass(_)
            | S::CreateAggregate(_)
            | S::CreateTextSearch(_)
            | S::CreateCollation(_)
            | S::CreateProcedure { .. }
            | S::DropProcedure { .. }
    )
}
