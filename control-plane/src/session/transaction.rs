//! Transactions: the status byte, implicit ones, savepoints.

use std::time::SystemTime;

use pgwire::messages::response::TransactionStatus;
use pintail_sqlstate::{Report, Severity, SqlState};
use pintail_transpiler::{Tag, Transaction as Command, TransactionModes};

use super::engine::{After, Run};
use super::listen::{Mark, Outcome};
use super::machine::{Machine, Op};
use super::settings::{self, Lifetime};

/// Where the session stands.
#[derive(Debug, Default)]
pub(super) struct Transaction {
    pub(super) block: Block,
    pub(super) implicit: Implicit,
    pub(super) savepoints: Vec<Savepoint>,
    /// Whether the block's first statement went to the engine.
    pub(super) used: bool,
    /// The session's temporary tables when it began.
    pub(super) temporary_before: Vec<String>,
}

/// The transaction block that the client opened.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    /// None; left by BEGIN.
    #[default]
    None,
    /// Open; left by COMMIT, ROLLBACK or an error.
    Open,
    /// An error happened; left by COMMIT, ROLLBACK or ROLLBACK TO.
    Failed,
}

/// The transaction that several statements of one query, or of one batch up to Sync, share.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Implicit {
    /// Each statement stands alone.
    #[default]
    None,
    /// To be begun by the first statement that needs the engine.
    Wanted,
    /// Begun in the engine.
    Open,
}

/// A savepoint. The engine has none, so going back to one works while nothing was written since.
#[derive(Debug)]
pub(super) struct Savepoint {
    name: String,
    mark: Mark,
    settings: settings::Mark,
    written_since: bool,
    /// The number of the last statement before it, and the time.
    sequence: u64,
    made: SystemTime,
}

impl Transaction {
    /// For `ReadyForQuery`.
    pub(super) fn status(&self) -> TransactionStatus {
        match self.block {
            Block::None => TransactionStatus::Idle,
            Block::Open => TransactionStatus::Transaction,
            Block::Failed => TransactionStatus::Error,
        }
    }

    pub(super) fn has_failed(&self) -> bool {
        self.block == Block::Failed
    }

    pub(super) fn is_open(&self) -> bool {
        self.block != Block::None
    }

    /// A statement failed.
    pub(super) fn fail(&mut self) {
        if self.block == Block::Open {
            self.block = Block::Failed;
        }
    }

    /// A statement that writes is about to run.
    pub(super) fn note_write(&mut self) {
        for savepoint in &mut self.savepoints {
            savepoint.written_since = true;
        }
    }

    /// Whether a statement that is not transaction control may run.
    pub(super) fn check(&self) -> Result<(), Report> {
        if self.block == Block::Failed {
            return Err(Report::new(
                SqlState::IN_FAILED_SQL_TRANSACTION,
                "current transaction is aborted, commands ignored until end of transaction block",
            ));
        }
        Ok(())
    }
}

impl Machine {
    /// Whether the open or coming transaction may write.
    pub(super) fn is_read_only(&self) -> bool {
        let on = |name: &str| self.settings.get(name).as_deref() == Some("on");
        on("transaction_read_only") || !self.transaction.is_open() && on("default_transaction_read_only")
    }

    /// Queues what a transaction command does, its tag included.
    pub(super) fn transaction_command(&mut self, command: &Command, tag: String) -> Result<(), Report> {
        match command {
            Command::Begin { modes, .. } => self.begin(modes, tag),
            Command::Commit { chain } => self.commit(*chain),
            Command::Rollback { chain } => self.roll_back(*chain),
            Command::Savepoint(name) => {
                self.transaction.check()?;
                self.needs_block("SAVEPOINT")?;
                self.transaction.savepoints.push(Savepoint {
                    name: name.clone(),
                    mark: self.effects.mark(),
                    settings: self.settings.mark(),
                    written_since: false,
                    sequence: self.sequence,
                    made: SystemTime::now(),
                });
                self.complete_next(tag);
                Ok(())
            }
            Command::Release(name) => {
                self.transaction.check()?;
                self.needs_block("RELEASE SAVEPOINT")?;
                let index = self.savepoint(name)?;
                self.transaction.savepoints.truncate(index);
                self.complete_next(tag);
                Ok(())
            }
            Command::RollbackTo(name) => self.roll_back_to(name, tag),
            Command::SetTransaction(modes) => {
                self.transaction.check()?;
                if !self.transaction.is_open() {
                    self.notice(&warning(
                        SqlState::NO_ACTIVE_SQL_TRANSACTION,
                        "SET TRANSACTION can only be used in transaction blocks",
                    ));
                }
                self.change_modes(modes)?;
                self.complete_next(tag);
                Ok(())
            }
            Command::SetCharacteristics(modes) => {
                self.transaction.check()?;
                if let Some(isolation) = modes.isolation {
                    self.settings.set(
                        Lifetime::Session,
                        "default_transaction_isolation",
                        &[isolation.to_owned()],
                    )?;
                }
                if let Some(read_only) = modes.read_only {
                    self.settings
                        .set(Lifetime::Session, "default_transaction_read_only", &[on_off(read_only)])?;
                }
                self.complete_next(tag);
                Ok(())
            }
            Command::TwoPhase => Err(Report::new(
                SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                "prepared transactions are disabled",
            )),
        }
    }

    fn begin(&mut self, modes: &TransactionModes, tag: String) -> Result<(), Report> {
        self.transaction.check()?;
        if self.transaction.is_open() {
            self.notice(&warning(
                SqlState::ACTIVE_SQL_TRANSACTION,
                "there is already a transaction in progress",
            ));
            self.change_modes(modes)?;
            self.complete_next(tag);
            return Ok(());
        }
        // What ran before BEGIN in the same query belongs to the block that it opens.
        let begun = std::mem::take(&mut self.transaction.implicit) == Implicit::Open;
        self.transaction.savepoints.clear();
        self.queue.push_front(Op::Complete(tag));
        if begun {
            self.after(&After::Begun(modes.clone()))?;
            self.transaction.used = true;
        } else {
            self.queue
                .push_front(Op::Run(Run::silent("BEGIN", After::Begun(modes.clone()))));
        }
        Ok(())
    }

    fn commit(&mut self, chain: bool) -> Result<(), Report> {
        match self.transaction.block {
            Block::Failed => self.finish_block("ROLLBACK", After::RolledBack { chain }),
            Block::Open => self.finish_block("COMMIT", After::Committed { chain }),
            Block::None => {
                self.outside_block(chain)?;
                self.drop_portals();
                self.commit_cursors();
                self.complete_next("COMMIT".to_owned());
                self.queue.push_front(Op::EndImplicit);
            }
        }
        Ok(())
    }

    fn roll_back(&mut self, chain: bool) -> Result<(), Report> {
        if self.transaction.is_open() {
            self.finish_block("ROLLBACK", After::RolledBack { chain });
            return Ok(());
        }
        self.outside_block(chain)?;
        self.drop_portals();
        self.complete_next("ROLLBACK".to_owned());
        self.queue.push_front(Op::UndoImplicit);
        Ok(())
    }

    fn outside_block(&mut self, chain: bool) -> Result<(), Report> {
        if chain {
            return Err(Report::new(
                SqlState::NO_ACTIVE_SQL_TRANSACTION,
                "AND CHAIN can only be used in transaction blocks",
            ));
        }
        self.notice(&warning(
            SqlState::NO_ACTIVE_SQL_TRANSACTION,
            "there is no transaction in progress",
        ));
        Ok(())
    }

    fn finish_block(&mut self, command: &'static str, after: After) {
        let chain = matches!(
            after,
            After::Committed { chain: true } | After::RolledBack { chain: true }
        );
        self.drop_portals();
        self.queue.push_front(Op::Complete(command.to_owned()));
        if chain {
            let modes = self.present_modes();
            self.queue
                .push_front(Op::Run(Run::silent("BEGIN", After::Begun(modes))));
        }
        self.queue.push_front(Op::Run(Run::silent(command, after)));
    }

    /// What the open transaction runs with; AND CHAIN carries it over.
    fn present_modes(&self) -> TransactionModes {
        let isolation = self.settings.get("transaction_isolation").unwrap_or_default();
        TransactionModes {
            isolation: ["serializable", "repeatable read", "read committed", "read uncommitted"]
                .into_iter()
                .find(|level| *level == isolation),
            read_only: Some(self.is_read_only()),
            deferrable: None,
        }
    }

    fn roll_back_to(&mut self, name: &str, tag: String) -> Result<(), Report> {
        self.needs_block("ROLLBACK TO SAVEPOINT")?;
        let index = self.savepoint(name)?;
        if self.transaction.savepoints[index].written_since || self.transaction.block == Block::Failed {
            self.transaction.fail();
            return Err(Report::new(
                SqlState::FEATURE_NOT_SUPPORTED,
                format!("cannot roll back to savepoint \"{name}\""),
            )
            .with_detail("Rows or definitions were written, or a statement failed, since the savepoint, and the engine keeps no earlier state.")
            .with_hint("Roll the whole transaction back."));
        }
        self.transaction.savepoints.truncate(index + 1);
        let mark = self.transaction.savepoints[index].mark;
        self.forget_since(mark);
        let savepoint = &self.transaction.savepoints[index];
        self.settings.go_back(&savepoint.settings);
        let (sequence, made) = (savepoint.sequence, savepoint.made);
        self.undo_cursors_since(sequence, made);
        self.complete_next(tag);
        Ok(())
    }

    fn savepoint(&self, name: &str) -> Result<usize, Report> {
        self.transaction
            .savepoints
            .iter()
            .rposition(|savepoint| savepoint.name == name)
            .ok_or_else(|| {
                Report::new(
                    SqlState::S_E_INVALID_SPECIFICATION,
                    format!("savepoint \"{name}\" does not exist"),
                )
            })
    }

    fn needs_block(&self, command: &str) -> Result<(), Report> {
        if self.transaction.is_open() {
            return Ok(());
        }
        Err(Report::new(
            SqlState::NO_ACTIVE_SQL_TRANSACTION,
            format!("{command} can only be used in transaction blocks"),
        ))
    }

    pub(super) fn apply_modes(&mut self, modes: &TransactionModes) -> Result<(), Report> {
        let default = |machine: &Self, name: &str| machine.settings.get(name).unwrap_or_default();
        let isolation = modes
            .isolation
            .map_or_else(|| default(self, "default_transaction_isolation"), str::to_owned);
        let read_only = modes
            .read_only
            .map_or_else(|| default(self, "default_transaction_read_only"), on_off);
        self.settings
            .set(Lifetime::Transaction, "transaction_isolation", &[isolation])?;
        self.settings
            .set(Lifetime::Transaction, "transaction_read_only", &[read_only])
    }

    /// Changes what SET TRANSACTION names, as long as nothing has run under the old modes (`check_transaction_isolation`,
    /// `check_transaction_read_only`).
    fn change_modes(&mut self, modes: &TransactionModes) -> Result<(), Report> {
        let begun = self.transaction.is_open() && self.transaction.used;
        let late = |what: &str| {
            Err(Report::new(
                SqlState::ACTIVE_SQL_TRANSACTION,
                format!("{what} before any query"),
            ))
        };
        if let Some(isolation) = modes.isolation {
            let same = self.settings.get("transaction_isolation").as_deref() == Some(isolation);
            if begun && !same {
                return late("SET TRANSACTION ISOLATION LEVEL must be called");
            }
            self.settings
                .set(Lifetime::Transaction, "transaction_isolation", &[isolation.to_owned()])?;
        }
        if let Some(read_only) = modes.read_only {
            if begun && !read_only && self.is_read_only() {
                return late("transaction read-write mode must be set");
            }
            self.settings
                .set(Lifetime::Transaction, "transaction_read_only", &[on_off(read_only)])?;
        }
        Ok(())
    }

    pub(super) fn complete_next(&mut self, tag: String) {
        self.queue.push_front(Op::Complete(tag));
    }

    /// A statement of a query begins. With those behind it, up to the query's end or to transaction control, it is one
    /// transaction (manual, "Multiple Statements in a Simple Query").
    pub(super) fn share_transaction(&mut self) {
        let more = matches!(self.queue.front(), Some(Op::Statement(_)));
        if more && !self.transaction.is_open() && self.transaction.implicit == Implicit::None {
            self.transaction.implicit = Implicit::Wanted;
            self.settings.begin();
        }
    }

    pub(super) fn end_implicit(&mut self) {
        if !self.transaction.is_open() && self.settings.may_undo() {
            self.settings.commit();
        }
        self.finish_next(Outcome::Committed);
        match std::mem::take(&mut self.transaction.implicit) {
            Implicit::Open => self.queue.push_front(Op::Run(Run::silent("COMMIT", After::Nothing))),
            Implicit::None | Implicit::Wanted => {}
        }
    }

    /// Queues what the transaction left outside the engine; the engine's part is queued before it.
    fn finish_next(&mut self, outcome: Outcome) {
        if !self.effects.is_empty() {
            self.queue.push_front(Op::Finish(outcome));
        }
    }

    pub(super) fn undo_implicit(&mut self) {
        if !self.transaction.is_open() {
            self.undo_cursors();
            if self.settings.may_undo() {
                self.settings.roll_back();
            }
        }
        self.finish_next(Outcome::RolledBack);
        if std::mem::take(&mut self.transaction.implicit) == Implicit::Open {
            self.queue.push_front(Op::Run(Run::silent("ROLLBACK", After::Nothing)));
        }
    }

    /// Sync: the batch's transaction ends, and messages are answered again.
    pub(super) fn sync(&mut self) {
        let op = if self.phase == super::machine::Phase::Skipping {
            Op::UndoImplicit
        } else {
            Op::EndImplicit
        };
        self.phase = super::machine::Phase::Serving;
        self.queue.push_back(op);
        self.queue.push_back(Op::Ready);
    }

    /// What follows from a silent statement's success.
    pub(super) fn after(&mut self, after: &After) -> Result<(), Report> {
        match after {
            After::Nothing | After::BegunAgain => {}
            After::ImplicitBegun => self.transaction.implicit = Implicit::Open,
            After::Begun(modes) => {
                self.transaction.block = Block::Open;
                self.transaction.used = false;
                self.transaction.temporary_before.clone_from(&self.temporary);
                self.settings.begin();
                self.apply_modes(modes)?;
            }
            After::Committed { .. } => {
                self.transaction.block = Block::None;
                self.transaction.savepoints.clear();
                self.commit_cursors();
                self.settings.commit();
                self.finish(Outcome::Committed);
            }
            After::RolledBack { .. } => {
                self.rolled_back();
                self.finish(Outcome::RolledBack);
            }
            After::EngineSettings(settings) => self.engine = Some(settings.clone()),
            After::Undone(report) => return Err(report.clone()),
        }
        Ok(())
    }

    fn rolled_back(&mut self) {
        self.transaction.block = Block::None;
        self.transaction.savepoints.clear();
        self.undo_cursors();
        self.temporary.clone_from(&self.transaction.temporary_before);
        self.settings.roll_back();
    }

    /// A silent statement failed: a COMMIT that fails has rolled back, and so has a ROLLBACK that finds nothing.
    pub(super) fn after_failure(&mut self, after: &After) {
        match after {
            After::Committed { .. } | After::RolledBack { .. } => self.rolled_back(),
            After::Nothing
            | After::ImplicitBegun
            | After::BegunAgain
            | After::Begun(_)
            | After::EngineSettings(_)
            | After::Undone(_) => {}
        }
    }
}

fn on_off(value: bool) -> String {
    if value { "on" } else { "off" }.to_owned()
}

pub(super) fn warning(sqlstate: SqlState, message: &str) -> Report {
    Report::new(sqlstate, message).with_severity(Severity::Warning)
}

/// The report for a write in a read-only transaction.
pub(super) fn read_only(tag: &Tag) -> Report {
    let command = match tag {
        Tag::Fixed(tag) => tag.as_str(),
        Tag::Rows(prefix) => prefix.trim_end_matches(" 0"),
    };
    Report::new(
        SqlState::READ_ONLY_SQL_TRANSACTION,
        format!("cannot execute {command} in a read-only transaction"),
    )
}
