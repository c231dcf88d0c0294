/**
 * Measures a Postgres or Citus context store that is too large to load record by record:
 * `node bench/large.mjs --postgres postgres://… [--connectors 10] [--each 1000000] [--rounds 60]`, in an empty
 * database. One connector's comments are written through the store; SQL copies them to the other connectors, so all
 * have the same ids. The URL must name a superuser, because the copies bypass row policies. If the database has the
 * `citus` extension, the tables are distributed first.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { quantile } from './measure.mjs';
import { library } from './store-library.mjs';
import { first, instant, oneOf, people, randomBelow, text, uuid, vocabulary } from './store-records.mjs';

const { values: options } = parseArgs({
  options: {
    postgres: { type: 'string' },
    connectors: { type: 'string', default: '10' },
    each: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '60' },
  },
});
const [connectors, each, rounds] = [options.connectors, options.each, options.rounds].map(Number);
const databaseUrl = String(options.postgres);
const { openStore, entitiesOf, distribute } = await library();
const { LinearConnector } = await import('agent-connectors/linear');
const { replication } = await LinearConnector.manifest.replication();
const entities = entitiesOf(LinearConnector.manifest, replication);
const collectionOf = (/** @type {number} */ number) => ({
  connectorId: `con_${number}`,
  type: 'linear',
  entity: 'comments',
});
const open = () => openStore({ databaseUrl, entities, cursorKeys: () => [new Uint8Array(32).fill(1)] });
const client = new pg.Client(databaseUrl);
await client.connect();
/** @param {string} sql @param {unknown[]} [values] */
const rowsOf = async (sql, values) => (await client.query(sql, values)).rows;
const report = (/** @type {string} */ line) => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);

const issues = Array.from({ length: 20_000 }, uuid);
function comment() {
  return {
    id: uuid(),
    body: text(6 + randomBelow(15)),
    createdAt: instant(),
    updatedAt: instant(),
    issueId: oneOf(issues),
    userId: oneOf(people),
    url: `https://linear.app/acme/issue/ENG-${randomBelow(20_000)}`,
  };
}

/** Writes the first connector's records through the store. */
async function load() {
  const store = await open();
  const collection = collectionOf(1);
  await store.startLoad(collection);
  const started = performance.now();
  for (let made = 0; made < each; made += 2000) await store.write(collection, Array.from({ length: 2000 }, comment));
  await store.finishLoad(collection);
  await store.close();
  report(`${each} records written, ${Math.round(each / ((performance.now() - started) / 1000))} per second`);
}

/** Copies the first connector's rows; terms are rewritten to start with the new connector's number. */
async function copyTo(/** @type {number} */ number) {
  await rowsOf('insert into connectors (number, connector_id) overriding system value values ($1, $2)', [
    number,
    `con_${number}`,
  ]);
  await rowsOf(`insert into terms (connector, scope, term)
    select ${number}, regexp_replace(scope, '^1z', '${number}z'), term from terms where connector = 1 order by n`);
  const columns = await rowsOf(
    `select quote_ident(attname) as name from pg_attribute where attrelid = '"linear.comments"'::regclass
      and attnum > 0 and not attisdropped and attname not in ('rid', 'connector', 'terms')`,
  );
  const names = columns.map(({ name }) => name).join(', ');
  await rowsOf(`insert into "linear.comments" (connector, ${names}, terms)
    select ${number}, ${names}, replace(terms::text, '''1z', '''${number}z')::tsvector
      from "linear.comments" where connector = 1`);
}

const randomWord = () => vocabulary[Math.floor(20_000 ** Math.random()) - 1 || 0];
/** @type {Record<string, () => object>} */
const searches = {
  'eq issueId': () => ({ filter: { eq: { issueId: oneOf(issues) } } }),
  'eq userId, 50': () => ({ filter: { eq: { userId: oneOf(people) } } }),
  'gt updatedAt, 50': () => ({ filter: { gt: { updatedAt: instant() } } }),
  'gte + lt + sort, 50': () => {
    const from = first + randomBelow(2 * 365 * 86_400_000);
    const range = {
      gte: { createdAt: new Date(from).toISOString() },
      lt: { createdAt: new Date(from + 30 * 86_400_000).toISOString() },
    };
    return { filter: range, sort: [{ updatedAt: 'desc' }] };
  },
  'keyword, one word': () => ({ filter: { keyword: { body: randomWord() } } }),
  'keyword, two words': () => ({ filter: { keyword: { body: `${randomWord()} ${randomWord()}` } } }),
  'fuzzy, one word': () => ({ filter: { fuzzy: { body: `${randomWord()}a` } } }),
  'like, rare word': () => ({ filter: { like: { body: `%${oneOf(vocabulary.slice(5000))}%` } } }),
  'and + not + sort': () => ({
    filter: { eq: { userId: oneOf(people) }, not: { eq: { issueId: oneOf(issues) } } },
    sort: [{ updatedAt: 'desc' }],
  }),
  'sort by updatedAt, 50': () => ({ sort: [{ updatedAt: 'desc' }] }),
};

await (await open()).close();
const [cluster] = await rowsOf(`select 1 from pg_extension where extname = 'citus'`);
if (cluster) await distribute(databaseUrl);
const [row] = await rowsOf('select count(*)::integer as n from connectors');
if (row.n === 0) await load();
for (let number = Math.max(2, row.n + 1); number <= connectors; number++) {
  await copyTo(number);
  report(`${number * each} records`);
}
if (row.n < connectors) await rowsOf('vacuum (analyze) "linear.comments"');
const [size] = await rowsOf(
  cluster
    ? `select citus_total_relation_size('"linear.comments"') as bytes`
    : `select pg_total_relation_size('"linear.comments"') as bytes`,
);
const store = await open();
console.log(
  `| ${(connectors * each).toLocaleString('en')} comments of ${connectors} connectors | p50 / p99, ms |\n|---|--:|`,
);
for (const [name, query] of Object.entries(searches)) {
  /** @type {number[]} */
  const took = [];
  for (let round = 0; round < rounds + 5; round++) {
    const started = performance.now();
    const collection = collectionOf(1 + randomBelow(connectors));
    await store.search({ ...collection, params: { query: query(), limit: 50 } });
    if (round >= 5) took.push(performance.now() - started);
  }
  console.log(`| ${name} | ${[0.5, 0.99].map((share) => quantile(took, share).toFixed(1)).join(' / ')} |`);
}
console.log(`| bytes per record, with indexes | ${Math.round(Number(size.bytes) / (connectors * each))} |`);
await store.close();
await client.end();
