//! Statements that the session answers by itself: `SET`, `RESET`, `SHOW`, `DISCARD`.

use pintail_sqlstate::{Report, SqlState};
use pintail_transpiler::{Cursor, Kind, Session, SetScope, SetValue, SettingChange, SettingText, Statement};
use pintail_worker_api::messages::Param;

use super::engine::Described;
use super::machine::{Call, Machine, Next, Op, Waiting};
use super::settings::{Lifetime, Settings, not_a_setting};
use super::statement::Delivery;
use super::transaction::{Implicit, warning};
use crate::wire::backend::{self, ColumnDescription};

/// OID of `text`.
const TEXT: u32 = 25;

fn text_column(name: String) -> ColumnDescription {
    ColumnDescription {
        name,
        type_oid: TEXT,
        type_len: -1,
        typmod: -1,
        table_oid: 0,
        number: 0,
        format: 0,
    }
}

impl Machine {
    /// The columns of a statement that is not the engine's.
    pub(super) fn local_columns(&self, statement: &Statement) -> Vec<ColumnDescription> {
        match &statement.kind {
            Kind::Session(Session::Show(name)) => vec![text_column(Settings::display_name(name))],
            Kind::Session(Session::ShowAll) => ["name", "setting", "description"]
                .map(|name| text_column(name.into()))
                .into(),
            Kind::Cursor(Cursor::Fetch { name, .. }) => self.cursor_columns(name, &[]).unwrap_or_default(),
            Kind::Execute(execute) => match self.statements.get(&execute.name).map(|prepared| &prepared.body) {
                Some(super::portal::Body::Engine { columns, .. }) => super::portal::describe(columns, &[]),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// Answers a command about the session.
    pub(super) fn session_command(
        &mut self,
        command: &Session,
        statement: &Statement,
        delivery: &Delivery,
    ) -> Result<(), Report> {
        match command {
            Session::Set { scope, name, value } => self.set(*scope, name, value)?,
            Session::Reset(name) => self.settings.reset(name)?,
            Session::ResetAll => self.settings.reset_all(),
            Session::SetRole { role, .. } | Session::SetSessionAuthorization(role) => {
                self.check_role(role.as_deref())?;
            }
            Session::SetConstraints | Session::DiscardPlans | Session::DiscardSequences => {}
            Session::DiscardAll => return self.discard_all(statement),
            Session::DiscardTemp => {
                return Err(
                    Report::new(SqlState::FEATURE_NOT_SUPPORTED, "DISCARD TEMP is not supported")
                        .with_hint("DISCARD ALL drops temporary tables with everything else of the session."),
                );
            }
            Session::Show(name) => {
                let value = self.settings.get(name).ok_or_else(|| not_a_setting(name))?;
                self.answer(statement, delivery, &[vec![value]]);
            }
            Session::ShowAll => {
                let rows: Vec<Vec<String>> = self
                    .settings
                    .all()
                    .into_iter()
                    .map(|(name, value, description)| vec![name.to_owned(), value, description.to_owned()])
                    .collect();
                self.answer(statement, delivery, &rows);
            }
        }
        self.complete_next(statement.tag.render(0));
        Ok(())
    }

    fn set(&mut self, scope: SetScope, name: &str, value: &SetValue) -> Result<(), Report> {
        let lifetime = match scope {
            SetScope::Session => Lifetime::Session,
            SetScope::Local => Lifetime::Transaction,
        };
        let is_alone = !self.transaction.is_open() && self.transaction.implicit == Implicit::None;
        if lifetime == Lifetime::Transaction && is_alone {
            let text = "SET LOCAL can only be used in transaction blocks";
            self.notice(&warning(SqlState::NO_ACTIVE_SQL_TRANSACTION, text));
        }
        match value {
            SetValue::Default => self.settings.reset(name),
            SetValue::List(values) => self.settings.set(lifetime, name, values),
        }
    }

    /// A call of `set_config` that has run.
    pub(super) fn set_config(&mut self, change: &SettingChange, params: &[Param]) -> Result<(), Report> {
        let (name, value) = setting_of(change, params)?;
        let lifetime = if change.local {
            Lifetime::Transaction
        } else {
            Lifetime::Session
        };
        match value {
            SetValue::Default => self.settings.reset(&name),
            SetValue::List(values) => self.settings.set(lifetime, &name, &values),
        }
    }

    /// Whether calls of `set_config` may be run.
    pub(super) fn check_set_config(&self, changes: &[SettingChange], params: &[Param]) -> Result<(), Report> {
        for change in changes {
            if let (name, SetValue::List(values)) = setting_of(change, params)? {
                self.settings.check(&name, &values)?;
            }
        }
        Ok(())
    }

    fn check_role(&self, role: Option<&str>) -> Result<(), Report> {
        match role {
            Some(role) if role != self.identity.user => Err(Report::new(
                SqlState::INSUFFICIENT_PRIVILEGE,
                format!("permission denied to set role \"{role}\""),
            )),
            _ => Ok(()),
        }
    }

    /// Everything of the session goes: its instance with it.
    fn discard_all(&mut self, statement: &Statement) -> Result<(), Report> {
        if self.transaction.is_open() {
            return Err(Report::new(
                SqlState::ACTIVE_SQL_TRANSACTION,
                "DISCARD ALL cannot run inside a transaction block",
            ));
        }
        self.drop_portals();
        self.statements.clear();
        self.cursors.clear();
        self.effects.discard();
        self.settings.reset_all();
        self.queue.push_front(Op::Complete(statement.tag.render(0)));
        if self.engine.is_some() {
            self.waiting = Some(Waiting::Release);
            self.call = Some(Next::Call(Call::Release));
        }
        Ok(())
    }

    fn answer(&mut self, statement: &Statement, delivery: &Delivery, rows: &[Vec<String>]) {
        if delivery.described == Described::Now {
            let columns = self.local_columns(statement);
            backend::row_description(self.out.buffer(), &columns);
        }
        for row in rows {
            let values: Vec<Option<&str>> = row.iter().map(|value| Some(value.as_str())).collect();
            backend::text_row(self.out.buffer(), &values);
        }
    }
}

/// Name and value of a change, its parameters as the client sent them.
fn setting_of(change: &SettingChange, params: &[Param]) -> Result<(String, SetValue), Report> {
    let text = |part: &SettingText| match part {
        SettingText::Literal(text) => Some(text.clone()),
        // Text has the same bytes in both formats.
        SettingText::Parameter(number) => {
            let value = params.get(number.checked_sub(1)?)?.value.as_ref()?;
            Some(String::from_utf8_lossy(value).into_owned())
        }
        SettingText::Null => None,
    };
    let Some(name) = text(&change.name) else {
        return Err(Report::new(
            SqlState::NULL_VALUE_NOT_ALLOWED,
            "SET requires parameter name",
        ));
    };
    let value = match text(&change.value) {
        None => SetValue::Default,
        Some(value) if name.eq_ignore_ascii_case("search_path") => SetValue::List(Settings::entries(&value)),
        Some(value) => SetValue::List(vec![value]),
    };
    Ok((name, value))
}
