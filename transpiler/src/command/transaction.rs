//! `BEGIN`, `COMMIT`, `SAVEPOINT` and their kin (manual, "SQL Commands").

use super::{Parsed, Reader};
use crate::{Error, Kind};

/// Transaction control.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transaction {
    /// `BEGIN` or `START TRANSACTION`.
    Begin {
        /// The words the client used, which are the tag.
        word: &'static str,
        /// What it asks for.
        modes: TransactionModes,
    },
    /// `COMMIT` or `END`.
    Commit {
        /// `AND CHAIN`.
        chain: bool,
    },
    /// `ROLLBACK` or `ABORT`.
    Rollback {
        /// `AND CHAIN`.
        chain: bool,
    },
    /// `SAVEPOINT name`.
    Savepoint(String),
    /// `RELEASE name`.
    Release(String),
    /// `ROLLBACK TO name`.
    RollbackTo(String),
    /// `SET TRANSACTION`: the open transaction.
    SetTransaction(TransactionModes),
    /// `SET SESSION CHARACTERISTICS AS TRANSACTION`: those to come.
    SetCharacteristics(TransactionModes),
    /// `PREPARE TRANSACTION`, `COMMIT PREPARED`, `ROLLBACK PREPARED`, which no configuration here allows (55000).
    TwoPhase,
}

/// The modes of a transaction; `None` where the client leaves them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TransactionModes {
    /// `serializable`, `repeatable read`, `read committed` or `read uncommitted`.
    pub isolation: Option<&'static str>,
    /// `READ ONLY` or `READ WRITE`.
    pub read_only: Option<bool>,
    /// `[NOT] DEFERRABLE`.
    pub deferrable: Option<bool>,
}

/// Reads a statement whose first word is one of transaction control's.
pub(super) fn parse(reader: &mut Reader<'_, '_>) -> Result<Parsed, Error> {
    let (transaction, tag) = if reader.eat("BEGIN") {
        let _ = reader.eat_any(&["WORK", "TRANSACTION"]);
        (begin("BEGIN", reader)?, "BEGIN")
    } else if reader.eat("START TRANSACTION") {
        (begin("START TRANSACTION", reader)?, "START TRANSACTION")
    } else if reader.eat("COMMIT PREPARED") || reader.eat("ROLLBACK PREPARED") {
        reader.literal()?;
        (Transaction::TwoPhase, "COMMIT PREPARED")
    } else if reader.eat_any(&["COMMIT", "END"]) {
        (Transaction::Commit { chain: chain(reader)? }, "COMMIT")
    } else if reader.eat("SAVEPOINT") {
        (Transaction::Savepoint(reader.name()?), "SAVEPOINT")
    } else if reader.eat("RELEASE") {
        let _ = reader.eat("SAVEPOINT");
        (Transaction::Release(reader.name()?), "RELEASE")
    } else if reader.eat_any(&["ROLLBACK", "ABORT"]) {
        (rollback(reader)?, "ROLLBACK")
    } else {
        reader.next();
        return Err(reader.unexpected());
    };
    reader.expect_end()?;
    Ok(Parsed::new(Kind::Transaction(transaction), tag))
}

fn begin(word: &'static str, reader: &mut Reader<'_, '_>) -> Result<Transaction, Error> {
    Ok(Transaction::Begin {
        word,
        modes: modes(reader)?,
    })
}

fn rollback(reader: &mut Reader<'_, '_>) -> Result<Transaction, Error> {
    let _ = reader.eat_any(&["WORK", "TRANSACTION"]);
    if reader.eat("TO") {
        let _ = reader.eat("SAVEPOINT");
        return Ok(Transaction::RollbackTo(reader.name()?));
    }
    Ok(Transaction::Rollback { chain: chain(reader)? })
}

fn chain(reader: &mut Reader<'_, '_>) -> Result<bool, Error> {
    let _ = reader.eat_any(&["WORK", "TRANSACTION"]);
    if reader.eat("AND NO CHAIN") {
        return Ok(false);
    }
    if reader.eat("AND") {
        reader.expect("CHAIN")?;
        return Ok(true);
    }
    Ok(false)
}

/// Transaction modes up to the end, with or without commas.
pub(super) fn modes(reader: &mut Reader<'_, '_>) -> Result<TransactionModes, Error> {
    let mut modes = TransactionModes::default();
    while !reader.at_end() {
        if reader.eat("ISOLATION LEVEL") {
            modes.isolation = Some(isolation(reader)?);
        } else if reader.eat("READ ONLY") {
            modes.read_only = Some(true);
        } else if reader.eat("READ WRITE") {
            modes.read_only = Some(false);
        } else if reader.eat("NOT DEFERRABLE") {
            modes.deferrable = Some(false);
        } else if reader.eat("DEFERRABLE") {
            modes.deferrable = Some(true);
        } else {
            return Err(reader.unexpected());
        }
        let _ = reader.eat_symbol(",");
    }
    Ok(modes)
}

fn isolation(reader: &mut Reader<'_, '_>) -> Result<&'static str, Error> {
    if reader.eat("SERIALIZABLE") {
        Ok("serializable")
    } else if reader.eat("REPEATABLE READ") {
        Ok("repeatable read")
    } else if reader.eat("READ COMMITTED") {
        Ok("read committed")
    } else if reader.eat("READ UNCOMMITTED") {
        Ok("read uncommitted")
    } else {
        Err(reader.unexpected())
    }
}
