"""The same few forbidden things in every place where SQL can hold them, and in every spelling of their names."""
from .attempt import Due, each, script

# Where a relation can stand.
PLACES = (
    "SELECT * FROM {}", "FROM {}", "TABLE {}", "SELECT (SELECT count(*) FROM {})", "SELECT 1 WHERE EXISTS (SELECT 1 FROM {})",
    "SELECT * FROM (SELECT * FROM {}) AS x", "SELECT * FROM scratch_table, {}", "SELECT * FROM scratch_table CROSS JOIN {}",
    "SELECT * FROM scratch_table t LEFT JOIN {} q ON true", "SELECT * FROM scratch_table t JOIN LATERAL (SELECT * FROM {}) q ON true",
    "SELECT * FROM scratch_table POSITIONAL JOIN {}", "WITH x AS (SELECT * FROM {}) SELECT * FROM x", "WITH x AS MATERIALIZED (FROM {}) FROM x",
    "WITH RECURSIVE x AS (SELECT 1 AS a UNION ALL SELECT 1 FROM {}) SELECT * FROM x LIMIT 1", "SELECT 1 UNION ALL SELECT 1 FROM {}",
    "SELECT 1 EXCEPT SELECT 1 FROM {}", "VALUES ((SELECT count(*) FROM {}))", "SELECT ARRAY(SELECT 1 FROM {})",
    "SELECT CASE WHEN (SELECT count(*) > 0 FROM {}) THEN 1 END", "SELECT * FROM scratch_table ORDER BY (SELECT count(*) FROM {})",
    "SELECT * FROM scratch_table LIMIT (SELECT count(*) FROM {})", "SELECT list_transform([1], lambda y: (SELECT count(*) FROM {}))",
    "SELECT * EXCLUDE (a) FROM {}", "SELECT COLUMNS(*) FROM {}", "SELECT * FROM range((SELECT count(*) FROM {}))",
    "INSERT INTO scratch_table SELECT count(*) FROM {}", "UPDATE scratch_table SET a = (SELECT count(*) FROM {})",
    "DELETE FROM scratch_table WHERE a IN (SELECT count(*) FROM {})", "DELETE FROM scratch_table USING {} q",
    "MERGE INTO scratch_table t USING {} q ON true WHEN MATCHED THEN DELETE", "CREATE TABLE stolen AS SELECT * FROM {}",
    "CREATE TEMP TABLE stolen AS FROM {}", "SELECT * INTO stolen FROM {}", "CREATE TYPE stolen AS ENUM (SELECT 'x' FROM {})",
    "EXPLAIN ANALYZE SELECT * FROM {}", "COPY (SELECT * FROM {}) TO STDOUT", "DESCRIBE SELECT * FROM {}", "SUMMARIZE SELECT * FROM {}",
    "SUMMARIZE FROM {}", "PIVOT (SELECT * FROM {}) ON content", "PIVOT {} ON content USING count(*)", "UNPIVOT (FROM {}) ON COLUMNS(*)",
    "SELECT * FROM (DESCRIBE SELECT * FROM {})", "SELECT * FROM (SUMMARIZE FROM {})", "SET VARIABLE stolen = (SELECT count(*) FROM {})",
    "DECLARE stolen CURSOR WITH HOLD FOR SELECT * FROM {}", "SELECT * FROM {} TABLESAMPLE 10 ROWS",
    "SELECT a FROM scratch_table QUALIFY row_number() OVER (ORDER BY (SELECT count(*) FROM {})) = 1", "SELECT 1; SELECT * FROM {}",
    "SELECT * FROM {}; SELECT 1", "BEGIN; SELECT * FROM {}; COMMIT", "SELECT * FROM {} |> SELECT 1", "(((SELECT * FROM {})))",
    "SELECT sum((SELECT count(*) FROM {})) OVER () FROM scratch_table", "INSERT INTO scratch_table VALUES (1) RETURNING (SELECT count(*) FROM {})",
    "SHOW (SELECT * FROM {})", "CREATE TABLE stolen (a int DEFAULT (SELECT count(*) FROM {}))",
    "ALTER TABLE scratch_table ADD COLUMN b int DEFAULT (SELECT count(*) FROM {})",
)
# Where a call stands in a definition that is used afterwards.
DEFINITIONS = (("CREATE OR REPLACE VIEW stolen AS SELECT * FROM {}",
                "SELECT * FROM stolen"), ("CREATE OR REPLACE TEMP VIEW stolen AS FROM {}", "SELECT * FROM stolen"),
               ("CREATE OR REPLACE MACRO stolen() AS TABLE SELECT * FROM {}",
                "SELECT * FROM stolen()"), ("CREATE OR REPLACE TEMP MACRO stolen() AS (SELECT count(*) FROM {})", "SELECT stolen()"),
               ("CREATE FUNCTION stolen() AS TABLE FROM {}", "SELECT * FROM stolen()"), ("PREPARE stolen AS SELECT * FROM {}", "EXECUTE stolen"), (
                   "CREATE OR REPLACE VIEW stolen AS WITH x AS (FROM {}) SELECT * FROM x", "CREATE OR REPLACE VIEW stolen_too AS FROM stolen",
                   "SELECT * FROM stolen_too"
               ),
               )


def attempts(scene):
    file = "read_text('/etc/passwd')"
    asked = "query('SELECT 1')"
    found = []
    for place in PLACES:
        found += each("nesting", place.format(file), place.format(asked))
    theirs = f"read_parquet('{scene.their_object}')"
    for forbidden in (file, asked, theirs, f"'{scene.outside_file}'", "__ducklake_metadata_lake.dl_beta__lake.ducklake_table"):
        for definition in DEFINITIONS:
            found.append(_definition(*(text.format(forbidden) for text in definition)))
    found.append(_definition("CREATE OR REPLACE MACRO stolen(p) AS TABLE SELECT * FROM read_text(p)", "SELECT * FROM stolen('/etc/passwd')"))
    found.append(_definition("CREATE OR REPLACE MACRO stolen(p) AS TABLE SELECT * FROM query(p)", "SELECT * FROM stolen('SELECT 1')"))
    found.append(_definition("PREPARE stolen(text) AS SELECT * FROM read_text($1)", "EXECUTE stolen('/etc/passwd')"))
    found.append(_definition("PREPARE stolen AS SELECT * FROM read_parquet($1)", f"EXECUTE stolen('{scene.their_file}')"))
    found.append(
        script(
            "definitions", "BEGIN", "DECLARE stolen CURSOR FOR SELECT * FROM read_text('/etc/passwd')", "FETCH ALL FROM stolen", after=("ROLLBACK", )
        )
    )
    # A constraint is recorded, never evaluated.
    check = "CREATE TABLE stolen (a int CHECK (a > (SELECT count(*) FROM {})))"
    found += each("nesting", check.format(asked))
    found.append(
        script(
            "nesting", check.format(file), "INSERT INTO stolen VALUES (1)", "SELECT a FROM stolen", due=Due.SILENCE, after=("DROP TABLE stolen", )
        )
    )
    return found + _spellings() + _text_as_sql()


def _definition(*statements):
    """An attempt whose first statement makes `stolen`, which is dropped afterwards."""
    drops = {
        "VIEW": "DROP VIEW IF EXISTS stolen CASCADE", "PREPARE": "DEALLOCATE stolen", "AS TABLE": "DROP MACRO TABLE IF EXISTS stolen",
        "MACRO": "DROP MACRO IF EXISTS stolen"
    }
    drop = next((drop for word, drop in drops.items() if word in statements[0]), None)
    return script("definitions", *statements, after=(drop,) if drop else ())


def _spellings():
    call = "('SELECT 1')"
    names = (
        "QUERY", '"query"', '"QuErY"', "query ", "query/**/", "query/* /* */ */", "query -- x\n", "query\t", "query\n", "query\f", "query\u00a0",
        "query\u200b", "query\ufeff", "\u200bquery", 'U&"quer\\0079"', 'u&"\\0071uery"', 'U&"!0071uery" UESCAPE \'!\'', "main.query", "system.query",
        "system.main.query", '"system"."main"."query"', "pg_catalog.query", "lake.main.query", "public.query", "information_schema.query",
        "temp.query", "memory.main.query", "\uff51uery", "que\u0433y", "quеry", "query\u0301", "qu" + "\u00ad" + "ery", "query\u2060",
    )
    found = each("spelling of names", *(f"SELECT * FROM {name}{call}" for name in names))
    found += each(
        "spelling of names", "SELECT/**/*/**/FROM/**/query('SELECT 1')", "SELECT * FROM query(E'SELECT\\x201')", "SELECT * FROM query($$SELECT 1$$)",
        "SELECT * FROM query($q$SELECT 1$q$)", "SELECT * FROM query(U&'SELECT 1')", "/* x */SELECT * FROM query('SELECT 1')",
        "SELECT E'\\'', 1 FROM query('SELECT 1') --'", "SELECT $a$'$a$, * FROM query('SELECT 1')", "SELECT '\\', q.* FROM query('SELECT 1') q",
        "SELECT /* -- */ * FROM query('SELECT 1')", "-- x\nSELECT * FROM query('SELECT 1')", "SELECT 1 AS \"--\", * FROM query('SELECT 1')",
        "SELECT * FROM read_text($$/etc/passwd$$)", "SELECT * FROM read_text(E'/etc/\\x70asswd')", "SELECT * FROM read_text('/etc/' 'passwd')",
        "SELECT * FROM read_text(U&'/etc/\\0070asswd')", "SELECT * FROM read_text('/etc/'||'passwd')", "SELECT * FROM read_text(['/etc/passwd'])",
        "SELECT * FROM read_text(list_value('/etc/passwd'))", "SELECT * FROM \"read_text\"('/etc/passwd')", "SELECT * FROM READ_TEXT('/etc/passwd')",
        "SELECT * FROM system.main.read_text('/etc/passwd')", "SELECT * FROM main.read_text('/etc/passwd')",
    )
    return found


def _text_as_sql():
    """Functions and statements that run text as SQL, or code of another kind."""
    return each(
        "text as SQL", "SELECT * FROM query_table('scratch_table')", "SELECT * FROM query_table(['scratch_table'])",
        "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))", "PRAGMA json_execute_serialized_sql('{}')",
        "SELECT json_serialize_plan('SELECT 1')", "DO $$ BEGIN PERFORM 1; END $$", "DO LANGUAGE plpgsql 'BEGIN END'", "CALL query('SELECT 1')",
        "EXECUTE IMMEDIATE 'SELECT 1'", "SELECT query_to_xml('SELECT 1', true, false, '')", "SELECT 'SELECT 1'.json_serialize_plan()",
        "SELECT ('SELECT 1').json_serialize_plan()", "SELECT list_transform(['x'], lambda x: json_serialize_plan(x))",
        "SELECT list_transform(['x'], x -> x.json_serialize_plan())", "SELECT list_filter(['HOME'], lambda x: getenv(x) IS NOT NULL)",
        "SELECT getenv('HOME')", "SELECT 'HOME'.getenv()", "SELECT system.main.getenv('PATH')", "SELECT list_aggregate(['a'], 'getenv')",
        "SELECT write_log('x')", "SELECT pg_read_file('/etc/passwd')", "SELECT pg_read_binary_file('/etc/passwd')", "SELECT pg_ls_dir('/')",
        "SELECT pg_stat_file('/etc/passwd')", "SELECT lo_import('/etc/passwd')", "SELECT lo_export(1, '/tmp/x')",
        "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN 1; END'", "CREATE FUNCTION f() RETURNS int LANGUAGE c AS '/tmp/x', 'f'",
        "CREATE EXTENSION dblink", "CREATE SERVER s FOREIGN DATA WRAPPER file_fdw",
        "CREATE TRIGGER t AFTER INSERT ON scratch_table EXECUTE FUNCTION f()", "CREATE RULE r AS ON SELECT TO scratch_table DO INSTEAD SELECT 1",
        "SELECT * FROM arrow_scan(1, 2, 3)", "SELECT * FROM arrow_scan_dumb(1, 2, 3)", "SELECT * FROM seq_scan()", "SELECT * FROM pandas_scan(1)",
        "SELECT * FROM nobody_knows_this('x')", "CALL nobody_knows_this()", "CALL copy_database('lake', 'm')", "CALL dbgen(sf = 1)",
        "SELECT * FROM shell_exec('id')", "SELECT system('id')", "SELECT * FROM python_map_function()",
        "CREATE OPERATOR === (LEFTARG = int, FUNCTION = f)", "SELECT * FROM test_extension()",
        "LISTEN pintail_changed; SELECT * FROM query('SELECT 1')",
    ) + each("text as SQL", "SELECT 1; SELECT 2; SELECT * FROM read_text('/etc/passwd')", ";;SELECT * FROM read_text('/etc/passwd')")
