//! Schemas: PostgreSQL's `public` is DuckDB's `main`; the system catalogs live in a database of their own.
//!
//! An Iceberg catalog has a namespace `public`, for which the engine's `main` stands too where it names a relation; where a
//! schema itself is made or dropped its name stays ([`schemas`]).

mod schemas;

pub(crate) use schemas::of_tokens as made_of_tokens;

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{
    self, CommentObject, Expr, Function, Ident, ObjectName, ObjectNamePart, ObjectType, Query, TableAlias, TableFactor,
    VisitMut, VisitorMut,
};

use super::{build, folded};
use crate::Error;
use crate::plan::Context;
use crate::session::is_own_schema;

/// Where the catalogs are installed.
const INSTALLED: &str = "__pintail";

/// Puts every name where DuckDB finds it.
pub(super) fn apply(statement: &mut ast::Statement, context: &Context<'_>) -> Result<(), Error> {
    let mut names = Names::of(context);
    let _ = statement.visit(&mut Collect(&mut names.hidden));
    let _ = statement.visit(&mut names);
    own_names(statement, &names);
    schemas::apply(statement, context)?;
    names.schemas(statement);
    Ok(())
}

/// Puts one name of the user's own where the engine finds it.
pub(super) fn place(name: &mut ObjectName, context: &Context<'_>) {
    Names::of(context).user(name);
}

/// Names that the tree holds outside the visitor's sight.
fn own_names(statement: &mut ast::Statement, names: &Names<'_>) {
    use ast::Statement as S;
    match statement {
        S::Drop {
            object_type: ObjectType::Schema,
            ..
        } => {}
        S::Drop { names: dropped, .. } => dropped.iter_mut().for_each(|name| names.user(name)),
        S::Comment {
            object_type: CommentObject::Column,
            object_name,
            ..
        } => {
            // A column's name is its table's and one part more.
            if let Some(column) = object_name.0.pop() {
                names.user(object_name);
                object_name.0.push(column);
            }
        }
        S::Comment { object_name, .. } => names.user(object_name),
        S::CreateIndex(index) => names.user(&mut index.table_name),
        S::Insert(insert) => {
            if let ast::TableObject::TableName(name) = &mut insert.table {
                names.user(name);
            }
        }
        S::Truncate(truncate) => truncate
            .table_names
            .iter_mut()
            .for_each(|target| names.user(&mut target.name)),
        S::CreateFunction(create) => names.user(&mut create.name),
        S::AlterTable(alter) => {
            for operation in &mut alter.operations {
                if let ast::AlterTableOperation::RenameTable {
                    table_name: ast::RenameTableNameKind::To(name) | ast::RenameTableNameKind::As(name),
                } = operation
                {
                    // DuckDB renames within the schema and takes the bare name.
                    let bare = name.0.split_off(name.0.len().saturating_sub(1));
                    name.0 = bare;
                }
            }
        }
        _ => {}
    }
}

/// Collects the names of WITH queries, which hide catalog relations.
struct Collect<'a>(&'a mut HashSet<String>);

impl VisitorMut for Collect<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        if let Some(with) = &query.with {
            self.0.extend(with.cte_tables.iter().map(|cte| folded(&cte.alias.name)));
        }
        ControlFlow::Continue(())
    }
}

struct Names<'a> {
    catalog: &'a str,
    catalogs: &'a [String],
    own: &'a [String],
    hidden: HashSet<String>,
    /// The search path has none of the catalog's schemas, so that the engine would look for `a.b` elsewhere.
    is_homeless: bool,
}

impl<'a> Names<'a> {
    fn of(context: &Context<'a>) -> Self {
        Self {
            catalog: context.catalog,
            catalogs: context.catalogs,
            own: context.own_databases,
            hidden: HashSet::new(),
            is_homeless: !context.search_path.iter().any(|entry| is_own_schema(entry)),
        }
    }

    /// A relation that is read or written.
    fn relation(&self, name: &mut ObjectName) {
        let Some(parts) = idents(name) else { return };
        let folded: Vec<String> = parts.iter().map(|ident| folded(ident)).collect();
        let words: Vec<&str> = folded.iter().map(String::as_str).collect();
        match words[..] {
            [one] if pg_relation(one) && !self.hidden.contains(one) => *name = installed("pg", one),
            ["pg_catalog", one] => *name = installed("pg", one),
            ["information_schema", one] => *name = installed("info", one),
            [catalog, "pg_catalog", one] if catalog == self.catalog => *name = installed("pg", one),
            [catalog, "information_schema", one] if catalog == self.catalog => *name = installed("info", one),
            _ => self.user(name),
        }
    }

    fn user(&self, name: &mut ObjectName) {
        user(name);
        if let [ObjectNamePart::Identifier(schema), _] = name.0.as_slice()
            && (self.is_catalogs(schema) || self.is_homeless && !self.is_elsewhere(schema))
        {
            self.qualify(name);
        }
    }

    /// Whether what looks like a schema is the engine's, or a database that the session attached.
    fn is_elsewhere(&self, schema: &Ident) -> bool {
        let schema = folded(schema);
        self.own.contains(&schema) || matches!(schema.as_str(), "temp" | "memory" | "system" | "__pintail")
    }

    /// Whether a schema is called like a catalog, which the engine would take it for: in PostgreSQL the first of two parts
    /// is always a schema. A database that the session attached itself is meant by its name.
    fn is_catalogs(&self, schema: &Ident) -> bool {
        let schema = folded(schema);
        let among = |names: &[String]| names.contains(&schema);
        schema == self.catalog || (among(self.catalogs) && !among(self.own))
    }

    fn qualify(&self, name: &mut ObjectName) {
        name.0.insert(0, ObjectNamePart::Identifier(build::ident(self.catalog)));
    }

    /// Schemas that are made or dropped under a catalog's name.
    fn schemas(&self, statement: &mut ast::Statement) {
        use ast::{SchemaName, Statement as S};
        let named: &mut [ObjectName] = match statement {
            S::CreateSchema {
                schema_name: SchemaName::Simple(name) | SchemaName::NamedAuthorization(name, _),
                ..
            } => std::slice::from_mut(name),
            S::Drop {
                object_type: ObjectType::Schema,
                names,
                ..
            } => names,
            _ => return,
        };
        for name in named {
            if let [ObjectNamePart::Identifier(schema)] = name.0.as_slice()
                && self.is_catalogs(schema)
            {
                self.qualify(name);
            }
        }
    }

    /// A function: the system's need no schema, `public` is `main`.
    fn function(&self, name: &mut ObjectName) {
        let Some(parts) = idents(name) else { return };
        let first = folded(parts[0]);
        if parts.len() == 2 && matches!(first.as_str(), "pg_catalog" | "information_schema" | "public") {
            name.0.remove(0);
        } else if parts.len() == 3 && first == self.catalog {
            name.0.remove(0);
            self.function(name);
        }
    }

    fn column(&self, parts: &mut Vec<Ident>) {
        if parts.len() >= 4 && folded(&parts[0]) == self.catalog {
            parts.remove(0);
        }
        if parts.len() < 3 {
            return;
        }
        match folded(&parts[0]).as_str() {
            "pg_catalog" | "information_schema" => {
                parts.remove(0);
            }
            "public" => public_to_main(&mut parts[0]),
            _ => {}
        }
    }
}

/// Puts a relation or object of the user's own where the engine finds it.
pub(super) fn user(name: &mut ObjectName) {
    let count = name.0.len();
    if count < 2 {
        return;
    }
    if let Some(ObjectNamePart::Identifier(schema)) = name.0.get_mut(count - 2) {
        public_to_main(schema);
        if count == 2 && folded(schema) == "pg_temp" {
            *schema = Ident::new("temp");
        }
    }
}

fn public_to_main(schema: &mut Ident) {
    if folded(schema) == "public" {
        *schema = Ident::new("main");
    }
}

fn installed(schema: &str, name: &str) -> ObjectName {
    ObjectName(vec![
        ObjectNamePart::Identifier(Ident::new(INSTALLED)),
        ObjectNamePart::Identifier(Ident::new(schema)),
        ObjectNamePart::Identifier(build::ident(name)),
    ])
}

fn idents(name: &ObjectName) -> Option<Vec<&Ident>> {
    name.0.iter().map(ObjectNamePart::as_ident).collect()
}

/// Whether PostgreSQL's search path finds a relation of that name in `pg_catalog`, before any schema of the user's.
pub(super) fn pg_relation(name: &str) -> bool {
    name.starts_with("pg_") && pintail_pgcatalog::RELATIONS.contains(&("pg_catalog", name))
}

impl VisitorMut for Names<'_> {
    type Break = ();

    fn pre_visit_relation(&mut self, relation: &mut ObjectName) -> ControlFlow<()> {
        self.relation(relation);
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        match factor {
            TableFactor::Table {
                name, args: Some(_), ..
            }
            | TableFactor::Function { name, .. } => self.function(name),
            TableFactor::Table {
                name,
                alias: alias @ None,
                ..
            } => {
                // A table of another catalog's schema keeps its own name as the alias.
                let _ = (name, alias as &mut Option<TableAlias>);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        match expr {
            Expr::Function(Function { name, .. }) => self.function(name),
            Expr::CompoundIdentifier(parts) => self.column(parts),
            Expr::Collate { expr: inner, collation } if binary_collation(collation) => {
                *expr = (**inner).clone();
                // The operand takes its place, so its own names are seen to here.
                return self.pre_visit_expr(expr);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// Collations that compare bytes, as DuckDB does without any.
fn binary_collation(collation: &ObjectName) -> bool {
    let name = super::last_name(collation).unwrap_or_default();
    matches!(
        name.as_str(),
        "default" | "C" | "POSIX" | "c" | "posix" | "ucs_basic" | "C.UTF-8"
    )
}
