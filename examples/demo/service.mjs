import { GongConnector } from 'agent-connectors/gong';
import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { GranolaConnector } from 'agent-connectors/granola';
import { AgentConnectors } from 'agent-connectors/hosted';
import { LinearConnector } from 'agent-connectors/linear';
import { serve } from 'agent-connectors-service';
import { show } from './show.mjs';

/**
 * The same connectors held by a service: made, asked and searched over HTTP.
 *
 * @param {import('agent-connectors-sandbox/server').SandboxServer} server
 */
export async function tourService(server) {
  const { vendors } = server.sandbox;
  const names = /** @type {const} */ (['linear', 'granola', 'google-drive', 'google-analytics', 'gong']);
  const service = await serve({
    dev: true,
    port: 0,
    endpoints: Object.fromEntries(names.map((name) => [name, `${server.url}/${name}`])),
  });
  const { id: organization } = service.state.organizations.create('Demo');
  service.state.workspaces.create(organization, 'default');
  const { client, secret } = service.state.clients.create('demo', [organization]);
  const connectors = new AgentConnectors({ baseUrl: service.url, clientId: client.id, clientSecret: secret });
  console.log(`\nThe service at ${service.url}, with a client id and secret in place of five credentials\n`);

  const credentials = {
    linear: vendors.linear.credentials.api_key,
    granola: vendors.granola.credentials.api_key,
    'google-drive': vendors['google-drive'].credentials.oauth,
    'google-analytics': vendors['google-analytics'].credentials.oauth,
    gong: vendors.gong.credentials.basic,
  };
  const property_id = vendors['google-analytics'].properties.website;
  await show(
    'connectors.create({ connector_type, credentials }) × 5',
    () =>
      Promise.all(
        names.map((connector_type) =>
          connectors.connectors.create({
            connector_type,
            credentials: credentials[connector_type],
            ...(connector_type === 'google-analytics' && { replication_config: { property_ids: property_id } }),
          }),
        ),
      ),
    (made) => made.map(({ name }) => name).join(', '),
  );

  const linear = connectors.connect(LinearConnector);
  await show(
    'Linear, hosted: issues.list({ first: 1 })',
    () => linear.issues.list({ first: 1 }),
    ({ data }) => `"${data[0]?.title}"`,
  );
  await show(
    'Granola, hosted: notes.list({ page_size: 1 })',
    () => connectors.connect(GranolaConnector).notes.list({ page_size: 1 }),
    ({ data }) => `"${data[0]?.title}"`,
  );
  await show(
    'Google Drive, hosted: files.list({ pageSize: 3 })',
    () => connectors.connect(GoogleDriveConnector).files.list({ pageSize: 3 }),
    ({ data }) => data.map(({ name }) => name).join(', '),
  );
  await show(
    'Google Analytics, hosted: website_overview.list({ … })',
    () => connectors.connect(GoogleAnalyticsConnector).website_overview.list({ property_id, limit: 1 }),
    ({ meta }) => `${meta.row_count} rows`,
  );
  await show(
    'Gong, hosted: users.list()',
    () => connectors.connect(GongConnector).users.list(),
    ({ data }) => `${data.length} people`,
  );
  await show(
    'issues.context_store_search({ query: {} })',
    () => linear.issues.context_store_search({ query: {} }),
    ({ data, meta }) => `${data.length} issues: ${meta.readiness?.status}`,
  );
  await service.close();
}
