import { AgentConnectors, verifyConnectResult } from 'agent-connectors/hosted';
import { currentSession } from '../../../lib/session.js';

// Replace with a table of your database: ids of each user's connectors with a verified result.
globalThis.connectorIds ??= new Map();
const idsOf = (user) => globalThis.connectorIds.get(user) ?? new Set();
const scopes = { linear: ['read'], granola: undefined };

/** Connectors of the user's workspace; the service rejects requests for others. */
async function connectorsOf(user) {
  const { AGENT_CONNECTORS_CLIENT_ID: clientId, AGENT_CONNECTORS_CLIENT_SECRET: clientSecret } = process.env;
  const baseUrl = process.env.AGENT_CONNECTORS_BASE_URL;
  const workspace = `user-${user}`;
  const product = new AgentConnectors({ baseUrl, clientId, clientSecret });
  const { token } = await product.scopedToken(workspace, { scopes: ['read', 'manage'] });
  return new AgentConnectors({ baseUrl, token, workspace }).connectors;
}

const handler = (handle) => async (request) => {
  const session = await currentSession();
  return session ? handle(session, request) : new Response('Sign in first.', { status: 401 });
};

export const GET = handler(async ({ user }) => {
  const own = (await (await connectorsOf(user)).list()).data.filter(({ id }) => idsOf(user).has(id));
  return Response.json(own.map(({ id, name, status, connector_type: type }) => ({ id, type, name, status })));
});

export const POST = handler(async (session, request) => {
  const { type } = await request.json();
  if (!Object.hasOwn(scopes, type)) return new Response('Unknown account type.', { status: 400 });
  const [state, returnUrl] = [crypto.randomUUID(), `${process.env.ORIGIN}/connected`];
  const setup = { type, scopes: scopes[type], state, returnUrl, user: session.user, brand: { name: 'Lantern' } };
  const { url, id, nonce } = await (await connectorsOf(session.user)).setup(setup);
  session.pending = { id, state, nonce };
  return Response.json({ url, nonce });
});

export const PUT = handler(async (session, request) => {
  const { address } = await request.json();
  const expected = { key: process.env.CONNECT_KEY, state: '', nonce: '', ...session.pending };
  session.pending = undefined;
  const result = await verifyConnectResult(address, expected).catch(() => undefined);
  if (!result) return new Response('This result is not valid. Connect again.', { status: 403 });
  if (result.connectorId) globalThis.connectorIds.set(session.user, idsOf(session.user).add(result.connectorId));
  return Response.json({ status: result.status });
});

export const DELETE = handler(async ({ user }, request) => {
  const id = new URL(request.url).searchParams.get('id');
  if (!idsOf(user).delete(id)) return new Response('Account not found.', { status: 404 });
  await (await connectorsOf(user)).delete(id);
  return new Response();
});
