import { describe, expect, test } from 'vitest';
import { connectorOnSandbox } from './setup.js';

describe('a service account', () => {
  test('sees what has been shared with its address, and what is its own', async () => {
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

  test('has one token for all calls at the same time, and another when that has ended', async () => {
    const { drive, sandbox } = connectorOnSandbox({ mode: 'service_account' });
    const tokens = () => sandbox.requests.filter(({ path }) => path.endsWith('/token')).length;
    await Promise.all(Array.from({ length: 10 }, () => drive.about.get()));
    expect(tokens()).toBe(1);
    sandbox.expireTokens();
    await drive.about.get();
    expect(tokens()).toBe(2);
  });

  test('acts for the user named by subject, and sees what that user sees', async () => {
    const { drive, sandbox } = connectorOnSandbox({ mode: 'delegated' });
    const { subject } = sandbox.vendors['google-drive'].credentials.delegated;
    expect((await drive.about.get()).data.user).toMatchObject({ emailAddress: subject });
    const own = await connectorOnSandbox().drive.files.list({ pageSize: 1000 });
    expect((await drive.files.list({ pageSize: 1000 })).data).toHaveLength(own.data.length);
  });
});
