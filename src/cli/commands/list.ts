import { pagesOf } from '../../hosted/pages.js';
import type { CommandCall } from '../arguments/specification.js';
import { usageError } from '../failure.js';
import type { Session } from '../hosted.js';
import { withCount } from '../output/progress.js';
import type { TableColumns } from '../output/table.js';

type Query = Readonly<Record<string, string | number | undefined>>;

/** Prints one page of a list, or the records of every page with `--all`. */
export async function printList(
  call: CommandCall,
  session: Session,
  path: string,
  filter: Query,
  columns: TableColumns = {},
  complete: (record: any) => object = (record) => record,
): Promise<void> {
  const { argument, flags, print } = call;
  const { limit, cursor } = argument;
  if (!flags.all) {
    const page = await session.get<{ data: object[] }>(path, { ...filter, limit, cursor });
    await print.result({ ...page, data: page.data.map(complete) }, columns);
    return;
  }
  if (cursor !== undefined) throw usageError('--all starts at the first page: omit cursor.');
  const pages = pagesOf<object>(session.service, path, { ...filter, limit }, session.lifetime);
  await print.records(withCount(recordsOf(pages, complete), call.environment), columns);
}

async function* recordsOf(
  pages: AsyncIterable<readonly object[]>,
  complete: (record: object) => object,
): AsyncGenerator<object> {
  for await (const page of pages) yield* page.map(complete);
}
