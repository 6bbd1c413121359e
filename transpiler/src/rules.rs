//! The ordered rules that turn PostgreSQL's semantics into DuckDB's. One file a rule; each output re-parses.

mod aggregates;
mod authorise;
mod build;
mod casts;
mod columns;
mod ctid;
mod data_modifying;
mod ddl;
mod definitions;
mod describe;
mod fold;
mod format;
mod functions;
mod gate;
mod like;
mod literals;
mod locks;
mod names;
mod operators;
mod origins;
mod outputs;
mod parameters;
mod returning;
mod rounding;
mod scope;
mod select;
mod select_into;
mod session_calls;
mod set_config;
mod set_returning;
mod settings;
mod table_bodies;
mod templates;
mod types;
mod values;
mod writes;

use sqlparser::ast::{self, ObjectName, ObjectNamePart};

use self::authorise::Grammar;

use crate::plan::{Context, Output, Plan, SettingChange};
use crate::{Error, Statement};

pub(crate) use authorise::{copy as authorise_copy, copy_target};
pub(crate) use gate::tokens as gate_tokens;
pub(crate) use names::made_of_tokens;
pub(crate) use returning::plan as returning;
pub(crate) use set_config::search_path as check_search_path;
pub(crate) use types::type_oid;

/// What the rules learnt of a statement that its new text does not say.
pub(crate) struct Found {
    /// What is known of its rows.
    pub(crate) output: Output,
    /// Types of parameters that casts in the text say, by position.
    pub(crate) param_oids: Vec<u32>,
    /// The first number that no parameter of the text has, though one has a greater.
    pub(crate) skipped_param: Option<usize>,
    /// What its calls of `set_config` change.
    pub(crate) settings: Vec<SettingChange>,
}

/// Every rule, over a statement in PostgreSQL's grammar.
pub(crate) fn apply(statement: &mut ast::Statement, context: &Context<'_>) -> Result<Found, Error> {
    select_into::apply(statement);
    gate::check(statement, &context.access)?;
    parameters::check(statement)?;
    let (param_oids, skipped_param) = parameters::said(statement);
    locks::apply(statement)?;
    fold::apply(statement);
    ctid::apply(statement);
    columns::apply(statement);
    values::apply(statement);
    table_bodies::apply(statement);
    names::apply(statement, context)?;
    authorise::apply(statement, Grammar::Postgres, context)?;
    data_modifying::check(statement)?;
    let output = Output {
        columns: describe::columns_of(statement, context.param_oids),
        origins: origins::of(statement, context),
    };
    set_returning::apply(statement, context.param_oids);
    session_calls::apply(statement)?;
    let settings = set_config::apply(statement)?;
    parameters::arguments(statement, context);
    functions::apply(statement, context)?;
    parameters::apply(statement, context);
    operators::apply(statement)?;
    casts::apply(statement)?;
    definitions::apply(statement)?;
    writes::apply(statement);
    outputs::apply(statement);
    aggregates::apply(statement);
    settings::apply(statement, context);
    Ok(Found {
        output,
        param_oids,
        skipped_param,
        settings,
    })
}

/// The rules that hold for DuckDB's own statements too: names, and the gate.
pub(crate) fn apply_duckdb(statement: &mut ast::Statement, context: &Context<'_>) -> Result<(), Error> {
    gate::check(statement, &context.access)?;
    table_bodies::apply(statement);
    names::apply(statement, context)?;
    authorise::apply(statement, Grammar::DuckDb, context)?;
    Ok(())
}

/// The plan of a rewritten statement that is more than one step of its own text; `None` where the text is all.
pub(crate) fn plan(
    statement: &Statement,
    tree: &mut ast::Statement,
    context: &Context<'_>,
) -> Result<Option<Plan>, Error> {
    ddl::plan(statement, tree, context)
}

/// The last part of a name, folded where unquoted.
pub(crate) fn last_name(name: &ObjectName) -> Option<String> {
    match name.0.last()? {
        ObjectNamePart::Identifier(ident) => Some(folded(ident)),
        ObjectNamePart::Function(_) => None,
    }
}

/// An identifier's value as PostgreSQL reads it.
pub(crate) fn folded(ident: &ast::Ident) -> String {
    if ident.quote_style.is_some() {
        ident.value.replace("\"\"", "\"")
    } else {
        ident.value.to_lowercase()
    }
}
