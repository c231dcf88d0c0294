import { GranolaConnector } from 'agent-connectors/granola';
import { LinearConnector } from 'agent-connectors/linear';
import { serveStdio } from 'agent-connectors/mcp';

const linear = new LinearConnector({ credentials: { api_key: process.env.LINEAR_API_KEY ?? '' } });
const granola = new GranolaConnector({ credentials: { api_key: process.env.GRANOLA_API_KEY ?? '' } });

const server = await serveStdio([linear, granola], {
  allowWrites: true,
  allow: ['*.list', '*.get', 'issues.create'],
  onCall: ({ connector, entity, action, durationMs, outcome }) =>
    console.error(connector, entity, action, durationMs, outcome),
});
await server.closed;
