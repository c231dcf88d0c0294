/** The smallest product: one user, who is always signed in. Replace this with your sign-in, pages and database. */
import { readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { csrf } from 'hono/csrf';
import { html } from 'hono/html';
import { accountRoutes } from './account-routes.js';
import { accountScopes, createConnections, type Session } from './connections.js';
import { receiveWebhooks } from './webhooks.js';

function read(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set.`);
  return value;
}

const origin = 'http://localhost:3000';
const session: Session = { user: { id: '1', email: 'ada@example.com' } };
const refused = new Set<string>();
const connections = createConnections({
  ...{ origin, refused, connectKey: read('CONNECT_KEY'), connectorIds: new Map() },
  service: {
    baseUrl: read('AGENT_CONNECTORS_BASE_URL'),
    clientId: read('AGENT_CONNECTORS_CLIENT_ID'),
    clientSecret: read('AGENT_CONNECTORS_CLIENT_SECRET'),
  },
});

const page = (body: unknown) => html`<!doctype html>
<meta charset="utf-8" />
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
    ({ id, name }) => html`<li>
      ${name} ${refused.has(id) ? '(needs to be connected again)' : ''}
      <button data-connector-id="${id}">Reconnect</button>
      <form method="post" action="/disconnect"><button name="connector" value="${id}">Disconnect</button></form>
    </li>`,
  );
  const buttons = Object.keys(accountScopes).map((type) => html`<button data-type="${type}">Connect ${type}</button> `);
  const waiting = html`<p id="waiting" hidden>Continue in the other window. <button>Stop waiting</button></p>`;
  return c.html(page(html`<p role="status">${notice}</p><ul>${rows}</ul>${buttons}${waiting}`));
});
app.get('/connected', (c) => c.html(page(html`<p>Finishing…</p>`)));
app.route(
  '/',
  accountRoutes(connections, () => session),
);
app.route('/', receiveWebhooks(read('WEBHOOK_SECRET'), refused));

// Works without a bundler: the page's import map points to the second file.
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
