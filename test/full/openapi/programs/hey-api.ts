import { createClient } from './generated/client/index.js';
import { createToken, execute, searchWorkspace } from './generated/index.js';
import { report, settings } from './settings.js';

const { url, clientId, clientSecret, connectorId } = settings;
const anyone = createClient({ baseUrl: url });
const signedIn = await createToken({ client: anyone, body: { client_id: clientId, client_secret: clientSecret } });
const client = createClient({ baseUrl: url, auth: () => signedIn.data?.access_token });
const call = (action: string, params: Record<string, unknown>) =>
  execute({ client, path: { id: connectorId }, body: { entity: 'issues', action, params } });
const listed = await call('list', { first: 3 });
const refused = await call('create', { title: 'Sign-in fails' });
const found = await searchWorkspace({ client, path: { name: 'main' }, body: { prompt: 'sign-in' } });
report({
  count: listed.data && 'result' in listed.data ? (listed.data.result as unknown[]).length : undefined,
  message: refused.error?.errors[0]?.message,
  cursor: found.data?.meta.cursor,
});
