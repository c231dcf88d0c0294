import { AgentConnectors } from 'agent-connectors/hosted';
import { serve as serveService } from 'agent-connectors-service';
import { createSandbox } from '../sandbox.js';
import { serve } from '../server.js';
import { show } from './screen.js';

/** A running service with the emulated company's data. */
interface Company {
  readonly url: string;
  readonly client: AgentConnectors;
  /** A single-use URL that signs in to the console. */
  signInUrl(): Promise<string>;
  close(): Promise<void>;
}

/** A service with the synced issues, calls and documents of the emulated company. */
export async function startCompany({ publicUrl }: { readonly publicUrl?: string } = {}): Promise<Company> {
  const sandbox = createSandbox();
  sandbox.vendors.gong.limits = { requestsPerSecond: Number.POSITIVE_INFINITY };
  const server = await serve({ sandbox });
  const { linear, gong, 'google-drive': drive } = sandbox.vendors;
  const connectors = [
    { connector_type: 'linear', credentials: linear.credentials.api_key, entities: ['issues'] },
    {
      connector_type: 'gong',
      credentials: gong.credentials.basic,
      start_date: new Date(Date.now() - 14 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10),
      entities: ['calls', 'call_transcripts'],
    },
    { connector_type: 'google-drive', credentials: drive.credentials.oauth, entities: ['files'] },
  ];
  const service = await serveService({
    dev: true,
    port: 0,
    publicUrl,
    endpoints: Object.fromEntries(connectors.map(({ connector_type: type }) => [type, `${server.url}/${type}`])),
  });
  const { id: organization } = await service.state.organizations.create('Demo');
  await service.state.workspaces.create(organization, 'default');
  const { client: account, secret } = await service.state.clients.create('demo', [organization]);
  const client = new AgentConnectors({ baseUrl: service.url, clientId: account.id, clientSecret: secret });

  await show(
    'A local service replicates the vendor data for search',
    async () => {
      const made = await Promise.all(
        connectors.map(({ connector_type, credentials, ...replication_config }) =>
          client.connectors.create({ connector_type, name: connector_type, credentials, replication_config }),
        ),
      );
      return replicated(
        client,
        made.map(({ id }) => id),
      );
    },
    (records) => [`${records} records`],
  );
  return {
    url: service.url,
    client,
    signInUrl: async () =>
      `${publicUrl ?? service.url}/console/#link=${await service.state.consoleSessions.createLink(account.id)}`,
    close: async () => {
      await service.close();
      await server.close();
    },
  };
}

/** Waits until all records are synced, and counts them. */
async function replicated(client: AgentConnectors, ids: readonly string[]): Promise<number> {
  for (;;) {
    const inspections = await Promise.all(ids.map((id) => client.connectors.inspect(id)));
    const entities = inspections
      .flatMap(({ context_store_readiness }) => context_store_readiness.entities)
      .filter(({ status }) => status !== 'not_configured');
    const failed = entities.find(({ status }) => status === 'failed');
    if (failed) throw new Error(`${failed.entity}: ${failed.error}`);
    if (entities.every(({ status }) => status === 'ready')) {
      return entities.reduce((sum, { entity_count }) => sum + (entity_count ?? 0), 0);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
