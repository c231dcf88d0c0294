import { expect, test } from 'vitest';
import { initialize, mainWorkspaceHeaders, startMcpService } from './setup.js';

test('a message above 1 MiB is parsed elsewhere and handled like a short one', { timeout: 60_000 }, async () => {
  const { tenant, post } = await startMcpService();
  const { token } = await tenant();
  const headers = { authorization: `Bearer ${token}`, ...mainWorkspaceHeaders };
  const clientInfo = { name: 'long', version: 'é'.repeat(2 ** 20) };
  const response = await post({ ...initialize, params: { ...initialize.params, clientInfo } }, headers);
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('"serverInfo"');
  const session = { ...headers, 'mcp-session-id': response.headers.get('mcp-session-id')! };
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping', params: { _meta: { text: 'é'.repeat(2 ** 20) } } };
  const pong = await post(ping, session);
  expect([pong.status, await pong.text()]).toEqual([200, expect.stringContaining('"result":{}')]);
  const call = {
    name: 'execute',
    arguments: { connector: 'linear', entity: 'teams', action: 'list', params: { nonsense: 'é'.repeat(2 ** 20) } },
  };
  const invalid = await post({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: call }, session);
  expect(await invalid.text()).toContain('nonsense is unknown');
});
