import { type ConnectorError, type Manifest, connectors as types } from 'agent-connectors';
import { authorizableModes, authorizationUrl, exchangeCode } from 'agent-connectors/setup';
import { describe, expect, it } from 'vitest';
import { fakeFetch, json } from './fake-fetch.js';
import { visibleText } from './visible.js';

const manifests: Readonly<Record<string, Manifest>> = Object.fromEntries(
  await Promise.all(Object.entries(types).map(async ([name, load]) => [name, (await load()).manifest] as const)),
);
const of = (name: string) => manifests[name]!;

const request = {
  client_id: 'client-1',
  redirect_uri: 'https://service.example/setup/callback',
  state: 'st&te',
  code_challenge: 'chal-lenge_0123456789',
};
const grant = {
  client_id: 'client-1',
  client_secret: 'CANARY-secret',
  redirect_uri: request.redirect_uri,
  code: 'CANARY-code',
  code_verifier: 'CANARY-verifier',
};

describe('the consent page URL', () => {
  it.each([
    ['linear', 'https://linear.app/oauth/authorize', 'read,write'],
    ['gong', 'https://app.gong.io/oauth2/authorize', /^api:users:read (api:[\w:-]+ )+api:coaching:read$/],
    ['google-drive', 'https://accounts.google.com/o/oauth2/v2/auth', 'https://www.googleapis.com/auth/drive'],
    [
      'google-analytics',
      'https://accounts.google.com/o/oauth2/v2/auth',
      'https://www.googleapis.com/auth/analytics.readonly',
    ],
  ])('for %s requests a code, with PKCE', (name, page, scope) => {
    const url = new URL(authorizationUrl(of(name), 'oauth', request));
    expect(url.origin + url.pathname).toBe(page);
    const query = Object.fromEntries(url.searchParams);
    expect(query).toMatchObject({ ...request, response_type: 'code', code_challenge_method: 'S256' });
    expect(query.scope).toMatch(scope);
    expect(query.access_type).toBe(name.startsWith('google') ? 'offline' : undefined);
  });

  it('points to the server that replaces the vendor', () => {
    for (const endpoints of ['http://127.0.0.1:4010/linear', { auth: 'http://127.0.0.1:4010/linear' }]) {
      const url = authorizationUrl(of('linear'), 'oauth', request, { endpoints });
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:4010\/linear\/oauth\/authorize\?/);
    }
  });

  it('exists only for credentials that a user can authorize', () => {
    expect(Object.values(manifests).map(authorizableModes)).toEqual([['oauth'], ['oauth'], [], ['oauth'], ['oauth']]);
    for (const mode of ['api_key', 'toString', 'none']) {
      expect(() => authorizationUrl(of('linear'), mode, request)).toThrow(/no credential mode/);
    }
  });
});

describe('a code', () => {
  it('is exchanged in a form body, with the verifier', async () => {
    const { fetch, sent } = fakeFetch(() => json({ access_token: 'at', refresh_token: 'rt', expires_in: 3600 }));
    const credentials = await exchangeCode(of('linear'), 'oauth', grant, { fetch });
    const { client_id, client_secret } = grant;
    expect(credentials).toEqual({ client_id, client_secret, access_token: 'at', refresh_token: 'rt' });
    expect(sent[0]!.url.href).toBe('https://api.linear.app/oauth/token');
    expect(Object.fromEntries(new URLSearchParams(sent[0]!.body))).toEqual({
      grant_type: 'authorization_code',
      ...grant,
    });
  });

  it("is exchanged at Gong in the query, with the client credentials in Basic authentication, for tokens and the customer's URL", async () => {
    const { fetch, sent } = fakeFetch(() =>
      json({ access_token: 'at', refresh_token: 'rt', api_base_url_for_customer: 'https://us-1.api.gong.io' }),
    );
    const credentials = await exchangeCode(of('gong'), 'oauth', grant, { fetch });
    expect(credentials).toMatchObject({ refresh_token: 'rt', base_url: 'https://us-1.api.gong.io' });
    const { url, headers, body } = sent[0]!;
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ code: grant.code, client_id: grant.client_id });
    expect(url.href).not.toContain(grant.client_secret);
    expect(headers.get('authorization')).toBe(`Basic ${btoa(`client-1:${grant.client_secret}`)}`);
    expect(body).toBe('');
  });

  it.each([
    ['refused', () => json({ error: 'invalid_grant', error_description: 'Bad Request' }, 400), 'invalid_credentials'],
    ['from an unknown client', () => json({ error: 'invalid_client' }, 401), 'invalid_credentials'],
    ['answered without a refresh token', () => json({ access_token: 'at' }), 'invalid_credentials'],
    ['answered without a token', () => json({}), 'invalid_response'],
    ['answered with a page', () => new Response('<html>'), 'invalid_response'],
    ['answered with half a header', () => json({ access_token: 'a\r\nb', refresh_token: 'rt' }), 'invalid_response'],
    ['not answered', () => json({}, 503), 'vendor_error'],
  ])('that is %s fails with a specific error that shows no secret', async (_, answer, code) => {
    const { fetch } = fakeFetch(answer);
    const error = await exchangeCode(of('google-drive'), 'oauth', grant, { fetch }).then(
      () => expect.unreachable('it should have failed'),
      (failure: unknown) => failure as ConnectorError,
    );
    expect(error.code).toBe(code);
    expect(visibleText(error)).not.toContain('CANARY');
  });

  it.each(['google-drive', 'gong'])('whose values are repeated in an error of %s are redacted', async (name) => {
    const { fetch } = fakeFetch(({ url, headers, body }) => {
      const sent = `${decodeURIComponent(url.href)} ${headers.get('authorization')} ${decodeURIComponent(body)}`;
      return json({ error: 'invalid_grant', error_description: sent }, 400);
    });
    const error = await exchangeCode(of(name), 'oauth', grant, { fetch }).catch((failure: unknown) => failure);
    expect(String(error)).toContain('[redacted]');
    expect(visibleText(error)).not.toContain('CANARY');
    expect(visibleText(error)).not.toContain(btoa(`client-1:${grant.client_secret}`));
  });
});
