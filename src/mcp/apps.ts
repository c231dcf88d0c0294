import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';

/** The MCP Apps extension, https://github.com/modelcontextprotocol/ext-apps. */
const extension = 'io.modelcontextprotocol/ui';
const mimeType = 'text/html;profile=mcp-app';
const scheme = 'ui://agent-connectors/';

/** Key under which a page finds what it shows; models read the result's text. */
export const viewKey = 'agent-connectors/view';

const supports = (capabilities: ClientCapabilities | undefined): boolean => {
  const { mimeTypes } = (capabilities?.extensions?.[extension] ?? {}) as { readonly mimeTypes?: unknown };
  return Array.isArray(mimeTypes) && mimeTypes.includes(mimeType);
};

/** Whether the client that makes a call shows pages. */
export function showsPages(server: McpServer, { mcpReq }: ServerContext): boolean {
  const envelope = mcpReq.envelope as Record<string, ClientCapabilities> | undefined;
  return supports(envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities());
}

const pages: Readonly<Record<string, 'result' | 'write'>> = {
  execute: 'result',
  search: 'result',
  execute_write: 'write',
};

/**
 * Metadata of a tool: its page, and that pages cannot call it. Undefined if the client shows no pages; over stdio, it is
 * known only during a call in protocol versions since 2026, so the metadata, which others ignore, is always there.
 */
export function pageOfTool(server: McpServer, tool: string): Record<string, unknown> | undefined {
  const capabilities = server.server.getClientCapabilities();
  if (capabilities !== undefined && !supports(capabilities)) return undefined;
  const page = pages[tool];
  return { ui: { ...(page && { resourceUri: scheme + page }), visibility: ['model'] } };
}

/** Offers the pages as resources, which only tools refer to. */
export function registerPages(server: McpServer): void {
  server.registerResource(
    'page',
    new ResourceTemplate(`${scheme}{view}`, { list: undefined }),
    { title: 'Page for results', description: 'Shows a result in clients that support MCP Apps.', mimeType },
    async ({ href }) => {
      const view = Object.values(pages).find((each) => scheme + each === href);
      if (!view) throw new ResourceNotFoundError(href, 'Resource not found.');
      const { pageOf } = await import('./app/page.js');
      return { contents: [{ uri: href, mimeType, text: await pageOf(view), _meta: { ui: { prefersBorder: true } } }] };
    },
  );
}
