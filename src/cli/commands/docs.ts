import { loadPages, readPage, searchPages } from '../../mcp/docs/pages.js';
import type { CommandCall } from '../arguments/specification.js';
import { failure } from '../failure.js';
import { wrapMarkdown } from '../output/cell.js';

/** Lists, searches or prints the documentation, or serves it to MCP clients. */
export async function showDocs({ argument, flags, print, environment }: CommandCall): Promise<void> {
  const pages = await loadPages();
  if (flags.mcp) {
    await (await import('../../mcp/docs/server.js')).serveDocs(pages, environment);
    return;
  }
  const { page, search } = argument;
  if (page !== undefined) {
    const text = readOrFail(() => readPage(pages, page));
    const maxWidth = Math.min(environment.stdout.columns || 80, 80);
    await print.text(`${environment.stdout.isTTY ? wrapMarkdown(text, maxWidth) : text}\n`);
    return;
  }
  const data =
    search === undefined ? pages.map(({ path, title }) => ({ page: path, title })) : searchPages(pages, search);
  await print.result({ data });
}

function readOrFail(read: () => string): string {
  try {
    return read();
  } catch (error) {
    throw failure('not_found', (error as Error).message, { hint: 'Run agent-connectors docs for a list of pages.' });
  }
}
