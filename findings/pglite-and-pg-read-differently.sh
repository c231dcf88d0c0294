#!/usr/bin/env bash
# Guess: PGlite and node-postgres, on the same database, return the same JavaScript value for a column, since PGlite
#   follows node-postgres.
# Happens (@electric-sql/pglite 0.5.14, pg 8.23.1): a `date` is midnight UTC from PGlite and local midnight from pg, so
#   one of them prints the day before; `count(*)` is a number (a bigint from 2^53 on) against a string; `infinity` is an
#   invalid Date against Infinity; and numbers in a `numeric[]` are exact strings from PGlite, rounded numbers from pg,
#   although pg returns a single `numeric` as a string.
# Why it matters: PGlite runs the tests and pg the production. Days shift, sums become joined strings ("1" + 1), and
#   amounts in arrays lose digits only in production.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . @electric-sql/pglite@0.5.14 \
  @electric-sql/pglite-socket@0.2.17 pg@8.23.1 > /dev/null
cat > probe.mjs <<'JS'
import { createServer } from 'node:net';
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import pg from 'pg';

const query = `select date '2024-05-01' as day, count(*) as n, array[9007199254740993.5]::numeric[] as amounts,
  9007199254740993.5::numeric as amount, 'infinity'::timestamptz as until`;
const port = await new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});
const database = await PGlite.create();
const [embedded] = (await database.query(query)).rows;
const socket = new PGLiteSocketServer({ db: database, port, host: '127.0.0.1' });
await socket.start();
const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' });
await client.connect();
const [networked] = (await client.query(query)).rows;
await client.end();
await socket.stop();
const shown = ({ day, n, amounts, amount, until }) =>
  JSON.stringify([day.toLocaleDateString('en-CA'), n, amounts, amount, String(until)]);
console.log('Node', process.version, 'PGlite', shown(embedded), 'pg', shown(networked));
const expected = [
  '["2024-04-30",1,["9007199254740993.5"],"9007199254740993.5","Invalid Date"]',
  '["2024-05-01","1",[9007199254740994],"9007199254740993.5","Infinity"]',
];
process.exit(shown(embedded) === expected[0] && shown(networked) === expected[1] ? 0 : 1);
JS
TZ=America/New_York node probe.mjs
