import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { connectorPath, type Tenant } from '../http/setup.js';
import {
  hitsOf,
  jobsOf,
  searchEntity,
  smallSandbox,
  startReplicatingService,
  syncAndWait,
  waitForNewestJob,
} from './setup.js';

const hour = 3_600_000;

/** Changes something in Linear directly, bypassing the service. */
async function inLinear(
  { sandbox }: Pick<Awaited<ReturnType<typeof startReplicatingService>>, 'sandbox'>,
  mutation: string,
) {
  const response = await sandbox.fetch('https://api.linear.app/graphql', {
    method: 'POST',
    headers: {
      authorization: sandbox.vendors.linear.credentials.api_key.api_key,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query: `mutation { ${mutation} { success } }` }),
  });
  const { data, errors } = (await response.json()) as { data: object; errors?: unknown };
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

const readiness = async ({ ask }: Pick<Tenant, 'ask'>, id: string): Promise<any[]> =>
  (await ask('GET', connectorPath(id, '/inspect'))).body.context_store_readiness.entities;

const titles = async (acme: Tenant, id: string): Promise<string[]> =>
  hitsOf(await searchEntity(acme, id, 'issues', { query: { sort: [{ createdAt: 'asc' }] }, fields: ['title'] })).map(
    ({ title }) => title,
  );

describe('a connector with credentials', () => {
  test('is replicated automatically, and is then searchable', async () => {
    const { acme, linear, sandbox } = await startReplicatingService();
    const id = await linear();
    const job = await waitForNewestJob(acme, id);
    expect(job).toMatchObject({ requested: 'first', status: 'done', progress: 1, error: null, attempts: 0 });
    expect(job.counts).toMatchObject({ unchanged: 0, updated: 0, removed: 0, failed: 0 });
    expect(job.counts.inserted).toBe(job.counts.read);
    const { body } = await acme.ask('POST', connectorPath(id, '/execute'), {
      json: { entity: 'issues', action: 'list', params: { first: 250 } },
    });
    const page = await searchEntity(acme, id, 'issues', { query: { sort: [{ createdAt: 'desc' }] } });
    expect(hitsOf(page).map((issue) => issue.id)).toEqual(body.result.map((issue: { id: string }) => issue.id));
    expect(page.body.result.meta).toEqual({
      has_more: false,
      cursor: null,
      took_ms: expect.any(Number),
      total: body.result.length,
      total_is_exact: true,
      complete: true,
      missing: [expect.objectContaining({ reason: 'withheld', permanent: true })],
      readiness: { status: 'ready', ready_for_search: true, synced_at: expect.any(String), message: null },
    });
    const entities = await readiness(acme, id);
    expect(entities.map(({ status, ready_for_search, error }) => [status, ready_for_search, error])).toEqual(
      entities.map(() => ['ready', true, null]),
    );
    expect(entities[0]).toMatchObject({ entity: 'issues', entity_count: body.result.length });
    expect(sandbox.requests.every(({ status }) => status === 200)).toBe(true);
  });

  test('is complete as of the start of its last sync', async () => {
    const sandbox = smallSandbox();
    let now = Date.parse('2026-10-01T00:00:00Z');
    const fetch: typeof globalThis.fetch = (...request) => {
      now += 1000;
      return sandbox.fetch(...request);
    };
    const { acme, linear } = await startReplicatingService({ sandbox, fetch, now: () => now });
    const start = now;
    const id = await linear({ replication_config: { entities: ['issues'] } });
    await waitForNewestJob(acme, id);
    const [{ synced_at }] = await readiness(acme, id);
    expect(now).toBeGreaterThan(start + 1000);
    expect(Date.parse(synced_at)).toBeLessThan(now);
  });

  test('is replicated once credentials are added', async () => {
    const { acme, sandbox } = await startReplicatingService();
    const id = await acme.connect('linear');
    expect((await readiness(acme, id))[0].status).toBe('not_configured');
    const refused = await acme.ask('POST', connectorPath(id, '/sync'));
    expect([refused.status, refused.body.code]).toEqual([424, 'invalid_credentials']);
    // Some clients send a content type even without a body.
    const empty = { headers: { 'content-type': 'application/json' } };
    expect((await acme.ask('POST', connectorPath(id, '/sync'), empty)).body.code).toBe('invalid_credentials');
    await acme.ask('PUT', connectorPath(id), { json: { credentials: sandbox.vendors.linear.credentials.api_key } });
    expect(await waitForNewestJob(acme, id)).toMatchObject({ status: 'done', requested: 'first' });
  });

  test('is not replicated by a service with replication disabled, and every search says so', async () => {
    const { acme, linear, sandbox } = await startReplicatingService({ replicate: false });
    const id = await linear();
    const { body } = await searchEntity(acme, id, 'issues');
    expect(body.result).toMatchObject({ data: [], meta: { readiness: { status: 'not_configured' } } });
    expect(sandbox.requests).toEqual([]);
  });
});

describe('a later run', () => {
  test("starts once the interval has passed on the service's clock, and finds new, changed and deleted records", async () => {
    const sandbox = smallSandbox();
    const { acme, linear } = await startReplicatingService({ sandbox, now: sandbox.clock.now });
    const id = await linear({ replication_config: { interval: '2h' } });
    await waitForNewestJob(acme, id);
    const issues = hitsOf(await searchEntity(acme, id, 'issues', { query: { sort: [{ createdAt: 'asc' }] } }));
    const [renamed, deleted] = issues;
    await inLinear({ sandbox }, `issueUpdate(id: "${renamed.id}", input: { title: "Renamed at the vendor" })`);
    await inLinear({ sandbox }, `issueDelete(id: "${deleted.id}")`);
    // Intervals vary by up to a tenth per connector.
    sandbox.clock.advance(1.8 * hour - 60_000);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(await jobsOf(acme, id)).toHaveLength(1);
    sandbox.clock.advance(0.2 * hour + 60_000);
    const job = await waitForNewestJob(acme, id, 2);
    expect(job).toMatchObject({ requested: 'interval', status: 'done' });
    expect(job.entities[0]).toMatchObject({ entity: 'issues', inserted: 0, removed: 1 });
    const after = await titles(acme, id);
    expect(after).toContain('Renamed at the vendor');
    expect([after.length, after.includes(deleted.title)]).toEqual([issues.length - 1, false]);
  });

  test('requested manually removes records that the vendor deleted permanently', async () => {
    const { acme, linear, sandbox } = await startReplicatingService();
    const id = await linear();
    await waitForNewestJob(acme, id);
    const [gone] = hitsOf(await searchEntity(acme, id, 'issues'));
    await inLinear({ sandbox }, `issueDelete(id: "${gone.id}", permanentlyDelete: true)`);
    const job = await syncAndWait(acme, id);
    expect(job).toMatchObject({ requested: 'request', status: 'done' });
    expect(job.entities.find((one: any) => one.entity === 'issues')).toMatchObject({ removed: 1 });
    const left = await searchEntity(acme, id, 'issues', { query: { filter: { eq: { id: gone.id } } } });
    expect(hitsOf(left)).toEqual([]);
  });

  test('requested manually can be limited to some entities and is not created twice', async () => {
    const { acme, linear } = await startReplicatingService();
    const id = await linear();
    await waitForNewestJob(acme, id);
    // Few requests of an organization start in one turn of the event loop, and waiting has used up some of this one.
    await nextTurn();
    const asked = await Promise.all(
      [1, 2, 3].map(() => acme.ask('POST', connectorPath(id, '/sync'), { json: { entities: ['teams', 'users'] } })),
    );
    expect(new Set(asked.map(({ body }) => body.job_id)).size).toBe(1);
    const job = await waitForNewestJob(acme, id, 2);
    expect(job.id).toBe(asked[0]!.body.job_id);
    expect(job.entities.map(({ entity }: any) => entity)).toEqual(['teams', 'users']);
    const unknown = await acme.ask('POST', connectorPath(id, '/sync'), { json: { entities: ['team'] } });
    expect([unknown.status, unknown.body.errors[0].field]).toEqual([422, 'entities']);
    expect(unknown.body.message).toContain('teams');
  });
});

test('a report that is read again on another day still has one row per day', async () => {
  const sandbox = smallSandbox();
  const { acme } = await startReplicatingService({ sandbox, now: sandbox.clock.now });
  const { credentials, properties } = sandbox.vendors['google-analytics'];
  const start_date = new Date(sandbox.clock.now() - 20 * 24 * hour).toISOString().slice(0, 10);
  const id = await acme.connect('google-analytics', credentials.oauth, {
    replication_config: { property_ids: [String(properties.website)], entities: ['daily_active_users'], start_date },
  });
  await waitForNewestJob(acme, id);
  sandbox.clock.advance(24 * hour);
  const job = await waitForNewestJob(acme, id, 2);
  expect([job.status, job.counts.read > 0]).toEqual(['done', true]);
  const dates = hitsOf(await searchEntity(acme, id, 'daily_active_users')).map(({ date }) => date);
  expect(dates.length).toBeGreaterThan(15);
  expect(new Set(dates).size).toBe(dates.length);
});

describe('a change to the connector', () => {
  test('that removes and adds entities deletes the records of the removed ones and reads those of the new ones', async () => {
    const { acme, linear } = await startReplicatingService();
    const id = await linear({ replication_config: { entities: ['teams', 'users'] } });
    const first = await waitForNewestJob(acme, id);
    expect(first.entities.map(({ entity }: any) => entity)).toEqual(['teams', 'users']);
    expect((await readiness(acme, id)).map(({ status }) => status)).toEqual([
      'not_configured',
      'not_configured',
      'ready',
      'not_configured',
      'ready',
      'not_configured',
    ]);
    await acme.ask('PUT', connectorPath(id), { json: { replication_config: { entities: ['users', 'projects'] } } });
    const job = await waitForNewestJob(acme, id, 2);
    const of = (entity: string) => job.entities.find((one: any) => one.entity === entity);
    expect(of('users')).toMatchObject({ inserted: 0, updated: 0 });
    expect(of('projects').inserted).toBeGreaterThan(0);
    const teams = await searchEntity(acme, id, 'teams');
    expect(teams.body.result).toMatchObject({ data: [], meta: { readiness: { status: 'not_configured' } } });
  });

  test('that affects which data is read starts over', async () => {
    const { acme, sandbox } = await startReplicatingService();
    const { credentials, properties } = sandbox.vendors['google-analytics'];
    const config = (id: string | number) => ({
      property_ids: [String(id)],
      entities: ['website_overview'],
      start_date: '2026-11-01',
    });
    const id = await acme.connect('google-analytics', credentials.service_account, {
      replication_config: config(properties.website),
    });
    await waitForNewestJob(acme, id);
    const searchedProperties = async () =>
      new Set(hitsOf(await searchEntity(acme, id, 'website_overview')).map(({ property_id }) => property_id));
    expect(await searchedProperties()).toEqual(new Set([String(properties.website)]));
    await acme.ask('PUT', connectorPath(id), { json: { replication_config: config(properties.application) } });
    await waitForNewestJob(acme, id, 2);
    expect(await searchedProperties()).toEqual(new Set([String(properties.application)]));
  });

  test('that replaces its credentials reads everything again, and removes what the new account cannot see', async () => {
    const { acme, linear, sandbox } = await startReplicatingService();
    const id = await linear();
    await waitForNewestJob(acme, id);
    const before = (await titles(acme, id)).length;
    await acme.ask('PUT', connectorPath(id), {
      json: { credentials: sandbox.vendors.linear.credentials.team_restricted },
    });
    const job = await waitForNewestJob(acme, id, 2);
    expect(job.entities[0]).toMatchObject({ entity: 'issues', inserted: 0 });
    expect(job.entities[0].removed).toBeGreaterThan(0);
    const after = (await titles(acme, id)).length;
    expect([after, job.entities[0].read]).toEqual([before - job.entities[0].removed, after]);
  });
});

describe('a failure', () => {
  test('in one entity is recorded and does not stop the others', async () => {
    const { acme, sandbox } = await startReplicatingService();
    const id = await acme.connect('gong', sandbox.vendors.gong.credentials.limited, {
      replication_config: { entities: ['users', 'calls', 'settings_scorecards'] },
    });
    const job = await waitForNewestJob(acme, id);
    expect(job.status).toBe('failed');
    expect(job.error).toContain('settings_scorecards');
    expect(job.entities.map(({ entity, status }: any) => [entity, status])).toEqual([
      ['users', 'done'],
      ['calls', 'done'],
      ['settings_scorecards', 'failed'],
    ]);
    expect(job.entities[2].error).toMatch(/scope/);
    const entities = await readiness(acme, id);
    const of = (name: string) => entities.find(({ entity }) => entity === name);
    expect(of('users')).toMatchObject({ status: 'ready', ready_for_search: true });
    expect(of('settings_scorecards')).toMatchObject({
      status: 'failed',
      ready_for_search: false,
      error: job.entities[2].error,
    });
    const { body } = await searchEntity(acme, id, 'settings_scorecards');
    expect(body.result.meta.readiness).toMatchObject({ status: 'failed', message: expect.stringContaining('scope') });
  });

  test('that is transient is retried later, without repeating completed work', async () => {
    const sandbox = smallSandbox();
    const { acme, linear } = await startReplicatingService({ sandbox, now: sandbox.clock.now });
    sandbox.faults.add({ kind: '503', rootField: 'comments', count: 3 });
    const id = await linear({ replication_config: { entities: ['teams', 'comments'] } });
    await expect.poll(async () => (await jobsOf(acme, id))[0]?.attempts).toBe(1);
    const [waiting] = await jobsOf(acme, id);
    expect(waiting).toMatchObject({ status: 'queued', error: expect.stringContaining('comments') });
    expect(Date.parse(waiting.next_try_at)).toBeGreaterThan(sandbox.clock.now());
    const teams = () => sandbox.requests.filter(({ rootField }) => rootField === 'teams').length;
    const before = teams();
    sandbox.clock.advance(30_000);
    const job = await waitForNewestJob(acme, id);
    expect([job.status, job.id, teams()]).toEqual(['done', waiting.id, before]);
    expect(job.entities[1].inserted).toBeGreaterThan(0);
  });

  test('caused by a rate limit only delays the job and does not count as an attempt', async () => {
    const { acme, linear, sandbox } = await startReplicatingService();
    sandbox.faults.add({ kind: 'rate_limited', rootField: 'users', retryAfter: 1, count: 4 });
    const id = await linear({ replication_config: { entities: ['users'] } });
    expect(await waitForNewestJob(acme, id)).toMatchObject({ status: 'done', attempts: 0, error: null });
  });
});
