import { describe, expect, it } from 'vitest';
import { describeOnBothEngines } from './fixtures.js';
import { setting } from './job-fixtures.js';

describeOnBothEngines(() => {
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
});
