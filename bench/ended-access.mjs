// How long work that waits goes on after its access has ended: `node bench/ended-access.mjs [--postgres]` after
// `npm run build`. Two processes share a data folder, or with `--postgres` a server on this machine. Calls wait for their
// turn at a vendor that rate-limits them, in one process, while the other one ends their access. The table shows, for
// each change and kind of work, the milliseconds from the response to the change until the last request that reached the
// vendor or, for a download, until the last byte. What a change must end has to end within two seconds.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createService } from 'agent-connectors-service';

const { values: options } = parseArgs({ options: { postgres: { type: 'boolean', default: false } } });
/** @param {string} path */
const siblingPath = (path) => fileURLToPath(new URL(path, import.meta.url));
const maxMs = 2_000;
/** How long each change is watched. */
const watchedMs = 4_000;
const kinds = /** @type {const} */ (['keyed write', 'write', 'MCP write', 'queued write', 'read', 'download']);

/** @type {import('node:child_process').ChildProcess[]} */
const children = [];
/** Starts a program and returns the first line that it prints. @param {string} path @param {string[]} args @param {object} [env] */
async function start(path, args, env = {}) {
  const options = /** @type {const} */ ({ stdio: ['pipe', 'pipe', 'inherit'] });
  const child = spawn(process.execPath, [siblingPath(path), ...args], { ...options, env: { ...process.env, ...env } });
  children.push(child);
  const lines = createInterface(child.stdout);
  const [line] = await once(lines, 'line');
  lines.on('line', () => {});
  return String(line);
}
const sandbox = JSON.parse(await start('../sandbox/bin/agent-connectors-sandbox.js', ['--port', '0', '--json']));
let isLimited = false;
/** The last time that each kind of work reached the vendor. @type {Map<string, number>} */
const lastAt = new Map();
const vendor = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  const path = request.url ?? '/';
  if (path.includes('alt=media')) {
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    const timer = setInterval(() => response.write('x'.repeat(100)), 20);
    response.on('close', () => clearInterval(timer));
    return;
  }
  if (isLimited && path.startsWith('/linear')) {
    const kind = kinds.find((kind) => body.includes(`"${kind}"`)) ?? 'read';
    lastAt.set(kind, performance.now());
    response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' });
    response.end(JSON.stringify({ errors: [{ message: 'slow down', extensions: { code: 'RATELIMITED' } }] }));
    return;
  }
  const { host: _, 'content-length': __, connection: ___, ...headers } = request.headers;
  const reply = await fetch(new URL(path, sandbox.url), {
    method: request.method ?? 'GET',
    headers: /** @type {any} */ (headers),
    ...(body && { body }),
  });
  response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? 'application/json' });
  response.end(Buffer.from(await reply.arrayBuffer()));
});
vendor.listen(0, '127.0.0.1');
await once(vendor, 'listening');
const vendorUrl = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (vendor.address()).port}`;
const endpoints = { linear: `${vendorUrl}/linear`, 'google-drive': `${vendorUrl}/google-drive` };

const dataFolder = mkdtempSync(join(tmpdir(), 'ended-access-'));
const key = randomBytes(32).toString('base64');
const databaseUrl = options.postgres ? await start('../scripts/postgres.mjs', ['--plain']) : undefined;
const location = { dataFolder, key, ...(databaseUrl && { databaseUrl }) };
const setup = await createService({ ...location, endpoints, replicate: false, embedders: [] });
const { state } = setup;

/** Starts a process of the service and returns its URL. */
async function startProcess() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  const args = ['--data', dataFolder, '--port', String(port), '--endpoints', JSON.stringify(endpoints), '--json'];
  const more = ['--no-replication', '--mcp-allow-writes', '--log-level', 'warn', '--limits', '{"rate":0}'];
  const child = spawn(process.execPath, [siblingPath('../service/bin/agent-connectors-service.js'), ...args, ...more], {
    stdio: 'ignore',
    env: { ...process.env, AGENT_CONNECTORS_KEY: key, ...(databaseUrl && { DATABASE_URL: databaseUrl }) },
  });
  children.push(child);
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 200; tries++) {
    if (
      await fetch(`${url}/ready`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return url;
    await wait(200);
  }
  throw new Error('The service did not start.');
}
const [near, far] = [await startProcess(), await startProcess()];

/**
 * @param {string} base @param {string} token @param {string} method @param {string} path @param {object} [json]
 * @param {object} [more] @param {AbortSignal} [signal]
 */
async function ask(base, token, method, path, json, more = {}, signal) {
  const response = await fetch(base + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more },
    ...(json && { body: JSON.stringify(json) }),
    ...(signal && { signal }),
  });
  return { status: response.status, body: await response.json().catch(() => ({})) };
}

/** @param {string} organizationId @param {string} name */
async function clientIn(organizationId, name) {
  const { client, secret } = await state.clients.create(name, [organizationId]);
  const json = { client_id: client.id, client_secret: secret };
  const { body } = await ask(near, '', 'POST', '/api/v1/account/applications/token', json);
  return { id: client.id, token: body.access_token };
}

/** @param {{ readonly connectors: readonly string[], readonly agent: { id: string, token: string } }} tenant */
const connectorPaths = ({ connectors }) => connectors.map((id) => `/api/v1/integrations/connectors/${id}`);
/** @typedef {{ connectors: string[], agent: { id: string, token: string }, admin: { token: string }, credentials: object[] }} Tenant */
/** What a change ends, and how it is made. @type {Record<string, ['writes' | 'all', (tenant: Tenant) => Promise<unknown>]>} */
const changes = {
  'read-only policy': [
    'writes',
    ({ admin }) => put(admin, '/api/v1/policies', { workspace_name: 'w', read_only: true }),
  ],
  'policy that requires approval': [
    'writes',
    ({ admin }) => put(admin, '/api/v1/policies', { workspace_name: 'w', approval: ['linear:*.create'] }),
  ],
  'policy that denies': [
    'all',
    ({ admin }) => put(admin, '/api/v1/policies', { workspace_name: 'w', allow: ['users.list'] }),
  ],
  'lost write scope': ['writes', ({ admin, agent }) => put(admin, `/api/v1/clients/${agent.id}`, { scopes: ['read'] })],
  'lost scopes': ['all', ({ admin, agent }) => put(admin, `/api/v1/clients/${agent.id}`, { scopes: ['manage'] })],
  'revoked token': [
    'all',
    ({ admin, agent }) => ask(far, admin.token, 'POST', '/api/v1/account/tokens/revoke', { token: agent.token }),
  ],
  'new secret': [
    'all',
    ({ admin, agent }) =>
      ask(far, admin.token, 'POST', `/api/v1/clients/${agent.id}/secret`, { overlap_seconds: 60, end_tokens: true }),
  ],
  'deleted client': ['all', ({ agent }) => state.clients.delete(agent.id)],
  'new credentials': [
    'all',
    async (tenant) => {
      const requests = connectorPaths(tenant).map((path, index) =>
        put(tenant.admin, path, { credentials: tenant.credentials[index] }),
      );
      return (await Promise.all(requests))[0];
    },
  ],
  'deleted connector': [
    'all',
    async (tenant) => {
      const requests = connectorPaths(tenant).map((path) => ask(far, tenant.admin.token, 'DELETE', path));
      return (await Promise.all(requests))[0];
    },
  ],
  'deleted workspace': ['all', ({ admin }) => ask(far, admin.token, 'DELETE', '/api/v1/workspaces/w')],
};
/** @param {{ token: string }} admin @param {string} path @param {object} json */
const put = (admin, path, json) => ask(far, admin.token, 'PUT', path, json);

/** @param {string} name @returns {Promise<Tenant>} */
async function createTenant(name) {
  const { id } = await state.organizations.create(name);
  await state.workspaces.create(id, 'w');
  const [admin, agent] = [await clientIn(id, 'admin'), await clientIn(id, 'agent')];
  const { linear, 'google-drive': drive } = sandbox.vendors;
  const credentials = [linear.credentials.api_key, drive.credentials.access_token];
  const connectors = [];
  for (const [index, connector_type] of ['linear', 'google-drive'].entries()) {
    const json = { workspace_name: 'w', connector_type, name: connector_type, credentials: credentials[index] };
    connectors.push((await ask(near, admin.token, 'POST', '/api/v1/integrations/connectors', json)).body.id);
  }
  return { connectors, agent, admin, credentials };
}

/** Starts work of each kind, makes the change, and returns for how long each kind went on. @param {string} name */
async function measure(name) {
  const abort = new AbortController();
  const { signal } = abort;
  /** @type {number | undefined} */
  let byteAt;
  const tenant = await createTenant(name);
  const { token } = tenant.agent;
  const [linear, drive] = connectorPaths(tenant);
  const download = await fetch(`${near}${drive}/execute`, {
    method: 'POST',
    signal,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ entity: 'files', action: 'download', params: { fileId: 'f1' } }),
  });
  const reading = (async () => {
    for await (const _ of /** @type {any} */ (download.body)) byteAt = performance.now();
  })().catch(() => {});
  isLimited = true;
  /** @param {string} body @param {object} [headers] */
  const write = (body, headers) =>
    execute({ entity: 'comments', action: 'create', params: { issueId: 'ENG-1', body } }, headers);
  /** @param {object} json @param {object} [headers] */
  const execute = (json, headers) => ask(near, token, 'POST', `${linear}/execute`, json, headers, signal);
  const call = {
    name: 'execute_write',
    arguments: {
      connector: 'linear',
      entity: 'comments',
      action: 'create',
      params: { issueId: 'ENG-1', body: 'MCP write' },
    },
  };
  const mcp = {
    'x-workspace': 'w',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  };
  const initialize = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  };
  const begun = await fetch(`${near}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...mcp },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize }),
  });
  await begun.text();
  const session = { ...mcp, 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
  const work = [
    write('keyed write', { 'idempotency-key': 'one' }),
    write('write'),
    ask(near, token, 'POST', '/mcp', { jsonrpc: '2.0', id: 2, method: 'tools/call', params: call }, session, signal),
    execute({ entity: 'teams', action: 'list', params: {} }),
  ];
  // Those that come later queue behind these.
  for (let tries = 0; lastAt.size < work.length && tries < 200; tries++) await wait(50);
  work.push(...Array.from({ length: 50 }, () => write('queued write')));
  for (let tries = 0; !lastAt.has('queued write') && tries < 200; tries++) await wait(50);
  const before = new Map(lastAt);
  const response = /** @type {any} */ (await changes[name]?.[1](tenant));
  if (response?.status !== undefined && response.status !== 200) throw new Error(`${name}: ${response.status}`);
  const changedAt = performance.now();
  await wait(watchedMs);
  const row = Object.fromEntries(
    kinds.map((kind) => {
      const last = kind === 'download' ? byteAt : lastAt.get(kind);
      if (last === undefined || (kind !== 'download' && !before.has(kind))) return [kind, 'not begun'];
      return [kind, Math.max(0, Math.round(last - changedAt))];
    }),
  );
  abort.abort();
  isLimited = false;
  await Promise.allSettled([...work, reading]);
  // Until the vendor's limit is over.
  await wait(2_000);
  lastAt.clear();
  return row;
}

/** @type {Record<string, Record<string, string | number>>} */
const table = {};
let late = 0;
for (const [name, [ends]] of Object.entries(changes)) {
  const row = await measure(name);
  for (const [kind, ms] of Object.entries(row)) {
    const mustEnd = ends === 'all' || kind.endsWith('write');
    if (mustEnd && (typeof ms === 'string' || ms > maxMs)) late += 1;
    if (!mustEnd) row[kind] = 'continues';
  }
  table[name] = row;
}
console.table(table);
console.log(
  late === 0 ? `Everything ended within ${maxMs} ms.` : `${late} did not end within ${maxMs} ms, or did not begin.`,
);
for (const child of children) child.stdin ? child.stdin.end() : undefined;
for (const child of children) child.kill();
await setup.close();
vendor.closeAllConnections();
vendor.close();
rmSync(dataFolder, { recursive: true, force: true });
process.exit(late === 0 ? 0 : 1);
