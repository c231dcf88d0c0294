import { ReplacedTableError } from '../unavailable.js';
import { passagesVersion } from './passages/split-passages.js';
import { type Column, identifier, type Layout } from './schema.js';

/** What a database remembers about an entity's table. */
export interface Shape {
  readonly key: readonly string[];
  /** Kind of each field, and whether its words are indexed. */
  readonly fields: Readonly<Record<string, readonly [kind: string, worded: boolean]>>;
  /** Fields split into passages, and the version of the splitting rules. */
  readonly passages?: { readonly version: number; readonly fields: readonly string[] };
  /** Shapes whose tables were replaced, oldest first. */
  readonly replaced?: readonly Columns[];
}

type Columns = Pick<Shape, 'key' | 'fields'>;

/** How to adapt an entity's table to its layout. */
export type Change =
  | { readonly kind: 'none' }
  | { readonly kind: 'create' }
  /**
   * The stored format does not fit, so the records have to be synced again; `isOlder` if a table for this layout has
   * already been replaced, so another process may be using a newer one.
   */
  | { readonly kind: 'replace'; readonly isOlder: boolean }
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
  if (!fits(layout, stored)) {
    return { kind: 'replace', isOlder: stored.replaced?.some((earlier) => fits(layout, earlier)) ?? false };
  }
  const columns = layout.columns.filter(({ field }) => !Object.hasOwn(stored.fields, field));
  return columns.length > 0 ? { kind: 'extend', columns } : { kind: 'none' };
}

function fits(layout: Layout, { key, fields }: Columns): boolean {
  if (shapeOf(layout).key.join('\n') !== key.join('\n')) return false;
  return layout.columns.every(({ field, kind, wordIndexed }) => {
    const [was, hadWords] = fields[field] ?? [kind, wordIndexed];
    return was === kind && hadWords === wordIndexed;
  });
}

/** The last stored shape that each layout was found to fit. */
const fitting = new WeakMap<Layout, string>();

/** Throws if a table no longer has the columns of a layout, because another process has replaced it. */
export function requireFit(layout: Layout, shape: string | null): void {
  if (shape !== null && fitting.get(layout) === shape) return;
  if (shape === null || changeOf(layout, JSON.parse(shape) as Shape).kind !== 'none') {
    throw new ReplacedTableError(`Another version of the connector has replaced the table of ${nameOf(layout)}.`);
  }
  fitting.set(layout, shape);
}

export const nameOf = ({ type, entity }: Layout): string => `${type}.${entity}`;

/** The shape to store: fields dropped from a manifest stay in the table, and passages keep their current split. */
export const mergeShape = (layout: Layout, stored: Shape | undefined, { kind }: Change): Shape => {
  const shape = shapeOf(layout);
  if (stored && kind === 'replace') {
    const { key, fields, replaced = [] } = stored;
    return { ...shape, replaced: [...replaced, { key, fields }] };
  }
  if (kind !== 'extend' && kind !== 'none') return shape;
  const { passages: _, ...rest } = shape;
  return {
    ...rest,
    fields: { ...stored?.fields, ...shape.fields },
    ...(stored?.passages && { passages: stored.passages }),
    ...(stored?.replaced && { replaced: stored.replaced }),
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
