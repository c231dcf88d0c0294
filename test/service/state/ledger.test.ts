import type { State } from 'agent-connectors-service';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { newKey } from '../keys.js';
import { beginWrite, createTenant, describeOnBothEngines, newFolder, newState, noon } from './fixtures.js';

const day = 24 * 60 * 60 * 1000;
const writeOf = (connectorId: string): Parameters<State['ledger']['begin']>[0] => ({
  clientId: 'cli_1',
  connectorId,
  entity: 'issues',
  action: 'create',
  key: 'once',
});
/** Two processes on one database; for the second, which opens on first use, the first has been silent too long. */
async function twoProcesses() {
  const folder = newFolder();
  const keys = [newKey()];
  const first = await newState({ folder, keys, now: () => noon });
  const write = writeOf((await (await createTenant(first)).connect()).id);
  let opened: Promise<State> | undefined;
  const second = () => {
    opened ??= newState({ folder, keys, now: () => noon + 16_000 });
    return opened;
  };
  return { first, second, write };
}

describeOnBothEngines(() => {
  describe('a write with a key', () => {
    it('is started once, in flight until it is finished, and then replayed', async () => {
      const state = await newState();
      const { ledger } = state;
      const write = writeOf((await (await createTenant(state)).connect()).id);
      const begun = await beginWrite(state, write);
      expect(await ledger.begin(write, 'hash')).toEqual({ state: 'in_flight' });
      await ledger.finish(begun, 201, '{"id":"é"}');
      expect(await ledger.begin(write, 'hash')).toEqual({ state: 'done', status: 201, body: '{"id":"é"}' });
      await ledger.finish(begun, 500, 'late');
      await ledger.forget(begun);
      expect(await ledger.begin(write, 'hash')).toEqual({ state: 'done', status: 201, body: '{"id":"é"}' });
    });

    it('is started by only one of several concurrent requests, and not again while it is finishing', async () => {
      const state = await newState();
      const write = writeOf((await (await createTenant(state)).connect()).id);
      const entries = await Promise.all(Array.from({ length: 8 }, () => state.ledger.begin(write, 'hash')));
      const [begun, ...others] = entries.flatMap((entry) => (entry.state === 'begun' ? [entry.write] : []));
      expect(others).toEqual([]);
      const [, meanwhile] = await Promise.all([
        state.ledger.finish(begun!, 200, 'answer'),
        state.ledger.begin(write, 'hash'),
      ]);
      expect(meanwhile).toEqual({ state: 'done', status: 200, body: 'answer' });
    });

    it('is a different write if any part of its key differs', async () => {
      const state = await newState();
      const { connect } = await createTenant(state);
      const write = writeOf((await connect()).id);
      await beginWrite(state, write);
      const others = [
        { clientId: 'cli_2' },
        { connectorId: (await connect({ name: 'other' })).id },
        { entity: 'issue', action: 'screate' },
        { action: 'update' },
        { key: 'twice' },
      ];
      for (const other of others)
        expect(await state.ledger.begin({ ...write, ...other }, 'hash')).toMatchObject({ state: 'begun' });
    });

    it('with a different body is reported as different, both while in flight and once done', async () => {
      const state = await newState();
      const write = writeOf((await (await createTenant(state)).connect()).id);
      const begun = await beginWrite(state, write);
      expect(await state.ledger.begin(write, 'other')).toEqual({ state: 'other_body' });
      await state.ledger.finish(begun, 200, '');
      expect(await state.ledger.begin(write, 'other')).toEqual({ state: 'other_body' });
    });

    it('that had no effect frees its key', async () => {
      const state = await newState();
      const write = writeOf((await (await createTenant(state)).connect()).id);
      const begun = await beginWrite(state, write);
      await state.ledger.forget(begun);
      expect(await state.ledger.begin(write, 'other')).toMatchObject({ state: 'begun' });
    });

    it('with an unknown outcome can be resumed by a request with its key, one at a time', async () => {
      const state = await newState();
      const write = writeOf((await (await createTenant(state)).connect()).id);
      const begun = await beginWrite(state, write);
      await state.ledger.sending(begun, { id: 'chosen', by: 'id' });
      expect(await state.ledger.begin(write, 'hash')).toEqual({ state: 'in_flight' });
      await state.ledger.release(begun);
      expect(await state.ledger.begin(write, 'other')).toEqual({ state: 'other_body' });
      expect(await state.ledger.begin(write, 'hash')).toMatchObject({
        state: 'begun',
        sent: { id: 'chosen', by: 'id' },
      });
      expect(await state.ledger.begin(write, 'hash')).toEqual({ state: 'in_flight' });
    });

    it('is remembered for a day, whether or not the ledger is cleaned up', async () => {
      let now = noon;
      const state = await newState({ now: () => now });
      const write = writeOf((await (await createTenant(state)).connect()).id);
      const begun = await beginWrite(state, write);
      await state.ledger.finish(begun, 200, 'kept');
      now += day - 1;
      await state.ledger.sweep();
      expect(await state.ledger.begin(write, 'hash')).toMatchObject({ state: 'done' });
      now += 1;
      expect(await state.ledger.begin(write, 'hash')).toMatchObject({ state: 'begun' });
    });

    it('is replayed as an error if its result was too large to store', async () => {
      const state = await newState();
      const write = writeOf((await (await createTenant(state)).connect()).id);
      const begun = await beginWrite(state, write);
      await state.ledger.finish(begun, 201, 'x'.repeat(1024 * 1024 + 1));
      const entry = await state.ledger.begin(write, 'hash');
      expect(entry).toMatchObject({ state: 'done', status: 413 });
      expect(JSON.parse((entry as { body: string }).body)).toMatchObject({
        code: 'too_large',
        message: expect.stringContaining('already executed with status 201'),
        retryable: false,
      });
    });

    it('has its result stored in full up to 1 MiB', async () => {
      const state = await newState();
      const write = writeOf((await (await createTenant(state)).connect()).id);
      const body = 'é'.repeat(512 * 1024);
      const begun = await beginWrite(state, write);
      await state.ledger.finish(begun, 200, body);
      expect(await state.ledger.begin(write, 'hash')).toEqual({ state: 'done', status: 200, body });
    });

    it('is deleted with its connector', async () => {
      const state = await newState();
      const { scope, connect } = await createTenant(state);
      const write = writeOf((await connect()).id);
      const begun = await beginWrite(state, write);
      await state.connectors.delete(scope, write.connectorId);
      await expect(state.ledger.begin(write, 'hash')).rejects.toMatchObject({ name: 'StateConflict' });
      await state.ledger.finish(begun, 200, 'late');
    });
  });

  describe('a write whose service has stopped', () => {
    it('can be resumed immediately after a clean shutdown, and its key still cannot be reused for another write', async () => {
      const folder = newFolder();
      const keys = [newKey()];
      const first = await newState({ folder, keys });
      const write = writeOf((await (await createTenant(first)).connect()).id);
      await beginWrite(first, write);
      await first.close();
      const second = await newState({ folder, keys });
      expect(await second.ledger.begin(write, 'other')).toEqual({ state: 'other_body' });
      expect(await second.ledger.begin(write, 'hash')).toMatchObject({ state: 'begun' });
      expect(await second.ledger.begin(write, 'hash')).toEqual({ state: 'in_flight' });
    });

    it('includes what was recorded before it was sent', async () => {
      const folder = newFolder();
      const keys = [newKey()];
      const first = await newState({ folder, keys });
      const write = writeOf((await (await createTenant(first)).connect()).id);
      const begun = await beginWrite(first, write);
      await first.ledger.sending(begun, { id: 'chosen', by: 'id' });
      await first.close();
      const second = await newState({ folder, keys });
      expect(await second.ledger.begin(write, 'hash')).toMatchObject({
        state: 'begun',
        sent: { id: 'chosen', by: 'id' },
      });
    });

    it('is not sent by a process that was unresponsive for too long', async () => {
      const { first, second, write } = await twoProcesses();
      const begun = await beginWrite(first, write);
      const taken = await beginWrite(await second(), write);
      await expect(first.ledger.sending(begun, { id: 'late', by: 'id' })).rejects.toMatchObject({
        name: 'StateConflict',
      });
      await expect(first.ledger.hold(begun)).rejects.toMatchObject({ name: 'StateConflict' });
      expect(await first.ledger.forget(begun)).toBe(false);
      await first.ledger.finish(begun, 200, 'late');
      const { ledger } = await second();
      await ledger.hold(taken);
      expect(await ledger.begin(write, 'hash')).toEqual({ state: 'in_flight' });
      await ledger.sending(taken, { id: 'chosen', by: 'id' });
      await ledger.finish(taken, 200, 'done');
      expect(await first.ledger.begin(write, 'hash')).toEqual({ state: 'done', status: 200, body: 'done' });
    });

    it('is not sent by a request that was interrupted for too long, even if its process has begun it again', async () => {
      const { first, second, write } = await twoProcesses();
      const interrupted = await beginWrite(first, write);
      const { ledger } = await second();
      await ledger.forget(await beginWrite(await second(), write));
      const again = await beginWrite(first, write);
      await expect(first.ledger.sending(interrupted, { id: 'late', by: 'id' })).rejects.toMatchObject({
        name: 'StateConflict',
      });
      for (const end of ['forget', 'release'] as const) {
        await first.ledger[end](interrupted);
        expect(await first.ledger.begin(write, 'hash')).toEqual({ state: 'in_flight' });
      }
      await first.ledger.finish(interrupted, 200, 'late');
      await first.ledger.sending(again, { id: 'chosen', by: 'id' });
      await first.ledger.finish(again, 200, 'done');
      expect(await ledger.begin(write, 'hash')).toEqual({ state: 'done', status: 200, body: 'done' });
    });

    it('is confirmed without a query while others consider its process alive, and looked up otherwise', async () => {
      const now = performance.now.bind(performance);
      let passed = 0;
      const spy = vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
      onTestFinished(() => spy.mockRestore());
      const { first, second, write } = await twoProcesses();
      const begun = await beginWrite(first, write);
      await first.ledger.confirm(begun);
      passed += 16_000;
      await first.ledger.confirm(begun);
      await beginWrite(await second(), write);
      passed += 16_000;
      const conflict = { name: 'StateConflict' };
      await expect(first.ledger.confirm(begun)).rejects.toMatchObject(conflict);
      await expect(first.ledger.confirm(begun)).rejects.toMatchObject(conflict);
      const other = await beginWrite(first, { ...write, key: 'other' });
      await first.close();
      await first.ledger.confirm(other);
      passed += 16_000;
      await expect(first.ledger.confirm(other)).rejects.toThrow('closed');
    });

    it('is in flight while another service on the same folder is running, and is replayed by either', async () => {
      const folder = newFolder();
      const keys = [newKey()];
      const [first, second] = [await newState({ folder, keys }), await newState({ folder, keys })];
      const write = writeOf((await (await createTenant(first)).connect()).id);
      const begun = await beginWrite(first, write);
      expect(await second.ledger.begin(write, 'hash')).toEqual({ state: 'in_flight' });
      await first.ledger.finish(begun, 200, 'answer');
      expect(await second.ledger.begin(write, 'hash')).toEqual({ state: 'done', status: 200, body: 'answer' });
    });
  });
});
