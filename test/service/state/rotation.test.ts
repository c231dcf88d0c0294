import { describe, expect, it } from 'vitest';
import { newKey } from '../keys.js';
import { createTenant, describeOnBothEngines, newFolder, newState, rotateKeys } from './fixtures.js';

describeOnBothEngines(() => {
  describe('a rotation', () => {
    it('seals everything with the newest key, so that the old one can be thrown away', async () => {
      const folder = newFolder();
      const [old, fresh] = [newKey(), newKey()];
      const first = await newState({ folder, keys: [old] });
      const { connect } = await createTenant(first);
      // More values than one batch has.
      const rows = await Promise.all(
        Array.from({ length: 55 }, (_, index) =>
          connect({ name: `${index}`, credentials: { api_key: `key ${index}`, note: 'two' } }),
        ),
      );
      const write = { clientId: 'cli_1', connectorId: rows[0]!.id, entity: 'issues', action: 'create', key: 'once' };
      await first.ledger.begin(write, 'hash');
      await first.ledger.finish(write, 200, 'answer');
      await first.close();
      expect(await rotateKeys(folder, [fresh, old])).toBe(111);
      expect(await rotateKeys(folder, [fresh, old])).toBe(0);
      const second = await newState({ folder, keys: [fresh] });
      for (const [index, { id }] of rows.entries()) {
        expect(await second.credentials.load(id)).toEqual({ api_key: `key ${index}`, note: 'two' });
      }
      expect(await second.ledger.begin(write, 'hash')).toEqual({ state: 'done', status: 200, body: 'answer' });
      await second.close();
      await expect(newState({ folder, keys: [old] })).rejects.toThrow(/wrong key/);
    });

    it('is refused, before anything is changed, while a service seals with the old key', async () => {
      const folder = newFolder();
      const [old, fresh] = [newKey(), newKey()];
      const running = await newState({ folder, keys: [old] });
      const { id } = await (await createTenant(running)).connect();
      let ready = false;
      const attempt = async () =>
        rotateKeys(folder, [fresh, old], () => {
          ready = true;
        });
      await expect(attempt()).rejects.toThrow(/seals with another key/);
      expect(ready).toBe(false);
      expect(await running.credentials.load(id)).toEqual({ api_key: 'lin_api_1' });
      await running.close();
      expect(await attempt()).toBe(1);
    });

    it('may be done while a service runs that has the new key already', async () => {
      const folder = newFolder();
      const [old, fresh] = [newKey(), newKey()];
      const before = await newState({ folder, keys: [old] });
      const { id } = await (await createTenant(before)).connect();
      await before.close();
      const running = await newState({ folder, keys: [fresh, old] });
      expect(await rotateKeys(folder, [fresh, old])).toBe(1);
      expect(await running.credentials.load(id)).toEqual({ api_key: 'lin_api_1' });
    });

    it('without the key that the database is sealed with changes nothing', async () => {
      const folder = newFolder();
      const old = newKey();
      const state = await newState({ folder, keys: [old] });
      const { id } = await (await createTenant(state)).connect();
      await state.close();
      await expect(rotateKeys(folder, [newKey(), newKey()])).rejects.toThrow(/wrong key/);
      expect(await (await newState({ folder, keys: [old] })).credentials.load(id)).toEqual({ api_key: 'lin_api_1' });
    });
  });
});
