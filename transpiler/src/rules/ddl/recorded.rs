//! A lake's table of constraints: the statements that keep it true.

use pintail_sqlstate::{Report, Severity, SqlState};

use super::constraint::{Constraint, Table};
use crate::plan::Notice;
use crate::session::{identifier, literal};

/// The hidden table's name in a lake.
fn records(catalog: &str) -> String {
    format!("{}.\"__pintail\".\"constraints\"", identifier(catalog))
}

/// Records constraints of a table; nothing where `only_if_missing` and the table is there already.
pub(super) fn insert(constraints: &[Constraint], table: &Table, guard: Guard) -> String {
    let rows: Vec<String> = constraints.iter().map(|constraint| row(constraint, table)).collect();
    let condition = match guard {
        Guard::None => String::new(),
        Guard::IfMissing => format!(" WHERE NOT EXISTS ({})", existing(table)),
    };
    let rows: Vec<String> = rows.into_iter().map(|row| format!("SELECT {row}{condition}")).collect();
    format!("INSERT INTO {} {}", records(&table.catalog), rows.join(" UNION ALL "))
}

/// When to record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guard {
    /// Always.
    None,
    /// Only where the table does not exist yet.
    IfMissing,
}

fn existing(table: &Table) -> String {
    format!(
        "SELECT 1 FROM duckdb_tables() WHERE database_name = {} AND schema_name = {} AND table_name = {}",
        literal(&table.catalog),
        literal(&table.schema),
        literal(&table.name)
    )
}

fn row(constraint: &Constraint, table: &Table) -> String {
    let columns = list(&constraint.columns);
    let (ref_schema, ref_table, ref_columns, definition) = match &constraint.reference {
        None => (
            null(),
            null(),
            "NULL::VARCHAR[]".to_owned(),
            literal(&constraint.definition),
        ),
        Some(reference) => {
            let key = format!(
                "(SELECT any_value(column_names) FROM {} WHERE schema_name = {} AND table_name = {} AND constraint_type = 'p')",
                records(&table.catalog),
                literal(&reference.table.schema),
                literal(&reference.table.name)
            );
            let columns = if reference.columns.is_empty() {
                key
            } else {
                list(&reference.columns)
            };
            let definition = format!(
                "{} || array_to_string({columns}, ', ') || {}",
                literal(&constraint.definition),
                literal(&reference.tail)
            );
            (
                literal(&reference.table.schema),
                literal(&reference.table.name),
                columns,
                definition,
            )
        }
    };
    format!(
        "gen_random_uuid()::VARCHAR, {}, {}, {}, {}, {columns}, {definition}, {ref_schema}, {ref_table}, {ref_columns}",
        literal(&table.schema),
        literal(&table.name),
        literal(&constraint.name),
        literal(constraint.kind.letter()),
    )
}

fn null() -> String {
    "NULL::VARCHAR".to_owned()
}

fn list(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| literal(name)).collect();
    format!("[{}]::VARCHAR[]", quoted.join(", "))
}

/// Forgets a table's constraints, and those that refer to it.
pub(super) fn delete(table: &Table) -> String {
    format!(
        "DELETE FROM {} WHERE (schema_name = {schema} AND table_name = {name}) OR (ref_schema = {schema} AND ref_table = {name})",
        records(&table.catalog),
        schema = literal(&table.schema),
        name = literal(&table.name)
    )
}

/// Forgets a schema's constraints, and those that refer to it.
pub(super) fn delete_schema(catalog: &str, schema: &str) -> String {
    format!(
        "DELETE FROM {} WHERE schema_name = {schema} OR ref_schema = {schema}",
        records(catalog),
        schema = literal(schema)
    )
}

/// Forgets one constraint.
pub(super) fn delete_one(table: &Table, constraint: &str) -> String {
    format!(
        "DELETE FROM {} WHERE {} AND constraint_name = {}",
        records(&table.catalog),
        of(table),
        literal(constraint)
    )
}

/// Forgets the constraints that a dropped column was part of.
pub(super) fn delete_column(table: &Table, column: &str) -> String {
    format!(
        "DELETE FROM {} WHERE {} AND list_contains(column_names, {})",
        records(&table.catalog),
        of(table),
        literal(column)
    )
}

/// Follows a table's new name.
pub(super) fn rename_table(table: &Table, new: &str) -> Vec<String> {
    vec![
        format!(
            "UPDATE {} SET table_name = {} WHERE {}",
            records(&table.catalog),
            literal(new),
            of(table)
        ),
        format!(
            "UPDATE {} SET ref_table = {}, definition = replace(definition, {}, {}) WHERE ref_schema = {} AND ref_table = {}",
            records(&table.catalog),
            literal(new),
            literal(&format!(" REFERENCES {}(", table.name)),
            literal(&format!(" REFERENCES {new}(")),
            literal(&table.schema),
            literal(&table.name)
        ),
    ]
}

/// Follows a column's new name.
pub(super) fn rename_column(table: &Table, old: &str, new: &str) -> String {
    format!(
        "UPDATE {} SET column_names = list_transform(column_names, lambda c: CASE WHEN c = {old} THEN {new} ELSE c END), \
         definition = regexp_replace(definition, {pattern}, {new}, 'g') WHERE {} AND list_contains(column_names, {old})",
        records(&table.catalog),
        of(table),
        old = literal(old),
        new = literal(new),
        pattern = literal(&format!("\\b{old}\\b"))
    )
}

/// Follows a constraint's new name.
pub(super) fn rename_one(table: &Table, old: &str, new: &str) -> String {
    format!(
        "UPDATE {} SET constraint_name = {} WHERE {} AND constraint_name = {}",
        records(&table.catalog),
        literal(new),
        of(table),
        literal(old)
    )
}

fn of(table: &Table) -> String {
    format!(
        "schema_name = {} AND table_name = {}",
        literal(&table.schema),
        literal(&table.name)
    )
}

/// Says that a constraint is not enforced.
pub(super) fn warning(constraint: &Constraint, table: &Table) -> Notice {
    Report::new(
        SqlState::WARNING,
        format!(
            "constraint \"{}\" of table \"{}\" is recorded, not enforced",
            constraint.name, table.name
        ),
    )
    .with_severity(Severity::Warning)
}
