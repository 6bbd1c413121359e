//! Targets of writes and definitions, which stand outside FROM.

use sqlparser::ast::{
    self, AlterTableOperation, AlterViewOperation, ColumnOption, CommentObject, CreateTable, CreateTableLikeKind,
    FromTable, ObjectName, ObjectNamePart, ObjectType, Statement as S, TableConstraint, TableFactor, TableObject,
};

use super::Grammar;
use super::judge::{Judge, Power};
use crate::Error;

/// Authorises a statement's own targets and completes their names.
pub(super) fn authorise(statement: &mut ast::Statement, grammar: Grammar, judge: &Judge<'_>) -> Result<(), Error> {
    let write = |name: &mut ObjectName| judge.resolve(name, Power::Write);
    match statement {
        S::Query(_) | S::Explain { .. } => Ok(()),
        S::Insert(insert) => match &mut insert.table {
            TableObject::TableName(name) => write(name),
            _ => Err(Error::forbidden("statement INSERT")),
        },
        S::Update(update) => target(&mut update.table.relation, judge),
        S::Delete(delete) => {
            let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &mut delete.from;
            if !delete.tables.is_empty() {
                return Err(Error::forbidden("statement DELETE"));
            }
            from.iter_mut().try_for_each(|table| target(&mut table.relation, judge))
        }
        S::Merge(merge) => target(&mut merge.table, judge),
        S::Truncate(truncate) => truncate
            .table_names
            .iter_mut()
            .try_for_each(|target| write(&mut target.name)),
        S::CreateTable(table) => create_table(table, judge),
        S::CreateView(view) if view.temporary => Err(Error::forbidden("temporary views")),
        S::CreateView(view) if view.to.is_none() => write(&mut view.name),
        other if grammar == Grammar::Postgres => definition(other, judge),
        other => Err(described(other)),
    }
}

fn definition(statement: &mut ast::Statement, judge: &Judge<'_>) -> Result<(), Error> {
    let write = |name: &mut ObjectName| judge.resolve(name, Power::Write);
    match statement {
        S::AlterTable(alter) => {
            write(&mut alter.name)?;
            alter.operations.iter_mut().try_for_each(|one| operation(one, judge))
        }
        S::AlterView(alter) => {
            if !matches!(
                alter.operation,
                AlterViewOperation::As { .. }
                    | AlterViewOperation::RenameTo { .. }
                    | AlterViewOperation::RenameColumn { .. }
            ) {
                return Err(Error::forbidden("statement ALTER VIEW"));
            }
            if let AlterViewOperation::RenameTo { new_name } = &mut alter.operation {
                bare(new_name)?;
            }
            write(&mut alter.name)
        }
        S::CreateIndex(index) => write(&mut index.table_name),
        S::Drop {
            object_type: ObjectType::Table | ObjectType::View | ObjectType::Index,
            names,
            ..
        } => names.iter_mut().try_for_each(write),
        S::Drop {
            object_type: ObjectType::Schema,
            names,
            ..
        } => {
            let name = names.first().map(ToString::to_string).unwrap_or_default();
            Err(Error::forbidden(format!("schema {name}")))
        }
        S::Comment {
            object_type: CommentObject::Table | CommentObject::View,
            object_name,
            ..
        } => write(object_name),
        S::Comment {
            object_type: CommentObject::Column,
            object_name,
            ..
        } => column(object_name, judge),
        other => Err(described(other)),
    }
}

fn described(statement: &ast::Statement) -> Error {
    let text = statement.to_string();
    let words: Vec<String> = text.split_whitespace().take(2).map(str::to_uppercase).collect();
    Error::forbidden(format!("statement {}", words.join(" ")))
}

fn target(factor: &mut TableFactor, judge: &Judge<'_>) -> Result<(), Error> {
    match factor {
        TableFactor::Table { name, args: None, .. } => judge.resolve(name, Power::Write),
        other => Err(Error::forbidden(format!("table {other}"))),
    }
}

fn create_table(table: &mut CreateTable, judge: &Judge<'_>) -> Result<(), Error> {
    if table.temporary {
        return Err(Error::forbidden("temporary tables"));
    }
    if table.external || table.clone.is_some() || table.location.is_some() {
        return Err(Error::forbidden("statement CREATE TABLE"));
    }
    judge.resolve(&mut table.name, Power::Write)?;
    if let Some(CreateTableLikeKind::Parenthesized(like) | CreateTableLikeKind::Plain(like)) = &mut table.like {
        judge.resolve(&mut like.name, Power::Read)?;
    }
    for column in &mut table.columns {
        for option in &mut column.options {
            if let ColumnOption::ForeignKey(key) = &mut option.option {
                judge.resolve(&mut key.foreign_table, Power::Read)?;
            }
        }
    }
    table
        .constraints
        .iter_mut()
        .try_for_each(|constraint| references(constraint, judge))
}

fn references(constraint: &mut TableConstraint, judge: &Judge<'_>) -> Result<(), Error> {
    match constraint {
        TableConstraint::ForeignKey(key) => judge.resolve(&mut key.foreign_table, Power::Read),
        _ => Ok(()),
    }
}

fn operation(operation: &mut AlterTableOperation, judge: &Judge<'_>) -> Result<(), Error> {
    match operation {
        AlterTableOperation::AddConstraint { constraint, .. } => references(constraint, judge),
        AlterTableOperation::AddColumn { column_def, .. } => {
            for option in &mut column_def.options {
                if let ColumnOption::ForeignKey(key) = &mut option.option {
                    judge.resolve(&mut key.foreign_table, Power::Read)?;
                }
            }
            Ok(())
        }
        // Others name columns only, or are refused by the rule that plans them.
        _ => Ok(()),
    }
}

/// A column's name is its table's and one part more.
fn column(name: &mut ObjectName, judge: &Judge<'_>) -> Result<(), Error> {
    let Some(last) = name.0.pop().filter(|_| !name.0.is_empty()) else {
        return Err(Error::forbidden(format!("column {name}")));
    };
    judge.resolve(name, Power::Write)?;
    name.0.push(last);
    Ok(())
}

/// A new name stays in the old one's schema.
fn bare(name: &ObjectName) -> Result<(), Error> {
    match name.0.as_slice() {
        [ObjectNamePart::Identifier(_)] => Ok(()),
        _ => Err(Error::forbidden(format!("schema {name}"))),
    }
}
