//! DROP: one object a step; a table takes its recorded constraints along.

use sqlparser::ast::{ObjectType, Statement};

use super::super::last_name;
use super::constraint::Table;
use super::{auxiliary, main_step, plan_of, recorded};
use crate::Error;
use crate::plan::{Context, Plan, Storage};

/// The plan of a DROP.
pub(super) fn plan(statement: &Statement, context: &Context<'_>) -> Result<Option<Plan>, Error> {
    let Statement::Drop { object_type, names, .. } = statement else {
        return Ok(None);
    };
    let lake = context.storage == Storage::Lake && names.iter().all(|name| Table::is_own(name, context));
    let indexes = context.storage == Storage::Native;
    match object_type {
        ObjectType::Table | ObjectType::View | ObjectType::Schema => {}
        ObjectType::Index if indexes => return Ok(None),
        ObjectType::Index => return Ok(Some(Plan::nothing(Vec::new()))),
        other => return Err(Error::unsupported(format!("DROP {other} is not supported"))),
    }
    let recorded = lake && *object_type != ObjectType::View;
    if names.len() == 1 && !recorded {
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
            main_step(one.to_string())
        } else {
            auxiliary(one.to_string())
        });
        if recorded {
            steps.push(auxiliary(if *object_type == ObjectType::Table {
                recorded::delete(&Table::of(name, context), context)
            } else {
                recorded::delete_schema(&last_name(name).unwrap_or_default(), context)
            }));
        }
    }
    Ok(Some(plan_of(steps, Vec::new())))
}
