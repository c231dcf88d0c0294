import { networkInterfaces } from 'node:os';
import { type CreateOptions, createService } from 'agent-connectors-service';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tenantOf } from '../http/setup.js';
import { newKey } from '../keys.js';
import { createTenant, newFolder, newState, openTestDatabase, rotateKeys } from '../state/fixtures.js';
import { requestSetup, startSetup } from './start.js';

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ family }) => family === 'IPv6'),
);

describe('the origin of a setup URL', () => {
  const addressOf = async (options: CreateOptions) => {
    const { server, begin } = await startSetup(options);
    return { origin: new URL((await begin()).url).origin, port: new URL(server.url).port };
  };

  it('is the one the operator configured, regardless of the address the service listens on', async () => {
    const { origin } = await addressOf({ publicUrl: 'https://connect.example.com/' });
    expect(origin).toBe('https://connect.example.com');
    await expect(startSetup({ publicUrl: 'nowhere' })).rejects.toThrow(/^publicUrl must be a URL/);
  });

  it('is the address that the service will listen on, before it starts listening', async () => {
    const service = await createService({ dataFolder: ':memory:', dev: true, replicate: false });
    onTestFinished(() => service.close());
    const { body } = await requestSetup(await tenantOf(service, 'Acme'), {});
    expect(body.setup_url).toMatch(/^http:\/\/127\.0\.0\.1:4020\//);
  });

  it.each(['127.0.0.1', '0.0.0.0', ...(hasIpv6 ? ['::'] : [])])(
    'is otherwise the listening URL in a form that browsers can use: %s',
    async (host) => {
      const { origin, port } = await addressOf({ host, hostNames: ['*'] });
      expect(origin).toBe(`http://127.0.0.1:${port}`);
    },
  );
});

describe('the draft of a setup', () => {
  it('is re-encrypted during key rotation, so the old key can be discarded', async () => {
    const folder = newFolder();
    const [old, fresh] = [newKey(), newKey()];
    const first = await newState({ folder, keys: [old] });
    const { scope, workspace, organization } = await createTenant(first);
    const { client } = await first.clients.create('program', [organization.id]);
    const begun = { workspaceId: workspace.id, clientId: client.id, name: 'mine', type: null };
    const { row } = await first.setups.begin(scope, begun);
    expect(await first.setups.saveDraft(row.id, 'what was typed')).toBe(true);
    await first.close();
    expect(await rotateKeys(folder, [fresh, old])).toEqual({ rewrapped: 1, resealed: 0 });
    const second = await newState({ folder, keys: [fresh] });
    expect(await second.setups.loadDraft(row.id)).toBe('what was typed');
    await second.close();
    await expect(newState({ folder, keys: [old] })).rejects.toThrow(/wrong key/);
  });

  it('cannot be decrypted for another setup, and is deleted when the setup ends', async () => {
    const folder = newFolder();
    const state = await newState({ folder });
    const { scope, workspace, organization } = await createTenant(state);
    const { client } = await state.clients.create('program', [organization.id]);
    const begin = async (name: string) =>
      (await state.setups.begin(scope, { workspaceId: workspace.id, clientId: client.id, name, type: null })).row;
    const [one, other] = [await begin('one'), await begin('other')];
    await state.setups.saveDraft(one.id, 'what was typed');
    const database = await openTestDatabase(folder);
    const setup = (id: string) => database.query.selectFrom('setups').select(['key_id', 'sealed']).where('id', '=', id);
    const draft = await setup(one.id).executeTakeFirstOrThrow();
    await database.query.updateTable('setups').set(draft).where('id', '=', other.id).execute();
    await expect(state.setups.loadDraft(other.id)).rejects.toThrow(/belongs to another record/);
    await state.setups.fail(one.id, 'over');
    const left = await setup(one.id).executeTakeFirstOrThrow();
    await database.close();
    expect({ ...left }).toEqual({ key_id: null, sealed: null });
    expect(await state.setups.saveDraft(one.id, 'more')).toBe(false);
  });
});
