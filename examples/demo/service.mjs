import { GongConnector } from 'agent-connectors/gong';
import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { GranolaConnector } from 'agent-connectors/granola';
import { AgentConnectors } from 'agent-connectors/hosted';
import { LinearConnector } from 'agent-connectors/linear';
import { serve } from 'agent-connectors-service';
import { tourReplica } from './replica.mjs';
import { show } from './show.mjs';

/**
 * The same connectors in a service: created, called and searched over HTTP.
 *
 * @param {import('agent-connectors-sandbox/server').SandboxServer} server
 */
export async function tourService(server) {
  const names = /** @type {const} */ (['linear', 'granola', 'google-drive', 'google-analytics', 'gong']);
  const service = await serve({
    dev: true,
    port: 0,
    endpoints: Object.fromEntries(names.map((name) => [name, `${server.url}/${name}`])),
  });
  const { id: organization } = await service.state.organizations.create('Demo');
  await service.state.workspaces.create(organization, 'default');
  const { client, secret } = await service.state.clients.create('demo', [organization]);
  const connectors = new AgentConnectors({ baseUrl: service.url, clientId: client.id, clientSecret: secret });
  console.log(`\nThe service at ${service.url}, with a client id and secret in place of five credentials\n`);

  await tourReplica(server, connectors);

  const property_id = server.sandbox.vendors['google-analytics'].properties.website;
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
    'search over all connectors: "who answers for the retries"',
    () => connectors.search({ prompt: 'who answers for the retries of bank feeds', limit: 3, context_size: 120 }),
    ({ data }) =>
      data
        .map(
          ({ connector, metadata }) =>
            `\n    ${connector.name}: ${metadata.context.replaceAll(/\s+/g, ' ').slice(0, 200)}`,
        )
        .join(''),
  );
  await service.close();
}
