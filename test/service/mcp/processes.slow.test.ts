import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createSandbox } from 'agent-connectors-sandbox';
import { createService, type Service } from 'agent-connectors-service';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf } from '../../mcp/setup.js';
import { tenantOf } from '../http/setup.js';
import { newKey } from '../keys.js';
import { newFolder } from '../state/fixtures.js';
import { initialize, mainWorkspaceHeaders } from './setup.js';

test('a session from another process is rejected as unknown, but any process responds to requests without a session', async () => {
  const { fetch, vendors } = createSandbox({ seed: 7, scale: 0.2 });
  const options = { dataFolder: newFolder(), key: newKey(), replicate: false, fetch };
  const [first, second] = [await createService(options), await createService(options)];
  onTestFinished(async () => {
    await first.close();
    await second.close();
  });
  const { token, connect } = await tenantOf(first, 'Acme');
  await connect('linear', vendors.linear.credentials.api_key);
  const post = (service: Service, message: object, session?: string) =>
    service.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          ...mainWorkspaceHeaders,
          accept: 'application/json, text/event-stream',
          ...(session !== undefined && { 'mcp-session-id': session }),
        },
        body: JSON.stringify(message),
      }),
    );
  const begin = async (service: Service) => (await post(service, initialize)).headers.get('mcp-session-id')!;
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
  const session = await begin(first);
  expect((await post(first, list, session)).status).toBe(200);
  // Streamable HTTP: a client that receives a 404 must start a new session.
  const unknown = await post(second, list, session);
  expect([unknown.status, await unknown.json()]).toEqual([
    404,
    expect.objectContaining({ error: { code: -32001, message: 'Session not found' } }),
  ]);
  expect((await post(second, list, await begin(second))).status).toBe(200);
  expect((await post(first, list, session)).status).toBe(200);
  // The 2026 protocol has no sessions; requests alternate between the processes.
  const answered = [0, 0];
  let turn = 0;
  const balanced: typeof globalThis.fetch = (input, init) => {
    turn = 1 - turn;
    answered[turn]! += 1;
    return [first, second][turn]!.fetch(new Request(input, init));
  };
  const client = clientOf('modern');
  onTestFinished(() => client.close());
  const headers = { authorization: `Bearer ${token}`, ...mainWorkspaceHeaders };
  const address = new URL('http://localhost/mcp');
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers }, fetch: balanced }));
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  expect(Math.min(...answered)).toBeGreaterThanOrEqual(1);
});
