import { LinearConnector } from 'agent-connectors/linear';
import { createAgentTools } from 'agent-connectors/tools';
import { createSandbox } from 'agent-connectors-sandbox';
import { createService } from 'agent-connectors-service';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hostedLinear, successReply } from './double.js';

async function onService() {
  const sandbox = createSandbox({ seed: 7, scale: 0.1 });
  const service = await createService({ dataFolder: ':memory:', dev: true, fetch: sandbox.fetch, replicate: false });
  onTestFinished(() => service.close());
  const organization = await service.state.organizations.create('Acme');
  const workspace = await service.state.workspaces.create(organization.id, 'default');
  const { client, secret } = await service.state.clients.create('program', [organization.id]);
  const credentials = sandbox.vendors.linear.credentials.api_key;
  await service.state.connectors.create(
    { organizationId: organization.id },
    { workspaceId: workspace.id, name: 'Issues', type: 'linear', replicationConfig: null, settings: {}, credentials },
  );
  const fetch: typeof globalThis.fetch = (input, init) =>
    new URL(String(input)).host === 'service.test'
      ? service.fetch(new Request(input, init))
      : sandbox.fetch(input, init);
  const hosted = { baseUrl: 'https://service.test', clientId: client.id, clientSecret: secret };
  return { fetch, hosted, credentials };
}

describe('inspect', () => {
  test("reports a hosted connector's search readiness", async () => {
    const { fetch, hosted } = await onService();
    const inspected = await new LinearConnector({ hosted, fetch }).inspect();
    expect(inspected.mode).toBe('hosted');
    expect(inspected.context_store_readiness?.entities[0]).toMatchObject({ entity: 'issues', ready_for_search: false });
  });

  test("reports local mode with credentials, and the service's readiness", async () => {
    const { fetch, hosted, credentials } = await onService();
    const inspected = await new LinearConnector({ credentials, hosted, fetch }).inspect();
    expect([inspected.mode, inspected.context_store_readiness?.entities.length]).toEqual(['local', 6]);
  });

  test('reports that nothing can be searched without a service', async () => {
    const inspected = await new LinearConnector({ credentials: { api_key: 'k' } }).inspect();
    expect(inspected).toMatchObject({ mode: 'local', context_store_readiness: null });
    expect(inspected.warnings).toHaveLength(1);
  });

  test('returns what the agent tool shows', async () => {
    const { fetch, hosted } = await onService();
    const [inspect] = createAgentTools(new LinearConnector({ hosted, fetch }));
    const { text } = await inspect.run({});
    expect(text).toContain('hosted');
    expect(text).toContain('not_configured');
  });
});

test('the intent of a call reaches the service', async () => {
  const { linear, executed } = hostedLinear({ execute: () => successReply([]) });
  await linear.issues.list({}, { intent: 'weekly report' });
  expect(executed[0]?.json.intent).toBe('weekly report');
  await expect(linear.issues.list({}, { intent: 'x'.repeat(513) })).rejects.toThrow('up to 512 characters');
});
