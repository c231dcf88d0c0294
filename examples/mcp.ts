import { GranolaConnector } from 'agent-connectors/granola';
import { LinearConnector } from 'agent-connectors/linear';

const linear = new LinearConnector({ credentials: { api_key: process.env.LINEAR_API_KEY ?? '' } });
const granola = new GranolaConnector({ credentials: { api_key: process.env.GRANOLA_API_KEY ?? '' } });
const userOf = async (request: Request) => (request.headers.has('authorization') ? { id: 'u1' } : undefined);

// #region stdio
import { serveStdio } from 'agent-connectors/mcp';

const server = await serveStdio([linear, granola], {
  allowWrites: true,
  allow: ['*.list', '*.get', 'issues.create'],
  onCall: ({ connector, entity, action, durationMs, outcome }) =>
    console.error(connector, entity, action, durationMs, outcome),
});
await server.closed;

// #endregion

// #region http
import { mcpHandler } from 'agent-connectors/mcp';

export const handle = mcpHandler(
  async (request) => {
    const user = await userOf(request);
    if (!user) return new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer' } });
    return { principal: user.id, connectors: { linear, granola } };
  },
  { allowedOrigins: ['app.example.com'] },
);
// #endregion
