//! One statement, whichever way it came: what its kind asks of the session and of the engine.

use std::sync::Arc;

use bytes::Bytes;
use pintail_sqlstate::{Report, SqlState, ToReport};
use pintail_transpiler::{Deallocate, Execute, Kind, Output, Plan, Role, Statement, Tag};
use pintail_worker_api::messages::{CopyOptions, Param};

use super::cursor::{Columns, Query, naming};
use super::engine::{After, Audience, Described, Run, Source, ToClient};
use super::machine::{Machine, Op, Parsing, Purpose};
use super::place::Place;
use super::portal::{Body, Prepared};
use super::relocate::{Left, Renewal};
use super::transaction::{Implicit, read_only};

/// How the client asked for a statement's result.
#[derive(Debug, Clone)]
pub(super) struct Delivery {
    /// Whether columns are described with the result.
    pub(super) described: Described,
    /// Result formats.
    pub(super) formats: Vec<i16>,
    /// Portal and row limit in the extended protocol.
    pub(super) portal: Option<(String, u32)>,
    /// The rows leave as `CopyData` in this way.
    pub(super) copy: Option<CopyOptions>,
    /// A worker was lost over it once.
    pub(super) was_lost: bool,
    /// FETCH or MOVE has a portal run.
    pub(super) moved: Option<Moved>,
}

/// A portal that FETCH or MOVE runs in place of Execute.
#[derive(Debug, Clone)]
pub(super) struct Moved {
    /// Whether its rows are shown: FETCH, not MOVE.
    pub(super) shows: bool,
    pub(super) tag: Tag,
}

impl Delivery {
    /// The simple protocol's: text, described with the result, without limit.
    pub(super) fn simple() -> Self {
        Self {
            described: Described::Now,
            formats: Vec::new(),
            portal: None,
            copy: None,
            was_lost: false,
            moved: None,
        }
    }
}

impl Machine {
    /// Runs a statement of a simple query.
    pub(super) fn run_statement(&mut self, statement: &Statement) {
        if let Err(report) = self.dispatch(statement, &Delivery::simple()) {
            self.fail(report);
        }
    }

    /// Queues what a statement needs, in front of what is queued.
    pub(super) fn dispatch(&mut self, statement: &Statement, delivery: &Delivery) -> Result<(), Report> {
        if let Kind::Transaction(command) = &statement.kind {
            return self.transaction_command(command, statement.tag.render(0));
        }
        self.admit(statement)?;
        if let Some(elsewhere) = self.elsewhere(naming(statement))? {
            self.move_to(elsewhere, Op::Dispatch(Box::new((statement.clone(), delivery.clone()))));
            return Ok(());
        }
        match &statement.kind {
            Kind::Session(session) => self.session_command(session, statement, delivery),
            Kind::Prepare(prepare) => self.prepare_from_sql(prepare, statement.text.as_str().into()),
            Kind::Execute(execute) => self.execute_from_sql(execute, delivery),
            Kind::Deallocate(deallocate) => self.deallocate(deallocate, statement.tag.render(0)),
            Kind::Utility => {
                self.complete_next(statement.tag.render(0));
                Ok(())
            }
            Kind::Cursor(cursor) => self.cursor_command(cursor, statement, delivery),
            Kind::Copy(copy) => self.copy_command(copy, statement, delivery),
            Kind::Listen(_) | Kind::Notify { .. } | Kind::Unlisten(_) => self.listen_command(statement),
            Kind::Secret(secret) => self.secret_command(secret, statement),
            Kind::Transaction(_) | Kind::Read | Kind::Write | Kind::Ddl | Kind::Explain | Kind::Other => {
                let plan = self.plan(statement, &[])?;
                self.check_set_config(&plan.settings, &[])?;
                self.run_plan(statement, plan, Vec::new(), delivery);
                Ok(())
            }
        }
    }

    /// Whether the transaction takes a statement that is not its control.
    pub(super) fn admit(&self, statement: &Statement) -> Result<(), Report> {
        self.transaction.check()?;
        if self.is_read_only() && matches!(statement.kind, Kind::Write | Kind::Ddl | Kind::Other) {
            return Err(read_only(&statement.tag));
        }
        Ok(())
    }

    /// The engine's part of a statement.
    pub(super) fn plan(&self, statement: &Statement, param_oids: &[u32]) -> Result<Plan, Report> {
        self.with_context(param_oids, |context| pintail_transpiler::rewrite(statement, context))
            .map_err(|error| error.to_report())
    }

    /// Queues a plan's steps, atomically where there are several.
    pub(super) fn run_plan(&mut self, statement: &Statement, plan: Plan, params: Vec<Param>, delivery: &Delivery) {
        for notice in &plan.notices {
            self.notice(notice);
        }
        if !matches!(statement.kind, Kind::Read | Kind::Explain) {
            self.transaction.note_write();
        }
        let main = plan.steps.iter().position(|step| step.role == Role::Main);
        let several = plan.steps.len() > 1;
        let ends_alone = several && !self.transaction.is_open() && self.transaction.implicit == Implicit::None;
        // The client hears of success only after the last step.
        let holds_tag = ends_alone || main.is_some_and(|main| main + 1 < plan.steps.len());
        let mut ops = Vec::with_capacity(plan.steps.len() + 2);
        for (index, step) in plan.steps.into_iter().enumerate() {
            let audience = if Some(index) == main {
                Audience::Client(ToClient {
                    described: delivery.described,
                    output: plan.output.clone(),
                    tag: match &delivery.copy {
                        Some(_) => Tag::Rows("COPY"),
                        None => statement.tag.clone(),
                    },
                    returns: statement.returns,
                    portal: delivery.portal.clone(),
                    settings: plan.settings.clone(),
                    copy: delivery.copy.clone(),
                    holds_tag,
                    moved: delivery.moved.clone(),
                })
            } else {
                Audience::Nobody(After::Nothing)
            };
            ops.push(Op::Run(Box::new(Run {
                source: Source::Text(step.sql),
                params: match &step.params {
                    Some(numbers) => numbers
                        .iter()
                        .filter_map(|number| params.get(number.checked_sub(1)?).cloned())
                        .collect(),
                    None => params.clone(),
                },
                formats: delivery.formats.clone(),
                audience,
                place: Some(Place::of(statement, step.unchanged)),
                redacted: Vec::new(),
                left: if Some(index) == main {
                    Left::by(statement)
                } else {
                    Left::default()
                },
                was_lost: delivery.was_lost,
                relations: Vec::new(),
            })));
        }
        if main.is_none() {
            ops.push(Op::Complete(statement.tag.render(0)));
        }
        if ends_alone {
            self.transaction.implicit = Implicit::Wanted;
            ops.push(Op::EndImplicit);
        }
        if holds_tag {
            ops.push(Op::CompleteHeld);
        }
        self.push_front(ops);
    }

    pub(super) fn push_front(&mut self, ops: Vec<Op>) {
        for op in ops.into_iter().rev() {
            self.queue.push_front(op);
        }
    }

    fn prepare_from_sql(&mut self, prepare: &pintail_transpiler::Prepare, text: Arc<str>) -> Result<(), Report> {
        if self.statements.contains_key(&prepare.name) {
            return Err(duplicate_statement(&prepare.name));
        }
        self.start_parse(Parsing {
            name: prepare.name.clone(),
            statement: prepare.statement.as_ref().clone(),
            types: prepare.types.clone(),
            purpose: Purpose::Sql(text),
            was_lost: false,
        })
    }

    fn execute_from_sql(&mut self, execute: &Execute, delivery: &Delivery) -> Result<(), Report> {
        let prepared = self.statement_named(&execute.name)?;
        let Some(statement) = prepared.statement.clone() else {
            self.complete_next(String::new());
            return Ok(());
        };
        if execute.arguments.len() != prepared.param_oids.len() {
            return Err(Report::new(
                SqlState::SYNTAX_ERROR,
                format!("wrong number of parameters for prepared statement \"{}\"", execute.name),
            )
            .with_detail(format!(
                "Expected {} parameters but got {}.",
                prepared.param_oids.len(),
                execute.arguments.len()
            )));
        }
        let literals: Option<Vec<&Option<String>>> = execute.literals.iter().map(Option::as_ref).collect();
        let Some(literals) = literals else {
            return Err(unsupported("EXECUTE takes only literals as arguments"));
        };
        let params = literals
            .iter()
            .zip(&prepared.param_oids)
            .map(|(value, oid)| Param {
                format: 0,
                value: value.as_ref().map(|text| Bytes::from(text.clone())),
                type_oid: *oid,
            })
            .collect();
        self.run_prepared(&prepared, &statement, params, delivery)
    }

    /// Runs a prepared statement.
    pub(super) fn run_prepared(
        &mut self,
        prepared: &Arc<Prepared>,
        statement: &Statement,
        params: Vec<Param>,
        delivery: &Delivery,
    ) -> Result<(), Report> {
        if matches!(prepared.body, Body::Session) {
            return self.dispatch(statement, delivery);
        }
        if matches!(prepared.body, Body::Steps { .. }) {
            self.admit(statement)?;
            let plan = self.plan(statement, &prepared.param_oids)?;
            self.check_set_config(&plan.settings, &params)?;
            self.run_plan(statement, plan, params, delivery);
            return Ok(());
        }
        self.admit(statement)?;
        if prepared.instance != self.instance || self.elsewhere(naming(statement))?.is_some() {
            self.queue.push_front(Op::Renew(Box::new(Renewal {
                prepared: Arc::clone(prepared),
                params,
                delivery: delivery.clone(),
            })));
            return Ok(());
        }
        if let Kind::Cursor(declare) = &statement.kind {
            let query = Query {
                source: Source::Prepared(Arc::clone(prepared)),
                params,
                place: None,
                columns: Columns::Known(match &prepared.body {
                    Body::Engine { columns, .. } => columns.clone(),
                    Body::Session | Body::Steps { .. } => Vec::new(),
                }),
            };
            return self.declare(declare, statement, query);
        }
        if !matches!(statement.kind, Kind::Read | Kind::Explain) {
            self.transaction.note_write();
        }
        let (settings, relations) = match &prepared.body {
            Body::Engine {
                settings, relations, ..
            } => (settings.clone(), relations.clone()),
            Body::Session | Body::Steps { .. } => (Vec::new(), Vec::new()),
        };
        self.check_set_config(&settings, &params)?;
        self.queue.push_front(Op::Run(Box::new(Run {
            source: Source::Prepared(Arc::clone(prepared)),
            params,
            formats: delivery.formats.clone(),
            audience: Audience::Client(ToClient {
                described: delivery.described,
                output: Output::default(),
                tag: statement.tag.clone(),
                returns: statement.returns,
                portal: delivery.portal.clone(),
                settings,
                copy: None,
                holds_tag: false,
                moved: delivery.moved.clone(),
            }),
            place: None,
            redacted: Vec::new(),
            left: Left::by(statement),
            was_lost: delivery.was_lost,
            relations,
        })));
        Ok(())
    }

    fn deallocate(&mut self, deallocate: &Deallocate, tag: String) -> Result<(), Report> {
        match deallocate {
            Deallocate::All => self.drop_statements(),
            Deallocate::Name(name) => {
                self.statement_named(name)?;
                self.drop_statement(name);
            }
        }
        self.complete_next(tag);
        Ok(())
    }

    pub(super) fn drop_statements(&mut self) {
        let names: Vec<String> = self.statements.keys().cloned().collect();
        for name in names {
            self.drop_statement(&name);
        }
    }

    pub(super) fn statement_named(&self, name: &str) -> Result<Arc<Prepared>, Report> {
        self.statements.get(name).cloned().ok_or_else(|| {
            let what = if name.is_empty() {
                "unnamed prepared statement does not exist".to_owned()
            } else {
                format!("prepared statement \"{name}\" does not exist")
            };
            Report::new(SqlState::INVALID_SQL_STATEMENT_NAME, what)
        })
    }
}

pub(super) fn unsupported(message: &str) -> Report {
    Report::new(SqlState::FEATURE_NOT_SUPPORTED, message)
}

pub(super) fn duplicate_statement(name: &str) -> Report {
    Report::new(
        SqlState::DUPLICATE_PSTATEMENT,
        format!("prepared statement \"{name}\" already exists"),
    )
}
