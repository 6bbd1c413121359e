//! What is forbidden stays forbidden however deep it stands and however it is spelt.

use pintail_transpiler::{Access, Context, Kind, LoginRole, Statement, parse, rewrite};
use proptest::prelude::*;
use proptest::sample::select;

/// Places of an expression in an expression.
const EXPRESSIONS: &[&str] = &[
    "({})",
    "coalesce({}, 'x')",
    "CASE WHEN {} IS NULL THEN 'a' ELSE 'b' END",
    "CAST({} AS text)",
    "{}::text",
    "(SELECT max({}) FROM t)",
    "(SELECT 'a' WHERE {} IS NULL)",
    "upper(lower({}))",
    "concat('a', {}, 'b')",
    "(WITH w AS (SELECT {} AS a) SELECT max(a) FROM w)",
    "(SELECT max(a) FROM (SELECT {} AS a) x)",
    "(SELECT string_agg({}, ',' ORDER BY a) FROM t)",
    "(SELECT max(a) FILTER (WHERE {} = 'x') FROM t)",
    "(SELECT max(a) FROM t GROUP BY {} HAVING {} > 'a' LIMIT 1)",
    "(SELECT first_value(a) OVER (PARTITION BY {} ORDER BY a) FROM t LIMIT 1)",
    "(ARRAY[{}])[1]",
    "'x' || {}",
    "(SELECT max(t.a) FROM t JOIN u ON t.a = {})",
    "(SELECT max(a) FROM t WHERE a IN (SELECT {} UNION ALL SELECT 'b'))",
    "(SELECT max(a) FROM (VALUES ({}), ('b')) v(a))",
];

/// Statements around an expression.
const STATEMENTS: &[&str] = &[
    "SELECT {}",
    "SELECT * FROM t WHERE a = {}",
    "SELECT * FROM t ORDER BY {}",
    "VALUES ({})",
    "INSERT INTO t (a) VALUES ({})",
    "INSERT INTO t (a) SELECT {}",
    "UPDATE t SET a = {}",
    "DELETE FROM t WHERE a = {}",
    "CREATE TABLE x AS SELECT {} AS a",
    "CREATE VIEW v AS SELECT {} AS a",
    "EXPLAIN SELECT {}",
    "WITH w AS (SELECT {} AS a) SELECT * FROM w",
    "PREPARE p AS SELECT {}",
    "DECLARE c CURSOR FOR SELECT {}",
    "SELECT a FROM t QUALIFY row_number() OVER (ORDER BY {}) = 1",
    "FROM t SELECT {} AS a",
];

/// Expressions that nobody may use.
const FORBIDDEN: &[&str] = &[
    "json_serialize_plan('SELECT 1')",
    "system.main.json_serialize_plan('SELECT 1')",
    "\"getenv\"('HOME')",
    "GetEnv /* x */ ('HOME')",
    "getenv\u{200b}('HOME')",
    "getenv -- x\r('HOME')",
    "a.write_log()",
    "(SELECT max(a) FROM query('SELECT 1') q(a))",
    "(SELECT max(a) FROM lake.main.query_table('t') q(a))",
    "(SELECT max(a) FROM nobody_knows_this() q(a))",
    "(SELECT max(a) FROM __ducklake_metadata_lake.x.y)",
    "(SELECT max(a) FROM \"__pintail\".pg.pg_class)",
    "(SELECT max(content) FROM read_text('s3://own/x?s3_endpoint=h'))",
    "(SELECT max(content) FROM read_text('s3://own/x'\n'?s3_endpoint=h'))",
    "(SELECT max(content) FROM read_text(['a', 's3://own/' || 'x?s3_endpoint=h']))",
    "(SELECT max(content) FROM read_text($1))",
    "(SELECT max(content) FROM read_text(lower('x')))",
    "(SELECT max(content) FROM read_text(E'x'))",
    "(SELECT max(a) FROM \"s3://own/x.csv?s3_endpoint=h\" q(a))",
    "(SELECT max(a) FROM \"s3://own/x\".\"csv?s3_endpoint=h\" q(a))",
    "(SELECT max(a) FROM 's3://own/x.csv?s3_endpoint=h' q(a))",
    "(SELECT max(a) FROM 's3://own/x.csv'\n'?s3_endpoint=h' q(a))",
    "(SELECT max(a) FROM histogram('hr.t', a) q(a))",
    "(SELECT max(name) FROM pragma_table_info('lake.\"__pintail\".constraints'))",
    "(SELECT max(name) FROM pragma_table_info(concat('t')))",
];

/// Expressions that a login of one schema may not use.
const DENIED: &[&str] = &[
    "(SELECT max(a) FROM hr.t)",
    "(SELECT max(a) FROM lake.hr.t)",
    "(SELECT max(a) FROM (TABLE hr.t) x)",
    "(WITH t AS (SELECT 1) SELECT max(a) FROM hr.t)",
    "(SELECT max(a) FROM \"x.parquet\")",
    "(SELECT max(filename) FROM read_text('x'))",
    "(SELECT max(table_name) FROM duckdb_tables())",
    "my_macro('x')",
    "sales.upper('x')",
    "(WITH d AS (DELETE FROM hr.t RETURNING *) SELECT max(a) FROM d)",
];

fn context<'a>(role: LoginRole, schemas: Option<&'a [String]>, path: &'a [String]) -> Context<'a> {
    Context {
        catalog: "lake",
        search_path: path,
        access: Access { role, schemas },
        ..Context::default()
    }
}

fn inner(statement: &Statement) -> &Statement {
    match &statement.kind {
        Kind::Prepare(prepare) => &prepare.statement,
        Kind::Cursor(pintail_transpiler::Cursor::Declare { query, .. }) => query,
        _ => statement,
    }
}

fn is_allowed(sql: &str, context: &Context<'_>) -> bool {
    match parse(sql) {
        Ok(script) => script
            .statements
            .iter()
            .all(|statement| rewrite(inner(statement), context).is_ok()),
        Err(_) => false,
    }
}

fn wrapped(core: &str, layers: &[&str], statement: &str) -> String {
    let mut sql = core.to_owned();
    for layer in layers {
        sql = layer.replace("{}", &sql);
    }
    statement.replace("{}", &sql)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nobody_uses_what_is_forbidden(
        core in select(FORBIDDEN),
        layers in prop::collection::vec(select(EXPRESSIONS), 0..5),
        statement in select(STATEMENTS),
    ) {
        let path = ["sales".to_owned()];
        let sql = wrapped(core, &layers, statement);
        prop_assert!(!is_allowed(&sql, &context(LoginRole::Owner, None, &path)), "{}", sql);
    }

    #[test]
    fn restricted_logins_keep_to_their_schemas(
        core in select(DENIED),
        layers in prop::collection::vec(select(EXPRESSIONS), 0..5),
        statement in select(STATEMENTS),
    ) {
        let path = ["sales".to_owned()];
        let sql = wrapped(core, &layers, statement);
        for role in [LoginRole::Owner, LoginRole::Writer, LoginRole::Reader] {
            prop_assert!(!is_allowed(&sql, &context(role, Some(&path), &path)), "{:?} {}", role, sql);
        }
    }

    /// The same constructs around something harmless pass, so the two above refuse for the right reason.
    #[test]
    fn the_constructs_are_no_reason_to_refuse(
        layers in prop::collection::vec(select(EXPRESSIONS), 0..4),
        statement in select(STATEMENTS),
    ) {
        let path = ["sales".to_owned()];
        let sql = wrapped("upper('x')", &layers, statement);
        for schemas in [None, Some(&path[..])] {
            prop_assert!(is_allowed(&sql, &context(LoginRole::Writer, schemas, &path)), "{}", sql);
        }
    }
}
