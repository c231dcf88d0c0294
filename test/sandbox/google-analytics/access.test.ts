import { describe, expect, it } from 'vitest';
import { createRequester, fixedSandbox, readReply, request, tokenOf } from './requester.js';

const sandbox = fixedSandbox();
const { properties } = sandbox.vendors['google-analytics'];
const body = request(['date'], ['sessions']);
const path = (property: string = properties.website) => `/v1beta/properties/${property}:runReport`;
const info = (json: any) => json.error.details.find((one: any) => one['@type'].endsWith('ErrorInfo'));
const permission = expect.stringMatching(/^User does not have sufficient permissions for this property\./);

describe('credentials', () => {
  it('are required', async () => {
    const { status, headers, json } = await createRequester(sandbox)(path(), body, { headers: {} });
    expect(status).toBe(401);
    expect(json.error).toMatchObject({ code: 401, status: 'UNAUTHENTICATED' });
    expect(json.error.message).toMatch(/^Request is missing required authentication credential\./);
    expect(json.error.errors).toBeUndefined();
    expect(headers.get('www-authenticate')).toBe('Bearer realm="https://accounts.google.com/"');
  });

  it('must be valid', async () => {
    const { status, headers, json } = await createRequester(sandbox, 'ya29.nonsense')(path(), body);
    expect(status).toBe(401);
    expect(json).toEqual({
      error: {
        code: 401,
        message: expect.stringMatching(/^Request had invalid authentication credentials\./),
        status: 'UNAUTHENTICATED',
      },
    });
    expect(headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  it('must have been authorized for Analytics', async () => {
    const ask = createRequester(sandbox, await tokenOf(sandbox, 'wrong_scope'));
    const { status, headers, json } = await ask(path(), body);
    expect([status, json.error.status]).toEqual([403, 'PERMISSION_DENIED']);
    expect(json.error.message).toBe('Request had insufficient authentication scopes.');
    expect(headers.get('www-authenticate')).toContain('error="insufficient_scope"');
    expect(info(json)).toEqual({
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
      domain: 'googleapis.com',
      metadata: {
        method: 'google.analytics.data.v1beta.BetaAnalyticsData.RunReport',
        service: 'analyticsdata.googleapis.com',
      },
    });
  });

  it('must belong to a project with the API enabled', async () => {
    const { status, json } = await createRequester(sandbox, await tokenOf(sandbox, 'service_disabled'))(path(), body);
    expect([status, json.error.status]).toEqual([403, 'PERMISSION_DENIED']);
    expect(info(json)).toMatchObject({
      reason: 'SERVICE_DISABLED',
      metadata: {
        service: 'analyticsdata.googleapis.com',
        consumer: 'projects/100000000003',
        activationUrl: expect.stringMatching(/^https:\/\/console\.developers\.google\.com\//),
      },
    });
    expect(json.error.message).toContain(info(json).metadata.activationUrl);
  });

  it('are recorded by name', async () => {
    const other = fixedSandbox();
    await createRequester(other)(path(), body);
    await createRequester(other, await tokenOf(other, 'no_access'))(path(), body);
    await createRequester(other, 'nonsense')(path(), body);
    expect(other.requests.filter(({ path }) => path !== '/token')).toMatchObject([
      { vendor: 'google-analytics', credential: 'access_token', status: 200, body },
      { credential: 'no_access', status: 403, headers: { authorization: 'Bearer <no_access>' } },
      { credential: 'unknown', status: 401 },
    ]);
  });
});

describe('properties', () => {
  it('are only accessible with permission', async () => {
    const [usual, one, none] = [
      createRequester(sandbox),
      await tokenOf(sandbox, 'one_property'),
      await tokenOf(sandbox, 'no_access'),
    ];
    const results = async (ask: ReturnType<typeof createRequester>) => {
      const ids = [properties.website, properties.application, properties.empty, properties.foreign, '1'];
      return Promise.all(ids.map(async (id) => (await ask(path(id), body)).status));
    };
    expect(await results(usual)).toEqual([200, 200, 200, 403, 403]);
    expect(await results(createRequester(sandbox, one))).toEqual([403, 200, 403, 403, 403]);
    expect(await results(createRequester(sandbox, none))).toEqual([403, 403, 403, 403, 403]);
    const { json } = await usual(path(properties.foreign), body);
    expect(json).toEqual({ error: { code: 403, message: permission, status: 'PERMISSION_DENIED' } });
  });

  it.each(['G-ABC123', 'UA-1-1', 'properties%2F320200001', '12a'])('do not accept %s as an id', async (id) => {
    const { status, json } = await createRequester(sandbox)(path(id), body);
    expect([status, json.error.status]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(json.error.message).toMatch(/^Invalid property ID: .*A numeric Property ID is required\./);
  });
});

describe('other URLs', () => {
  it.each([
    ['GET', path()],
    ['PUT', path()],
    ['POST', path().replace('v1beta', 'v1')],
    ['POST', path().replace(':runReport', ':runReports')],
    ['POST', path().replace(':runReport', '/runReport')],
    ['POST', `/v1beta/properties/${properties.website}/metadata`],
    ['GET', '/v1beta/properties'],
    ['GET', '/'],
  ])('return an HTML page: %s %s', async (method, address) => {
    const response = await sandbox.fetch(`https://analyticsdata.googleapis.com${address}`, { method });
    const { status, headers, text } = await readReply(response);
    expect(status).toBe(404);
    expect(headers.get('content-type')).toMatch(/^text\/html/);
    expect(text).toMatch(/^<!DOCTYPE html>/);
  });
});
