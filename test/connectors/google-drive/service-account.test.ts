import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { connectorOnSandbox } from './setup.js';

describe('a service account', () => {
  test('sees its own files and those shared with it', async () => {
    const { drive } = connectorOnSandbox({ mode: 'service_account' });
    expect((await drive.drives.list()).data.map(({ name }) => name)).toEqual(['Engineering']);
    const { data } = await drive.files.list({ pageSize: 1000 });
    const all = await connectorOnSandbox().drive.files.list({ pageSize: 1000 });
    expect(data.length).toBeGreaterThan(0);
    expect(data.length).toBeLessThan(all.data.length);
    expect((await drive.about.get()).data.user).toMatchObject({
      emailAddress: expect.stringMatching(/gserviceaccount\.com$/),
    });
  });

  test('gets one token for all concurrent calls, and another when it expires', async () => {
    const { drive, sandbox } = connectorOnSandbox({ mode: 'service_account' });
    const tokens = () => sandbox.requests.filter(({ path }) => path.endsWith('/token')).length;
    await Promise.all(Array.from({ length: 10 }, () => drive.about.get()));
    expect(tokens()).toBe(1);
    sandbox.expireTokens();
    await drive.about.get();
    expect(tokens()).toBe(2);
  });

  test('acts for the user named by subject and sees what that user sees', async () => {
    const { drive, sandbox } = connectorOnSandbox({ mode: 'delegated' });
    const { subject } = sandbox.vendors['google-drive'].credentials.delegated;
    expect((await drive.about.get()).data.user).toMatchObject({ emailAddress: subject });
    const own = await connectorOnSandbox().drive.files.list({ pageSize: 1000 });
    expect((await drive.files.list({ pageSize: 1000 })).data).toHaveLength(own.data.length);
  });

  test('is denied a scope that the domain has not delegated, and the hint names that scope', async () => {
    const { drive } = connectorOnSandbox({ mode: 'delegated_readonly' });
    const error = await failure(drive.about.get());
    expect(error).toMatchObject({ code: 'invalid_credentials', vendor: { code: 'unauthorized_client' } });
    expect(error.hint).toContain('https://www.googleapis.com/auth/drive ');
    expect(error.hint).toContain('client_id');
  });

  test('requests drive.readonly if the connector is read-only', async () => {
    const { drive, sandbox } = connectorOnSandbox({ mode: 'delegated_readonly', readOnly: true });
    const { subject } = sandbox.vendors['google-drive'].credentials.delegated_readonly;
    expect((await drive.about.get()).data.user).toMatchObject({ emailAddress: subject });
  });

  test.each(['drive.readonly', 'https://www.googleapis.com/auth/drive.readonly', ' drive.readonly, '])(
    'requests the configured scopes: %s',
    async (scopes) => {
      const sandbox = createSandbox({ seed: 7 });
      const { delegated_readonly } = sandbox.vendors['google-drive'].credentials;
      const credentials = { ...delegated_readonly, scopes };
      const drive = new GoogleDriveConnector({ credentials, fetch: sandbox.fetch });
      expect((await drive.files.list({ pageSize: 1 })).data).toHaveLength(1);
      expect((await failure(drive.files.create({ name: 'x' }))).code).toBe('scope_missing');
    },
  );
});
