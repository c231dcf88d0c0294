import type { Connection } from '../../../sqlite.js';
import type { Condition, FieldRef, SearchPlan } from '../../plan.js';
import { type Column, identifier, indexName, type Layout, quoteIdentifier } from '../../schema.js';
import { helpfulTo, type IndexSpec, isStandard, maxExamined, maxOwn, minSearched } from '../../search-indexes.js';
import { innerOrder, rowMask } from './dialect.js';

/**
 * A first load with at least this many records builds its indexes at the end; for smaller loads, maintaining the
 * indexes is cheap.
 */
const minLoaded = 5000;
/** A table with at least this many records before the load keeps its indexes, since it is being searched. */
const maxOthers = 1000;

/** Makes `analyze` read a sample of each index. */
export const sampledAnalysis = 'pragma analysis_limit = 400';

export const nameOf = (layout: Layout, { kind, ref }: IndexSpec): string =>
  kind === 'order' && ref.path.length === 0
    ? indexName(layout, ref.column)
    : identifier(`${layout.table}.${[ref.column.field, ...ref.path].join('.')}:${kind}`);

const unmarked = (): string => {
  throw new Error('An index cannot have parameters.');
};

function create(connection: Connection, layout: Layout, spec: IndexSpec): void {
  const { kind, ref } = spec;
  const compared = quoteIdentifier(ref.column.compared);
  // Most dates are null in most records: an index without nulls is smaller and faster to maintain.
  const [key, where] =
    kind === 'nulls'
      ? ['id', `${quoteIdentifier(ref.column.stored)} is null`]
      : ref.path.length === 0
        ? [`${compared}, id`, `${compared} is not null`]
        : [`${innerOrder(ref, unmarked).replaceAll('r.rest', 'rest')}, id`, undefined];
  connection.exec(
    `create index if not exists ${quoteIdentifier(nameOf(layout, spec))} on ${quoteIdentifier(layout.table)}
      (connector, ${key}) ${where ? `where ${where}` : ''}`,
  );
}

/** Creates a column's index, if it has one. */
export function addIndex(connection: Connection, layout: Layout, column: Column): void {
  if (column.indexed) create(connection, layout, { kind: 'order', ref: { column, path: [] } });
}

/**
 * Tracks which indexes tables have. Indexes skipped during a first load are built when the load ends or as soon as a
 * search needs them.
 */
export class Indexes {
  readonly #connection: Connection;
  /** First loads in progress, with the number of records that each has added. */
  readonly #loads = new Map<Layout, number>();
  /** Index names, mapped to table names. */
  #names = new Map<string, string>();
  #schemaVersion = -1;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  startLoad(layout: Layout): void {
    this.#loads.set(layout, 0);
  }

  /** Ends a load and returns the indexes to build. */
  finishLoad(layout: Layout): IndexSpec[] {
    this.#loads.delete(layout);
    return this.#missing(layout);
  }

  /** Counts the records that a load has added, and drops its table's indexes once that pays off. */
  noteInserted(layout: Layout, inserted: number): void {
    const before = this.#loads.get(layout);
    if (before === undefined) return;
    const loaded = before + inserted;
    this.#loads.set(layout, loaded);
    if (loaded < minLoaded) return;
    // Drops indexes only once per load; indexes built for searches since then are kept.
    this.#loads.delete(layout);
    if (newestRecord(this.#connection, layout) > loaded + maxOthers) return;
    this.#connection.writeTransaction(() => {
      for (const column of layout.columns) {
        if (column.indexed) this.#connection.exec(`drop index if exists ${quoteIdentifier(indexName(layout, column))}`);
      }
    });
  }

  has(layout: Layout, spec: IndexSpec): boolean {
    this.#load();
    return this.#names.has(nameOf(layout, spec));
  }

  /**
   * The result of `search`, or the indexes to build first: those skipped by a first load, or those without which the
   * search would examine too many records.
   */
  searchOrNeeds<T>(layout: Layout, plan: SearchPlan, search: () => T): T | { readonly needed: readonly IndexSpec[] } {
    const missing = this.#missing(layout);
    const own = this.#missingOwn(layout, plan);
    const size = missing.length > 0 || own.length > 0 ? newestRecord(this.#connection, layout) : 0;
    if (size < minSearched) return search();
    const fields = new Set(
      [...refsOf(plan.condition), ...plan.sort.map(({ ref }) => ref)].map(({ column }) => column.field),
    );
    const needed = missing.filter(({ ref }) => fields.has(ref.column.field));
    if (needed.length > 0) return { needed };
    if (own.length === 0 || own.length + this.#ownCount(layout) > maxOwn) return search();
    const found = this.#connection.withBudget(maxExamined(plan.limit) / (rowMask + 1), () => ({ result: search() }));
    return found ? found.result : { needed: own };
  }

  build(layout: Layout, spec: IndexSpec): void {
    this.#connection.writeTransaction(() => {
      create(this.#connection, layout, spec);
      // Without statistics, SQLite overestimates how few records the index finds, and uses it for other searches.
      if (!isStandard(spec)) this.#connection.exec(`${sampledAnalysis}; analyze ${quoteIdentifier(layout.table)}`);
    });
  }

  #missing(layout: Layout): IndexSpec[] {
    const all = layout.columns.filter(({ indexed }) => indexed);
    return all
      .map((column): IndexSpec => ({ kind: 'order', ref: { column, path: [] } }))
      .filter((spec) => !this.has(layout, spec));
  }

  /** Indexes that this table lacks and that would help a search, not counting those that every table has. */
  #missingOwn(layout: Layout, plan: SearchPlan): IndexSpec[] {
    const has = (spec: IndexSpec) => this.has(layout, spec);
    return helpfulTo(plan, has).filter((spec) => !has(spec));
  }

  #ownCount(layout: Layout): number {
    const tables = [...this.#names.values()].filter((table) => table === layout.table);
    // One of these indexes is the id index.
    return tables.length - 1 - layout.columns.filter(({ indexed }) => indexed).length;
  }

  /** Reads the names of all indexes if the schema has changed. */
  #load(): void {
    const { schema_version: version } = this.#connection.get<{ schema_version: number }>('pragma schema_version')!;
    if (version === this.#schemaVersion) return;
    const rows = this.#connection.all<{ name: string; table: string }>(
      `select name, tbl_name as "table" from sqlite_master where type = 'index'`,
    );
    this.#names = new Map(rows.map(({ name, table }) => [name, table]));
    this.#schemaVersion = version;
  }
}

/** The fields that a filter tests. */
function refsOf(condition: Condition | undefined): FieldRef[] {
  if (!condition) return [];
  if ('parts' in condition) return condition.parts.flatMap(refsOf);
  return condition.test === 'not' ? refsOf(condition.part) : [condition.ref];
}

/** Number of the newest record, which approximates the number of records. */
export const newestRecord = (connection: Connection, { table }: Layout): number =>
  connection.get<{ rid: number | null }>(`select max(rid) as rid from ${quoteIdentifier(table)}`)?.rid ?? 0;
