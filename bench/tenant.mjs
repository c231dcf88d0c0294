/** A tenant of a service of any build, for benchmarks over HTTP. */

/** Creates an organization with a `default` workspace, and returns the credentials of a client. */
export async function createClient({ organizations, workspaces, clients }) {
  const { id: organization } = await organizations.create('bench');
  await workspaces.create(organization, 'default');
  const { client, secret } = await clients.create('bench', [organization]);
  return { client_id: client.id, client_secret: secret };
}

/** Sends a request and returns the response's JSON. */
export async function post({ url }, path, body, token) {
  const response = await fetch(`${url}/api/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  return response.json();
}

/** A token for a client. */
export const signIn = async (service, credentials) =>
  (await post(service, 'account/applications/token', credentials)).access_token;

/** Creates a Linear connector and returns its id. */
export async function createConnector(service, token, api_key, more = {}) {
  const connector = { connector_type: 'linear', workspace_name: 'default', name: 'bench', credentials: { api_key } };
  const { id } = await post(service, 'integrations/connectors', { ...connector, ...more }, token);
  if (!id) throw new Error('The connector was not created.');
  return id;
}
