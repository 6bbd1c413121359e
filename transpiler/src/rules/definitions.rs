//! Column definitions: PostgreSQL's types and options in the engine's terms.

use sqlparser::ast::{
    self, AlterColumnOperation, AlterTableOperation, ColumnDef, ColumnOption, DataType, Expr, FunctionArguments,
};

use super::last_name;
use super::types::{self, Place};
use crate::Error;

/// Maps the types of every column a statement defines, and refuses options that would be lost.
pub(super) fn apply(statement: &mut ast::Statement) -> Result<(), Error> {
    match statement {
        ast::Statement::CreateTable(table) => table.columns.iter_mut().try_for_each(column),
        ast::Statement::AlterTable(table) => table.operations.iter_mut().try_for_each(operation),
        _ => Ok(()),
    }
}

fn operation(operation: &mut AlterTableOperation) -> Result<(), Error> {
    match operation {
        AlterTableOperation::AddColumn { column_def, .. } => column(column_def),
        AlterTableOperation::AlterColumn {
            op: AlterColumnOperation::SetDataType { data_type, had_set, .. },
            ..
        } => {
            *had_set = true;
            map(data_type)
        }
        _ => Ok(()),
    }
}

fn column(column: &mut ColumnDef) -> Result<(), Error> {
    map(&mut column.data_type)?;
    for option in &column.options {
        match &option.option {
            ColumnOption::Generated {
                generation_expr: None, ..
            }
            | ColumnOption::Identity(_) => {
                return Err(Error::unsupported("identity columns are not supported"));
            }
            ColumnOption::Generated { .. } => {
                return Err(Error::unsupported("generated columns are not supported"));
            }
            ColumnOption::Default(Expr::Function(function))
                if last_name(&function.name).as_deref() == Some("nextval")
                    && matches!(function.args, FunctionArguments::List(_)) =>
            {
                return Err(Error::unsupported("sequences are not supported"));
            }
            _ => {}
        }
    }
    column
        .options
        .retain(|option| !matches!(option.option, ColumnOption::Collation(_) | ColumnOption::Null));
    Ok(())
}

fn map(data_type: &mut DataType) -> Result<(), Error> {
    let engine = types::engine(data_type, Place::Table)?;
    if engine != *data_type {
        *data_type = engine;
    }
    Ok(())
}
