//! ALTER TABLE: one action a step, and the recorded constraints kept true.

use sqlparser::ast::{AlterColumnOperation, AlterTable, AlterTableOperation as Op, RenameTableNameKind};

use super::super::{folded, last_name};
use super::constraint::{self, Constraint, Table};
use super::recorded::{self, Guard};
use super::{create, plan_of};
use crate::Error;
use crate::plan::{Context, Notice, Plan, Role, Step, Storage};

/// The plan of an ALTER TABLE.
pub(super) fn plan(alter: &AlterTable, context: &Context<'_>) -> Result<Option<Plan>, Error> {
    let table = Table::of(&alter.name, context);
    let storage = context.storage_of(&table.catalog);
    let lake = storage == Some(Storage::Lake);
    if !lake && storage != Some(Storage::Native) {
        refuse_constraints(alter, &table, context)?;
    }
    let mut building = Building {
        alter,
        table,
        context,
        steps: Vec::new(),
        notices: Vec::new(),
    };
    for operation in &alter.operations {
        building.operation(operation, lake)?;
    }
    let Building { mut steps, notices, .. } = building;
    if let [one] = steps.as_slice()
        && notices.is_empty()
        && alter.operations.len() == 1
        && one.role == Role::Main
        && one.sql == alter.to_string()
    {
        return Ok(None);
    }
    // The last step that belongs to the engine's own ALTER answers; the others are run for their effect.
    let mains = steps.iter().filter(|step| step.role == Role::Main).count();
    let extra = mains.saturating_sub(1);
    for step in steps.iter_mut().filter(|step| step.role == Role::Main).take(extra) {
        step.role = Role::Auxiliary;
    }
    Ok(Some(plan_of(steps, notices)))
}

/// A catalog without constraints has none to add, drop or rename, and one of which nothing is known is left as it is.
fn refuse_constraints(alter: &AlterTable, table: &Table, context: &Context<'_>) -> Result<(), Error> {
    for operation in &alter.operations {
        match operation {
            Op::AddConstraint { constraint, .. } => {
                let found = constraint::of_table(constraint, table, context)?;
                return Err(constraint::unsupported(&found));
            }
            Op::DropConstraint { .. } | Op::RenameConstraint { .. } => {
                return Err(Error::unsupported("constraints are not supported in this catalog"));
            }
            Op::AddColumn { column_def, .. } => {
                let name = folded(&column_def.name);
                for option in &column_def.options {
                    if let Some(found) = create::of_column(option, &name, table, context)? {
                        return Err(constraint::unsupported(&found));
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

struct Building<'a> {
    alter: &'a AlterTable,
    table: Table,
    context: &'a Context<'a>,
    steps: Vec<Step>,
    notices: Vec<Notice>,
}

impl Building<'_> {
    fn operation(&mut self, operation: &Op, lake: bool) -> Result<(), Error> {
        match operation {
            Op::AddConstraint { constraint, .. } if lake => {
                let found = constraint::of_table(constraint, &self.table, self.context)?;
                self.record(&[found]);
            }
            Op::DropConstraint { name, .. } if lake => {
                let sql = recorded::delete_one(&self.table, &folded(name));
                self.steps.push(Step::auxiliary(sql));
            }
            Op::RenameConstraint { old_name, new_name } if lake => {
                let sql = recorded::rename_one(&self.table, &folded(old_name), &folded(new_name));
                self.steps.push(Step::auxiliary(sql));
            }
            Op::AddColumn { .. } if lake => self.add_column(operation)?,
            Op::DropColumn { column_names, .. } => self.drop_columns(operation, column_names, lake),
            Op::RenameTable {
                table_name: RenameTableNameKind::To(new) | RenameTableNameKind::As(new),
            } => {
                self.own(operation);
                if lake && let Some(new) = last_name(new) {
                    let renames = recorded::rename_table(&self.table, &new);
                    self.steps.extend(renames.into_iter().map(Step::auxiliary));
                }
            }
            Op::RenameColumn {
                old_column_name,
                new_column_name,
            } => {
                self.own(operation);
                if lake {
                    let (old, new) = (folded(old_column_name), folded(new_column_name));
                    self.steps
                        .push(Step::auxiliary(recorded::rename_column(&self.table, &old, &new)));
                }
            }
            Op::OwnerTo { .. } | Op::SetLogged | Op::SetUnlogged => {}
            Op::AlterColumn {
                op: AlterColumnOperation::AddGenerated { .. } | AlterColumnOperation::GenericOptions { .. },
                ..
            } => return Err(Error::unsupported("identity columns are not supported")),
            Op::AddColumn { .. }
            | Op::AlterColumn { .. }
            | Op::AddConstraint { .. }
            | Op::DropConstraint { .. }
            | Op::RenameConstraint { .. } => self.own(operation),
            other => {
                let words: Vec<String> = other
                    .to_string()
                    .split_whitespace()
                    .take(3)
                    .map(str::to_uppercase)
                    .collect();
                return Err(Error::unsupported(format!(
                    "ALTER TABLE … {} is not supported",
                    words.join(" ")
                )));
            }
        }
        Ok(())
    }

    /// The engine's own ALTER with this action alone.
    fn own(&mut self, operation: &Op) {
        let mut alone = self.alter.clone();
        alone.only = false;
        alone.operations = vec![operation.clone()];
        self.steps.push(Step::main(alone.to_string()));
    }

    fn record(&mut self, constraints: &[Constraint]) {
        if constraints.is_empty() {
            return;
        }
        let sql = recorded::insert(constraints, &self.table, Guard::None);
        self.steps.push(Step::auxiliary(sql));
        let warnings = constraints.iter().map(|one| recorded::warning(one, &self.table));
        self.notices.extend(warnings);
    }

    fn add_column(&mut self, operation: &Op) -> Result<(), Error> {
        let Op::AddColumn { column_def, .. } = operation else {
            return Ok(());
        };
        let name = folded(&column_def.name);
        let mut found = Vec::new();
        let mut plain = operation.clone();
        if let Op::AddColumn { column_def: kept, .. } = &mut plain {
            kept.options.clear();
            for option in &column_def.options {
                match create::of_column(option, &name, &self.table, self.context)? {
                    Some(constraint) => found.push(constraint),
                    None => kept.options.push(option.clone()),
                }
            }
        }
        self.own(&plain);
        self.record(&found);
        Ok(())
    }

    fn drop_columns(&mut self, operation: &Op, names: &[sqlparser::ast::Ident], lake: bool) {
        for name in names {
            let mut one = operation.clone();
            if let Op::DropColumn { column_names, .. } = &mut one {
                *column_names = vec![name.clone()];
            }
            self.own(&one);
            if lake {
                self.steps
                    .push(Step::auxiliary(recorded::delete_column(&self.table, &folded(name))));
            }
        }
    }
}
