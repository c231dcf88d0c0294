import type { Condition, FieldRef, SearchPlan } from '../../plan.js';
import { type Column, type Layout, quoteIdentifier } from '../../schema.js';
import { indexName } from '../../shape.js';
import type { Connection } from './connection.js';

/** A first load of so many records has its indexes built at its end; below, keeping them costs little. */
const minLoaded = 5000;
/** A table with so many records before the load keeps its indexes: others search it. */
const maxOthers = 1000;
/** In a smaller table a search reads all records as fast as it would wait for an index. */
const minSearched = 10_000;

/** Which indexes tables have: those of a first load are built when it ends, or as soon as a search needs them. */
export class Indexes {
  readonly #connection: Connection;
  /** First loads that go on, with the records that each has added. */
  readonly #loads = new Map<Layout, number>();
  #names = new Set<string>();
  #schemaVersion = -1;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  startLoad(layout: Layout): void {
    this.#loads.set(layout, 0);
  }

  /** Names the fields whose indexes are to be built. */
  finishLoad(layout: Layout): string[] {
    this.#loads.delete(layout);
    return this.#missing(layout);
  }

  /** Counts what a load has added, and drops the indexes of its table once that pays off. */
  noteInserted(layout: Layout, inserted: number): void {
    const before = this.#loads.get(layout);
    if (before === undefined) return;
    const loaded = before + inserted;
    this.#loads.set(layout, loaded);
    if (loaded < minLoaded) return;
    // Once only: what a search has had built since then stays.
    this.#loads.delete(layout);
    if (newestRecord(this.#connection, layout) > loaded + maxOthers) return;
    this.#connection.writeTransaction(() => {
      for (const column of layout.columns) {
        if (column.indexed) this.#connection.exec(`drop index if exists ${quoteIdentifier(indexName(layout, column))}`);
      }
    });
  }

  /** Names the fields whose indexes a search had better wait for. */
  neededFor(layout: Layout, { condition, sort }: SearchPlan): string[] {
    const missing = this.#missing(layout);
    if (missing.length === 0 || newestRecord(this.#connection, layout) < minSearched) return [];
    const fields = new Set([...refsOf(condition), ...sort.map(({ ref }) => ref)].map(({ column }) => column.field));
    return missing.filter((field) => fields.has(field));
  }

  #missing(layout: Layout): string[] {
    this.#load();
    return layout.columns
      .filter((column) => column.indexed && !this.#names.has(indexName(layout, column)))
      .map(({ field }) => field);
  }

  build(layout: Layout, field: string): void {
    const column = layout.columns.find((one) => one.field === field);
    if (column) this.#connection.writeTransaction(() => addIndex(this.#connection, layout, column));
  }

  /** Reads the names of all indexes, where the schema has changed. */
  #load(): void {
    const { schema_version: version } = this.#connection.get<{ schema_version: number }>('pragma schema_version')!;
    if (version === this.#schemaVersion) return;
    const rows = this.#connection.all<{ name: string }>(`select name from sqlite_master where type = 'index'`);
    this.#names = new Set(rows.map(({ name }) => name));
    this.#schemaVersion = version;
  }
}

/** What a filter asks about. */
function refsOf(condition: Condition | undefined): FieldRef[] {
  if (!condition) return [];
  if ('parts' in condition) return condition.parts.flatMap(refsOf);
  return condition.test === 'not' ? refsOf(condition.part) : [condition.ref];
}

/** Number of the newest record, and so about how many there are. */
export const newestRecord = (connection: Connection, { table }: Layout): number =>
  connection.get<{ rid: number | null }>(`select max(rid) as rid from ${quoteIdentifier(table)}`)?.rid ?? 0;

/** Creates the index of a column that has one. */
export function addIndex(connection: Connection, layout: Layout, column: Column): void {
  if (!column.indexed) return;
  const compared = quoteIdentifier(column.compared);
  // Most records lack most dates: an index of those that have one is smaller, and quicker to keep.
  connection.exec(
    `create index if not exists ${quoteIdentifier(indexName(layout, column))} on ${quoteIdentifier(layout.table)}
      (connector, ${compared}, id) where ${compared} is not null`,
  );
}
