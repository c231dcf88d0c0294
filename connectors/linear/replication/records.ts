import type { Search, StoredRecord } from '../../../src/authoring.js';
import type { Node } from './walk.js';

type Value = (node: any) => unknown;

/** The id of an object below the record. */
export const idOf =
  (field: string): Value =>
  (node) =>
    node[field]?.id;

/** The ids of a connection's nodes. */
export const idsOf =
  (field: string): Value =>
  (node) =>
    node[field]?.nodes.map(({ id }: { id: string }) => id);

/** Makes records of what Linear sends: exactly the searchable fields, null where it has none. */
export function recordsOf({ fields }: Search, sources: Readonly<Record<string, Value>> = {}) {
  const values = Object.values(fields)
    .flat()
    .map((name): readonly [string, Value] => [name, sources[name] ?? ((node) => node[name])]);
  return (node: Node): StoredRecord => Object.fromEntries(values.map(([name, value]) => [name, value(node) ?? null]));
}
