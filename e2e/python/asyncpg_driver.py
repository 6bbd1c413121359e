"""asyncpg: binary throughout; types, errors, transactions, statements, cancel."""
import asyncio
import datetime as dt
import decimal
import os
import ssl
import time
import uuid

import asyncpg

COLUMNS = "b bool, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric(20,5), t text, y bytea, d date, tm time, ts timestamp, tz timestamptz, iv interval, u uuid, j json, ia int4[], ta text[]"
ROW = (
    True, -32768, 2147483647, -9223372036854775808, 0.5, 1e300, decimal.Decimal("123456789012345.67890"), "é\t\\", bytes(range(256)),
    dt.date(2024, 2, 29), dt.time(23, 59, 59, 999999), dt.datetime(1999, 12, 31, 23, 59, 59, 1),
    dt.datetime(2024, 7, 1, 12, 0, tzinfo=dt.timezone.utc), dt.timedelta(days=3, hours=4, milliseconds=5), uuid.UUID(int=2**127 + 1),
    '{"a": [1, null]}', [1, None, -3], ["a,\"b\\", None, ""],
)


async def main():
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    connection = await asyncpg.connect(ssl=context, database=os.environ["PGDATABASE"])
    try:
        await connection.execute(f"CREATE TABLE asyncpg_t ({COLUMNS})")
        marks = ", ".join(f"${n + 1}" for n in range(len(ROW)))
        await connection.execute(f"INSERT INTO asyncpg_t VALUES ({marks})", *ROW)
        found = await connection.fetchrow("SELECT * FROM asyncpg_t")
        for value, wanted in zip(found.values(), ROW):
            assert value == wanted, f"{value!r} is not {wanted!r}"
        statement = await connection.prepare("SELECT t FROM asyncpg_t WHERE i4 = $1")
        for _ in range(7):
            assert await statement.fetchval(2147483647) == "é\t\\"
        await connection.executemany("INSERT INTO asyncpg_t (i4, t) VALUES ($1, $2)", [(n, str(n)) for n in range(20)])
        assert await connection.fetchval("SELECT count(*) FROM asyncpg_t") == 21
        try:
            await connection.fetch("SELECT * FROM no_such_table")
            raise AssertionError("no error")
        except asyncpg.UndefinedTableError:
            pass
        try:
            async with connection.transaction():
                await connection.execute("DELETE FROM asyncpg_t")
                await connection.fetch("SELECT 1/0")
        except asyncpg.DivisionByZeroError:
            pass
        assert await connection.fetchval("SELECT count(*) FROM asyncpg_t") == 21
        async with connection.transaction():
            rows = [row async for row in connection.cursor("SELECT i4 FROM asyncpg_t ORDER BY i4", prefetch=7)]
        assert len(rows) == 21
        start = time.monotonic()
        try:
            await connection.fetch("SELECT count(*) FROM range(1000000000000)", timeout=0.4)
            raise AssertionError("not cancelled")
        except (asyncio.TimeoutError, TimeoutError):
            pass
        assert time.monotonic() - start < 1.6
        assert await connection.fetchval("SELECT 3") == 3
        await connection.execute("DROP TABLE asyncpg_t")
    finally:
        await connection.close()
    print("asyncpg: fine")


asyncio.run(main())
