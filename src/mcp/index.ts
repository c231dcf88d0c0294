/**
 * A server for Model Context Protocol clients; requires the `@modelcontextprotocol/server` package.
 * @module agent-connectors/mcp
 */
export {
  type ConnectorsFor,
  type McpCaller,
  type McpHandler,
  type McpHandlerOptions,
  type McpRequestOptions,
  mcpHandler,
} from './http.js';
export { createMcpServer } from './server.js';
export { type StdioConnectors, type StdioOptions, type StdioServer, serveStdio } from './stdio.js';
export type { McpCallEvent, McpOptions, ResultMode } from './surface.js';
