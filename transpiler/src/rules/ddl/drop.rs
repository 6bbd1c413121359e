//! DROP: one object a step; a table takes its recorded constraints along.

use sqlparser::ast::{ObjectName, ObjectType, Statement};

use super::super::last_name;
use super::constraint::Table;
use super::{plan_of, recorded};
use crate::plan::{Context, Plan, Step, Storage};
use crate::{Error, catalogs};

/// The plan of a DROP.
pub(super) fn plan(statement: &Statement, context: &Context<'_>) -> Result<Option<Plan>, Error> {
    let Statement::Drop { object_type, names, .. } = statement else {
        return Ok(None);
    };
    let schemas = *object_type == ObjectType::Schema;
    let catalog = |name: &ObjectName| {
        if schemas {
            catalogs::of_schema(name, context)
        } else {
            catalogs::of(name, context)
        }
    };
    let stored_as = |storage| {
        names
            .iter()
            .all(|name| context.storage_of(&catalog(name)) == Some(storage))
    };
    match object_type {
        ObjectType::Table | ObjectType::View | ObjectType::Schema => {}
        ObjectType::Index if stored_as(Storage::Native) => return Ok(None),
        ObjectType::Index => return Ok(Some(Plan::nothing(Vec::new()))),
        other => return Err(Error::unsupported(format!("DROP {other} is not supported"))),
    }
    let is_recorded = |name: &ObjectName| {
        *object_type != ObjectType::View && context.storage_of(&catalog(name)) == Some(Storage::Lake)
    };
    if names.len() == 1 && !names.iter().any(is_recorded) {
        return Ok(None);
    }
    let mut steps = Vec::new();
    for name in names {
        let mut one = statement.clone();
        if let Statement::Drop { names, .. } = &mut one {
            *names = vec![name.clone()];
        }
        // The last object's DROP answers; all run in one transaction.
        steps.push(if Some(name) == names.last() {
            Step::main(one.to_string())
        } else {
            Step::auxiliary(one.to_string())
        });
        if is_recorded(name) {
            steps.push(Step::auxiliary(if *object_type == ObjectType::Table {
                recorded::delete(&Table::of(name, context))
            } else {
                recorded::delete_schema(&catalog(name), &last_name(name).unwrap_or_default())
            }));
        }
    }
    Ok(Some(plan_of(steps, Vec::new())))
}
