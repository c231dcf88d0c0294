// The least that a server with the service's guarantees has to do, for bench/hosted.mjs: it verifies a JWT, loads one
// joined row, opens a sealed credential, calls Linear, and appends to a keyed audit chain. A write is one group commit
// before the vendor and one after it. There are no policies, limits, metrics or replicas.
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import pg from 'pg';
import { Pool } from 'undici';
import * as z from 'zod';

const [jwtKey, dataKey, auditKey] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const base64 = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const signatureOf = (text) => createHmac('sha256', jwtKey).update(text).digest();

function signToken(claims) {
  const text = `${base64({ alg: 'HS256', typ: 'JWT' })}.${base64(claims)}`;
  return `${text}.${signatureOf(text).toString('base64url')}`;
}

class Rejection extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

function claimsOf(header = '') {
  const [head, claims, signature = ''] = header.slice('Bearer '.length).split('.');
  const expected = signatureOf(`${head}.${claims}`);
  const actual = Buffer.from(signature, 'base64url');
  const isSigned = actual.length === expected.length && timingSafeEqual(actual, expected);
  const content = isSigned ? JSON.parse(Buffer.from(claims, 'base64url')) : { exp: 0 };
  if (content.exp * 1000 < Date.now()) throw new Rejection(401, 'The token is invalid or expired.');
  return content;
}

function seal(context, text) {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', dataKey, iv).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

function unseal(context, stored) {
  const bytes = Buffer.from(stored);
  const decipher = createDecipheriv('aes-256-gcm', dataKey, bytes.subarray(0, 12));
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(12, 28));
  return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8');
}

const texts = ['org', 'at', 'event', 'connector', 'client', 'entity', 'action', 'outcome', 'params_digest', 'request'];
const auditColumns = [...texts, 'seq', 'begun_as', 'duration_ms', 'previous', 'digest'];

/** An audit entry, linked to the one before it. */
function link(entry, head) {
  const linked = { begun_as: null, duration_ms: null, ...entry, seq: Number(head.seq) + 1, previous: head.digest };
  const text = JSON.stringify(auditColumns.slice(0, -1).map((name) => linked[name]));
  return { ...linked, digest: createHmac('sha256', auditKey).update(text).digest('hex') };
}

const genesis = { seq: 0, digest: '0'.repeat(64) };
const auditTypes = auditColumns.map((name) => (['seq', 'begun_as', 'duration_ms'].includes(name) ? 'bigint' : 'text'));
const tables = (bytes) => [
  'create table clients(id text primary key, org text, scopes text)',
  'create table connectors(id text primary key, org text, type text, settings text)',
  `create table credentials(connector text primary key, sealed ${bytes})`,
  `create table audit(${auditColumns.map((name, index) => `${name} ${auditTypes[index]}`)}, primary key(org, seq))`,
  `create table ledger(id text primary key, connector text, done int, body_hash text, sealed ${bytes})`,
];
const loadRow = (client, connector) =>
  `select cl.scopes, c.org, c.type, c.settings, cr.sealed from connectors c join clients cl on cl.id = ${client} and
   cl.org = c.org join credentials cr on cr.connector = c.id where c.id = ${connector}`;

/** @param {string} file */
async function openSqlite(file) {
  const builtIn = process.getBuiltinModule?.('node:sqlite');
  const { DatabaseSync } = builtIn ?? (await import('@photostructure/sqlite')).default;
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode = wal; pragma synchronous = full');
  for (const table of tables('blob')) database.exec(table);
  const load = database.prepare(loadRow('?', '?'));
  const newest = database.prepare('select seq, digest from audit where org = ? order by seq desc limit 1');
  const audit = database.prepare(`insert into audit values(${auditColumns.map(() => '?')})`);
  const begin = database.prepare('insert into ledger values(?, ?, 0, ?, ?) on conflict(id) do nothing');
  const find = database.prepare('select done, body_hash, sealed from ledger where id = ?');
  const end = database.prepare('update ledger set done = 1, sealed = ? where id = ?');
  const run = ({ begins, ends, entry }, heads) => {
    if (begins && begin.run(begins.id, begins.connector, begins.hash, begins.sealed).changes === 0)
      return { existing: find.get(begins.id) };
    if (ends) end.run(ends.sealed, ends.id);
    const linked = link(entry, heads.get(entry.org) ?? newest.get(entry.org) ?? genesis);
    audit.run(...auditColumns.map((name) => linked[name]));
    heads.set(entry.org, linked);
    return { seq: linked.seq };
  };
  return {
    insert: async (table, values) =>
      void database.prepare(`insert into ${table} values(${values.map(() => '?')})`).run(...values),
    load: async (client, connector) => load.get(client, connector),
    async commit(units) {
      database.exec('begin immediate');
      const heads = new Map();
      const results = units.map((unit) => run(unit, heads));
      database.exec('commit');
      return results;
    },
  };
}

/** @param {string} url */
async function openPostgres(url) {
  const pool = new pg.Pool({ connectionString: url, max: 8 });
  for (const table of tables('bytea')) await pool.query(table);
  const lockedHead = `with lock as materialized (select pg_advisory_xact_lock(hashtextextended($1, 7)))
    select seq, digest from lock left join lateral
    (select seq, digest from audit where org = $1 order by seq desc limit 1) newest on true`;
  const beginAll = `insert into ledger select * from unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::bytea[])
    on conflict(id) do nothing returning id`;
  const endAll = `update ledger set done = 1, sealed = ended.sealed from unnest($1::text[], $2::bytea[])
    as ended(id, sealed) where ledger.id = ended.id`;
  const auditAll = `insert into audit select * from unnest(${auditTypes.map((type, index) => `$${index + 1}::${type}[]`)})`;
  const commitAll = async (client, units) => {
    const ask = (name, text, values) => client.query({ name, text, values });
    const began = units.flatMap(({ begins }) => begins ?? []);
    const ended = units.flatMap(({ ends }) => ends ?? []);
    const column = (rows, name) => rows.map((row) => row[name]);
    const begun = client.query('begin');
    const heading = ask('head', lockedHead, [units[0].entry.org]);
    const inserting = ask('begin', beginAll, [
      column(began, 'id'),
      column(began, 'connector'),
      began.map(() => 0),
      column(began, 'hash'),
      column(began, 'sealed'),
    ]);
    const ending = ask('end', endAll, [column(ended, 'id'), column(ended, 'sealed')]);
    const [, head, inserted] = await Promise.all([begun, heading, inserting, ending]);
    const won = new Set(inserted.rows.map(({ id }) => id));
    let last = head.rows[0].seq === null ? genesis : head.rows[0];
    const entries = [];
    const results = [];
    for (const { begins, entry } of units) {
      if (begins && !won.has(begins.id)) {
        const find = 'select done, body_hash, sealed from ledger where id = $1';
        results.push({ existing: (await client.query(find, [begins.id])).rows[0] });
        continue;
      }
      last = link(entry, last);
      entries.push(last);
      results.push({ seq: last.seq });
    }
    const columns = auditColumns.map((name) => column(entries, name));
    await Promise.all([ask('audit', auditAll, columns), client.query('commit')]);
    return results;
  };
  return {
    insert: async (table, values) =>
      void (await pool.query(`insert into ${table} values(${values.map((_, index) => `$${index + 1}`)})`, values)),
    load: async (client, connector) =>
      (await pool.query({ name: 'load', text: loadRow('$1', '$2'), values: [client, connector] })).rows[0],
    async commit(units) {
      const client = await pool.connect();
      try {
        return await commitAll(client, units);
      } catch (error) {
        await client.query('rollback');
        throw error;
      } finally {
        client.release();
      }
    },
  };
}

/** Commits everything that is waiting in one transaction, one transaction at a time. */
function groupCommits(database) {
  let waiting = [];
  let isRunning = false;
  let timer;
  const drain = async () => {
    timer = clearTimeout(timer);
    if (isRunning) return;
    isRunning = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      try {
        const results = await database.commit(group.map(({ unit }) => unit));
        for (const [index, { resolve }] of group.entries()) resolve(results[index]);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    isRunning = false;
  };
  const add = (unit) => new Promise((resolve, reject) => void waiting.push({ unit, resolve, reject }));
  return {
    now(unit) {
      const result = add(unit);
      setImmediate(drain);
      return result;
    },
    /** Within 50 ms, as the service does for audit entries of reads. */
    soon(unit) {
      add(unit).catch(() => {});
      timer ??= setTimeout(drain, 50);
    },
  };
}

const Body = z.strictObject({
  entity: z.string().min(1).max(200),
  action: z.enum(['list', 'create']),
  params: z.record(z.string(), z.unknown()).default({}),
  intent: z.string().max(512).optional(),
});
const Params = {
  list: z.strictObject({ first: z.int().min(1).max(250).default(50), after: z.string().optional() }),
  create: z.strictObject({ teamId: z.string(), title: z.string().min(1).max(500) }),
};
const digest = (value) => createHash('sha256').update(JSON.stringify(value)).digest('base64url');

/** Starts the server. */
export async function startMinimum({ vendor, api_key, query, mutation, dataFolder, databaseUrl }) {
  const database = databaseUrl ? await openPostgres(databaseUrl) : await openSqlite(`${dataFolder}.db`);
  const [org, client, connector] = ['org_bench', 'cli_bench', 'con_bench'];
  await database.insert('clients', [client, org, 'read write']);
  await database.insert('connectors', [connector, org, 'linear', '{}']);
  await database.insert('credentials', [connector, seal(connector, JSON.stringify({ api_key }))]);
  const commits = groupCommits(database);
  const pool = new Pool(new URL(vendor).origin, { connections: 64 });
  const callVendor = async (authorization, document, variables) => {
    const headers = { 'content-type': 'application/json', authorization };
    const body = JSON.stringify({ query: document, variables });
    const reply = await pool.request({ method: 'POST', path: `${new URL(vendor).pathname}/graphql`, headers, body });
    if (reply.statusCode !== 200) throw new Rejection(502, 'The vendor failed.');
    return (await reply.body.json()).data;
  };

  const execute = async (headers, id, text) => {
    const { sub } = claimsOf(headers.authorization);
    const { entity, action, params: given, intent = null } = Body.parse(JSON.parse(text));
    const params = Params[action].parse(given);
    const row = await database.load(sub, id);
    if (!row?.scopes.includes(action === 'list' ? 'read' : 'write')) throw new Rejection(404, 'No such connector.');
    const key = JSON.parse(unseal(id, row.sealed)).api_key;
    const started = performance.now();
    const time = () => ({ at: new Date().toISOString(), duration_ms: Math.round(performance.now() - started) });
    const common = { event: 'execute', connector: id, client: sub, entity, action, request: crypto.randomUUID() };
    const entry = { ...common, org: row.org, params_digest: digest(params), intent };
    const replyOf = (result, connector_metadata) =>
      JSON.stringify({
        status: 'success',
        result,
        connector_metadata,
        execution_metadata: { connector_instance_id: id, execution_time_ms: time().duration_ms },
      });
    if (action === 'list') {
      const { issues } = await callVendor(key, query, params);
      commits.soon({ entry: { ...entry, ...time(), outcome: 'success' } });
      return replyOf(issues.nodes, issues.pageInfo);
    }
    const write = digest([sub, id, entity, action, headers['idempotency-key']]);
    const hash = digest(text);
    const input = { id: crypto.randomUUID(), ...params };
    const begins = { id: write, connector: id, hash, sealed: seal(write, JSON.stringify({ sent: input.id })) };
    const { seq, existing } = await commits.now({ begins, entry: { ...entry, at: time().at, outcome: 'begun' } });
    if (existing) {
      if (existing.body_hash !== hash || Number(existing.done) !== 1) throw new Rejection(409, 'The key is in use.');
      return JSON.parse(unseal(write, existing.sealed)).body;
    }
    const { issueCreate } = await callVendor(key, mutation, { input });
    const body = replyOf(issueCreate.issue, {});
    const ends = { id: write, sealed: seal(write, JSON.stringify({ status: 200, body })) };
    await commits.now({ ends, entry: { ...entry, ...time(), outcome: 'success', begun_as: seq } });
    return body;
  };

  const app = new Hono();
  app.post('/api/v1/integrations/connectors/:id/execute', async ({ req }) => {
    const headers = { 'content-type': 'application/json' };
    const asked = { authorization: req.header('authorization'), 'idempotency-key': req.header('idempotency-key') };
    try {
      return new Response(await execute(asked, req.param('id'), await req.text()), { headers });
    } catch (error) {
      return new Response(JSON.stringify({ message: error.message }), { status: error.status ?? 500, headers });
    }
  });
  const server = createAdaptorServer({ fetch: app.fetch });
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const token = signToken({ sub: client, org, exp: Math.floor(Date.now() / 1000) + 24 * 3600 });
  return { port: server.address().port, token, id: connector };
}
