"""psycopg 3: every type in text and binary, errors, transactions, cancel."""
import datetime as dt
import decimal
import threading
import time
import uuid

import psycopg
from psycopg import errors

COLUMNS = "b bool, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric(20,5), t text, y bytea, d date, tm time, ts timestamp, tz timestamptz, iv interval, u uuid, j json, ia int4[], ta text[]"
ZONE = dt.timezone(dt.timedelta(hours=2))
ROW = (
    True, -32768, 2147483647, -9223372036854775808, 0.5, 1.7976931348623157e308, decimal.Decimal("123456789012345.67890"),
    "tab\té\\", bytes(range(256)), dt.date(2024, 2, 29), dt.time(23, 59, 59, 999999), dt.datetime(1999, 12, 31, 23, 59, 59, 1),
    dt.datetime(2024, 7, 1, 12, 0, tzinfo=ZONE), dt.timedelta(days=3, hours=4, milliseconds=5), uuid.UUID(int=2**127 + 1),
    psycopg.types.json.Json({"a": [1, None, "é"]}), [1, None, -3], ["a,\"b\\", None, ""],
)


def same(found, wanted):
    wanted = wanted.obj if isinstance(wanted, psycopg.types.json.Json) else wanted
    assert found == wanted, f"{found!r} is not {wanted!r}"


def types(connection, binary):
    name = f"psycopg_{'b' if binary else 't'}"
    with connection.cursor(binary=binary) as cursor:
        cursor.execute(f"CREATE TABLE {name} ({COLUMNS})")
        marks = ", ".join(["%b" if binary else "%t"] * len(ROW))
        cursor.execute(f"INSERT INTO {name} VALUES ({marks})", ROW)
        assert cursor.rowcount == 1
        cursor.execute(f"INSERT INTO {name} (t) VALUES (%s)", (None,))
        cursor.execute(f"SELECT * FROM {name} WHERE b")
        for found, wanted in zip(cursor.fetchone(), ROW):
            same(found, wanted)
        cursor.execute(f"SELECT * FROM {name} WHERE b IS NULL")
        assert all(value is None for value in cursor.fetchone())
        for index in range(7):  # prepared by the driver at its fifth execution
            cursor.execute(f"SELECT i4 + %s FROM {name} WHERE b", (index - 10,))
            assert cursor.fetchone() == (2147483647 - 10 + index,)
        cursor.execute(f"DROP TABLE {name}")


def transactions(connection):
    try:
        connection.execute("SELECT 1/0")
        raise AssertionError("no error")
    except errors.DivisionByZero:
        pass
    assert connection.execute("SELECT 1").fetchone() == (1,)
    connection.execute("CREATE TABLE psycopg_tx (a int)")
    try:
        with connection.transaction():
            connection.execute("INSERT INTO psycopg_tx VALUES (1)")
            connection.execute("SELECT * FROM no_such_table")
    except errors.UndefinedTable:
        pass
    assert connection.execute("SELECT count(*) FROM psycopg_tx").fetchone() == (0,)
    with connection.transaction():
        connection.execute("INSERT INTO psycopg_tx VALUES (%s)", (2,))
    with connection.cursor() as cursor:
        cursor.executemany("INSERT INTO psycopg_tx VALUES (%s)", [(n,) for n in range(10)])
    assert connection.execute("SELECT count(*), sum(a) FROM psycopg_tx").fetchone() == (11, 47)
    connection.execute("DROP TABLE psycopg_tx")


def cancel(connection):
    threading.Timer(0.3, connection.cancel).start()
    start = time.monotonic()
    try:
        connection.execute("SELECT count(*) FROM range(1000000000000)")
        raise AssertionError("not cancelled")
    except errors.QueryCanceled:
        pass
    assert time.monotonic() - start < 1.3, "cancel was slow"
    assert connection.execute("SELECT 2").fetchone() == (2,)


with psycopg.connect(autocommit=True) as connection:
    assert connection.info.server_version == 150000, connection.info.server_version
    assert connection.info.parameter_status("server_encoding") == "UTF8"
    types(connection, binary=False)
    types(connection, binary=True)
    transactions(connection)
    cancel(connection)
with psycopg.connect() as connection:  # not autocommit: BEGIN by the driver
    connection.execute("CREATE TABLE psycopg_rollback (a int)")
    connection.rollback()
    try:
        connection.execute("SELECT * FROM psycopg_rollback")
        raise AssertionError("not rolled back")
    except errors.UndefinedTable:
        connection.rollback()
print("psycopg: fine")
