import { describe, expect, it } from 'vitest';
import { describeOnBothEngines } from './fixtures.js';
import { planned, setting } from './job-fixtures.js';

describeOnBothEngines(() => {
  describe('records written through the service', () => {
    it('are recorded for every process until their last write is confirmed, and deleted with their connector', async () => {
      const { state, connect, other, scope } = await setting();
      const [{ id }, { id: another }] = [await connect(), await connect({ name: 'another' })];
      const { replicas } = await other();
      await state.jobs.request(scope, id, null);
      const claim = (await state.jobs.claim(['linear']))!;
      await state.jobs.checkpoint(claim, [], { entity: 'issues', changes: { records: 1 } });
      await state.replicas.markWritten(id, 'issues', ['a', 'b']);
      const first = await replicas.allWritten(id, 'issues');
      expect([...first.keys()].sort()).toEqual(['a', 'b']);
      expect(await replicas.written(id, 'issues', ['b', 'c'])).toEqual(new Map([['b', first.get('b')]]));
      const unstored = (await replicas.unstored(id)).map(({ entity, id: record, status }) => [entity, record, status]);
      expect(unstored.sort()).toEqual([
        ['issues', 'a', 'pending'],
        ['issues', 'b', 'pending'],
      ]);
      expect([await replicas.allWritten(id, 'comments'), await replicas.allWritten(another, 'issues')]).toEqual([
        new Map(),
        new Map(),
      ]);
      await replicas.markWritten(id, 'issues', ['a']);
      // The first write to `a` has been superseded.
      await state.replicas.noteRead(id, 'issues', first, 'stored');
      expect((await replicas.unstored(id)).map(({ id: record }) => record)).toEqual(['a']);
      await state.replicas.confirmWritten(id, 'issues', ['a', 'b'], first.get('b')!);
      expect([...(await state.replicas.allWritten(id, 'issues')).keys()]).toEqual(['a']);
      await state.connectors.delete(scope, id);
      expect((await state.replicas.allWritten(id, 'issues')).size).toBe(0);
    });

    it('are not marked for an entity without a replica, which the first sync reads anyway', async () => {
      const { state, connect } = await setting();
      const { id } = await connect();
      await state.replicas.markWritten(id, 'issues', ['a']);
      expect(await state.replicas.unstored(id)).toEqual([]);
    });
  });

  it('records erased by another process beside a sync stay subtracted when the next batch is counted', async () => {
    const { state, connect, other } = await setting();
    const { id } = await connect();
    const claim = await planned(state);
    const count = async () => (await state.replicas.get(id, 'issues'))?.records;
    const store = (recordsAdded: number) =>
      state.jobs.checkpoint(claim, [], { entity: 'issues', changes: { recordsAdded } });
    await store(50);
    await (await other()).replicas.addToCount(id, 'issues', -20);
    expect(await count()).toBe(30);
    await store(50);
    expect(await count()).toBe(80);
    // A page that is erased before it is counted.
    await (await other()).replicas.addToCount(id, 'issues', -90);
    expect(await count()).toBe(0);
    await store(20);
    expect(await count()).toBe(10);
  });
});
