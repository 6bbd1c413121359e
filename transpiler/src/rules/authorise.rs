//! Restricted logins: every relation is authorised, and named in full.
//!
//! Runs when names are resolved. A name in full means one thing only: `a.b` can never be catalog `a`, and an unqualified
//! name does not change its meaning with the search path between its authorisation and its run. Names of WITH queries stay
//! as they are exactly where the engine takes them for such, and are never a write's target.

mod judge;
mod statements;
mod with;

use std::ops::ControlFlow;

use sqlparser::ast::{self, ObjectName, Query, Select, TableFactor, VisitMut, VisitorMut};

use self::judge::{Judge, Power};
use self::with::Scopes;
use super::folded;
use crate::Error;
use crate::command::{Copy, CopySide, CopyTarget};
use crate::plan::Context;

/// Which grammar took a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grammar {
    Postgres,
    DuckDb,
}

/// Authorises and completes every relation of a restricted login's statement; does nothing to others'.
pub(super) fn apply(statement: &mut ast::Statement, grammar: Grammar, context: &Context<'_>) -> Result<(), Error> {
    if !context.access.is_restricted() {
        return Ok(());
    }
    let mut relations = Relations {
        judge: Judge { context },
        grammar,
        scopes: Scopes::default(),
        settled: false,
    };
    match statement.visit(&mut relations) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

/// Authorises what a COPY does beside its query.
pub(crate) fn copy(copy: &Copy, context: &Context<'_>) -> Result<(), Error> {
    if copy.side == CopySide::Program {
        return Err(Error::forbidden("COPY to or from an external program"));
    }
    if let CopyTarget::Table { name, .. } = &copy.target {
        name.iter().try_for_each(|part| super::gate::hidden(part))?;
    }
    if let CopySide::FromFile(file) | CopySide::ToFile(file) = &copy.side {
        super::gate::file(file)?;
        // What an option says may become part of the names of the files that are written.
        for (_, value) in &copy.options.other {
            super::gate::file(&format!("{file}{value}"))?;
        }
    }
    if !context.access.is_restricted() {
        return Ok(());
    }
    match (&copy.side, &copy.target) {
        (CopySide::FromFile(_) | CopySide::ToFile(_), _) => Err(Error::forbidden("COPY to or from a file")),
        (CopySide::Stdin, CopyTarget::Table { .. }) => copy_target(copy, context).map(drop),
        // What goes out is a query's, which is authorised when it is rewritten.
        (CopySide::Stdout | CopySide::Stdin | CopySide::Program, _) => Ok(()),
    }
}

/// The table that a COPY writes to, for the engine; for a restricted login it is authorised and named in full.
pub(crate) fn copy_target(copy: &Copy, context: &Context<'_>) -> Result<Vec<String>, Error> {
    let CopyTarget::Table { name, .. } = &copy.target else {
        return Ok(Vec::new());
    };
    let parts: Vec<&str> = name.iter().map(String::as_str).collect();
    let mut name = super::build::object(&parts);
    super::names::place(&mut name, context);
    if context.access.is_restricted() {
        Judge { context }.resolve(&mut name, Power::Write)?;
    }
    let parts = name.0.iter().filter_map(ast::ObjectNamePart::as_ident);
    Ok(parts.map(|part| part.value.clone()).collect())
}

struct Relations<'a> {
    judge: Judge<'a>,
    grammar: Grammar,
    scopes: Scopes,
    /// Whether the next relation that is visited has been seen to, or is a function's name.
    settled: bool,
}

impl Relations<'_> {
    fn read(&self, name: &mut ObjectName) -> Result<(), Error> {
        if let [ast::ObjectNamePart::Identifier(one)] = name.0.as_slice()
            && self.scopes.names_a_query(&folded(one))
        {
            return Ok(());
        }
        self.judge.resolve(name, Power::Read)
    }
}

fn flow(result: Result<(), Error>) -> ControlFlow<Error> {
    match result {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    }
}

impl VisitorMut for Relations<'_> {
    type Break = Error;

    fn pre_visit_statement(&mut self, statement: &mut ast::Statement) -> ControlFlow<Error> {
        flow(statements::authorise(statement, self.grammar, &self.judge))
    }

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Error> {
        flow(self.scopes.enter(query))
    }

    fn post_visit_query(&mut self, _query: &mut Query) -> ControlFlow<Error> {
        self.scopes.leave();
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Error> {
        flow(if select.into.is_some() {
            Err(Error::forbidden("statement SELECT INTO"))
        } else {
            Ok(())
        })
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Error> {
        if let TableFactor::Table { name, args, .. } = factor {
            self.settled = true;
            if args.is_none() {
                return flow(self.read(name));
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_relation(&mut self, relation: &mut ObjectName) -> ControlFlow<Error> {
        if std::mem::take(&mut self.settled) {
            return ControlFlow::Continue(());
        }
        flow(self.read(relation))
    }
}
