import { isGrouped } from '../action/params.js';
import type { Result } from '../action/result.js';
import type { Search } from '../search/types.js';
import type { PathOptions } from './paths.js';

/** The fields of each record to return: the main ones, or all. */
export type View = 'concise' | 'full';

/** Which parts of a result to keep. */
export interface ShapingOptions extends PathOptions {
  /** Strings longer than this are truncated at any depth, with a note that says how much is missing. */
  readonly maxStringLength?: number | undefined;
}

type Tree = Map<string, Tree | true>;

/** Applies shaping options to a record or a list of records, as `execute` does to what it returns. */
export function shapeData(data: unknown, options: ShapingOptions): unknown {
  const { selectFields, excludeFields, maxStringLength } = options;
  let shaped = data;
  if (selectFields) shaped = select(shaped, treeOf(selectFields));
  if (excludeFields) shaped = exclude(shaped, treeOf(excludeFields));
  if (maxStringLength !== undefined) shaped = truncateStrings(shaped, maxStringLength);
  return shaped;
}

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

/**
 * Applies shaping options to a whole result; selected paths that have no value in any record are listed in
 * `meta.notes`.
 */
export async function shapeResult<R extends Result>(result: R, options: ShapingOptions): Promise<R> {
  const { data, meta } = result;
  const shaped = { ...result, data: shapeData(data, options) };
  if (!options.selectFields) return shaped;
  const notes = (meta as { readonly notes?: readonly string[] } | undefined)?.notes ?? [];
  // The service knows the whole record and has already reported it.
  const isSaid = (note: string) => notes.some((one) => one.startsWith(note.replace(/(; did you mean .*|\.)$/, '')));
  const missing = (await import('./paths.js')).missingNotes(data, options).filter((note) => !isSaid(note));
  return missing.length === 0 ? shaped : { ...shaped, meta: { ...(meta as object), notes: [...notes, ...missing] } };
}

/**
 * Rejects selected and excluded fields that cannot occur in search results; `where` identifies the action in the
 * message.
 */
export async function checkSearchFields(
  options: ShapingOptions,
  search: Search,
  params: unknown,
  where: string,
): Promise<void> {
  (await import('./paths.js')).checkSearchPaths(options, search, params, where);
}

function treeOf(paths: readonly string[]): Tree {
  const root: Tree = new Map();
  for (const path of paths) insertPath(root, path);
  return root;
}

function insertPath(tree: Tree, path: string): void {
  // A key that contains dots is tried as a whole before it is split.
  tree.set(path, true);
  const dot = path.indexOf('.');
  if (dot < 0) return;
  const key = path.slice(0, dot);
  const next = tree.get(key);
  if (next === true) return;
  const branch: Tree = next ?? new Map();
  tree.set(key, branch);
  insertPath(branch, path.slice(dot + 1));
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function select(value: unknown, tree: Tree): unknown {
  if (Array.isArray(value)) return value.map((item) => select(item, tree));
  if (!isObject(value)) return value;
  const kept: Array<[string, unknown]> = [];
  for (const [key, item] of Object.entries(value)) {
    const branch = tree.get(key);
    if (branch === true) kept.push([key, item]);
    else if (branch && (isObject(item) || item === null)) kept.push([key, select(item, branch)]);
  }
  return Object.fromEntries(kept);
}

function exclude(value: unknown, tree: Tree): unknown {
  if (Array.isArray(value)) return value.map((item) => exclude(item, tree));
  if (!isObject(value)) return value;
  const kept: Array<[string, unknown]> = [];
  for (const [key, item] of Object.entries(value)) {
    const branch = tree.get(key);
    if (branch === true) continue;
    kept.push([key, branch ? exclude(item, branch) : item]);
  }
  return Object.fromEntries(kept);
}

function truncateStrings(value: unknown, length: number): unknown {
  if (typeof value === 'string') return truncate(value, length);
  if (Array.isArray(value)) return value.map((item) => truncateStrings(item, length));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, truncateStrings(item, length)]));
}

function truncate(text: string, length: number): string {
  if (text.length <= length) return text;
  // Do not cut a surrogate pair in half.
  const code = text.charCodeAt(length - 1);
  const end = code >= 0xd800 && code <= 0xdbff ? length - 1 : length;
  return `${text.slice(0, end)}… [${text.length - end} more characters]`;
}
