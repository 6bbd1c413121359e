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
print("DuckDB's postgres extension: reads and writes")
