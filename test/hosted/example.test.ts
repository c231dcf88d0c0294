import { createSandbox } from 'agent-connectors-sandbox';
import { createService } from 'agent-connectors-service';
import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

test('hosted makes a connector, reads through the service, and searches there', async () => {
  const sandbox = createSandbox({ seed: 1 });
  const service = await createService({ dataFolder: ':memory:', dev: true, fetch: sandbox.fetch, replicate: false });
  const { id } = await service.state.organizations.create('Acme');
  await service.state.workspaces.create(id, 'default');
  const { client, secret } = await service.state.clients.create('example', [id]);
  vi.stubEnv('AGENT_CONNECTORS_BASE_URL', 'https://service.test');
  vi.stubEnv('AGENT_CONNECTORS_CLIENT_ID', client.id);
  vi.stubEnv('AGENT_CONNECTORS_CLIENT_SECRET', secret);
  vi.stubEnv('AGENT_CONNECTORS_WORKSPACE', '');
  vi.stubEnv('AGENT_CONNECTORS_ORGANIZATION_ID', '');
  vi.stubEnv('LINEAR_API_KEY', sandbox.vendors.linear.credentials.api_key.api_key);
  vi.stubGlobal('fetch', (input: string, init?: RequestInit) =>
    new URL(input).host === 'service.test' ? service.fetch(new Request(input, init)) : sandbox.fetch(input, init),
  );
  const printed: unknown[][] = [];
  vi.spyOn(console, 'log').mockImplementation((...words) => void printed.push(words));
  // What the service loads while it opens must be there before modules are forgotten.
  await service.fetch(new Request('https://service.test/health'));
  vi.resetModules();
  await import('../../examples/hosted.js');
  expect(printed[0]).toEqual(['succeeded']);
  expect(printed[1]![0]).toHaveLength(5);
  // Nothing is replicated here: both searches find nothing.
  expect([printed[2], printed[3]]).toEqual([[[]], [[]]]);
  expect(printed[4]).toMatchObject([{ ready_for_search: false }]);
  expect(printed[5]).toMatchObject([4, 0, { readiness: { ready_for_search: false } }]);
  expect(printed.length).toBeGreaterThan(6);
  expect((await service.state.connectors.list({ organizationId: id }, { limit: 9 })).rows).toEqual([]);
  await service.close();
});
