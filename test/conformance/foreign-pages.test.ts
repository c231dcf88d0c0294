import { connectors } from 'agent-connectors';
import { describe, expect, test } from 'vitest';
import { failure } from '../failure.js';
import { frontEndPages, responseOf } from '../recorded/bodies.js';

const credentials = {
  linear: { api_key: 'lin_api_x' },
  'google-drive': { access_token: 'x' },
  'google-analytics': { client_id: 'c', client_secret: 's', refresh_token: 'r', access_token: 'x' },
  gong: { access_key: 'a', access_key_secret: 'b' },
  granola: { api_key: 'grn_x' },
} as const;

const calls = [
  ['linear', 'issues', 'list', {}],
  ['linear', 'issues', 'get', { id: 'ENG-1' }],
  ['google-drive', 'files', 'list', {}],
  ['google-drive', 'files', 'get', { fileId: 'x' }],
  ['gong', 'users', 'list', {}],
  ['gong', 'calls', 'get', { id: '1' }],
  ['google-analytics', 'pages', 'list', { property_id: '1' }],
  ['granola', 'notes', 'list', {}],
  ['granola', 'notes', 'get', { note_id: 'not_1d3tmYTlCICgjy' }],
] as const;

/** Bodies of a 404 that gateways and other programs send, in none of the vendors' formats. */
const foreignBodies = [
  'default backend - 404',
  '',
  'null',
  '[]',
  '{}',
  '{"message":"no Route matched with those values"}',
  '{"message":"Not Found","request_id":"7f"}',
  '{"code":404,"message":"HTTP 404 Not Found"}',
  '{"error":"not_found"}',
  '{"error":{"code":404,"message":"Requested entity was not found."}}',
  '{"errors":[]}',
  '{"errors":[{"status":"404","title":"Not Found"}]}',
  '{"timestamp":"2026-11-28T00:00:00Z","status":404,"error":"Not Found","path":"/"}',
];

const html = (status: number) =>
  new Response('<html><head><title>Refused</title></head></html>', {
    status,
    headers: { 'content-type': 'text/html' },
  });

async function connectorOn(name: keyof typeof credentials, fetch: typeof globalThis.fetch): Promise<any> {
  const Class = (await connectors[name]()) as any;
  return new Class({ credentials: credentials[name], fetch, retries: 0 });
}

describe('a page that is not from the vendor', () => {
  test.each(calls)('says nothing about records or credentials: %s %s.%s', async (name, entity, action, params) => {
    for (const status of [400, 401, 403, 404, 410]) {
      const connector = await connectorOn(name, async () => html(status));
      const error = await failure(connector.execute(entity, action, params));
      expect(error, String(status)).toMatchObject({ code: 'vendor_error', status, retryable: true });
    }
  });

  test.each(calls)(
    'does not make a record missing if it is text, empty or JSON of another program: %s %s.%s',
    async (name, entity, action, params) => {
      for (const body of foreignBodies) {
        for (const status of [404, 410]) {
          const connector = await connectorOn(name, async () => new Response(body, { status }));
          const error = await failure(connector.execute(entity, action, params));
          expect([error.code, error.retryable], `${status} ${body}`).toEqual(['vendor_error', true]);
        }
      }
    },
  );

  test.each(frontEndPages().map((page) => [page.name, page] as const))(
    'that a front end sends says nothing about records or credentials, and is not quoted: %s',
    async (_, page) => {
      expect(frontEndPages().length).toBeGreaterThan(5);
      for (const [name, entity, action, params] of calls) {
        const connector = await connectorOn(name, async () => responseOf(page));
        const error = await failure(connector.execute(entity, action, params));
        expect(error, name).toMatchObject({ code: 'vendor_error', status: page.status, retryable: true });
        expect(JSON.stringify(error.toJSON()), name).not.toMatch(/<html|<body|<title/i);
      }
    },
  );

  test('does not prove that a file was deleted after the response was lost', async () => {
    const lost = Object.assign(new TypeError('fetch failed'), {
      cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
    });
    const drive = await connectorOn('google-drive', async (_, init) => {
      if (init?.method === 'DELETE') throw lost;
      return html(404);
    });
    expect((await failure(drive.files.delete({ fileId: 'x' }))).code).toBe('unknown_outcome');
  });
});
