import { expect, test } from 'vitest';
import { registeredApp, startOAuthService } from './setup.js';

const form = 'application/x-www-form-urlencoded';

test.each([
  ['without a form', 'text/plain', 'grant_type=refresh_token', [415, 'The body must be a form, with Content-Type: ']],
  ['that is too large', form, `code=${'x'.repeat(70_000)}`, [413, 'The form exceeds 65536 bytes.']],
  ['with too many fields', form, 'a=&'.repeat(1001), [413, 'The form has more than 1000 fields.']],
] as const)('a request %s is rejected with a readable description', async (_, type, body, [status, description]) => {
  const { url } = await startOAuthService();
  for (const path of ['/oauth/token', '/oauth/revoke']) {
    const response = await fetch(url + path, { method: 'POST', body, headers: { 'content-type': type } });
    expect([response.status, await response.json()]).toEqual([
      status,
      { error: 'invalid_request', error_description: expect.stringContaining(description) },
    ]);
  }
});

test('the consent page explains why it rejects a form', async () => {
  const { url } = await startOAuthService();
  const headers = { origin: url, 'sec-fetch-site': 'same-origin', 'content-type': 'text/plain' };
  const response = await fetch(`${url}/oauth/consent`, { method: 'POST', body: 'step=sign-in', headers });
  expect([response.status, await response.text()]).toEqual([
    415,
    expect.stringContaining('The body must be a form, with Content-Type: application/x-www-form-urlencoded.'),
  ]);
});

test.each([
  ['/oauth/token', {}, 'grant_type'],
  ['/oauth/token', { grant_type: '' }, 'grant_type'],
  ['/oauth/token', { grant_type: 'authorization_code' }, 'code'],
  ['/oauth/token', { grant_type: 'refresh_token' }, 'refresh_token'],
  ['/oauth/revoke', {}, 'token'],
])('a request to %s with %j is rejected as invalid because %s is missing', async (path, fields, missing) => {
  const { client_id, form: post } = await registeredApp();
  const response = await post(path, { client_id, ...fields });
  expect([response.status, await response.json()]).toEqual([
    400,
    { error: 'invalid_request', error_description: `${missing} is missing.` },
  ]);
});

test('an unknown grant type is unsupported, not invalid', async () => {
  const { client_id, form: post } = await registeredApp();
  const response = await post('/oauth/token', { client_id, grant_type: 'password' });
  expect([response.status, (await response.json()).error]).toEqual([400, 'unsupported_grant_type']);
});

test.each([
  ['/oauth/token', 'POST'],
  ['/oauth/revoke', 'POST'],
  ['/oauth/register', 'POST'],
  ['/oauth/authorize', 'GET, HEAD'],
  ['/oauth/consent', 'GET, HEAD, POST'],
])('%s says which methods it supports: %s', async (path, allow) => {
  const { url } = await startOAuthService();
  const response = await fetch(url + path, { method: 'DELETE' });
  expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
});
