import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { newKey } from '../keys.js';
import {
  beginWrite,
  createTenant,
  describeOnBothEngines,
  newFolder,
  newState,
  openTestDatabase,
  rotateKeys,
} from './fixtures.js';

type Tenant = Awaited<ReturnType<typeof createTenant>>;

/** A folder with connectors for two organizations, and a write that has a stored response. */
async function filled(keys: readonly string[]) {
  const folder = newFolder();
  const state = await newState({ folder, keys });
  const tenants: Tenant[] = [];
  for (const name of ['acme', 'globex']) tenants.push(await createTenant(state, name));
  const ids: string[] = [];
  for (const { connect } of tenants) ids.push((await connect({ credentials: { api_key: 'one', note: 'two' } })).id);
  const write = { clientId: 'cli_1', connectorId: ids[0]!, entity: 'issues', action: 'create', key: 'once' };
  await state.ledger.finish(await beginWrite(state, write), 200, 'answer');
  const expectWhole = async (opened: Awaited<ReturnType<typeof newState>>) => {
    for (const id of ids) expect(await opened.credentials.load(id)).toEqual({ api_key: 'one', note: 'two' });
    expect(await opened.ledger.begin(write, 'hash')).toEqual({ state: 'done', status: 200, body: 'answer' });
  };
  return { folder, state, ids, expectWhole, tenants };
}

describeOnBothEngines(() => {
  describe('a rotation', () => {
    it('re-encrypts everything with the newest key, so the old one can be discarded', async () => {
      const [old, fresh] = [newKey(), newKey()];
      const { folder, state, expectWhole } = await filled([old]);
      await state.close();
      // Only the keys of two organizations are rewrapped; no value is re-encrypted.
      expect(await rotateKeys(folder, [fresh, old])).toEqual({ rewrapped: 2, resealed: 0 });
      expect(await rotateKeys(folder, [fresh, old])).toEqual({ rewrapped: 0, resealed: 0 });
      const second = await newState({ folder, keys: [fresh] });
      await expectWhole(second);
      await second.close();
      await expect(newState({ folder, keys: [old] })).rejects.toThrow(/wrong key/);
    });

    it('creates new data keys on request, and deletes the old ones', async () => {
      const [old, fresh] = [newKey(), newKey()];
      const { folder, state, expectWhole } = await filled([old]);
      const database = await openTestDatabase(folder);
      const tenantKeys = async () => {
        const keys = database.query.selectFrom('keys').select('id').where('organization_id', 'is not', null);
        return (await keys.execute()).map(({ id }) => id).sort();
      };
      const before = await tenantKeys();
      await state.close();
      const rotated = await rotateKeys(folder, [fresh, old], { renewDataKeys: true });
      expect(rotated.resealed).toBe(5);
      const after = await tenantKeys();
      await database.close();
      expect(after).toHaveLength(2);
      expect(after.filter((id) => before.includes(id))).toEqual([]);
      await expectWhole(await newState({ folder, keys: [fresh] }));
    });

    it('is rejected, before any change, while a service encrypts with the old key and cannot load another', async () => {
      const folder = newFolder();
      const [old, fresh] = [newKey(), newKey()];
      const running = await newState({ folder, keys: [old] });
      const { id } = await (await createTenant(running)).connect();
      const onReady = vi.fn();
      await expect(rotateKeys(folder, [fresh, old], { onReady })).rejects.toThrow(/is encrypting with a different key/);
      expect(onReady).not.toHaveBeenCalled();
      expect(await running.credentials.load(id)).toEqual({ api_key: 'lin_api_1' });
      await running.close();
      expect(await rotateKeys(folder, [fresh, old], { onReady })).toEqual({ rewrapped: 1, resealed: 0 });
      expect(onReady).toHaveBeenCalledOnce();
    });

    it('is possible while a running service already has the new key', async () => {
      const folder = newFolder();
      const [old, fresh] = [newKey(), newKey()];
      const before = await newState({ folder, keys: [old] });
      const { id } = await (await createTenant(before)).connect();
      await before.close();
      const running = await newState({ folder, keys: [fresh, old] });
      expect(await rotateKeys(folder, [fresh, old])).toEqual({ rewrapped: 1, resealed: 0 });
      expect(await running.credentials.load(id)).toEqual({ api_key: 'lin_api_1' });
    });

    it("changes nothing without the database's key", async () => {
      const folder = newFolder();
      const old = newKey();
      const state = await newState({ folder, keys: [old] });
      const { id } = await (await createTenant(state)).connect();
      await state.close();
      await expect(rotateKeys(folder, [newKey(), newKey()])).rejects.toThrow(/wrong key/);
      expect(await (await newState({ folder, keys: [old] })).credentials.load(id)).toEqual({ api_key: 'lin_api_1' });
    });
  });

  describe('a rotation with services that can reload their keys', () => {
    it('waits until they have loaded the new key, without a restart', async () => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      onTestFinished(() => {
        vi.useRealTimers();
      });
      const folder = newFolder();
      const [old, fresh] = [newKey(), newKey()];
      let source = [old];
      const running = [await newState({ folder, keys: () => source }), await newState({ folder, keys: () => source })];
      const tenant = await createTenant(running[0]!);
      const { id } = await tenant.connect();
      const rotating = rotateKeys(folder, [fresh, old], {
        onReady() {
          source = [fresh, old];
        },
      });
      let done = false;
      void rotating.finally(() => {
        done = true;
      });
      // Both services send heartbeats until the rotation is done.
      while (!done) {
        vi.advanceTimersByTime(5_000);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      expect(await rotating).toEqual({ rewrapped: 1, resealed: 0 });
      source = [fresh];
      for (const state of running) {
        await state.reloadKeys();
        expect(await state.credentials.load(id)).toEqual({ api_key: 'lin_api_1' });
      }
      // What they encrypt from now on does not need the old key.
      const later = await (await createTenant(running[1]!, 'later')).connect();
      for (const state of running) await state.close();
      const restarted = await newState({ folder, keys: [fresh] });
      expect(await restarted.credentials.load(later.id)).toEqual({ api_key: 'lin_api_1' });
    });

    it('is detected by a service when it first fails to decrypt a value', async () => {
      const folder = newFolder();
      const [old, fresh] = [newKey(), newKey()];
      let source = [old];
      const first = await newState({ folder, keys: [old] });
      const { id } = await (await createTenant(first)).connect();
      await first.close();
      const asleep = await newState({ folder, keys: () => source });
      const database = await openTestDatabase(folder);
      // It has been silent for so long that it is considered dead.
      await database.query.updateTable('processes').set({ seen_at: 0 }).execute();
      await database.close();
      await rotateKeys(folder, [fresh, old]);
      await expect(asleep.credentials.load(id)).rejects.toThrow(/wrong key/);
      // It does not encrypt with a discarded key either.
      const tenant = await createTenant(asleep, 'later');
      await expect(tenant.connect()).rejects.toThrow(/wrong key/);
      source = [fresh];
      expect(await asleep.credentials.load(id)).toEqual({ api_key: 'lin_api_1' });
      await tenant.connect();
    });

    it('encrypts with the old key until all services have the new one', async () => {
      const folder = newFolder();
      const [old, fresh] = [newKey(), newKey()];
      let source = [old];
      const ahead = await newState({ folder, keys: () => source });
      const behind = await newState({ folder, keys: [old] });
      source = [fresh, old];
      await ahead.reloadKeys();
      const { id } = await (await createTenant(ahead)).connect();
      expect(await behind.credentials.load(id)).toEqual({ api_key: 'lin_api_1' });
    });

    it('keeps the current keys if the reloaded ones cannot decrypt the data', async () => {
      const folder = newFolder();
      let source = [newKey()];
      const state = await newState({ folder, keys: () => source });
      const { id } = await (await createTenant(state)).connect();
      source = [newKey()];
      await expect(state.reloadKeys()).rejects.toThrow(/wrong key/);
      source = ['nonsense'];
      await expect(state.reloadKeys()).rejects.toThrow(/32 random bytes/);
      expect(await state.credentials.load(id)).toEqual({ api_key: 'lin_api_1' });
    });
  });
});
