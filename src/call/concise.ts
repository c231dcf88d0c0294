import { isGrouped } from '../manifest/params.js';
import { shapeData } from './shape.js';

/** The fields of each record to return: the main ones, or all. */
export type View = 'concise' | 'full';

/** Reduces data to the concise view if requested; a record with none of these fields is unchanged. */
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
