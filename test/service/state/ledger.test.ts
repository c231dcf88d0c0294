import type { State } from 'agent-connectors-service';
import { describe, expect, it } from 'vitest';
import { newKey } from '../keys.js';
import { createTenant, describeOnBothEngines, newFolder, newState, noon } from './fixtures.js';

const day = 24 * 60 * 60 * 1000;
const writeOf = (connectorId: string): Parameters<State['ledger']['begin']>[0] => ({
  clientId: 'cli_1',
  connectorId,
  entity: 'issues',
  action: 'create',
  key: 'once',
});
describeOnBothEngines(() => {
  describe('a write with a key', () => {
    it('is started once, in flight until it is finished, and then replayed', async () => {
      const { ledger, ...state } = await newState();
      const write = writeOf((await (await createTenant({ ledger, ...state })).connect()).id);
      expect(await ledger.begin(write, 'hash')).toEqual({ state: 'begun' });
      expect(await ledger.begin(write, 'hash')).toEqual({ state: 'in_flight' });
      await ledger.finish(write, 201, '{"id":"é"}');
      expect(await ledger.begin(write, 'hash')).toEqual({ state: 'done', status: 201, body: '{"id":"é"}' });
      await ledger.finish(write, 500, 'late');
      await ledger.forget(write);
      expect(await ledger.begin(write, 'hash')).toEqual({ state: 'done', status: 201, body: '{"id":"é"}' });
    });

    it('is started by only one of several concurrent requests, and not again while it is finishing', async () => {
      const state = await newState();
      const write = writeOf((await (await createTenant(state)).connect()).id);
      const begun = await Promise.all(Array.from({ length: 8 }, () => state.ledger.begin(write, 'hash')));
      expect(begun.filter(({ state }) => state === 'begun')).toHaveLength(1);
      const [, meanwhile] = await Promise.all([
        state.ledger.finish(write, 200, 'answer'),
        state.ledger.begin(write, 'hash'),
      ]);
      expect(meanwhile).toEqual({ state: 'done', status: 200, body: 'answer' });
    });

    it('is a different write if any part of its key differs', async () => {
      const state = await newState();
      const { connect } = await createTenant(state);
      const write = writeOf((await connect()).id);
      await state.ledger.begin(write, 'hash');
      const others = [
        { clientId: 'cli_2' },
        { connectorId: (await connect({ name: 'other' })).id },
        { entity: 'issue', action: 'screate' },
        { action: 'update' },
        { key: 'twice' },
      ];
      for (const other of others)
        expect(await state.ledger.begin({ ...write, ...other }, 'hash')).toEqual({ state: 'begun' });
    });

    it('with a different body is reported as different, both while in flight and once done', async () => {
      const state = await newState();
      const write = writeOf((await (await createTenant(state)).connect()).id);
      await state.ledger.begin(write, 'hash');
      expect(await state.ledger.begin(write, 'other')).toEqual({ state: 'other_body' });
      await state.ledger.finish(write, 200, '');
      expect(await state.ledger.begin(write, 'other')).toEqual({ state: 'other_body' });
    });

    it('that had no effect frees its key', async () => {
      const state = await newState();
      const write = writeOf((await (await createTenant(state)).connect()).id);
      await state.ledger.begin(write, 'hash');
      await state.ledger.forget(write);
      expect(await state.ledger.begin(write, 'other')).toEqual({ state: 'begun' });
    });

    it('with an unknown outcome can be resumed by a request with its key, one at a time', async () => {
      const state = await newState();
      const write = writeOf((await (await createTenant(state)).connect()).id);
      await state.ledger.begin(write, 'hash');
      await state.ledger.sending(write, { id: 'chosen', by: 'id' });
      expect(await state.ledger.begin(write, 'hash')).toEqual({ state: 'in_flight' });
      await state.ledger.release(write);
      expect(await state.ledger.begin(write, 'other')).toEqual({ state: 'other_body' });
      expect(await state.ledger.begin(write, 'hash')).toEqual({ state: 'begun', sent: { id: 'chosen', by: 'id' } });
      expect(await state.ledger.begin(write, 'hash')).toEqual({ state: 'in_flight' });
    });

    it('is remembered for a day, whether or not the ledger is cleaned up', async () => {
      let now = noon;
      const state = await newState({ now: () => now });
      const write = writeOf((await (await createTenant(state)).connect()).id);
      await state.ledger.begin(write, 'hash');
      await state.ledger.finish(write, 200, 'kept');
      now += day - 1;
      await state.ledger.sweep();
      expect(await state.ledger.begin(write, 'hash')).toMatchObject({ state: 'done' });
      now += 1;
      expect(await state.ledger.begin(write, 'hash')).toEqual({ state: 'begun' });
    });

    it('is replayed as an error if its result was too large to store', async () => {
      const state = await newState();
      const write = writeOf((await (await createTenant(state)).connect()).id);
      await state.ledger.begin(write, 'hash');
      await state.ledger.finish(write, 201, 'x'.repeat(1024 * 1024 + 1));
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
      await state.ledger.begin(write, 'hash');
      await state.ledger.finish(write, 200, body);
      expect(await state.ledger.begin(write, 'hash')).toEqual({ state: 'done', status: 200, body });
    });

    it('is deleted with its connector', async () => {
      const state = await newState();
      const { scope, connect } = await createTenant(state);
      const write = writeOf((await connect()).id);
      await state.ledger.begin(write, 'hash');
      await state.connectors.delete(scope, write.connectorId);
      await expect(state.ledger.begin(write, 'hash')).rejects.toMatchObject({ name: 'StateConflict' });
      await state.ledger.finish(write, 200, 'late');
    });
  });

  describe('a write whose service has stopped', () => {
    it('can be resumed immediately after a clean shutdown, and its key still cannot be reused for another write', async () => {
      const folder = newFolder();
      const keys = [newKey()];
      const first = await newState({ folder, keys });
      const write = writeOf((await (await createTenant(first)).connect()).id);
      await first.ledger.begin(write, 'hash');
      await first.close();
      const second = await newState({ folder, keys });
      expect(await second.ledger.begin(write, 'other')).toEqual({ state: 'other_body' });
      expect(await second.ledger.begin(write, 'hash')).toEqual({ state: 'begun' });
      expect(await second.ledger.begin(write, 'hash')).toEqual({ state: 'in_flight' });
    });

    it('includes what was recorded before it was sent', async () => {
      const folder = newFolder();
      const keys = [newKey()];
      const first = await newState({ folder, keys });
      const write = writeOf((await (await createTenant(first)).connect()).id);
      await first.ledger.begin(write, 'hash');
      await first.ledger.sending(write, { id: 'chosen', by: 'id' });
      await first.close();
      const second = await newState({ folder, keys });
      expect(await second.ledger.begin(write, 'hash')).toEqual({ state: 'begun', sent: { id: 'chosen', by: 'id' } });
    });

    it('is not sent by a process that was unresponsive for too long', async () => {
      const folder = newFolder();
      const keys = [newKey()];
      let now = noon;
      const first = await newState({ folder, keys, now: () => noon });
      const write = writeOf((await (await createTenant(first)).connect()).id);
      await first.ledger.begin(write, 'hash');
      now += 16_000;
      const second = await newState({ folder, keys, now: () => now });
      expect(await second.ledger.begin(write, 'hash')).toEqual({ state: 'begun' });
      await expect(first.ledger.sending(write, { id: 'late', by: 'id' })).rejects.toMatchObject({
        name: 'StateConflict',
      });
      await first.ledger.forget(write);
      await first.ledger.finish(write, 200, 'late');
      expect(await second.ledger.begin(write, 'hash')).toEqual({ state: 'in_flight' });
      await second.ledger.sending(write, { id: 'chosen', by: 'id' });
      await second.ledger.finish(write, 200, 'done');
      expect(await first.ledger.begin(write, 'hash')).toEqual({ state: 'done', status: 200, body: 'done' });
    });

    it('is in flight while another service on the same folder is running, and is replayed by either', async () => {
      const folder = newFolder();
      const keys = [newKey()];
      const [first, second] = [await newState({ folder, keys }), await newState({ folder, keys })];
      const write = writeOf((await (await createTenant(first)).connect()).id);
      await first.ledger.begin(write, 'hash');
      expect(await second.ledger.begin(write, 'hash')).toEqual({ state: 'in_flight' });
      await first.ledger.finish(write, 200, 'answer');
      expect(await second.ledger.begin(write, 'hash')).toEqual({ state: 'done', status: 200, body: 'answer' });
    });
  });
});
