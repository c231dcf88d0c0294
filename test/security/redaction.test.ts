import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fakeFetch } from '../engine/fake-fetch.js';
import { ShelfConnector } from '../engine/shelf.js';
import { visibleText } from '../engine/visible.js';
import { failure } from '../failure.js';

/** Keys as vendors make them, with every sign that can be in a header; the beginning tells them from other text. */
const secrets = fc
  .string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength: 40 })
  .map((rest) => `kQ7z${rest}9Zx`);

/** How a secret may come back: where it stood in what was sent, and how that is written. */
const places: Readonly<Record<string, (secret: string) => string>> = {
  'a header': (secret) => `authorization: Bearer ${secret}\r\nx-api-key: ${secret}`,
  'a query': (secret) => `https://api.example/v1?key=${encodeURIComponent(secret)}&page=2`,
  'a form': (secret) => new URLSearchParams({ client_secret: secret, grant: 'x' }).toString(),
  'user-info of an address': (secret) => `https://user:${encodeURIComponent(secret)}@api.example/v1`,
  JSON: (secret) => JSON.stringify({ a: [{ deep: { api_key: secret } }] }),
  'JSON with spaces': (secret) => JSON.stringify({ headers: { authorization: `Bearer ${secret}` } }, null, 2),
  'base 64': (secret) => `Basic ${btoa(secret)}`,
};

/** An error in which the vendor says this, in all places that an error has for what is said. */
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

describe('the key of a connector, whatever it looks like,', () => {
  it.each(Object.entries(places))('is in no error when it comes back in %s', async (_, written) => {
    await fc.assert(
      fc.asyncProperty(secrets, async (secret) => {
        const text = await told(secret, written(secret));
        for (const form of [secret, encodeURIComponent(secret), btoa(secret)]) expect(text.includes(form)).toBe(false);
      }),
      { numRuns: 40 },
    );
  });
});
