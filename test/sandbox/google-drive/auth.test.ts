import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { noon } from '../requester.js';
import { createFinder, createRequester, jsonRequest, list, readReply, tokenOf } from './requester.js';

const fresh = () => createSandbox({ now: () => noon });
const token = (sandbox: ReturnType<typeof fresh>, fields: Record<string, string>, init: RequestInit = {}) =>
  sandbox
    .fetch('https://oauth2.googleapis.com/token', { method: 'POST', body: new URLSearchParams(fields), ...init })
    .then(readReply);

describe('the token endpoint', () => {
  it('issues an access token valid for 3599 seconds and keeps the refresh token', async () => {
    const sandbox = fresh();
    const fields = { ...sandbox.vendors['google-drive'].credentials.oauth, grant_type: 'refresh_token' };
    const first = await token(sandbox, fields);
    expect(first.status).toBe(200);
    expect(first.json).toEqual({
      access_token: expect.stringMatching(/^ya29\./),
      expires_in: 3599,
      scope: 'https://www.googleapis.com/auth/drive',
      token_type: 'Bearer',
    });
    const second = await token(sandbox, fields);
    expect(second.json.access_token).not.toBe(first.json.access_token);
    const ask = createRequester(sandbox, first.json.access_token);
    expect((await ask('/drive/v3/files')).status).toBe(200);
    sandbox.clock.advance(3_599_000);
    expect((await ask('/drive/v3/files')).status).toBe(401);
  });

  it.each([
    [{ refresh_token: 'no such' }, 400, 'invalid_grant'],
    [{ refresh_token: '' }, 400, 'invalid_request'],
    [{ client_id: 'no such' }, 401, 'invalid_client'],
    [{ client_secret: 'wrong' }, 401, 'invalid_client'],
    [{ grant_type: 'password' }, 400, 'unsupported_grant_type'],
  ])('rejects %j with %i %s', async (wrong, status, error) => {
    const sandbox = fresh();
    const good = { ...sandbox.vendors['google-drive'].credentials.oauth, grant_type: 'refresh_token' };
    const answer = await token(sandbox, { ...good, ...wrong });
    expect([answer.status, answer.json.error]).toEqual([status, error]);
    expect(answer.json.error_description).toEqual(expect.any(String));
  });

  it('rejects a revoked refresh token and also accepts client credentials in an Authorization header', async () => {
    const sandbox = fresh();
    const { client_id, client_secret, refresh_token } = sandbox.vendors['google-drive'].credentials.oauth;
    const headers = { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` };
    const fields = { grant_type: 'refresh_token', refresh_token };
    expect((await token(sandbox, fields, { headers })).status).toBe(200);
    sandbox.revoke(refresh_token);
    const refused = await token(sandbox, fields, { headers });
    expect(refused.json).toEqual({ error: 'invalid_grant', error_description: 'Token has been expired or revoked.' });
  });
});

describe('credentials', () => {
  it('return 401 if invalid; if missing, 403 for reads and 401 for writes', async () => {
    const sandbox = fresh();
    const bad = await createRequester(sandbox, 'nobody')('/drive/v3/files');
    expect(bad.status).toBe(401);
    expect(bad.json.error).toMatchObject({
      code: 401,
      status: 'UNAUTHENTICATED',
      errors: [
        {
          message: 'Invalid Credentials',
          domain: 'global',
          reason: 'authError',
          location: 'Authorization',
          locationType: 'header',
        },
      ],
    });
    expect(bad.headers.get('www-authenticate')).toContain('invalid_token');
    const none = await sandbox.fetch('https://www.googleapis.com/drive/v3/files').then(readReply);
    expect(none.json.error).toMatchObject({ code: 403, status: 'PERMISSION_DENIED' });
    const writing = await sandbox
      .fetch('https://www.googleapis.com/drive/v3/files', { method: 'POST' })
      .then(readReply);
    expect([writing.status, writing.reason]).toEqual([401, 'required']);
  });

  it('are expired by expireTokens, or for one request by a fault', async () => {
    const sandbox = fresh();
    const ask = createRequester(sandbox);
    sandbox.faults.add({ kind: 'expired_token' });
    expect((await ask('/drive/v3/files')).status).toBe(401);
    expect((await ask('/drive/v3/files')).status).toBe(200);
    sandbox.expireTokens();
    expect((await ask('/drive/v3/files')).status).toBe(401);
    expect((await createRequester(sandbox, await tokenOf(sandbox, 'oauth'))('/drive/v3/files')).status).toBe(200);
  });

  it('with metadata_readonly can read names, but not content, comments or drives, and cannot write', async () => {
    const sandbox = fresh();
    const id = await createFinder(createRequester(sandbox))('rates.json');
    const ask = createRequester(sandbox, await tokenOf(sandbox, 'metadata_readonly'));
    expect((await ask(`/drive/v3/files/${id}`)).json.name).toBe('rates.json');
    for (const path of [
      `/drive/v3/files/${id}?alt=media`,
      `/drive/v3/files/${id}/comments?fields=*`,
      '/drive/v3/drives',
      `/drive/v3/files/${id}/export?mimeType=text/plain`,
    ]) {
      const refused = await ask(path);
      expect([refused.status, refused.reason], path).toEqual([403, 'insufficientPermissions']);
      expect(refused.json.error.details[0].reason).toBe('ACCESS_TOKEN_SCOPE_INSUFFICIENT');
    }
    expect((await ask('/drive/v3/files', jsonRequest('POST', { name: 'x' }))).reason).toBe('insufficientPermissions');
    expect((await ask('/drive/v3/about?fields=user')).status).toBe(200);
  });

  it('with drive_file can access only files that the application created or opened, and get 404 for all others', async () => {
    const sandbox = fresh();
    const other = await createFinder(createRequester(sandbox))('rates.json');
    const ask = createRequester(sandbox, await tokenOf(sandbox, 'drive_file'));
    const before = (await ask(list({ fields: 'files(name,isAppAuthorized)' }))).json.files;
    expect(before.map(({ name }: any) => name).sort()).toEqual([
      'Board minutes.pdf',
      'Currency rounding',
      'config.yaml',
    ]);
    expect((await ask(`/drive/v3/files/${other}`)).json.error.errors[0]).toMatchObject({
      reason: 'notFound',
      message: `File not found: ${other}.`,
      location: 'fileId',
    });
    const made = await ask('/drive/v3/files', jsonRequest('POST', { name: 'mine.txt' }));
    expect((await ask(`/drive/v3/files/${made.json.id}`)).status).toBe(200);
    expect((await ask('/drive/v3/files')).json.files).toHaveLength(before.length + 1);
  });

  it('of an administrator belong to a different user with separate files', async () => {
    const sandbox = fresh();
    const ask = createRequester(sandbox, await tokenOf(sandbox, 'administrator'));
    expect((await ask('/drive/v3/about?fields=user(emailAddress,me)')).json.user).toEqual({
      me: true,
      emailAddress: 'tomas.aguirre@fernhill.example',
    });
    const q = "'me' in owners and mimeType = 'application/vnd.google-apps.document'";
    expect((await ask(list({ q }))).json.files.map(({ name }: any) => name).sort()).toEqual([
      'Hiring plan',
      'Ledger rewrite',
      'On-call guide',
    ]);
  });

  it('do not appear in the log', async () => {
    const sandbox = fresh();
    const access = await tokenOf(sandbox, 'oauth');
    await createRequester(sandbox, access)('/drive/v3/files');
    expect(sandbox.requests).toMatchObject([
      { vendor: 'google-drive', path: '/token', body: { client_secret: '<secret>', refresh_token: '<secret>' } },
      { path: '/drive/v3/files', credential: 'oauth', headers: { authorization: 'Bearer <oauth>' } },
    ]);
    expect(JSON.stringify(sandbox.requests)).not.toContain(access);
  });
});
