import { connectors } from 'agent-connectors';
import type { ConnectSetup } from 'agent-connectors/hosted';
import { describe, expect, test } from 'vitest';
import { de } from '../../../service/src/web/setup/texts/de.js';
import { en } from '../../../service/src/web/setup/texts/en.js';
import { failure } from '../../failure.js';
import { brand, returnUrl, signIn, startProduct } from './connect.js';

const writes = 'Lantern can create and edit: ';
const readonly = ['https://www.googleapis.com/auth/drive.readonly'];

describe("a connect session's page mentions write access", () => {
  test.each<[string, Partial<ConnectSetup>, boolean]>([
    ["with the connector's scopes", {}, true],
    ['with a read scope', { scopes: ['read'] }, false],
    ['with one write scope', { scopes: ['read', 'issues:create'] }, true],
    ['with a combined read and write scope', { scopes: ['readwrite'] }, true],
    ['for Google Drive', { type: 'google-drive' }, true],
    ['for Google Drive, with a read scope', { type: 'google-drive', scopes: readonly }, false],
    ['if a key can be used as well', { methods: ['oauth', 'api_key'], scopes: ['read'] }, true],
  ])('%s', async (_, setup, expected) => {
    const { page } = await (await startProduct()).open(setup);
    expect(page.text.includes(writes)).toBe(expected);
  });

  test('only if a workspace policy lets the product write, and lists what the policy lets it read', async () => {
    const { client, open } = await startProduct();
    await client.workspaces.create('user-9');
    await client.policies.put({ workspace_name: 'user-9', read_only: true, allow: ['linear:issues.*'] });
    const { page } = await open({ workspace: 'user-9' });
    expect(page.text).toContain('Lantern can read: Issues.');
    expect(page.text).not.toContain(writes);
  });
});

test('the page is entirely in German, including what the product can read', async () => {
  const { open } = await startProduct();
  const { page } = await open({ type: 'google-drive', locale: 'de', scopes: readonly });
  expect(page.text).toContain(
    'Lantern kann lesen: Dateien, Geteilte Ablagen, Freigaben, Kommentare, Antworten, Versionen, Änderungen, Kontoinformationen.',
  );
  expect(page.text).not.toContain('anlegen und bearbeiten');
});

test('the page says that a connector is being reconnected, and names the account if it rejects a different one', async () => {
  const { open, verify, running } = await startProduct();
  const first = await open();
  const { connectorId } = await verify(await signIn(first.browser, first.page), first.session);
  const { state } = running.server;
  const credentials = (await state.credentials.load(connectorId!))!;
  await state.connectors.update(running.acme, connectorId!, { credentials, account: 'somebody-else' });
  const again = await open({ type: undefined, connectorId: connectorId! });
  expect(again.page.heading).toBe('Reconnect Linear');
  expect(again.page.text).toContain('Lantern wants to access your Linear data again.');
  const refused = await signIn(again.browser, again.page);
  expect(refused.text).toMatch(
    /This is a different Linear account \([^)]+@[^)]+\)\. Use the previously connected account/,
  );
});

test('every connector entity has a label', async () => {
  const entities = (await Promise.all(Object.values(connectors).map((load) => load()))).flatMap(({ manifest }) =>
    Object.keys(manifest.entities),
  );
  const missing = entities.filter((name) => [en, de].some((texts) => !Object.hasOwn(texts.entities, name)));
  expect(missing).toEqual([]);
});

test('the page lists readable and writable data separately, naming each kind once', async () => {
  const { page } = await (await startProduct()).open({ type: 'google-drive' });
  expect(page.text).toContain('Lantern can create and edit: Files. ');
});

describe('a connect session is rejected', () => {
  test('for an origin that is not registered, with the command that registers it', async () => {
    const { begin, running } = await startProduct();
    expect(await failure(begin({ returnUrl: 'https://www.example.com/connected' }))).toMatchObject({
      code: 'invalid_params',
      message: expect.stringContaining('return_url has an origin that is not registered for the client'),
      hint: `agent-connectors connect origins '${JSON.stringify({ client_id: running.acme.clientId, origins: ['https://app.example.com', 'https://www.example.com'] })}'`,
    });
  });

  test('if the user could connect only as an administrator', async () => {
    const { begin } = await startProduct({ oauthClients: {} });
    const asked = { type: 'google-drive', returnUrl, brand };
    for (const setup of [asked, { ...asked, scopes: readonly }, { type: 'linear', scopes: ['read'] }]) {
      const type = setup.type === 'linear' ? 'LINEAR' : 'GOOGLE_DRIVE';
      expect(await failure(begin(setup))).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('The service has no OAuth application for'),
        hint: expect.stringContaining(`AGENT_CONNECTORS_OAUTH_${type}_CLIENT_ID`),
      });
    }
    const { page } = await (await startProduct({ oauthClients: {} })).open({ ...asked, methods: ['service_account'] });
    expect(page.text).toContain('Service account key (JSON)');
  });
});
