//! What the worker is told of a result that the engine does not know: types, and where columns come from.

use pintail_transpiler::{Origin, Output};
use pintail_worker_api::messages::{Column, OriginColumn, OriginFrom, OriginName, OriginPlace, OriginTable, Origins};

use crate::wire::backend::ColumnDescription;

/// The types that a plan announces for its columns.
pub(super) fn announced(output: &Output) -> Vec<u32> {
    let columns = output.columns.iter().flatten();
    columns.map(|column| column.type_oid).collect()
}

/// Where the columns come from, in the worker's words.
pub(super) fn origins(output: &Output) -> Option<Origins> {
    let origins = output.origins.as_ref()?;
    let tables = origins.tables.iter().map(|table| OriginTable {
        places: table
            .places
            .iter()
            .map(|place| OriginPlace {
                database: place.database.clone(),
                schema: place.schema.clone(),
            })
            .collect(),
        name: table.name.clone(),
    });
    let columns = origins.columns.iter().map(|origin| OriginColumn {
        from: match origin {
            Origin::Column { tables, name } => Some(OriginFrom::Named(OriginName {
                tables: tables.iter().copied().map(number).collect(),
                name: name.clone(),
            })),
            Origin::All(table) => Some(OriginFrom::All(number(*table))),
            Origin::Computed { modifier } => modifier.map(OriginFrom::Modifier),
        },
    });
    Some(Origins {
        tables: tables.collect(),
        columns: columns.collect(),
    })
}

/// A table's number; one past what a message can say is no table's.
fn number(table: usize) -> u32 {
    u32::try_from(table).unwrap_or(u32::MAX)
}

/// Names that `PostgreSQL` would give in place of the engine's.
pub(super) fn rename(columns: &mut [ColumnDescription], output: &Output) {
    for (column, wanted) in columns.iter_mut().zip(output.columns.iter().flatten()) {
        column.name.clone_from(&wanted.name);
    }
}

/// The same for columns as the worker tells them.
pub(super) fn rename_told(columns: &mut [Column], output: Output) {
    for (column, wanted) in columns.iter_mut().zip(output.columns.into_iter().flatten()) {
        column.name = wanted.name;
    }
}
