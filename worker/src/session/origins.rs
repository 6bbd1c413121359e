//! The tables and columns behind a result's columns, as `RowDescription` numbers them.
//!
//! A table's columns are asked of the engine once and remembered until the session changes tables, for a minute at most:
//! another session's changes show after that.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use pintail_worker_api::messages::{OriginFrom, OriginPlace, OriginTable, Origins};

use super::statement::Bench;
use crate::engine::instance::sql::{identifier, literal, read_integer};
use crate::engine::rows_by_type;
use crate::engine::shape::ColumnOrigin;

/// How long a table's columns are believed.
const FRESH: Duration = Duration::from_secs(60);
/// The database of the system catalogs.
const CATALOGS: &str = "__pintail";

/// What is known of tables.
#[derive(Default)]
pub(crate) struct Tables {
    known: HashMap<(OriginPlace, String), (Instant, Option<Table>)>,
    /// Tables were changed, perhaps in a transaction that is still open.
    changed: bool,
}

#[derive(Clone)]
struct Table {
    oid: u32,
    columns: Vec<String>,
}

impl Table {
    /// A column's number, from 1.
    fn number(&self, name: &str) -> Option<i32> {
        let position = self.columns.iter().position(|column| column == name)?;
        i32::try_from(position + 1).ok()
    }
}

impl Tables {
    /// What each column of a result is, by position; nothing where nobody can tell.
    pub(crate) fn resolve(&mut self, bench: Bench<'_>, origins: Option<&Origins>) -> Vec<ColumnOrigin> {
        let Some(origins) = origins else { return Vec::new() };
        let tables: Vec<Option<Table>> = origins.tables.iter().map(|table| self.table(bench, table)).collect();
        let table = |index: u32| tables.get(usize::try_from(index).ok()?)?.as_ref();
        let mut out = Vec::with_capacity(origins.columns.len());
        for column in &origins.columns {
            match &column.from {
                None => out.push(ColumnOrigin::Computed(-1)),
                Some(OriginFrom::Modifier(modifier)) => out.push(ColumnOrigin::Computed(*modifier)),
                Some(OriginFrom::Named(named)) => {
                    let found = named.tables.iter().filter_map(|&index| table(index));
                    let found = found.filter_map(|table| Some((table.oid, table.number(&named.name)?)));
                    let mut found = found.map(|(table_oid, number)| ColumnOrigin::Column { table_oid, number });
                    out.push(found.next().unwrap_or(ColumnOrigin::Unknown));
                }
                Some(OriginFrom::All(index)) => {
                    let Some(table) = table(*index) else { return Vec::new() };
                    out.extend((1..).zip(&table.columns).map(|(number, _)| ColumnOrigin::Column {
                        table_oid: table.oid,
                        number,
                    }));
                }
            }
        }
        out
    }

    /// A statement of that type is about to run.
    pub(crate) fn note(&mut self, statement_type: u32, is_transaction_control: bool) {
        let forgets = if is_transaction_control {
            std::mem::take(&mut self.changed)
        } else {
            rows_by_type(statement_type) == Some(false)
        };
        if forgets {
            self.known.clear();
            self.changed |= !is_transaction_control;
        }
    }

    fn table(&mut self, bench: Bench<'_>, wanted: &OriginTable) -> Option<Table> {
        wanted.places.iter().find_map(|place| {
            let key = (place.clone(), wanted.name.clone());
            if let Some((since, table)) = self.known.get(&key)
                && since.elapsed() < FRESH
            {
                return table.clone();
            }
            let found = look_up(bench, place, &wanted.name);
            self.known.insert(key, (Instant::now(), found.clone()));
            found
        })
    }
}

fn look_up(bench: Bench<'_>, place: &OriginPlace, name: &str) -> Option<Table> {
    let columns = if place.database == CATALOGS {
        catalog_columns(&place.schema, name)?
    } else {
        let path = [&place.database, &place.schema, name]
            .map(|part| identifier(part))
            .join(".");
        let mut statements = bench.connection.split(&format!("FROM {path}")).ok()?;
        let columns = statements.prepare(0).ok()?.columns();
        columns.into_iter().map(|(name, _)| name).collect()
    };
    let oid = format!(
        "SELECT \"__pintail\".pg._relation_oid(\"__pintail\".pg._schema_name({}, {}), {})::INTEGER",
        literal(&place.database),
        literal(&place.schema),
        literal(name)
    );
    let oid = read_integer(bench.connection, bench.arrow, &oid).ok()??.cast_unsigned();
    Some(Table { oid, columns })
}

fn catalog_columns(schema: &str, name: &str) -> Option<Vec<String>> {
    let schema = if schema == "pg" {
        "pg_catalog"
    } else {
        "information_schema"
    };
    let mut relations = pintail_pgcatalog::COLUMNS.iter();
    let (_, _, columns) = relations.find(|(its_schema, relation, _)| *its_schema == schema && *relation == name)?;
    Some(columns.iter().map(|(name, _)| (*name).to_owned()).collect())
}
