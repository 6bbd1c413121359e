"""psycopg 3: pipelines, server-side cursors, COPY in every format, notices of what went wrong."""

import datetime
import decimal
import uuid

import psycopg

with psycopg.connect(autocommit=True) as conn:
    conn.execute("DROP TABLE IF EXISTS pw")
    conn.execute("CREATE TABLE pw (i int4, b int8, f float8, n numeric(12, 3), t text, d date, ts timestamp, u uuid, ok bool, x bytea)")

    # Pipelines: many statements before one Sync, an error in the middle, results in order.
    with conn.pipeline():
        cursors = [conn.execute("SELECT %s::int4 + 1", (n,)) for n in range(1000)]
    assert [cursor.fetchone()[0] for cursor in cursors] == list(range(1, 1001))
    try:
        with conn.pipeline():
            conn.execute("SELECT 1")
            conn.execute("SELECT nosuch")
            conn.execute("SELECT 2")
        raise AssertionError("the error was lost")
    except psycopg.errors.UndefinedColumn:
        pass
    assert conn.execute("SELECT 3").fetchone() == (3,)

    # COPY in: text rows, blocks, CSV, binary with types.
    row = (1, 2**40, 1.5, decimal.Decimal("12.345"), "a\tb\\n\u00e9\n", datetime.date(2020, 2, 29),
           datetime.datetime(2020, 1, 2, 3, 4, 5, 678901), uuid.UUID(int=7), True, b"\x00\xff")
    nothing = (2,) + (None,) * 9
    with conn.cursor() as cur:
        with cur.copy("COPY pw FROM STDIN") as copy:
            copy.write_row(row)
            copy.write_row(nothing)
        assert cur.rowcount == 2
        with cur.copy("COPY pw FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(["int4", "int8", "float8", "numeric", "text", "date", "timestamp", "uuid", "bool", "bytea"])
            copy.write_row(row)
            copy.write_row(nothing)
        with cur.copy("COPY pw (i, t) FROM STDIN (FORMAT csv, HEADER true)") as copy:
            copy.write(b"i,t\n3,\"quoted \"\"x\"\"\"\n4,")
            copy.write(b"\n")
    rows = conn.execute("SELECT * FROM pw ORDER BY i").fetchall()
    assert rows[:2] == [row, row], rows[0]
    assert rows[2:4] == [nothing, nothing]
    assert [r[4] for r in rows[4:]] == ['quoted "x"', None]

    # COPY out, parsed by the driver in both formats.
    types = ["int4", "int8", "float8", "numeric", "text", "date", "timestamp", "uuid", "bool", "bytea"]
    for options in ("", " (FORMAT BINARY)"):
        with conn.cursor() as cur, cur.copy(f"COPY (SELECT * FROM pw WHERE i < 3 ORDER BY i) TO STDOUT{options}") as copy:
            copy.set_types(types)
            assert list(copy.rows()) == [row, row, nothing, nothing], options
    with conn.cursor() as cur, cur.copy("COPY (SELECT i, t FROM pw WHERE i > 2 ORDER BY i) TO STDOUT CSV") as copy:
        assert b"".join(copy) == b'3,"quoted ""x"""\n4,\n'

    # An error of the client's in the middle stores nothing.
    try:
        with conn.cursor() as cur, cur.copy("COPY pw (i) FROM STDIN") as copy:
            copy.write_row((99,))
            raise RuntimeError("changed my mind")
    except RuntimeError:
        pass
    try:
        with conn.cursor() as cur, cur.copy("COPY pw (i) FROM STDIN") as copy:
            copy.write("99\nbad\n")
        raise AssertionError("the bad row was taken")
    except psycopg.errors.InvalidTextRepresentation as error:
        assert error.diag.context == 'COPY pw, line 2, column i: "bad"', error.diag.context
    assert conn.execute("SELECT count(*) FROM pw WHERE i = 99").fetchone() == (0,)

    # Server-side cursors.
    with conn.transaction():
        with conn.cursor(name="forward") as cur:
            cur.execute("SELECT i, i * %s FROM generate_series(1, 1000) AS g(i)", (2,))
            assert [column.name for column in cur.description] == ["i", "?column?"], cur.description
            assert cur.fetchone() == (1, 2)
            assert cur.fetchmany(3) == [(2, 4), (3, 6), (4, 8)]
            cur.itersize = 100
            assert sum(1 for _ in cur) == 996
        with conn.cursor(name="scrolling", scrollable=True) as cur:
            cur.execute("SELECT i FROM generate_series(1, 50) AS g(i)")
            cur.scroll(40, mode="absolute")
            assert cur.fetchone() == (41,)
            cur.scroll(-10)
            assert cur.fetchone() == (32,)
    with conn.cursor(name="held", withhold=True, binary=True) as cur:
        cur.execute("SELECT i FROM generate_series(1, 5) AS g(i)")
        assert cur.fetchall() == [(1,), (2,), (3,), (4,), (5,)]

    # RETURNING, many at once.
    with conn.cursor() as cur:
        cur.executemany("INSERT INTO pw (i, t) VALUES (%s, %s) RETURNING i, t", [(100, "a"), (101, "b")], returning=True)
        got = []
        while True:
            got += cur.fetchall()
            if not cur.nextset():
                break
        assert got == [(100, "a"), (101, "b")], got
    conn.execute("DROP TABLE pw")
print("psycopg: pipelines, COPY, cursors, RETURNING")
