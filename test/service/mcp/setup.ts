import { type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';
import type { CreateOptions, RunningService } from 'agent-connectors-service';
import { onTestFinished } from 'vitest';
import { clientOf, type Era } from '../../mcp/setup.js';
import { serveTestService, type Tenant, tenantOf } from '../http/setup.js';

/** Headers of a request to the MCP server. */
type HeaderValues = Readonly<Record<string, string>>;

/** A listening service whose vendors are a sandbox. */
export interface McpService {
  readonly server: RunningService;
  readonly sandbox: Sandbox;
  /** A tenant with a Linear connector in its workspace `main`. */
  tenant(name?: string): Promise<Tenant & { readonly linear: string }>;
  /** A client of the MCP server. */
  connect(
    token: string,
    headers?: HeaderValues,
    era?: Era,
    options?: ClientOptions,
  ): Promise<Awaited<ReturnType<typeof clientAt>>>;
  /** Sends a single message without a client. */
  post(message: unknown, headers?: HeaderValues): Promise<Response>;
}

export const mainWorkspaceHeaders: HeaderValues = { 'x-workspace': 'main' };

export const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

async function clientAt(url: string, headers: HeaderValues, era: Era, options?: ClientOptions) {
  const client = clientOf(era, options);
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp?results=structured`), {
    requestInit: { headers },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return Object.assign(client, { sessionId: () => transport.sessionId });
}

/** Starts the service. */
export async function startMcpService(options: CreateOptions = {}): Promise<McpService> {
  const sandbox = createSandbox({ seed: 7, scale: 0.2 });
  const server = await serveTestService({ fetch: sandbox.fetch, ...options });
  return {
    server,
    sandbox,
    async tenant(name = 'Acme') {
      const tenant = await tenantOf(server, name);
      return { ...tenant, linear: await tenant.connect('linear', sandbox.vendors.linear.credentials.api_key) };
    },
    connect: (token, headers = mainWorkspaceHeaders, era = 'modern', options) =>
      clientAt(server.url, { authorization: `Bearer ${token}`, ...headers }, era, options),
    post: (message, headers = {}) =>
      fetch(`${server.url}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify(message),
      }),
  };
}

/** Calls the read tool. */
export const execute = (args: Readonly<Record<string, unknown>>) => ({ name: 'execute', arguments: args });

/** Calls the write tool. */
export const executeWrite = (args: Readonly<Record<string, unknown>>) => ({ name: 'execute_write', arguments: args });

/** A call that reads from Linear. */
export const teams = { entity: 'teams', action: 'list' };

/** A call that makes an issue in Linear. */
export const create = (teamId: string) => ({
  entity: 'issues',
  action: 'create',
  params: { teamId, title: 'By a client of MCP' },
});

/** The data in a tool's result. */
export const dataOf = (result: { readonly structuredContent?: unknown }) => (result.structuredContent as any).data;
