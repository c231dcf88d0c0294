import type { EntityProgress, State } from 'agent-connectors-service';
import { describe, expect, it } from 'vitest';
import { jobLeaseMs } from '../../../service/src/data/state/jobs.js';
import { initial } from '../../../service/src/data/state/migrations/0001-initial.js';
import type { Claim } from '../../../service/src/data/state/replication-types.js';
import { newKey } from '../keys.js';
import {
  createTenant,
  describeOnBothEngines,
  executeAll,
  newFolder,
  newState,
  noon,
  openTestDatabase,
  policiesIn,
} from './fixtures.js';

const types = ['linear', 'gong'];

const progress: EntityProgress = {
  ...{
    entity: 'issues',
    status: 'running',
    progress: 0.5,
    failures: [{ id: 'x', message: 'unreadable' }],
    error: null,
  },
  ...{ read: 3, inserted: 1, updated: 1, unchanged: 1, removed: 0, failed: 1 },
};

/** A state with a clock controlled by the test, with a connector and other processes that use its folder. */
async function setting() {
  const clock = { time: noon };
  const now = () => clock.time;
  const folder = newFolder();
  const keys = [newKey()];
  const state = await newState({ folder, keys, now });
  const { scope, connect, workspace } = await createTenant(state);
  return { clock, state, scope, connect, workspace, other: () => newState({ folder, keys, now }) };
}

const planned = async (state: State): Promise<Claim> => {
  await state.jobs.plan(types, 10);
  return (await state.jobs.claim(types))!;
};
describeOnBothEngines(() => {
  describe('a database from a release that predates replication', () => {
    it('is migrated with all its contents, and every connector is replicated', async () => {
      const folder = newFolder();
      const keys = [newKey()];
      await (await newState({ folder, keys })).close();
      const database = await openTestDatabase(folder);
      const { schema } = database.query;
      const later = [
        'jobs',
        'replicas',
        'written_records',
        'rate_limits',
        'vendor_limits',
        'audit',
        'policies',
        'setups',
        'console_sessions',
        'console_links',
        'audit_checkpoints',
        'plans',
        'oauth_apps',
        'oauth_grants',
        'connect_clients',
        'webhook_deliveries',
        'webhooks',
      ];
      // The migrator's tables did not exist either.
      for (const table of [...later, 'kysely_migration', 'kysely_migration_lock']) {
        await schema.dropTable(table).execute();
      }
      if (database.engine === 'postgres') {
        for (const { table } of await policiesIn(database)) {
          const undone = `drop policy tenant on ${table}; alter table ${table} no force row level security`;
          await executeAll(database, `${undone}; alter table ${table} disable row level security`);
        }
      }
      await schema.dropIndex('connectors_by_sync').execute();
      for (const column of ['sync_at', 'account', 'health']) {
        await schema.alterTable('connectors').dropColumn(column).execute();
      }
      for (const column of ['scopes', 'previous_secret_hash', 'previous_secret_until', 'as_user']) {
        await schema.alterTable('clients').dropColumn(column).execute();
      }
      for (const index of ['keys_by_organization', 'keys_by_wrapping']) await schema.dropIndex(index).execute();
      await schema.alterTable('processes').dropColumn('reloads').execute();
      const columns = ['organization_id', 'wrapped_by', 'created_at', 'retired'];
      for (const column of columns) await schema.alterTable('keys').dropColumn(column).execute();
      await database.query.deleteFrom('versions').where('version', '>', initial.version).execute();
      await executeAll(
        database,
        `INSERT INTO organizations VALUES ('org_1', 'Acme', '2026-01-01T00:00:00.000Z');
        INSERT INTO workspaces VALUES ('ws_1', 'org_1', 'default', '2026-01-01T00:00:00.000Z');
        INSERT INTO connectors VALUES ('con_1', 'org_1', 'ws_1', 'Old', 'linear', '{"interval":"1d"}', '{}',
          '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z')`,
      );
      await database.close();
      const state = await newState({ folder, keys });
      const row = await state.connectors.get({ organizationId: 'org_1' }, 'con_1');
      expect(row).toMatchObject({ name: 'Old', replicationConfig: { interval: '1d' } });
      expect(await state.replicas.list('con_1')).toEqual([]);
      expect(await state.jobs.plan(types, 10)).toBe(0);
      await state.credentials.save('con_1', { api_key: 'lin_api_1' });
      expect(await planned(state)).toMatchObject({ row: { id: 'con_1' }, job: { reason: 'first' } });
    });
  });

  describe('a job', () => {
    it('is created for a connector with credentials and a replicable type, one at a time', async () => {
      const { state, connect } = await setting();
      await connect();
      await connect({ name: 'bare', credentials: null });
      await connect({ name: 'notes', type: 'granola' });
      expect([await state.jobs.plan(types, 10), await state.jobs.plan(types, 10)]).toEqual([1, 0]);
      expect(await state.jobs.claim(['gong'])).toBeUndefined();
      expect(await state.jobs.claim(types)).toMatchObject({ row: { name: 'Linear' }, job: { reason: 'first' } });
      expect(await state.jobs.claim(types)).toBeUndefined();
    });

    it('recurs when it is due and not before', async () => {
      const { state, connect, clock, scope } = await setting();
      const { id } = await connect();
      const first = await planned(state);
      const changes = { status: 'ready', syncedAt: clock.time } as const;
      expect(await state.jobs.checkpoint(first, [progress], { entity: 'issues', changes })).toBe(true);
      await state.jobs.end(first, { status: 'done', error: null, nextSyncAt: clock.time + 1000 });
      clock.time += 999;
      expect(await state.jobs.plan(types, 10)).toBe(0);
      clock.time += 1;
      expect((await planned(state)).job.reason).toBe('interval');
      expect((await state.jobs.list(scope, id, { limit: 10 })).rows.map(({ status }) => status)).toEqual([
        'running',
        'done',
      ]);
    });

    it('for the organization with the fewest running jobs comes first, whichever processes run those jobs', async () => {
      const { state, connect, clock, other, scope } = await setting();
      const honest = await createTenant(state, 'honest');
      for (const name of ['a', 'b', 'c', 'd']) {
        await connect({ name });
        await state.jobs.plan(types, 10);
        clock.time += 1;
      }
      for (const name of ['e', 'f']) await honest.connect({ name });
      await state.jobs.plan(types, 10);
      const second = await other();
      const names: string[] = [];
      for (const process of [state, second, state]) names.push((await process.jobs.claim(types))!.row.name);
      expect([names[0], names[2]]).toEqual(['a', 'b']);
      expect(['e', 'f']).toContain(names[1]);
      expect(['e', 'f']).toContain((await state.jobs.claim(types, [scope.organizationId]))!.row.name);
      expect(await state.jobs.claim(types, [scope.organizationId])).toBeUndefined();
      // Jobs of processes that died do not count.
      clock.time += jobLeaseMs;
      expect((await second.jobs.claim(types))!.row.name).toBe('a');
    });

    it('of a dead process is taken over when its lease expires, and the first process can no longer write to it', async () => {
      const { state, connect, clock, other, scope } = await setting();
      const { id } = await connect();
      const first = await planned(state);
      const second = await other();
      expect(
        await state.jobs.checkpoint(first, [progress], { entity: 'issues', changes: { state: { page: 2 } } }),
      ).toBe(true);
      clock.time += jobLeaseMs - 1;
      expect(await second.jobs.claim(types)).toBeUndefined();
      clock.time += 1;
      const taken = (await second.jobs.claim(types))!;
      expect(taken.job).toMatchObject({ id: first.job.id, entities: [progress] });
      expect((await second.replicas.get(id, 'issues'))?.state).toEqual({ page: 2 });
      expect([await state.jobs.renewLease(first), await second.jobs.renewLease(taken)]).toEqual([false, true]);
      const late = { entity: 'issues', changes: { state: { page: 1 } } };
      expect(await state.jobs.checkpoint(first, [], late)).toBe(false);
      expect(await state.jobs.end(first, { status: 'failed', error: 'late', nextSyncAt: 0 })).toBe(false);
      expect((await second.replicas.get(id, 'issues'))?.state).toEqual({ page: 2 });
      expect((await state.jobs.list(scope, id, { limit: 1 })).rows[0]).toMatchObject({
        status: 'running',
        error: null,
      });
    });

    it('with a renewed lease stays with its process', async () => {
      const { state, connect, clock, other } = await setting();
      await connect();
      const claim = await planned(state);
      for (let turn = 0; turn < 5; turn += 1) {
        clock.time += jobLeaseMs / 2;
        expect(await state.jobs.renewLease(claim)).toBe(true);
      }
      expect(await (await other()).jobs.claim(types)).toBeUndefined();
    });

    it('that is released waits until its scheduled time, counts its failures, and can start immediately on request', async () => {
      const { state, connect, clock, scope } = await setting();
      const { id } = await connect();
      const claim = await planned(state);
      await state.jobs.end(claim, {
        status: 'queued',
        error: 'no network',
        notBefore: clock.time + 1000,
        failed: true,
      });
      expect(await state.jobs.claim(types)).toBeUndefined();
      expect(await state.jobs.request(scope, id, ['issues'])).toMatchObject({
        ...{ id: claim.job.id, reason: 'request', attempts: 1, requestedEntities: null, error: 'no network' },
      });
      expect((await state.jobs.claim(types))?.job.id).toBe(claim.job.id);
    });

    it('is cancelled by a change to what it reads, which also starts another one; renaming has no effect', async () => {
      const { state, connect, scope } = await setting();
      const { id } = await connect();
      const first = await planned(state);
      const changes = { configHash: 'a', state: { page: 3 }, sweptAt: 5, records: 7 };
      await state.jobs.checkpoint(first, [progress], { entity: 'issues', changes });
      await state.connectors.update(scope, id, { name: 'renamed' });
      expect(await state.jobs.renewLease(first)).toBe(true);
      await state.connectors.update(scope, id, { credentials: { api_key: 'lin_api_2' } });
      expect(await state.jobs.renewLease(first)).toBe(false);
      expect(await state.replicas.get(id, 'issues')).toMatchObject({
        ...{ state: undefined, sweptAt: null, needsReconcile: true, records: 7, configHash: 'a' },
      });
      expect((await planned(state)).job.id).not.toBe(first.job.id);
      expect((await state.jobs.list(scope, id, { limit: 10 })).rows.map(({ status }) => status).sort()).toEqual([
        'cancelled',
        'running',
      ]);
    });

    it('is deleted with its connector, and so are the replicas', async () => {
      const { state, connect, scope } = await setting();
      const { id } = await connect();
      const claim = await planned(state);
      await state.jobs.checkpoint(claim, [progress], { entity: 'issues', changes: { records: 1 } });
      await state.connectors.delete(scope, id);
      expect([
        await state.jobs.renewLease(claim),
        await state.replicas.list(id),
        await state.jobs.claim(types),
      ]).toEqual([false, [], undefined]);
      expect([...(await state.connectors.existing([id, 'con_x']))]).toEqual([]);
    });
  });

  describe('records written through the service', () => {
    it('are recorded for every process until their last write is confirmed, and deleted with their connector', async () => {
      const { state, connect, other, scope } = await setting();
      const [{ id }, { id: another }] = [await connect(), await connect({ name: 'another' })];
      const { replicas } = await other();
      await state.replicas.markWritten(id, 'issues', ['a', 'b']);
      const first = await replicas.written(id, 'issues');
      expect([...first.keys()].sort()).toEqual(['a', 'b']);
      expect([(await replicas.written(id, 'comments')).size, (await replicas.written(another, 'issues')).size]).toEqual(
        [0, 0],
      );
      await replicas.markWritten(id, 'issues', ['a']);
      await state.replicas.confirmWritten(id, 'issues', [...first.values()]);
      expect([...(await state.replicas.written(id, 'issues')).keys()]).toEqual(['a']);
      await state.connectors.delete(scope, id);
      expect((await state.replicas.written(id, 'issues')).size).toBe(0);
    });
  });

  describe("a connector's jobs", () => {
    it('are paged, newest first, at most a hundred per page', async () => {
      const { state, connect, clock, scope } = await setting();
      const { id } = await connect();
      for (let number = 0; number < 103; number += 1) {
        clock.time += 1;
        await state.jobs.request(scope, id, null);
        await state.jobs.end((await state.jobs.claim(types))!, {
          status: 'done',
          error: String(number),
          nextSyncAt: 0,
        });
      }
      const seen: (string | null)[] = [];
      let cursor: string | undefined;
      do {
        const page = await state.jobs.list(scope, id, { limit: 30, cursor });
        seen.push(...page.rows.map(({ error }) => error));
        cursor = page.next ?? undefined;
      } while (cursor);
      expect(seen).toEqual(Array.from({ length: 100 }, (_, index) => String(102 - index)));
      for (const altered of ['x', Buffer.from('["x","y"]').toString('base64url')]) {
        await expect(state.jobs.list(scope, id, { limit: 1, cursor: altered })).rejects.toMatchObject({
          name: 'InvalidCursor',
        });
      }
    });

    it('cannot be seen or requested by another tenant or workspace', async () => {
      const { state, connect, scope, workspace } = await setting();
      const { id } = await connect();
      await state.jobs.request(scope, id, null);
      const foreign = (await createTenant(state, 'other')).scope;
      const second = await state.workspaces.create(scope.organizationId, 'second');
      for (const other of [foreign, { ...scope, workspaceId: second.id }]) {
        expect((await state.jobs.list(other, id, { limit: 10 })).rows).toEqual([]);
        expect(await state.jobs.request(other, id, null)).toBeUndefined();
      }
      const own = { ...scope, workspaceId: workspace.id };
      expect((await state.jobs.list(own, id, { limit: 10 })).rows).toHaveLength(1);
      expect(await state.jobs.request(own, id, null)).toBeDefined();
    });
  });
});
