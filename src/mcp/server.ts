import { McpServer } from '@modelcontextprotocol/server';
import type { ToolConnectors } from '../tools/toolset.js';
import { VERSION } from '../version.js';
import { connectorEntries } from './connector-entries.js';
import { registerPrompts } from './prompts.js';
import { cacheHint } from './skills.js';
import { type McpOptions, type Surface, surfaceOf } from './surface.js';
import { registerTools } from './tools.js';

/** Makes an MCP server that offers connectors: three tools, their documentation as resources, and prompts. */
export const createMcpServer = (connectors: ToolConnectors, options?: McpOptions): McpServer =>
  serverOf(surfaceOf(connectorEntries(connectors), options));

const staticList = { listChanged: false };

/** One server of many that offer the same. */
export function serverOf(surface: Surface): McpServer {
  const server = new McpServer(
    { name: 'agent-connectors', title: 'Agent connectors', version: VERSION },
    {
      capabilities: { tools: staticList, resources: staticList, prompts: staticList },
      instructions: instructionsOf(surface),
      cacheHints: {
        'server/discover': cacheHint,
        'tools/list': cacheHint,
        'prompts/list': cacheHint,
        'resources/list': cacheHint,
        'resources/templates/list': cacheHint,
      },
      // A call names a few things; thousands of elements are a mistake or an attack.
      maxToolInputElements: 20_000,
    },
  );
  registerTools(server, surface);
  surface.skills.attach(server);
  if (surface.members.length > 0) registerPrompts(server, surface);
  return server;
}

function instructionsOf({ tools, members, allowWrites }: Surface): string {
  if (members.length === 0) return 'There are no connectors here yet.';
  const [, docs, execute] = tools.map(({ name }) => name);
  const named = members
    .map(({ key, fullDescription }) => (key === fullDescription.name ? key : `${key} (${fullDescription.title})`))
    .join(', ');
  const writes = allowWrites
    ? 'Writes are allowed: ask the user before you change anything.'
    : 'Nothing can be changed.';
  return `Connectors: ${named}. Before the first use of an action read its section with ${docs}, then run it with ${execute}. ${writes}`;
}
