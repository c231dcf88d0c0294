import { generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { noon } from '../requester.js';
import { assertionFor, type Changes, exchange, fixedSandbox, scopes, tokenAddress } from './requester.js';

const sandbox = fixedSandbox();
const analytics = sandbox.vendors['google-analytics'].credentials;
const drive = sandbox.vendors['google-drive'].credentials;
const key = analytics.service_account.credentials_json;
const now = noon / 1000;
const signed = async (changes: Changes) => exchange(sandbox, await assertionFor(key, changes));
const between = (iat: number, exp: number) => ({ claims: { iat: now + iat, exp: now + exp } });

describe('a key file', () => {
  it("has all fields of Google's own key files", () => {
    expect(Object.keys(JSON.parse(key))).toEqual(
      ['type', 'project_id', 'private_key_id', 'private_key', 'client_email', 'client_id', 'auth_uri'].concat([
        'token_uri',
        'auth_provider_x509_cert_url',
        'client_x509_cert_url',
        'universe_domain',
      ]),
    );
    expect(JSON.parse(key)).toMatchObject({ type: 'service_account', token_uri: tokenAddress });
  });

  it('differs for every account', () => {
    const files = [
      analytics.service_account,
      analytics.service_account_no_access,
      drive.service_account,
      drive.delegated,
    ];
    const named = files.map(({ credentials_json }) => JSON.parse(credentials_json));
    expect(new Set(named.map(({ client_email }) => client_email)).size).toBe(4);
    expect(new Set(named.map(({ private_key_id }) => private_key_id)).size).toBe(4);
  });
});

describe('an assertion', () => {
  it('is exchanged for an access token without a refresh token', async () => {
    expect(await signed({})).toEqual({
      status: 200,
      json: { access_token: expect.stringMatching(/^ya29\.c\./), expires_in: 3599, token_type: 'Bearer' },
    });
  });

  it('does not require a kid', async () => {
    expect((await signed({ header: { kid: undefined } })).status).toBe(200);
  });

  it.each<[string, Changes]>([
    ['five minutes ahead', between(299, 3899)],
    ['an hour ago', between(-3600, 0)],
    ['for a minute only', between(0, 60)],
  ])('is accepted if created %s', async (_, changes) => {
    expect((await signed(changes)).json).toHaveProperty('access_token');
  });

  it.each<[string, Changes]>([
    ['ten minutes ahead', between(600, 4200)],
    ['two hours ago', between(-7200, -3600)],
    ['for longer than an hour', between(-30, 3571)],
    ['to end before it starts', between(-30, -60)],
    ['without a time', { claims: { iat: undefined } as any }],
  ])('is rejected if created %s', async (_, changes) => {
    expect(await signed(changes)).toEqual({
      status: 400,
      json: {
        error: 'invalid_grant',
        error_description: expect.stringContaining('Invalid JWT: Token must be a short-lived token (60 minutes)'),
      },
    });
  });

  it.each([`${tokenAddress}/`, 'https://www.googleapis.com/oauth2/v4/token', 'https://analyticsdata.googleapis.com/'])(
    'is rejected if intended for %s',
    async (aud) => {
      expect(await signed({ claims: { aud } })).toEqual({
        status: 400,
        json: { error: 'invalid_grant', error_description: 'Invalid JWT: Failed audience check.' },
      });
    },
  );

  it("must be signed with the account's own key and the only supported algorithm", async () => {
    const wrong = { status: 400, json: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } };
    const { client_email: iss } = JSON.parse(key);
    const claims = { iss, scope: scopes.analytics, aud: tokenAddress, iat: now, exp: now + 3600 };
    const { privateKey } = await generateKeyPair('RS256');
    const foreign = await new SignJWT(claims).setProtectedHeader({ alg: 'RS256' }).sign(privateKey);
    expect(await exchange(sandbox, foreign)).toEqual(wrong);
    const secret = new TextEncoder().encode('a secret that is long enough for it');
    const other = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(secret);
    expect(await exchange(sandbox, other)).toEqual(wrong);
    expect(await signed({ header: { kid: 'a-key-that-was-deleted' } })).toEqual(wrong);
    const [header, , signature] = (await assertionFor(key)).split('.');
    const forged = btoa(JSON.stringify({ ...claims, scope: 'more' })).replace(/=+$/, '');
    expect(await exchange(sandbox, `${header}.${forged}.${signature}`)).toEqual(wrong);
  });

  it('must come from an existing account', async () => {
    expect(await signed({ claims: { iss: 'nobody@fernhill-sandbox.iam.gserviceaccount.com' } })).toEqual({
      status: 400,
      json: { error: 'invalid_grant', error_description: 'Invalid grant: account not found' },
    });
  });

  it.each(['nonsense', 'a.b.c', '..', 'eyJhbGciOiJSUzI1NiJ9.W10.AAAA'])('cannot be %s', async (text) => {
    expect(await exchange(sandbox, text)).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
  });

  it('must specify a scope, and is not exchanged for an access token if the scope is unknown', async () => {
    for (const scope of ['', undefined]) {
      expect(await signed({ claims: { scope } })).toMatchObject({ status: 400, json: { error: 'invalid_scope' } });
    }
    const { status, json } = await signed({ claims: { scope: 'https://www.googleapis.com/auth/analytics.readonyl' } });
    expect(status).toBe(200);
    expect(json).toEqual({ id_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) });
  });
});

describe('delegation', () => {
  const { credentials_json, subject } = drive.delegated;
  const about = async (file: string, claims: Changes['claims']) => {
    const { json } = await exchange(sandbox, await assertionFor(file, { claims: { scope: scopes.drive, ...claims } }));
    if (json.error) return json;
    const response = await sandbox.fetch('https://www.googleapis.com/drive/v3/about?fields=user(emailAddress)', {
      headers: { authorization: `Bearer ${json.access_token}` },
    });
    return ((await response.json()) as any).user.emailAddress;
  };

  it("works for the company's users if an administrator has allowed it", async () => {
    expect(await about(credentials_json, { sub: subject })).toBe('ines.carvalho@fernhill.example');
    expect(await about(credentials_json, { sub: 'tomas.aguirre@fernhill.example' })).toBe(
      'tomas.aguirre@fernhill.example',
    );
    expect(await about(credentials_json, {})).toBe(JSON.parse(credentials_json).client_email);
  });

  it('does not work for other users', async () => {
    expect(await about(credentials_json, { sub: 'nobody@fernhill.example' })).toEqual({
      error: 'invalid_grant',
      error_description: 'Invalid email or User ID',
    });
    expect(await about(drive.service_account.credentials_json, { sub: subject })).toMatchObject({
      error: 'unauthorized_client',
    });
  });
});

describe('a service account in Drive', () => {
  it('sees its own files and the shared drive it belongs to', async () => {
    const token = await exchange(
      sandbox,
      await assertionFor(drive.service_account.credentials_json, { claims: { scope: scopes.drive } }),
    );
    const list = async (more = '') => {
      const response = await sandbox.fetch(`https://www.googleapis.com/drive/v3/files?pageSize=1000${more}`, {
        headers: { authorization: `Bearer ${token.json.access_token}` },
      });
      return ((await response.json()) as any).files.map(({ name }: any) => name);
    };
    expect(await list()).toEqual(['nightly-report.csv']);
    const everywhere = await list('&supportsAllDrives=true&includeItemsFromAllDrives=true');
    expect(everywhere).toEqual(expect.arrayContaining(['nightly-report.csv', 'Runbooks']));
    expect(everywhere).not.toContain('Brand guide.pdf');
    expect(everywhere).not.toContain('Kick-off notes');
  });
});
