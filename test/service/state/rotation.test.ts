import { describe, expect, it } from 'vitest';
import { rotate } from '../../../service/src/state/rotate.js';
import { keyRing, randomKey } from '../../../service/src/vault/keys.js';
import { newFolder, newState, tenant } from './fixtures.js';

describe('a rotation', () => {
  it('seals everything with the newest key, so that the old one can be thrown away', () => {
    const folder = newFolder();
    const [old, fresh] = [randomKey(), randomKey()];
    const first = newState({ folder, keys: [old] });
    const { connect } = tenant(first);
    const rows = Array.from({ length: 130 }, (_, index) =>
      connect({ name: `${index}`, credentials: { api_key: `key ${index}`, note: 'two' } }),
    );
    const write = { clientId: 'cli_1', connectorId: rows[0]!.id, entity: 'issues', action: 'create', key: 'once' };
    first.ledger.begin(write, 'hash');
    first.ledger.finish(write, 200, 'answer');
    first.close();
    expect(rotate({ folder, keys: keyRing([fresh, old]) })).toBe(261);
    expect(rotate({ folder, keys: keyRing([fresh, old]) })).toBe(0);
    const second = newState({ folder, keys: [fresh] });
    for (const [index, { id }] of rows.entries()) {
      expect(second.credentials.load(id)).toEqual({ api_key: `key ${index}`, note: 'two' });
    }
    expect(second.ledger.begin(write, 'hash')).toEqual({ state: 'done', status: 200, body: 'answer' });
    second.close();
    expect(() => newState({ folder, keys: [old] })).toThrow(/wrong key/);
  });

  it('is refused, before anything is changed, while a service seals with the old key', () => {
    const folder = newFolder();
    const [old, fresh] = [randomKey(), randomKey()];
    const running = newState({ folder, keys: [old] });
    const { id } = tenant(running).connect();
    let ready = false;
    const attempt = () =>
      rotate({
        folder,
        keys: keyRing([fresh, old]),
        ready: () => {
          ready = true;
        },
      });
    expect(attempt).toThrow(/seals with another key/);
    expect(ready).toBe(false);
    expect(running.credentials.load(id)).toEqual({ api_key: 'lin_api_1' });
    running.close();
    expect(attempt()).toBe(1);
  });

  it('may be done while a service runs that has the new key already', () => {
    const folder = newFolder();
    const [old, fresh] = [randomKey(), randomKey()];
    const before = newState({ folder, keys: [old] });
    const { id } = tenant(before).connect();
    before.close();
    const running = newState({ folder, keys: [fresh, old] });
    expect(rotate({ folder, keys: keyRing([fresh, old]) })).toBe(1);
    expect(running.credentials.load(id)).toEqual({ api_key: 'lin_api_1' });
  });

  it('without the key that the database is sealed with changes nothing', () => {
    const folder = newFolder();
    const old = randomKey();
    const state = newState({ folder, keys: [old] });
    const { id } = tenant(state).connect();
    state.close();
    expect(() => rotate({ folder, keys: keyRing([randomKey(), randomKey()]) })).toThrow(/wrong key/);
    expect(newState({ folder, keys: [old] }).credentials.load(id)).toEqual({ api_key: 'lin_api_1' });
  });
});
