import { passagesVersion } from '../search/passages/version.js';
import { type Column, identifier, type Layout } from './schema.js';

/** What a database remembers about an entity's table. */
export interface Shape {
  readonly key: readonly string[];
  /** Kind of each field, and whether its words are indexed. */
  readonly fields: Readonly<Record<string, readonly [kind: string, worded: boolean]>>;
  /** Fields split into passages, and the version of the splitting rules. */
  readonly passages?: { readonly version: number; readonly fields: readonly string[] };
}

/** How to adapt an entity's table to its layout. */
export type Change =
  | { readonly kind: 'none' }
  | { readonly kind: 'create' }
  /** The stored format no longer fits, so the records have to be synced again. */
  | { readonly kind: 'replace' }
  | { readonly kind: 'extend'; readonly columns: readonly Column[] };

/** The shape that a layout requires. */
const shapeOf = ({ key, columns, semantic }: Layout): Shape => ({
  key: key.map(({ field }) => field),
  fields: Object.fromEntries(columns.map(({ field, kind, wordIndexed }) => [field, [kind, wordIndexed]])),
  ...(semantic.length > 0 && {
    passages: { version: passagesVersion, fields: semantic.map(({ field }) => field).sort() },
  }),
});

/** The change that a table of this shape needs, if any. */
export function changeOf(layout: Layout, stored: Shape | undefined): Change {
  if (!stored) return { kind: 'create' };
  const wanted = shapeOf(layout);
  const sameKey = wanted.key.join('\n') === stored.key.join('\n');
  const fits = layout.columns.every(({ field, kind, wordIndexed }) => {
    const [was, hadWords] = stored.fields[field] ?? [kind, wordIndexed];
    return was === kind && hadWords === wordIndexed;
  });
  if (!fits || !sameKey) return { kind: 'replace' };
  const columns = layout.columns.filter(({ field }) => !Object.hasOwn(stored.fields, field));
  return columns.length > 0 ? { kind: 'extend', columns } : { kind: 'none' };
}

/** The shape to store: fields dropped from a manifest stay in the table, and passages keep their current split. */
export const mergeShape = (layout: Layout, stored: Shape | undefined, { kind }: Change): Shape => {
  const shape = shapeOf(layout);
  if (kind !== 'extend' && kind !== 'none') return shape;
  const { passages: _, ...rest } = shape;
  return {
    ...{ ...rest, fields: { ...stored?.fields, ...shape.fields } },
    ...(stored?.passages && { passages: stored.passages }),
  };
};

/** The shape once all texts are split by the current rules; undefined if they already are. */
export function splitShape(layout: Layout, stored: Shape): Shape | undefined {
  const { passages } = shapeOf(layout);
  if (JSON.stringify(passages) === JSON.stringify(stored.passages)) return undefined;
  const { passages: _, ...rest } = stored;
  return { ...rest, ...(passages && { passages }) };
}

/** Name of the index that sorts an entity's records by a field. */
export const indexName = ({ table }: Layout, { field }: Column): string => identifier(`${table}.${field}`);
