import { describe, expect, test } from 'vitest';
import { connectorPath } from '../http/setup.js';
import { bytesIn, newFolder, noon } from '../state/fixtures.js';
import { formWith } from './browser.js';
import { requestSetup, type SetupTest, startSetup } from './start.js';

const minute = 60_000;

/** The same tenant with a new token. */
async function renewed({ acme, server }: SetupTest) {
  const reply = await fetch(`${server.url}/api/v1/account/applications/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: acme.clientId, client_secret: acme.clientSecret }),
  });
  const { access_token } = (await reply.json()) as { access_token: string };
  return (path: string) =>
    fetch(server.url + path, { headers: { authorization: `Bearer ${access_token}` } }).then((answer) => answer.json());
}

/** Connects Linear and returns the last page. */
async function connected(running: SetupTest, more: object = {}) {
  const { setup, browser, page } = await running.beginAndOpen('linear', more);
  const { api_key } = running.sandbox.vendors.linear.credentials.api_key;
  const picks = await browser.submit(formWith(page, /name="api_key"/), { api_key });
  return { begun: setup, browser, picks, done: await browser.submit(formWith(picks, /value="picks"/)) };
}

describe('a setup URL', () => {
  test('expires once it has been used, and says so', async () => {
    const running = await startSetup();
    const { begun, browser, picks } = await connected(running);
    const again = await browser.open(begun.url);
    expect([again.status, again.heading]).toEqual([410, 'Setup is already complete']);
    expect(again.text).toContain('You can close this page.');
    const twice = await browser.submit(formWith(picks, /value="picks"/));
    expect(twice.status).toBe(410);
    const { body } = await running.acme.ask('GET', '/api/v1/integrations/connectors');
    expect(body.data).toHaveLength(1);
  });

  test('expires after 30 minutes, and says what to do', async () => {
    let now = noon;
    const running = await startSetup({ now: () => now });
    const { setup, browser, page } = await running.beginAndOpen('linear');
    expect(Date.parse(setup.expires)).toBe(noon + 30 * minute);
    now += 30 * minute - 1;
    expect((await browser.open(setup.url)).status).toBe(200);
    now += 1;
    const late = await browser.open(setup.url);
    expect([late.status, late.heading]).toEqual([410, 'This link has expired']);
    expect(late.text).toContain('Ask the person who sent you this link for a new one');
    const { api_key } = running.sandbox.vendors.linear.credentials.api_key;
    expect((await browser.submit(formWith(page, /name="api_key"/), { api_key })).status).toBe(410);
    const ask = await renewed(running);
    expect(await ask(`/api/v1/integrations/connectors/setup/${setup.id}`)).toEqual({ status: 'expired' });
    now += 8 * 24 * 60 * minute;
    await running.server.state.setups.sweep();
    expect((await browser.open(setup.url)).status).toBe(404);
  });

  test('expires when a newer setup with the same name starts', async () => {
    const running = await startSetup();
    const { setup, browser } = await running.beginAndOpen('linear');
    const newer = await running.begin('linear');
    const other = await running.begin('linear', { name: 'another' });
    const old = await browser.open(setup.url);
    expect([old.status, old.text]).toEqual([410, expect.stringContaining('newer setup')]);
    expect(await running.status(setup.id)).toEqual({ status: 'failed', error: expect.stringContaining('newer') });
    expect((await browser.open(newer.url)).status).toBe(200);
    expect((await browser.open(other.url)).status).toBe(200);
  });

  test('expires when its client or workspace is deleted', async () => {
    const running = await startSetup();
    const [first, second] = [await running.begin('linear'), await running.begin('linear', { name: 'second' })];
    await running.server.state.workspaces.delete({ organizationId: running.acme.organizationId }, 'main');
    expect((await running.browser().open(first.url)).status).toBe(404);
    await running.server.state.clients.delete(running.acme.clientId);
    expect((await running.browser().open(second.url)).status).toBe(404);
  });

  test.each(['q7', 'A'.repeat(43), `${'A'.repeat(43)}<script>`])(
    'that was never issued is not found: %s',
    async (token) => {
      const { server, browser } = await startSetup();
      const page = await browser().open(`${server.url}/setup/${encodeURIComponent(token)}`);
      expect([page.status, page.html.includes(token)]).toEqual([404, false]);
    },
  );

  test('is stored only as a hash, and the entered data is encrypted', async () => {
    const folder = newFolder();
    const running = await startSetup({ dataFolder: folder, createKey: true });
    const { setup, browser, page } = await running.beginAndOpen('linear');
    const { api_key } = running.sandbox.vendors.linear.credentials.api_key;
    await browser.submit(formWith(page, /name="api_key"/), { api_key });
    const bytes = bytesIn(folder);
    expect(bytes.includes(setup.id)).toBe(true);
    expect([bytes.includes(setup.url.slice(-43)), bytes.includes(api_key)]).toEqual([false, false]);
  });
});

test('a connection made by a user is recorded in the audit log as made on behalf of the program that requested it', async () => {
  const running = await startSetup();
  const { begun } = await connected(running);
  const { connector_id } = await running.status(begun.id);
  const { body } = await running.acme.ask('GET', '/api/v1/audit');
  expect(body.data[0]).toMatchObject({
    event: 'connector.created',
    via: 'setup',
    connector_id,
    client_id: running.acme.clientId,
    request_id: expect.any(String),
  });
});

describe('a connector name', () => {
  test('that belongs to a connector with credentials is rejected immediately', async () => {
    const { acme, sandbox } = await startSetup();
    await acme.connect('linear', sandbox.vendors.linear.credentials.api_key, { name: 'mine' });
    const { status, body } = await requestSetup(acme, { connector_type: 'linear' });
    expect([status, body.code]).toEqual([409, 'conflict']);
  });

  test('that belongs to a connector without credentials adds credentials to it', async () => {
    const running = await startSetup();
    const id = await running.acme.connect('linear', undefined, {
      name: 'mine',
      replication_config: { interval: '2h' },
    });
    expect((await requestSetup(running.acme, { connector_type: 'gong' })).status).toBe(409);
    const { begun } = await connected(running);
    expect(await running.status(begun.id)).toEqual({ status: 'done', connector_id: id });
    const { body } = await running.acme.ask('GET', connectorPath(id));
    expect(body.replication_config).toEqual({ interval: '2h' });
    expect((await running.acme.ask('POST', connectorPath(id, '/check'))).body.status).toBe('succeeded');
  });

  test('that is taken during the setup makes the setup fail, and nothing is overwritten', async () => {
    const running = await startSetup();
    const { setup, browser, page } = await running.beginAndOpen('linear');
    const { api_key, read_only } = running.sandbox.vendors.linear.credentials;
    const picks = await browser.submit(formWith(page, /name="api_key"/), api_key);
    await running.acme.connect('linear', read_only, { name: 'mine' });
    const late = await browser.submit(formWith(picks, /value="picks"/));
    expect([late.status, late.text]).toEqual([410, expect.stringContaining("already has a connector 'mine'")]);
    expect((await running.status(setup.id)).status).toBe('failed');
  });
});

describe('a program', () => {
  test('is told about the errors in its request', async () => {
    const { acme } = await startSetup();
    const unknown = await requestSetup(acme, { connector_type: 'linaer' });
    expect([unknown.status, unknown.text]).toEqual([422, expect.stringContaining('linear')]);
    expect((await requestSetup(acme, { workspace_name: 'nowhere' })).status).toBe(404);
    expect((await requestSetup(acme, { name: '' })).status).toBe(422);
    expect((await requestSetup(acme, { credentials: { api_key: 'x' } })).status).toBe(422);
  });

  test('of another tenant cannot see any part of a setup', async () => {
    const running = await startSetup();
    const other = await running.newTenant('Other');
    const { id } = await running.begin('linear');
    const path = `/api/v1/integrations/connectors/setup/${id}`;
    expect((await other.ask('GET', path)).status).toBe(404);
    expect((await running.acme.ask('GET', path)).status).toBe(200);
    expect((await fetch(running.server.url + path)).status).toBe(401);
    const scoped = await running.acme.ask('POST', '/api/v1/account/applications/scoped-token', {
      json: { workspace_name: 'elsewhere', scopes: ['manage'] },
    });
    const headers = { authorization: `Bearer ${scoped.body.token}` };
    expect((await fetch(running.server.url + path, { headers })).status).toBe(404);
  });

  test('can start 200 setups at the same time, each with its own URL', async () => {
    const running = await startSetup();
    const begun = await Promise.all(
      Array.from({ length: 200 }, (_, index) => running.begin(undefined, { name: `${index}` })),
    );
    expect(new Set(begun.map(({ url }) => url)).size).toBe(200);
    const browser = running.browser();
    const pages = await Promise.all(begun.map(({ url }) => browser.open(url)));
    expect(pages.every(({ status, text }, index) => status === 200 && text.includes(`connector ${index} in`))).toBe(
      true,
    );
  });
});
