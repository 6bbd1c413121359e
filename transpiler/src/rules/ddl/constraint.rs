//! A constraint as PostgreSQL names and prints it.

use std::fmt::Write as _;
use std::ops::ControlFlow;

use sqlparser::ast::{
    CheckConstraint, Expr, ForeignKeyConstraint, Ident, IndexColumn, ObjectName, ReferentialAction, TableConstraint,
    Visit, Visitor,
};

use super::super::{build, folded};
use crate::Error;
use crate::plan::Context;

/// A table's catalog, its schema, in the engine's words, and name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) catalog: String,
    pub(super) schema: String,
    pub(super) name: String,
}

impl Table {
    /// The table that a statement names.
    pub(super) fn of(name: &ObjectName, context: &Context<'_>) -> Self {
        let catalog = crate::catalogs::of(name, context);
        let parts: Vec<String> = name.0.iter().filter_map(|part| part.as_ident()).map(folded).collect();
        let schema = match parts.len() {
            0 | 1 => default_schema(context),
            2 if parts[0] == catalog && catalog != context.catalog => "main".to_owned(),
            count if parts[count - 2] == "public" => "main".to_owned(),
            count => parts[count - 2].clone(),
        };
        Self {
            catalog,
            schema,
            name: parts.last().cloned().unwrap_or_default(),
        }
    }
}

/// The first schema of the search path, in the engine's words.
pub(super) fn default_schema(context: &Context<'_>) -> String {
    let first = context
        .search_path
        .iter()
        .map(|entry| entry.trim_matches('"'))
        .find(|entry| *entry != "$user" && !entry.is_empty() && !entry.starts_with("pg_"));
    match first {
        None | Some("public") => "main".to_owned(),
        Some(schema) => schema.to_owned(),
    }
}

/// The kind, as in `pg_constraint.contype`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConstraintKind {
    Primary,
    Unique,
    Check,
    Foreign,
}

impl ConstraintKind {
    pub(super) fn letter(self) -> &'static str {
        match self {
            Self::Primary => "p",
            Self::Unique => "u",
            Self::Check => "c",
            Self::Foreign => "f",
        }
    }
}

/// A constraint to record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Constraint {
    pub(super) name: String,
    pub(super) kind: ConstraintKind,
    pub(super) columns: Vec<String>,
    /// As `pg_get_constraintdef` prints it; for a foreign key up to the referred columns.
    pub(super) definition: String,
    pub(super) reference: Option<Reference>,
}

/// What a foreign key refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference {
    pub(super) table: Table,
    /// Empty for the table's primary key.
    pub(super) columns: Vec<String>,
    /// What follows the referred columns.
    pub(super) tail: String,
}

/// What is said of a catalog that neither enforces a constraint nor has a place to record it, or of which nothing is known.
pub(super) fn unsupported(constraint: &Constraint) -> Error {
    let word = match constraint.kind {
        ConstraintKind::Primary => "PRIMARY KEY",
        ConstraintKind::Unique => "UNIQUE",
        ConstraintKind::Check => "CHECK",
        ConstraintKind::Foreign => "FOREIGN KEY",
    };
    Error::unsupported(format!("{word} constraints are not supported in this catalog"))
}

/// A key over columns.
pub(super) fn key(kind: ConstraintKind, name: Option<&Ident>, columns: Vec<String>, table: &Table) -> Constraint {
    let (word, default) = if kind == ConstraintKind::Primary {
        ("PRIMARY KEY", format!("{}_pkey", table.name))
    } else {
        ("UNIQUE", format!("{}_{}_key", table.name, columns.join("_")))
    };
    Constraint {
        name: name.map_or(default, folded),
        kind,
        definition: format!("{word} ({})", quoted(&columns)),
        columns,
        reference: None,
    }
}

/// A check; `column` is the one it was written at.
pub(super) fn check(name: Option<&Ident>, check: &CheckConstraint, column: Option<&str>, table: &Table) -> Constraint {
    let columns = columns_of(&check.expr);
    let default = match (column, columns.as_slice()) {
        (Some(column), _) => format!("{}_{column}_check", table.name),
        (None, [one]) => format!("{}_{one}_check", table.name),
        _ => format!("{}_check", table.name),
    };
    Constraint {
        name: name.or(check.name.as_ref()).map_or(default, folded),
        kind: ConstraintKind::Check,
        definition: format!("CHECK (({}))", check.expr),
        columns,
        reference: None,
    }
}

/// A foreign key.
pub(super) fn foreign(
    name: Option<&Ident>,
    key: &ForeignKeyConstraint,
    columns: Vec<String>,
    table: &Table,
    context: &Context<'_>,
) -> Result<Constraint, Error> {
    let target = Table::of(&key.foreign_table, context);
    if target.catalog != table.catalog {
        return Err(crate::catalogs::cross_database(&key.foreign_table.to_string()));
    }
    let shown = if target.schema == default_schema(context) {
        quote(&target.name)
    } else {
        let schema = if target.schema == "main" {
            "public"
        } else {
            &target.schema
        };
        format!("{}.{}", quote(schema), quote(&target.name))
    };
    let mut tail = ")".to_owned();
    for (word, action) in [("UPDATE", &key.on_update), ("DELETE", &key.on_delete)] {
        if let Some(action) = action
            && *action != ReferentialAction::NoAction
        {
            // Writing to a string cannot fail.
            let _ = write!(tail, " ON {word} {action}");
        }
    }
    let default = format!("{}_{}_fkey", table.name, columns.join("_"));
    Ok(Constraint {
        name: name.or(key.name.as_ref()).map_or(default, folded),
        kind: ConstraintKind::Foreign,
        definition: format!("FOREIGN KEY ({}) REFERENCES {shown}(", quoted(&columns)),
        columns,
        reference: Some(Reference {
            table: target,
            columns: key.referred_columns.iter().map(folded).collect(),
            tail,
        }),
    })
}

/// A table constraint; index and exclusion constraints are refused.
pub(super) fn of_table(
    constraint: &TableConstraint,
    table: &Table,
    context: &Context<'_>,
) -> Result<Constraint, Error> {
    Ok(match constraint {
        TableConstraint::PrimaryKey(primary) => key(
            ConstraintKind::Primary,
            primary.name.as_ref(),
            index_columns(&primary.columns),
            table,
        ),
        TableConstraint::Unique(unique) => key(
            ConstraintKind::Unique,
            unique.name.as_ref(),
            index_columns(&unique.columns),
            table,
        ),
        TableConstraint::Check(given) => check(None, given, None, table),
        TableConstraint::ForeignKey(given) => {
            foreign(None, given, given.columns.iter().map(folded).collect(), table, context)?
        }
        TableConstraint::Exclude(_) => return Err(Error::unsupported("EXCLUDE constraints are not supported")),
        _ => {
            return Err(Error::unsupported(
                "constraints over an existing index are not supported",
            ));
        }
    })
}

/// The columns of a key.
pub(super) fn index_columns(columns: &[IndexColumn]) -> Vec<String> {
    columns
        .iter()
        .map(|column| match &column.column.expr {
            Expr::Identifier(ident) => folded(ident),
            other => other.to_string(),
        })
        .collect()
}

/// Tells apart constraints that came out with one name, as PostgreSQL numbers them.
pub(super) fn number(constraints: &mut [Constraint]) {
    for index in 1..constraints.len() {
        let (before, rest) = constraints.split_at_mut(index);
        let base = rest[0].name.clone();
        let mut n = 0;
        while before.iter().any(|other| other.name == rest[0].name) {
            n += 1;
            rest[0].name = format!("{base}{n}");
        }
    }
}

fn columns_of(expr: &Expr) -> Vec<String> {
    struct Columns(Vec<String>);
    impl Visitor for Columns {
        type Break = ();
        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            if let Expr::Identifier(ident) = expr {
                let name = folded(ident);
                if !self.0.contains(&name) {
                    self.0.push(name);
                }
            }
            ControlFlow::Continue(())
        }
    }
    let mut columns = Columns(Vec::new());
    let _ = expr.visit(&mut columns);
    columns.0
}

fn quoted(columns: &[String]) -> String {
    columns
        .iter()
        .map(|column| quote(column))
        .collect::<Vec<_>>()
        .join(", ")
}

/// A name as PostgreSQL prints it: quoted only where it must be.
fn quote(name: &str) -> String {
    let plain = name
        .chars()
        .enumerate()
        .all(|(i, c)| c == '_' || c.is_ascii_lowercase() || (i > 0 && (c.is_ascii_digit() || c == '$')));
    if plain && !name.is_empty() {
        name.to_owned()
    } else {
        build::ident(&name.replace('"', "\"\"")).to_string()
    }
}
