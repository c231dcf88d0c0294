import type { Row } from './rows.js';

interface SortOrder {
  order?: 'Ascending' | 'Descending' | null;
  nulls?: 'first' | 'last' | null;
  noPriorityFirst?: boolean | null;
}

/** Rows in the requested order; newest first by default. */
export function sortRows<Stored extends Row>(rows: readonly Stored[], { orderBy, sort }: PageArguments): Stored[] {
  const field = orderBy ?? 'createdAt';
  // Reversed first because sorting is stable: among rows with the same time, the most recently created one comes
  // first.
  const newestFirst = [...rows].reverse().sort((a, b) => (a[field] < b[field] ? 1 : a[field] > b[field] ? -1 : 0));
  const keys = (sort ?? []).flatMap((part) => Object.entries(part) as [string, SortOrder | null][]);
  if (keys.length === 0) return newestFirst;
  return newestFirst.sort((a, b) => {
    for (const [name, order] of keys) {
      const difference = order ? compare(rankOf(a, name, order), rankOf(b, name, order), order) : 0;
      if (difference !== 0) return difference;
    }
    return 0;
  });
}

function rankOf(row: Row, name: string, order: SortOrder): string | number | null {
  const value = (row as unknown as Record<string, string | number | null>)[name] ?? null;
  // Priority 0 means none and sorts after low, unless requested otherwise.
  return name === 'priority' && value === 0 && !order.noPriorityFirst ? 5 : value;
}

function compare(a: string | number | null, b: string | number | null, order: SortOrder): number {
  if (a === null || b === null) {
    if (a === b) return 0;
    return (a === null) === (order.nulls === 'first') ? -1 : 1;
  }
  const difference = typeof a === 'string' ? a.localeCompare(String(b)) : a - Number(b);
  return order.order === 'Descending' ? -difference : difference;
}

/** Arguments of Linear's connections. */
export interface PageArguments {
  first?: number | null;
  last?: number | null;
  after?: string | null;
  before?: string | null;
  filter?: Record<string, unknown> | null;
  includeArchived?: boolean | null;
  includeDisabled?: boolean | null;
  orderBy?: 'createdAt' | 'updatedAt' | null;
  sort?: readonly Record<string, unknown>[] | null;
}
