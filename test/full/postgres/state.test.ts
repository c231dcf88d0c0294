import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { serve as serveSandbox } from 'agent-connectors-sandbox/server';
import { createService } from 'agent-connectors-service';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { connectTo } from '../../../service/src/data/state/connections.js';
import { migrate } from '../../../service/src/data/state/migrate.js';
import { openPostgres } from '../../../service/src/data/state/postgres.js';
import { runToEnd } from '../../service/cli/terminal.js';
import { FaultyProxy } from '../../service/faults/faulty-proxy.js';
import { credentialsIn, newSandbox } from '../../service/faults/rig.js';
import { writes } from '../../service/faults/writes.js';
import { connectorPath, tenantOf } from '../../service/http/setup.js';
import { newKey } from '../../service/keys.js';
import { serviceProcesses } from '../../service/replication/children.js';
import { newFolder, newState } from '../../service/state/fixtures.js';
import { query, startServer, withClient } from './server.js';

const server = await startServer();
afterAll(() => server?.stop());

const start = serviceProcesses();
/** Slightly more than the milliseconds of silence after which a process is considered dead. */
const silenceMs = 17_000;
/** A data folder that cannot be created: none is needed if everything is in Postgres. */
const nowhere = '/proc/none/data';

/** A database with a tenant, a sandbox behind a connection that can fail, and a way to start processes that use both. */
async function stage() {
  const databaseUrl = await server!.database();
  const vendors = await serveSandbox({ sandbox: newSandbox() });
  onTestFinished(() => vendors.close());
  const far = await FaultyProxy.to(vendors.port);
  onTestFinished(() => far.close());
  const key = newKey();
  const endpoints = { linear: `${far.url}/linear`, gong: `${far.url}/gong` };
  const first = await createService({ dataFolder: nowhere, databaseUrl, key, replicate: false, endpoints });
  onTestFinished(() => first.close());
  const tenant = await tenantOf(first, 'Acme');
  const boot = ({ vendor = far.url, replicates = 'no' } = {}) =>
    start(nowhere, key, vendor, '0', replicates, databaseUrl);
  const direct = `http://127.0.0.1:${vendors.port}`;
  return { databaseUrl, sandbox: vendors.sandbox, far, direct, key, tenant, boot };
}

type Stage = Awaited<ReturnType<typeof stage>>;

/** Sends an execute request to a process and returns status and response; the status is 0 if there was no response. */
async function execute({ tenant }: Stage, url: string, id: string, json: object, idempotencyKey?: string) {
  try {
    const response = await fetch(`${url}${connectorPath(id, '/execute')}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tenant.token}`,
        'content-type': 'application/json',
        connection: 'close',
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      body: JSON.stringify(json),
    });
    return { status: response.status, body: (await response.json()) as any };
  } catch {
    return { status: 0, body: {} as any };
  }
}

/** A vendor in front of another one; while it is closed, it executes requests but does not reply to mutations. */
async function gateTo(vendor: string) {
  let open = () => {};
  let opened: Promise<void> | undefined;
  let waiting = 0;
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString();
    const { authorization = '', 'content-type': type = '' } = request.headers;
    const headers = { authorization, 'content-type': type };
    const reply = await fetch(`${vendor}${request.url}`, { method: request.method!, headers, body });
    const text = await reply.text();
    if (opened && body.includes('mutation')) {
      waiting += 1;
      await opened;
    }
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      opened = new Promise((resolve) => {
        open = resolve;
      });
    },
    open: () => open(),
    waiting: () => waiting,
  };
}

/** Holds up every commit with audit entries during `work`, which gets a function that waits until one is held up. */
const withCommitsHeld = ({ databaseUrl }: Stage, work: (held: () => Promise<void>) => Promise<void>) =>
  withClient(databaseUrl, async (run) => {
    const [table] = await run<{ schema: string }>(
      `select quote_ident(schemaname) as schema from pg_tables where tablename = 'audit'`,
    );
    await run('begin');
    await run(`lock table ${table!.schema}.audit in exclusive mode`);
    await work(async () => {
      const waiting = `select 1 from pg_locks where relation = '${table!.schema}.audit'::regclass and not granted`;
      await expect.poll(async () => (await query(databaseUrl, waiting)).length, { timeout: 60_000 }).toBeGreaterThan(0);
    });
    await run('commit');
  });

/** Verifies the audit log of a database with the `verify-audit` command. */
async function verified({ databaseUrl, key }: Stage): Promise<number> {
  const environment = { DATABASE_URL: databaseUrl, AGENT_CONNECTORS_KEY: key };
  const { code, out, error } = await runToEnd(['verify-audit', '--json'], { environment });
  expect([code, error]).toEqual([0, '']);
  const verdict = JSON.parse(out);
  expect(verdict.broken).toBeNull();
  return verdict.entries;
}

const created = writes.find(({ entity, action, type }) => [entity, action, type].join() === 'issues,create,linear')!;

describe.skipIf(!server)('service processes on one database', () => {
  it('report the database as unavailable while it accepts no connections, and recover afterwards', async () => {
    const { databaseUrl, tenant } = await stage();
    const list = () => tenant.ask('GET', '/api/v1/integrations/connectors');
    expect((await list()).status).toBe(200);
    const name = new URL(databaseUrl).pathname.slice(1);
    await server!.administer(
      `alter database ${name} allow_connections false`,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
    const { status, body } = await list();
    expect([status, body.code, body.retryable]).toEqual([503, 'network', true]);
    await server!.administer(`alter database ${name} allow_connections true`);
    await expect.poll(async () => (await list()).status, { timeout: 30_000 }).toBe(200);
  });

  it('execute a write sent to both at the same time only once, repeatedly, and keep the log intact', async () => {
    const at = await stage();
    const id = await at.tenant.connect('linear', credentialsIn(at.sandbox).linear);
    const both = await Promise.all([at.boot(), at.boot()]);
    const team = await created.prepare!(at.sandbox, '');
    for (let round = 0; round < 15; round += 1) {
      const label = `at once ${round}`;
      const json = { entity: 'issues', action: 'create', params: created.params(label, team) };
      const ask = ({ url }: { readonly url: string }) => execute(at, url, id, json, label);
      const told = await Promise.all([...both, ...both].map(ask));
      for (const { status, body } of told) if (status !== 200) expect(body.code).toBe('conflict');
      expect(told.some(({ status }) => status === 200)).toBe(true);
      const replayed = await Promise.all(both.map(ask));
      expect(replayed.map(({ status }) => status)).toEqual([200, 200]);
      expect(replayed[0]!.body.data).toEqual(replayed[1]!.body.data);
      expect(await created.countDone(at.sandbox, label, team)).toBe(1);
    }
    expect(await verified(at)).toBeGreaterThan(30);
  });

  it.each(['before', 'after'])(
    'execute writes once if one of them freezes in the commit %s they are sent, for longer than others wait for it',
    async (when) => {
      const at = await stage();
      const id = await at.tenant.connect('linear', credentialsIn(at.sandbox).linear);
      const team = await created.prepare!(at.sandbox, '');
      const gate = await gateTo(at.direct);
      const [frozen, other] = await Promise.all([at.boot({ vendor: gate.url }), at.boot()]);
      const labels = Array.from({ length: 6 }, (_, index) => `frozen ${when} ${index}`);
      const ask = (url: string) =>
        Promise.all(
          labels.map((label) => {
            const json = { entity: 'issues', action: 'create', params: created.params(label, team) };
            return execute(at, url, id, json, label);
          }),
        );
      const countDone = () => Promise.all(labels.map((label) => created.countDone(at.sandbox, label, team)));
      let begun: ReturnType<typeof ask> | undefined;
      if (when === 'after') {
        gate.close();
        begun = ask(frozen.url);
        await expect.poll(gate.waiting, { timeout: 60_000 }).toBe(labels.length);
      }
      await withCommitsHeld(at, async (held) => {
        begun ??= ask(frozen.url);
        gate.open();
        await held();
        frozen.freeze();
      });
      // Until the database ends the transaction of the frozen process, and its writes can be taken over.
      const statusesOf = async (url: string) => (await ask(url)).map(({ status }) => status);
      const all = labels.map(() => 200);
      await expect.poll(() => statusesOf(other.url), { timeout: 120_000, interval: 1_000 }).toEqual(all);
      expect(await countDone()).toEqual(labels.map(() => 1));
      frozen.resume();
      for (const { status, body } of await begun!) {
        if (status !== 200) expect(['conflict', 'network', 'unknown_outcome']).toContain(body.code);
      }
      const [first, second] = [await ask(frozen.url), await ask(other.url)];
      expect(first.map(({ status }) => status)).toEqual(all);
      expect(first.map(({ body }) => body.data)).toEqual(second.map(({ body }) => body.data));
      expect(await countDone()).toEqual(labels.map(() => 1));
      expect(await verified(at)).toBeGreaterThan(2 * labels.length);
    },
  );

  it('renew a single-use token once', async () => {
    const at = await stage();
    const id = await at.tenant.connect('gong', { ...at.sandbox.vendors.gong.credentials.oauth_with_token });
    const both = await Promise.all([at.boot(), at.boot()]);
    const json = { entity: 'users', action: 'list', params: {} };
    for (let round = 1; round <= 4; round += 1) {
      at.sandbox.expireTokens();
      at.sandbox.requests.clear();
      const told = await Promise.all([...both, ...both].map(({ url }) => execute(at, url, id, json)));
      expect(told.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const renewals = at.sandbox.requests.filter(({ vendor, path }) => vendor === 'gong' && path.includes('token'));
      expect(renewals.map(({ status }) => status)).toEqual([200]);
    }
  });

  it('run each job once, and take over the jobs of a killed process', async () => {
    const at = await stage();
    const credentials = credentialsIn(at.sandbox).linear;
    const connect = (name: string) => at.tenant.connect('linear', credentials, { name });
    for (let number = 0; number < 6; number += 1) await connect(`connector ${number}`);
    const [one, other] = await Promise.all([at.boot({ replicates: 'yes' }), at.boot({ replicates: 'yes' })]);
    const jobs = () =>
      query<{ connector_id: string; status: string; count: number }>(
        at.databaseUrl,
        `select connector_id, status, count(*)::integer as count from agent_connectors_state.jobs group by 1, 2`,
      );
    const settled = async (connectors: number, timeout: number) => {
      await expect
        .poll(async () => (await jobs()).filter(({ status }) => status === 'done').length, { timeout })
        .toBe(connectors);
      expect((await jobs()).map(({ status, count }) => [status, count])).toEqual(
        Array.from({ length: connectors }, () => ['done', 1]),
      );
    };
    await settled(6, 60_000);
    for (let number = 6; number < 10; number += 1) await connect(`connector ${number}`);
    await expect
      .poll(async () => (await jobs()).filter(({ status }) => status === 'running').length, {
        timeout: 30_000,
        interval: 5,
      })
      .toBeGreaterThan(0);
    await one.kill();
    await settled(10, 60_000);
    expect(await other.stop()).toBe(0);
    await verified(at);
  });

  it('resume a write started by a killed process, and execute it once', async () => {
    const at = await stage();
    const id = await at.tenant.connect('linear', credentialsIn(at.sandbox).linear);
    const team = await created.prepare!(at.sandbox, '');
    for (const direction of ['request', 'reply'] as const) {
      const [dying, other] = await Promise.all([at.boot(), at.boot({ vendor: at.direct })]);
      const label = `killed at the ${direction}`;
      const json = { entity: 'issues', action: 'create', params: created.params(label, team) };
      let dead: Promise<void> | undefined;
      at.far.arm({
        kind: () => {
          dead = dying.kill();
        },
        direction,
        connection: 0,
        at: 50,
      });
      expect((await execute(at, dying.url, id, json, label)).status).toBe(0);
      await dead;
      expect((await execute(at, other.url, id, json, label)).body.code).toBe('conflict');
      await expect
        .poll(async () => (await execute(at, other.url, id, json, label)).status, {
          timeout: 2 * silenceMs,
          interval: 500,
        })
        .toBe(200);
      expect(await created.countDone(at.sandbox, label, team)).toBe(1);
    }
    await verified(at);
  });

  it('report a lost database connection to callers, and recover when the database is back', async () => {
    const at = await stage();
    const id = await at.tenant.connect('linear', credentialsIn(at.sandbox).linear);
    const { url, stop } = await at.boot();
    const json = { entity: 'issues', action: 'list', params: { first: 1 } };
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'agent-connectors-state'`;
    const statuses: number[] = [];
    for (let round = 0; round < 60; round += 1) {
      if (round % 6 === 0) await query(at.databaseUrl, cut);
      const told = await Promise.all([1, 2, 3].map(() => execute(at, url, id, json)));
      statuses.push(...told.map(({ status }) => status));
    }
    expect(statuses.every((status) => status === 200 || status >= 500)).toBe(true);
    expect((await execute(at, url, id, json)).status).toBe(200);
    expect(await stop()).toBe(0);
    await verified(at);
  });

  it('start concurrently on an empty database', async () => {
    const databaseUrl = await server!.database();
    const versions = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const database = await openPostgres(await connectTo(databaseUrl));
        await migrate(database, Date.now);
        const rows = await database.query.selectFrom('versions').select('version').orderBy('version').execute();
        await database.close();
        return rows;
      }),
    );
    for (const rows of versions) expect(rows).toEqual(versions[0]);
  });
});

it.skipIf(!server)(
  'state left in a folder is reported by the service at startup, and move-state moves it',
  async () => {
    const [databaseUrl, folder, key] = [await server!.database(), newFolder(), newKey()];
    const environment = { DATABASE_URL: databaseUrl, AGENT_CONNECTORS_KEY: key };
    const before = await newState({ folder, keys: [key] });
    const { id: organizationId } = await before.organizations.create('Acme');
    const { id: workspaceId } = await before.workspaces.create(organizationId, 'main');
    const { id } = await before.connectors.create(
      { organizationId },
      {
        workspaceId,
        name: 'Linear',
        type: 'linear',
        replicationConfig: { interval: '1d' },
        settings: {},
        credentials: { api_key: 'lin_api_1' },
      },
    );
    const running = await runToEnd(['move-state', '--data', folder], { environment });
    expect([running.code, running.error]).toEqual([1, expect.stringContaining('stop it')]);
    await before.close();
    const refused = await runToEnd(['--port', '0', '--data', folder], { environment });
    expect([refused.code, refused.error]).toEqual([1, expect.stringMatching(/empty.*state\.db.*move-state/)]);
    const moved = await runToEnd(['move-state', '--data', folder, '--json'], { environment });
    expect([moved.code, moved.error]).toEqual([0, '']);
    expect(JSON.parse(moved.out)).toMatchObject({ aside: expect.stringContaining('state.moved.db') });
    const service = await createService({ dataFolder: folder, databaseUrl, key, replicate: false });
    onTestFinished(() => service.close());
    expect(await service.state.connectors.get({ organizationId }, id)).toMatchObject({ name: 'Linear' });
    expect(await service.state.credentials.load(id)).toEqual({ api_key: 'lin_api_1' });
    const again = await runToEnd(['move-state', '--data', folder], { environment });
    expect([again.code, again.error]).toEqual([1, expect.stringContaining('no database')]);
  },
);
