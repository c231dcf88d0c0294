import { describe, expect, it } from 'vitest';
import { assertionFor, exchange, fixedSandbox, scopes } from './requester.js';

const refresh = (credentials: object) => ({ ...credentials, grant_type: 'refresh_token' });
const statuses = async (sandbox: ReturnType<typeof fixedSandbox>, token: string) => {
  const headers = { authorization: `Bearer ${token}` };
  const drive = await sandbox.fetch('https://www.googleapis.com/drive/v3/files', { headers });
  const { website } = sandbox.vendors['google-analytics'].properties;
  const address = `https://analyticsdata.googleapis.com/v1beta/properties/${website}/metadata`;
  return [drive.status, (await sandbox.fetch(address, { headers })).status];
};

describe('the token endpoint', () => {
  const places = [
    'https://oauth2.googleapis.com/token',
    'http://localhost:4010/google-drive/token',
    'http://localhost:4010/google-analytics/token',
  ];

  it.each(places)('issues tokens for both products at %s', async (address) => {
    const sandbox = fixedSandbox();
    const { 'google-drive': drive, 'google-analytics': analytics } = sandbox.vendors;
    const ofDrive = await exchange(sandbox, refresh(drive.credentials.oauth), address);
    const ofAnalytics = await exchange(sandbox, refresh(analytics.credentials.oauth), address);
    expect(await statuses(sandbox, ofDrive.json.access_token)).toEqual([200, 403]);
    expect(await statuses(sandbox, ofAnalytics.json.access_token)).toEqual([403, 200]);
    const assertion = await assertionFor(analytics.credentials.service_account.credentials_json, {
      claims: { scope: `${scopes.drive} ${scopes.analytics}` },
    });
    expect(await statuses(sandbox, (await exchange(sandbox, assertion, address)).json.access_token)).toEqual([
      200, 200,
    ]);
  });

  it('logs its requests under one vendor, without secrets', async () => {
    const sandbox = fixedSandbox();
    const { oauth, service_account } = sandbox.vendors['google-analytics'].credentials;
    const assertion = await assertionFor(service_account.credentials_json);
    for (const place of places) await exchange(sandbox, assertion, place);
    await sandbox.fetch(places[0]!, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(refresh(oauth)),
    });
    expect(sandbox.requests.map(({ vendor, path, status }) => [vendor, path, status])).toEqual([
      ['google-drive', '/token', 200],
      ['google-drive', '/token', 200],
      ['google-analytics', '/token', 200],
      ['google-drive', '/token', 200],
    ]);
    const recorded = JSON.stringify(sandbox.requests);
    for (const secret of [assertion, oauth.refresh_token, oauth.client_secret]) expect(recorded).not.toContain(secret);
    expect(sandbox.requests[0]?.body).toMatchObject({ assertion: '<secret>' });
  });

  it('only responds to POST', async () => {
    const response = await fixedSandbox().fetch('https://analyticsdata.googleapis.com/token');
    expect(response.status).toBe(404);
  });
});

describe('the state', () => {
  const grant = async (sandbox: ReturnType<typeof fixedSandbox>) => {
    const { service_account } = sandbox.vendors['google-analytics'].credentials;
    return (await exchange(sandbox, await assertionFor(service_account.credentials_json))).json.access_token as string;
  };

  it('expires the tokens of both products together', async () => {
    const sandbox = fixedSandbox();
    const { access_token } = sandbox.vendors['google-drive'].credentials.access_token;
    const token = await grant(sandbox);
    expect(await statuses(sandbox, token)).toEqual([403, 200]);
    sandbox.expireTokens();
    expect(await statuses(sandbox, token)).toEqual([401, 401]);
    expect(await statuses(sandbox, access_token)).toEqual([401, 401]);
    expect(await statuses(sandbox, await grant(sandbox))).toEqual([403, 200]);
    sandbox.clock.advance(3_599_000);
    const { oauth } = sandbox.vendors['google-drive'].credentials;
    const { json } = await exchange(sandbox, refresh(oauth));
    expect(await statuses(sandbox, json.access_token)).toEqual([200, 403]);
    sandbox.clock.advance(3_599_000);
    expect(await statuses(sandbox, json.access_token)).toEqual([401, 401]);
  });

  it('revokes a single credential of either kind', async () => {
    const sandbox = fixedSandbox();
    const { oauth, service_account } = sandbox.vendors['google-analytics'].credentials;
    sandbox.revoke(oauth.refresh_token);
    expect(await exchange(sandbox, refresh(oauth))).toMatchObject({
      status: 400,
      json: { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' },
    });
    sandbox.revoke(service_account.credentials_json);
    expect(await exchange(sandbox, await assertionFor(service_account.credentials_json))).toMatchObject({
      json: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' },
    });
    const { vendors } = sandbox.dump() as { vendors: Record<string, unknown> };
    expect(JSON.stringify(vendors['google-analytics'])).not.toContain('PRIVATE KEY');
    sandbox.reset();
    expect((await exchange(sandbox, refresh(oauth))).status).toBe(200);
    expect(await statuses(sandbox, await grant(sandbox))).toEqual([403, 200]);
  });

  it('is included in the dump and restored by a reset', async () => {
    const sandbox = fixedSandbox();
    const before = sandbox.dump();
    const token = await grant(sandbox);
    const other = fixedSandbox();
    other.load(JSON.parse(JSON.stringify(sandbox.dump())));
    expect(other.dump()).toEqual(sandbox.dump());
    expect(await statuses(other, token)).toEqual([403, 200]);
    expect(await grant(other)).toBe(await grant(sandbox));
    other.reset();
    expect(other.dump()).toEqual(before);
    expect(await statuses(other, token)).toEqual([401, 401]);
  });
});
