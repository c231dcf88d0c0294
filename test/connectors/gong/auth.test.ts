import type { TokenRefresh } from 'agent-connectors';
import { GongConnector } from 'agent-connectors/gong';
import { describe, expect, test } from 'vitest';
import { json } from '../../engine/fake-fetch.js';
import { failure } from '../../failure.js';
import type { SentRequest } from '../../play-vendor.js';
import {
  application,
  basic,
  connectorWithOptions,
  connectorWithReplies,
  errorReply,
  key,
  pageReply,
  textReply,
} from './setup.js';

const own = 'https://us-55616.api.gong.io';
const users = pageReply('users', []);
const asksForToken = ({ url }: SentRequest) => url.pathname === '/oauth2/generate-customer-token';
const bearer = ({ headers }: SentRequest) => headers.get('authorization');
const expired = () => errorReply(401, ['The access token is invalid, expired or has been revoked.']);
const noScope = () => errorReply(401, ["You don't have permission to use 'api:users:read' in your app."]);
const grant = (n: number, more: object = {}) =>
  json({
    access_token: `access-${n}`,
    refresh_token: `refresh-${n}`,
    token_type: 'bearer',
    expires_in: 86_400,
    scope: 'api:users:read',
    api_base_url_for_customer: own,
    ...more,
  });

describe("the API's base URL", () => {
  test('is the general URL by default', async () => {
    const { gong, sent } = connectorWithReplies(users);
    await gong.users.list();
    expect(sent[0]!.url.href).toBe('https://api.gong.io/v2/users');
    expect(sent[0]!.headers.get('authorization')).toBe(basic);
  });

  test.each([
    own,
    `${own}/`,
    `${own}/v2`,
    `${own}/v2/`,
    'us-55616.api.gong.io',
    'us-55616.api.gong.io/v2',
    ' https://us-55616.api.gong.io/v2 ',
  ])('is taken from base_url, in any form that users paste (%j)', async (base_url) => {
    for (const credentials of [
      { ...key, base_url },
      { ...application, access_token: 'a', base_url },
    ]) {
      const { gong, sent } = connectorWithOptions({ credentials }, users);
      await gong.users.list();
      expect(sent[0]!.url.href).toBe(`${own}/v2/users`);
    }
  });

  test.each([
    'https://evil.example',
    'https://gong.io.evil.example',
    'https://us-55616.app.gong.io',
    'https://gong.io',
    'https://evilapi.gong.io',
    'http://us-55616.api.gong.io',
    'https://10.0.0.1',
  ])('must be in a Gong domain, since it receives the key (%s)', (base_url) => {
    expect(() => new GongConnector({ credentials: { ...key, base_url } })).toThrow(/base_url/);
  });

  test.each(['https://us-55616.api.gong.io', 'https://us02-16381.api.gong.io', 'https://company-17.api.gong.io'])(
    'is returned with the tokens (%s)',
    async (address) => {
      const { gong, sent } = connectorWithOptions(
        { credentials: application },
        grant(1, { api_base_url_for_customer: address }),
        users,
      );
      await gong.users.list();
      expect(sent[1]!.url.href).toBe(`${address}/v2/users`);
    },
  );

  test('remains the general URL if the tokens contain a web app URL', async () => {
    const { gong, sent } = connectorWithOptions(
      { credentials: application },
      grant(1, { api_base_url_for_customer: 'https://us-55616.app.gong.io' }),
      users,
    );
    await gong.users.list();
    expect(sent[1]!.url.href).toBe('https://api.gong.io/v2/users');
  });

  test.each([
    ['nothing', '', 'text/plain'],
    ['a message', '{"message":"Unauthorized"}', 'application/json'],
    ['invalid errors', '{"requestId":"r","errors":{}}', 'application/json'],
    ['a null in errors', '{"requestId":"r","errors":[null]}', 'application/json'],
    ['text', 'Unauthorized', 'text/plain'],
  ])('is in the hint for a 401 with any body: %s', async (_, body, type) => {
    const { gong, sent } = connectorWithReplies(textReply(body, 401, { 'content-type': type }));
    const error = await failure(gong.users.list());
    expect(error).toMatchObject({ code: 'unauthorized', status: 401, retryable: false });
    expect(error.hint).toContain('base_url');
    expect(error.message).toMatch(
      /^Gong( responded with 401)?: (status 401|Unauthorized)\.$|^Gong responded with 401(: Unauthorized)?$/,
    );
    expect(sent).toHaveLength(1);
  });

  test('is in the hint for a page with 401, which may come from a proxy and does not reject the key', async () => {
    const page = textReply('<!doctype html><html><body>Unauthorized</body></html>', 401, {
      'content-type': 'text/html',
    });
    const { gong } = connectorWithOptions({ retries: 0 }, page);
    const error = await failure(gong.users.list());
    expect(error).toMatchObject({ code: 'vendor_error', status: 401, retryable: true });
    expect(error.hint).toContain('base_url');
  });

  test('is in the hint for a rejected key, since Gong responds identically at a wrong URL', async () => {
    const { gong, sent } = connectorWithReplies(errorReply(401, ['Failed to authenticate the request.']));
    const error = await failure(gong.users.list());
    expect(error).toMatchObject({ code: 'unauthorized', status: 401, retryable: false });
    expect(error.hint).toContain('base_url');
    expect(sent).toHaveLength(1);
  });
});

describe('an OAuth application', () => {
  test('refreshes with all parameters in the query and the client credentials in Basic authentication', async () => {
    const { gong, sent } = connectorWithOptions({ credentials: application }, grant(1), users);
    await gong.users.list();
    const [asked] = sent;
    expect([asked!.method, asked!.url.origin + asked!.url.pathname, asked!.body]).toEqual([
      'POST',
      'https://app.gong.io/oauth2/generate-customer-token',
      '',
    ]);
    expect(Object.fromEntries(asked!.url.searchParams)).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'refresh-0',
    });
    expect(bearer(asked!)).toBe(`Basic ${btoa('client:client-secret')}`);
    expect(bearer(sent[1]!)).toBe('Bearer access-1');
  });

  test('reports the new tokens and the base URL before the next call uses them', async () => {
    const order: string[] = [];
    const told: TokenRefresh[] = [];
    const onTokenRefresh = async (tokens: TokenRefresh) => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      order.push('stored');
      told.push(tokens);
    };
    const { gong } = connectorWithOptions(
      { credentials: { ...application, access_token: 'stale' }, hooks: { onTokenRefresh } },
      (one: SentRequest) => {
        if (asksForToken(one)) return grant(1);
        if (bearer(one) === 'Bearer stale') return expired();
        order.push(`used ${bearer(one)}`);
        return json(users);
      },
    );
    await Promise.all([gong.users.list(), gong.users.list()]);
    expect(order).toEqual(['stored', 'used Bearer access-1', 'used Bearer access-1']);
    expect(told).toEqual([
      { access_token: 'access-1', refresh_token: 'refresh-1', expires_at: expect.any(String), base_url: own },
    ]);
  });

  test('uses each refresh token once: the next refresh uses the latest one', async () => {
    const { gong, sent } = connectorWithOptions(
      { credentials: application },
      grant(1),
      users,
      expired(),
      grant(2),
      users,
    );
    await gong.users.list();
    await gong.users.list();
    const used = sent.filter(asksForToken).map(({ url }) => url.searchParams.get('refresh_token'));
    expect(used).toEqual(['refresh-0', 'refresh-1']);
    expect(bearer(sent.at(-1)!)).toBe('Bearer access-2');
  });

  test('refreshes shortly before a day-long token expires', async () => {
    const { gong, sent, time } = connectorWithOptions(
      { credentials: application },
      grant(1),
      users,
      users,
      grant(2),
      users,
    );
    await gong.users.list();
    time.advance(86_000_000);
    await gong.users.list();
    expect(sent.filter(asksForToken)).toHaveLength(1);
    time.advance(400_000);
    await gong.users.list();
    expect(sent.filter(asksForToken)).toHaveLength(2);
  });

  test('does not use up a refresh token for a missing scope, which is also a 401', async () => {
    const { gong, sent } = connectorWithOptions({ credentials: { ...application, access_token: 'a' } }, noScope());
    const error = await failure(gong.users.list());
    expect(error).toMatchObject({ code: 'scope_missing', status: 401, retryable: false });
    expect(error.message).toContain('api:users:read');
    expect(error.hint).toContain('authorize');
    expect(sent).toHaveLength(1);
  });

  test('does not use up a refresh token for a 403 or a 404 either', async () => {
    for (const status of [403, 404]) {
      const { gong, sent } = connectorWithOptions(
        { credentials: { ...application, access_token: 'a' } },
        errorReply(status, ['Access denied']),
      );
      await failure(gong.users.list());
      expect(sent.filter(asksForToken)).toEqual([]);
    }
  });

  test('gives up after two rejections', async () => {
    const { gong, sent } = connectorWithOptions(
      { credentials: { ...application, access_token: 'a' }, retries: 2 },
      expired(),
      grant(1),
      expired(),
    );
    expect((await failure(gong.users.list())).code).toBe('unauthorized');
    expect(sent.filter(asksForToken)).toHaveLength(1);
  });

  test('asks the user to reauthorize if its refresh token has already been used', async () => {
    const { gong, sent } = connectorWithOptions(
      { credentials: application, retries: 2 },
      json({ error: 'invalid_grant', error_description: 'refresh-0 has been used' }, 400),
    );
    const error = await failure(gong.users.list());
    expect(error).toMatchObject({ code: 'invalid_credentials', status: 400, retryable: false });
    expect(error.vendor?.code).toBe('invalid_grant');
    expect(error.hint).toContain('Authorize the application again');
    expect(error.message).not.toContain('refresh-0');
    expect(sent).toHaveLength(1);
  });

  test('does not send the call if the refresh response was lost', async () => {
    const { gong, sent } = connectorWithOptions({ credentials: application }, Response.error());
    expect((await failure(gong.users.list())).code).toBe('network');
    expect(sent.every(asksForToken)).toBe(true);
  });
});

test.each([
  [{ access_key: 'KEY' }],
  [{ ...key, ...application }],
  [{ ...key, access_key_secret: '' }],
  [{ ...key, access_key_secret: 'SECRET\nx' }],
  [{ ...key, region: 'us' }],
  [{ client_id: 'c', refresh_token: 'SECRET' }],
])('credentials that do not match any mode are rejected without being shown (%#)', (credentials) => {
  const make = () => new GongConnector({ credentials: credentials as any });
  expect(make).toThrow(/access_key_secret|client_secret/);
  expect(make).not.toThrow(/(?<!KEY_)SECRET/);
});
