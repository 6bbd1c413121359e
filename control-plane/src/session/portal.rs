//! Prepared statements and portals.

use std::sync::Arc;
use std::time::SystemTime;

use bytes::{Buf, Bytes};
use pintail_transpiler::{SettingChange, Statement};
use pintail_worker_api::messages::{Column, Param, Trailer};

use super::cursor::Fetching;
use super::machine::{Forget, Machine};
use crate::wire::backend::ColumnDescription;

/// A prepared statement, named or not.
#[derive(Debug)]
pub(super) struct Prepared {
    /// `None` for an empty text.
    pub(super) statement: Option<Statement>,
    /// Parameter types as described to the client.
    pub(super) param_oids: Vec<u32>,
    /// How it runs.
    pub(super) body: Body,
    /// Whether the client made it with `PREPARE`.
    pub(super) from_sql: bool,
    /// The instance that knows its handle, by the machine's count of instances.
    pub(super) instance: u32,
    /// The text that made it.
    pub(super) text: Arc<str>,
    /// When it was made.
    pub(super) made: SystemTime,
}

/// How a prepared statement runs.
#[derive(Debug)]
pub(super) enum Body {
    /// By the engine, prepared there.
    Engine {
        /// The worker's name for it.
        handle: u64,
        /// Its columns, empty where it returns no rows.
        columns: Vec<Column>,
        /// What its calls of `set_config` change.
        settings: Vec<SettingChange>,
        /// Relations of the control plane's that it reads.
        relations: Vec<String>,
    },
    /// By the engine in steps, made anew for each execution.
    Steps {
        /// The result's columns.
        columns: Vec<Column>,
    },
    /// By the session, or by the engine in steps that cannot be prepared ahead.
    Session,
}

/// A portal.
#[derive(Debug)]
pub(super) struct Portal {
    pub(super) prepared: Arc<Prepared>,
    pub(super) params: Vec<Param>,
    pub(super) formats: Vec<i16>,
    pub(super) state: PortalState,
    /// When it was bound.
    pub(super) made: SystemTime,
}

/// Where a portal is.
#[derive(Debug)]
pub(super) enum PortalState {
    /// Bound; left by Execute.
    Fresh,
    /// A row limit cut it; left by Execute or by its end.
    Suspended(Suspended),
    /// A row limit cut its FETCH; left by Execute.
    Fetching(Box<Fetching>),
    /// Its rows are all sent.
    Done,
}

/// The rest of a cut result.
#[derive(Debug)]
pub(super) struct Suspended {
    /// The stream that gives the rest.
    pub(super) stream: u64,
    /// Whole messages already received and not sent.
    pub(super) rest: Rows,
    /// The stream's end, if it came with the rest.
    pub(super) trailer: Option<Trailer>,
}

/// A block of whole `DataRow` messages.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    pub(super) count: u32,
    pub(super) bytes: Bytes,
}

impl Rows {
    /// Takes at most `limit` rows off the front, by stepping over message lengths.
    pub(super) fn split(&mut self, limit: u32) -> Self {
        if limit >= self.count {
            return std::mem::take(self);
        }
        let mut end = 0;
        for _ in 0..limit {
            let Some(mut length) = self.bytes.get(end + 1..end + 5) else {
                break;
            };
            end += 1 + length.get_u32() as usize;
        }
        self.count -= limit;
        Self {
            count: limit,
            bytes: self.bytes.split_to(end.min(self.bytes.len())),
        }
    }
}

impl Machine {
    pub(super) fn drop_statement(&mut self, name: &str) {
        if let Some(prepared) = self.statements.remove(name) {
            self.forget_statement(&prepared);
        }
    }

    /// Frees the worker's statement once neither a name nor a portal needs it.
    fn forget_statement(&mut self, prepared: &Arc<Prepared>) {
        if prepared.instance != self.instance {
            return;
        }
        if let (Body::Engine { handle, .. }, 1) = (&prepared.body, Arc::strong_count(prepared)) {
            self.forget.push(Forget::Statement(*handle));
        }
    }

    pub(super) fn drop_portal(&mut self, name: &str) {
        let Some(portal) = self.portals.remove(name) else {
            return;
        };
        if let PortalState::Suspended(suspended) = &portal.state {
            self.forget.push(Forget::Stream(suspended.stream));
        }
        self.forget_statement(&portal.prepared);
    }

    pub(super) fn drop_portals(&mut self) {
        self.drop_portals_but(|_, _| false);
    }

    pub(super) fn drop_portals_but(&mut self, stays: impl Fn(&str, &Portal) -> bool) {
        let goes = self.portals.iter().filter(|(name, portal)| !stays(name, portal));
        let names: Vec<String> = goes.map(|(name, _)| name.clone()).collect();
        for name in names {
            self.drop_portal(&name);
        }
    }
}

/// The format of column `index` under Bind's rule: none means text, one stands for all.
pub(super) fn format_of(formats: &[i16], index: usize) -> i16 {
    match formats {
        [] => 0,
        [one] => *one,
        many => many.get(index).copied().unwrap_or(0),
    }
}

/// Worker columns as a row description.
pub(super) fn describe(columns: &[Column], formats: &[i16]) -> Vec<ColumnDescription> {
    columns
        .iter()
        .enumerate()
        .map(|(index, column)| ColumnDescription {
            name: column.name.clone(),
            type_oid: column.type_oid,
            type_len: i16::try_from(column.type_len).unwrap_or(-1),
            typmod: column.typmod,
            table_oid: column.table_oid,
            number: i16::try_from(column.number).unwrap_or(0),
            format: format_of(formats, index),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(body: &[u8]) -> Vec<u8> {
        let mut row = vec![b'D'];
        row.extend(u32::try_from(body.len() + 4).expect("short").to_be_bytes());
        row.extend(body);
        row
    }

    #[test]
    fn rows_are_cut_between_messages() {
        let bytes: Vec<u8> = [row(b"a"), row(b""), row(b"ccc")].concat();
        let mut rows = Rows {
            count: 3,
            bytes: bytes.clone().into(),
        };
        let first = rows.split(2);
        assert_eq!((first.count, &first.bytes[..]), (2, &bytes[..11]));
        let rest = rows.split(9);
        assert_eq!((rest.count, &rest.bytes[..]), (1, &bytes[11..]));
        assert_eq!(rows.count, 0);
    }
}
