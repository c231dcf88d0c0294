import * as z from 'zod';
import type { Action } from '../action/action.js';
import { isGrouped } from '../action/params.js';
import { ConnectorError } from '../errors/connector-error.js';
import { nearest, normalizeName } from '../errors/nearest.js';
import type { Search } from '../search/types.js';

/** Fields of a result, as dotted paths through objects and arrays. */
export interface PathOptions<Path = string> {
  /**
   * Dotted paths to keep, through objects and arrays; everything else is dropped. A path that cannot exist in the
   * action's records is rejected; one that has no value in any returned record is listed in `meta.notes`.
   */
  readonly selectFields?: readonly Path[] | undefined;
  /** Dotted paths to drop; applied after `selectFields`. */
  readonly excludeFields?: readonly Path[] | undefined;
}

type Values<T> = T[keyof T];
type Join<Head, Rest> = Head extends string ? (Rest extends string ? `${Head}.${Rest}` : never) : never;
type RecordIn<T> = T extends ReadonlyArray<infer Item> ? Item : T;

/** Dotted paths of a record, or of a list's records, three levels deep; open fields have none. */
export type PathsOf<T, Depth extends 0[] = []> =
  RecordIn<T> extends infer Each
    ? Each extends object
      ? Values<{
          [K in keyof Each as string extends K ? never : K]-?:
            | K
            | (Depth['length'] extends 2 ? never : Join<K, PathsOf<Each[K], [...Depth, 0]>>);
        }>
      : never
    : never;

/** Schema types that have no fields. The fields of any other type, such as `unknown`, cannot be known. */
const leafTypes = new Set(
  'string number int bigint boolean date literal enum template_literal null undefined never'.split(' '),
);

/** The alternatives of a schema, unwrapped; an array is treated as its items. */
function formsOf(schema: any): any[] {
  const { def } = schema._zod;
  const inner = def.innerType ?? def.getter?.() ?? def.element ?? (def.type === 'pipe' ? def.out : undefined);
  if (inner) return formsOf(inner);
  return def.options ? def.options.flatMap(formsOf) : [schema];
}

const ownShape = (form: any, key: string): unknown => {
  const { shape } = form._zod.def;
  return shape && Object.hasOwn(shape, key) ? shape[key] : undefined;
};

/**
 * How far a path resolves: true if it resolves completely, otherwise the part that resolves and the valid names after
 * it.
 */
function follow(schema: any, path: string, above = ''): true | { readonly above: string; readonly names: string[] } {
  const forms = formsOf(schema);
  const dot = path.indexOf('.');
  let stopped = { above, names: forms.flatMap((form) => Object.keys(form._zod.def.shape ?? {})) };
  for (const form of forms) {
    const { type, shape, catchall } = form._zod.def;
    if (!shape && !leafTypes.has(type)) return true;
    // A key that contains dots takes precedence over its first part.
    if (ownShape(form, path) !== undefined) return true;
    const inner = dot < 0 ? undefined : ownShape(form, path.slice(0, dot));
    if (inner !== undefined) {
      const deeper = follow(inner, path.slice(dot + 1), `${above}${path.slice(0, dot)}.`);
      if (deeper === true) return true;
      stopped = deeper;
    } else if (shape && catchall && catchall._zod.def.type !== 'never') return true;
  }
  return stopped;
}

/** Levels of fields searched for the nearest path. */
const maxDepth = 5;

/** All dotted paths of a schema. */
const pathsOf = (schema: any, above = '', depth = maxDepth): string[] =>
  formsOf(schema).flatMap((form) =>
    Object.entries(form._zod.def.shape ?? {}).flatMap(([key, inner]) => [
      above + key,
      ...(depth > 1 ? pathsOf(inner, `${above}${key}.`, depth - 1) : []),
    ]),
  );

/** The most likely intended path: one with a similar spelling, otherwise one with the same ending. */
function nearestPath(path: string, candidates: readonly string[]): string | undefined {
  const last = `.${path.split('.').at(-1)}`;
  return (
    nearest(path, candidates) ?? (last === '.' ? undefined : candidates.find((candidate) => candidate.endsWith(last)))
  );
}

/** Rejects paths that cannot exist in the action's results; below an open schema, any path is accepted. */
export function checkPaths(
  options: PathOptions & { readonly raw?: boolean | undefined },
  { hostedOnly, returns }: Action,
  search: Search | undefined,
  params: unknown,
  where: string,
): void {
  if (hostedOnly && search) checkSearchPaths(options, search, params, where);
  else if (!hostedOnly && !options.raw && returns.data) checkAgainst(options, returns.data, where);
}

function checkAgainst(options: PathOptions, schema: z.core.$ZodType, where: string): void {
  for (const name of ['selectFields', 'excludeFields'] as const) {
    for (const path of options[name] ?? []) {
      const stopped = follow(schema, path);
      if (stopped === true) continue;
      const close = nearestPath(path, [...new Set(pathsOf(schema))]);
      const parent = stopped.above.slice(0, -1);
      const valid =
        stopped.names.length === 0 && parent
          ? `${parent} has no fields.`
          : `Valid fields${parent && ` of ${parent}`}: ${[...new Set(stopped.names)].join(', ') || 'none'}.`;
      const message = `'${path}' is not a field`;
      throw new ConnectorError(
        'invalid_params',
        `${where}: ${name}: ${message}. ${close === undefined ? '' : `Did you mean '${close}'? `}${valid}`,
        { issues: [{ path: name, message }] },
      );
    }
  }
}

/**
 * Rejects invalid paths for a search, which returns records or semantic hits. Field names may differ in case, as in a
 * service.
 */
export function checkSearchPaths(options: PathOptions, { fields }: Search, params: unknown, where: string): void {
  const query = isObject(params) ? params.query : undefined;
  if (isGrouped(query)) return;
  const shape: Record<string, z.core.$ZodType> = {};
  for (const [type, names = []] of Object.entries(fields)) {
    for (const name of names) shape[name] = /object|array/.test(type) ? z.unknown() : z.string();
  }
  if (isObject(params) && params.semantic !== undefined) {
    checkAgainst(options, z.object({ entity: z.looseObject({}), metadata: z.looseObject({}) }), where);
    return;
  }
  const spelling = new Map(Object.keys(shape).map((name) => [normalizeName(name), name]));
  const spelt = (paths: readonly string[] | undefined) =>
    paths?.map((path) => path.replace(/^[^.]+/, (head) => spelling.get(normalizeName(head)) ?? head));
  const { selectFields, excludeFields } = options;
  checkAgainst({ selectFields: spelt(selectFields), excludeFields: spelt(excludeFields) }, z.object(shape), where);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Whether a path resolves to a value; undefined if unknown, for example in an empty list or below null. */
function leads(value: unknown, path: string, isRecord: boolean): boolean | undefined {
  if (Array.isArray(value)) {
    let found: boolean | undefined;
    for (const item of value) {
      const led = leads(item, path, isRecord);
      if (led) return true;
      found ??= led;
    }
    return found;
  }
  if (!isObject(value)) return value === null || value === undefined ? undefined : false;
  // A record's field without a value is returned as null.
  if (Object.hasOwn(value, path)) return isRecord || value[path] !== null;
  const dot = path.indexOf('.');
  const head = path.slice(0, dot);
  return dot < 0 || !Object.hasOwn(value, head) ? false : leads(value[head], path.slice(dot + 1), false);
}

/** Dotted paths present in the first records, to the same depth as for schemas. */
function pathsIn(value: unknown, above = '', depth = maxDepth): string[] {
  if (Array.isArray(value))
    return value.slice(0, depth === maxDepth ? 25 : 3).flatMap((item) => pathsIn(item, above, depth));
  if (!isObject(value) || depth === 0) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    above + key,
    ...pathsIn(inner, `${above}${key}.`, depth - 1),
  ]);
}

/** Whether one path equals or contains the other. */
const overlap = (one: string, other: string): boolean =>
  `${one}.`.startsWith(`${other}.`) || `${other}.`.startsWith(`${one}.`);

/** A note for each valid path that has no value in any record; `data` is the result before shaping. */
export function missingNotes(data: unknown, { selectFields = [], excludeFields = [] }: PathOptions): string[] {
  const where = Array.isArray(data) && data.length !== 1 ? `any of these ${data.length} records` : 'this record';
  let known: readonly string[] | undefined;
  return [...new Set(selectFields)].flatMap((path) => {
    // The service has already removed it.
    if (excludeFields.some((excluded) => overlap(excluded, path)) || leads(data, path, true) !== false) return [];
    known ??= [...new Set(pathsIn(data))];
    const close = known.includes(path) ? undefined : nearestPath(path, known);
    return `'${path}' has no value in ${where}${close === undefined ? '.' : `; did you mean '${close}'?`}`;
  });
}
