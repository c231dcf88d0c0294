import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { startTestService, type Tenant, type TestService } from './setup.js';

let running: TestService;
let acme: Tenant;
beforeEach(async () => {
  running = await startTestService();
  acme = await running.tenant();
});

const tokenPath = '/api/v1/account/applications/token';
const formType = 'application/x-www-form-urlencoded';
const send = (path: string, type: string, text: string, encoding: string) => {
  const raw = encoding === 'gzip' ? gzipSync(text) : text;
  return acme.ask('POST', path, {
    raw,
    headers: { 'content-type': type, 'content-encoding': encoding, 'x-workspace': 'main' },
  });
};

describe('a body with Content-Encoding', () => {
  test.each([
    ['JSON', '/api/v1/workspaces', 'application/json', '{"name":"second"}'],
    ['an OAuth form', tokenPath, formType, 'grant_type=client_credentials'],
    ['an MCP message', '/mcp', 'application/json', '{"jsonrpc":"2.0","id":1,"method":"ping"}'],
    ['a form at the OAuth server', '/oauth/token', formType, 'grant_type=refresh_token'],
  ])('is rejected, and the response says what to send instead: %s', async (_, path, type, text) => {
    for (const encoding of ['gzip', 'x-unknown', 'gzip, identity']) {
      const { status, headers, body } = await send(path, type, text, encoding);
      expect([status, headers.get('accept-encoding')]).toEqual([415, 'identity']);
      expect(body.message ?? body.error_description).toBe(
        'Content-Encoding is not supported. Send the body uncompressed.',
      );
    }
  });

  test('is accepted if the encoding is identity', async () => {
    for (const [name, encoding] of [
      ['second', 'identity'],
      ['third', 'Identity'],
    ] as const) {
      const { status } = await send('/api/v1/workspaces', 'application/json', JSON.stringify({ name }), encoding);
      expect(status).toBe(200);
    }
  });
});
