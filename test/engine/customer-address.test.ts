import { describe, expect, it } from 'vitest';
import { failure } from '../failure.js';
import { BureauConnector, pair } from './customers.js';
import { fakeFetch, json } from './fake-fetch.js';
import { visibleText } from './visible.js';

const basic = `Basic ${btoa(`${pair.access_key}:${pair.access_key_secret}`)}`;
const note = () => json({ id: 'n1', text: null });

/** A connector with a key, and a vendor that always succeeds. */
function keyed(base_url?: string, options: object = {}, answer: () => Response = note) {
  const { fetch, sent } = fakeFetch(answer);
  const credentials = { ...pair, ...(base_url !== undefined && { base_url }) };
  return { sent, make: () => new BureauConnector({ credentials, fetch, ...options }) };
}

describe('a base_url', () => {
  it.each([
    'https://us-12.api.bureau.example',
    'https://us-12.api.bureau.example/',
    'https://us-12.api.bureau.example///',
    'https://us-12.api.bureau.example/v2',
    'https://us-12.api.bureau.example/v2/',
    'us-12.api.bureau.example',
    'us-12.api.bureau.example/',
    'us-12.api.bureau.example/v2',
    '  https://us-12.api.bureau.example/v2  ',
    'HTTPS://US-12.API.Bureau.example',
    'https://us-12.api.bureau.example:443/v2',
  ])('is accepted in common forms (%s)', async (base_url) => {
    const { sent, make } = keyed(base_url);
    await make().notes.get({ id: 'n1' });
    expect(sent.map(({ url }) => url.href)).toEqual(['https://us-12.api.bureau.example/v2/notes/n1']);
    expect(sent[0]!.headers.get('authorization')).toBe(basic);
  });

  it('can be the domain itself', async () => {
    const { sent, make } = keyed('bureau.example');
    await make().notes.get({ id: 'n1' });
    expect(sent[0]!.url.href).toBe('https://bureau.example/v2/notes/n1');
  });

  it.each([
    'https://evil.example',
    'https://bureau.example.evil.example',
    'https://evilbureau.example',
    'https://us-12.api.bureau.example.',
    'https://us-12.api.bureau.example@evil.example',
    'https://evil.example/us-12.api.bureau.example',
    'https://evil.example/../us-12.api.bureau.example',
    'https://evil.example\\.bureau.example',
    'https://evil.example%2f.bureau.example',
    'https://evil.example%23.bureau.example',
    'https://evil.example#.bureau.example',
    'https://evil.example?.bureau.example',
    'https://evil.example:443/.bureau.example',
    '//evil.example/.bureau.example',
    'https://bureau。example.evil.example',
    'evil.example',
    'evil.example/v2',
    'https://user:CANARY@us-12.api.bureau.example',
    'user:CANARY@us-12.api.bureau.example',
    'https://CANARY@us-12.api.bureau.example',
    'http://us-12.api.bureau.example',
    'HTTP://us-12.api.bureau.example/v2',
    'ftp://us-12.api.bureau.example',
    'javascript://us-12.api.bureau.example/%0aalert(1)',
    'file:///us-12.api.bureau.example',
    'https://us-12.api.bureau.example?token=CANARY',
    'https://us-12.api.bureau.example/v2#CANARY',
    'https://10.0.0.8',
    'https://169.254.169.254/v2',
    'https://[fd00::1]',
    '0x0a000008',
    'https://',
    '/v2',
    'not a URL',
  ])("outside the vendor's domains is rejected before anything is sent (%s)", async (base_url) => {
    const { sent, make } = keyed(base_url);
    const error = await failure(() => void make());
    expect(error).toMatchObject({ code: 'invalid_credentials', docs: 'auth', retryable: false });
    expect(error.message).toContain('base_url');
    expect(error.message).not.toContain('endpoints.base_url');
    expect(visibleText(error)).not.toContain('CANARY');
    expect(sent).toHaveLength(0);
  });

  it.each(['', '   ', 'us-12\n.bureau.example', 42, null, ['us-12.bureau.example']])(
    'that is not a string, or is invalid, is rejected (%j)',
    async (base_url) => {
      const { make } = keyed(base_url as string);
      expect((await failure(() => void make())).code).toBe('invalid_credentials');
    },
  );

  it.each([
    ['http://127.0.0.1:4010/bureau', 'http://127.0.0.1:4010/bureau/v2/notes/n1'],
    ['http://localhost:4010', 'http://localhost:4010/v2/notes/n1'],
    ['http://[::1]:4010/v2/', 'http://[::1]:4010/v2/notes/n1'],
    ['https://127.0.0.1:4010', 'https://127.0.0.1:4010/v2/notes/n1'],
  ])('can point to the local machine (%s)', async (base_url, address) => {
    const { sent, make } = keyed(base_url);
    await make().notes.get({ id: 'n1' });
    expect(sent[0]!.url.href).toBe(address);
    expect(sent[0]!.headers.get('authorization')).toBe(basic);
  });

  it.each(['https://proxy.company.example/bureau', { api: 'https://proxy.company.example/bureau' }])(
    'yields to a URL set by the caller (%j)',
    async (endpoints) => {
      const { sent, make } = keyed('us-12.api.bureau.example', { endpoints });
      await make().notes.get({ id: 'n1' });
      expect(sent[0]!.url.href).toBe('https://proxy.company.example/bureau/v2/notes/n1');
    },
  );

  it('stays in effect if only another URL is set', async () => {
    const { sent, make } = keyed('us-12.api.bureau.example', { endpoints: { auth: 'https://id.company.example' } });
    await make().notes.get({ id: 'n1' });
    expect(sent[0]!.url.host).toBe('us-12.api.bureau.example');
  });

  it('appears in hook events', async () => {
    const told: string[] = [];
    const hooks = { onRequest: ({ url }: { url: string }) => void told.push(url) };
    const { make } = keyed('us-12.api.bureau.example', { hooks });
    await make().notes.get({ id: 'n1' });
    expect(told).toEqual(['https://us-12.api.bureau.example/v2/notes/n1']);
  });

  it('is the only origin that receives the key in requests to absolute URLs', async () => {
    const { sent, make } = keyed('us-12.api.bureau.example');
    const hosts = ['us-12.api.bureau.example', 'us-13.api.bureau.example', 'evil.example'];
    for (const host of hosts) await make().notes.follow({ address: `https://${host}/v2/notes/n1` });
    expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual([basic, null, null]);
  });

  it("that is missing leaves the vendor's URL in effect", async () => {
    const { sent, make } = keyed();
    await make().notes.get({ id: 'n1' });
    expect(sent[0]!.url.href).toBe('https://api.bureau.example/v2/notes/n1');
  });
});

describe('a key and its secret', () => {
  it('are both required', async () => {
    for (const credentials of [{ access_key: 'CANARY' }, { access_key_secret: 'CANARY' }, { base_url: 'x' }]) {
      const error = await failure(() => void new BureauConnector({ credentials: credentials as any }));
      expect(error.code).toBe('invalid_credentials');
      expect(error.message).toContain('{ access_key, access_key_secret, base_url? }');
      expect(visibleText(error)).not.toContain('CANARY');
    }
  });

  it.each(['CANARY\nx', 'CANARY…', '“CANARY”', ' '])('must be valid in a header (%j)', async (access_key_secret) => {
    const error = await failure(() => void new BureauConnector({ credentials: { ...pair, access_key_secret } }));
    expect(error.code).toBe('invalid_credentials');
    expect(visibleText(error)).not.toContain('CANARY');
  });

  it('are sent as Basic authentication (RFC 7617), even with a colon in the secret', async () => {
    const { fetch, sent } = fakeFetch(note);
    const credentials = { access_key: ' K ', access_key_secret: ' a:b/c+d== ' };
    await new BureauConnector({ credentials, fetch }).notes.get({ id: 'n1' });
    const [word, token] = sent[0]!.headers.get('authorization')!.split(' ');
    expect([word, atob(token!)]).toEqual(['Basic', 'K:a:b/c+d==']);
  });

  it.each<[string, (header: string) => string]>([
    ['unchanged', (header) => header],
    ['decoded', (header) => atob(header.split(' ')[1]!)],
    ['only the secret', (header) => atob(header.split(' ')[1]!).split(':')[1]!],
    ['percent-encoded', (header) => encodeURIComponent(header)],
  ])('are not in any error if a vendor echoes them, %s', async (_, form) => {
    for (const status of [400, 401, 403]) {
      const { fetch } = fakeFetch(
        ({ headers }) => new Response(`got ${form(headers.get('authorization')!)}`, { status }),
      );
      const error = await failure(new BureauConnector({ credentials: pair, fetch }).notes.get({ id: 'n1' }));
      expect(error.message).toContain('[redacted]');
      expect(visibleText(error)).not.toMatch(/CANARY|s3cret/);
      expect(visibleText(error)).not.toContain(basic.split(' ')[1]);
      expect(visibleText(error)).not.toContain(encodeURIComponent(basic.split(' ')[1]!));
    }
  });

  it('that are rejected are not retried', async () => {
    const { fetch, sent } = fakeFetch(() => json({}, 401));
    const error = await failure(new BureauConnector({ credentials: pair, fetch }).notes.get({ id: 'n1' }));
    expect(error.code).toBe('unauthorized');
    expect(sent).toHaveLength(1);
  });

  it('are not visible when a connector is inspected', () => {
    expect(visibleText(new BureauConnector({ credentials: pair }))).not.toMatch(/CANARY|BUREAUKEY/);
  });

  it('are described correctly', () => {
    const { auth } = BureauConnector.describe();
    expect(JSON.stringify(auth)).toContain('base_url');
  });
});
