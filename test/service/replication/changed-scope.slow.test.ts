import { createSandbox } from 'agent-connectors-sandbox';
import { expect, test } from 'vitest';
import { connectorPath, type Tenant } from '../http/setup.js';
import { workspaceSearch } from './search-setup.js';
import { hitsOf, jobsOf, searchEntity, smallSandbox, startReplicatingService, waitForNewestJob } from './setup.js';

const readinessOf = async (acme: Tenant, id: string, name: string) => {
  const { body } = await acme.ask('GET', connectorPath(id, '/inspect'));
  return body.context_store_readiness.entities.find(({ entity }: any) => entity === name);
};

/** Changes a connector; the change must be accepted. */
async function change(acme: Tenant, id: string, json: object): Promise<void> {
  expect((await acme.ask('PUT', connectorPath(id), { json })).status).toBe(200);
}

/** Waits until a job will be retried. */
const untilRetrying = (acme: Tenant, id: string) =>
  expect.poll(async () => (await jobsOf(acme, id))[0]).toMatchObject({ status: 'queued', error: expect.any(String) });

test('records that the settings no longer include cannot be found, even while the vendor allows no requests', async () => {
  const sandbox = createSandbox({ seed: 7, scale: 0.1 });
  const { gong } = sandbox.vendors;
  const { acme } = await startReplicatingService({ sandbox, now: sandbox.clock.now });
  const replication_config = { entities: ['calls'] };
  const id = await acme.connect('gong', gong.credentials.basic, {
    replication_config,
    settings: { includePrivate: true },
  });
  await waitForNewestJob(acme, id);
  const calls = (query: object) => searchEntity(acme, id, 'calls', { query });
  const onlyPrivate = { filter: { eq: { isPrivate: true } } };
  expect(hitsOf(await calls(onlyPrivate)).length).toBeGreaterThan(0);
  sandbox.faults.add({ kind: 'rate_limited', vendor: 'gong', count: Number.POSITIVE_INFINITY, retryAfter: 6 * 3600 });
  sandbox.clock.advance(2 * 3_600_000);
  await untilRetrying(acme, id);
  await change(acme, id, { replication_config, settings: { includePrivate: false } });
  expect(hitsOf(await calls(onlyPrivate))).toEqual([]);
  await untilRetrying(acme, id);
  expect(hitsOf(await calls(onlyPrivate))).toEqual([]);
  expect((await calls({ count: true })).body.result.data).toEqual([{ count: 0 }]);
  expect(await readinessOf(acme, id, 'calls')).toMatchObject({ ready_for_search: false, synced_at: null });
});

test('records of an entity that is no longer replicated cannot be found', async () => {
  const sandbox = smallSandbox();
  const { acme, linear } = await startReplicatingService({ sandbox, now: sandbox.clock.now });
  const id = await linear({ replication_config: { entities: ['issues', 'comments', 'users'] } });
  await waitForNewestJob(acme, id);
  const semantic = async () =>
    hitsOf(await searchEntity(acme, id, 'comments', { semantic: { prompt: 'import' }, fields: ['id'] }));
  const inWorkspace = async () => (await workspaceSearch(acme, { prompt: 'import', limit: 100 })).body.data;
  const entitiesOf = (hits: any[]) => new Set(hits.map(({ entity_name }) => entity_name));
  expect((await semantic()).length).toBeGreaterThan(0);
  expect(entitiesOf(await inWorkspace())).toContain('comments');
  sandbox.faults.add({ kind: 'rate_limited', vendor: 'linear', count: Number.POSITIVE_INFINITY, retryAfter: 6 * 3600 });
  sandbox.clock.advance(2 * 3_600_000);
  await untilRetrying(acme, id);
  await change(acme, id, { replication_config: { entities: ['issues'] } });
  expect(await semantic()).toEqual([]);
  expect(hitsOf(await searchEntity(acme, id, 'comments'))).toEqual([]);
  expect(entitiesOf(await inWorkspace())).toEqual(new Set(['issues']));
  expect(await readinessOf(acme, id, 'comments')).toMatchObject({ status: 'not_configured', ready_for_search: false });
  expect(await readinessOf(acme, id, 'issues')).toMatchObject({ ready_for_search: true });
});

test('records read with other credentials cannot be found until a sync has deleted those of the other account', async () => {
  const sandbox = smallSandbox();
  const { acme, linear } = await startReplicatingService({ sandbox, now: sandbox.clock.now });
  const id = await linear({ replication_config: { entities: ['issues'] } });
  const first = await waitForNewestJob(acme, id);
  const found = async () => hitsOf(await searchEntity(acme, id, 'issues', { query: {}, limit: 1000 })).length;
  expect(await found()).toBe(first.counts.inserted);
  sandbox.faults.add({ kind: '503', vendor: 'linear', count: Number.POSITIVE_INFINITY });
  await change(acme, id, { credentials: sandbox.vendors.linear.credentials.team_restricted });
  expect(await found()).toBe(0);
  expect(await readinessOf(acme, id, 'issues')).toMatchObject({
    ready_for_search: false,
    synced_at: null,
  });
  const { body } = await workspaceSearch(acme, { prompt: 'import' });
  expect([body.data, body.meta.skipped.map(({ entity_name }: any) => entity_name)]).toEqual([
    [],
    expect.arrayContaining(['issues']),
  ]);
  await untilRetrying(acme, id);
  expect(await found()).toBe(0);
  const retried = { status: 'initializing', complete: false, error: expect.any(String) };
  expect(await readinessOf(acme, id, 'issues')).toMatchObject(retried);
  sandbox.faults.clear();
  sandbox.clock.advance(600_000);
  const job = await waitForNewestJob(acme, id, 2);
  // Records that both can see are kept.
  expect([job.counts.inserted, job.counts.removed > 0]).toEqual([0, true]);
  expect(await found()).toBe(first.counts.inserted - job.counts.removed);
  expect(await readinessOf(acme, id, 'issues')).toMatchObject({ status: 'ready', ready_for_search: true });
});

test('a changed interval does not hide records', async () => {
  const { acme, linear } = await startReplicatingService();
  const id = await linear({ replication_config: { entities: ['teams'] } });
  await waitForNewestJob(acme, id);
  const teams = hitsOf(await searchEntity(acme, id, 'teams')).length;
  await change(acme, id, { replication_config: { entities: ['teams'], interval: '3h' } });
  expect(hitsOf(await searchEntity(acme, id, 'teams')).length).toBe(teams);
});
