// Makes the service call a vendor whose name resolves to this machine; prints the code of the response.
import { createService } from 'agent-connectors-service';

const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
const service = await createService({ dataFolder: ':memory:', dev: true, replicate: false, resolve });
const { organizations, workspaces, clients } = service.state;
const { id: organization } = await organizations.create('Acme');
await workspaces.create(organization, 'main');
const { client, secret } = await clients.create('program', [organization]);

async function ask(path, json, token) {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const init = { method: 'POST', headers, body: JSON.stringify(json) };
  const response = await service.fetch(new Request(`http://service.test/api/v1${path}`, init));
  return response.json();
}

const { access_token } = await ask('/account/applications/token', { client_id: client.id, client_secret: secret });
const { id } = await ask(
  '/integrations/connectors',
  { workspace_name: 'main', connector_type: 'linear', name: 'Issues', credentials: { api_key: 'lin_api_any' } },
  access_token,
);
const call = { entity: 'issues', action: 'update', params: { id: 'ENG-1', title: 'x' } };
console.log((await ask(`/integrations/connectors/${id}/execute`, call, access_token)).code);
await service.close();
