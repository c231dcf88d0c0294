import { expect, test } from 'vitest';
import { startTestService } from './setup.js';

// URL parsers resolve both, even if they are percent-encoded, so no path can contain them.
test.each(['.', '..', ' .. '])('a workspace cannot be called %j, whichever route creates it', async (name) => {
  const acme = await (await startTestService()).tenant();
  const answers = [
    await acme.ask('POST', '/api/v1/workspaces', { json: { name } }),
    await acme.ask('POST', '/api/v1/account/applications/scoped-token', { json: { workspace_name: name } }),
  ];
  expect(answers.map(({ status, body }) => [status, body.errors?.[0].field])).toEqual([
    [422, 'name'],
    [422, 'workspace_name'],
  ]);
  expect((await acme.ask('GET', '/api/v1/workspaces')).body.data).toHaveLength(1);
});

test('a workspace from an earlier release with such a name stays usable', async () => {
  const { service, sandbox, tenant } = await startTestService();
  const acme = await tenant();
  await service.state.workspaces.create(acme.organizationId, '..');
  const { api_key } = sandbox.vendors.linear.credentials;
  const id = await acme.connect('linear', api_key, { workspace_name: '..' });
  const token = await acme.ask('POST', '/api/v1/account/applications/scoped-token', { json: { workspace_name: '..' } });
  const headers = { authorization: `Bearer ${token.body.token}` };
  const listed = await acme.ask('GET', '/api/v1/integrations/connectors?workspace_name=..', { headers });
  expect(listed.body.data).toMatchObject([{ id, workspace_name: '..' }]);
});

test('a name may otherwise contain dots', async () => {
  const acme = await (await startTestService()).tenant();
  for (const name of ['...', 'a.b', '.hidden']) {
    expect((await acme.ask('POST', '/api/v1/workspaces', { json: { name } })).status).toBe(200);
    expect((await acme.ask('DELETE', `/api/v1/workspaces/${encodeURIComponent(name)}`)).status).toBe(200);
  }
});
