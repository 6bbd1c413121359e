//! Whether a login may use a relation, and the relation's name in full.

use sqlparser::ast::{ObjectName, ObjectNamePart};

use super::super::{build, folded};
use crate::plan::Context;
use crate::{Error, LoginRole};

/// What is done with a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Power {
    Read,
    /// Its rows or its definition change, or it is made.
    Write,
}

/// Judges by the login's access and the search path.
pub(super) struct Judge<'a> {
    pub(super) context: &'a Context<'a>,
}

impl Judge<'_> {
    /// Authorises a relation whose name the name rules have been over, and completes the name.
    pub(super) fn resolve(&self, name: &mut ObjectName, power: Power) -> Result<(), Error> {
        let parts: Vec<String> = name
            .0
            .iter()
            .map(|part| part.as_ident().map(folded).ok_or_else(|| denied(name)))
            .collect::<Result<_, _>>()?;
        let words: Vec<&str> = parts.iter().map(String::as_str).collect();
        let (catalog, schema, relation) = match words[..] {
            ["__pintail", schema @ ("pg" | "info"), relation] => return system(schema, relation, power),
            [relation] => (self.context.catalog, self.default_schema()?, relation),
            [schema, relation] => (self.context.catalog, schema.to_owned(), relation),
            [catalog, schema, relation] => (self.catalog(catalog, name)?, schema.to_owned(), relation),
            _ => return Err(denied(name)),
        };
        self.schema(&schema)?;
        super::super::gate::hidden(relation)?;
        if is_file(relation) || (power == Power::Write && self.context.access.role == LoginRole::Reader) {
            return Err(Error::forbidden(format!("table {relation}")));
        }
        *name = build::object(&[catalog, &schema, relation]);
        Ok(())
    }

    /// Authorises a schema in the engine's words.
    fn schema(&self, schema: &str) -> Result<(), Error> {
        super::super::gate::hidden(schema)?;
        let shown = if schema == "main" { "public" } else { schema };
        if self.context.access.sees_schema(shown) {
            return Ok(());
        }
        Err(Error::forbidden(format!("schema {shown}")))
    }

    /// The schema of an unqualified name, in the engine's words: the first of the search path that the login sees.
    fn default_schema(&self) -> Result<String, Error> {
        let mut entries = self
            .context
            .search_path
            .iter()
            .map(|entry| entry.trim_matches('"'))
            .filter(|entry| !entry.is_empty() && *entry != "$user" && !entry.starts_with("pg_"))
            .filter(|entry| *entry != "information_schema")
            .peekable();
        let first = entries.peek().copied().unwrap_or("public");
        let seen = entries.find(|entry| {
            self.context
                .access
                .sees_schema(if *entry == "main" { "public" } else { entry })
        });
        match seen {
            Some("public") => Ok("main".to_owned()),
            Some(schema) => Ok(schema.to_owned()),
            None if first == "public" && self.context.access.sees_schema(first) => Ok("main".to_owned()),
            None => Err(Error::forbidden(format!("schema {first}"))),
        }
    }

    fn catalog<'n>(&self, catalog: &'n str, name: &ObjectName) -> Result<&'n str, Error> {
        if catalog == self.context.catalog || self.context.catalogs.iter().any(|known| known == catalog) {
            return Ok(catalog);
        }
        Err(crate::catalogs::cross_database(&name.to_string()))
    }
}

/// The catalogs' own relations are read by everybody, written by nobody.
fn system(schema: &str, relation: &str, power: Power) -> Result<(), Error> {
    let schema = if schema == "pg" {
        "pg_catalog"
    } else {
        "information_schema"
    };
    if power == Power::Read && pintail_pgcatalog::RELATIONS.contains(&(schema, relation)) {
        return Ok(());
    }
    Err(Error::forbidden(format!("table {relation}")))
}

/// Whether the engine, finding no such relation, would look for a file.
fn is_file(relation: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "parquet", "csv", "tsv", "json", "jsonl", "ndjson", "geojson", "db", "duckdb", "ddb", "arrow", "avro", "xlsx",
        "gz", "zst", "shp", "vortex", "lance",
    ];
    let lower = relation.to_lowercase();
    lower.contains(['/', '\\', ':', '*', '?', '['])
        || ENDINGS
            .iter()
            .any(|ending| lower == *ending || lower.ends_with(&format!(".{ending}")))
}

fn denied(name: &ObjectName) -> Error {
    let last = name.0.last().map(ObjectNamePart::to_string).unwrap_or_default();
    Error::forbidden(format!("table {last}"))
}
