import { expect, test } from 'vitest';
import { connectorPath, startTestService } from './setup.js';

test('a call with very many unknown names is refused with a small answer', async () => {
  const { tenant, sandbox } = await startTestService();
  const { ask, connect } = await tenant();
  const id = await connect('linear', sandbox.vendors.linear.credentials.api_key);
  const params = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`k${at}`, 1]));
  const { status, text, body } = await ask('POST', connectorPath(id, '/execute'), {
    json: { entity: 'issues', action: 'list', params },
  });
  expect(status).toBe(422);
  expect(body.errors.length).toBeLessThanOrEqual(50);
  expect(text.length).toBeLessThan(50_000);
  const long = await ask('POST', connectorPath(id, '/execute'), {
    json: { entity: 'issues', action: 'list', params: { ['k'.repeat(1_000_000)]: 1 } },
  });
  expect(long.text.length).toBeLessThan(5_000);
});

test('what comes without a token is small and flat, or refused before it is parsed', async () => {
  const { ask } = await startTestService();
  const path = '/api/v1/account/applications/token';
  const headers = { 'content-type': 'application/json' };
  const large = await ask('POST', path, { raw: `{"client_id":"${'x'.repeat(20_000)}"}`, headers });
  expect([large.status, large.body.code]).toEqual([413, 'too_large']);
  const deep = await ask('POST', path, { raw: '['.repeat(5_000) + ']'.repeat(5_000), headers });
  expect(deep.status).toBe(400);
  const brackets = await ask('POST', path, {
    raw: JSON.stringify({ client_id: '[{'.repeat(200), client_secret: '"\\[' }),
    headers,
  });
  expect([401, 422]).toContain(brackets.status);
});
