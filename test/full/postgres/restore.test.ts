import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createSandbox } from 'agent-connectors-sandbox';
import { createService } from 'agent-connectors-service';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { createRequester, execute, tenantOf } from '../../service/http/setup.js';
import { newKey } from '../../service/keys.js';
import { newFolder } from '../../service/state/fixtures.js';
import { directUrlOf, query, startServer } from './server.js';

const server = await startServer();
afterAll(() => server?.stop());

const script = readFileSync(new URL('../../../examples/shell/postgres.sh', import.meta.url), 'utf8');
/** Lines shown in the guide. */
const region = (name: string) => new RegExp(`# #region ${name}\\n([\\s\\S]*?)# #endregion`).exec(script)![1]!;

it.skipIf(!server)(
  'a dump restored as described in the guide contains everything that the service stored',
  async () => {
    const databaseUrl = await server!.database();
    const restoredUrl = await server!.database();
    const sandbox = createSandbox({ seed: 7, scale: 0.2 });
    const key = newKey();
    const open = async (url: string, replicate = false) => {
      const service = await createService({
        dataFolder: newFolder(),
        databaseUrl: url,
        key,
        fetch: sandbox.fetch,
        replicate,
      });
      onTestFinished(() => service.close());
      return service;
    };
    const service = await open(databaseUrl, true);
    const tenant = await tenantOf(service, 'Acme');
    const id = await tenant.connect('linear', sandbox.vendors.linear.credentials.api_key);
    const search = (ask: typeof tenant.ask, params: object) =>
      execute({ ask }, id, 'issues', 'context_store_search', params).then(({ body }) => body.result);
    const teamId = (await execute(tenant, id, 'teams', 'list')).body.result[0].id;
    const create = (ask: typeof tenant.ask) =>
      execute({ ask }, id, 'issues', 'create', { teamId, title: 'Once' }, { headers: { 'idempotency-key': 'once' } });
    expect((await create(tenant.ask)).status).toBe(200);
    const jobs = async () => (await tenant.ask('GET', `/api/v1/integrations/connectors/${id}/jobs`)).body.data;
    await expect.poll(async () => (await jobs())[0]?.status, { timeout: 120_000, interval: 500 }).toBe('done');
    const pending = async () => (await tenant.ask('GET', '/metrics')).text;
    await expect
      .poll(pending, { timeout: 60_000, interval: 500 })
      .toContain('\nagent_connectors_embedding_passages_pending 0\n');
    const asked = [
      { query: { sort: [{ createdAt: 'asc' }, { id: 'asc' }] }, limit: 1000 },
      { query: { filter: { keyword: { title: 'report' } } } },
      { semantic: { prompt: 'a payment that fails' } },
    ];
    const answers = async (ask: typeof tenant.ask) =>
      Promise.all(asked.map(async (one) => (await search(ask, one)).data));
    const before = await answers(tenant.ask);
    expect(before[0]!.length).toBeGreaterThan(10);
    await service.close();

    const cwd = newFolder();
    const sh = (lines: string, url: string) =>
      execFileSync('bash', ['-euc', lines], { cwd, env: { ...process.env, DATABASE_URL: url }, stdio: 'pipe' });
    sh(region('backup'), directUrlOf(databaseUrl));
    sh(region('restore'), directUrlOf(restoredUrl));

    const counts = (url: string) =>
      query(
        url,
        `select relname, relrowsecurity, relforcerowsecurity,
      (xpath('/row/c/text()', query_to_xml(format('select count(*) as c from %s', oid::regclass), false, true, '')))[1]::text as rows
      from pg_class where relkind = 'r' and relnamespace::regnamespace::text in ('public', 'agent_connectors_state') order by relnamespace::regnamespace::text, 1`,
      );
    const restoredRows = await counts(restoredUrl);
    expect(restoredRows).toEqual(await counts(databaseUrl));
    expect(restoredRows.length).toBeGreaterThan(20);

    const restored = await open(restoredUrl);
    const ask = createRequester(restored, { authorization: `Bearer ${tenant.token}` });
    expect(await answers(ask)).toEqual(before);
    expect((await ask('GET', '/api/v1/audit/verify')).body).toMatchObject({ broken: null });
    expect((await execute({ ask }, id, 'teams', 'list')).status).toBe(200);
    expect((await create(ask)).headers.get('idempotent-replayed')).toBe('true');
  },
  300_000,
);
