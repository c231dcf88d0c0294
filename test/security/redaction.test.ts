import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fakeFetch, json } from '../engine/fake-fetch.js';
import { book, ShelfConnector } from '../engine/shelf.js';
import { visibleText } from '../engine/visible.js';
import { failure } from '../failure.js';

/**
 * Keys in vendors' formats, with every character allowed in a header; the prefix distinguishes them from other text.
 */
const secrets = fc
  .string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength: 40 })
  .map((rest) => `kQ7z${rest}9Zx`);

const unicodeOf = (sign: string) => `\\u00${sign.charCodeAt(0).toString(16)}`;

/** The ways in which a vendor may echo a secret: its place in the request, and its encoding. */
const places: Readonly<Record<string, (secret: string) => string>> = {
  'a header': (secret) => `authorization: Bearer ${secret}\r\nx-api-key: ${secret}`,
  'a query': (secret) => `https://api.example/v1?key=${encodeURIComponent(secret)}&page=2`,
  'a form': (secret) => new URLSearchParams({ client_secret: secret, grant: 'x' }).toString(),
  'the user info of a URL': (secret) => `https://user:${encodeURIComponent(secret)}@api.example/v1`,
  JSON: (secret) => JSON.stringify({ a: [{ deep: { api_key: secret } }] }),
  'JSON with spaces': (secret) => JSON.stringify({ headers: { authorization: `Bearer ${secret}` } }, null, 2),
  Base64: (secret) => `Basic ${btoa(secret)}`,
  'a header in Base64': (secret) => btoa(`Bearer ${secret}`),
  'a pair in Base64': (secret) => `Basic ${btoa(`user:${secret}`)}`,
  'a longer text in Base64': (secret) => btoa(`{"a":"${secret}","b":"${secret}","cc":"${secret}"}`),
  Base64url: (secret) => base64Url(`key=${secret}&more`),
  'Base64 in a URL': (secret) => `?auth=${encodeURIComponent(btoa(`x:${secret}`))}`,
  'Base64 in JSON with escaped slashes': (secret) => btoa(`${secret}?`).replaceAll('/', '\\/'),
  'JSON escaped like in Go': (secret) => JSON.stringify({ key: secret }).replaceAll(/[<>&]/g, unicodeOf),
  'JSON escaped like in .NET': (secret) =>
    `"${secret.replaceAll(/["&'+<>\\`]/g, (sign) => unicodeOf(sign).replace(/..$/, (code) => code.toUpperCase()))}"`,
};

const base64Url = (text: string) => btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** Base64 in a string that contains the secret when decoded, whatever its offset. */
const hasEncoded = (text: string, secret: string): boolean =>
  [text, text.replaceAll('\\/', '/'), decodeURIComponentSafe(text)].some((each) =>
    (
      each
        .replaceAll('-', '+')
        .replaceAll('_', '/')
        .match(/[\w+/]{8,}/g) ?? []
    ).some((word) =>
      [0, 1, 2, 3].some((from) => {
        const letters = word.slice(from);
        return Buffer.from(letters, 'base64').includes(secret);
      }),
    ),
  );

const decodeURIComponentSafe = (text: string) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** An error in which the vendor returns this text, in every part of an error that can contain vendor text. */
async function told(secret: string, said: string): Promise<string> {
  const { fetch } = fakeFetch(
    () =>
      new Response(JSON.stringify({ error: said, message: said }), {
        status: 400,
        headers: { 'x-request-id': said.replaceAll(/[^\x20-\x7e]/g, '') },
      }),
  );
  const plain = fakeFetch(() => new Response(said, { status: 400 }));
  const thrown = async () => {
    throw new TypeError('fetch failed', { cause: new Error(said) });
  };
  const all = [fetch, plain.fetch, thrown as typeof globalThis.fetch].map(async (own) => {
    const connector = new ShelfConnector({ credentials: { api_key: secret }, fetch: own, retries: 0 });
    return visibleText(await failure(connector.execute('books', 'get', { id: 'x' })));
  });
  return (await Promise.all(all)).join('\n');
}

describe("a connector's key in any format", () => {
  it.each(Object.entries(places))('does not appear in any error when echoed in %s', async (_, written) => {
    await fc.assert(
      fc.asyncProperty(secrets, async (secret) => {
        const text = await told(secret, written(secret));
        for (const form of [secret, encodeURIComponent(secret), btoa(secret)]) expect(text.includes(form)).toBe(false);
        const unescaped = text.replaceAll(/\\u00([\da-f]{2})/gi, (_, code) =>
          String.fromCharCode(Number.parseInt(code, 16)),
        );
        expect(unescaped.includes(secret)).toBe(false);
        expect(hasEncoded(text, secret.slice(0, -1))).toBe(false);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a key echoed in a successful response', () => {
  it('stays in the response data but does not appear in any hook', async () => {
    const secret = 'kQ7z-canary-9Zx';
    const events: unknown[] = [];
    const keep = (event: unknown) => void events.push(event);
    const { fetch } = fakeFetch(() =>
      json(book('b1', { title: secret, pages: secret }), 200, { 'x-request-id': secret }),
    );
    const hooks = { onRequest: keep, onResponse: keep, onRetry: keep, onResponseMismatch: keep };
    const connector = new ShelfConnector({ credentials: { api_key: secret }, fetch, hooks });
    const { data } = await connector.execute('books', 'get', { id: 'b1' });
    expect(data.title).toBe(secret);
    expect(events.length).toBeGreaterThan(2);
    expect(visibleText({ events })).not.toContain(secret);
  });

  it('does not appear in the error for an unreadable response', async () => {
    const secret = 'kQ7z-canary-9Zx';
    const { fetch } = fakeFetch(() => new Response(secret, { headers: { 'content-type': `text/${secret}` } }));
    const connector = new ShelfConnector({ credentials: { api_key: secret }, fetch, retries: 0 });
    const error = await failure(connector.execute('books', 'get', { id: 'b1' }));
    expect(error.code).toBe('invalid_response');
    expect(visibleText(error)).not.toContain(secret);
  });
});
