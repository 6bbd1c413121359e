//! `COPY`'s options: PostgreSQL 15's answers to the same statements.

use pintail_sqlstate::ToReport;
use pintail_transpiler::{CopyFormat, CopyOptions, ForceColumns, Kind, parse};

/// `ok`, or the error.
fn outcome(sql: &str) -> String {
    match parse(sql) {
        Ok(_) => "ok".to_owned(),
        Err(error) => {
            let report = error.to_report();
            format!("{}: {}", report.sqlstate, report.message)
        }
    }
}

fn options(with: &str) -> CopyOptions {
    let script = parse(&format!("COPY t TO STDOUT {with}")).expect("it parses");
    match &script.statements[0].kind {
        Kind::Copy(copy) => copy.options.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn options_are_held_to_postgresqls_rules() {
    for (with, expected) in BOTH {
        assert_eq!(
            outcome(&format!("COPY t FROM STDIN WITH {with}")),
            *expected,
            "FROM {with}"
        );
        assert_eq!(
            outcome(&format!("COPY t TO STDOUT WITH {with}")),
            *expected,
            "TO {with}"
        );
    }
}

/// Options, and what is said of them in both directions.
const BOTH: &[(&str, &str)] = &[
    (
        "(format binary, delimiter ',')",
        "42601: cannot specify DELIMITER in BINARY mode",
    ),
    ("binary delimiter ','", "42601: cannot specify DELIMITER in BINARY mode"),
    ("(format binary, null 'x')", "42601: cannot specify NULL in BINARY mode"),
    ("(format binary, header)", "0A000: cannot specify HEADER in BINARY mode"),
    ("(format csv, format csv)", "42601: conflicting or redundant options"),
    ("(header, header)", "42601: conflicting or redundant options"),
    ("csv csv", "42601: conflicting or redundant options"),
    ("delimiter ',' delimiter ','", "42601: conflicting or redundant options"),
    (
        "(delimiter 'ab')",
        "0A000: COPY delimiter must be a single one-byte character",
    ),
    (
        "(delimiter '')",
        "0A000: COPY delimiter must be a single one-byte character",
    ),
    (
        "(format csv, delimiter 'é')",
        "0A000: COPY delimiter must be a single one-byte character",
    ),
    (
        "(delimiter E'\\n')",
        "22023: COPY delimiter cannot be newline or carriage return",
    ),
    ("(delimiter 'a')", "22023: COPY delimiter cannot be \"a\""),
    ("(delimiter '\\')", "22023: COPY delimiter cannot be \"\\\""),
    ("(delimiter 'A')", "ok"),
    ("(delimiter E'\\t')", "ok"),
    (
        "(null E'a\\nb')",
        "22023: COPY null representation cannot use newline or carriage return",
    ),
    ("(quote '\"')", "0A000: COPY quote available only in CSV mode"),
    (
        "(format csv, quote 'ab')",
        "0A000: COPY quote must be a single one-byte character",
    ),
    (
        "(format csv, quote '')",
        "0A000: COPY quote must be a single one-byte character",
    ),
    (
        "(format csv, quote ',')",
        "22023: COPY delimiter and quote must be different",
    ),
    ("(escape '\"')", "0A000: COPY escape available only in CSV mode"),
    (
        "(format csv, escape 'ab')",
        "0A000: COPY escape must be a single one-byte character",
    ),
    ("(force_quote *)", "0A000: COPY force quote available only in CSV mode"),
    (
        "(force_not_null (a))",
        "0A000: COPY force not null available only in CSV mode",
    ),
    ("(force_null (a))", "0A000: COPY force null available only in CSV mode"),
    (
        "(format csv, force_null *)",
        "22023: argument to option \"force_null\" must be a list of column names",
    ),
    (
        "(format csv, force_quote a)",
        "22023: argument to option \"force_quote\" must be a list of column names",
    ),
    (
        "(delimiter ',', null 'a,b')",
        "0A000: COPY delimiter must not appear in the NULL specification",
    ),
    (
        "(format csv, null 'a\"b')",
        "0A000: CSV quote character must not appear in the NULL specification",
    ),
    (
        "(format csv, header maybe)",
        "42601: header requires a Boolean value or \"match\"",
    ),
    ("(header 2)", "42601: header requires a Boolean value or \"match\""),
    ("(header 1)", "ok"),
    ("(encoding 'utf8')", "ok"),
    ("encoding 'UTF-8'", "ok"),
    ("(nope 1)", "42601: option \"nope\" not recognized"),
    ("(default 'x')", "42601: option \"default\" not recognized"),
    ("(format)", "42601: format requires a parameter"),
    ("(delimiter)", "42601: delimiter requires a parameter"),
    ("()", "42601: syntax error at or near \")\""),
    ("oids", "42601: syntax error at or near \"oids\""),
    ("(freeze false)", "ok"),
    ("csv header delimiter as '|' null as 'x' quote '''' escape '\\'", "ok"),
];

#[test]
fn some_options_are_for_one_direction() {
    let sides = [
        (
            "(format csv, force_quote *)",
            "0A000: COPY force quote only available using COPY TO",
            "ok",
        ),
        (
            "csv force quote a, b",
            "0A000: COPY force quote only available using COPY TO",
            "ok",
        ),
        (
            "csv force not null a",
            "ok",
            "0A000: COPY force not null only available using COPY FROM",
        ),
        (
            "(format csv, force_null (a))",
            "ok",
            "0A000: COPY force null only available using COPY FROM",
        ),
        (
            "(header match)",
            "ok",
            "0A000: cannot use \"match\" with HEADER in COPY TO",
        ),
    ];
    for (with, from, to) in sides {
        assert_eq!(outcome(&format!("COPY t FROM STDIN {with}")), from, "FROM {with}");
        assert_eq!(outcome(&format!("COPY t TO STDOUT {with}")), to, "TO {with}");
    }
}

#[test]
fn statements_are_held_to_postgresqls_rules() {
    for (sql, expected) in [
        ("COPY (INSERT INTO t VALUES (1) RETURNING a) TO STDOUT", "ok"),
        (
            "COPY (DELETE FROM t) TO STDOUT",
            "0A000: COPY query must have a RETURNING clause",
        ),
        ("COPY (SELECT 1) FROM STDIN", "42601: syntax error at or near \"FROM\""),
        (
            "COPY t TO STDOUT WHERE a > 1",
            "42601: WHERE clause not allowed with COPY TO",
        ),
        ("COPY t TO STDOUT USING DELIMITERS '|'", "ok"),
        ("COPY BINARY t TO STDOUT", "ok"),
        ("COPY BINARY t TO STDOUT CSV", "42601: conflicting or redundant options"),
        ("COPY t TO STDOUT (FORMAT parquet, COMPRESSION zstd)", "ok"),
        ("COPY t TO STDOUT (COMPRESSION zstd, FORMAT parquet)", "ok"),
        (
            "COPY t TO STDOUT (FORMAT arrow, HEADER)",
            "0A000: COPY format \"arrow\" takes none of the options of text and CSV",
        ),
        (
            "COPY t TO STDOUT (ENCODING 'latin1')",
            "0A000: COPY in encoding \"latin1\" is not supported",
        ),
    ] {
        assert_eq!(outcome(sql), expected, "{sql}");
    }
}

#[test]
fn old_and_new_spellings_mean_the_same() {
    let new = options(
        "WITH (FORMAT csv, HEADER true, DELIMITER '|', NULL 'x', QUOTE '''', ESCAPE E'\\\\', FORCE_QUOTE (a, \"B\"))",
    );
    let old = options("CSV HEADER DELIMITER '|' NULL AS 'x' QUOTE '''' ESCAPE AS '\\' FORCE QUOTE a, \"B\"");
    assert_eq!(new, old);
    assert_eq!(new.force_quote, ForceColumns::Columns(vec!["a".into(), "B".into()]));
    assert_eq!(options("WITH BINARY"), options("(FORMAT \"binary\")"));
    assert_eq!(options("BINARY").format, CopyFormat::Binary);
    assert_eq!(options("(DELIMITER E'\\t')").delimiter.as_deref(), Some("\t"));
}
