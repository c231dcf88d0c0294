import type { State } from 'agent-connectors-service';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isResolvable, runIdempotent } from '../../../service/src/domain/calls/idempotent-write.js';
import { auditEntry } from '../audit/entry.js';
import { newKey } from '../keys.js';
import {
  beginWrite,
  createTenant,
  describeOnBothEngines,
  executeAll,
  newFolder,
  newState,
  noon,
  openTestDatabase,
} from './fixtures.js';

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

    it('that cannot be looked up stays unknown if the service fails after sending it', async () => {
      const state = await newState();
      const key = writeOf((await (await createTenant(state)).connect()).id);
      const reports: unknown[] = [];
      let sent = 0;
      const run = () =>
        runIdempotent(state, {
          key,
          bodyHash: 'hash',
          requestId: 'request',
          async work({ once }) {
            await once.sending({ id: '', by: null });
            sent += 1;
            return { kind: 'failed', failure: new TypeError('a bug') };
          },
          replay: async (stored) => ({ kind: 'replayed', stored }),
          report: (error) => reports.push(error),
        });
      const first = await run();
      if (first.kind !== 'failed') throw new Error(first.kind);
      expect(first.failure).toMatchObject({ code: 'unknown_outcome', hint: expect.stringContaining('use a new key') });
      expect(isResolvable(first.failure)).toBe(false);
      const again = await run();
      if (again.kind !== 'replayed') throw new Error(again.kind);
      expect(JSON.parse(again.stored.body)).toMatchObject({ code: 'unknown_outcome', retryable: false });
      expect([sent, reports]).toEqual([1, [new TypeError('a bug')]]);
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
      expect(['in_flight', 'done']).toContain(meanwhile.state);
      expect(await state.ledger.begin(write, 'hash')).toEqual({ state: 'done', status: 200, body: 'answer' });
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

    it('is sent by only one of several processes that look it up before it is stored', async () => {
      const folder = newFolder();
      const keys = [newKey()];
      const states = [await newState({ folder, keys }), await newState({ folder, keys })] as const;
      const write = writeOf((await (await createTenant(states[0])).connect()).id);
      const begun = await Promise.all(
        states.map(async ({ ledger }) => {
          const entry = await ledger.begin(write, 'hash');
          return entry.state === 'begun' ? entry.write : undefined;
        }),
      );
      const sent = await Promise.allSettled(
        states.map(({ ledger }, number) => ledger.sending(begun[number]!, { id: `${number}`, by: 'id' })),
      );
      expect(sent.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const winner = sent.findIndex(({ status }) => status === 'fulfilled');
      expect(sent[1 - winner]).toMatchObject({ reason: { message: 'This write is already in progress.' } });
      await states[1 - winner]!.ledger.forget(begun[1 - winner]!);
      expect(await states[1 - winner]!.ledger.begin(write, 'hash')).toEqual({ state: 'in_flight' });
      await states[winner]!.ledger.finish(begun[winner]!, 200, 'done');
      expect(await states[1 - winner]!.ledger.begin(write, 'hash')).toMatchObject({ state: 'done', body: 'done' });
    });

    it('does not affect others that are stored at the same time if it cannot be stored', async () => {
      const folder = newFolder();
      const keys = [newKey()];
      const before = await newState({ folder, keys });
      const tenants = [await createTenant(before, 'acme'), await createTenant(before, 'damaged')] as const;
      const ids = await Promise.all(tenants.map(async ({ connect }) => (await connect()).id));
      await before.close();
      const database = await openTestDatabase(folder);
      const damaged = tenants[1].organization.id;
      await executeAll(
        database,
        `update keys set wrapped_by = (select max(id) from keys where wrapped_by is null), sealed = (select sealed
         from keys where organization_id = '${tenants[0].organization.id}') where organization_id = '${damaged}'`,
      );
      await database.close();
      const state = await newState({ folder, keys });
      const sent = await Promise.allSettled(
        ids.map(async (id) => {
          const entry = await state.ledger.begin(writeOf(id), 'hash');
          const opening = auditEntry(tenants[ids.indexOf(id)]!.organization.id);
          return entry.state === 'begun' && state.ledger.sending(entry.write, { id: '', by: null }, opening);
        }),
      );
      expect(sent).toMatchObject([{ status: 'fulfilled', value: 1 }, { reason: { name: 'VaultError' } }]);
      const entriesOf = async ({ organization: { id } }: (typeof tenants)[number]) =>
        (await state.audit.verify(id)).entries;
      expect([await entriesOf(tenants[0]), await entriesOf(tenants[1])]).toEqual([1, 0]);
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
