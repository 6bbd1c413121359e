// node-postgres: types, errors, transactions, prepared statements, cancel.
const assert = require('node:assert');
const { Client } = require('pg');

const options = { ssl: { rejectUnauthorized: false } };

async function main() {
  const client = new Client(options);
  await client.connect();
  await client.query(`CREATE TABLE node_t (b bool, i2 int2, i4 int4, i8 int8, f8 float8, n numeric(20,5), t text, y bytea, d date,
    ts timestamp, tz timestamptz, u uuid, j json, ia int4[], ta text[])`);
  const when = new Date('2024-07-01T10:00:00.123Z');
  const bytes = Buffer.from([...Array(256).keys()]);
  const values = [true, -32768, 2147483647, '-9223372036854775808', 1.5, '123456789012345.67890', 'é\t\\', bytes, '2024-02-29',
    '1999-12-31 23:59:59.000001', when, '80000000-0000-0000-0000-000000000001', JSON.stringify({ a: [1, null] }), [1, null, -3],
    ['a,"b\\', null, '']];
  const marks = values.map((_, index) => `$${index + 1}`).join(', ');
  const inserted = await client.query(`INSERT INTO node_t VALUES (${marks})`, values);
  assert.strictEqual(inserted.rowCount, 1);
  assert.strictEqual(inserted.command, 'INSERT');
  for (const rowMode of ['array']) {
    const { rows } = await client.query({ text: 'SELECT *, d::text AS dt, ts::text AS tst FROM node_t', rowMode });
    const row = rows[0];
    assert.deepStrictEqual(row.slice(0, 7), [true, -32768, 2147483647, '-9223372036854775808', 1.5, '123456789012345.67890', 'é\t\\']);
    assert.deepStrictEqual(row[7], bytes);
    assert.strictEqual(row[10].getTime(), when.getTime());
    assert.deepStrictEqual(row.slice(11, 15), [values[11], { a: [1, null] }, [1, null, -3], ['a,"b\\', null, '']]);
    assert.deepStrictEqual(row.slice(15), ['2024-02-29', '1999-12-31 23:59:59.000001']);
  }
  for (let n = 0; n < 7; n++) {
    const { rows } = await client.query({ name: 'again', text: 'SELECT i4 - $1::int4 AS x FROM node_t', values: [n] });
    assert.strictEqual(rows[0].x, 2147483647 - n);
  }
  const binary = await client.query({ text: 'SELECT i4, t, f8 FROM node_t', binary: true });
  assert.deepStrictEqual([binary.rows[0].i4, binary.rows[0].f8], [2147483647, 1.5]);
  await assert.rejects(client.query('SELECT * FROM no_such_table'), { code: '42P01' });
  await client.query('BEGIN');
  await client.query('DELETE FROM node_t');
  await assert.rejects(client.query('SELECT 1/0'), { code: '22012' });
  await assert.rejects(client.query('SELECT 1'), { code: '25P02' });
  await client.query('ROLLBACK');
  assert.strictEqual((await client.query('SELECT count(*)::int AS c FROM node_t')).rows[0].c, 1);

  const long = client.query('SELECT count(*) FROM range(1000000000000)');
  setTimeout(() => {
    const canceller = new Client(options);
    canceller.cancel(client, client.activeQuery);
  }, 300);
  const start = Date.now();
  await assert.rejects(long, { code: '57014' });
  assert.ok(Date.now() - start < 1500, 'cancel was slow');
  await client.query('DROP TABLE node_t');
  await client.end();
  console.log('node-postgres: fine');
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
