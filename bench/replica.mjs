import { setTimeout as sleep } from 'node:timers/promises';
import { createService } from 'agent-connectors-service';

/**
 * Options for a connector that searches an in-memory service with a replica of Linear's issues.
 *
 * @param {import('agent-connectors-sandbox').Sandbox} sandbox
 */
export async function replicaOf({ fetch, vendors }) {
  const service = await createService({ dataFolder: ':memory:', dev: true, fetch });
  const { id: organization } = await service.state.organizations.create('bench');
  await service.state.workspaces.create(organization, 'default');
  const { client, secret } = await service.state.clients.create('bench', [organization]);
  const baseUrl = 'http://127.0.0.1:1';
  /** @param {string} path @param {object} json @param {string} [token] */
  const post = async (path, json, token) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    const request = new Request(baseUrl + path, { method: 'POST', headers, body: JSON.stringify(json) });
    return (await service.fetch(request)).json();
  };
  const { access_token } = await post('/api/v1/account/applications/token', {
    client_id: client.id,
    client_secret: secret,
  });
  const connector = {
    workspace_name: 'default',
    connector_type: 'linear',
    name: 'issues',
    credentials: vendors.linear.credentials.api_key,
    replication_config: { entities: ['issues'] },
  };
  const { id } = await post('/api/v1/integrations/connectors', connector, access_token);
  const search = { entity: 'issues', action: 'context_store_search', params: { query: {}, limit: 1 } };
  for (;;) {
    const { result } = await post(`/api/v1/integrations/connectors/${id}/execute`, search, access_token);
    if (result?.meta.readiness.ready_for_search) break;
    await sleep(200);
  }
  return {
    close: () => service.close(),
    hosted: { baseUrl, clientId: client.id, clientSecret: secret, connectorId: id },
    /** @param {string | URL | Request} input @param {RequestInit} [init] */
    fetch: (input, init) => {
      const request = new Request(input, init);
      return request.url.startsWith(baseUrl) ? service.fetch(request) : fetch(request);
    },
  };
}
