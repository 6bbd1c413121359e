"""DuckDB's own postgres extension attaches the server, reads and writes."""

import os

import duckdb

con = duckdb.connect(config={"allow_unsigned_extensions": "true"})
con.execute(f"LOAD '{os.environ['PINTAIL_EXTENSION_DIR']}/postgres_scanner.duckdb_extension'")
dsn = " ".join(f"{key}={os.environ[name]}" for key, name in (
    ("host", "PGHOST"), ("port", "PGPORT"), ("user", "PGUSER"), ("password", "PGPASSWORD"), ("dbname", "PGDATABASE")))
con.execute(f"ATTACH '{dsn}' AS pt (TYPE postgres)")
con.execute("CREATE OR REPLACE TABLE pt.public.dp (i INTEGER, t VARCHAR, d DATE)")
con.execute("INSERT INTO pt.public.dp SELECT i, 'row ' || i, DATE '2020-01-01' + i::INT FROM range(3000) r(i)")
assert con.execute("SELECT count(*), sum(i), max(t) FROM pt.public.dp").fetchone() == (3000, 4498500, "row 999")
assert con.execute("SELECT d FROM pt.public.dp WHERE i = 31").fetchone()[0].isoformat() == "2020-02-01"
assert con.execute("SELECT min(i) FROM pt.public.dp WHERE t LIKE 'row 2%'").fetchone() == (2,)
assert con.execute("SELECT * FROM postgres_query('pt', 'SELECT 6 * 7 AS n')").fetchone() == (42,)
con.execute("DROP TABLE pt.public.dp")

# Of a table that it has filled itself the extension guesses pages, and reads them in ranges on several threads: each row comes once.
con.execute("SET threads = 4")
con.execute("CREATE OR REPLACE TABLE pt.public.dp_large (i INTEGER, t VARCHAR, a INTEGER[], n DECIMAL(12, 2), u UUID)")
con.execute("INSERT INTO pt.public.dp_large SELECT i, 'row ' || i, [i], i / 100, uuid() FROM range(250000) r(i)")
for setting in ("SET pg_pages_per_task = 1000", "SET pg_pages_per_task = 1"):
    con.execute(setting)
    counted = con.execute("SELECT count(*), sum(i), count(DISTINCT i), count(DISTINCT u) FROM pt.public.dp_large").fetchone()
    assert counted == (250000, 31249875000, 250000, 250000), counted
    some = con.execute("SELECT count(*), min(t), max(a), max(n) FROM pt.public.dp_large WHERE i >= 249990").fetchone()
    assert some[:3] == (10, "row 249990", [249999]), some
    assert con.execute("SELECT count(*) FROM pt.public.dp_large x JOIN pt.public.dp_large y USING (i)").fetchone() == (250000,)
# Its changes name rows by `ctid`, which there is not: they are refused by that name, and nothing has changed.
for change in ("UPDATE pt.public.dp_large SET t = 'x' WHERE i < 10", "DELETE FROM pt.public.dp_large WHERE i < 10", "DELETE FROM pt.public.dp_large"):
    try:
        con.execute(change)
        raise AssertionError(f"{change}: it went through")
    except duckdb.Error as error:
        assert 'system column "ctid" is not supported' in str(error), error
con.execute("CALL postgres_execute('pt', 'UPDATE dp_large SET t = ''x'' WHERE i < 10')")
assert con.execute("SELECT count(*), count(*) FILTER (WHERE t = 'x') FROM pt.public.dp_large").fetchone() == (250000, 10)
con.execute("DROP TABLE pt.public.dp_large")
print("DuckDB's postgres extension: reads and writes")
