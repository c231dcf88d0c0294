import { createToken, execute, searchWorkspace } from './generated.js';
import { report, settings } from './settings.js';

const { clientId, clientSecret, connectorId } = settings;
const signedIn = await createToken({ client_id: clientId, client_secret: clientSecret });
const token = signedIn.status === 200 ? signedIn.data.access_token : undefined;
const options = { headers: { authorization: `Bearer ${token}` } };
const call = (action: string, params: Record<string, unknown>) =>
  execute(connectorId, { entity: 'issues', action, params }, options);
const listed = await call('list', { first: 3 });
const refused = await call('create', { title: 'Sign-in fails' });
const found = await searchWorkspace('main', { prompt: 'sign-in' }, options);
report({
  count: listed.status === 200 && 'result' in listed.data ? (listed.data.result as unknown[]).length : undefined,
  message: refused.status === 422 ? refused.data.errors[0]?.message : undefined,
  cursor: found.status === 200 ? found.data.meta.cursor : undefined,
});
