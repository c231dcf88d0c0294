import { isGrouped } from '../manifest/params.js';
import { shapeData } from './shape.js';

/** How much of each record there is to be: what a person would read first, or all. */
export type View = 'concise' | 'full';

/** Cuts data to the concise view where that is asked for; a record without any of these fields stays whole. */
export function viewData(
  data: unknown,
  concise: readonly string[] | undefined,
  { view, selectFields }: { readonly view?: View | undefined; readonly selectFields?: readonly string[] | undefined },
  params: unknown,
): unknown {
  const { fields, query } = (params ?? {}) as { readonly fields?: unknown; readonly query?: unknown };
  const isChosen = selectFields !== undefined || fields !== undefined || isGrouped(query);
  if (view !== 'concise' || concise === undefined || isChosen) return data;
  const kept = shapeData(data, { selectFields: concise });
  const wholeIfEmpty = (record: unknown, whole: unknown) =>
    Object.keys((record ?? {}) as object).length === 0 ? whole : record;
  if (!Array.isArray(data)) return wholeIfEmpty(kept, data);
  return (kept as unknown[]).map((record, at) => wholeIfEmpty(record, data[at]));
}
