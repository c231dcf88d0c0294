import type { Connection, Parameter } from '../../../sqlite.js';
import type { Mark } from '../../dialect.js';
import type { Condition, FieldRef, SearchPlan } from '../../plan.js';
import { type Column, identifier, indexName, type Layout, quoteIdentifier } from '../../schema.js';
import {
  type CompositeSpec,
  compositesFor,
  helpfulTo,
  type IndexSpec,
  isStandard,
  maxComposites,
  maxExamined,
  maxOwn,
  maxSorted,
  minSearched,
} from '../../search-indexes.js';
import { innerOrder, rowMask, sqliteDialect } from './dialect.js';

/**
 * A first load with at least this many records builds its indexes at the end; for smaller loads, maintaining the
 * indexes is cheap.
 */
const minLoaded = 1000;
/** A table with at least this many records before the load keeps its indexes, since it is being searched. */
const maxOthers = 1000;
/** Records counted to compare conditions. */
const maxCounted = 20_000;

/** Makes `analyze` read a sample of each index. */
export const sampledAnalysis = 'pragma analysis_limit = 400';

export const nameOf = (layout: Layout, { kind, ref, by }: IndexSpec): string => {
  if (by)
    return `${identifier(`${layout.table}.${pathOf(ref)} by ${pathOf(by)}`, compositeSuffix.length)}${compositeSuffix}`;
  const isColumn = kind === 'order' && ref.path.length === 0;
  return isColumn ? indexName(layout, ref.column) : identifier(`${layout.table}.${pathOf(ref)}:${kind}`);
};

const compositeSuffix = ':composite';
const isComposite = (name: string): boolean => name.endsWith(compositeSuffix);

const pathOf = ({ column, path }: FieldRef): string => [column.field, ...path].join('.');

/** The expression that an index sorts by, without the row alias. */
const keyOf = (ref: FieldRef): string =>
  ref.path.length === 0 ? quoteIdentifier(ref.column.compared) : innerOrder(ref, unmarked).replaceAll('r.rest', 'rest');

const unmarked = (): string => {
  throw new Error('An index cannot have parameters.');
};

function create(connection: Connection, layout: Layout, spec: IndexSpec): void {
  const { kind, ref, by } = spec;
  // Most dates are null in most records: an index without nulls is smaller and faster to maintain.
  const [key, where] =
    kind === 'nulls'
      ? ['id', `${quoteIdentifier(ref.column.stored)} is null`]
      : [
          [...[ref, ...(by ? [by] : [])].map(keyOf), 'id'].join(', '),
          ref.path.length === 0 ? `${keyOf(ref)} is not null` : undefined,
        ];
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
    return this.#knows(layout, spec);
  }

  /**
   * The result of `search`, or the indexes to build first: those skipped by a first load, or those without which the
   * search would examine too many records.
   */
  searchOrNeeds<T>(
    layout: Layout,
    connectorId: string,
    plan: SearchPlan,
    search: () => T,
  ): T | { readonly needed: readonly IndexSpec[] } {
    const missing = this.#missing(layout);
    const own = this.#missingOwn(layout, plan);
    const composites = this.#missingComposites(layout, plan);
    const size = missing.length + own.length + composites.length > 0 ? newestRecord(this.#connection, layout) : 0;
    if (size < minSearched) return search();
    const fields = new Set(
      [...refsOf(plan.condition), ...plan.sort.map(({ ref }) => ref)].map(({ column }) => column.field),
    );
    const needed = missing.filter(({ ref }) => fields.has(ref.column.field));
    if (needed.length > 0) return { needed };
    if (own.length > 0 && own.length + this.#countOwn(layout, false) <= maxOwn) {
      const found = this.#connection.withBudget(maxExamined(plan.limit) / (rowMask + 1), () => ({ result: search() }));
      return found ? found.result : { needed: own };
    }
    if (composites.length === 0 || this.#countOwn(layout, true) >= maxComposites) return search();
    const found = this.#connection.withBudget(maxSorted(plan.limit) / (rowMask + 1), () => ({ result: search() }));
    return found ? found.result : { needed: [this.#mostSelective(layout, connectorId, composites)] };
  }

  /** Of indexes on conditions that records satisfy, the one whose condition the fewest of them do. */
  #mostSelective(layout: Layout, connectorId: string, composites: readonly CompositeSpec[]): IndexSpec {
    const counted = composites.map(({ condition, spec }) => {
      const values: Parameter[] = [connectorId];
      const mark: Mark = (value) => `?${values.push(value as Parameter)}`;
      const test = sqliteDialect(layout).among(condition.ref, condition.values, mark);
      const matching = `select 1 from ${quoteIdentifier(layout.table)} r
        where r.connector = (select number from connectors where connector_id = ?1) and ${test} limit ${maxCounted}`;
      return { spec, count: this.#connection.get<{ n: number }>(`select count(*) as n from (${matching})`, values)!.n };
    });
    return counted.reduce((best, one) => (one.count < best.count ? one : best)).spec;
  }

  build(layout: Layout, spec: IndexSpec): void {
    this.#connection.writeTransaction(() => {
      create(this.#connection, layout, spec);
      // Without statistics, SQLite overestimates how few records the index finds, and uses it for other searches.
      if (!isStandard(spec)) this.#connection.exec(`${sampledAnalysis}; analyze ${quoteIdentifier(layout.table)}`);
    });
  }

  /** Whether an index was there when the names were last read. */
  #knows(layout: Layout, spec: IndexSpec): boolean {
    return this.#names.has(nameOf(layout, spec));
  }

  #missing(layout: Layout): IndexSpec[] {
    this.#load();
    const all = layout.columns.filter(({ indexed }) => indexed);
    return all
      .map((column): IndexSpec => ({ kind: 'order', ref: { column, path: [] } }))
      .filter((spec) => !this.#knows(layout, spec));
  }

  /** Indexes that this table lacks and that would help a search, not counting those that every table has. */
  #missingOwn(layout: Layout, plan: SearchPlan): IndexSpec[] {
    this.#load();
    const has = (spec: IndexSpec) => this.#knows(layout, spec);
    return helpfulTo(plan, has).filter((spec) => !has(spec));
  }

  /** Composite indexes that a search could be read from, unless the table has one of them. */
  #missingComposites(layout: Layout, plan: SearchPlan): CompositeSpec[] {
    const has = (spec: IndexSpec) => this.has(layout, spec);
    const all = compositesFor(plan, has);
    return all.some(({ spec }) => has(spec)) ? [] : all;
  }

  /** Number of indexes built for searches: of the composite ones, or of the others. */
  #countOwn(layout: Layout, composite: boolean): number {
    const own = [...this.#names].filter(([name, table]) => table === layout.table && isComposite(name) === composite);
    // One of the others is the id index.
    return composite ? own.length : own.length - 1 - layout.columns.filter(({ indexed }) => indexed).length;
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
