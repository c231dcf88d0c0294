import { createSandbox } from 'agent-connectors-sandbox';
import { beforeEach, describe, expect, it } from 'vitest';
import { createRequester, noon } from './requester.js';

let sandbox = createSandbox({ now: () => noon });
beforeEach(() => {
  sandbox = createSandbox({ now: () => noon });
});

const minute = 60_000;
const works = async (token: string) =>
  (await createRequester(sandbox, `Bearer ${token}`)('{ viewer { id } }')).status === 200;

async function send(form: Record<string, string>, path = 'token') {
  const response = await sandbox.fetch(`https://api.linear.app/oauth/${path}`, {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  return { status: response.status, body: (await response.json()) as any };
}

function refresh(refresh_token: string, more: Record<string, string> = {}) {
  const { client_id, client_secret } = sandbox.vendors.linear.credentials.oauth;
  return send({ grant_type: 'refresh_token', refresh_token, client_id, client_secret, ...more });
}

describe('refreshing', () => {
  it('returns an access token valid for a day and a new refresh token', async () => {
    const first = sandbox.vendors.linear.credentials.oauth.refresh_token;
    const { status, body } = await refresh(first);
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 86_400, scope: 'read write' });
    expect(body.refresh_token).not.toBe(first);
    expect(await works(body.access_token)).toBe(true);
    sandbox.clock.advance(24 * 60 * minute - 1);
    expect(await works(body.access_token)).toBe(true);
    sandbox.clock.advance(1);
    expect(await works(body.access_token)).toBe(false);
    const again = await refresh(body.refresh_token);
    expect(await works(again.body.access_token)).toBe(true);
  });

  it('accepts the old refresh token for another thirty minutes', async () => {
    const first = sandbox.vendors.linear.credentials.oauth.refresh_token;
    await refresh(first);
    sandbox.clock.advance(30 * minute);
    expect((await refresh(first)).status).toBe(200);
    sandbox.clock.advance(1);
    const late = await refresh(first);
    expect(late.status).toBe(400);
    expect(late.body).toEqual({ error: 'invalid_grant', error_description: expect.any(String) });
  });

  it('rejects invalid clients, unknown tokens, and unsupported grant types and content types', async () => {
    const first = sandbox.vendors.linear.credentials.oauth.refresh_token;
    expect(await refresh(first, { client_secret: 'wrong' })).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
    expect(await refresh('unknown')).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await refresh(first, { grant_type: 'password' })).toMatchObject({
      status: 400,
      body: { error: 'unsupported_grant_type' },
    });
    const json = await sandbox.fetch('https://api.linear.app/oauth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect([json.status, await json.json()]).toMatchObject([400, { error: 'invalid_request' }]);
  });

  it('issues an app a 30-day token without a refresh token', async () => {
    const { client_id, client_secret } = sandbox.vendors.linear.credentials.oauth;
    const { body } = await send({ grant_type: 'client_credentials', scope: 'read', client_id, client_secret });
    expect(body).toMatchObject({ expires_in: 30 * 86_400, scope: 'read' });
    expect(body).not.toHaveProperty('refresh_token');
    const app = createRequester(sandbox, `Bearer ${body.access_token}`);
    const answer = await app('mutation { issueUpdate(id: "ENG-1", input: { title: "x" }) { success } }');
    expect(answer.errors?.[0]?.extensions.type).toBe('forbidden');
  });
});

describe('faults at the token endpoint', () => {
  it('use the OAuth format and can lose a response after the token was exchanged', async () => {
    const first = sandbox.vendors.linear.credentials.oauth.refresh_token;
    sandbox.faults.add({ kind: 'expired_token', path: '/oauth/token' });
    expect(await refresh(first)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    sandbox.faults.add({ kind: '500', path: '/oauth/token', applied: true });
    expect(await refresh(first)).toMatchObject({ status: 500, body: { error: 'server_error' } });
    sandbox.clock.advance(31 * minute);
    expect((await refresh(first)).body.error).toBe('invalid_grant');
  });
});

describe('revoking tokens', () => {
  it('expires every access token immediately but keeps refresh tokens', async () => {
    const { access_token } = sandbox.vendors.linear.credentials.access_token;
    const first = await refresh(sandbox.vendors.linear.credentials.oauth.refresh_token);
    sandbox.expireTokens();
    expect(await works(access_token)).toBe(false);
    expect(await works(first.body.access_token)).toBe(false);
    expect((await refresh(first.body.refresh_token)).status).toBe(200);
  });

  it("revokes one token through the vendor's own endpoint or revoke", async () => {
    const { access_token } = sandbox.vendors.linear.credentials.access_token;
    expect((await send({ token: access_token }, 'revoke')).status).toBe(200);
    expect(await works(access_token)).toBe(false);
    expect((await send({ token: access_token }, 'revoke')).status).toBe(400);
    const { refresh_token } = sandbox.vendors.linear.credentials.oauth;
    sandbox.revoke(refresh_token);
    expect((await refresh(refresh_token)).body.error).toBe('invalid_grant');
  });
});
