import { describe, expect, test } from 'vitest';
import { openEndpoint, register, settled, startWebhooks } from '../webhooks.js';
import { tenantOf } from './setup.js';

const hooks = '/api/v1/webhooks';
const credentials = { api_key: 'lin_api_1' };

describe('attacks', () => {
  test('an organization with unresponsive endpoints never takes all slots', async () => {
    const { tenant, service } = await startWebhooks();
    const release: (() => void)[] = [];
    const { url, received } = await openEndpoint(({ type }) =>
      type === 'webhook.test' ? 204 : new Promise((resolve) => release.push(() => resolve(204))),
    );
    for (let count = 0; count < 20; count++) await register(tenant, url);
    await tenant.connect('linear', credentials);
    await expect.poll(() => received.length).toBe(12);
    release.shift()!();
    await expect.poll(() => received.length).toBe(13);
    const other = await tenantOf(service, 'Other');
    const { id } = await register(other, url);
    await other.ask('POST', `${hooks}/${id}/test`);
    await settled(other, id, ['delivered']);
    expect(release).toHaveLength(12);
  });

  test.each([
    'http://hooks.example.com/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://169.254.169.254/latest',
    'https://2130706433/',
    'https://private.example/',
    'https://user:secret@hooks.example.com/',
    'file:///etc/passwd',
  ])('an endpoint on a private address is rejected: %s', async (url) => {
    const address = url.includes('private') ? '10.0.0.1' : '104.18.0.1';
    const { tenant } = await startWebhooks({ allowHosts: [], resolve: async () => [{ address, family: 4 }] });
    const refused = await tenant.ask('POST', hooks, { json: { url } });
    expect([refused.status, refused.body.errors?.[0].field]).toEqual([422, 'url']);
  });

  test('an endpoint on this machine is rejected, with a hint on how to allow it', async () => {
    const { tenant } = await startWebhooks({ allowHosts: [] });
    for (const url of ['http://127.0.0.1:3000/webhooks', 'https://127.0.0.1:3000/webhooks']) {
      const { body } = await tenant.ask('POST', hooks, { json: { url } });
      const hint = 'Use a public https address, or start the service with --allow-host 127.0.0.1.';
      expect(body.hint).toBe(hint);
    }
  });

  test('an endpoint whose name later resolves to a private address is not connected to', async () => {
    let address = '104.18.0.1';
    const { tenant } = await startWebhooks({ allowHosts: [], resolve: async () => [{ address, family: 4 }] });
    const { id } = await register(tenant, 'https://hooks.example.com/');
    address = '127.0.0.1';
    await tenant.ask('POST', `${hooks}/${id}/test`);
    const first = async () => (await tenant.ask('GET', `${hooks}/${id}/deliveries`)).body.data[0];
    await expect.poll(async () => (await first()).error).toContain('resolves to a private or local address');
  });

  test('an organization can have at most 20 endpoints, even if they are created concurrently', async () => {
    let calls = 0;
    let open = () => {};
    const allAsked = new Promise<void>((resolve) => {
      open = resolve;
    });
    const resolve = async () => {
      calls += 1;
      if (calls === 24) open();
      await allAsked;
      return [{ address: '104.18.0.1', family: 4 }];
    };
    const { tenant } = await startWebhooks({ resolve });
    const create = () => tenant.ask('POST', hooks, { json: { url: 'https://hooks.example.com/' } });
    const answers = await Promise.all(Array.from({ length: 24 }, create));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(20).fill(200), ...Array(4).fill(409)]);
  });

  test('an endpoint can have at most 100 pending tests', async () => {
    const { tenant } = await startWebhooks();
    const { id } = await register(tenant, 'http://127.0.0.1:1/');
    await tenant.ask('PUT', `${hooks}/${id}`, { json: { enabled: false } });
    const send = () => tenant.ask('POST', `${hooks}/${id}/test`);
    const answers = await Promise.all(Array.from({ length: 102 }, send));
    expect(answers.filter(({ status }) => status !== 200).map(({ body }) => body.code)).toEqual(
      Array(2).fill('conflict'),
    );
  });

  test('another organization cannot find an endpoint or its deliveries', async () => {
    const { tenant, service } = await startWebhooks();
    const { url, received } = await openEndpoint();
    const { id } = await register(tenant, url);
    const rival = await tenantOf(service, 'Rival');
    await rival.connect('linear', credentials);
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/test'],
      ['POST', '/secret'],
      ['GET', '/deliveries'],
      ['POST', '/deliveries/msg_x/replay'],
    ] as const) {
      const json = method === 'PUT' ? { json: { enabled: false } } : {};
      expect((await rival.ask(method, `${hooks}/${id}${path}`, json)).status, path).toBe(404);
    }
    expect((await rival.ask('GET', hooks)).body.data).toEqual([]);
    await tenant.ask('POST', `${hooks}/${id}/test`);
    await settled(tenant, id, ['delivered']);
    expect(received.map(({ type }) => type)).toEqual(['webhook.test']);
  });

  test('a token without the scope, or limited to a workspace, cannot do anything', async () => {
    const { tenant } = await startWebhooks();
    for (const scopes of [['read', 'write'], ['manage']]) {
      const { body } = await tenant.ask('POST', '/api/v1/account/applications/scoped-token', {
        json: { workspace_name: 'main', scopes },
      });
      const headers = { authorization: `Bearer ${body.token}` };
      expect((await tenant.ask('GET', hooks, { headers })).status).toBe(403);
    }
  });
});
