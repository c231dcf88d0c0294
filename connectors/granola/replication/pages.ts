import { ConnectorError, type Source } from '../../../src/authoring.js';
import type { Note } from '../records.js';

/** A page of the list and the next cursor. */
export interface NotesPage {
  readonly rows: readonly Note[];
  readonly next: string | null;
}

/** Maximum page size. */
export const maxPageSize = 30;

/** Pages of the list starting at a cursor; a page may be empty without being the last. */
export async function* pages(source: Source, since: string | null, from: string | null): AsyncGenerator<NotesPage> {
  const query = { page_size: maxPageSize, ...(since !== null && { updated_after: since }) };
  for (let cursor = from; ; ) {
    const params = { ...query, ...(cursor !== null && { cursor }) };
    const result = await source.execute('notes', 'list', params);
    const nextParams = source.following('notes', 'list', params, result) as { cursor: string } | undefined;
    const next = nextParams?.cursor ?? null;
    if (next === '' || (next !== null && next === cursor)) {
      throw new ConnectorError('invalid_response', 'Granola reported more notes but sent no new cursor.');
    }
    yield { rows: result.data, next };
    if (next === null) return;
    cursor = next;
  }
}
