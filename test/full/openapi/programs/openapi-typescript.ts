import createClient from 'openapi-fetch';
import type { paths } from './generated.js';
import { report, settings } from './settings.js';

const { url, clientId, clientSecret, connectorId } = settings;
const anyone = createClient<paths>({ baseUrl: url });
const signedIn = await anyone.POST('/api/v1/account/applications/token', {
  body: { client_id: clientId, client_secret: clientSecret },
});
const token = signedIn.data?.access_token;
const client = createClient<paths>({ baseUrl: url, headers: { authorization: `Bearer ${token}` } });
const path = { id: connectorId };
const execute = (action: string, params: Record<string, unknown>) =>
  client.POST('/api/v1/integrations/connectors/{id}/execute', {
    params: { path },
    body: { entity: 'issues', action, params },
  });
const listed = await execute('list', { first: 3 });
const refused = await execute('create', { title: 'Sign-in fails' });
const found = await client.POST('/api/v1/workspaces/{name}/search', {
  params: { path: { name: 'main' } },
  body: { prompt: 'sign-in' },
});
report({
  count: listed.data && 'result' in listed.data ? (listed.data.result as unknown[]).length : undefined,
  message: refused.error?.errors[0]?.message,
  cursor: found.data?.meta.cursor,
});
