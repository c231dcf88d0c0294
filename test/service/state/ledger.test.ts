import { describe, expect, it } from 'vitest';
import { type LedgerKey, StateConflict } from '../../../service/src/state/types.js';
import { randomKey } from '../../../service/src/vault/keys.js';
import { newFolder, newState, noon, tenant } from './fixtures.js';

const day = 24 * 60 * 60 * 1000;
const writeOf = (connectorId: string): LedgerKey => ({
  clientId: 'cli_1',
  connectorId,
  entity: 'issues',
  action: 'create',
  key: 'once',
});

describe('a write with a key', () => {
  it('is begun once, in flight until it is finished, and then replayed', () => {
    const { ledger, ...state } = newState();
    const write = writeOf(tenant({ ledger, ...state }).connect().id);
    expect(ledger.begin(write, 'hash')).toEqual({ state: 'begun' });
    expect(ledger.begin(write, 'hash')).toEqual({ state: 'in_flight' });
    ledger.finish(write, 201, '{"id":"é"}');
    expect(ledger.begin(write, 'hash')).toEqual({ state: 'done', status: 201, body: '{"id":"é"}' });
    ledger.finish(write, 500, 'late');
    ledger.forget(write);
    expect(ledger.begin(write, 'hash')).toEqual({ state: 'done', status: 201, body: '{"id":"é"}' });
  });

  it('is another write with any other part of its key', () => {
    const state = newState();
    const { connect } = tenant(state);
    const write = writeOf(connect().id);
    state.ledger.begin(write, 'hash');
    const others = [
      { clientId: 'cli_2' },
      { connectorId: connect({ name: 'other' }).id },
      { entity: 'issue', action: 'screate' },
      { action: 'update' },
      { key: 'twice' },
    ];
    for (const other of others) expect(state.ledger.begin({ ...write, ...other }, 'hash')).toEqual({ state: 'begun' });
  });

  it('with another body is told apart, in flight and done', () => {
    const state = newState();
    const write = writeOf(tenant(state).connect().id);
    state.ledger.begin(write, 'hash');
    expect(state.ledger.begin(write, 'other')).toEqual({ state: 'other_body' });
    state.ledger.finish(write, 200, '');
    expect(state.ledger.begin(write, 'other')).toEqual({ state: 'other_body' });
  });

  it('that did nothing frees its key', () => {
    const state = newState();
    const write = writeOf(tenant(state).connect().id);
    state.ledger.begin(write, 'hash');
    state.ledger.forget(write);
    expect(state.ledger.begin(write, 'other')).toEqual({ state: 'begun' });
  });

  it('whose outcome is not known can be taken up by whoever comes with its key, once at a time', () => {
    const state = newState();
    const write = writeOf(tenant(state).connect().id);
    state.ledger.begin(write, 'hash');
    state.ledger.sending(write, { id: 'chosen', by: 'id' });
    expect(state.ledger.begin(write, 'hash')).toEqual({ state: 'in_flight' });
    state.ledger.release(write);
    expect(state.ledger.begin(write, 'other')).toEqual({ state: 'other_body' });
    expect(state.ledger.begin(write, 'hash')).toEqual({ state: 'begun', sent: { id: 'chosen', by: 'id' } });
    expect(state.ledger.begin(write, 'hash')).toEqual({ state: 'in_flight' });
  });

  it('is remembered for a day, swept or not', () => {
    let now = noon;
    const state = newState({ now: () => now });
    const write = writeOf(tenant(state).connect().id);
    state.ledger.begin(write, 'hash');
    state.ledger.finish(write, 200, 'kept');
    now += day - 1;
    state.ledger.sweep();
    expect(state.ledger.begin(write, 'hash')).toMatchObject({ state: 'done' });
    now += 1;
    expect(state.ledger.begin(write, 'hash')).toEqual({ state: 'begun' });
  });

  it('answers that its result was too large to keep, when it was', () => {
    const state = newState();
    const write = writeOf(tenant(state).connect().id);
    state.ledger.begin(write, 'hash');
    state.ledger.finish(write, 201, 'x'.repeat(1024 * 1024 + 1));
    const entry = state.ledger.begin(write, 'hash');
    expect(entry).toMatchObject({ state: 'done', status: 413 });
    expect(JSON.parse((entry as { body: string }).body)).toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('carried out before and answered with status 201'),
      retryable: false,
    });
  });

  it('up to a mebibyte is kept whole', () => {
    const state = newState();
    const write = writeOf(tenant(state).connect().id);
    const body = 'é'.repeat(512 * 1024);
    state.ledger.begin(write, 'hash');
    state.ledger.finish(write, 200, body);
    expect(state.ledger.begin(write, 'hash')).toEqual({ state: 'done', status: 200, body });
  });

  it('goes with its connector', () => {
    const state = newState();
    const { scope, connect } = tenant(state);
    const write = writeOf(connect().id);
    state.ledger.begin(write, 'hash');
    state.connectors.delete(scope, write.connectorId);
    expect(() => state.ledger.begin(write, 'hash')).toThrow(StateConflict);
    state.ledger.finish(write, 200, 'late');
  });
});

describe('a write whose service ended', () => {
  it('can be taken up at once when it closed, and its key still cannot be used for another', () => {
    const folder = newFolder();
    const keys = [randomKey()];
    const first = newState({ folder, keys });
    const write = writeOf(tenant(first).connect().id);
    first.ledger.begin(write, 'hash');
    first.close();
    const second = newState({ folder, keys });
    expect(second.ledger.begin(write, 'other')).toEqual({ state: 'other_body' });
    expect(second.ledger.begin(write, 'hash')).toEqual({ state: 'begun' });
    expect(second.ledger.begin(write, 'hash')).toEqual({ state: 'in_flight' });
  });

  it('comes with what was noted before it was sent', () => {
    const folder = newFolder();
    const keys = [randomKey()];
    const first = newState({ folder, keys });
    const write = writeOf(tenant(first).connect().id);
    first.ledger.begin(write, 'hash');
    first.ledger.sending(write, { id: 'chosen', by: 'id' });
    first.close();
    const second = newState({ folder, keys });
    expect(second.ledger.begin(write, 'hash')).toEqual({ state: 'begun', sent: { id: 'chosen', by: 'id' } });
  });

  it('is not sent any more by a process that was silent for too long', () => {
    const folder = newFolder();
    const keys = [randomKey()];
    let now = noon;
    const first = newState({ folder, keys, now: () => noon });
    const write = writeOf(tenant(first).connect().id);
    first.ledger.begin(write, 'hash');
    now += 16_000;
    const second = newState({ folder, keys, now: () => now });
    expect(second.ledger.begin(write, 'hash')).toEqual({ state: 'begun' });
    expect(() => first.ledger.sending(write, { id: 'late', by: 'id' })).toThrow(StateConflict);
    first.ledger.forget(write);
    first.ledger.finish(write, 200, 'late');
    expect(second.ledger.begin(write, 'hash')).toEqual({ state: 'in_flight' });
    second.ledger.sending(write, { id: 'chosen', by: 'id' });
    second.ledger.finish(write, 200, 'done');
    expect(first.ledger.begin(write, 'hash')).toEqual({ state: 'done', status: 200, body: 'done' });
  });

  it('is in flight while another service on the folder lives, and is replayed by either', () => {
    const folder = newFolder();
    const keys = [randomKey()];
    const [first, second] = [newState({ folder, keys }), newState({ folder, keys })];
    const write = writeOf(tenant(first).connect().id);
    first.ledger.begin(write, 'hash');
    expect(second.ledger.begin(write, 'hash')).toEqual({ state: 'in_flight' });
    first.ledger.finish(write, 200, 'answer');
    expect(second.ledger.begin(write, 'hash')).toEqual({ state: 'done', status: 200, body: 'answer' });
  });
});
