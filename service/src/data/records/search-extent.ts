import { bothOf } from './bind.js';
import type { Driver } from './driver.js';
import type { EmptySearch } from './empty-search.js';
import { costOf } from './filter-cost.js';
import type { Condition, SearchPlan } from './plan.js';
import type { Layout } from './schema.js';
import { SearchTimeout } from './timeout.js';

/** Information about all matches of a search, in addition to its first page. */
export interface SearchExtent {
  readonly total?: number;
  readonly total_is_exact?: boolean;
  readonly empty?: EmptySearch;
}

const maxTotal = 10_000;
/** Cost limit for counting the total; comparing one field of one record costs 1. */
const maxCost = 30_000;

/** Counts the matches of a search; if there are none, describes what the replica contains instead. */
export async function extentOf(
  driver: Driver,
  layout: Layout,
  connectorId: string,
  { condition: filter, requester }: SearchPlan,
  visible: Condition | undefined,
  found: { readonly count: number; readonly more: boolean },
): Promise<SearchExtent> {
  const condition = bothOf(visible, filter);
  if (!found.more) {
    const total = { total: found.count, total_is_exact: true };
    if (found.count > 0 || !filter) return total;
    const request = { condition: filter, visible };
    const empty = await driver.describeEmpty(layout, connectorId, request, requester).catch((error) => {
      // The empty result is valid without this description.
      if (error instanceof SearchTimeout) return undefined;
      throw error;
    });
    return { ...total, ...(empty && { empty }) };
  }
  const maxScanned = Math.min(maxTotal, Math.floor(maxCost / (condition ? costOf(condition) : 1)));
  // A page of large records can end before its limit.
  const least = found.count + 1;
  if (maxScanned < least) return { total: least, total_is_exact: false };
  const total = await driver.countUpTo(layout, connectorId, condition, maxScanned, requester);
  if (total !== undefined) return { total, total_is_exact: true };
  return { total: condition ? least : Math.max(least, maxTotal), total_is_exact: false };
}
