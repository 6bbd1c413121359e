//! Relations that only the control plane can answer: `pg_stat_activity`, `pg_locks`, `pg_cursors`, `pg_prepared_statements`,
//! `pg_listening_channels()`. Their rows travel with each statement that reads them, and show nothing of other
//! organisations.

use std::sync::Arc;
use std::time::SystemTime;

use chrono::{DateTime, Utc};
use pintail_pgcatalog::live_columns;
use pintail_sqlstate::{Report, SqlState};
use pintail_transpiler::{Kind, Statement};
use pintail_worker_api::TextRow;
use pintail_worker_api::messages::Relation;

use super::calls::Place;
use super::engine::Running;
use super::machine::{Forget, Machine, Op, Purpose};
use super::transaction::Block;
use crate::sessions::{Activity, SessionView};

/// Longer texts are cut (`track_activity_query_size`).
const LONGEST: usize = 1023;
/// What is shown of a session that is not one's to look at.
const HIDDEN: &str = "<insufficient privilege>";

impl Machine {
    /// Sends a statement again with the relations that it reads: nothing of it ran.
    pub(super) fn supply(&mut self, running: Running, needs: Vec<String>) {
        self.forget.push(Forget::Stream(running.stream));
        let mut run = running.run;
        if needs.iter().any(|name| run.relations.contains(name)) {
            return self.fail(Report::new(
                SqlState::INTERNAL_ERROR,
                "a relation's rows did not arrive",
            ));
        }
        run.relations.extend(needs);
        self.queue.push_front(Op::Run(Box::new(run)));
    }

    /// The relations of a statement: those that the session itself knows with their rows, the others empty, for the
    /// driver.
    pub(super) fn relations(&self, names: &[String]) -> Vec<Relation> {
        names
            .iter()
            .map(|name| {
                let rows = match name.as_str() {
                    "pg_cursors" => self.cursor_rows(),
                    "pg_prepared_statements" => self.statement_rows(),
                    "pg_listening_channels" => self.effects.listening().map(|it| vec![text(it)]).collect(),
                    _ => {
                        return Relation {
                            name: name.clone(),
                            ..Relation::default()
                        };
                    }
                };
                relation(name, &rows)
            })
            .collect()
    }

    /// Cursors, and named portals, which are cursors too.
    fn cursor_rows(&self) -> Vec<TextRow> {
        let declared = self.cursors.values().map(|cursor| {
            let said = cursor.said();
            vec![
                text(&said.name),
                text(&said.text),
                truth(said.is_held),
                truth(said.is_binary),
                truth(said.scrolls),
                time(said.since),
            ]
        });
        let named = self.portals.iter().filter(|(name, _)| !name.is_empty());
        let bound = named.map(|(name, portal)| {
            vec![
                text(name),
                text(&*portal.prepared.text),
                truth(false),
                truth(portal.formats.contains(&1)),
                truth(false),
                time(portal.made),
            ]
        });
        declared.chain(bound).collect()
    }

    fn statement_rows(&self) -> Vec<TextRow> {
        let named = self.statements.iter().filter(|(name, _)| !name.is_empty());
        named
            .map(|(name, prepared)| {
                let types: Vec<String> = prepared.param_oids.iter().map(ToString::to_string).collect();
                vec![
                    text(name),
                    text(&*prepared.text),
                    time(prepared.made),
                    text(types.join(",")),
                    truth(prepared.from_sql),
                ]
            })
            .collect()
    }

    /// What the session does while it waits for its client.
    pub fn rest_state(&self) -> Activity {
        match self.transaction.block {
            Block::None => Activity::Idle,
            Block::Open => Activity::IdleInTransaction,
            Block::Failed => Activity::IdleInFailedTransaction,
        }
    }

    /// `application_name`, where a setting changed since this was last asked for.
    pub fn take_application_name(&mut self) -> Option<String> {
        let generation = self.settings.generation();
        let shown = self.effects.generation.replace(generation);
        if shown == Some(generation) {
            return None;
        }
        self.settings.get("application_name")
    }

    /// Remembers the text of what the client asks, for `pg_stat_activity`.
    pub(super) fn note_text(&mut self, sql: &str, statements: &[Statement]) {
        // What is not understood, or is about secrets, may hold some.
        let is_shown = statements
            .iter()
            .all(|statement| !statement.is_opaque() && !matches!(statement.kind, Kind::Secret(_) | Kind::Other));
        if !is_shown {
            return self.hide_text();
        }
        let mut end = sql.len().min(LONGEST);
        while !sql.is_char_boundary(end) {
            end -= 1;
        }
        self.effects.text = Some(sql[..end].into());
    }

    /// What the client asks is not shown.
    pub(super) fn hide_text(&mut self) {
        self.effects.text = Some(Arc::default());
    }
}

/// Fills in what the driver knows.
pub(super) fn fill(relations: &mut [Relation], place: &Place) {
    for found in relations.iter_mut().filter(|relation| relation.arrow.is_empty()) {
        let rows = match found.name.as_str() {
            "pg_stat_activity" => activity(place),
            "pg_locks" => locks(place),
            _ => Vec::new(),
        };
        *found = relation(&found.name, &rows);
    }
}

fn activity(place: &Place) -> Vec<TextRow> {
    place
        .sessions()
        .into_iter()
        .map(|session| {
            let waits_for_lock = place.waits_for_lock(session.info.pid);
            shown(&session, waits_for_lock, place.may_look_at(&session.info))
        })
        .collect()
}

fn shown(session: &SessionView, waits_for_lock: bool, is_allowed: bool) -> TextRow {
    let info = &session.info;
    let (state, wait) = match info.activity {
        _ if waits_for_lock => ("active", Some(("Lock", "advisory"))),
        Activity::Idle => ("idle", Some(("Client", "ClientRead"))),
        Activity::IdleInTransaction => ("idle in transaction", Some(("Client", "ClientRead"))),
        Activity::IdleInFailedTransaction => ("idle in transaction (aborted)", Some(("Client", "ClientRead"))),
        Activity::Waiting => ("active", Some(("Extension", "Extension"))),
        Activity::Active => ("active", None),
    };
    let open = |value: Option<String>| value.filter(|_| is_allowed);
    vec![
        text(&info.catalog),
        text(info.pid.to_string()),
        text(&info.user),
        text(&session.application),
        open(text(info.client.to_string())),
        open(text(info.client_port.to_string())),
        open(time(info.started)),
        open(session.transaction_start.and_then(time)),
        open(session.query_start.and_then(time)),
        open(time(info.since)),
        open(wait.and_then(|(kind, _)| text(kind))),
        open(wait.and_then(|(_, event)| text(event))),
        open(text(state)),
        if is_allowed {
            text(&*session.query)
        } else {
            text(HIDDEN)
        },
    ]
}

fn locks(place: &Place) -> Vec<TextRow> {
    place
        .locks()
        .into_iter()
        .map(|lock| {
            let (class, object, kind) = lock.key.parts();
            vec![
                text(class.to_string()),
                text(object.to_string()),
                text(kind.to_string()),
                text(lock.session.to_string()),
                text(lock.mode.name()),
                truth(lock.waits_since.is_none()),
                lock.waits_since.and_then(time),
            ]
        })
        .collect()
}

fn relation(name: &str, rows: &[TextRow]) -> Relation {
    Relation::of_texts(name, live_columns(name), rows).unwrap_or_else(|error| {
        // The worker refuses the relation, and with it the statement.
        tracing::error!(%error, name, "a relation could not be encoded");
        Relation {
            name: name.to_owned(),
            ..Relation::default()
        }
    })
}

#[allow(clippy::unnecessary_wraps, reason = "the value of a column that may be NULL")]
fn text(value: impl Into<String>) -> Option<String> {
    Some(value.into())
}

fn truth(value: bool) -> Option<String> {
    text(if value { "true" } else { "false" })
}

#[allow(clippy::unnecessary_wraps, reason = "the value of a column that may be NULL")]
fn time(at: SystemTime) -> Option<String> {
    Some(DateTime::<Utc>::from(at).format("%Y-%m-%d %H:%M:%S%.6f+00").to_string())
}

impl Purpose {
    /// The client's text, as `pg_prepared_statements` shows it.
    pub(super) fn text(&self, statement: &Statement) -> Arc<str> {
        match self {
            Self::Message => statement.text.as_str().into(),
            Self::Sql(text) => Arc::clone(text),
            Self::Again(renewal) => Arc::clone(&renewal.prepared.text),
        }
    }
}
