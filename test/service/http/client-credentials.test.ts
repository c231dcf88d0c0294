import { expect, test } from 'vitest';
import { createRequester, startTestService } from './setup.js';

const path = '/api/v1/account/applications/token';

async function start() {
  const { service, ask, tenant } = await startTestService();
  const { clientId, clientSecret, organizationId } = await tenant();
  const post = (fields: Record<string, string> | string, headers: Record<string, string> = {}) =>
    ask('POST', path, {
      raw: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`,
  });
  return { service, post, basic, clientId, clientSecret, organizationId };
}

test('a form with client credentials in the body or a Basic header gets a token that can read the metrics', async () => {
  const { service, post, basic, clientId, clientSecret, organizationId } = await start();
  const grant = { grant_type: 'client_credentials' };
  const replies = [
    await post({ ...grant, client_id: clientId, client_secret: clientSecret }),
    await post(grant, basic(clientId, clientSecret)),
  ];
  for (const { status, body, headers } of replies) {
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: 'bearer',
      expires_in: 900,
      organization_id: organizationId,
    });
    const metrics = await createRequester(service, { authorization: `Bearer ${body.access_token}` })('GET', '/metrics');
    expect(metrics.status).toBe(200);
  }
});

test('the scope parameter of a form limits the token', async () => {
  const { service, post, basic, clientId, clientSecret } = await start();
  const { body } = await post({ grant_type: 'client_credentials', scope: 'read' }, basic(clientId, clientSecret));
  const me = await createRequester(service, { authorization: `Bearer ${body.access_token}` })(
    'GET',
    '/api/v1/account/me',
  );
  expect(me.body.scopes).toEqual(['read']);
});

test('a form is rejected with OAuth error codes', async () => {
  const { service, post, basic, clientId, clientSecret, organizationId } = await start();
  const grant = { grant_type: 'client_credentials' };
  const wrong = await post(grant, basic(clientId, `${clientSecret}x`));
  expect([wrong.status, wrong.body.error, wrong.body.code, wrong.headers.get('www-authenticate')]).toEqual([
    401,
    'invalid_client',
    'unauthorized',
    'Basic realm="token"',
  ]);
  const right = { client_id: clientId, client_secret: clientSecret };
  const reader = await service.state.clients.create('Reader', [organizationId], ['read']);
  const read = { client_id: reader.client.id, client_secret: reader.secret };
  const refused: readonly [Record<string, string> | string, string][] = [
    [grant, 'invalid_request'],
    [right, 'invalid_request'],
    [{ ...right, grant_type: 'password' }, 'unsupported_grant_type'],
    [{ ...right, ...grant, scope: 'everything' }, 'invalid_scope'],
    [{ ...read, ...grant, scope: 'read write' }, 'invalid_scope'],
    [{ ...right, ...grant, client_id: 'x'.repeat(201) }, 'invalid_request'],
    [{ ...right, ...grant, client_secret: 'x\0' }, 'invalid_request'],
    [`${new URLSearchParams({ ...right, ...grant })}&client_id=x`, 'invalid_request'],
  ];
  for (const [fields, error] of refused) {
    const { status, body } = await post(fields);
    expect([status, body.error, body.error_description, body.code]).toEqual([
      400,
      error,
      body.message,
      'invalid_params',
    ]);
  }
  expect((await post(grant, { authorization: 'Basic %%%' })).status).toBe(400);
});
