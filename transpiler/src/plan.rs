//! What the engine is asked for a statement.

use sqlparser::ast;

use crate::catalogs;
use crate::command::CopyTarget;
use crate::rules;
use crate::script::Tree;
use crate::{Access, Error, Kind, Statement};

/// A notice for the client, sent before the statement's completion.
pub type Notice = pintail_sqlstate::Report;

/// What the session knows and a rule may need.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The attached default catalog's name: `current_database()`.
    pub catalog: &'a str,
    /// What the catalog is, as far as its tables' powers go.
    pub storage: Storage,
    /// `current_user`.
    pub user: &'a str,
    /// `session_user`.
    pub session_user: &'a str,
    /// The search path's entries in PostgreSQL's words (`"$user"`, `public`), in order.
    pub search_path: &'a [String],
    /// Whether a transaction is open, so that rows may have been added in it.
    pub in_transaction: bool,
    /// Temporary tables of the session: a name of one part means them first.
    pub temporary: &'a [String],
    /// Parameter types that the client declared, by position; 0 where it left them open.
    pub param_oids: &'a [u32],
    /// A setting's present value; `None` where there is no such setting.
    pub setting: &'a dyn Fn(&str) -> Option<String>,
    /// `pg_backend_pid()`.
    pub backend_pid: i32,
    /// The client's address, `None` for a Unix socket.
    pub client_address: Option<&'a str>,
    /// What the login may do.
    pub access: Access<'a>,
    /// Attached databases that names of three parts may use; `catalog` needs no entry.
    pub catalogs: &'a [String],
    /// Those of them that the session attached itself, in memory.
    pub own_databases: &'a [String],
    /// What those databases are. Of one that is not listed nothing is known, and what depends on it is refused.
    pub storages: &'a [(String, Storage)],
}

impl Context<'_> {
    /// What an attached database's tables can do; `None` where nobody says.
    pub(crate) fn storage_of(&self, catalog: &str) -> Option<Storage> {
        if catalog == self.catalog {
            return Some(self.storage);
        }
        let listed = self.storages.iter().find(|(name, _)| name == catalog);
        let own = || catalogs::is_own(catalog).then_some(Storage::Native);
        listed.map(|(_, storage)| *storage).or_else(own)
    }
}

impl Default for Context<'_> {
    fn default() -> Self {
        Self {
            catalog: "memory",
            storage: Storage::Lake,
            user: "postgres",
            session_user: "postgres",
            search_path: &[],
            in_transaction: false,
            temporary: &[],
            param_oids: &[],
            setting: &|_| None,
            backend_pid: 0,
            client_address: None,
            access: Access::default(),
            catalogs: &[],
            own_databases: &[],
            storages: &[],
        }
    }
}

/// What a catalog's tables can do by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// `DuckLake`: no keys, no checks, no indexes; they are recorded.
    Lake,
    /// Iceberg: no keys, no checks, no indexes, and nowhere to record them: they are refused.
    Iceberg,
    /// DuckDB's own tables, in memory or in a file: keys, checks and indexes are real.
    Native,
}

/// The engine's part of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// In order, atomically; empty where the engine has no part.
    pub steps: Vec<Step>,
    /// For the client.
    pub notices: Vec<Notice>,
    /// What is known of its rows.
    pub output: Output,
    /// Types of parameters by position as the text itself says them (`$1::oid[]`), 0 where it does not.
    pub param_oids: Vec<u32>,
    /// The first parameter's number that the text skips, so that nothing tells its type.
    pub skipped_param: Option<usize>,
    /// What `set_config` calls change, for the session to apply when the main step has run.
    pub settings: Vec<SettingChange>,
    /// How a statement of several steps is described without running it; `None` where its one step tells.
    pub description: Option<Description>,
}

/// What the row description must say that the engine does not know.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Output {
    /// Where the engine would say otherwise, one entry a column; `None` where its description is right. The encoder of
    /// values must follow an announced type: the engine's types under these are VARCHAR (for names, `varchar`, `jsonb` and
    /// the like) and BIGINT (for OIDs).
    pub columns: Option<Vec<Column>>,
    /// Where the columns come from; `None` where that cannot be told.
    pub origins: Option<Origins>,
}

/// Where output columns come from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origins {
    /// The tables that `columns` count from 0.
    pub tables: Vec<Table>,
    /// In the order of output.
    pub columns: Vec<Origin>,
}

/// A table, a view or a relation of the catalogs, by the engine's names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Where it is looked for, in order.
    pub places: Vec<Place>,
    /// Its name there.
    pub name: String,
}

/// A schema of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The attached database.
    pub database: String,
    /// The schema in it.
    pub schema: String,
}

/// Where an output column comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The column of that name of the first of those tables that has one.
    Column {
        /// The tables' numbers.
        tables: Vec<usize>,
        /// The column's name.
        name: String,
    },
    /// As many output columns as the table has, and those.
    All(usize),
    /// An expression.
    Computed {
        /// Its type's modifier (`atttypmod`), where it has one.
        modifier: Option<i32>,
    },
}

/// Texts that are prepared, and never run, to describe a statement of several steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// Its parameters, all but those that only `columns` has.
    pub parameters: String,
    /// Its result's columns.
    pub columns: String,
}

/// A call of `set_config`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingChange {
    /// The setting.
    pub name: SettingText,
    /// Its new value; NULL goes back to the value of the session's start.
    pub value: SettingText,
    /// Whether it ends with the transaction.
    pub local: bool,
}

/// An argument of `set_config`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingText {
    /// As written.
    Literal(String),
    /// A parameter, counted from 1.
    Parameter(usize),
    /// NULL.
    Null,
}

/// A result column as PostgreSQL describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type, 0 for the engine's.
    pub type_oid: u32,
}

/// One statement for the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// DuckDB's SQL, with `$n` as the client wrote them.
    pub sql: String,
    /// Whether its rows or count are the client's.
    pub role: Role,
    /// The client's own bytes.
    pub unchanged: bool,
    /// Which of the statement's parameters, from 1, its own ones stand for, in order; `None` where they are the same.
    pub params: Option<Vec<usize>>,
}

impl Step {
    /// One whose rows and count are the client's.
    pub(crate) fn main(sql: String) -> Self {
        Self {
            sql,
            role: Role::Main,
            unchanged: false,
            params: None,
        }
    }

    /// One that is run for its effect.
    pub(crate) fn auxiliary(sql: String) -> Self {
        Self {
            role: Role::Auxiliary,
            ..Self::main(sql)
        }
    }
}

/// A step's part in a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Its rows and count go to the client.
    Main,
    /// Run for its effect.
    Auxiliary,
}

impl Plan {
    /// No step at all.
    pub(crate) fn nothing(notices: Vec<Notice>) -> Self {
        Self {
            steps: Vec::new(),
            notices,
            output: Output::default(),
            param_oids: Vec::new(),
            skipped_param: None,
            settings: Vec::new(),
            description: None,
        }
    }

    /// One main step.
    pub(crate) fn single(sql: String, unchanged: bool) -> Self {
        Self {
            steps: vec![Step {
                unchanged,
                ..Step::main(sql)
            }],
            ..Self::nothing(Vec::new())
        }
    }
}

/// Makes `statement` fit for the engine.
///
/// A statement that no rule changes comes back byte for byte. A command of the control plane's own has no steps, but for
/// the engine's part of `CREATE SECRET` and `DROP SECRET`.
pub fn rewrite(statement: &Statement, context: &Context<'_>) -> Result<Plan, Error> {
    if let Some(error) = &statement.forbidden {
        return Err(error.clone());
    }
    catalogs::check(&statement.named, context)?;
    rules::check_search_path(context.search_path.iter().map(String::as_str))?;
    match &statement.tree {
        Tree::Command => match &statement.kind {
            Kind::Copy(copy) => rules::authorise_copy(copy, context).map(|()| Plan::nothing(Vec::new())),
            Kind::Secret(_) if context.access.is_restricted() => Err(Error::forbidden("secrets")),
            Kind::Secret(secret) => Ok(Plan::single(secret.engine_sql.clone(), false)),
            _ => Ok(Plan::nothing(Vec::new())),
        },
        Tree::Opaque if context.access.is_restricted() => {
            let word = statement.text.split_whitespace().next().unwrap_or_default();
            Err(Error::forbidden(format!("statement {}", word.to_uppercase())))
        }
        Tree::Opaque => {
            rules::made_of_tokens(&statement.text, context).map(|()| Plan::single(statement.text.clone(), true))
        }
        Tree::DuckDb(tree) => {
            let mut rewritten: ast::Statement = (**tree).clone();
            rules::apply_duckdb(&mut rewritten, context)?;
            Ok(finish(statement, tree, &rewritten, context))
        }
        Tree::Postgres(tree) => {
            let mut rewritten: ast::Statement = (**tree).clone();
            let found = rules::apply(&mut rewritten, context)?;
            if let Some(plan) = rules::returning(&rewritten, context)? {
                return Ok(Plan {
                    output: found.output,
                    param_oids: found.param_oids,
                    skipped_param: found.skipped_param,
                    settings: found.settings,
                    ..plan
                });
            }
            if let Some(plan) = rules::plan(statement, &mut rewritten, context)? {
                return Ok(plan);
            }
            let mut plan = finish(statement, tree, &rewritten, context);
            plan.output = found.output;
            plan.param_oids = found.param_oids;
            plan.skipped_param = found.skipped_param;
            plan.settings = found.settings;
            Ok(plan)
        }
    }
}

/// The table that a `COPY … FROM` writes to, as the engine finds it: one to three parts, unquoted.
pub fn copy_target(statement: &Statement, context: &Context<'_>) -> Result<Vec<String>, Error> {
    rewrite(statement, context)?;
    let Kind::Copy(copy) = &statement.kind else {
        return Ok(Vec::new());
    };
    if let CopyTarget::Table { query, .. } = &copy.target {
        catalogs::check(&query.named, context)?;
    }
    rules::copy_target(copy, context)
}

/// The step of a tree. A restricted login's is always printed from the tree that was authorised.
fn finish(statement: &Statement, before: &ast::Statement, after: &ast::Statement, context: &Context<'_>) -> Plan {
    if before == after && !context.access.is_restricted() {
        return Plan::single(statement.text.clone(), true);
    }
    Plan::single(after.to_string(), false)
}
