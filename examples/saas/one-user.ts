/** The smallest product: one user who is always signed in, in place of your sign-in, pages and database. */
import { readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { csrf } from 'hono/csrf';
import { html } from 'hono/html';
import { accountRoutes } from './account-routes.js';
import { ask, scriptedModel } from './agent.js';
import { accountScopes, createConnections, type Session } from './connections.js';
import { StoredConnectorIds } from './connector-ids.js';
import { receiveWebhooks } from './webhooks.js';

function read(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set.`);
  return value;
}

const origin = 'http://localhost:3000';
const session: Session = { user: { id: '1', email: 'ada@example.com' } };
const connections = createConnections({
  origin,
  connectKey: read('CONNECT_KEY'),
  connectorIds: new StoredConnectorIds('connector-ids.json'),
  service: {
    baseUrl: read('AGENT_CONNECTORS_BASE_URL'),
    clientId: read('AGENT_CONNECTORS_CLIENT_ID'),
    clientSecret: read('AGENT_CONNECTORS_CLIENT_SECRET'),
  },
});

const page = (body: unknown) => html`<!doctype html>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width" />
<title>Lantern</title>
<script type="importmap">{ "imports": { "agent-connectors/connect": "/connect.js" } }</script>
<script type="module" src="/page.js"></script>
<p id="alert" role="alert"></p>
${body}`;

const app = new Hono();
app.use(csrf({ origin }));
app.get('/', async (c) => {
  const { user, notice } = session;
  session.notice = undefined;
  const connectors = await connections.list(user);
  const rows = connectors.map(
    ({ id, name, status }) => html`<li>
      ${name} ${status === 'needs_reauthorization' ? '(needs to be connected again)' : ''}
      <button data-connector-id="${id}">Reconnect</button>
      <form method="post" action="/disconnect"><button name="connector" value="${id}">Disconnect</button></form>
    </li>`,
  );
  const buttons = Object.keys(accountScopes).map((type) => html`<button data-type="${type}">Connect ${type}</button> `);
  const waiting = html`<p id="waiting" hidden>Continue in the other window. <button>Stop waiting</button></p>`;
  const question = html`<form method="post" action="/ask"><input name="question" aria-label="Question" /> <button>Ask</button></form>`;
  return c.html(page(html`<pre role="status">${notice}</pre><ul>${rows}</ul>${buttons}${waiting}${question}`));
});
app.get('/connected', (c) => c.html(page(html`<p>Finishing…</p>`)));
app.route(
  '/',
  accountRoutes(connections, () => session),
);
app.post('/ask', async (c) => {
  const question = String((await c.req.formData()).get('question'));
  const client = await connections.clientOf(session.user, ['read']);
  const connectors = await connections.list(session.user);
  session.notice = await ask(client, connectors, question, scriptedModel(connectors));
  return c.redirect('/', 303);
});
app.route(
  '/',
  receiveWebhooks(read('WEBHOOK_SECRET'), ({ type, data }) =>
    console.log(`Webhook: ${type} ${data.connector_id ?? ''}`),
  ),
);

// Without a bundler: the page's import map points to the second file.
for (const [path, name] of [
  ['/page.js', './page.js'],
  ['/connect.js', 'agent-connectors/connect'],
] as const) {
  const script = readFileSync(new URL(import.meta.resolve(name)), 'utf8');
  app.get(path, (c) => c.body(script, 200, { 'content-type': 'text/javascript; charset=utf-8' }));
}

serve({ fetch: app.fetch, hostname: 'localhost', port: Number(new URL(origin).port) }, () => {
  console.log(`Open ${origin}`);
});
