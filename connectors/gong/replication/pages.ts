import { ConnectorError, type Result } from '../../../src/authoring.js';

/** The page meta fields used here. */
interface PageMeta {
  readonly cursor: string | null;
}

/** Requests pages in sequence, starting at `cursor`. */
export async function* pages<Page extends { readonly meta: PageMeta } = Result<any, any>>(
  fetchPage: (cursor: string | undefined) => Promise<Page>,
  cursor?: string,
): AsyncGenerator<Page> {
  for (let next: string | null | undefined = cursor; next !== null; ) {
    const page: Page = await fetchPage(next);
    if (page.meta.cursor !== null && page.meta.cursor === next) {
      throw new ConnectorError('invalid_response', 'Gong reported more records but sent no new cursor.');
    }
    yield page;
    next = page.meta.cursor;
  }
}
