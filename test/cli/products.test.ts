import { expect, test } from 'vitest';
import { linearKey, runCommand, startTestService } from './session.js';

const { env, fetch } = await startTestService();
const run = (words: string, argument?: object) =>
  runCommand([...words.split(' '), ...(argument ? [JSON.stringify(argument)] : [])], { env, fetch });

test('sets up a product and starts a session on the command line', async () => {
  const origins = ['https://app.example.com'];
  expect((await run('connect origins', { origins })).json).toEqual({ return_origins: origins, has_key: false });
  expect((await run('connect key')).json.key).toMatch(/^acck_/);
  expect((await run('connect origins')).json).toEqual({ return_origins: origins, has_key: true });
  const session = await run('connect session', {
    workspace: 'user-7',
    connector_type: 'linear',
    methods: ['api_key'],
    brand: { name: 'Lantern' },
    return_url: 'https://app.example.com/connected',
    state: 'state-0123456789',
  });
  expect(session.json).toMatchObject({ url: expect.stringContaining('/setup/'), nonce: expect.any(String) });
  const common = {
    connector_type: 'gong',
    methods: ['access_key'],
    brand: { name: 'Lantern' },
    user: 'ada@example.com',
    return_url: 'https://app.example.com/connected',
    state: 'state-0123456789',
    locale: 'de',
    expires_in: 60,
    name: 'Calls',
    any_account: true,
    settings: { includePrivate: true },
  };
  for (const replicate of [true, false, 'ask', { interval: '6h' }]) {
    const { json, error } = await run('connect session', { workspace_name: 'user-8', replicate, ...common });
    expect(json?.url, error?.message).toContain('/setup/');
  }
});

test('removes all origins, after which no session can start', async () => {
  await run('connect origins', { origins: ['https://app.example.com'] });
  expect((await run('connect origins', { origins: [] })).json).toMatchObject({ return_origins: [] });
  expect((await run('connect origins')).json).toMatchObject({ return_origins: [] });
  const session = await run('connect session', {
    workspace: 'user-7',
    connector_type: 'linear',
    methods: ['api_key'],
    brand: { name: 'Lantern' },
    return_url: 'https://app.example.com/connected',
    state: 'state-0123456789',
  });
  expect(session.error?.message).toContain('not registered');
  expect((await run('webhooks create', { url: 'https://hooks.example.com/', events: [] })).error?.message).toBe(
    'In the argument, events must be a non-empty array of strings.',
  );
});

test('registers, tests, changes and deletes webhooks on the command line', async () => {
  const { json: made } = await run('webhooks create', { url: 'https://hooks.example.com/' });
  expect(made.secret).toMatch(/^whsec_/);
  const { id } = made;
  expect((await run('webhooks list')).json.data).toHaveLength(1);
  const { json: sent } = await run('webhooks test', { id });
  expect([sent.status, sent.next_attempt_at]).toEqual(['pending', sent.created_at]);
  expect((await run('webhooks deliveries', { id })).json.data[0].id).toBe(sent.id);
  expect((await run('webhooks replay', { id, delivery_id: sent.id })).json.id).toBe(sent.id);
  const account = { name: 'issues', connector_type: 'linear', credentials: { api_key: linearKey } };
  const input = JSON.stringify(account);
  const { json: connector } = await runCommand(['connectors', 'create', '-'], { env, fetch, input });
  const { out } = await run('webhooks deliveries --pretty', { id });
  expect(out).toMatch(/^id +event +status +(response_status +)?connector_id/);
  expect(out).toMatch(new RegExp(`msg_.* connector.connected .*${connector.id}`));
  expect((await run('webhooks secret', { id, overlap_seconds: 60 })).json.secret).not.toBe(made.secret);
  expect((await run('webhooks update', { id, enabled: false })).json.enabled).toBe(false);
  expect((await run('webhooks delete', { id })).json).toEqual({ id, deleted: true });
  expect((await run('webhooks test')).error.message).toContain('Pass the endpoint’s id');
});
