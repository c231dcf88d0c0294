import { createSandbox } from 'agent-connectors-sandbox';
import { createService } from 'agent-connectors-service';
import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

/** A service for the examples, with or without replication, and the environment they read. */
async function startService(replicate: boolean, sandbox = createSandbox({ seed: 1 })) {
  const service = await createService({ dataFolder: ':memory:', dev: true, fetch: sandbox.fetch, replicate });
  const { id } = await service.state.organizations.create('Acme');
  await service.state.workspaces.create(id, 'default');
  const { client, secret } = await service.state.clients.create('example', [id]);
  const { linear, gong, 'google-drive': drive } = sandbox.vendors;
  for (const [name, value] of Object.entries({
    AGENT_CONNECTORS_BASE_URL: 'https://service.test',
    AGENT_CONNECTORS_CLIENT_ID: client.id,
    AGENT_CONNECTORS_CLIENT_SECRET: secret,
    AGENT_CONNECTORS_WORKSPACE: '',
    AGENT_CONNECTORS_ORGANIZATION_ID: '',
    LINEAR_API_KEY: linear.credentials.api_key.api_key,
    GONG_ACCESS_KEY: gong.credentials.basic.access_key,
    GONG_ACCESS_KEY_SECRET: gong.credentials.basic.access_key_secret,
    GOOGLE_CREDENTIALS_JSON: drive.credentials.service_account.credentials_json,
  })) {
    vi.stubEnv(name, value);
  }
  vi.stubGlobal('fetch', (input: string, init?: RequestInit) =>
    new URL(input).host === 'service.test' ? service.fetch(new Request(input, init)) : sandbox.fetch(input, init),
  );
  const printed: unknown[][] = [];
  vi.spyOn(console, 'log').mockImplementation((...words) => void printed.push(words));
  // Modules that the service loads at startup must already be loaded when the module cache is reset.
  await service.fetch(new Request('https://service.test/health'));
  vi.resetModules();
  return { service, id, printed };
}

test('hosted creates a connector, reads through the service, and searches there', async () => {
  const { service, id, printed } = await startService(false);
  await import('../../examples/hosted.js');
  expect(printed[0]).toEqual(['succeeded']);
  expect(printed[1]![0]).toHaveLength(5);
  // Nothing is replicated in this test, so both searches find nothing.
  expect([printed[2], printed[3]]).toEqual([[[]], [[]]]);
  expect(printed[4]).toMatchObject([{ ready_for_search: false }]);
  expect(printed[5]).toMatchObject([4, 0, { readiness: { ready_for_search: false } }]);
  expect(printed.length).toBeGreaterThan(6);
  expect((await service.state.connectors.list({ organizationId: id }, { limit: 9 })).rows).toEqual([]);
  await service.close();
});

test('answers questions by searching issues, calls and documents', async () => {
  const { service } = await startService(true, createSandbox({ seed: 1, scale: 0.1 }));
  const { tools } = await import('../../examples/guides/questions.js');
  const search = tools.find(({ name }) => name === 'search')!;
  for (const connector of ['issues', 'calls', 'documents']) {
    const titles = async () => {
      const { data } = await search.run({ prompt: 'What do customers ask for?', connectors: [connector] });
      return (data as { hits: { title: string | null }[] }).hits.map(({ title }) => title);
    };
    await expect.poll(titles, { timeout: 60_000, interval: 200 }).toContainEqual(expect.stringMatching(/\w/));
  }
  await service.close();
});
