import { describe, expect, test } from 'vitest';
import { execute, startTestService, type Tenant } from './setup.js';

const gongKey = { access_key: 'a', access_key_secret: 'b' };

describe('a base_url', () => {
  const gong = (acme: Tenant, base_url: string) =>
    acme.ask('POST', '/api/v1/integrations/connectors', {
      json: { workspace_name: 'main', connector_type: 'gong', credentials: { ...gongKey, base_url } },
    });

  test.each(['https://us-1.api.gong.io', 'us-1.api.gong.io', 'https://us-1.api.gong.io/v2', 'https://api.gong.io'])(
    'at the vendor is accepted: %s',
    async (address) => {
      expect((await gong(await (await startTestService()).tenant(), address)).status).toBe(200);
    },
  );

  test.each([
    'https://gong.io.evil.example',
    'https://evilgong.io',
    'https://us-1.app.gong.io',
    'https://127.0.0.1',
    'http://localhost:4020',
    'https://[::1]/',
    'https://169.254.169.254/latest',
    'https://us-1.api.gong.io@evil.example',
    'http://us-1.api.gong.io',
    'https://user:word@us-1.api.gong.io',
    'file:///etc/passwd',
    'javascript:0',
    '',
    'https://',
  ])('on another host is rejected: %s', async (address) => {
    const refused = await gong(await (await startTestService()).tenant(), address);
    expect([refused.status, refused.body.code]).toEqual([422, 'invalid_credentials']);
    expect(refused.body.hint).toMatch(/Settings > API in Gong, such as https:\/\/.*--allow-host <host>\.$/);
    expect(refused.body.errors[0].field).toBe('credentials.base_url');
  });

  test('on a host that the operator allows is accepted and receives the requests', async () => {
    const asked: string[] = [];
    const acme = await (
      await startTestService({
        allowHosts: ['gong.proxy.example'],
        fetch: async (input) => {
          asked.push(String(input));
          return Response.json({ requestId: 'r', users: [], records: {} });
        },
      })
    ).tenant();
    const made = await gong(acme, 'https://gong.proxy.example/eu');
    expect(made.status).toBe(200);
    expect((await execute(acme, made.body.id, 'users', 'list')).body.result).toEqual([]);
    expect(asked).toEqual(['https://gong.proxy.example/eu/v2/users']);
    expect((await gong(acme, 'https://other.proxy.example')).status).toBe(422);
    // Linear uses the same URL for all customers, so it accepts no base_url.
    const linear = { api_key: 'lin_api_x', base_url: 'https://gong.proxy.example' };
    const refused = await acme.ask('POST', '/api/v1/integrations/connectors', {
      json: { workspace_name: 'main', connector_type: 'linear', credentials: linear },
    });
    expect([refused.status, refused.body.code]).toEqual([422, 'invalid_credentials']);
  });
});
