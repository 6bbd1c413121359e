//! Names that nobody may use: functions with I/O of their own or that run text as SQL, and the lake's internals.
//!
//! The first layer of the fourth wall. A tree is judged on its names, an opaque statement on its tokens.

use std::ops::ControlFlow;

use sqlparser::ast::{self, Expr, ObjectName, TableFactor, Visit, Visitor};

use super::{build, folded, last_name};
use crate::Error;
use crate::lex::{self, Token};

/// Functions refused by their whole name.
const FUNCTIONS: &[&str] = &[
    "query",
    "query_table",
    "json_execute_serialized_sql",
    "enable_logging",
    "disable_logging",
    "load_aws_credentials",
    "which_secret",
    "duckdb_secrets",
    "getenv",
    "pragma_storage_info",
    "enable_profiling",
    "checkpoint",
    "force_checkpoint",
    "parquet_scan_ducklake",
    "arrow_scan",
    "arrow_scan_dumb",
    "pandas_scan",
    "python_map",
    "import_database",
    "pg_read_file",
    "pg_read_binary_file",
    "pg_ls_dir",
    "lo_import",
    "lo_export",
    "dblink",
    "truncate_duckdb_logs",
    "write_log",
];

/// Functions refused by how their names begin.
const PREFIXES: &[&str] = &[
    "postgres_",
    "sqlite_",
    "mysql_",
    "delta_",
    "iceberg_",
    "ducklake_",
    "pg_clear_cache",
    "aws_",
    "httpfs_",
    "shell_",
    "http_",
];

/// Catalogs and schemas that belong to Pintail and to the lake's own bookkeeping.
const INTERNAL: &str = "__ducklake_metadata_";
const HIDDEN: &str = "__pintail";
/// Variables that carry the session's own values.
const VARIABLES: &str = "pintail_";

/// Refuses a tree that names what nobody may use.
pub(super) fn check(statement: &ast::Statement) -> Result<(), Error> {
    if let Some(error) = commanded(statement) {
        return Err(error);
    }
    let mut visitor = Gate;
    match statement.visit(&mut visitor) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

/// Refuses an opaque statement any of whose words could be such a name.
pub(crate) fn tokens(sql: &str) -> Result<(), Error> {
    let tokens = lex::tokens(sql)?;
    for (i, token) in tokens.iter().enumerate() {
        let Some(name) = token.name() else { continue };
        let called = tokens.get(i + 1).is_some_and(|next| next.is_symbol("("));
        if called && forbidden_function(&name.to_lowercase()) {
            return Err(Error::forbidden(format!("function {name}")));
        }
        hidden(&name)?;
        if name.starts_with(VARIABLES) {
            return Err(Error::forbidden(format!("variable {name}")));
        }
    }
    let first = tokens.first().map(|t| t.text.to_uppercase()).unwrap_or_default();
    match first.as_str() {
        "ATTACH" => attach_tokens(&tokens),
        "DETACH" | "INSTALL" | "LOAD" | "IMPORT" | "EXPORT" | "USE" | "FORCE" | "UPDATE_EXTENSIONS" | "CALL"
        | "PRAGMA" => Err(Error::forbidden(format!("statement {first}"))),
        "CREATE" | "DROP" if tokens.iter().take(5).any(|t| t.is_word("SECRET")) => {
            Err(Error::forbidden("statement CREATE SECRET"))
        }
        _ => Ok(()),
    }
}

fn attach_tokens(tokens: &[Token<'_>]) -> Result<(), Error> {
    let target = tokens.iter().find_map(Token::literal);
    let options = tokens.iter().any(|t| t.is_symbol("("));
    if target.as_deref() == Some(":memory:") && !options {
        return Ok(());
    }
    Err(Error::forbidden("statement ATTACH"))
}

fn forbidden_function(name: &str) -> bool {
    FUNCTIONS.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

fn hidden(name: &str) -> Result<(), Error> {
    let lower = name.to_lowercase();
    if lower.starts_with(INTERNAL) {
        return Err(Error::forbidden(format!("catalog {name}")));
    }
    if lower.starts_with(HIDDEN) {
        return Err(Error::forbidden(format!("schema {name}")));
    }
    Ok(())
}

/// Statements that are refused for what they are.
fn commanded(statement: &ast::Statement) -> Option<Error> {
    use ast::Statement as S;
    let word = match statement {
        S::AttachDuckDBDatabase {
            database_path,
            attach_options,
            ..
        } if database_path.value == ":memory:" && attach_options.is_empty() => return None,
        S::AttachDatabase { database_file_name, .. }
            if build::literal(database_file_name).as_deref() == Some(":memory:") =>
        {
            return None;
        }
        S::AttachDuckDBDatabase { .. } | S::AttachDatabase { .. } => "ATTACH",
        S::DetachDuckDBDatabase { .. } => "DETACH",
        S::Install { .. } => "INSTALL",
        S::Load { .. } => "LOAD",
        S::CreateSecret { .. } => "CREATE SECRET",
        S::DropSecret { .. } => "DROP SECRET",
        S::Pragma { .. } => "PRAGMA",
        S::Use(_) => "USE",
        S::Directory { .. } => "INSERT DIRECTORY",
        _ => return None,
    };
    Some(Error::forbidden(format!("statement {word}")))
}

struct Gate;

impl Gate {
    fn name(name: &ObjectName) -> Result<(), Error> {
        for part in &name.0 {
            if let Some(ident) = part.as_ident() {
                hidden(&ident.value)?;
            }
        }
        Ok(())
    }

    fn function(name: &ObjectName) -> Result<(), Error> {
        Self::name(name)?;
        match last_name(name) {
            Some(last) if forbidden_function(&last.to_lowercase()) => Err(Error::forbidden(format!("function {last}"))),
            _ => Ok(()),
        }
    }
}

fn flow(result: Result<(), Error>) -> ControlFlow<Error> {
    match result {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    }
}

impl Visitor for Gate {
    type Break = Error;

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<Error> {
        flow(Self::name(relation))
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<Error> {
        flow(match factor {
            TableFactor::Table {
                name, args: Some(_), ..
            }
            | TableFactor::Function { name, .. } => Self::function(name),
            _ => Ok(()),
        })
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Error> {
        flow(match expr {
            Expr::Function(function) => Self::function(&function.name),
            Expr::CompoundIdentifier(parts) => parts.iter().try_for_each(|part| hidden(&folded(part))),
            _ => Ok(()),
        })
    }

    fn pre_visit_statement(&mut self, statement: &ast::Statement) -> ControlFlow<Error> {
        flow(match statement {
            ast::Statement::Call(function) => Self::function(&function.name),
            other => commanded(other).map_or(Ok(()), Err),
        })
    }
}
