// node-postgres: pg-cursor, pg-query-stream, pg-copy-streams.
const assert = require('node:assert');
const { pipeline } = require('node:stream/promises');
const { Readable, Writable } = require('node:stream');
const { Client } = require('pg');
const Cursor = require('pg-cursor');
const QueryStream = require('pg-query-stream');
const { from: copyFrom, to: copyTo } = require('pg-copy-streams');

async function main() {
  const client = new Client({ ssl: { rejectUnauthorized: false } });
  await client.connect();
  await client.query('CREATE TABLE node_w (i int4, t text)');

  const lines = Array.from({ length: 20000 }, (_, n) => `${n}\tline ${n}\n`);
  const into = client.query(copyFrom('COPY node_w FROM STDIN'));
  await pipeline(Readable.from(lines), into);
  assert.strictEqual(into.rowCount, 20000);
  const broken = client.query(copyFrom('COPY node_w FROM STDIN (FORMAT csv)'));
  await assert.rejects(pipeline(Readable.from(['1,a\n', 'x,b\n']), broken), { code: '22P02' });
  let text = '';
  const sink = new Writable({ write(chunk, _, done) { text += chunk; done(); } });
  await pipeline(client.query(copyTo('COPY (SELECT i, t FROM node_w WHERE i < 3 ORDER BY i) TO STDOUT CSV HEADER')), sink);
  assert.strictEqual(text, 'i,t\n0,line 0\n1,line 1\n2,line 2\n');

  const cursor = client.query(new Cursor('SELECT i FROM node_w WHERE i >= $1 ORDER BY i', [19990]));
  assert.deepStrictEqual((await cursor.read(4)).map((row) => row.i), [19990, 19991, 19992, 19993]);
  assert.deepStrictEqual((await cursor.read(100)).map((row) => row.i), [19994, 19995, 19996, 19997, 19998, 19999]);
  assert.deepStrictEqual(await cursor.read(100), []);
  await cursor.close();
  const early = client.query(new Cursor('SELECT i FROM node_w ORDER BY i'));
  assert.strictEqual((await early.read(1))[0].i, 0);
  await early.close();

  let sum = 0;
  for await (const row of client.query(new QueryStream('SELECT i FROM node_w', [], { batchSize: 500 }))) sum += row.i;
  assert.strictEqual(sum, (19999 * 20000) / 2);
  const returned = await client.query('UPDATE node_w SET t = $1 WHERE i < 2 RETURNING i, t', ['x']);
  assert.deepStrictEqual(returned.rows.map((row) => row.t), ['x', 'x']);
  await client.query('DROP TABLE node_w');
  await client.end();
  console.log('node-postgres: cursors, streams, COPY');
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
