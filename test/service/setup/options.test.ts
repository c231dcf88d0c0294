import { describe, expect, it } from 'vitest';
import { oauthClientsFrom } from '../../../service/src/web/setup/oauth-clients.js';
import { publicAddress, publicUrlOf } from '../../../service/src/web/setup/public-address.js';
import { newKey } from '../keys.js';
import { createTenant, newFolder, newState, openTestDatabase, rotateKeys } from '../state/fixtures.js';

describe('the operator’s applications', () => {
  it('are read from the environment by the name of the type', () => {
    const environment = {
      AGENT_CONNECTORS_OAUTH_LINEAR_CLIENT_ID: 'one',
      AGENT_CONNECTORS_OAUTH_LINEAR_CLIENT_SECRET: ' two ',
      AGENT_CONNECTORS_OAUTH_GOOGLE_DRIVE_CLIENT_ID: 'three',
      AGENT_CONNECTORS_OAUTH_GOOGLE_DRIVE_CLIENT_SECRET: 'four',
      AGENT_CONNECTORS_OAUTH_GONG_CLIENT_ID: '',
      OTHER: 'x',
    };
    expect(oauthClientsFrom(environment)).toEqual({
      linear: { clientId: 'one', clientSecret: 'two' },
      'google-drive': { clientId: 'three', clientSecret: 'four' },
    });
  });

  it.each([
    ['AGENT_CONNECTORS_OAUTH_LINEAR_CLIENT_ID', /AGENT_CONNECTORS_OAUTH_LINEAR_CLIENT_SECRET is missing/],
    ['AGENT_CONNECTORS_OAUTH_LINEAR_CLIENT_SECRET', /AGENT_CONNECTORS_OAUTH_LINEAR_CLIENT_ID is missing/],
    ['AGENT_CONNECTORS_OAUTH_LINAER_CLIENT_ID', /LINAER_CLIENT_ID is not a variable.*LINEAR_CLIENT_ID/],
  ])('are refused where they are not whole: %s', (name, message) => {
    expect(() => oauthClientsFrom({ [name]: 'canary-value' })).toThrow(message);
    expect(() => oauthClientsFrom({ [name]: 'canary-value' })).not.toThrow(/canary/);
  });
});

describe('the public address', () => {
  const local = { host: '127.0.0.1', port: 4020 };

  it('is the operator’s, whatever the service listens on', () => {
    const address = publicAddress('https://connect.example.com/', local);
    address.setListenUrl('http://127.0.0.1:5000');
    expect(address.url).toBe('https://connect.example.com');
  });

  it('is else where the service listens, as a browser reaches it', () => {
    const address = publicAddress(undefined, local);
    expect(address.url).toBe('http://127.0.0.1:4020');
    address.setListenUrl('http://0.0.0.0:5000');
    expect(address.url).toBe('http://127.0.0.1:5000');
    address.setListenUrl('http://[::]:5000');
    expect(address.url).toBe('http://127.0.0.1:5000');
  });

  it.each(['nowhere', 'ftp://a.example', 'https://u:p@a.example', 'https://a.example/?x=1', 'javascript:alert(1)'])(
    'is refused as %s',
    (text) => {
      expect(() => publicUrlOf(text, 'PLACE')).toThrow(/^PLACE must be an address/);
    },
  );
});

describe('what is kept of a setup', () => {
  it('is sealed anew by a rotation, so that the old key can be thrown away', async () => {
    const folder = newFolder();
    const [old, fresh] = [newKey(), newKey()];
    const first = await newState({ folder, keys: [old] });
    const { scope, workspace, organization } = await createTenant(first);
    const { client } = await first.clients.create('program', [organization.id]);
    const begun = { workspaceId: workspace.id, clientId: client.id, name: 'mine', type: null };
    const { row } = await first.setups.begin(scope, begun);
    expect(await first.setups.saveDraft(row.id, 'what was typed')).toBe(true);
    await first.close();
    expect(await rotateKeys(folder, [fresh, old])).toBe(1);
    const second = await newState({ folder, keys: [fresh] });
    expect(await second.setups.loadDraft(row.id)).toBe('what was typed');
    await second.close();
    await expect(newState({ folder, keys: [old] })).rejects.toThrow(/wrong key/);
  });

  it('opens at no other setup, and is gone when the setup has ended', async () => {
    const folder = newFolder();
    const state = await newState({ folder });
    const { scope, workspace, organization } = await createTenant(state);
    const { client } = await state.clients.create('program', [organization.id]);
    const begin = async (name: string) =>
      (await state.setups.begin(scope, { workspaceId: workspace.id, clientId: client.id, name, type: null })).row;
    const [one, other] = [await begin('one'), await begin('other')];
    await state.setups.saveDraft(one.id, 'what was typed');
    const database = await openTestDatabase(folder);
    await database.run(
      'UPDATE setups SET (key_id, sealed) = (SELECT key_id, sealed FROM setups WHERE id = ?) WHERE id = ?',
      one.id,
      other.id,
    );
    await expect(state.setups.loadDraft(other.id)).rejects.toThrow(/sealed for another place/);
    await state.setups.fail(one.id, 'over');
    const left = await database.get('SELECT key_id, sealed FROM setups WHERE id = ?', one.id);
    await database.close();
    expect({ ...(left as object) }).toEqual({ key_id: null, sealed: null });
    expect(await state.setups.saveDraft(one.id, 'more')).toBe(false);
  });
});
