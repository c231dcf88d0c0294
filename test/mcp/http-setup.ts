import { type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type McpCaller, type McpHandlerOptions, mcpHandler } from 'agent-connectors/mcp';
import type { ToolConnectors } from 'agent-connectors/tools';
import { onTestFinished } from 'vitest';
import { listen } from './loopback.js';
import { clientOf, type Era } from './setup.js';

/** The caller behind each token; a test may change it, and `served` resets it. */
export const callers: Record<string, McpCaller> = {};

/** A handler that identifies its callers by their tokens, on its own server. */
export async function served(connectors: ToolConnectors, options: McpHandlerOptions = {}) {
  for (const name of Object.keys(callers)) delete callers[name];
  for (const name of ['ann', 'bob']) callers[name] = { principal: name, connectors };
  const seen: Request[] = [];
  const handler = mcpHandler((request) => {
    seen.push(request);
    const [, token = ''] = /^Bearer (\w+)-token$/.exec(request.headers.get('authorization') ?? '') ?? [];
    const refusal = { status: 401, headers: { 'www-authenticate': 'Bearer' } };
    return callers[token] ?? new Response('{"message":"Who are you?"}', refusal);
  }, options);
  const server = await listen(handler);
  onTestFinished(() => handler.close());
  onTestFinished(server.close);
  const connect = async (era: Era, name = 'ann', options: ClientOptions = {}, query = '') => {
    const client = clientOf(era, options);
    const headers = { authorization: `Bearer ${name}-token` };
    const transport = new StreamableHTTPClientTransport(new URL(query, server.url), { requestInit: { headers } });
    await client.connect(transport);
    onTestFinished(() => client.close());
    return { client, transport };
  };
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(server.url, {
      method: 'POST',
      headers: {
        authorization: 'Bearer ann-token',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  return { ...server, seen, connect, post };
}

/** Arguments of a call that lists a shelf. */
export const list = { entity: 'things', action: 'list' };

/** Calls the read tool. */
export const execute = (args: Record<string, unknown>) => ({ name: 'execute', arguments: args });

/** The first message of a legacy-era client, for tests without a client. */
export const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};
