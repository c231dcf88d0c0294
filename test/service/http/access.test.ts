import { createSandbox } from 'agent-connectors-sandbox';
import { expect, test } from 'vitest';
import { newFolder } from '../state/fixtures.js';
import { connectorPath, createRequester, execute, startTestService } from './setup.js';

/** Two processes with the same data and clock, and a connector that both have used. */
async function twoProcesses() {
  let time = Date.now();
  const sandbox = createSandbox({ seed: 7, scale: 0.2 });
  const options = { dataFolder: newFolder(), now: () => time, sandbox };
  const first = await startTestService(options);
  const second = await startTestService(options);
  const tenant = await first.tenant();
  const { api_key } = sandbox.vendors.linear.credentials;
  const id = await tenant.connect('linear', api_key);
  const processes = {
    same: tenant.ask,
    other: createRequester(second.service, { authorization: `Bearer ${tenant.token}` }),
  };
  const list = (ask = tenant.ask) => execute({ ask }, id, 'issues', 'list', { first: 1 });
  for (const ask of Object.values(processes)) expect((await list(ask)).status).toBe(200);
  /** The response of each process as soon as the change has to be in effect there. */
  const both = async () => {
    const same = await list(processes.same);
    time += 501;
    const other = await list(processes.other);
    return [same, other].map(({ status, body }) => [status, body.code ?? body.status]);
  };
  return { ...tenant, id, state: first.service.state, sandbox, both };
}

test('a deleted client is rejected at once, and by other processes within a second', async () => {
  const { state, clientId, both } = await twoProcesses();
  await state.clients.delete(clientId);
  expect(await both()).toEqual([
    [401, 'unauthorized'],
    [401, 'unauthorized'],
  ]);
});

test('a removed scope is missing at once, and in other processes within a second', async () => {
  const { state, clientId, both } = await twoProcesses();
  await state.clients.setScopes(clientId, ['manage']);
  expect(await both()).toEqual([
    [403, 'forbidden'],
    [403, 'forbidden'],
  ]);
});

test('a policy denies calls at once, and in other processes within a second', async () => {
  const { ask, workspace, both } = await twoProcesses();
  const policy = { workspace_name: workspace, allow: ['users.*'] };
  expect((await ask('PUT', '/api/v1/policies', { json: policy })).status).toBe(200);
  expect(await both()).toEqual([
    [403, 'denied_by_policy'],
    [403, 'denied_by_policy'],
  ]);
});

test('replaced credentials are used at once, and by other processes within a second', async () => {
  const { ask, id, both } = await twoProcesses();
  const json = { credentials: { api_key: 'lin_api_unknown' } };
  expect((await ask('PUT', connectorPath(id), { json })).status).toBe(200);
  const answers = await both();
  expect(answers).toEqual([answers[0], answers[0]]);
  expect(answers[0]).toEqual([424, 'unauthorized']);
});

test('a deleted connector is gone at once, and in other processes within a second', async () => {
  const { ask, id, both } = await twoProcesses();
  expect((await ask('DELETE', connectorPath(id))).status).toBe(200);
  expect(await both()).toEqual([
    [404, 'not_found'],
    [404, 'not_found'],
  ]);
});
