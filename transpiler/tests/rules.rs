//! Every case file: a statement and what the engine is asked for it.
//!
//! A case is its input, a line `=>`, and its outcome; cases are parted by blank lines. The outcome is one line a step
//! (`aux:` before the auxiliary ones), `notice:` lines, `columns:` for announced types, `parameters:` for those that the
//! text says, `setting:` lines, or `error: code message`.
//! An input may begin with a line `[…]` that says whose it is: a role (`owner`, `writer`, `reader`) and any of
//! `schemas=a,b`, `path=a,b`, `catalogs=a,b`, `own=a,b`, `storage=lake|iceberg|native`, and `lake=a,b`, `iceberg=a,b`, `native=a,b`
//! for what is known of the catalogs.
//! `unchanged` says that the client's bytes go out. `BLESS=1 cargo test` writes the outcomes anew, for review.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use pintail_sqlstate::ToReport;
use pintail_transpiler::{
    Access, Context, Copy, CopySide, CopyTarget, Cursor, Kind, LoginRole, Plan, Role, Statement, Storage, parse,
    rewrite,
};
use sqlparser::dialect::{DuckDbDialect, PostgreSqlDialect};
use sqlparser::parser::Parser;

/// Whose statement a case is.
struct Login {
    role: LoginRole,
    schemas: Option<Vec<String>>,
    path: Vec<String>,
    catalogs: Vec<String>,
    storage: Storage,
    storages: Vec<(String, Storage)>,
    own: Vec<String>,
}

impl Login {
    /// Reads the line in brackets that a case may begin with, and hands back the statement.
    fn of(input: &str) -> (Self, &str) {
        let mut login = Self {
            role: LoginRole::Owner,
            schemas: None,
            path: vec!["$user".to_owned(), "public".to_owned()],
            catalogs: Vec::new(),
            storage: Storage::Lake,
            storages: Vec::new(),
            own: Vec::new(),
        };
        let Some((words, sql)) = input.strip_prefix('[').and_then(|rest| rest.split_once("]\n")) else {
            return (login, input);
        };
        for word in words.split(' ') {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            let list = || value.split(',').map(str::to_owned).collect();
            match key {
                "owner" => login.role = LoginRole::Owner,
                "writer" => login.role = LoginRole::Writer,
                "reader" => login.role = LoginRole::Reader,
                "schemas" => login.schemas = Some(list()),
                "path" => login.path = list(),
                "catalogs" => login.catalogs = list(),
                "own" => login.own = list(),
                "storage" => login.storage = storage(value),
                kind @ ("lake" | "iceberg" | "native") => {
                    let all = value.split(',').map(|name| (name.to_owned(), storage(kind)));
                    login.storages.extend(all);
                }
                other => panic!("a case begins with the unknown word {other}"),
            }
        }
        (login, sql)
    }
}

fn storage(word: &str) -> Storage {
    match word {
        "lake" => Storage::Lake,
        "iceberg" => Storage::Iceberg,
        "native" => Storage::Native,
        other => panic!("{other} is no storage"),
    }
}

fn context(login: &Login) -> Context<'_> {
    Context {
        catalog: "lake",
        storage: login.storage,
        access: Access {
            role: login.role,
            schemas: login.schemas.as_deref(),
        },
        catalogs: &login.catalogs,
        storages: &login.storages,
        own_databases: &login.own,
        user: "ada",
        session_user: "ada",
        search_path: &login.path,
        param_oids: &[23, 25, 0],
        setting: &|name| match name {
            "TimeZone" | "timezone" => Some("UTC".to_owned()),
            "search_path" => Some("\"$user\", public".to_owned()),
            _ => None,
        },
        backend_pid: 7,
        ..Context::default()
    }
}

fn outcome(input: &str) -> String {
    let (login, sql) = Login::of(input);
    let context = context(&login);
    let script = match parse(sql) {
        Ok(script) => script,
        Err(error) => return refused(&error),
    };
    let mut out = String::new();
    for statement in script.statements.iter() {
        match rewrite(inner(statement), &context) {
            Ok(plan) => render(&plan, &mut out),
            Err(error) => out.push_str(&refused(&error)),
        }
    }
    out
}

/// The statement that a command carries, which is the engine's.
fn inner(statement: &Statement) -> &Statement {
    match &statement.kind {
        Kind::Prepare(prepare) => &prepare.statement,
        Kind::Cursor(Cursor::Declare { query, .. })
        | Kind::Copy(Copy {
            target: CopyTarget::Query(query) | CopyTarget::Table { query, .. },
            side: CopySide::Stdout,
            ..
        }) => query,
        _ => statement,
    }
}

fn refused(error: &pintail_transpiler::Error) -> String {
    let report = error.to_report();
    let position = report.position.map(|p| format!(" at {p}")).unwrap_or_default();
    format!("error: {} {}{position}\n", report.sqlstate, report.message)
}

fn render(plan: &Plan, out: &mut String) {
    for step in &plan.steps {
        let prefix = if step.role == Role::Auxiliary { "aux: " } else { "" };
        let sql = if step.unchanged { "unchanged" } else { &step.sql };
        let _ = writeln!(out, "{prefix}{sql}");
    }
    for notice in &plan.notices {
        let _ = writeln!(out, "notice: {notice}");
    }
    if let Some(columns) = &plan.output.columns {
        let all: Vec<String> = columns.iter().map(|c| format!("{} {}", c.name, c.type_oid)).collect();
        let _ = writeln!(out, "columns: {}", all.join(", "));
    }
    if plan.param_oids.iter().any(|oid| *oid != 0) {
        let _ = writeln!(out, "parameters: {:?}", plan.param_oids);
    }
    for change in &plan.settings {
        let _ = writeln!(out, "setting: {change:?}");
    }
    if plan.steps.is_empty() && plan.notices.is_empty() {
        out.push_str("nothing\n");
    }
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the cases are there")
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .collect();
    files.sort();
    files
}

fn cases(text: &str) -> Vec<(String, String)> {
    text.split("\n\n")
        .map(str::trim)
        .filter(|case| !case.is_empty())
        .map(|case| match case.split_once("\n=>\n") {
            Some((input, expected)) => (input.to_owned(), format!("{}\n", expected.trim_end())),
            None => (case.trim_end_matches("\n=>").to_owned(), String::new()),
        })
        .collect()
}

#[test]
fn statements_become_what_the_cases_say() {
    let mut wrong = String::new();
    for file in files() {
        let text = fs::read_to_string(&file).expect("a case file is readable");
        let cases = cases(&text);
        if std::env::var_os("BLESS").is_some() {
            let blessed: Vec<String> = cases
                .iter()
                .map(|(input, _)| format!("{input}\n=>\n{}", outcome(input)))
                .collect();
            fs::write(&file, blessed.join("\n")).expect("a case file is writable");
            continue;
        }
        for (input, expected) in cases {
            let got = outcome(&input);
            if got != expected {
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                let _ = writeln!(wrong, "{name}: {input}\n  expected {expected}  got      {got}");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_attempt_is_refused() {
    let mut let_through = String::new();
    for file in files() {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !name.ends_with("_attempts.txt") {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a case file is readable");
        for (input, _) in cases(&text) {
            let got = outcome(&input);
            if !got.lines().any(|line| line.starts_with("error: ")) {
                let _ = writeln!(let_through, "{name}: {input}\n  {got}");
            }
        }
    }
    assert!(let_through.is_empty(), "{let_through}");
}

#[test]
fn every_output_parses_again() {
    for file in files() {
        let text = fs::read_to_string(&file).expect("a case file is readable");
        for (input, _) in cases(&text) {
            let (login, sql) = Login::of(&input);
            let Ok(script) = parse(sql) else { continue };
            for statement in script.statements.iter() {
                let Ok(plan) = rewrite(inner(statement), &context(&login)) else {
                    continue;
                };
                for step in plan.steps.iter().filter(|step| !step.unchanged) {
                    // The engine's joins by position are in no dialect; their syntax is that of a cross join.
                    let text = step.sql.replace(" POSITIONAL JOIN ", " CROSS JOIN ");
                    let parsed = Parser::parse_sql(&DuckDbDialect, &text);
                    // COMMENT ON and secrets' options are not in that dialect.
                    let known =
                        Parser::parse_sql(&PostgreSqlDialect {}, &step.sql).is_ok() || step.sql.contains(" SECRET ");
                    assert!(parsed.is_ok() || known, "{input}\n{}\n{parsed:?}", step.sql);
                }
            }
        }
    }
}
