//! A prepared statement: how it is made, described, and made again when the engine's catalog moved under it.

use std::sync::Arc;

use pintail_worker_api::messages::{Param, Prepared as Description};

use super::parameters;
use super::shape::{Shape, signature};
use crate::engine::capi::{ArrowOptions, Connection, Prepared, ResultSet};
use crate::engine::{instance, mapping, rows_by_type};
use crate::error::Error;

/// The type OID of `text`, for parameters whose type nobody knows.
pub(crate) const TEXT: u32 = pintail_pgtypes::oid::TEXT;

/// A statement of the session.
pub(crate) struct Statement {
    sql: String,
    prepared: Prepared,
    params: Vec<Slot>,
    described: Option<Arc<Shape>>,
}

/// A parameter: where the engine wants it, and its type.
struct Slot {
    /// The engine's index; absent where the text skips the number.
    index: Option<u64>,
    oid: u32,
}

impl Statement {
    /// Prepares the one statement of a text; nothing is executed.
    pub(crate) fn prepare(
        connection: &Connection,
        arrow: &ArrowOptions,
        sql: &str,
        oids: &[u32],
    ) -> Result<Self, Error> {
        let fail = |failure| mapping::to_error(&failure, sql);
        let mut statements = connection.split(sql).map_err(fail)?;
        if statements.len() > 1 {
            return Err(Error::SeveralStatements);
        }
        let prepared = statements.prepare(0).map_err(fail)?;
        Self::of(prepared, arrow, sql, oids)
    }

    /// Runs all statements of a text but the last, and prepares that one.
    pub(crate) fn prepare_last(
        connection: &Connection,
        arrow: &ArrowOptions,
        sql: &str,
        oids: &[u32],
    ) -> Result<Option<Self>, Error> {
        let fail = |failure| mapping::to_error(&failure, sql);
        let mut statements = connection.split(sql).map_err(fail)?;
        let Some(last) = statements.len().checked_sub(1) else {
            return Ok(None);
        };
        for index in 0..last {
            let mut result = statements.prepare(index).map_err(fail)?.execute().map_err(fail)?;
            while result.fetch().map_err(fail)?.is_some() {}
        }
        let prepared = statements.prepare(last).map_err(fail)?;
        Ok(Some(Self::of(prepared, arrow, sql, oids)?))
    }

    fn of(prepared: Prepared, arrow: &ArrowOptions, sql: &str, oids: &[u32]) -> Result<Self, Error> {
        let params = slots(&prepared, arrow, oids);
        Ok(Self {
            sql: sql.to_owned(),
            prepared,
            params,
            described: None,
        })
    }

    /// What the statement takes and returns; remembers it, so that execution can be held to it.
    pub(crate) fn describe(&mut self, handle: u64, arrow: &ArrowOptions) -> Result<Description, Error> {
        let returns_rows = self.returns_rows();
        let shape = if returns_rows {
            let shape = Shape::of(&self.prepared.columns(), arrow);
            Some(shape.map_err(|failure| mapping::to_error(&failure, &self.sql))?)
        } else {
            None
        };
        let columns = shape
            .as_ref()
            .map(|shape| shape.header.columns.clone())
            .unwrap_or_default();
        self.described = shape;
        let param_oids = self.params.iter().map(|slot| slot.oid).collect();
        Ok(Description {
            handle,
            columns,
            param_oids,
            returns_rows,
        })
    }

    fn returns_rows(&self) -> bool {
        rows_by_type(self.prepared.statement_type()).unwrap_or_else(|| {
            let columns = self.prepared.columns();
            !matches!(columns.as_slice(), [(name, logical)] if name == "Count" && logical.is_bigint())
                && !columns.is_empty()
        })
    }

    /// Binds parameters and executes.
    pub(crate) fn execute(&mut self, params: &[Param]) -> Result<ResultSet, Error> {
        self.bind(params)?;
        self.prepared
            .execute()
            .map_err(|failure| mapping::to_error(&failure, &self.sql))
    }

    fn bind(&mut self, params: &[Param]) -> Result<(), Error> {
        if params.len() < self.params.len() {
            return Err(Error::ParameterCount {
                given: params.len(),
                wanted: self.params.len(),
            });
        }
        for (position, (slot, param)) in self.params.iter().zip(params).enumerate() {
            let Some(index) = slot.index else { continue };
            let oid = if param.type_oid == 0 { slot.oid } else { param.type_oid };
            let value = parameters::value(position + 1, oid, param)?;
            self.prepared
                .bind(index, &value)
                .map_err(|failure| mapping::to_error(&failure, &self.sql))?;
        }
        Ok(())
    }

    /// The shape of a result of this statement, which must be what the client was told if it was told.
    pub(crate) fn shape_of(&mut self, result: &mut ResultSet, arrow: &ArrowOptions) -> Result<Arc<Shape>, Error> {
        if let Some(shape) = &self.described {
            let types: Vec<_> = result.types().collect();
            if signature(types.iter()) == shape.signature {
                return Ok(Arc::clone(shape));
            }
        }
        let shape = Shape::of(&result.columns(), arrow).map_err(|failure| mapping::to_error(&failure, &self.sql))?;
        if self.described.as_ref().is_some_and(|told| !shape.answers_like(told)) {
            return Err(Error::ResultTypeChanged);
        }
        self.described = Some(Arc::clone(&shape));
        Ok(shape)
    }

    /// The text, for positions in errors.
    pub(crate) fn sql(&self) -> &str {
        &self.sql
    }
}

fn slots(prepared: &Prepared, arrow: &ArrowOptions, oids: &[u32]) -> Vec<Slot> {
    let mut named = prepared.param_count();
    let mut slots = Vec::new();
    // The numbers may have gaps; the protocol has at most 65535 parameters.
    for number in 1..=usize::from(u16::MAX) {
        if named == 0 && number > oids.len() {
            break;
        }
        let index = prepared.param_index(number);
        named -= u64::from(index.is_some()).min(named);
        let declared = oids.get(number - 1).copied().unwrap_or(0);
        let inferred = || index.and_then(|index| parameters::inferred_oid(prepared, index, arrow));
        let oid = if declared == 0 {
            inferred().unwrap_or(TEXT)
        } else {
            declared
        };
        slots.push(Slot { index, oid });
    }
    slots
}

/// Runs trusted set-up text.
pub(crate) fn run_setup(connection: &Connection, sql: &str) -> Result<(), Error> {
    instance::run(connection, sql).map_err(|failure| mapping::to_error(&failure, sql))
}
