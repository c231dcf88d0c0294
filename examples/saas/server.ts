/** Starts the product, configured by the environment. */
import { readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { createApp } from './app.js';
import { StoredConnectorIds } from './connector-ids.js';

function read(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set.`);
  return value;
}

const origin = process.env.ORIGIN ?? 'http://localhost:3000';
const app = createApp({
  origin,
  users: JSON.parse(read('USERS')),
  service: {
    baseUrl: read('AGENT_CONNECTORS_BASE_URL'),
    clientId: read('AGENT_CONNECTORS_CLIENT_ID'),
    clientSecret: read('AGENT_CONNECTORS_CLIENT_SECRET'),
  },
  connectKey: read('CONNECT_KEY'),
  webhookSecret: read('WEBHOOK_SECRET'),
  connectorIds: new StoredConnectorIds(process.env.CONNECTOR_IDS ?? 'connector-ids.json'),
  notify: ({ type, data }) => console.log(`Webhook: ${type} ${data.connector_id ?? ''}`),
});

// Works without a bundler: the page's import map points to the second file.
const scripts = { '/page.js': './page.js', '/connect.js': 'agent-connectors/connect' };
for (const [path, name] of Object.entries(scripts)) {
  const script = readFileSync(new URL(import.meta.resolve(name)), 'utf8');
  app.get(path, (c) => c.body(script, 200, { 'content-type': 'text/javascript; charset=utf-8' }));
}

serve({ fetch: app.fetch, hostname: 'localhost', port: Number(new URL(origin).port) }, () => {
  console.log(`Lantern is running at ${origin}`);
});
