"""asyncpg: COPY of records, cursors, prepared statements used again."""

import asyncio
import datetime
import io
import os
import ssl

import asyncpg


async def main():
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    conn = await asyncpg.connect(ssl=context, database=os.environ["PGDATABASE"])
    await conn.execute("DROP TABLE IF EXISTS aw; DROP TABLE IF EXISTS aw2")
    await conn.execute("CREATE TABLE aw (i int4, t text, at timestamptz, a int4[])")
    at = datetime.datetime(2024, 5, 6, 7, 8, 9, tzinfo=datetime.timezone.utc)
    records = [(n, f"row {n}" if n % 3 else None, at, [n, None]) for n in range(5000)]
    assert await conn.copy_records_to_table("aw", records=records) == "COPY 5000"
    assert await conn.fetchval("SELECT count(*) FROM aw WHERE t IS NULL") == 1667
    assert tuple(await conn.fetchrow("SELECT * FROM aw WHERE i = 4")) == (4, "row 4", at, [4, None])
    try:
        await conn.copy_records_to_table("aw", records=[(1, "x", at, [1]), ("no", "x", at, [1])])
        raise AssertionError("a record of another type was taken")
    except (asyncpg.DataError, TypeError):  # the client gives up in the middle
        pass
    assert await conn.fetchval("SELECT count(*) FROM aw") == 5000

    out = io.BytesIO()
    assert await conn.copy_from_query("SELECT i, t FROM aw WHERE i < $1::int ORDER BY i", 3, output=out, format="csv") == "COPY 3"
    assert out.getvalue() == b"0,\n1,row 1\n2,row 2\n", out.getvalue()
    out = io.BytesIO()
    await conn.copy_from_table("aw", columns=["i"], output=out, format="binary")
    out.seek(0)
    await conn.execute("CREATE TABLE aw2 (i int4)")
    assert await conn.copy_to_table("aw2", source=out, format="binary") == "COPY 5000"

    async with conn.transaction():
        seen = [row["i"] async for row in conn.cursor("SELECT i FROM aw ORDER BY i", prefetch=128)]
        assert seen == list(range(5000))
        cursor = await conn.cursor("SELECT i FROM aw ORDER BY i")
        assert (await cursor.fetchrow())["i"] == 0
        assert await cursor.forward(10) == 10
        assert [row["i"] for row in await cursor.fetch(2)] == [11, 12]

    statement = await conn.prepare("SELECT t, i::int8 FROM aw WHERE i = $1")
    assert [a.type.name for a in statement.get_attributes()] == ["text", "int8"]
    for n in range(1, 20):
        assert tuple(await statement.fetchrow(n)) == (f"row {n}" if n % 3 else None, n)
    rows = await conn.fetch("INSERT INTO aw (i) SELECT * FROM unnest($1::int[]) RETURNING i * 2 AS d", [7, 8])
    assert [row["d"] for row in rows] == [14, 16]
    await conn.executemany("INSERT INTO aw2 VALUES ($1)", [(n,) for n in range(100)])
    assert await conn.fetchval("SELECT count(*) FROM aw2") == 5100
    await conn.execute("DROP TABLE aw; DROP TABLE aw2")
    await conn.close()


asyncio.run(main())
print("asyncpg: COPY, cursors, prepared statements, RETURNING")
