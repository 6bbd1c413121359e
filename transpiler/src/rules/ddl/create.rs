//! CREATE TABLE and CREATE VIEW.

use pintail_sqlstate::SqlState;
use sqlparser::ast::{
    ColumnDef, ColumnOption, ColumnOptionDef, CreateTable, CreateTableLikeKind, CreateTableOptions, CreateView, Ident,
};

use super::constraint::{self, Constraint, ConstraintKind, Table};
use super::plan_of;
use super::recorded::{self, Guard};
use crate::Error;
use crate::plan::{Context, Plan, Step, Storage};

/// The plan of a CREATE TABLE whose keys and checks the lake refuses.
pub(super) fn table(table: &mut CreateTable, context: &Context<'_>) -> Result<Option<Plan>, Error> {
    refuse(table)?;
    table.table_options = CreateTableOptions::None;
    table.unlogged = false;
    if let Some(like) = table.like.take() {
        let (CreateTableLikeKind::Parenthesized(like) | CreateTableLikeKind::Plain(like)) = like;
        table.query = super::super::select::query(&format!("SELECT * FROM {} LIMIT 0", like.name));
        return Ok(None);
    }
    let target = Table::of(&table.name, context);
    let storage = context.storage_of(&target.catalog);
    if table.temporary || storage == Some(Storage::Native) {
        return Ok(None);
    }
    let mut constraints = take(table, &target, context)?;
    if constraints.is_empty() {
        return Ok(None);
    }
    if storage != Some(Storage::Lake) {
        return Err(constraint::unsupported(&constraints[0]));
    }
    constraint::number(&mut constraints);
    not_null(table, &constraints)?;
    let notices = constraints.iter().map(|one| recorded::warning(one, &target)).collect();
    let guard = if table.if_not_exists {
        Guard::IfMissing
    } else {
        Guard::None
    };
    let record = Step::auxiliary(recorded::insert(&constraints, &target, guard));
    let create = Step::main(table.to_string());
    let steps = if table.if_not_exists {
        vec![record, create]
    } else {
        vec![create, record]
    };
    Ok(Some(plan_of(steps, notices)))
}

fn refuse(table: &CreateTable) -> Result<(), Error> {
    if table.inherits.is_some() || table.partition_of.is_some() {
        return Err(Error::unsupported("table inheritance is not supported"));
    }
    if table.partition_by.is_some() {
        return Err(Error::unsupported("declarative partitioning is not supported"));
    }
    Ok(())
}

/// Takes the constraints out of the definition.
fn take(table: &mut CreateTable, target: &Table, context: &Context<'_>) -> Result<Vec<Constraint>, Error> {
    let mut found = Vec::new();
    for column in &mut table.columns {
        let name = super::super::folded(&column.name);
        let options = std::mem::take(&mut column.options);
        for option in options {
            match of_column(&option, &name, target, context)? {
                Some(constraint) => found.push(constraint),
                None => column.options.push(option),
            }
        }
    }
    for constraint in std::mem::take(&mut table.constraints) {
        found.push(constraint::of_table(&constraint, target, context)?);
    }
    Ok(found)
}

/// The constraint that a column's option is; `None` for any other option.
pub(super) fn of_column(
    option: &ColumnOptionDef,
    column: &str,
    table: &Table,
    context: &Context<'_>,
) -> Result<Option<Constraint>, Error> {
    let name = option.name.as_ref();
    let columns = || vec![column.to_owned()];
    Ok(match &option.option {
        ColumnOption::PrimaryKey(_) => Some(constraint::key(ConstraintKind::Primary, name, columns(), table)),
        ColumnOption::Unique(_) => Some(constraint::key(ConstraintKind::Unique, name, columns(), table)),
        ColumnOption::Check(check) => Some(constraint::check(name, check, Some(column), table)),
        ColumnOption::ForeignKey(key) => Some(constraint::foreign(name, key, columns(), table, context)?),
        _ => None,
    })
}

/// A primary key's columns are NOT NULL, which the lake enforces.
fn not_null(table: &mut CreateTable, constraints: &[Constraint]) -> Result<(), Error> {
    let mut primary = constraints.iter().filter(|one| one.kind == ConstraintKind::Primary);
    let Some(key) = primary.next() else { return Ok(()) };
    if primary.next().is_some() {
        return Err(Error::invalid(
            SqlState::INVALID_TABLE_DEFINITION,
            format!("multiple primary keys for table \"{}\" are not allowed", table.name),
        ));
    }
    for name in &key.columns {
        let column = table
            .columns
            .iter_mut()
            .find(|column| super::super::folded(&column.name) == *name);
        let Some(column) = column else {
            return Err(Error::invalid(
                SqlState::UNDEFINED_COLUMN,
                format!("column \"{name}\" named in key does not exist"),
            ));
        };
        set_not_null(column);
    }
    Ok(())
}

fn set_not_null(column: &mut ColumnDef) {
    let has = column
        .options
        .iter()
        .any(|option| option.option == ColumnOption::NotNull);
    if !has {
        column.options.push(ColumnOptionDef {
            name: None::<Ident>,
            option: ColumnOption::NotNull,
        });
    }
}

/// Views: PostgreSQL's options mean nothing here; materialized ones are refused.
pub(super) fn view(view: &mut CreateView) -> Result<(), Error> {
    if view.materialized {
        return Err(Error::unsupported("materialized views are not supported"));
    }
    view.options = CreateTableOptions::None;
    Ok(())
}
