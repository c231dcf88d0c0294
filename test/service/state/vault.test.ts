import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import type { State } from 'agent-connectors-service';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acrossOrganizations } from '../../../service/src/data/state/database.js';
import { createCipher, keyRing, VaultError } from '../../../service/src/data/vault/keys.js';
import { newKey } from '../keys.js';
import { createTenant, describeOnBothEngines, newFolder, newState, openTestDatabase, rotateKeys } from './fixtures.js';

const name = fc.string({ maxLength: 20 });
const places = fc.record({ owner: name, field: name });
describeOnBothEngines(() => {
  describe('the cipher', () => {
    const keys = keyRing([newKey(), newKey()]);
    const cipher = createCipher(keys);

    it('decrypts what it encrypted, for any text', () => {
      fc.assert(
        fc.property(places, fc.string({ unit: 'grapheme', maxLength: 500 }), (place, text) => {
          expect(cipher.open(place, cipher.seal(place, text))).toBe(text);
        }),
      );
    });

    it('does not decrypt a value in another context', () => {
      fc.assert(
        fc.property(places, places, (one, other) => {
          fc.pre(one.owner !== other.owner || one.field !== other.field);
          expect(() => cipher.open(other, cipher.seal(one, 'value'))).toThrow(VaultError);
        }),
      );
    });

    it('does not decrypt a value that was truncated, or altered in any byte', () => {
      const place = { owner: 'con_1', field: 'api_key' };
      const { keyId, bytes } = cipher.seal(place, 'a value');
      for (let index = 0; index < bytes.length; index += 1) {
        const altered = Uint8Array.from(bytes);
        altered[index]! ^= 1;
        expect(() => cipher.open(place, { keyId, bytes: altered })).toThrow(VaultError);
        expect(() => cipher.open(place, { keyId, bytes: bytes.subarray(0, index) })).toThrow(VaultError);
      }
    });

    it('does not decrypt a value with a different key in the ring', () => {
      const place = { owner: 'con_1', field: 'api_key' };
      const { bytes } = cipher.seal(place, 'a value');
      expect(() => cipher.open(place, { keyId: keys.all[1]!.id, bytes })).toThrow(VaultError);
    });

    it('encrypts the same value differently each time, with the newest key', () => {
      const place = { owner: 'con_1', field: 'api_key' };
      const sealed = Array.from({ length: 200 }, () => cipher.seal(place, 'the same'));
      expect(new Set(sealed.map(({ bytes }) => Buffer.from(bytes).toString('hex', 0, 12))).size).toBe(200);
      expect(sealed.every(({ keyId }) => keyId === keys.newest.id)).toBe(true);
    });
  });

  describe('a key', () => {
    it('is the same key in base64, base64url and hex', () => {
      const bytes = randomBytes(32);
      const ids = (['base64', 'base64url', 'hex'] as const).map((form) => keyRing([bytes.toString(form)]).newest.id);
      expect(new Set(ids).size).toBe(1);
    });

    it('with a different length or format is rejected without being quoted', () => {
      fc.assert(
        fc.property(fc.uint8Array({ minLength: 6, maxLength: 64 }), fc.constantFrom('base64', 'hex'), (bytes, form) => {
          fc.pre(bytes.length !== 32);
          const text = Buffer.from(bytes).toString(form as BufferEncoding);
          let message = '';
          try {
            keyRing([text]);
          } catch (error) {
            message = inspect(error);
          }
          expect(message).toMatch(/must be 32 random bytes/);
          expect(message).not.toContain(text);
        }),
      );
      expect(() => keyRing([])).toThrow('missing');
    });

    it('is not revealed by printing its key ring', () => {
      const text = newKey();
      const printed = inspect(keyRing([text]), { depth: 9, showHidden: true }) + JSON.stringify(keyRing([text]));
      for (const form of ['base64', 'hex'] as const) {
        expect(printed).not.toContain(Buffer.from(text, 'base64').toString(form));
      }
    });
  });

  describe('a database', () => {
    it('rejects an incorrect key at startup, naming the keys by id', async () => {
      const folder = newFolder();
      const [right, wrong] = [newKey(), newKey()];
      const state = await newState({ folder, keys: [right] });
      await (await createTenant(state)).connect();
      await state.close();
      const open = () => newState({ folder, keys: [wrong] });
      await expect(open()).rejects.toThrow(/wrong key/);
      await expect(open()).rejects.toThrow(keyRing([right]).newest.id);
      await expect(open()).rejects.not.toThrow(wrong);
      await (await newState({ folder, keys: [right] })).ping();
    });

    it('opens with a new key if the old one is given too', async () => {
      const folder = newFolder();
      const [old, fresh] = [newKey(), newKey()];
      const first = await newState({ folder, keys: [old] });
      const { id } = await (await createTenant(first)).connect();
      await first.close();
      const second = await newState({ folder, keys: [fresh, old] });
      expect(await second.credentials.load(id)).toEqual({ api_key: 'lin_api_1' });
      await (await createTenant(second, 'newer')).connect();
      await second.close();
      await expect(newState({ folder, keys: [fresh] })).rejects.toThrow(/wrong key/);
      await expect(newState({ folder, keys: [old] })).rejects.toThrow(/wrong key/);
    });

    it('does not require a key that was never used to encrypt', async () => {
      const folder = newFolder();
      const [right, wrong] = [newKey(), newKey()];
      const first = await newState({ folder, keys: [right] });
      const { id } = await (await createTenant(first)).connect();
      await first.close();
      await (await newState({ folder, keys: [wrong, right] })).close();
      expect(await (await newState({ folder, keys: [right] })).credentials.load(id)).toEqual({ api_key: 'lin_api_1' });
    });

    it('does not reveal a value that was copied to another connector', async () => {
      const folder = newFolder();
      const keys = [newKey()];
      const state = await newState({ folder, keys });
      const victim = await (await createTenant(state)).connect({ credentials: { api_key: 'the victim’s' } });
      const thief = await (await createTenant(state, 'thief')).connect({
        credentials: { api_key: 'own', note: 'own' },
      });
      const database = await openTestDatabase(folder);
      const { query } = database;
      const sealed = query.selectFrom('credentials').select('sealed').where('connector_id', '=', victim.id);
      const stolen = await acrossOrganizations(async () =>
        query
          .updateTable('credentials')
          .set(await sealed.executeTakeFirstOrThrow())
          .where('connector_id', '=', thief.id)
          .executeTakeFirstOrThrow(),
      );
      expect(stolen.numUpdatedRows).toBe(2n);
      await database.close();
      await expect(state.credentials.load(thief.id)).rejects.toThrow(VaultError);
      await expect(state.credentials.load(thief.id)).rejects.not.toThrow('victim’s');
      expect(await state.credentials.load(victim.id)).toEqual({ api_key: 'the victim’s' });
    });

    it('does not reveal the values of a connector moved to another organization', async () => {
      const folder = newFolder();
      const state = await newState({ folder });
      const victim = await createTenant(state);
      const { id } = await victim.connect({ name: 'moved', credentials: { api_key: 'the victim’s' } });
      const thief = await createTenant(state, 'thief');
      await thief.connect();
      const moved = { organization_id: thief.organization.id, workspace_id: thief.workspace.id };
      const database = await openTestDatabase(folder);
      const move = database.query.updateTable('connectors').set(moved).where('id', '=', id);
      await acrossOrganizations(() => move.execute());
      await expect(state.credentials.load(id)).rejects.toThrow(VaultError);
      // Not even if the key is moved with it.
      await database.query
        .deleteFrom('keys')
        .where('organization_id', '=', thief.organization.id)
        .execute()
        .catch(() => {});
      const own = { organization_id: thief.organization.id };
      await database.query
        .updateTable('keys')
        .set(own)
        .where('organization_id', '=', victim.organization.id)
        .execute()
        .catch(() => {});
      await database.close();
      await expect(state.credentials.load(id)).rejects.toThrow(VaultError);
    });

    it('has one data key per organization, shared by all processes', async () => {
      const folder = newFolder();
      const keys = [newKey()];
      const states = [await newState({ folder, keys }), await newState({ folder, keys })];
      const { scope, workspace } = await createTenant(states[0]!);
      const connect = async (state: State, number: number) => {
        const credentials = { api_key: `key ${number}` };
        const settings = { workspaceId: workspace.id, type: 'linear', replicationConfig: null, settings: {} };
        return (await state.connectors.create(scope, { ...settings, name: `${number}`, credentials })).id;
      };
      const ids: string[] = [];
      for (const [number, state] of [...states, ...states].entries()) ids.push(await connect(state, number));
      const database = await openTestDatabase(folder);
      const rows = database.query.selectFrom('keys').select('id').where('organization_id', '=', scope.organizationId);
      expect(await rows.execute()).toHaveLength(1);
      await database.close();
      for (const [number, id] of ids.entries()) {
        for (const state of states) expect(await state.credentials.load(id)).toEqual({ api_key: `key ${number}` });
      }
    });

    it('deletes the data key of a deleted organization at the next rotation', async () => {
      const folder = newFolder();
      const [old, fresh] = [newKey(), newKey()];
      const state = await newState({ folder, keys: [old] });
      const { organization, connect } = await createTenant(state);
      await connect();
      await (await createTenant(state, 'other')).connect();
      await state.close();
      const database = await openTestDatabase(folder);
      const deletion = database.query.deleteFrom('organizations').where('id', '=', organization.id);
      await acrossOrganizations(() => deletion.execute());
      await database.close();
      await rotateKeys(folder, [fresh, old]);
      const after = await openTestDatabase(folder);
      const owned = after.query.selectFrom('keys').select('id').where('organization_id', 'is not', null);
      expect(await owned.execute()).toHaveLength(1);
      await after.close();
    });
  });
});
