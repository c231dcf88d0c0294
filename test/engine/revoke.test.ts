import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { GranolaConnector } from 'agent-connectors/granola';
import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { failure } from '../failure.js';
import { fakeFetch, json } from './fake-fetch.js';

describe('revoke', () => {
  it('permanently revokes the refresh token at Google', async () => {
    const { fetch, vendors } = createSandbox();
    const { oauth: credentials } = vendors['google-drive'].credentials;
    expect(await new GoogleDriveConnector({ credentials, fetch }).revoke()).toBe(true);
    const error = await failure(new GoogleDriveConnector({ credentials, fetch }).about.get({}));
    expect([error.code, error.vendor?.code]).toEqual(['invalid_credentials', 'invalid_grant']);
  });

  it('works with Linear', async () => {
    const { fetch, vendors } = createSandbox();
    const { oauth: credentials } = vendors.linear.credentials;
    const linear = new LinearConnector({ credentials, fetch });
    expect(await linear.revoke()).toBe(true);
    const error = await failure(new LinearConnector({ credentials, fetch }).teams.list());
    expect(error.code).toBe('invalid_credentials');
  });

  it('returns true for a token that Google has already revoked, but fails if a vendor merely rejects it', async () => {
    const { fetch, vendors } = createSandbox();
    const drive = new GoogleDriveConnector({ credentials: vendors['google-drive'].credentials.oauth, fetch });
    expect([await drive.revoke(), await drive.revoke()]).toEqual([true, true]);
    // Linear responds with 400 whatever the reason.
    const linear = new LinearConnector({ credentials: vendors.linear.credentials.oauth, fetch });
    await linear.revoke();
    const error = await failure(linear.revoke());
    expect([error.code, error.status, error.retryable]).toEqual(['invalid_credentials', 400, false]);
  });

  it('returns false if the vendor has no revocation endpoint', async () => {
    const { fetch, vendors } = createSandbox();
    const granola = new GranolaConnector({ credentials: vendors.granola.credentials.api_key, fetch });
    expect(await granola.revoke()).toBe(false);
    expect(await new GranolaConnector({}).revoke()).toBe(false);
  });

  it('fails without revealing the token if the vendor fails', async () => {
    const credentials = { client_id: 'c', client_secret: 's3cret-of-client', refresh_token: 'r3fresh-t0ken' };
    const { fetch } = fakeFetch(() => json({ error: 'r3fresh-t0ken broke us' }, 503));
    const error = await failure(new GoogleDriveConnector({ credentials, fetch }).revoke());
    expect([error.code, error.retryable]).toEqual(['vendor_error', true]);
    expect(JSON.stringify(error) + error.stack).not.toContain('r3fresh-t0ken');
  });
});
