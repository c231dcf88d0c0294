import { describe, expect, it } from 'vitest';
import { newKey } from '../keys.js';
import { createTenant, describeOnBothEngines, newFolder, newState, noon } from './fixtures.js';

const delivered = { responseStatus: 204, error: null, retryInMs: null };
const failed = { responseStatus: 500, error: 'The endpoint responded with 500.', retryInMs: 5000 };

/** Two processes on the same data, with an endpoint and a connector. */
async function twoProcesses() {
  const clock = { time: noon };
  const options = { folder: newFolder(), keys: [newKey()], now: () => clock.time };
  const state = await newState(options);
  const { scope, connect } = await createTenant(state);
  const { row } = await state.webhooks.create(scope, { url: 'https://x.example/', events: null, workspaceId: null });
  const connector = await connect();
  return { ...options, clock, state, scope, connector, endpoint: row.id, other: await newState(options) };
}

describeOnBothEngines(() => {
  describe('the outbox', () => {
    it('contains a message as soon as the change is committed, and only one process at a time sends it', async () => {
      const { state, other, clock } = await twoProcesses();
      const [claim] = await other.webhooks.claim(10, []);
      expect(JSON.parse(claim!.payload)).toMatchObject({ type: 'connector.connected' });
      expect(await state.webhooks.claim(10, [])).toEqual([]);
      // The sending process was killed: its lease expires, and the message is sent again with the same id.
      clock.time += 30_000;
      const [again] = await state.webhooks.claim(10, []);
      expect(again!.delivery).toMatchObject({ id: claim!.delivery.id, attempts: 2 });
      expect([await other.webhooks.finish(claim!, delivered), await state.webhooks.finish(again!, delivered)]).toEqual([
        false,
        true,
      ]);
      clock.time += 60_000;
      expect(await other.webhooks.claim(10, [])).toEqual([]);
    });

    it('contains nothing for a change that was rolled back', async () => {
      const { state, scope, connector } = await twoProcesses();
      const undone = state.atomically('test', async () => {
        await state.connectors.delete(scope, connector.id);
        throw new Error('not made');
      });
      await expect(undone).rejects.toThrow('not made');
      const claims = await state.webhooks.claim(10, []);
      expect(claims.map(({ delivery }) => delivery.event)).toEqual(['connector.connected']);
    });

    it("keeps a connector's messages in order, even behind a failing one", async () => {
      const { state, other, scope, connector, clock } = await twoProcesses();
      await state.connectors.delete(scope, connector.id);
      const [first, ...none] = await state.webhooks.claim(10, []);
      expect(none).toEqual([]);
      await state.webhooks.finish(first!, failed);
      expect(await other.webhooks.claim(10, [])).toEqual([]);
      clock.time += 5000;
      const [retried] = await other.webhooks.claim(10, []);
      await other.webhooks.finish(retried!, delivered);
      const [second] = await state.webhooks.claim(10, []);
      expect([retried, second].map((claim) => claim!.delivery.event)).toEqual([
        'connector.connected',
        'connector.removed',
      ]);
    });
  });
});
