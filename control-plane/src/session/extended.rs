//! The extended protocol's messages (manual, "Extended Query").

use std::sync::Arc;
use std::time::SystemTime;

use pintail_pgtypes::{Format, decode_param};
use pintail_sqlstate::{Report, SqlState, ToReport};
use pintail_transpiler::{Kind, Output, Plan, Returns, Role};
use pintail_worker_api::error::CallError;
use pintail_worker_api::messages::{Param, Prepare, Prepared as WorkerPrepared};

use super::cursor::{duplicate_cursor, naming, no_portal, subject};
use super::engine::{Audience, Described, Run, Source, ToClient};
use super::machine::{Call, Machine, Next, Op, Parsing, PendingParse, Purpose, Stage, Waiting};
use super::output::{announced, origins, rename_told};
use super::place::{Place, placed};
use super::portal::{Body, Portal, PortalState, Prepared, describe, format_of};
use super::relocate::Left;
use super::statement::{Delivery, Moved, duplicate_statement};
use super::transaction::Implicit;
use crate::wire::backend::{self, ColumnDescription};
use crate::wire::frontend::{Bind, Message, Target};

/// The longest value of a parameter that is read when it is bound, bytes.
const LONGEST_CHECKED: usize = 1 << 20;

impl Machine {
    /// Answers one message of the extended protocol.
    pub(super) fn extended(&mut self, message: Message, sync_follows: bool) -> Result<(), Report> {
        match message {
            Message::Parse { name, sql, types } => self.parse(name, &sql, &types),
            Message::Bind(bind) => self.bind(bind),
            Message::Describe(Target::Statement(name)) => self.describe_statement(&name),
            Message::Describe(Target::Portal(name)) => self.describe_portal(&name),
            Message::Execute { portal, max_rows } => self.execute(&portal, max_rows, sync_follows),
            Message::Close(target) => {
                match target {
                    Target::Statement(name) => self.drop_statement(&name),
                    Target::Portal(name) => {
                        self.drop_portal(&name);
                        self.drop_cursor(&name);
                    }
                }
                backend::close_complete(self.out.buffer());
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn parse(&mut self, name: String, sql: &str, types: &[u32]) -> Result<(), Report> {
        if name.is_empty() {
            self.drop_statement("");
        } else if self.statements.contains_key(&name) {
            return Err(duplicate_statement(&name));
        }
        let script = self.scripts.parse(sql).map_err(|error| error.to_report())?;
        let statement = match script.statements.as_ref() {
            [] => {
                self.statements.insert(
                    name,
                    Arc::new(Prepared {
                        statement: None,
                        param_oids: types.to_vec(),
                        body: Body::Session,
                        from_sql: false,
                        instance: self.instance,
                        text: Arc::default(),
                        made: SystemTime::now(),
                    }),
                );
                backend::parse_complete(self.out.buffer());
                return Ok(());
            }
            [one] => one.clone(),
            _ => {
                return Err(Report::new(
                    SqlState::SYNTAX_ERROR,
                    "cannot insert multiple commands into a prepared statement",
                ));
            }
        };
        self.start_parse(Parsing {
            name,
            statement,
            types: types.to_vec(),
            purpose: Purpose::Message,
            was_lost: false,
        })
    }

    /// Has the engine prepare a statement that is its own; notes the others.
    pub(super) fn start_parse(&mut self, parsing: Parsing) -> Result<(), Report> {
        let (statement, types) = (&parsing.statement, &parsing.types);
        if !matches!(statement.kind, Kind::Transaction(_)) {
            self.transaction.check()?;
        }
        if let Some(elsewhere) = self.elsewhere(naming(statement))? {
            self.move_to(elsewhere, Op::Parse(Box::new(parsing)));
            return Ok(());
        }
        let for_engine = matches!(
            subject(statement).kind,
            Kind::Read | Kind::Write | Kind::Ddl | Kind::Explain | Kind::Other
        );
        let plan = if for_engine {
            Some(self.plan(subject(statement), types)?)
        } else {
            None
        };
        let skipped = plan.as_ref().and_then(|plan| plan.skipped_param);
        if let Some(number) = skipped.filter(|number| types.get(number - 1).is_none_or(|&oid| oid == 0)) {
            return Err(Report::new(
                SqlState::INDETERMINATE_DATATYPE,
                format!("could not determine data type of parameter ${number}"),
            ));
        }
        if let Some(Plan {
            description: Some(description),
            output,
            ..
        }) = plan
        {
            self.describe_steps(description, output, parsing);
            return Ok(());
        }
        let one_step =
            plan.filter(|plan| plan.steps.len() == 1 && plan.steps[0].role == Role::Main && plan.notices.is_empty());
        let Some(mut plan) = one_step else {
            self.finish_local_parse(parsing);
            return Ok(());
        };
        if !self.is_ready_to_prepare() {
            // The message is taken up once more then.
            self.parse_again(parsing);
            return Ok(());
        }
        let step = plan.steps.remove(0);
        let (column_oids, origins) = (announced(&plan.output), origins(&plan.output));
        let param_oids = effective(&parsing.types, &plan.param_oids);
        self.waiting = Some(Waiting::Prepare(Box::new(PendingParse {
            parsing,
            output: plan.output,
            settings: plan.settings,
            unchanged: step.unchanged,
            stage: Stage::Whole,
        })));
        self.call = Some(Next::Call(Call::Prepare(Prepare {
            sql: step.sql,
            param_oids,
            column_oids,
            origins,
        })));
        Ok(())
    }

    /// Whether the engine can be asked now; otherwise what must come before is asked for.
    pub(super) fn is_ready_to_prepare(&mut self) -> bool {
        if !self.has_worker() {
            return false;
        }
        match self.settings_op() {
            Some(op) => {
                self.queue.push_front(op);
                false
            }
            None => true,
        }
    }

    /// Queues a Parse behind what was asked for.
    pub(super) fn parse_again(&mut self, parsing: Parsing) {
        let behind = usize::from(self.waiting.is_none()).min(self.queue.len());
        self.queue.insert(behind, Op::Parse(Box::new(parsing)));
    }

    fn finish_local_parse(&mut self, parsing: Parsing) {
        let text = parsing.purpose.text(&parsing.statement);
        let prepared = Prepared {
            statement: Some(parsing.statement),
            param_oids: parsing.types,
            body: Body::Session,
            from_sql: matches!(parsing.purpose, Purpose::Sql(_)),
            instance: self.instance,
            text,
            made: SystemTime::now(),
        };
        self.store_prepared(parsing.name, prepared, parsing.purpose);
    }

    pub(super) fn store_prepared(&mut self, name: String, prepared: Prepared, purpose: Purpose) {
        let prepared = Arc::new(prepared);
        match purpose {
            Purpose::Message => backend::parse_complete(self.out.buffer()),
            Purpose::Sql(_) => backend::command_complete(self.out.buffer(), "PREPARE".into()),
            Purpose::Again(renewal) => return self.renewed(*renewal, &prepared),
        }
        self.statements.insert(name, prepared);
    }

    pub(super) fn finish_parse(&mut self, parse: PendingParse, result: Result<WorkerPrepared, CallError>) {
        let answer = match result {
            Ok(answer) => answer,
            Err(CallError::Statement { report, .. }) => {
                let place = Place::of(subject(&parse.parsing.statement), parse.unchanged);
                return self.fail(placed(&report, Some(&place)));
            }
            Err(lost) => return self.parse_lost(parse, &lost),
        };
        if !matches!(parse.stage, Stage::Whole) {
            return self.described_steps(parse, answer);
        }
        let mut columns = answer.columns;
        rename_told(&mut columns, parse.output);
        let parsing = parse.parsing;
        let is_cursor = matches!(parsing.statement.kind, Kind::Cursor(_));
        if parsing.statement.returns == Returns::Nothing && !is_cursor || !answer.returns_rows {
            columns.clear();
        }
        let text = parsing.purpose.text(&parsing.statement);
        let made = match &parsing.purpose {
            Purpose::Again(renewal) => renewal.prepared.made,
            Purpose::Message | Purpose::Sql(_) => SystemTime::now(),
        };
        let prepared = Prepared {
            statement: Some(parsing.statement),
            param_oids: answer.param_oids,
            body: Body::Engine {
                handle: answer.handle,
                columns,
                settings: parse.settings,
                relations: answer.relations,
            },
            from_sql: match &parsing.purpose {
                Purpose::Message => false,
                Purpose::Sql(_) => true,
                Purpose::Again(renewal) => renewal.prepared.from_sql,
            },
            instance: self.instance,
            text,
            made,
        };
        self.store_prepared(parsing.name, prepared, parsing.purpose);
    }

    fn bind(&mut self, bind: Bind) -> Result<(), Report> {
        let prepared = self.statement_named(&bind.statement)?;
        if let Some(statement) = &prepared.statement
            && !matches!(statement.kind, Kind::Transaction(_))
        {
            self.transaction.check()?;
        }
        let expected = prepared.param_oids.len();
        if bind.params.len() != expected {
            return Err(Report::new(
                SqlState::PROTOCOL_VIOLATION,
                format!(
                    "bind message supplies {} parameters, but prepared statement \"{}\" requires {expected}",
                    bind.params.len(),
                    bind.statement
                ),
            ));
        }
        if bind.param_formats.len() > 1 && bind.param_formats.len() != expected {
            return Err(Report::new(
                SqlState::PROTOCOL_VIOLATION,
                format!(
                    "bind message has {} parameter formats but {expected} parameters",
                    bind.param_formats.len()
                ),
            ));
        }
        if let Some(bad) = bind
            .param_formats
            .iter()
            .chain(&bind.result_formats)
            .find(|format| !matches!(format, 0 | 1))
        {
            return Err(Report::new(
                SqlState::INVALID_PARAMETER_VALUE,
                format!("unsupported format code: {bad}"),
            ));
        }
        let columns = self.columns_of(&prepared).len();
        if bind.result_formats.len() > 1 && bind.result_formats.len() != columns {
            return Err(Report::new(
                SqlState::PROTOCOL_VIOLATION,
                format!(
                    "bind message has {} result formats but query has {columns} columns",
                    bind.result_formats.len()
                ),
            ));
        }
        let is_taken = self.portals.contains_key(&bind.portal) || self.cursors.contains_key(&bind.portal);
        if !bind.portal.is_empty() && is_taken {
            return Err(duplicate_cursor(&bind.portal));
        }
        let params: Vec<Param> = bind
            .params
            .into_iter()
            .zip(&prepared.param_oids)
            .enumerate()
            .map(|(index, (value, oid))| Param {
                format: u32::from(format_of(&bind.param_formats, index) == 1),
                value,
                type_oid: *oid,
            })
            .collect();
        if matches!(prepared.body, Body::Engine { .. } | Body::Steps { .. }) {
            self.check_values(&params)?;
        }
        self.drop_portal(&bind.portal);
        self.portals.insert(
            bind.portal,
            Portal {
                prepared,
                params,
                formats: bind.result_formats,
                state: PortalState::Fresh,
                made: SystemTime::now(),
            },
        );
        backend::bind_complete(self.out.buffer());
        Ok(())
    }

    /// Whether the values of Bind can be read. The worker reads them again; those that are long are only looked at there.
    fn check_values(&mut self, params: &[Param]) -> Result<(), Report> {
        let render = &self.derived().render;
        for param in params {
            let value = param.value.as_deref().filter(|value| value.len() <= LONGEST_CHECKED);
            let Some(value) = value else { continue };
            Format::parse(param.format)
                .and_then(|format| decode_param(param.type_oid, format, Some(value), render))
                .map_err(|error| error.to_report())?;
        }
        Ok(())
    }

    /// The columns of a prepared statement, in text.
    fn columns_of(&self, prepared: &Prepared) -> Vec<ColumnDescription> {
        match (&prepared.body, &prepared.statement) {
            // DECLARE answers without rows; the columns are its cursor's.
            (Body::Engine { .. }, Some(statement)) if matches!(statement.kind, Kind::Cursor(_)) => Vec::new(),
            (Body::Engine { columns, .. } | Body::Steps { columns }, _) => describe(columns, &[]),
            (Body::Session, Some(statement)) => self.local_columns(statement),
            (Body::Session, None) => Vec::new(),
        }
    }

    fn describe_statement(&mut self, name: &str) -> Result<(), Report> {
        let prepared = self.statement_named(name)?;
        if !self.columns_of(&prepared).is_empty() {
            self.transaction.check()?;
        }
        backend::parameter_description(self.out.buffer(), &prepared.param_oids);
        let columns = self.columns_of(&prepared);
        self.send_columns(&columns);
        Ok(())
    }

    fn describe_portal(&mut self, name: &str) -> Result<(), Report> {
        if let Some(columns) = self.cursor_portal(name) {
            self.send_columns(&columns);
            return Ok(());
        }
        let columns = self.portal_columns(name)?;
        if !columns.is_empty() {
            self.transaction.check()?;
        }
        self.send_columns(&columns);
        Ok(())
    }

    /// The columns of a portal in its formats.
    pub(super) fn portal_columns(&self, name: &str) -> Result<Vec<ColumnDescription>, Report> {
        let portal = self.portals.get(name).ok_or_else(|| no_portal(name))?;
        let mut columns = self.columns_of(&portal.prepared);
        for (index, column) in columns.iter_mut().enumerate() {
            column.format = format_of(&portal.formats, index);
        }
        Ok(columns)
    }

    fn send_columns(&mut self, columns: &[ColumnDescription]) {
        if columns.is_empty() {
            backend::no_data(self.out.buffer());
        } else {
            backend::row_description(self.out.buffer(), columns);
        }
    }

    fn execute(&mut self, name: &str, limit: u32, sync_follows: bool) -> Result<(), Report> {
        if self.cursors.contains_key(name) {
            return self.execute_cursor(name, limit);
        }
        self.run_portal(name, limit, sync_follows, None)
    }

    /// Runs a portal, or goes on with it, up to so many rows; 0 for all.
    pub(super) fn run_portal(
        &mut self,
        name: &str,
        limit: u32,
        sync_follows: bool,
        moved: Option<Moved>,
    ) -> Result<(), Report> {
        let portal = self.portal_named(name)?;
        let prepared = Arc::clone(&portal.prepared);
        let Some(statement) = prepared.statement.clone() else {
            backend::empty_query(self.out.buffer());
            return Ok(());
        };
        if !matches!(statement.kind, Kind::Transaction(_)) {
            self.transaction.check()?;
        }
        self.note_text(&statement.text, std::slice::from_ref(&statement));
        let Some(portal) = self.portals.get_mut(name) else {
            return Ok(());
        };
        let delivery = Delivery {
            described: Described::Before,
            formats: portal.formats.clone(),
            portal: Some((name.to_owned(), limit)),
            copy: None,
            was_lost: false,
            moved,
        };
        match std::mem::replace(&mut portal.state, PortalState::Done) {
            PortalState::Fresh => {
                let params = portal.params.clone();
                let writes = matches!(statement.kind, Kind::Write | Kind::Ddl | Kind::Other);
                if writes && !sync_follows && !self.transaction.is_open() && self.transaction.implicit == Implicit::None
                {
                    // More may follow before Sync, and all of it is one transaction.
                    self.transaction.implicit = Implicit::Wanted;
                }
                self.run_prepared(&prepared, &statement, params, &delivery)
            }
            PortalState::Suspended(suspended) => {
                let params = portal.params.clone();
                let run = Run {
                    source: Source::Prepared(Arc::clone(&prepared)),
                    params,
                    formats: Vec::new(),
                    audience: Audience::Client(ToClient {
                        described: Described::Before,
                        output: Output::default(),
                        tag: statement.tag.clone(),
                        returns: statement.returns,
                        portal: delivery.portal,
                        settings: match &prepared.body {
                            Body::Engine { settings, .. } => settings.clone(),
                            Body::Session | Body::Steps { .. } => Vec::new(),
                        },
                        copy: None,
                        holds_tag: false,
                        moved: delivery.moved,
                    }),
                    place: None,
                    redacted: Vec::new(),
                    left: Left::default(),
                    was_lost: false,
                    relations: Vec::new(),
                };
                self.resume(suspended, run, limit);
                Ok(())
            }
            PortalState::Fetching(fetching) => {
                self.resume_fetch(fetching, limit);
                Ok(())
            }
            PortalState::Done if statement.returns == Returns::Rows => {
                let tag = delivery.moved.map_or_else(|| statement.tag.clone(), |moved| moved.tag);
                backend::command_complete(self.out.buffer(), tag.render(0));
                Ok(())
            }
            PortalState::Done => Err(Report::new(
                SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                format!("portal \"{name}\" cannot be run"),
            )),
        }
    }

    fn portal_named(&mut self, name: &str) -> Result<&mut Portal, Report> {
        self.portals.get_mut(name).ok_or_else(|| no_portal(name))
    }
}

/// The client's parameter types, and those that the text says where the client says none.
pub(super) fn effective(declared: &[u32], said: &[u32]) -> Vec<u32> {
    (0..declared.len().max(said.len()))
        .map(|index| {
            let of = |oids: &[u32]| oids.get(index).copied().filter(|oid| *oid != 0);
            of(declared).or_else(|| of(said)).unwrap_or(0)
        })
        .collect()
}
