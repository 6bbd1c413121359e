//! Secrets of a user: made in the engine first, then kept in the store for later sessions.
//!
//! A text about a secret holds keys, so nothing of it reaches an error, a log or a list: what the engine says is passed on
//! only where it repeats none of the statement's literals.

use pintail_sqlstate::{Report, SqlState};
use pintail_transpiler::{Leaves, SecretAction, SecretConflict, SecretPersistence, SecretStatement, Statement};
use pintail_worker_api::Secret;

use super::engine::{After, Run, pintail_quote};
use super::machine::{Call, Machine, Next, Op, Waiting};
use super::transaction::Implicit;

/// The store's part of a statement.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    action: SecretAction,
    name: String,
    conflict: SecretConflict,
    statement: Secret<String>,
}

impl Machine {
    /// Queues the engine's part, the store's part and the answer.
    pub(super) fn secret_command(&mut self, secret: &SecretStatement, statement: &Statement) -> Result<(), Report> {
        let plan = self.plan(statement, &[])?;
        let keeps = secret.action == SecretAction::Drop || secret.persistence == SecretPersistence::Persistent;
        if keeps && (self.transaction.is_open() || self.transaction.implicit != Implicit::None) {
            return Err(Report::new(
                SqlState::ACTIVE_SQL_TRANSACTION,
                format!("{} cannot run inside a transaction block", statement.tag.render(0)),
            ));
        }
        let mut ops: Vec<Op> = plan
            .steps
            .into_iter()
            .map(|step| {
                let mut run = Run::silent(step.sql, After::Nothing);
                run.redacted.clone_from(&secret.literals);
                if !keeps {
                    run.left.state = Leaves::SessionState;
                }
                Op::Run(run)
            })
            .collect();
        if keeps {
            ops.push(Op::Secret(Box::new(Kept {
                action: secret.action,
                name: secret.name.clone(),
                conflict: secret.conflict,
                statement: Secret::new(secret.engine_sql.clone()),
            })));
        }
        ops.push(Op::Complete(statement.tag.render(0)));
        self.push_front(ops);
        Ok(())
    }

    pub(super) fn keep_secret(&mut self, kept: Box<Kept>) {
        let call = match kept.action {
            SecretAction::Create => Call::KeepSecret {
                name: kept.name.clone(),
                statement: kept.statement.clone(),
                conflict: kept.conflict,
            },
            SecretAction::Drop => Call::ForgetSecret {
                name: kept.name.clone(),
            },
        };
        self.waiting = Some(Waiting::Secret(kept));
        self.call = Some(Next::Call(call));
    }

    /// A secret that could not be kept is not left in the session either.
    pub(super) fn secret_kept(&mut self, kept: &Kept, result: Result<(), Report>) {
        let Err(report) = result else { return };
        match kept.action {
            SecretAction::Create => {
                let sql = format!("DROP SECRET IF EXISTS {}", pintail_quote(&kept.name));
                self.queue.push_front(Op::Run(Run::silent(sql, After::Undone(report))));
            }
            SecretAction::Drop => {
                self.fail(report.with_detail("It is gone from this session and is still kept for later ones."))
            }
        }
    }
}

/// A report of the engine's about a statement with these literals.
pub(super) fn redacted(report: &Report, literals: &[String]) -> Report {
    let texts = [Some(&report.message), report.detail.as_ref(), report.hint.as_ref()];
    let tells = texts.into_iter().flatten().any(|text| {
        literals
            .iter()
            .any(|literal| !literal.is_empty() && text.contains(literal))
    });
    if !tells {
        return report.clone();
    }
    Report::new(report.sqlstate, "the statement about the secret failed")
        .with_detail("The engine's own words repeat a part of the statement and are kept back.")
        .with_severity(report.severity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_repeat_a_literal_are_kept_back() {
        let literals = vec!["s3://bucket/".to_owned(), "hunter2".to_owned()];
        let report = Report::new(SqlState::INVALID_PARAMETER_VALUE, "no such thing: hunter2").with_hint("x");
        let told = redacted(&report, &literals);
        assert!(!format!("{told:?}").contains("hunter2"));
        assert_eq!(told.sqlstate, report.sqlstate);
        let harmless = Report::new(SqlState::INVALID_PARAMETER_VALUE, "unknown option");
        assert_eq!(redacted(&harmless, &literals).message, "unknown option");
    }
}
