// One of the servers that bench/service.mjs and bench/mcp.mjs measure: the service, or a bare Hono route around the
// library. Answers each message with its CPU time.
import { once } from 'node:events';
import { createAdaptorServer } from '@hono/node-server';
import { LinearConnector } from 'agent-connectors/linear';
import { serve } from 'agent-connectors-service';
import { Hono } from 'hono';

const [, , kind = '', vendor = '', api_key = ''] = process.argv;

async function startService() {
  // The default limit is below the benchmark's rate.
  const limits = { rate: 0 };
  const service = await serve({ dataFolder: ':memory:', dev: true, port: 0, endpoints: { linear: vendor }, limits });
  const { id: organization } = await service.state.organizations.create('bench');
  await service.state.workspaces.create(organization, 'default');
  const { client, secret } = await service.state.clients.create('bench', [organization]);
  return { url: service.url, clientId: client.id, clientSecret: secret };
}

async function startBare() {
  const linear = new LinearConnector({ credentials: { api_key }, endpoints: vendor });
  const app = new Hono();
  app.post('/execute', async (context) => {
    const { entity, action, params } = await context.req.json();
    return context.json(await linear.execute(entity, action, params));
  });
  const server = createAdaptorServer({ fetch: app.fetch });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}` };
}

process.send?.(await (kind === 'service' ? startService() : startBare()));
process.on('message', () => process.send?.(process.cpuUsage()));
process.on('disconnect', () => process.exit());
