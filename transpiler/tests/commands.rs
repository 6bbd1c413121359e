//! Kinds, tags and the control plane's own commands.

use pintail_transpiler::{
    CopyFormat, CopySide, CopyTarget, Count, Cursor, Deallocate, Direction, Kind, Leaves, Returns, SecretAction,
    SecretConflict, SecretPersistence, Session, SetScope, SetValue, Statement, Transaction, parse,
};

fn one(sql: &str) -> Statement {
    parse(sql).expect("it parses").statements[0].clone()
}

#[test]
fn statements_are_cut_and_keep_their_bytes() {
    let script = parse(" /* a */ SELECT 1 ; ;SELECT 'é;' -- x\n;é").err();
    assert!(script.is_some(), "a word that begins no statement is a syntax error");
    let script = parse(" /* a */ SELECT 1 ; ;SELECT 'é;' -- x\n;").expect("it parses");
    let texts: Vec<(&str, usize)> = script.statements.iter().map(|s| (s.text.as_str(), s.offset)).collect();
    assert_eq!(texts, [("SELECT 1", 9), ("SELECT 'é;'", 21)]);
    assert!(parse("-- nothing\n;").expect("it parses").statements.is_empty());
}

#[test]
fn tags_and_returns() {
    for (sql, tag, returns) in [
        ("SELECT 1", "SELECT 3", Returns::Rows),
        ("WITH x AS (SELECT 1) SELECT * FROM x", "SELECT 3", Returns::Rows),
        ("VALUES (1)", "SELECT 3", Returns::Rows),
        ("TABLE t", "SELECT 3", Returns::Rows),
        ("INSERT INTO t VALUES (1)", "INSERT 0 3", Returns::Nothing),
        ("INSERT INTO t VALUES (1) RETURNING a", "INSERT 0 3", Returns::Rows),
        (
            "WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x",
            "INSERT 0 3",
            Returns::Nothing,
        ),
        ("UPDATE t SET a = 1", "UPDATE 3", Returns::Nothing),
        ("DELETE FROM t", "DELETE 3", Returns::Nothing),
        ("TRUNCATE t", "TRUNCATE TABLE", Returns::Nothing),
        ("CREATE TABLE t (a int)", "CREATE TABLE", Returns::Nothing),
        ("CREATE TABLE t AS SELECT 1", "SELECT 3", Returns::Nothing),
        ("SELECT 1 INTO t", "SELECT 3", Returns::Nothing),
        ("DROP TABLE t", "DROP TABLE", Returns::Nothing),
        ("ALTER TABLE t ADD COLUMN b int", "ALTER TABLE", Returns::Nothing),
        ("CREATE OR REPLACE VIEW v AS SELECT 1", "CREATE VIEW", Returns::Nothing),
        ("VACUUM ANALYZE t", "VACUUM", Returns::Nothing),
        ("LOCK TABLE t IN SHARE MODE", "LOCK TABLE", Returns::Nothing),
        ("FROM t", "SELECT 3", Returns::Rows),
        ("PIVOT t ON a USING sum(b)", "SELECT 3", Returns::Unknown),
    ] {
        let statement = one(sql);
        assert_eq!(
            (statement.tag.render(3).as_str(), statement.returns),
            (tag, returns),
            "{sql}"
        );
    }
}

#[test]
fn reads_and_writes_are_told_apart() {
    for (sql, kind) in [
        ("SELECT 1", Kind::Read),
        ("WITH x AS (DELETE FROM t RETURNING a) SELECT * FROM x", Kind::Write),
        ("SELECT nextval('s')", Kind::Write),
        ("INSERT INTO t SELECT 1", Kind::Write),
        ("SELECT * INTO u FROM t", Kind::Ddl),
        ("EXPLAIN SELECT 1", Kind::Explain),
        ("CHECKPOINT", Kind::Utility),
    ] {
        assert_eq!(one(sql).kind, kind, "{sql}");
    }
}

#[test]
fn transactions() {
    let begin = one("START TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    let Kind::Transaction(Transaction::Begin { word, modes }) = &begin.kind else {
        panic!("{begin:?}")
    };
    assert_eq!(
        (*word, modes.isolation, modes.read_only),
        ("START TRANSACTION", Some("repeatable read"), Some(true))
    );
    for (sql, expected) in [
        ("END", Transaction::Commit { chain: false }),
        ("ROLLBACK WORK AND CHAIN", Transaction::Rollback { chain: true }),
        (
            "ROLLBACK TO SAVEPOINT \"A b\"",
            Transaction::RollbackTo("A b".to_owned()),
        ),
        ("RELEASE X", Transaction::Release("x".to_owned())),
        ("ABORT", Transaction::Rollback { chain: false }),
        ("PREPARE TRANSACTION 'x'", Transaction::TwoPhase),
    ] {
        assert_eq!(one(sql).kind, Kind::Transaction(expected), "{sql}");
    }
}

#[test]
fn settings() {
    let set = |scope, name: &str, values: &[&str]| Session::Set {
        scope,
        name: name.to_owned(),
        value: SetValue::List(values.iter().map(|&v| v.to_owned()).collect()),
    };
    for (sql, expected) in [
        (
            "SET search_path TO a, \"B\"",
            set(SetScope::Session, "search_path", &["a", "B"]),
        ),
        ("SET LOCAL work_mem = '4MB'", set(SetScope::Local, "work_mem", &["4MB"])),
        ("SET TIME ZONE 'UTC'", set(SetScope::Session, "timezone", &["UTC"])),
        ("SET NAMES 'UTF8'", set(SetScope::Session, "client_encoding", &["UTF8"])),
        (
            "SET extra_float_digits = -1",
            set(SetScope::Session, "extra_float_digits", &["-1"]),
        ),
        ("SET my.setting = on", set(SetScope::Session, "my.setting", &["on"])),
        ("RESET ALL", Session::ResetAll),
        (
            "SHOW TRANSACTION ISOLATION LEVEL",
            Session::Show("transaction_isolation".to_owned()),
        ),
        ("SHOW DateStyle", Session::Show("datestyle".to_owned())),
        ("DISCARD ALL", Session::DiscardAll),
        (
            "SET ROLE NONE",
            Session::SetRole {
                scope: SetScope::Session,
                role: None,
            },
        ),
    ] {
        assert_eq!(one(sql).kind, Kind::Session(expected), "{sql}");
    }
}

#[test]
fn cursors() {
    let declare = one("DECLARE c NO SCROLL CURSOR WITH HOLD FOR SELECT 1");
    let Kind::Cursor(Cursor::Declare {
        hold, scroll, query, ..
    }) = &declare.kind
    else {
        panic!("{declare:?}")
    };
    assert_eq!(
        (*hold, *scroll, query.text.as_str(), query.offset),
        (true, Some(false), "SELECT 1", 41)
    );
    for (sql, expected) in [
        ("FETCH c", Direction::Forward(Count::Rows(1))),
        ("FETCH 100 FROM c", Direction::Forward(Count::Rows(100))),
        ("FETCH FORWARD ALL IN c", Direction::Forward(Count::All)),
        ("FETCH BACKWARD 2 c", Direction::Backward(Count::Rows(2))),
        ("FETCH LAST c", Direction::Absolute(-1)),
        ("FETCH RELATIVE -3 c", Direction::Relative(-3)),
    ] {
        let Kind::Cursor(Cursor::Fetch { name, direction }) = one(sql).kind else {
            panic!("{sql}")
        };
        assert_eq!((name.as_str(), direction), ("c", expected), "{sql}");
    }
    assert_eq!(one("CLOSE ALL").kind, Kind::Cursor(Cursor::Close(None)));
}

#[test]
fn prepared_statements() {
    let prepare = one("PREPARE p (int, text) AS SELECT $1, $2");
    let Kind::Prepare(prepare) = prepare.kind else {
        panic!("{prepare:?}")
    };
    assert_eq!(
        (prepare.types.as_slice(), prepare.statement.text.as_str()),
        (&[23, 25][..], "SELECT $1, $2")
    );
    let Kind::Execute(execute) = one("EXECUTE p(1, 'a''b', NULL, 1 + 1)").kind else {
        panic!()
    };
    let literal = |text: &str| Some(Some(text.to_owned()));
    assert_eq!(execute.literals, [literal("1"), literal("a'b"), Some(None), None]);
    assert_eq!(execute.arguments[3], "1 + 1");
    assert_eq!(one("DEALLOCATE PREPARE ALL").kind, Kind::Deallocate(Deallocate::All));
}

#[test]
fn copies() {
    let Kind::Copy(copy) = one("COPY s.t (a, \"B\") FROM STDIN WITH (FORMAT csv, HEADER, DELIMITER '|')").kind else {
        panic!()
    };
    let CopyTarget::Table {
        name, columns, insert, ..
    } = &copy.target
    else {
        panic!()
    };
    assert_eq!(
        (name.join("."), columns.join(",")),
        ("s.t".to_owned(), "a,B".to_owned())
    );
    assert_eq!(insert, "INSERT INTO \"s\".\"t\" (\"a\", \"B\")");
    assert_eq!((copy.side, copy.options.format), (CopySide::Stdin, CopyFormat::Csv));
    assert_eq!(copy.options.delimiter.as_deref(), Some("|"));
    let Kind::Copy(copy) = one("COPY (SELECT 1) TO STDOUT BINARY").kind else {
        panic!()
    };
    assert_eq!((copy.side, copy.options.format), (CopySide::Stdout, CopyFormat::Binary));
}

#[test]
fn statements_say_which_catalogs_they_need_and_what_they_leave() {
    let needs = |sql: &str, catalogs: &[&str]| assert_eq!(one(sql).catalogs(), catalogs, "{sql}");
    needs(
        "SELECT * FROM a.s.t JOIN B.s.u USING (x) JOIN a.s.v USING (x)",
        &["a", "b"],
    );
    needs("SELECT s.t.x FROM s.t", &[]);
    needs("INSERT INTO a.s.t SELECT * FROM \"B\".s.u", &["a", "B"]);
    needs("DROP SCHEMA a.s", &["a"]);
    needs("SUMMARIZE a.s.t", &["a"]);
    needs("COMMENT ON COLUMN s.t.x IS 'y'", &[]);

    let leaves = |sql: &str, what: Leaves| assert_eq!(one(sql).leaves(), what, "{sql}");
    for sql in [
        "SELECT 1",
        "CREATE TABLE t (a int)",
        "CREATE VIEW v AS SELECT 1",
        "DROP TABLE t",
        "INSERT INTO t VALUES (1)",
        "SET search_path = a",
        "CREATE PERSISTENT SECRET s (TYPE s3, SCOPE 's3://x')",
        "DROP PERSISTENT SECRET s",
    ] {
        leaves(sql, Leaves::Nothing);
    }
    for sql in [
        "CREATE TEMP TABLE t (a int)",
        "CREATE TABLE temp.t (a int)",
        "CREATE TEMP VIEW v AS SELECT 1",
        "SELECT 1 INTO TEMP t",
        "ATTACH ':memory:' AS m",
        "SET VARIABLE x = 1",
        "CREATE MACRO m() AS 1",
        "CREATE SECRET s (TYPE s3, SCOPE 's3://x')",
    ] {
        leaves(sql, Leaves::SessionState);
    }
    assert_eq!(one("ATTACH ':memory:' AS M").attaches().as_deref(), Some("m"));
    assert_eq!(one("SELECT 1").attaches(), None);
}

#[test]
fn secrets_are_told_apart_and_show_no_keys() {
    let sql = "CREATE OR REPLACE PERSISTENT SECRET s (TYPE s3, KEY_ID 'id', SECRET 'hush', SCOPE 's3://x')";
    let statement = one(sql);
    let Kind::Secret(secret) = &statement.kind else {
        panic!("{:?}", statement.kind)
    };
    assert_eq!(secret.action, SecretAction::Create);
    assert_eq!(secret.persistence, SecretPersistence::Persistent);
    assert_eq!(secret.conflict, SecretConflict::Replace);
    assert_eq!(secret.literals, ["id", "hush", "s3://x"]);
    assert!(!format!("{secret:?}").contains("hush"));
}
