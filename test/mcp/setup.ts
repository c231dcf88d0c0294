import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { InMemoryTransport, type McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { connectors } from 'agent-connectors';
import { createMcpServer, type McpOptions } from 'agent-connectors/mcp';
import type { ToolConnector, ToolConnectors } from 'agent-connectors/tools';
import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';

/** Protocol eras that a client can choose from. */
export const eras = ['legacy', 'modern'] as const;
export type Era = (typeof eras)[number];

const version = '2026-07-28';

/** A client for one era. */
export const clientOf = (era: Era, options: ClientOptions = {}): Client => {
  const negotiation: ClientOptions = era === 'modern' ? { versionNegotiation: { mode: { pin: version } } } : {};
  return new Client({ name: 'test', version: '1.0.0' }, { ...options, ...negotiation });
};

/** A client connected to a server with these connectors, as if over stdio. */
export async function connectClient(
  connectors: ToolConnectors,
  options: McpOptions = {},
  era: Era = 'modern',
  clientOptions: ClientOptions = {},
): Promise<Client> {
  const made: McpServer[] = [];
  const [near, far] = InMemoryTransport.createLinkedPair();
  serveStdio(
    () => {
      const server = createMcpServer(connectors, options);
      made.push(server);
      return server;
    },
    { transport: far },
  );
  const client = clientOf(era, clientOptions);
  await client.connect(near);
  return client;
}

/** All five connectors on one sandbox. */
export async function allConnectors(sandbox: Sandbox = createSandbox({ seed: 7 })): Promise<ToolConnector[]> {
  const made = Object.entries(connectors).map(async ([type, load]) => {
    const Class = (await load()) as unknown as new (options: object) => ToolConnector;
    const { credentials } = sandbox.vendors[type as keyof Sandbox['vendors']];
    return new Class({ fetch: sandbox.fetch, credentials: Object.values(credentials as object)[0] });
  });
  return Promise.all(made);
}

/** The text in a tool's result. */
export const textOf = (result: { readonly content?: unknown }): string =>
  (result.content as Array<{ type: string; text?: string }>).map(({ text = '' }) => text).join('');

/** The lists a client was notified of, and the tools it then read. */
export function listChanges() {
  const heard: Record<'tools' | 'prompts' | 'resources', unknown[]> = { tools: [], prompts: [], resources: [] };
  const listen = (kind: keyof typeof heard) => ({
    debounceMs: 0,
    onChanged: (error: Error | null, items: unknown) => void heard[kind].push(error ?? items),
  });
  const listChanged = { tools: listen('tools'), prompts: listen('prompts'), resources: listen('resources') };
  return { heard, options: { listChanged } as ClientOptions };
}
