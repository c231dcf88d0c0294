import type { AgentConnectors } from 'agent-connectors/hosted';
import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, test } from 'vitest';
import { oauthClientsFrom } from '../../../service/src/web/setup/oauth-clients.js';
import { formWith, type Page } from './browser.js';
import { type Product, signIn, startProduct } from './connect.js';
import { startSetup } from './start.js';

const scopes = ['https://www.googleapis.com/auth/drive.file'];
const folderType = 'application/vnd.google-apps.folder';

const newSandbox = () => createSandbox({ seed: 7, scale: 0.1 });

/** The operator's application, with the settings for the picker. */
function clientOf(sandbox: ReturnType<typeof newSandbox>) {
  const { client_id, client_secret } = sandbox.vendors['google-drive'].credentials.oauth;
  const { developer_key } = sandbox.vendors['google-drive'].picker;
  return { 'google-drive': { clientId: client_id, clientSecret: client_secret, developerKey: developer_key } };
}

async function startWithPicker(): Promise<Product> {
  const sandbox = newSandbox();
  return startProduct({ oauthClients: clientOf(sandbox), replicate: true }, sandbox);
}

/** What the page hands to Google's script. */
function keysOn({ html }: Page) {
  const dataOf = (name: string) => new RegExp(`data-${name}="([^"]*)"`).exec(html)?.[1] ?? '';
  return { access_token: dataOf('token'), app_id: dataOf('app'), developer_key: dataOf('key') };
}

/** Chooses files in the emulated picker. */
async function pick({ running: { sandbox } }: Pick<Product, 'running'>, page: Page, ids: readonly string[]) {
  const form = new URLSearchParams({ ...keysOn(page), origin: 'http://service', action: 'picked' });
  for (const id of ids) form.append('id', id);
  const response = await sandbox.fetch('https://accounts.google.com/picker', { method: 'POST', body: form });
  const text = await response.text();
  return [...text.matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id!);
}

/** Files of the user, as Google's own page lists them. */
async function filesOf({ running: { sandbox } }: Pick<Product, 'running'>, q: string) {
  const { access_token } = sandbox.vendors['google-drive'].credentials.access_token;
  const url = `https://www.googleapis.com/drive/v3/files?pageSize=5&q=${encodeURIComponent(q)}`;
  const response = await sandbox.fetch(url, { headers: { authorization: `Bearer ${access_token}` } });
  return ((await response.json()) as { files: { id: string; name: string }[] }).files;
}

const documents = "mimeType = 'application/vnd.google-apps.document' and 'me' in owners and trashed = false";

async function openPicker(product: Product) {
  const { session, browser, page } = await product.open({ type: 'google-drive', scopes });
  expect(page.text).toContain('Access is limited to the files that you choose in the next step.');
  return { session, browser, page: await signIn(browser, page) };
}

const execute = async (client: AgentConnectors, connectorId: string, action: string, params: object) =>
  (await client.connectors.execute(connectorId, { entity: 'files', action, params })).result as any;

describe('a connect session with only the scope drive.file', () => {
  test("shows the picker's page, with a policy for Google's script that other pages do not have", async () => {
    const product = await startWithPicker();
    const { page } = await openPicker(product);
    expect(page.heading).toBe('Choose what to sync from Google Drive');
    expect(page.text).toContain('Folders can be opened but not chosen: Google grants access to the chosen files');
    expect(page.html).toContain('<script src="https://apis.google.com/js/api.js"></script>');
    const policy = page.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/script-src 'sha256-[^']+' https:\/\/apis\.google\.com;/);
    expect(policy).toContain('frame-src https://docs.google.com https://drive.google.com https://accounts.google.com');
    expect(policy).toContain("frame-ancestors 'none'");
    expect(page.headers.get('referrer-policy')).toBe('strict-origin-when-cross-origin');
    expect(keysOn(page)).toMatchObject({ app_id: '100000000001', access_token: expect.stringMatching(/^ya29\./) });
    const other = await product.open({ type: 'google-drive' });
    expect(other.page.headers.get('content-security-policy')).not.toContain('google');
  });

  test('replicates the chosen files and nothing else', async () => {
    const product = await startWithPicker();
    const { session, browser, page } = await openPicker(product);
    const [one, two] = await filesOf(product, documents);
    const ids = await pick(product, page, [one!.id, two!.id]);
    expect(ids).toEqual(expect.arrayContaining([one!.id, two!.id]));
    const chosen = await browser.submit(formWith(page, /value="choose"/), { ids: ids.join(',') });
    expect(chosen.text).toContain(one!.name);
    const done = await browser.submit(formWith(chosen, /value="picks"/), { file_ids: [one!.id] }, /Connect/);
    const { status, connectorId } = await product.verify(done, session);
    expect(status).toBe('connected');
    const { client } = product;
    expect((await client.connectors.get(connectorId!)).replication_config).toEqual({ file_ids: [one!.id] });
    await client.connectors.sync(connectorId!);
    await expect
      .poll(async () => (await client.connectors.jobs(connectorId!)).data.map(({ status }) => status))
      .toContain('done');
    const found = await execute(client, connectorId!, 'context_store_search', { query: {}, limit: 100 });
    expect(found.data).toMatchObject([{ id: one!.id, file_name: one!.name, content_state: 'read' }]);
    expect(found.meta.missing).toMatchObject([{ detail: 'Only the chosen files are replicated.' }]);
    // Calls see everything that the user has chosen, as with Google.
    const listed: { id: string }[] = await execute(client, connectorId!, 'list', { pageSize: 1000 });
    expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining([one!.id, two!.id]));
  });

  test('rejects what cannot be read: folders, files that were not chosen, and ids that are none', async () => {
    const product = await startWithPicker();
    const { browser, page } = await openPicker(product);
    const [folder] = await filesOf(product, `mimeType = '${folderType}' and 'me' in owners`);
    const [file] = await filesOf(product, documents);
    expect(await pick(product, page, [folder!.id])).toEqual([]);
    const refused = await browser.submit(formWith(page, /value="choose"/), { ids: `${folder!.id},${file!.id}` });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('2 of the chosen items cannot be read and were left out.');
    expect(refused.text).toContain('No files have been chosen yet.');
    const odd = await browser.submit(formWith(page, /value="choose"/), { ids: '../../etc' });
    expect(odd.text).toContain('must be ids of files');
    const none = await browser.submit(formWith(page, /value="picks"/), { file_ids: file!.id }, /Connect/);
    expect(none.text).toContain('Choose at least one file.');
  });

  test('keeps the chosen files when it is reconnected, and adds others', async () => {
    const product = await startWithPicker();
    const { session, browser, page } = await openPicker(product);
    const [one, two] = await filesOf(product, documents);
    await pick(product, page, [one!.id]);
    const chosen = await browser.submit(formWith(page, /value="choose"/), { ids: one!.id });
    const done = await browser.submit(formWith(chosen, /value="picks"/), {}, /Connect/);
    const { connectorId } = await product.verify(done, session);
    const again = await product.open({ type: undefined, connectorId: connectorId!, scopes });
    const next = await signIn(again.browser, again.page);
    expect(next.text).toContain(one!.name);
    await pick(product, next, [two!.id]);
    const more = await again.browser.submit(formWith(next, /value="choose"/), { ids: two!.id });
    await again.browser.submit(formWith(more, /value="picks"/), {}, /Connect/);
    const { replication_config } = await product.client.connectors.get(connectorId!);
    expect(replication_config).toEqual({ file_ids: [one!.id, two!.id] });
  });

  test('shows the access token only in the browser of the user who signed in', async () => {
    const product = await startWithPicker();
    const { session, page } = await openPicker(product);
    const token = keysOn(page).access_token;
    const stranger = await product.running.browser().open(session.url);
    expect(stranger.html).not.toContain(token);
    expect(stranger.heading).toBe('Connect Google Drive');
  });

  test("without the operator's key for the picker, the session connects without it", async () => {
    const { open, verify } = await startProduct();
    const { session, browser, page } = await open({ type: 'google-drive', scopes });
    expect((await verify(await signIn(browser, page), session)).status).toBe('connected');
  });
});

test('a setup offers the picker next to full access, bound to the browser that signed in', async () => {
  const sandbox = newSandbox();
  const running = await startSetup({ sandbox, oauthClients: clientOf(sandbox) });
  const { setup, browser, page } = await running.beginAndOpen('google-drive');
  const consent = await browser.submit(formWith(page, /value="picker"/), {}, /choose files/);
  const chooser = await browser.submit(consent.forms[0]!, {}, /^Allow/);
  const token = keysOn(chooser).access_token;
  expect(token).toMatch(/^ya29\./);
  expect((await running.browser().open(setup.url)).html).not.toContain(token);
  const [file] = await filesOf({ running }, documents);
  await pick({ running }, chooser, [file!.id]);
  const chosen = await browser.submit(formWith(chooser, /value="choose"/), { ids: file!.id });
  const done = await browser.submit(formWith(chosen, /value="picks"/), {}, /Connect/);
  expect(done.heading).toBe('Google Drive is connected');
  expect(await running.status(setup.id)).toMatchObject({ status: 'done' });
});

test('the picker is configured by variables, whose names are checked', () => {
  const environment = {
    AGENT_CONNECTORS_OAUTH_GOOGLE_DRIVE_CLIENT_ID: 'id',
    AGENT_CONNECTORS_OAUTH_GOOGLE_DRIVE_CLIENT_SECRET: 'secret',
    AGENT_CONNECTORS_OAUTH_GOOGLE_DRIVE_APP_ID: '12',
    AGENT_CONNECTORS_OAUTH_GOOGLE_DRIVE_DEVELOPER_KEY: 'key',
  };
  expect(oauthClientsFrom(environment, ['google-drive'])).toEqual({
    'google-drive': { clientId: 'id', clientSecret: 'secret', appId: '12', developerKey: 'key' },
  });
  const misspelled = { AGENT_CONNECTORS_OAUTH_GOOGLE_DRIVE_DEVELOPERS_KEY: 'key' };
  expect(() => oauthClientsFrom(misspelled, ['google-drive'])).toThrow('Did you mean');
});
