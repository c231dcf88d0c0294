import { createSandbox } from 'agent-connectors-sandbox';
import { expect, test } from 'vitest';
import { deferred } from '../../deferred.js';
import { eras } from '../../mcp/setup.js';
import { execute, initialize, mainWorkspaceHeaders, startMcpService } from './setup.js';

test.each(eras)('stopping lets a %s-era call finish, and does not wait for idle streams', async (era) => {
  const sandbox = createSandbox({ seed: 7, scale: 0.2 });
  const [asked, release] = [deferred(), deferred()];
  const { server, tenant, connect, post } = await startMcpService({
    fetch: async (input, init) => {
      asked.resolve();
      await release.promise;
      return sandbox.fetch(input, init);
    },
  });
  const acme = await tenant();
  const client = await connect(acme.token, mainWorkspaceHeaders, era);
  const call = client.callTool(execute({ entity: 'teams', action: 'list' }));
  await asked.promise;
  const authorization = `Bearer ${acme.token}`;
  const session = (await post(initialize, { authorization, ...mainWorkspaceHeaders })).headers.get('mcp-session-id')!;
  const standing = await fetch(`${server.url}/mcp`, {
    headers: { authorization, ...mainWorkspaceHeaders, accept: 'text/event-stream', 'mcp-session-id': session },
  });
  expect([standing.status, standing.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const started = performance.now();
  const closing = server.close();
  await standing.text();
  await expect(post(initialize, { authorization, ...mainWorkspaceHeaders })).rejects.toThrow();
  release.resolve();
  expect((await call).isError).not.toBe(true);
  await closing;
  // Waiting for idle streams would take this long.
  expect(performance.now() - started).toBeLessThan(10_000);
});

test('a closed service responds with 503 and says that the request can be retried', async () => {
  const { server, tenant } = await startMcpService();
  const { token } = await tenant();
  const closing = server.close();
  const request = new Request('http://service.test/mcp', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, ...mainWorkspaceHeaders, 'content-type': 'application/json' },
    body: JSON.stringify(initialize),
  });
  const refused = await server.fetch(request);
  expect([refused.status, await refused.json()]).toEqual([503, expect.objectContaining({ retryable: true })]);
  await closing;
});
