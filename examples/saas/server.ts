/** Starts the product with settings from the environment. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { createApp } from './app.js';

function read(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set.`);
  return value;
}

/** Persists across restarts; use your database instead. */
class StoredMap extends Map<string, readonly string[]> {
  override set(id: string, connectorIds: readonly string[]): this {
    super.set(id, connectorIds);
    writeFileSync(file, JSON.stringify([...this]));
    return this;
  }
}

const file = process.env.CONNECTOR_IDS ?? 'connector-ids.json';
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
  connectorIds: new StoredMap(existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []),
});

// Works without a bundler: the page's import map points to the second file.
const scripts = { '/page.js': './page.js', '/connect.js': 'agent-connectors/connect' };
for (const [path, name] of Object.entries(scripts)) {
  const script = readFileSync(new URL(import.meta.resolve(name)), 'utf8');
  app.get(path, (c) => c.body(script, 200, { 'content-type': 'text/javascript; charset=utf-8' }));
}

serve({ fetch: app.fetch, hostname: 'localhost', port: Number(new URL(origin).port) }, () => {
  console.log(`Lantern is at ${origin}`);
});
