"""psqlODBC: types in both directions, batches, cursors in parts, transactions, the catalog functions, cancelling."""

import datetime
import decimal
import os
import sys
import threading
import uuid

import pyodbc

BASE = f"DRIVER={sys.argv[1]};SERVER={os.environ['PGHOST']};PORT={os.environ['PGPORT']};DATABASE={os.environ['PGDATABASE']};" \
    f"UID={os.environ['PGUSER']};PWD={os.environ['PGPASSWORD']};SSLmode={os.environ['PGSSLMODE']};ByteaAsLongVarBinary=1;BoolsAsChar=0;"
ROW = (1, 2**40, 1.5, decimal.Decimal("12.345"), "zwölf\t'\\\n", datetime.date(2020, 2, 29),
       datetime.datetime(2020, 1, 2, 3, 4, 5, 678901), True, b"\x00\xff\\")
NOTHING = (2,) + (None,) * 8


def session(conn):
    conn.setdecoding(pyodbc.SQL_WCHAR, encoding="utf-16le")
    cur = conn.cursor()
    cur.execute("DROP TABLE IF EXISTS ow")
    cur.execute("CREATE TABLE ow (i int4, b int8, f float8, n numeric(12, 3), t text, d date, ts timestamp, ok bool, x bytea)")
    cur.execute("INSERT INTO ow VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", ROW)
    assert cur.rowcount == 1
    cur.execute("INSERT INTO ow (i) VALUES (?)", 2)
    rows = [tuple(row) for row in cur.execute("SELECT * FROM ow ORDER BY i").fetchall()]
    assert rows == [ROW, NOTHING], rows
    assert [column[0] for column in cur.description] == ["i", "b", "f", "n", "t", "d", "ts", "ok", "x"]
    assert cur.execute("SELECT '00000000-0000-0000-0000-000000000007'::uuid").fetchval() == str(uuid.UUID(int=7))

    # The same prepared statement, and a batch of it.
    cur.executemany("INSERT INTO ow (i, t) VALUES (?, ?)", [(n, f"row {n}") for n in range(100, 120)])
    assert cur.execute("SELECT count(*) FROM ow WHERE i >= ?", 100).fetchval() == 20
    for n in range(100, 110):
        assert cur.execute("SELECT t FROM ow WHERE i = ?", n).fetchval() == f"row {n}"

    # 25 rows in parts of 10, and rows left unread.
    cur.execute("SELECT i FROM generate_series(1, 25) AS g(i)")
    assert [row[0] for row in cur] == list(range(1, 26))
    cur.execute("SELECT i FROM generate_series(1, 100000) AS g(i)")
    assert cur.fetchone()[0] == 1
    assert cur.execute("SELECT 42").fetchval() == 42

    # What went wrong says so, and the session goes on.
    for sql, state in (("SELECT nosuch FROM ow", "42703"), ("SELECT 1 / 0", "22012"), ("SELEC 1", "42601"), ("SELECT * FROM nosuch", "42P01")):
        try:
            cur.execute(sql).fetchall()
            raise AssertionError(f"{sql}: no error")
        except pyodbc.Error as error:
            assert error.args[0] == state, (sql, error.args)

    assert [row.table_name for row in cur.tables(table="ow", schema="public")] == ["ow"]
    columns = [(row.column_name, row.type_name) for row in cur.columns(table="ow", schema="public")]
    assert columns[:4] == [("i", "int4"), ("b", "int8"), ("f", "float8"), ("n", "numeric")], columns

    # Transactions.
    conn.autocommit = False
    cur.execute("INSERT INTO ow (i) VALUES (900)")
    conn.rollback()
    cur.execute("INSERT INTO ow (i) VALUES (901)")
    conn.commit()
    conn.autocommit = True
    assert [row[0] for row in cur.execute("SELECT i FROM ow WHERE i >= 900").fetchall()] == [901]

    timer = threading.Timer(1, cur.cancel)
    timer.start()
    try:
        cur.execute("SELECT sum(a.i * b.i) FROM generate_series(1, 1000000) AS a(i), generate_series(1, 100000000) AS b(i)")
        raise AssertionError("it was not cancelled")
    except pyodbc.Error as error:
        assert error.args[0] in ("57014", "HY008"), error.args
    timer.join()
    cur.execute("DROP TABLE ow")


for options in ("", "UseDeclareFetch=1;Fetch=10;", "UseServerSidePrepare=0;"):
    with pyodbc.connect(BASE + options, autocommit=True) as connection:
        session(connection)
print("psqlODBC: types, batches, cursors, transactions, catalog, cancel")
