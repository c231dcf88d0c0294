import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../../service/src/common/log.js';
import { caseCount } from '../cases.js';
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

/** What was logged. */
function logged(fields: object, message = 'm', readable = false): string {
  const lines: string[] = [];
  const logger = createLogger({ readable, destination: { write: (line: string) => lines.push(line) } });
  logger.info(fields, message);
  return lines.join('');
}

const names = [
  ...[
    'authorization',
    'Authorization',
    'proxy-authorization',
    'cookie',
    'set-cookie',
    'x-api-key',
    'api_key',
    'apiKey',
  ],
  ...['client_secret', 'clientSecret', 'refresh_token', 'refreshToken', 'access_key', 'access_key_secret', 'password'],
  ...['private_key', 'privateKey', 'credentials', 'credentials_json', 'token', 'id_token', 'passwd', 'key'],
];

const word = fc.string({ unit: fc.constantFrom(...'abcdefgh0123'), minLength: 12, maxLength: 20 }).map((w) => `zq${w}`);

/** A value with secrets below names of their own, at any depth. */
const nested = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.constantFrom(null, 1, true, 'plain', 'two words'),
    fc.tuple(fc.constantFrom(...names), word).map(([name, secret]) => ({ [name]: secret, other: 'plain' })),
    fc.tuple(fc.constantFrom(...names), tie('value'), word).map(([name, value, secret]) => ({
      [name]: [{ a: secret }, value],
    })),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('status', 'route', 'connector', 'err', 'inner'), tie('value'), { maxKeys: 3 }),
  ),
})).value;

describe('the log of the service', () => {
  it.each([false, true])('has no value below a name of a secret, however deep it lies (for people: %s)', (readable) => {
    fc.assert(
      fc.property(nested, (value) => {
        const line = logged({ value, list: [value] }, 'm', readable);
        expect(line).not.toMatch(/zq[a-h0-3]{12}/);
        if (!readable) JSON.parse(line);
      }),
      { numRuns: caseCount(500) },
    );
  });

  it('has no token in the forms that are known, in whatever text they stand', () => {
    const unit = fc.constantFrom(...'ABCDEFabcdef0123456789_-');
    const part = fc.string({ unit, minLength: 20, maxLength: 60 });
    const forms = fc.oneof(
      part.map((text) => [`Bearer ${text}`, text] as const),
      part.map((text) => [`basic ${text}`, text] as const),
      part.map((text) => [`acs_${text}`, text] as const),
      part.map((text) => [`eyJ${text}.${text}.${text}`, text] as const),
      part.map((text) => [`-----BEGIN RSA PRIVATE KEY-----\n${text}\n-----END RSA PRIVATE KEY-----`, text] as const),
    );
    const around = fc.constantFrom('', ' ', '\n', 'said: ', '(', "'", '=');
    fc.assert(
      fc.property(forms, around, around, ([form, secret], before, after) => {
        const text = `${before}${form}${after}`;
        for (const line of [logged({ note: text }), logged({}, text), logged({ err: new Error(text) })]) {
          expect(line.includes(secret)).toBe(false);
          JSON.parse(line);
        }
      }),
      { numRuns: caseCount(300) },
    );
  });
});
