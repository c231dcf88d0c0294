import type { EntityProgress } from 'agent-connectors-service';
import { describe, expect, it } from 'vitest';
import { jobLeaseMs } from '../../../service/src/data/state/jobs.js';
import { createTenant, describeOnBothEngines } from './fixtures.js';
import { planned, setting, types } from './job-fixtures.js';

const progress: EntityProgress = {
  entity: 'issues',
  status: 'running',
  progress: 0.5,
  failures: [{ id: 'x', message: 'unreadable' }],
  error: null,
  read: 3,
  inserted: 1,
  updated: 1,
  unchanged: 1,
  removed: 0,
  failed: 1,
};

describeOnBothEngines(() => {
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

    it('is due again after a clock that was ahead has been set back, also if its process has died', async () => {
      const { state, connect, clock } = await setting();
      const ahead = 60 * 86_400_000;
      clock.time += ahead;
      for (const name of ['Ended', 'Left']) await connect({ name });
      const ended = await planned(state);
      await state.jobs.end(ended, { status: 'done', error: null, nextSyncAt: clock.time + 1000 });
      const left = await planned(state);
      clock.time -= ahead;
      expect([await state.jobs.plan(types, 10), await state.jobs.claim(types)]).toEqual([0, undefined]);
      await state.jobs.forgetFuture();
      const again = await planned(state);
      expect(again.row.id).toBe(ended.row.id);
      await state.jobs.end(again, { status: 'done', error: null, nextSyncAt: clock.time + ahead });
      clock.time += jobLeaseMs;
      expect((await state.jobs.claim(types))!.row.id).toBe(left.row.id);
      // What waits although the clock is right stays.
      await state.jobs.forgetFuture();
      expect([await state.jobs.plan(types, 10), await state.jobs.claim(types)]).toEqual([0, undefined]);
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
        nextAttemptAt: clock.time + 1000,
        failed: true,
      });
      expect(await state.jobs.claim(types)).toBeUndefined();
      expect(await state.jobs.request(scope, id, ['issues'])).toMatchObject({
        id: claim.job.id,
        reason: 'request',
        attempts: 1,
        requestedEntities: null,
        error: 'no network',
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
        state: undefined,
        sweptAt: null,
        needsReconcile: true,
        records: 7,
        configHash: 'a',
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
