//! A prepared statement: how it is made, described, and held to its description.

use std::sync::Arc;

use arrow_schema::{Schema, SchemaRef};
use pintail_pgtypes::{RenderSettings, array_of, oid};
use pintail_worker_api::messages::{Param, Prepared as Description};

use super::placeholders::{Casted, has_several_statements, has_word, unquantified};
use crate::engine::capi::{ArrowOptions, Connection, Prepared, ResultSet, Statements};
use crate::engine::failure::Failure;
use crate::engine::shape::{ColumnOrigin, Shape, signature};
use crate::engine::{instance, mapping, parameters, rows_by_type};
use crate::error::Error;

/// Types to try for parameters that neither the client nor the engine decides, after text: as in `$1 + 1`.
const GUESSES: &[u32] = &[
    oid::INT4,
    oid::INT8,
    oid::FLOAT8,
    oid::TIMESTAMP,
    oid::DATE,
    oid::INTERVAL,
    oid::BOOL,
];

/// How many open parameters are tried in every mixture of text and numbers.
const MIXED: usize = 6;

/// Where statements are prepared.
#[derive(Clone, Copy)]
pub(crate) struct Bench<'a> {
    /// The session's connection.
    pub(crate) connection: &'a Connection,
    /// How it writes Arrow.
    pub(crate) arrow: &'a ArrowOptions,
}

/// A statement of the session.
pub(crate) struct Statement {
    /// The client's text, with casts where its parameters' types had to be closed.
    text: Casted,
    prepared: Prepared,
    /// The same with NULLs for parameters, where the engine cannot tell the columns before values are bound, as of
    /// `FROM unnest($1)`.
    stand_in: Option<Prepared>,
    params: Vec<Slot>,
    /// A text to describe by, where the one to execute leaves columns open.
    describing: Option<Casted>,
    described: Option<Arc<Shape>>,
    /// Types that the columns are announced as.
    announced: Vec<u32>,
    /// What its columns are, by position; empty where that is not known.
    origins: Vec<ColumnOrigin>,
    /// A number was bound that no decimal of the engine's is.
    has_beyond: bool,
}

/// A parameter.
struct Slot {
    /// The engine's index; absent where the text skips the number.
    index: Option<u64>,
    /// Its type for the client.
    oid: u32,
    origin: Origin,
}

/// Who decided a parameter's type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The engine, and the client agrees or did not say.
    Engine,
    /// The client, or what an array is compared with; the engine has no opinion or another.
    Client,
    /// Nobody: it passes for text.
    Nobody,
}

impl Statement {
    /// Prepares the one statement of a text; nothing is executed, except what the engine itself puts before a statement:
    /// a `PIVOT` has its columns collected first.
    pub(crate) fn prepare(bench: Bench<'_>, sql: &str, oids: &[u32]) -> Result<Self, Error> {
        let statements = bench
            .connection
            .split(sql)
            .map_err(|failure| mapping::to_error(&failure, sql))?;
        if statements.len() > 1 {
            if has_several_statements(sql) {
                return Err(Error::SeveralStatements);
            }
            drop(statements);
            return Self::prepare_last(bench, sql, oids)?.ok_or(Error::SeveralStatements);
        }
        Self::from_last(bench, statements, sql, oids)
    }

    /// Runs all statements of a text but the last, and prepares that one; `None` for an empty text.
    ///
    /// The engine makes several statements of some ALTER, a transaction around them among them: where one fails, it would
    /// be left open.
    pub(crate) fn prepare_last(bench: Bench<'_>, sql: &str, oids: &[u32]) -> Result<Option<Self>, Error> {
        let fail = |failure| mapping::to_error(&failure, sql);
        let mut statements = bench.connection.split(sql).map_err(fail)?;
        let Some(last) = statements.len().checked_sub(1) else {
            return Ok(None);
        };
        let mut began = false;
        let before = (0..last).try_for_each(|index| {
            let mut prepared = statements.prepare(index)?;
            let mut result = prepared.execute()?;
            began |= prepared.is_transaction_control();
            while result.fetch()?.is_some() {}
            Ok(())
        });
        let prepared = before
            .map_err(fail)
            .and_then(|()| Self::from_last(bench, statements, sql, oids));
        if prepared.is_err() && began && !has_several_statements(sql) {
            // The error is the statement's; that this one finds nothing to end would be no news.
            let _ = run_setup(bench.connection, "ROLLBACK");
        }
        prepared.map(Some)
    }

    fn from_last(bench: Bench<'_>, mut statements: Statements, sql: &str, oids: &[u32]) -> Result<Self, Error> {
        let last = statements.len().saturating_sub(1);
        let prepared = statements
            .prepare(last)
            .map_err(|failure| mapping::to_error(&failure, sql))?;
        let params = slots(&prepared, bench.arrow, oids);
        let (text, describing, described) = (Casted::plain(sql), None, None);
        let statement = Self {
            text,
            prepared,
            stand_in: None,
            params,
            describing,
            described,
            announced: Vec::new(),
            origins: Vec::new(),
            has_beyond: false,
        };
        let is_open = statement.params.iter().any(|slot| slot.origin != Origin::Engine);
        let mut statement = if is_open && last == 0 {
            statement.close(bench, sql)
        } else {
            statement
        };
        if last == 0 && statement.stand_in.is_none() && !statement.tells_columns() {
            statement.stand_in = statement.with_nulls(bench);
        }
        Ok(statement)
    }

    /// Whether the engine knows the columns' types before values are bound.
    fn tells_columns(&self) -> bool {
        let columns = self.prepared.columns();
        !columns.iter().any(|(_, logical)| logical.is_unknown())
    }

    fn with_nulls(&self, bench: Bench<'_>) -> Option<Prepared> {
        let text = Casted::with_nulls(&self.text.text, |number| {
            parameters::describing_name(self.params.get(number - 1)?.oid)
        });
        let statements = bench.connection.split(&text);
        statements.and_then(|mut statements| statements.prepare(0)).ok()
    }

    /// What tells the columns.
    fn telling(&self) -> &Prepared {
        self.stand_in.as_ref().unwrap_or(&self.prepared)
    }

    /// Announces the columns under types of the control plane's choice, and as what they are.
    pub(crate) fn announce(&mut self, column_oids: &[u32], origins: Vec<ColumnOrigin>) {
        self.announced = column_oids.to_vec();
        self.origins = origins;
    }

    /// `duckdb_statement_type`, and whether it begins or ends a transaction.
    pub(crate) fn kind(&self) -> (u32, bool) {
        (self.prepared.statement_type(), self.prepared.is_transaction_control())
    }

    /// Closes the types of open parameters by casts, if the engine takes the text so.
    fn close(mut self, bench: Bench<'_>, sql: &str) -> Self {
        let is_guessed = |statement: &Self| statement.params.iter().any(|slot| slot.origin == Origin::Nobody);
        if is_guessed(&self) {
            self.find_arrays(bench, sql);
        }
        if !is_guessed(&self) {
            let _ = self.try_close(bench, sql);
            return self;
        }
        for guess in [oid::TEXT].iter().chain(GUESSES) {
            self.guess(*guess);
            if self.try_close(bench, sql).is_some() && self.stands(bench) {
                return self;
            }
        }
        if self.mix(bench, sql) {
            return self;
        }
        self.guess(oid::TEXT);
        let _ = self.try_close(bench, sql);
        self
    }

    /// Finds what text and numbers there are among a few parameters that are not all of one type.
    fn mix(&mut self, bench: Bench<'_>, sql: &str) -> bool {
        let open: Vec<usize> = (0..self.params.len())
            .filter(|&index| self.params[index].origin == Origin::Nobody)
            .collect();
        if !(2..=MIXED).contains(&open.len()) {
            return false;
        }
        (1..(1_usize << open.len()) - 1).any(|numbers| {
            for (bit, &index) in open.iter().enumerate() {
                let is_number = numbers >> bit & 1 == 1;
                self.params[index].oid = if is_number { oid::INT4 } else { oid::TEXT };
            }
            self.try_close(bench, sql).is_some() && self.stands(bench)
        })
    }

    /// Whether the engine takes the types: where it puts that off until values are bound, NULLs show it.
    fn stands(&mut self, bench: Bench<'_>) -> bool {
        if self.tells_columns() {
            return true;
        }
        self.stand_in = self.with_nulls(bench);
        self.stand_in.is_some()
    }

    /// Types the parameters of `= ANY($n)` and the like by what they are compared with.
    fn find_arrays(&mut self, bench: Bench<'_>, sql: &str) {
        let Some((text, numbers)) = unquantified(sql) else {
            return;
        };
        let statements = bench.connection.split(&text);
        let Ok(prepared) = statements.and_then(|mut statements| statements.prepare(0)) else {
            return;
        };
        for number in numbers {
            let index = prepared.param_index(number);
            let element = index.and_then(|index| parameters::inferred_oid(&prepared, index, bench.arrow));
            let array = element.and_then(array_of);
            let slot = number.checked_sub(1).and_then(|position| self.params.get_mut(position));
            if let (Some(array), Some(slot)) = (array, slot.filter(|slot| slot.origin == Origin::Nobody)) {
                (slot.oid, slot.origin) = (array, Origin::Client);
            }
        }
    }

    fn guess(&mut self, type_oid: u32) {
        self.params
            .iter_mut()
            .filter(|slot| slot.origin == Origin::Nobody)
            .for_each(|slot| slot.oid = type_oid);
    }

    fn try_close(&mut self, bench: Bench<'_>, sql: &str) -> Option<()> {
        let casted = |name: fn(u32) -> Option<&'static str>| {
            Casted::new(sql, |number| {
                let slot = self
                    .params
                    .get(number - 1)
                    .filter(|slot| slot.origin != Origin::Engine)?;
                name(slot.oid)
            })
        };
        let (text, describing) = (casted(parameters::cast_name), casted(parameters::describing_name));
        let prepared = bench
            .connection
            .split(&text.text)
            .and_then(|mut statements| statements.prepare(0))
            .ok()?;
        for (number, slot) in self.params.iter_mut().enumerate() {
            slot.index = prepared.param_index(number + 1);
        }
        self.describing = (describing != text).then_some(describing);
        (self.text, self.prepared) = (text, prepared);
        Some(())
    }

    /// What the statement takes and returns; remembers it, so that execution can be held to it.
    pub(crate) fn describe(&mut self, handle: u64, bench: Bench<'_>) -> Result<Description, Error> {
        let returns_rows = self.returns_rows();
        if returns_rows {
            self.described = Some(self.describe_rows(bench)?);
        }
        let columns = self
            .described
            .as_ref()
            .map(|shape| shape.header.columns.clone())
            .unwrap_or_default();
        let param_oids = self.params.iter().map(|slot| slot.oid).collect();
        Ok(Description {
            handle,
            columns,
            param_oids,
            returns_rows,
            relations: Vec::new(),
        })
    }

    /// The schema of what was described; without fields where no rows come.
    pub(crate) fn schema(&self) -> SchemaRef {
        self.described
            .as_ref()
            .map_or_else(|| Arc::new(Schema::empty()), |shape| Arc::clone(&shape.schema))
    }

    fn describe_rows(&self, bench: Bench<'_>) -> Result<Arc<Shape>, Error> {
        let describing = self.describing.as_ref().and_then(|casted| {
            bench
                .connection
                .split(&casted.text)
                .and_then(|mut statements| statements.prepare(0))
                .ok()
        });
        let columns = describing.as_ref().unwrap_or(self.telling()).columns();
        Shape::of(&columns, bench.arrow, &self.announced, &self.origins).map_err(|failure| self.fail(&failure))
    }

    fn returns_rows(&self) -> bool {
        rows_by_type(self.prepared.statement_type()).unwrap_or_else(|| match self.telling().columns().as_slice() {
            [] => false,
            [(name, logical)] if name == "Count" && logical.is_bigint() => has_word(&self.text.text, "returning"),
            [(name, logical)] if name == "Success" && logical.is_boolean() => has_word(&self.text.text, "returning"),
            _ => true,
        })
    }

    /// Binds parameters and executes.
    pub(crate) fn execute(&mut self, params: &[Param], settings: &RenderSettings) -> Result<ResultSet, Error> {
        self.bind(params, settings)?;
        self.prepared.execute().map_err(|failure| self.fail(&failure))
    }

    fn bind(&mut self, params: &[Param], settings: &RenderSettings) -> Result<(), Error> {
        if params.len() < self.params.len() {
            return Err(Error::ParameterCount {
                given: params.len(),
                wanted: self.params.len(),
            });
        }
        self.has_beyond = false;
        for (position, (slot, param)) in self.params.iter().zip(params).enumerate() {
            let Some(index) = slot.index else { continue };
            let type_oid = if param.type_oid == 0 { slot.oid } else { param.type_oid };
            let (value, is_beyond) = parameters::value(position + 1, type_oid, param, settings)?;
            self.has_beyond |= is_beyond;
            self.prepared
                .bind(index, &value)
                .map_err(|failure| self.fail(&failure))?;
        }
        Ok(())
    }

    /// The shape of a result of this statement, which must be what the client was told if it was told.
    pub(crate) fn shape_of(&mut self, result: &mut ResultSet, arrow: &ArrowOptions) -> Result<Arc<Shape>, Error> {
        if let Some(shape) = &self.described {
            let types: Vec<_> = result.types().collect();
            if shape.signature.is_some() && signature(types.iter()) == shape.signature {
                return Ok(Arc::clone(shape));
            }
        }
        let shape = Shape::of(&result.columns(), arrow, &self.announced, &self.origins)
            .map_err(|failure| self.fail(&failure))?;
        if self.described.as_ref().is_some_and(|told| !shape.answers_like(told)) {
            return Err(if self.has_beyond {
                Error::NumberBeyond
            } else {
                Error::ResultTypeChanged
            });
        }
        self.described = Some(Arc::clone(&shape));
        Ok(shape)
    }

    /// The error of a failure, with its place in the client's text.
    pub(super) fn fail(&self, failure: &Failure) -> Error {
        let mut error = mapping::to_error(failure, &self.text.text);
        if let Error::Statement { report, .. } = &mut error {
            report.position = report.position.map(|position| self.text.original_position(position));
        }
        error
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
        let inferred = index.and_then(|index| parameters::inferred_oid(prepared, index, arrow));
        let declared = oids.get(number - 1).copied().filter(|oid| *oid != 0);
        let (oid, origin) = match (declared, inferred) {
            (Some(declared), Some(inferred)) if parameters::are_alike(declared, inferred) => (declared, Origin::Engine),
            (Some(declared), _) => (declared, Origin::Client),
            (None, Some(inferred)) => (inferred, Origin::Engine),
            (None, None) => (oid::TEXT, Origin::Nobody),
        };
        slots.push(Slot { index, oid, origin });
    }
    slots
}

/// Runs trusted set-up text.
pub(crate) fn run_setup(connection: &Connection, sql: &str) -> Result<(), Error> {
    instance::sql::run(connection, sql).map_err(|failure| mapping::to_error(&failure, sql))
}
