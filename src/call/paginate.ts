import type { Page } from '../action/action.js';
import type { Result } from '../action/result.js';
import { ConnectorError } from '../errors/connector-error.js';

/** Iterates over the records of all pages; `pages()` yields whole pages, each with its `meta`. */
export interface Pages<T, Meta> extends AsyncIterable<T> {
  /** Yields whole pages as `{ data, meta }`. */
  pages(): AsyncIterable<Result<T[], Meta>>;
}

/** Reads pages lazily: the next one is requested only once the previous one is consumed. */
export function createPages<T, Meta>(
  load: (params: object) => Promise<Result<T[], Meta>>,
  next: Next<Meta>,
  params: object,
  signal?: AbortSignal,
): Pages<T, Meta> {
  async function* pages(): AsyncGenerator<Result<T[], Meta>> {
    const checkCursor = cursorLoopDetector();
    for (let page: object | undefined = params; page; ) {
      const result: Result<T[], Meta> = await load(page);
      yield result;
      const more: object | undefined = nextParams(next, result.meta, { params: page, data: result.data });
      if (!more) return;
      checkCursor(more);
      page = { ...params, ...more };
    }
  }
  async function* records(): AsyncGenerator<T> {
    for await (const { data } of pages()) {
      for (const record of data) {
        // An aborted call sends nothing and fails like any call with this signal.
        if (signal?.aborted) await load(params);
        yield record;
      }
    }
  }
  return { pages, [Symbol.asyncIterator]: records };
}

type Next<Meta> = ((meta: Meta, page: Page) => object | false | null | undefined | '') | undefined;

/**
 * The parameters to add for the next page; undefined at the end. An empty text as the cursor ends a list, too, unless a
 * flag in `meta` says that there are more pages.
 */
export function nextParams<Meta>(next: Next<Meta>, meta: Meta, page: Page): object | undefined {
  const more = next?.(meta, page) || undefined;
  const isEmpty = more !== undefined && Object.values(more).every((value) => value === '');
  return isEmpty && !Object.values(meta ?? {}).includes(true) ? undefined : more;
}

/** Detects missing cursors, and cursor cycles in constant memory (Brent's algorithm). */
export function cursorLoopDetector(): (more: object) => void {
  let landmark: string | undefined;
  let steps = 0;
  let limit = 1;
  return (more) => {
    const cursor = JSON.stringify(more);
    const missing = Object.values(more).some((value) => value === undefined || value === null || value === '');
    if (missing || cursor === landmark) {
      throw new ConnectorError(
        'invalid_response',
        `The vendor reported more pages but ${missing ? 'sent no cursor' : 'repeated an earlier cursor'}.`,
        {
          hint: 'The records read so far are valid; retry later for the rest.',
        },
      );
    }
    if (++steps === limit) {
      landmark = cursor;
      limit *= 2;
      steps = 0;
    }
  };
}
