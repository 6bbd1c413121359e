//! Definitions: what the lake refuses is recorded, what DuckDB does one at a time becomes several steps.
//!
//! Works on the tree that the other rules have been over: names are folded, `public` is `main`, types are the engine's.

mod accepted;
mod alter;
mod constraint;
mod create;
mod drop;
mod recorded;

pub(super) use accepted::is_lacking;

use sqlparser::ast;

use crate::Error;
use crate::plan::{Context, Notice, Plan, Step};
use crate::script::Statement;

/// The plan of a definition that is more than its own text; `None` where the rewritten statement is all.
pub(super) fn plan(
    statement: &Statement,
    tree: &mut ast::Statement,
    context: &Context<'_>,
) -> Result<Option<Plan>, Error> {
    use ast::Statement as S;
    match tree {
        S::CreateTable(table) => create::table(table, context),
        S::CreateView(view) => create::view(view).map(|()| None),
        S::CreateIndex(index) => accepted::create_index(index, context),
        S::CreateSchema { .. } => Ok(None),
        S::AlterSchema(schema) => accepted::alter_schema(schema).map(Some),
        S::Drop { .. } => drop::plan(tree, context),
        S::AlterTable(table) => alter::plan(table, context),
        S::Truncate(truncate) => Ok(accepted::truncate(truncate)),
        S::Comment { .. } => accepted::comment(tree),
        other => accepted::refuse(other, statement).map(|()| None),
    }
}

fn plan_of(steps: Vec<Step>, notices: Vec<Notice>) -> Plan {
    Plan {
        steps,
        ..Plan::nothing(notices)
    }
}
