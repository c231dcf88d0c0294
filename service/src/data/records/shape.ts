import { passagesVersion } from '../search/passages/version.js';
import { type Column, identifier, type Layout } from './schema.js';

/** What a database remembers of an entity's table. */
export interface Shape {
  readonly key: readonly string[];
  /** Kind of each field, and whether its words are indexed. */
  readonly fields: Readonly<Record<string, readonly [kind: string, worded: boolean]>>;
  /** Fields whose texts are cut into passages, and the version of how that is done. */
  readonly passages?: { readonly version: number; readonly fields: readonly string[] };
}

/** How the table of an entity comes to fit its layout. */
export type Change =
  | { readonly kind: 'none' }
  | { readonly kind: 'create' }
  /** The records have to be replicated again, since they lie in a form that no longer fits. */
  | { readonly kind: 'replace' }
  | { readonly kind: 'extend'; readonly columns: readonly Column[] };

/** The shape that a layout asks for. */
const shapeOf = ({ key, columns, semantic }: Layout): Shape => ({
  key: key.map(({ field }) => field),
  fields: Object.fromEntries(columns.map(({ field, kind, wordIndexed }) => [field, [kind, wordIndexed]])),
  ...(semantic.length > 0 && {
    passages: { version: passagesVersion, fields: semantic.map(({ field }) => field).sort() },
  }),
});

/** What has to be done to a table of a shape, if there is one. */
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

/** The shape to remember: fields that a manifest no longer has stay in the table, and passages as they have been cut. */
export const mergeShape = (layout: Layout, stored: Shape | undefined, { kind }: Change): Shape => {
  const shape = shapeOf(layout);
  if (kind !== 'extend' && kind !== 'none') return shape;
  const { passages: _, ...rest } = shape;
  return {
    ...{ ...rest, fields: { ...stored?.fields, ...shape.fields } },
    ...(stored?.passages && { passages: stored.passages }),
  };
};

/** The shape once all texts are cut as they are now; nothing where they have been. */
export function splitShape(layout: Layout, stored: Shape): Shape | undefined {
  const { passages } = shapeOf(layout);
  if (JSON.stringify(passages) === JSON.stringify(stored.passages)) return undefined;
  const { passages: _, ...rest } = stored;
  return { ...rest, ...(passages && { passages }) };
}

/** Name of the index that sorts an entity's records by a field. */
export const indexName = ({ table }: Layout, { field }: Column): string => identifier(`${table}.${field}`);
