import { GranolaConnector } from 'agent-connectors/granola';
import { LinearConnector } from 'agent-connectors/linear';
import { mcpHandler } from 'agent-connectors/mcp';

const linear = new LinearConnector({ credentials: { api_key: process.env.LINEAR_API_KEY ?? '' } });
const granola = new GranolaConnector({ credentials: { api_key: process.env.GRANOLA_API_KEY ?? '' } });

const users = new Map([['a-long-random-token', { id: 'u1' }]]); // your database
const userOf = (request: Request) => users.get(request.headers.get('authorization')?.replace('Bearer ', '') ?? '');

export const handle = mcpHandler(
  async (request) => {
    const user = userOf(request);
    if (!user) return new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer' } });
    return { principal: user.id, connectors: { linear, granola } };
  },
  { allowedOrigins: ['app.example.com'] },
);
