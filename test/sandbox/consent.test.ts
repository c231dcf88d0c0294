import { createHash, randomBytes } from 'node:crypto';
import { type Manifest, connectors as types } from 'agent-connectors';
import { authorizationUrl, exchangeCode } from 'agent-connectors/setup';
import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';

const redirect_uri = 'http://127.0.0.1:4020/setup/callback';

const vendors = ['linear', 'gong', 'google-drive', 'google-analytics'] as const;

async function asking(type: (typeof vendors)[number], changes: Record<string, string> = {}) {
  const sandbox = createSandbox({ seed: 7 });
  const { manifest } = (await types[type]()) as unknown as { manifest: Manifest };
  const { client_id, client_secret } = sandbox.vendors[type].credentials.oauth;
  const code_verifier = randomBytes(32).toString('base64url');
  const code_challenge = createHash('sha256').update(code_verifier).digest('base64url');
  const url = new URL(
    authorizationUrl(manifest, 'oauth', { client_id, redirect_uri, state: 'st<a>te', code_challenge }),
  );
  for (const [name, value] of Object.entries(changes)) url.searchParams.set(name, value);
  const { fetch } = sandbox;
  const exchange = (code: string, more: object = {}) =>
    exchangeCode(
      manifest,
      'oauth',
      { client_id, client_secret, redirect_uri, code, code_verifier, ...more },
      { fetch },
    );
  return { sandbox, url, exchange, fetch };
}

/** Clicks a button on the page. */
async function press({ fetch, url }: { fetch: typeof globalThis.fetch; url: URL }, button: RegExp) {
  const html = await (await fetch(url)).text();
  const inputs = [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
  const form = new URLSearchParams(inputs.map(([, name, value]) => [name!, plain(value!)]));
  const value = [...html.matchAll(/<button name="account" value="([^"]*)">([^<]*)</g)].find(([, , text]) =>
    button.test(text!),
  )?.[1];
  form.set('account', plain(value!));
  const reply = await fetch(url.origin + url.pathname, { method: 'POST', body: form, redirect: 'manual' });
  expect(reply.status).toBe(302);
  return new URL(reply.headers.get('location')!);
}

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };
const plain = (text: string) => text.replaceAll(/&[^;]+;/g, (entity) => entities[entity]!);

describe.each(vendors)("%s's consent page", (type) => {
  it('issues a single-use code for working credentials', async () => {
    const asked = await asking(type);
    const html = await (await asked.fetch(asked.url)).text();
    expect(html).not.toContain('st<a>te');
    const back = await press(asked, /^Allow/);
    expect(back.origin + back.pathname).toBe(redirect_uri);
    expect(back.searchParams.get('state')).toBe('st<a>te');
    const code = back.searchParams.get('code')!;
    const credentials = await asked.exchange(code);
    expect(credentials.refresh_token).toMatch(/./);
    const Class = (await types[type]()) as unknown as new (
      options: object,
    ) => { execute: (...args: unknown[]) => Promise<any> };
    const connector = new Class({ credentials: { ...credentials, access_token: undefined }, fetch: asked.fetch });
    const call = {
      linear: ['users', 'list'],
      gong: ['users', 'list'],
      'google-drive': ['about', 'get', { fields: 'user' }],
      'google-analytics': [
        'daily_active_users',
        'list',
        { property_id: Object.values(asked.sandbox.vendors['google-analytics'].properties)[0] },
      ],
    }[type];
    await expect(connector.execute(...call)).resolves.toHaveProperty('data');
    await expect(asked.exchange(code)).rejects.toMatchObject({ code: 'invalid_credentials' });
  });

  it('reports a denial by the user', async () => {
    const back = await press(await asking(type), /Deny/);
    expect(Object.fromEntries(back.searchParams)).toEqual({ error: 'access_denied', state: 'st<a>te' });
  });

  it.each([
    ['another verifier', { code_verifier: 'x'.repeat(43) }],
    ['another redirect URL', { redirect_uri: 'http://127.0.0.1:4020/other' }],
    ['a wrong client secret', { client_secret: 'wrong' }],
  ])('does not issue credentials for %s', async (_, more) => {
    const asked = await asking(type);
    const code = (await press(asked, /^Allow/)).searchParams.get('code')!;
    await expect(asked.exchange(code, more)).rejects.toMatchObject({ code: 'invalid_credentials' });
  });

  it.each([
    ['an unknown client', { client_id: '<script>alert(1)</script>' }],
    ['a redirect to a foreign http server', { redirect_uri: 'http://evil.example/' }],
    ['a redirect to an invalid URL', { redirect_uri: 'javascript:alert(1)' }],
  ])('never redirects the browser for %s', async (_, changes) => {
    const { url, fetch } = await asking(type, changes);
    const reply = await fetch(url, { redirect: 'manual' });
    expect([reply.status, reply.headers.get('location')]).toEqual([400, null]);
    expect(await reply.text()).not.toContain('<script>');
  });

  it('rejects an unknown scope', async () => {
    const { url, fetch } = await asking(type, { scope: 'everything' });
    const reply = await fetch(url, { redirect: 'manual' });
    expect(new URL(reply.headers.get('location')!).searchParams.get('error')).toBe('invalid_scope');
  });
});
