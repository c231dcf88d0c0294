import { bothOf } from './check-search.js';
import type { Driver } from './drivers/driver.js';
import type { EmptySearch } from './empty-search.js';
import { costOf } from './filter-cost.js';
import type { Condition, SearchPlan } from './plan.js';
import type { Layout } from './schema.js';
import { SearchTimeout } from './timeout.js';

/** What is said of all that a search finds, beside its first page. */
export interface SearchExtent {
  readonly total?: number;
  readonly total_is_exact?: boolean;
  readonly empty?: EmptySearch;
}

const maxTotal = 10_000;
/** What looking at records for a total may cost; comparing a field of one costs 1. */
const maxCost = 30_000;

/** How many records a search finds, and where it finds none what there is instead. */
export async function extentOf(
  driver: Driver,
  layout: Layout,
  connectorId: string,
  { condition: filter, limit, tenant }: SearchPlan,
  visible: Condition | undefined,
  found: { readonly count: number; readonly more: boolean },
): Promise<SearchExtent> {
  const condition = bothOf(visible, filter);
  if (!found.more) {
    const total = { total: found.count, total_is_exact: true };
    if (found.count > 0 || !filter) return total;
    const request = { condition: filter, visible };
    const empty = await driver.describeEmpty(layout, connectorId, request, tenant).catch((error) => {
      // That nothing was found is known without it.
      if (error instanceof SearchTimeout) return undefined;
      throw error;
    });
    return { ...total, ...(empty && { empty }) };
  }
  const maxScanned = Math.min(maxTotal, Math.floor(maxCost / (condition ? costOf(condition) : 1)));
  const total =
    maxScanned > limit ? await driver.countUpTo(layout, connectorId, condition, maxScanned, tenant) : undefined;
  if (total !== undefined) return { total, total_is_exact: true };
  return { total: condition ? limit + 1 : Math.max(limit + 1, maxTotal), total_is_exact: false };
}
