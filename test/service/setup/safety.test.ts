import { describe, expect, test } from 'vitest';
import { type Browser, formWith, type Page } from './browser.js';
import { returnUrl, signIn, startProduct, state } from './connect.js';
import { type SetupTest, startSetup } from './start.js';

const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' };

/** Starts a consent flow and opens the vendor's page. */
async function asked(running: SetupTest) {
  const { setup, browser, page } = await running.beginAndOpen('linear');
  const { client_id, client_secret } = running.sandbox.vendors.linear.credentials.oauth;
  const consent = await browser.submit(formWith(page, /value="authorize"/), { client_id, client_secret });
  return { begun: setup, browser, consent };
}

/** Allows access and returns the URL to which the browser is redirected. */
async function allowed({ sandbox }: SetupTest, consent: Page): Promise<string> {
  const form = consent.forms[0]!;
  const fields = new URLSearchParams(form.fields);
  fields.append(...form.buttons.get([...form.buttons.keys()].find((text) => /^Allow/.test(text))!)!);
  const reply = await sandbox.fetch(form.action, { method: 'POST', body: fields, redirect: 'manual' });
  return reply.headers.get('location')!;
}

const isStray = async (browser: Browser, url: string) => {
  const page = await browser.open(url);
  expect([page.status, page.heading]).toEqual([400, 'This sign-in is no longer valid']);
  expect(page.text).toContain('Open the setup link again');
};

describe('every page', () => {
  test('cannot be framed, runs no scripts, and does not reveal its URL to other sites', async () => {
    const running = await startSetup();
    const { setup, browser, page } = await running.beginAndOpen('linear');
    const pages = [
      page,
      await browser.open(`${running.server.url}/setup/style.css`),
      await browser.open(`${running.server.url}/setup/callback?state=x`),
      await browser.open(`${running.server.url}/setup/${'A'.repeat(43)}`),
      await browser.submit(formWith(page, /name="api_key"/), { api_key: 'wrong' }),
    ];
    for (const { headers, html } of pages) {
      const policy = headers.get('content-security-policy')!;
      expect(policy.split('; ')).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "frame-ancestors 'none'",
          "base-uri 'none'",
          "form-action 'self'",
        ]),
      );
      expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(html).not.toMatch(/<script|<style|\sstyle=|\son[a-z]+=|javascript:/i);
      expect(html).not.toMatch(/(?:src|<link[^>]*href)="https?:/);
    }
    expect(setup.url).toContain('/setup/');
  });

  test('works with a screen reader: a language, one heading, and a label and hint for each input', async () => {
    const running = await startSetup();
    for (const type of ['linear', 'gong', 'granola', 'google-drive', 'google-analytics']) {
      const { page } = await running.beginAndOpen(type, { name: type });
      expect(page.html).toContain('<html lang="en">');
      expect(page.html.match(/<h1>/g)).toHaveLength(1);
      const ids = [...page.html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id!);
      expect(new Set(ids).size).toBe(ids.length);
      const inputs = [...page.html.matchAll(/<(?:input|textarea|select)(?![^>]*type="hidden")[^>]*>/g)].map(
        ([tag]) => tag,
      );
      expect(inputs.length).toBeGreaterThan(0);
      for (const tag of inputs) {
        const id = /\sid="([^"]*)"/.exec(tag)![1]!;
        expect(page.html).toContain(`<label for="${id}">`);
        expect(page.html).toMatch(new RegExp(`id="${id}-hint">\\s*\\S`));
        expect(tag).toContain(`aria-describedby="${id}-hint`);
        expect(tag).toContain('autocomplete="off"');
        if (/name="[^"]*(secret|token|api_key)"/.test(tag)) expect(tag).toContain('type="password"');
      }
    }
  });
});

describe('a form', () => {
  test.each([
    ['from another site', { origin: 'https://evil.example' }],
    ['with a hidden origin', { origin: 'null' }],
    ['that the browser labels cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['that the browser labels same-site', { 'sec-fetch-site': 'same-site' }],
    ['from another port', { origin: 'http://127.0.0.1:1' }],
  ])('%s is rejected', async (_, headers) => {
    const running = await startSetup();
    const { url, id } = await running.begin();
    const body = 'step=type&type=linear';
    const refused = await fetch(url, {
      method: 'POST',
      body,
      headers: { ...formHeaders, ...headers },
      redirect: 'manual',
    });
    expect(refused.status).toBe(403);
    expect((await running.browser().open(url)).heading).toBe('What would you like to connect?');
    expect((await running.status(id)).status).toBe('pending');
  });

  test.each([
    ['JSON', 415, '{}', { 'content-type': 'application/json' }],
    ['multipart data', 415, 'x', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['more than 64 KB', 413, `step=credentials&api_key=${'x'.repeat(66_000)}`, formHeaders],
    ['thousands of fields', 413, 'a=1&'.repeat(2000), formHeaders],
  ])('with %s is rejected', async (_, status, body, headers) => {
    const { url } = await (await startSetup()).begin('linear');
    const refused = await fetch(url, { method: 'POST', body, headers });
    expect([refused.status, refused.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
  });

  test("counts towards the service's memory limit", async () => {
    const { url } = await (await startSetup({ limits: { heldBytes: 30_000 } })).begin('linear');
    const send = (size: number) =>
      fetch(url, {
        method: 'POST',
        body: `step=nothing&text=${'x'.repeat(size)}`,
        headers: formHeaders,
        redirect: 'manual',
      });
    expect([(await send(10)).status, (await send(30_000)).status]).toEqual([303, 429]);
  });

  test.each([
    'step=picks&entities=issues',
    'step=nothing',
    'step=credentials&mode=__proto__&kind=fields',
    'step=type&type=gong',
    'step=other&next=https://evil.example',
    '',
  ])(
    "that does not belong to the current page changes nothing and redirects to the setup's own page: %s",
    async (body) => {
      const running = await startSetup();
      const { url, id } = await running.begin('linear');
      const reply = await fetch(url, { method: 'POST', body, headers: formHeaders, redirect: 'manual' });
      expect([reply.status, reply.headers.get('location')]).toEqual([303, url]);
      expect((await running.browser().open(url)).heading).toBe('Connect Linear');
      expect((await running.status(id)).status).toBe('pending');
    },
  );
});

describe("a vendor's consent response", () => {
  test('is accepted once', async () => {
    const running = await startSetup();
    const { begun, browser, consent } = await asked(running);
    const back = await allowed(running, consent);
    expect((await browser.open(back)).heading).toBe('Choose what to sync from Linear');
    await isStray(browser, back);
    expect((await browser.open(begun.url)).heading).toBe('Choose what to sync from Linear');
  });

  test('is accepted only in the browser that requested it, and becomes void once another browser has sent it', async () => {
    const running = await startSetup();
    const { begun, browser, consent } = await asked(running);
    const back = await allowed(running, consent);
    await isStray(running.browser(), back);
    await isStray(browser, back);
    expect((await browser.open(begun.url)).heading).toBe('Connect Linear');
  });

  test('is not accepted for another setup', async () => {
    const running = await startSetup();
    const mine = await asked(running);
    const theirs = await asked({ ...running, beginAndOpen: (type) => running.beginAndOpen(type, { name: 'theirs' }) });
    const back = new URL(await allowed(running, theirs.consent));
    await isStray(mine.browser, back.href);
    back.searchParams.set('state', new URL(mine.consent.url).searchParams.get('state')!);
    const mixed = await mine.browser.open(back.href);
    expect([mixed.url, mixed.heading]).toEqual([mine.begun.url, 'Connect Linear']);
    expect(mixed.text).toContain('rejected the code');
  });

  test.each(['', '?state=', '?code=x', `?code=x&state=${'A'.repeat(43)}`, '?error=access_denied', '?state=a&state=b'])(
    'that was not requested is rejected: %s',
    async (query) => {
      const { server, browser } = await startSetup();
      await isStray(browser(), `${server.url}/setup/callback${query}`);
    },
  );

  test('expires after 10 minutes', async () => {
    let now = Date.now();
    const running = await startSetup({ now: () => now });
    const { browser, consent } = await asked(running);
    const back = await allowed(running, consent);
    now += 10 * 60_000;
    await isStray(browser, back);
  });

  test('controls neither redirects nor page content', async () => {
    const running = await startSetup();
    const { begun, browser, consent } = await asked(running);
    const back = new URL(`${running.server.url}/setup/callback`);
    back.searchParams.set('state', new URL(consent.url).searchParams.get('state')!);
    back.searchParams.set('error', 'server_error');
    back.searchParams.set('error_description', '<script>alert(1)</script>');
    back.searchParams.set('redirect_uri', 'https://evil.example/');
    const page = await browser.open(back.href);
    expect(page.url).toBe(begun.url);
    expect(page.text).toContain('server_error: <script>alert(1)</script>');
    expect(page.html).not.toContain('<script>');
  });
});

test('a setup does not create a connector if its client is no longer allowed to create one', async () => {
  const { server, sandbox, acme, beginAndOpen, status } = await startSetup();
  const { setup, browser, page } = await beginAndOpen('linear');
  const { api_key } = sandbox.vendors.linear.credentials.api_key;
  const picks = await browser.submit(formWith(page, /name="api_key"/), { api_key });
  await server.state.clients.setScopes(acme.clientId, ['read']);
  const refused = await browser.submit(formWith(picks, /name="entities"/));
  expect(refused.heading).not.toBe('Linear is connected');
  expect((await acme.ask('GET', '/api/v1/integrations/connectors')).body.data).toEqual([]);
  await server.state.clients.setScopes(acme.clientId, ['manage']);
  expect(await status(setup.id)).toEqual({ status: 'failed', error: expect.stringContaining('manage') });
});

describe('HTTP methods', () => {
  test('HEAD responds like GET but without a body, and consumes nothing', async () => {
    const running = await startSetup();
    const { begun, browser, consent } = await asked(running);
    const head = await fetch(begun.url, { method: 'HEAD' });
    expect([head.status, await head.text(), head.headers.get('x-frame-options')]).toEqual([200, '', 'DENY']);
    const back = await allowed(running, consent);
    expect((await fetch(back, { method: 'HEAD' })).status).toBe(405);
    expect((await browser.open(back)).heading).toBe('Choose what to sync from Linear');
  });

  test.each([
    ['/setup/style.css', 'GET, HEAD, OPTIONS', ['POST', 'PUT']],
    ['/setup/callback', 'GET, OPTIONS', ['POST', 'HEAD', 'DELETE']],
    [`/setup/${'A'.repeat(43)}`, 'GET, HEAD, POST, OPTIONS', ['PUT', 'PATCH', 'DELETE']],
  ])('%s accepts %s', async (path, allow, refused) => {
    const { server } = await startSetup();
    const options = await fetch(server.url + path, { method: 'OPTIONS', headers: { origin: 'https://evil.example' } });
    expect([options.status, options.headers.get('allow')]).toEqual([204, allow]);
    expect(options.headers.get('access-control-allow-origin')).toBeNull();
    for (const method of refused) {
      const reply = await fetch(server.url + path, { method });
      expect([method, reply.status, reply.headers.get('allow')]).toEqual([method, 405, allow]);
    }
  });
});

describe('a connect session', () => {
  test('can be started with a workspace token only in that workspace, and creates no other workspace', async () => {
    const { acme } = (await startProduct()).running;
    const scoped = { workspace_name: 'main', scopes: ['manage'] };
    const { body } = await acme.ask('POST', '/api/v1/account/applications/scoped-token', { json: scoped });
    const headers = { authorization: `Bearer ${body.token}` };
    const json = {
      workspace_name: 'new',
      connector_type: 'linear',
      return_url: returnUrl,
      state,
      brand: { name: 'X' },
    };
    expect((await acme.ask('POST', '/api/v1/connect/sessions', { json, headers })).status).toBe(404);
    const { data } = (await acme.ask('GET', '/api/v1/workspaces')).body;
    expect(data.map(({ name }: { name: string }) => name)).toEqual(['main']);
  });

  test('does not redirect to an origin that has been unregistered', async () => {
    const { open, running } = await startProduct();
    const { browser, page } = await open();
    const json = { return_origins: ['https://new.example.com'] };
    await running.acme.ask('PUT', `/api/v1/clients/${running.acme.clientId}/connect`, { json });
    const end = await signIn(browser, page);
    expect([end.heading, end.html.includes('app.example.com')]).toEqual(['Linear is connected', false]);
  });
});
