import type { EntityProgress, State } from 'agent-connectors-service';
import { expect, onTestFinished, test } from 'vitest';
import { openState } from '../../../service/src/data/state/open.js';
import { keyRing } from '../../../service/src/data/vault/keys.js';
import { readActivity } from '../../../service/src/domain/connectors/activity.js';
import { auditEntry } from '../audit/entry.js';
import { newKey } from '../keys.js';
import { createTenant, describeOnBothEngines, newFolder, noon, openTestDatabase } from './fixtures.js';
import { planned } from './job-fixtures.js';

const hour = 3_600_000;
const day = 24 * hour;

const progressOf = (entity: string, counts: Partial<EntityProgress>): EntityProgress => ({
  entity,
  status: 'done',
  progress: 1,
  failures: [],
  error: null,
  read: 0,
  inserted: 0,
  updated: 0,
  unchanged: 0,
  removed: 0,
  failed: 0,
  ...counts,
});

async function setting() {
  const clock = { time: noon };
  const now = () => clock.time;
  const folder = newFolder();
  // Migrated by this clock, because everything is counted since then.
  const database = await openTestDatabase(folder, now);
  const state = await openState({ folder, database, keys: keyRing([newKey()]), now });
  onTestFinished(() => state.close());
  const { scope, connect } = await createTenant(state);
  const { id } = await connect();
  /** Runs a job that reads issues, of which there are then this many. */
  const sync = async (counts: Partial<EntityProgress>, records: number, status: 'done' | 'failed' = 'done') => {
    await state.jobs.request(scope, id, null);
    const claim = await planned(state);
    const changes = { status: 'ready', records } as const;
    await state.jobs.checkpoint(claim, [progressOf('issues', counts), progressOf('users', {})], {
      entity: 'issues',
      changes,
    });
    await state.jobs.end(claim, { status, error: null, nextSyncAt: clock.time + day });
  };
  const call = (connector_id: string, duration_ms: number, outcome = 'success') =>
    state.audit.recordSoon(auditEntry(scope.organizationId, { connector_id, duration_ms, outcome }));
  const allowed = { denied: new Set<string>() };
  const gate = {
    allowedEntities: async (_: unknown, entities: readonly string[]) =>
      entities.filter((name) => !allowed.denied.has(name)),
  } as unknown as Parameters<typeof readActivity>[0]['gate'];
  const read = (request: Partial<Parameters<typeof readActivity>[2]> = {}) =>
    readActivity({ state, gate, now: () => clock.time }, scope, {
      connectorId: id,
      unit: 'day',
      count: 14,
      timeZone: 'UTC',
      ...request,
    });
  return { clock, state, scope, id, connect, sync, call, read, allowed };
}

const entries = async (state: State, organizationId: string) =>
  (await state.audit.list({ organizationId, limit: 500 })).filter(({ event }) => event === 'execute');

describeOnBothEngines(() => {
  test('many more syncs than jobs that are kept are all in the chart of fourteen days', async () => {
    const { clock, sync, read, state, scope, id } = await setting();
    let changed = 0;
    for (let number = 0; number < 130; number++) {
      await sync({ read: number, inserted: 2, updated: 1, removed: 1, failed: number % 2 }, number);
      changed += 4;
      clock.time += 2.4 * hour;
    }
    expect((await state.jobs.list(scope, id, { limit: 100 })).next).toBeNull();
    const { data, total } = await read();
    expect(data).toHaveLength(14);
    expect(total).toMatchObject({ syncs: 130, changed, failed: 65, read: (129 * 130) / 2 });
    expect(data.reduce((sum, period) => sum + period.changed, 0)).toBe(changed);
    expect(data.slice(1, 13).every((period) => period.syncs === 10)).toBe(true);
    expect(data[0]).toMatchObject({ at: '2026-05-04', syncs: 5, records: 4 });
  });

  test('what was not counted is omitted, and a quiet period is 0 with the records of the last sync', async () => {
    const { clock, sync, read } = await setting();
    await sync({ read: 60, inserted: 60 }, 60);
    clock.time += 3 * day;
    const { data, since } = await read();
    expect(since).toBe(new Date(noon).toISOString());
    expect(data.map(({ at, changed, records }) => [at, changed, records])).toEqual([
      ['2026-05-04', 60, 60],
      ['2026-05-05', 0, 60],
      ['2026-05-06', 0, 60],
      ['2026-05-07', 0, 60],
    ]);
    const hours = await read({ unit: 'hour', count: 24 });
    expect(hours.data).toHaveLength(24);
    expect(hours.data[0]).toMatchObject({ at: '2026-05-06T13:00:00.000Z', changed: 0, records: 60 });
  });

  test('each call is counted once, with its duration', async () => {
    const { clock, call, read, state, scope, id } = await setting();
    for (let ms = 1; ms <= 200; ms++) call(id, ms);
    expect((await read({ unit: 'hour' })).total).toMatchObject({ calls: 200, errors: 0 });
    for (let number = 0; number < 10; number++) call(id, 4000, 'vendor_error');
    call(id, 1, 'begun');
    call('con_gone', 1);
    clock.time += hour;
    call(id, 7);
    const { data, total } = await read({ unit: 'hour', count: 2 });
    expect(data.map(({ calls, errors }) => [calls, errors])).toEqual([
      [210, 10],
      [1, 0],
    ]);
    expect(total).toMatchObject({ calls: 211, errors: 10 });
    expect(data[1]).toMatchObject({ p50_ms: 7, p95_ms: 7 });
    expect(Math.abs(data[0]!.p50_ms! - 105)).toBeLessThan(10);
    expect(Math.abs(data[0]!.p95_ms! - 200)).toBeLessThan(20);
    expect(await read({ unit: 'hour', count: 2 })).toEqual(await read({ unit: 'hour', count: 2 }));
    expect(await entries(state, scope.organizationId)).toHaveLength(213);
  });

  test('calls stay counted after the log was pruned, for 90 days', async () => {
    const { clock, call, read, state, id } = await setting();
    call(id, 3);
    clock.time += day;
    await state.activity.sweep();
    await state.audit.prune(new Date(clock.time).toISOString());
    expect((await read()).total).toMatchObject({ calls: 1 });
    clock.time += 89 * day;
    expect((await read({ count: 90 })).total).toMatchObject({ calls: 0 });
    clock.time += 2 * day;
    await state.activity.sweep();
    const from = '2026-01-01T00';
    expect(await state.activity.calls({ organizationId: (await state.organizations.all())[0]!.id }, { from })).toEqual(
      [],
    );
  });

  test('another organization and another connector see nothing of it, and policies hide entities', async () => {
    const { call, sync, read, state, id, connect, allowed } = await setting();
    const { id: second } = await connect({ name: 'second', credentials: null });
    call(id, 3);
    await sync({ read: 5, inserted: 5 }, 5);
    expect((await read({ connectorId: second })).total).toMatchObject({ calls: 0, syncs: 0 });
    const { organization } = await createTenant(state, 'globex');
    const from = '2026-01-01T00';
    expect(await state.activity.calls({ organizationId: organization.id }, { from, connectorId: id })).toEqual([]);
    expect(await state.activity.syncs({ organizationId: organization.id }, { from, connectorId: id })).toEqual([]);
    const all = await read({ connectorId: undefined });
    expect(all.connectors).toMatchObject([{ connector_id: id, calls: 1, syncs: 1, changed: 5 }]);
    allowed.denied.add('issues');
    expect((await read()).total).toMatchObject({ syncs: 1, changed: 0 });
  });

  test('days start where the reader is', async () => {
    const { clock, sync, read } = await setting();
    clock.time = Date.UTC(2026, 4, 4, 22, 30);
    await sync({ read: 1, inserted: 1 }, 1);
    const { data } = await read({ timeZone: 'Asia/Tokyo' });
    expect(data.map(({ at, changed }) => [at, changed])).toEqual([
      ['2026-05-04', 0],
      ['2026-05-05', 1],
    ]);
  });
});
