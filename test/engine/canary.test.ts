import { ConnectorError, type Hooks } from 'agent-connectors';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { describe, expect, it } from 'vitest';
import { failure } from '../failure.js';
import { connectionError, fakeFetch, hang, json, type SentRequest } from './fake-fetch.js';
import { analyticsConnector, assertionOf, isTokenRequest, keyText, runReport } from './google-account.js';
import { ShelfConnector, shelfConnector } from './shelf.js';
import { skipBackoff } from './time.js';
import { visibleText } from './visible.js';

const secrets = { api_key: 'CANARY/key+1="x\\y"&z~!', access_token: 'CANARY-access-0', client_secret: 'CANARY-client' };
const oauth = { client_id: 'cid', client_secret: secrets.client_secret, refresh_token: "CANARY-refresh~'0!" };

/** Hooks that record everything they receive; `onTokenRefresh` is omitted, since it is meant to receive secrets. */
function watching() {
  const events: unknown[] = [];
  const keep = (event: unknown) => void events.push(event);
  const hooks: Hooks = { onRequest: keep, onResponse: keep, onRetry: keep, onResponseMismatch: keep };
  return { events, hooks };
}

const echoes: ReadonlyArray<[string, (key: string, sent: SentRequest) => Response]> = [
  ['in plain text', (key) => new Response(`bad key ${key}`, { status: 400 })],
  ['in plain text truncated within it', (key) => new Response(`${'-'.repeat(190)}${key}`, { status: 400 })],
  ['in a page', (key) => new Response(`<html>${key}</html>`, { status: 502 })],
  ['percent-encoded', (key) => new Response(`bad ${encodeURIComponent(key)}`, { status: 400 })],
  ['form-encoded', (key) => new Response(`bad ${new URLSearchParams({ key })}`, { status: 400 })],
  ['in Base64', (key) => new Response(`bad ${btoa(key)}`, { status: 400 })],
  ['in a header', (key) => new Response('no', { status: 400, headers: { 'x-request-id': key } })],
  ['in a content type', (key) => new Response('no', { headers: { 'content-type': `text/${key}` } })],
  ["in a redirect's URL", (key) => new Response(null, { status: 302, headers: { location: `/?k=${key}` } })],
  ['as JSON within plain text', (key) => new Response(`got ${JSON.stringify({ key })}`, { status: 400 })],
  ['in the status text', (key) => new Response('', { status: 400, statusText: key.replaceAll(/[^\w-]/g, '') })],
];

const failures: ReadonlyArray<[string, (key: string) => unknown]> = [
  ['its message', (key) => new TypeError(`Headers.append: "${key}" is an invalid header value.`)],
  ['its cause', (key) => connectionError('ECONNRESET', `header authorization: Bearer ${key}`)],
  ['a cause without a code', (key) => new TypeError('fetch failed', { cause: new Error(`sent ${key}`) })],
  ['one of several', (key) => new AggregateError([new Error(`sent ${key}`)], 'all failed')],
  ['a property', (key) => Object.assign(new Error('failed'), { request: { headers: { authorization: key } } })],
  ['its code', (key) => Object.assign(new Error('failed'), { code: key })],
  ['a thrown string', (key) => `sent ${key}`],
];

describe('a secret that a vendor echoes', () => {
  it.each(echoes)('%s is not in any error or event', async (_, answer) => {
    skipBackoff();
    const { events, hooks } = watching();
    const { fetch } = fakeFetch((sent) => answer(secrets.api_key, sent));
    const connector = new ShelfConnector({ credentials: { api_key: secrets.api_key }, fetch, hooks });
    for (const action of ['get', 'update'] as const) {
      const error = await failure(connector.execute('books', action, { id: 'x' }));
      expect(visibleText(error)).not.toMatch(/CANARY|Q0FOQVJZ/);
    }
    expect(events.length).toBeGreaterThan(0);
    expect(visibleText({ events })).not.toMatch(/CANARY|Q0FOQVJZ/);
  });

  it('is not in a refresh error, whether the refresh uses a form or a query', async () => {
    for (const style of ['form', 'query'] as const) {
      const { fetch } = fakeFetch((sent) =>
        json(
          {
            error: 'invalid_grant',
            error_description: `${sent.url.search} ${sent.body} ${sent.headers.get('authorization')}`,
          },
          400,
        ),
      );
      const connector = new (shelfConnector({ style }))({ credentials: oauth, fetch });
      const error = await failure(connector.execute('books', 'list'));
      expect(error.code).toBe('invalid_credentials');
      expect(visibleText(error)).not.toContain('CANARY');
      expect(visibleText(error)).not.toContain(btoa(`cid:${oauth.client_secret}`));
    }
  });

  it('is not in an error right after it was issued', async () => {
    let count = 0;
    const { fetch } = fakeFetch(({ url, headers }) => {
      if (url.pathname !== '/oauth/token') return json({ echo: headers.get('authorization') }, 500);
      count++;
      return json({ access_token: `CANARY-${count}`, refresh_token: `CANARY-${count}${count}`, expires_in: 3600 });
    });
    const echo = async (...[input, init]: Parameters<typeof fetch>) => {
      const reply = await fetch(input, init);
      return reply.status === 500 ? new Response(`failed for CANARY-1 and CANARY-11`, { status: 401 }) : reply;
    };
    const connector = new ShelfConnector({ credentials: oauth, fetch: echo as typeof fetch });
    expect(visibleText(await failure(connector.execute('books', 'list')))).not.toContain('CANARY');
  });

  it('is removed completely if one secret starts with another', async () => {
    const credentials = { client_id: 'cid', client_secret: 'CANARY', refresh_token: 'CANARY-tail-of-it' };
    const { fetch } = fakeFetch(() => json({ error: 'no', error_description: 'token CANARY-tail-of-it' }, 400));
    const error = await failure(new ShelfConnector({ credentials, fetch }).execute('books', 'list'));
    expect(visibleText(error)).not.toContain('tail-of-it');
  });
});

describe('an echoed assertion', () => {
  it('is not in any error or event, whether it is rejected or retried', async () => {
    skipBackoff();
    for (const status of [400, 503]) {
      const { events, hooks } = watching();
      const { fetch, sent } = fakeFetch((one) =>
        json({ error: 'e', error_description: `${one.body} / ${assertionOf(one)} / ${btoa(one.body)}` }, status),
      );
      const error = await failure(runReport(analyticsConnector(fetch, keyText(), { hooks })));
      expect(error.message).toContain('[redacted]');
      expect(sent.every(isTokenRequest)).toBe(true);
      for (const assertion of sent.map(assertionOf)) {
        expect(visibleText(error)).not.toContain(assertion);
        expect(visibleText({ events })).not.toContain(assertion);
      }
    }
  });
});

describe('a secret in a fetch error', () => {
  it.each(failures)('in %s is not in any error or event', async (_, thrown) => {
    skipBackoff();
    const { events, hooks } = watching();
    const fetch = (async () => {
      throw thrown(secrets.api_key);
    }) as typeof globalThis.fetch;
    const connector = new ShelfConnector({ credentials: { api_key: secrets.api_key }, fetch, hooks });
    const read = await failure(connector.execute('books', 'get', { id: 'x' }));
    expect(read.code).toBe('network');
    expect(visibleText(read)).not.toContain('CANARY');
    const write = await failure(connector.execute('books', 'update', { id: 'x' }));
    expect(write.code).toBe('unknown_outcome');
    expect(visibleText(write)).not.toContain('CANARY');
    expect(visibleText({ events })).not.toContain('CANARY');
  });
});

describe('a secret in an onTokenRefresh error', () => {
  it.each<[string, (tokens: object) => unknown]>([
    ['an error', (tokens) => new Error(`cannot store ${JSON.stringify(tokens)}`)],
    ['a property of an error', (tokens) => Object.assign(new Error('cannot store'), { config: { data: tokens } })],
    ['the cause of an error', (tokens) => new Error('cannot store', { cause: tokens })],
    ['an object', (tokens) => ({ tokens })],
    ['text', (tokens) => JSON.stringify(tokens)],
  ])('as %s is not in the error', async (_, thrown) => {
    const { fetch } = fakeFetch(() => json({ access_token: 'CANARY-access-1', refresh_token: 'CANARY-refresh-1' }));
    const hooks: Hooks = {
      onTokenRefresh: (tokens) => {
        throw thrown(tokens);
      },
    };
    const error = await failure(new ShelfConnector({ credentials: oauth, fetch, hooks }).execute('books', 'list'));
    expect(error.code).toBe('aborted');
    expect(visibleText(error)).not.toContain('CANARY');
  });
});

describe('a token that is invalid in a header', () => {
  it.each(['CANARY\nline', 'CANARY…', 'CANARY\0'])('is rejected and not shown (%j)', async (access_token) => {
    const { fetch, sent } = fakeFetch(({ url }) => {
      if (url.pathname === '/oauth/token') return json({ access_token });
      return json({ books: [] });
    });
    const error = await failure(new ShelfConnector({ credentials: oauth, fetch }).execute('books', 'list'));
    expect(error.code).toBe('invalid_response');
    expect(sent.every(({ url }) => url.pathname === '/oauth/token')).toBe(true);
    expect(visibleText(error)).not.toContain('CANARY');
  });
});

describe('a secret in an abort reason', () => {
  const key = secrets.api_key;
  const inner = Object.assign(new Error(`got ${key}`), { code: 'E_INNER' });
  const chain = (depth: number): Error => (depth ? new Error('enough', { cause: chain(depth - 1) }) : inner);
  const circular: { key: string; self?: unknown } = { key };
  circular.self = circular;
  const form = new FormData();
  form.set('key', key);
  const reasons: ReadonlyArray<[string, unknown]> = [
    ['an error', inner],
    ['the cause of an error', chain(1)],
    ['a deeply nested cause', chain(9)],
    ['the code of an error', Object.assign(new Error('enough'), { code: key })],
    ['a property of an error', Object.assign(new Error('enough'), { request: { headers: { key } } })],
    ['one of several errors', new AggregateError([inner], 'enough')],
    ['text', `enough ${key}`],
    ['an object', { why: { key } }],
    ['an object with an error', { why: inner }],
    ['an object that contains itself', circular],
    ['a map', new Map([['key', { key }]])],
    ['a list', [[key]]],
    ['a URL', new URL(`https://shelf.test/?k=${encodeURIComponent(key)}`)],
    ['a URL with the key as it is', new URL(`https://shelf.test/?k=${key}`)],
    ['a URL of an error', Object.assign(new Error('enough'), { url: new URL(`https://shelf.test/?k=${key}`) })],
    ['search parameters', new URLSearchParams({ key })],
    ['headers', new Headers({ authorization: key })],
    ['the URL of a request', new Request(`https://shelf.test/?k=${key}`)],
    ['a header of a request', new Request('https://shelf.test/', { headers: { authorization: key } })],
    ['a header of a response', { why: new Response(null, { headers: { 'x-echo': key } }) }],
    ['form data', form],
    ['a property named by a symbol', Object.assign(new Error('enough'), { [Symbol('config')]: { key } })],
    ["a symbol's description", { [Symbol(key)]: true }],
    ['a property of a function', { why: Object.assign(() => undefined, { key }) }],
    [
      'a property beside many others',
      { body: new Uint8Array(2_000), all: Array.from({ length: 2_000 }, () => ({})), why: { key } },
    ],
  ];

  describe.each(reasons)('as %s', (_, reason) => {
    it.each(['before', 'during'])('is not in the error of a call that is aborted %s', async (when) => {
      const { fetch } = fakeFetch(hang);
      const direct = new ShelfConnector({ credentials: { api_key: key }, fetch });
      const hosted = { baseUrl: 'https://service.test', token: key, connectorId: 'c1' };
      const remote = new ShelfConnector({ hosted, fetch });
      for (const connector of [direct, remote]) {
        const controller = new AbortController();
        if (when === 'before') controller.abort(reason);
        const call = failure(connector.execute('books', 'list', {}, { signal: controller.signal }));
        if (when === 'during') setTimeout(() => controller.abort(reason), 5);
        const error = await call;
        expect(error.code).toBe('aborted');
        expect(visibleText(error)).not.toContain('CANARY');
        expect(error.cause).toBeDefined();
      }
    });
  });

  it('is not in the error of a download that is aborted', async () => {
    const fetch = (async () => new Response('content')) as typeof globalThis.fetch;
    const drive = new GoogleDriveConnector({ credentials: { access_token: secrets.access_token }, fetch });
    const controller = new AbortController();
    const { data } = await drive.files.download({ fileId: 'f1' }, { signal: controller.signal });
    controller.abort(new Error(`enough ${secrets.access_token}`));
    const error = await failure(new Response(data).text());
    expect(error).toMatchObject({ code: 'aborted', cause: { message: 'enough [redacted]' } });
    expect(visibleText(error)).not.toContain('CANARY');
  });

  it.each([[new Error('enough')], [{ why: 'enough' }], [42], [null]])(
    'keeps the original reason as the cause if it contains no secret (%j)',
    async (reason) => {
      const connector = new ShelfConnector({ credentials: { api_key: key }, fetch: fakeFetch(hang).fetch });
      const error = await failure(connector.execute('books', 'list', {}, { signal: AbortSignal.abort(reason) }));
      expect(error.cause).toBe(reason);
    },
  );
});

describe('a secret in a timeout', () => {
  it('is not in the error of a call that timed out', async () => {
    const { fetch } = fakeFetch(hang);
    const connector = new ShelfConnector({ credentials: { api_key: secrets.api_key }, fetch, timeoutMs: 20 });
    const error = await failure(connector.execute('books', 'update', { id: 'x' }));
    expect(ConnectorError.is(error)).toBe(true);
    expect(visibleText(error)).not.toContain('CANARY');
  });
});
