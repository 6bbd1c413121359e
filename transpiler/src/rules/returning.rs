//! `RETURNING` of changes to lake tables, which the engine refuses for them.
//!
//! What an UPDATE or DELETE will change is gathered first, with its new values; the change is made from there, so that nothing
//! is computed twice; and the projection is made of what was gathered. What an INSERT added is read back: it is in files that
//! were not there before.
//!
//! A lake's `rowid` does not name a row: two transactions that insert and update give the same ones. File and place do.

use std::fmt::Write as _;
use std::ops::ControlFlow;

use pintail_sqlstate::SqlState;
use sqlparser::ast::{
    self, Assignment, AssignmentTarget, Delete, Expr, FromTable, Insert, ObjectName, SelectItem, SetExpr, TableFactor,
    TableObject, TableWithJoins, Update, UpdateTableFromKind, Visit, VisitMut, Visitor, VisitorMut,
};

use super::build::ident;
use super::scope::is_aggregate;
use super::{folded, last_name};
use crate::Error;
use crate::lex::{self, TokenKind};
use crate::plan::{Context, Description, Plan, Step, Storage};

/// Where affected rows are gathered, or the files that were there before.
const GATHERED: &str = "temp.\"__pintail_returning\"";
/// Columns of a lake table that name a row's place, and what they are called where they are gathered.
const PLACE: [(&str, &str); 3] = [
    ("filename", "__pintail_file"),
    ("file_row_number", "__pintail_number"),
    ("rowid", "__pintail_row"),
];

/// The plan of a change with RETURNING; `None` where the engine can do it, or where nothing is returned.
pub(crate) fn plan(tree: &ast::Statement, context: &Context<'_>) -> Result<Option<Plan>, Error> {
    let (with, change) = match tree {
        ast::Statement::Query(query) => {
            let with = query.with.as_ref().map(|with| format!("{with} ")).unwrap_or_default();
            match query.body.as_ref() {
                SetExpr::Insert(inner) | SetExpr::Update(inner) | SetExpr::Delete(inner) => (with, inner),
                _ => return Ok(None),
            }
        }
        other => (String::new(), other),
    };
    check(change)?;
    match change {
        ast::Statement::Insert(insert) => self::insert(&with, insert, context),
        ast::Statement::Update(update) => self::update(&with, update, context),
        ast::Statement::Delete(delete) => self::delete(&with, delete, context),
        ast::Statement::Merge(merge) if merge.output.is_some() && is_lake_factor(&merge.table, context) => {
            Err(Error::unsupported("MERGE … RETURNING is not supported for lake tables"))
        }
        _ => Ok(None),
    }
}

/// Refuses what a RETURNING cannot hold, in PostgreSQL or here.
fn check(change: &ast::Statement) -> Result<(), Error> {
    let items = match change {
        ast::Statement::Insert(insert) => &insert.returning,
        ast::Statement::Update(update) => &update.returning,
        ast::Statement::Delete(delete) => &delete.returning,
        _ => return Ok(()),
    };
    let Some(items) = items else { return Ok(()) };
    match items.visit(&mut Refused) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

/// Set-returning functions that are common enough to be known by name.
const SETS: &[&str] = &[
    "generate_series",
    "generate_subscripts",
    "json_array_elements",
    "jsonb_array_elements",
    "jsonb_object_keys",
    "json_object_keys",
    "regexp_matches",
    "regexp_split_to_table",
    "string_to_table",
    "unnest",
];

/// Whether a function is known to return sets.
pub(super) fn is_set(name: &str) -> bool {
    SETS.contains(&name)
}

struct Refused;

impl Visitor for Refused {
    type Break = Error;

    fn pre_visit_query(&mut self, _: &ast::Query) -> ControlFlow<Error> {
        // PostgreSQL's sees the tables as they were before the change; here they have been changed already.
        ControlFlow::Break(Error::unsupported("sub-queries in RETURNING are not supported"))
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Error> {
        let Expr::Function(function) = expr else {
            return ControlFlow::Continue(());
        };
        let name = last_name(&function.name).unwrap_or_default();
        let error = if function.over.is_some() {
            Error::invalid(
                SqlState::WINDOWING_ERROR,
                "window functions are not allowed in RETURNING",
            )
        } else if is_aggregate(function) {
            Error::invalid(
                SqlState::GROUPING_ERROR,
                "aggregate functions are not allowed in RETURNING",
            )
        } else if is_set(&name) {
            Error::unsupported("set-returning functions are not allowed in RETURNING")
        } else {
            return ControlFlow::Continue(());
        };
        ControlFlow::Break(error)
    }
}

fn insert(with: &str, insert: &Insert, context: &Context<'_>) -> Result<Option<Plan>, Error> {
    let (Some(items), TableObject::TableName(table)) = (&insert.returning, &insert.table) else {
        return Ok(None);
    };
    if !is_lake(table, context) {
        return Ok(None);
    }
    let silent = Insert {
        returning: None,
        ..insert.clone()
    };
    let change = format!("{with}{}", ast::Statement::Insert(silent));
    let alias = insert.table_alias.as_ref().map(|alias| folded(&alias.alias));
    let target = Target::new(table, alias);
    let (items, source, alias) = (list(items), target.source(), &target.alias);
    let mut steps = vec![target.guard()];
    let mut added = format!("{alias}.snapshot_id IS NULL");
    if context.in_transaction {
        steps.push(Step::auxiliary(format!(
            "CREATE OR REPLACE TEMP TABLE \"__pintail_returning\" AS SELECT {alias}.filename AS __pintail_file, \
             max({alias}.rowid) AS __pintail_row FROM {source} WHERE {added} GROUP BY 1"
        )));
        let _ = write!(
            added,
            " AND NOT EXISTS (SELECT 1 FROM {GATHERED} AS g WHERE g.__pintail_file IS NOT DISTINCT FROM {alias}.filename \
             AND {alias}.rowid <= g.__pintail_row)"
        );
    }
    steps.push(Step::auxiliary(change.clone()));
    steps.push(Step::main(format!(
        "SELECT {items} FROM {source} WHERE {added} ORDER BY {alias}.rowid"
    )));
    if context.in_transaction {
        steps.push(Step::auxiliary(format!("DROP TABLE {GATHERED}")));
    }
    let columns = format!("SELECT {items} FROM {source} WHERE false");
    Ok(Some(planned(steps, change, columns)))
}

fn update(with: &str, update: &Update, context: &Context<'_>) -> Result<Option<Plan>, Error> {
    let (Some(items), TableFactor::Table { name, alias, .. }) = (&update.returning, &update.table.relation) else {
        return Ok(None);
    };
    if !is_lake(name, context) {
        return Ok(None);
    }
    let target = Target::new(name, alias.as_ref().map(|alias| folded(&alias.name)));
    let from: &[TableWithJoins] = match &update.from {
        Some(UpdateTableFromKind::AfterSet(from) | UpdateTableFromKind::BeforeSet(from)) => from,
        None => &[],
    };
    let assigned = assigned(&update.assignments)?;
    let replaced: Vec<String> = assigned
        .iter()
        .map(|(column, value)| format!("{value} AS {column}"))
        .collect();
    let replaced = replaced.join(", ");
    let gathering = Gathering::new(&target, from, Some(&replaced));
    let sets: Vec<String> = assigned
        .iter()
        .map(|(column, _)| format!("{column} = {GATHERED}.{column}"))
        .collect();
    let silent = Update {
        returning: None,
        ..update.clone()
    };
    let change = format!(
        "UPDATE {} SET {} FROM {GATHERED} WHERE {}",
        target.source(),
        sets.join(", "),
        target.is_gathered()
    );
    let described = format!("{with}{}", ast::Statement::Update(silent));
    Ok(Some(gathering.plan(
        with,
        update.selection.as_ref(),
        &change,
        items,
        described,
    )))
}

fn delete(with: &str, delete: &Delete, context: &Context<'_>) -> Result<Option<Plan>, Error> {
    let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
    let (Some(items), [table]) = (&delete.returning, from.as_slice()) else {
        return Ok(None);
    };
    let TableFactor::Table { name, alias, .. } = &table.relation else {
        return Ok(None);
    };
    if !is_lake(name, context) {
        return Ok(None);
    }
    let target = Target::new(name, alias.as_ref().map(|alias| folded(&alias.name)));
    let gathering = Gathering::new(&target, delete.using.as_deref().unwrap_or_default(), None);
    let silent = Delete {
        returning: None,
        ..delete.clone()
    };
    let change = format!(
        "DELETE FROM {} USING {GATHERED} WHERE {}",
        target.source(),
        target.is_gathered()
    );
    let described = format!("{with}{}", ast::Statement::Delete(silent));
    Ok(Some(gathering.plan(
        with,
        delete.selection.as_ref(),
        &change,
        items,
        described,
    )))
}

/// The table that is changed.
struct Target {
    name: String,
    /// The name by which expressions call it, quoted.
    alias: String,
}

impl Target {
    fn new(name: &ObjectName, alias: Option<String>) -> Self {
        let alias = alias.or_else(|| last_name(name)).unwrap_or_default();
        Self {
            name: name.to_string(),
            alias: ident(&alias).to_string(),
        }
    }

    fn source(&self) -> String {
        format!("{} AS {}", self.name, self.alias)
    }

    /// Whether a row is one of those gathered.
    fn is_gathered(&self) -> String {
        let same = PLACE
            .map(|(column, gathered)| format!("{}.{column} IS NOT DISTINCT FROM {GATHERED}.{gathered}", self.alias));
        same.join(" AND ")
    }

    /// Fails where a column of the table's own hides the place of its rows.
    fn guard(&self) -> Step {
        Step::auxiliary(format!(
            "SELECT CASE WHEN count(*) > 0 THEN error('PINTAIL:0A000:RETURNING is not supported for a table with a column \
             called \"' || any_value(name) || '\"') END FROM pragma_table_info('{}') WHERE name IN ('filename', \
             'file_row_number', 'rowid', 'snapshot_id')",
            self.name.replace('\'', "''")
        ))
    }
}

/// Rows that a change will affect, with the rows joined to them.
struct Gathering<'a> {
    target: &'a Target,
    /// Further relations as written, with a comma before each.
    joined: String,
    /// Their names.
    relations: Vec<String>,
    /// `column AS value` pairs of an UPDATE.
    replaced: Option<&'a str>,
}

impl<'a> Gathering<'a> {
    fn new(target: &'a Target, from: &[TableWithJoins], replaced: Option<&'a str>) -> Self {
        let mut joined = String::new();
        let mut relations = Vec::new();
        for table in from {
            let _ = write!(joined, ", {table}");
            let factors = std::iter::once(&table.relation).chain(table.joins.iter().map(|join| &join.relation));
            relations.extend(factors.filter_map(called));
        }
        Self {
            target,
            joined,
            relations,
            replaced,
        }
    }

    /// The select list that gathers: the row's number, its columns, and each joined row as one value.
    fn columns(&self, replaced: Option<&str>) -> String {
        let alias = &self.target.alias;
        let mut columns = String::new();
        for (column, gathered) in PLACE {
            let _ = write!(columns, "{alias}.{column} AS {gathered}, ");
        }
        let _ = write!(columns, "{alias}.*");
        if let Some(replaced) = replaced {
            let _ = write!(columns, " REPLACE ({replaced})");
        }
        for (index, relation) in self.relations.iter().enumerate() {
            let _ = write!(columns, ", {relation} AS __pintail_joined_{index}");
        }
        columns
    }

    fn plan(
        &self,
        with: &str,
        selection: Option<&Expr>,
        change: &str,
        items: &[SelectItem],
        described: String,
    ) -> Plan {
        let (source, joined) = (self.target.source(), &self.joined);
        let first = if self.relations.is_empty() {
            String::new()
        } else {
            // A row that joins several times is changed once.
            let alias = &self.target.alias;
            format!("DISTINCT ON ({alias}.filename, {alias}.file_row_number, {alias}.rowid) ")
        };
        let condition = selection
            .map(|condition| format!(" WHERE {condition}"))
            .unwrap_or_default();
        let items = list(items);
        let steps = vec![
            self.target.guard(),
            Step::auxiliary(format!(
                "CREATE OR REPLACE TEMP TABLE \"__pintail_returning\" AS {with}SELECT {} FROM {source}{joined} LIMIT 0",
                self.columns(None)
            )),
            Step::auxiliary(format!(
                "INSERT INTO {GATHERED} BY NAME {with}SELECT {first}{} FROM {source}{joined}{condition}",
                self.columns(self.replaced)
            )),
            Step::auxiliary(change.to_owned()),
            Step::main(format!("SELECT {items} FROM {}", self.gathered())),
            Step::auxiliary(format!("DROP TABLE {GATHERED}")),
        ];
        let columns = format!("{with}SELECT {items} FROM {source}{joined} WHERE false");
        planned(steps, described, columns)
    }

    /// What was gathered, as the relations that it came from.
    fn gathered(&self) -> String {
        let mut hidden = PLACE.map(|(_, gathered)| gathered).join(", ");
        let mut others = String::new();
        for (index, relation) in self.relations.iter().enumerate() {
            let _ = write!(hidden, ", __pintail_joined_{index}");
            let _ = write!(
                others,
                " POSITIONAL JOIN (SELECT unnest(__pintail_joined_{index}) FROM {GATHERED}) AS {relation}"
            );
        }
        format!(
            "(SELECT * EXCLUDE ({hidden}) FROM {GATHERED}) AS {}{others}",
            self.target.alias
        )
    }
}

/// The columns and values of SET.
fn assigned(assignments: &[Assignment]) -> Result<Vec<(String, String)>, Error> {
    let mut pairs = Vec::new();
    for Assignment { target, value } in assignments {
        match (target, value) {
            (AssignmentTarget::ColumnName(column), value) => pairs.push((column, value)),
            (AssignmentTarget::Tuple(columns), Expr::Tuple(values)) if columns.len() == values.len() => {
                pairs.extend(columns.iter().zip(values));
            }
            (AssignmentTarget::Tuple(_), _) => {
                return Err(Error::unsupported(
                    "UPDATE … SET (columns) = (query) … RETURNING is not supported for lake tables",
                ));
            }
        }
    }
    pairs
        .into_iter()
        .map(|(column, value)| {
            if matches!(value, Expr::Identifier(word) if word.quote_style.is_none() && word.value.eq_ignore_ascii_case("default"))
            {
                return Err(Error::unsupported(
                    "UPDATE … SET column = DEFAULT … RETURNING is not supported for lake tables",
                ));
            }
            let column = last_name(column)
                .ok_or_else(|| Error::invalid(SqlState::SYNTAX_ERROR, "the target of SET is not a column"))?;
            Ok((ident(&column).to_string(), value.to_string()))
        })
        .collect()
}

/// The name by which expressions call a relation, quoted.
fn called(factor: &TableFactor) -> Option<String> {
    let (name, alias) = match factor {
        TableFactor::Table { name, alias, .. } => (last_name(name), alias),
        TableFactor::Derived { alias, .. } | TableFactor::TableFunction { alias, .. } => (None, alias),
        TableFactor::Function { name, alias, .. } => (last_name(name), alias),
        TableFactor::UNNEST { alias, .. } | TableFactor::NestedJoin { alias, .. } => (None, alias),
        _ => return None,
    };
    let alias = alias.as_ref().map(|alias| folded(&alias.name)).or(name)?;
    Some(ident(&alias).to_string())
}

fn is_lake_factor(factor: &TableFactor, context: &Context<'_>) -> bool {
    matches!(factor, TableFactor::Table { name, .. } if is_lake(name, context))
}

/// Whether a name is a lake table's.
fn is_lake(name: &ObjectName, context: &Context<'_>) -> bool {
    let parts: Vec<_> = name.0.iter().filter_map(ast::ObjectNamePart::as_ident).collect();
    match parts.as_slice() {
        [schema, _] if matches!(folded(schema).as_str(), "temp" | "pg_temp") => false,
        [name] if context.temporary.contains(&folded(name)) => false,
        [catalog, _, _] => context.storage_of(&folded(catalog)) == Some(Storage::Lake),
        _ => context.storage == Storage::Lake,
    }
}

/// The items as text; a relation is called by the last part of its name only, which is what it is called where they stand.
fn list(items: &[SelectItem]) -> String {
    let mut items = items.to_vec();
    let _ = VisitMut::visit(&mut items, &mut Shortened);
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

struct Shortened;

impl VisitorMut for Shortened {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::CompoundIdentifier(parts) = expr
            && parts.len() > 2
        {
            parts.drain(..parts.len() - 2);
        }
        ControlFlow::Continue(())
    }
}

fn planned(steps: Vec<Step>, parameters: String, columns: String) -> Plan {
    Plan {
        steps: steps.into_iter().map(numbered).collect(),
        description: Some(Description { parameters, columns }),
        ..Plan::nothing(Vec::new())
    }
}

/// A step whose parameters count from 1 without a gap: the engine binds no others.
fn numbered(mut step: Step) -> Step {
    let Ok(tokens) = lex::tokens(&step.sql) else {
        return step;
    };
    let (mut text, mut copied, mut used) = (String::new(), 0, Vec::new());
    for token in tokens.iter().filter(|token| token.kind == TokenKind::Parameter) {
        let Ok(number) = token.text[1..].parse::<usize>() else {
            continue;
        };
        let place = used.iter().position(|known| *known == number).unwrap_or_else(|| {
            used.push(number);
            used.len() - 1
        });
        let _ = write!(text, "{}${}", &step.sql[copied..token.start], place + 1);
        copied = token.end();
    }
    text.push_str(&step.sql[copied..]);
    step.sql = text;
    step.params = Some(used);
    step
}
