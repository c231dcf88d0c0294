import { createSandbox } from 'agent-connectors-sandbox';
import { expect, test } from 'vitest';
import { bytesIn, newFolder } from '../state/fixtures.js';
import { formWith } from './browser.js';
import { startSetup } from './start.js';

const marked = (name: string) => `CANARY-${name}-0123456789abcdef`;
const isSecret = /secret|token|api_key|credentials_json/;

/** Responses that echo the whole request, as some vendors and proxies do. */
const echoing: typeof globalThis.fetch = async (input, init) => {
  const said = `${input} ${JSON.stringify([...new Headers(init?.headers)])} ${String(init?.body)}`;
  return Response.json({ error: said, error_description: said, errors: [{ message: said }] }, { status: 400 });
};

test('secrets never appear in pages, URLs, logs or files', async () => {
  const folder = newFolder();
  const told: string[] = [];
  const note = (fields: object, message: string) => void told.push(JSON.stringify([fields, message]));
  const running = await startSetup({
    dataFolder: folder,
    createKey: true,
    fetch: echoing,
    logger: { debug: note, info: note, warn: note, error: note },
    oauthClients: { gong: { clientId: 'operator', clientSecret: marked('operator') } },
  });
  const key = createSandbox().vendors['google-drive'].credentials.service_account.credentials_json;
  const file = JSON.stringify({ ...JSON.parse(key), private_key_id: marked('key-id') });
  const tokens: string[] = [];
  let tried = 0;
  for (const type of ['linear', 'gong', 'granola', 'google-drive', 'google-analytics']) {
    const { setup, browser, page } = await running.beginAndOpen(type, { name: type });
    tokens.push(setup.url.slice(-43));
    for (const form of page.forms) {
      const names = [...form.fields.keys()].filter((name) => !['step', 'mode', 'kind'].includes(name));
      const given = names.map((name) => {
        if (name === 'credentials_json') return [name, file];
        if (name === 'base_url' || name === 'subject') return [name, ''];
        return [name, isSecret.test(name) ? marked(name) : `plain-${name}`];
      });
      // The vendor's own page is not available here, only the URL to which it redirects the browser.
      const shown = await browser.submit(form, Object.fromEntries(given));
      const state = new URL(shown.url).searchParams.get('state');
      if (state !== null) {
        const back = await browser.open(`${running.server.url}/setup/callback?code=${marked('code')}&state=${state}`);
        expect([back.url, back.text]).toEqual([setup.url, expect.stringMatching(/There is a problem|Check your /)]);
        browser.visited.splice(-2, 1);
      } else {
        expect([shown.status, shown.text]).toEqual([422, expect.stringMatching(/There is a problem|Check your /)]);
      }
      tried++;
    }
    told.push(...browser.visited, ...browser.seen.filter((text) => !text.startsWith('{"error"')));
  }
  expect(tried).toBeGreaterThanOrEqual(13);
  const all = told.join('\n');
  expect(all.match(/.{0,80}CANARY.{0,40}/g)).toBeNull();
  expect(all.includes(JSON.parse(key).private_key.slice(40, 80))).toBe(false);
  await running.server.close();
  const bytes = bytesIn(folder);
  expect(bytes.match(/.{0,40}CANARY.{0,40}/g)).toBeNull();
  const lines = told.filter((line) => line.startsWith('[{'));
  expect(lines.length).toBeGreaterThan(20);
  for (const token of tokens) expect([bytes.includes(token), lines.join('\n').includes(token)]).toEqual([false, false]);
});

test('names from a vendor are shown as plain text', async () => {
  const sandbox = createSandbox({ seed: 7, scale: 0.1 });
  const name = '<script>alert(1)</script>"\'&';
  const { fetch } = sandbox;
  const running = await startSetup({
    sandbox,
    async fetch(input, init) {
      const reply = await fetch(input, init);
      const text = await reply.text();
      const named = text.replaceAll(/("organization":\{"name":)"[^"]*"/g, (_, start) => start + JSON.stringify(name));
      return new Response(named, { status: reply.status, headers: reply.headers });
    },
  });
  const { browser, page } = await running.beginAndOpen('linear', { name: '<b>mine</b>' });
  expect(page.html).toContain('&lt;b&gt;mine&lt;/b&gt;');
  const { api_key } = sandbox.vendors.linear.credentials.api_key;
  const picks = await browser.submit(formWith(page, /name="api_key"/), { api_key });
  expect(picks.text).toContain(name);
  expect(picks.html).not.toContain('<script');
});
