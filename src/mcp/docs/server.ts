import type { Readable, Writable } from 'node:stream';
import { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { VERSION } from '../../version.js';
import { type DocsPage, readPage, searchPages } from './pages.js';

const readOnly = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

/** Creates a server with tools that search and read the documentation. */
export function docsServer(pages: readonly DocsPage[]): McpServer {
  const server = new McpServer(
    { name: 'agent-connectors-docs', title: 'Documentation of agent-connectors', version: VERSION },
    {
      instructions:
        'Documentation of agent-connectors, for programs and agents that use its connectors or its service. Find sections with search_docs, then read them with read_page.',
    },
  );
  server.registerTool(
    'search_docs',
    {
      title: 'Search the documentation',
      description: 'Finds sections by words. Returns the address of each, to pass to read_page, with an excerpt.',
      inputSchema: z.object({
        query: z.string().min(1).max(500).describe('A few words, such as "retry after rate limit".'),
      }),
      annotations: readOnly,
    },
    ({ query }) => {
      const hits = searchPages(pages, query);
      const text = hits.map(({ page, title, excerpt }) => `${page}\n${title}\n${excerpt}`).join('\n\n');
      return textResult(text || 'Nothing found. Use other words, or fewer.');
    },
  );
  server.registerTool(
    'read_page',
    {
      title: 'Read a page of the documentation',
      description: 'Returns a page, or one section of it, as Markdown. Links in pages are relative to the page.',
      inputSchema: z.object({
        page: z
          .string()
          .min(1)
          .max(500)
          .describe('Such as docs/guides/mcp.md, or docs/guides/mcp.md#sign-in for a section.'),
      }),
      annotations: readOnly,
    },
    ({ page }) => {
      try {
        return textResult(readPage(pages, page));
      } catch (error) {
        return { ...textResult(`${(error as Error).message} search_docs finds pages.`), isError: true };
      }
    },
  );
  return server;
}

const textResult = (text: string) => ({ content: [{ type: 'text' as const, text }] });

/** Serves the documentation on standard input and output until the client disconnects or the signal aborts. */
export async function serveDocs(
  pages: readonly DocsPage[],
  { stdin, stdout, signal }: { readonly stdin: Readable; readonly stdout: Writable; readonly signal: AbortSignal },
): Promise<void> {
  const { StdioServerTransport, serveStdio } = await import('@modelcontextprotocol/server/stdio');
  const transport = new StdioServerTransport(stdin, stdout);
  const ended = new Promise<void>((resolve) => {
    stdin.once('end', resolve).once('close', resolve);
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const { close } = serveStdio(() => docsServer(pages), { transport });
  await ended;
  await close();
}
