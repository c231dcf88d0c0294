import type { Connection, Parameter } from '../../../sqlite.js';
import { describeEmpty, type EmptyRequest, type EmptySearch, noRecords } from '../../empty-search.js';
import { lookUpPlace, noPlace, type Place, type RecordSource, type Statements } from '../../places.js';
import type { Condition, FieldRef, Summary } from '../../plan.js';
import { type Layout, quoteIdentifier } from '../../schema.js';
import { countMatches, type Groups, noGroups, summarize } from '../../summary.js';
import { rowMask, sqliteDialect, withinTime } from './dialect.js';
import type { Reader } from './read.js';

/** Maximum number of counts that are remembered. */
const maxCounts = 500;
/** Longest search whose count is remembered, in characters: each thread keeps its own. */
const maxRemembered = 4_000;

/** Summarizes the records of a connector. */
export class Summaries {
  readonly #connection: Connection;
  readonly #reader: Reader;
  /** Counts as long as the file is unchanged. */
  readonly #counts = new Map<string, number | undefined>();
  #version = '';

  constructor(connection: Connection, reader: Reader) {
    this.#connection = connection;
    this.#reader = reader;
  }

  place(layout: Layout, connectorId: string, ref: FieldRef): Place {
    return this.#read(layout, connectorId, (source) => lookUpPlace(source, ref)) ?? noPlace;
  }

  summarize(layout: Layout, connectorId: string, summary: Summary): Groups {
    return this.#read(layout, connectorId, (source) => summarize(source, summary)) ?? noGroups(summary);
  }

  /** Counts matching records; undefined if that would scan more than `maxScanned`. */
  countUpTo(
    layout: Layout,
    connectorId: string,
    condition: Condition | undefined,
    maxScanned: number,
  ): number | undefined {
    const version = this.#connection.version();
    if (version !== this.#version || this.#counts.size >= maxCounts) this.#counts.clear();
    this.#version = version;
    // Whether there are too many records to scan does not depend on the condition.
    const all = this.#count(layout, connectorId, undefined, maxScanned);
    return all === undefined || !condition ? all : this.#count(layout, connectorId, condition, maxScanned);
  }

  #count(layout: Layout, connectorId: string, condition: Condition | undefined, most: number): number | undefined {
    const count = () => this.#read(layout, connectorId, (source) => countMatches(source, condition, most));
    const name = JSON.stringify([layout.table, connectorId, most, condition]);
    if (name.length > maxRemembered) return count();
    if (!this.#counts.has(name)) this.#counts.set(name, count());
    return this.#counts.get(name);
  }

  describeEmpty(layout: Layout, connectorId: string, request: EmptyRequest): EmptySearch {
    return this.#read(layout, connectorId, (source) => describeEmpty(source, request)) ?? noRecords;
  }

  /** Runs statements over a connector's records; undefined if it has none. */
  #read<Result>(
    layout: Layout,
    connectorId: string,
    statementsOf: (source: RecordSource) => Statements<Result>,
  ): Result | undefined {
    return this.#connection.readTransaction(() => {
      const connector = this.#reader.numberOf(connectorId);
      if (connector === undefined) return undefined;
      const statements = statementsOf({
        dialect: sqliteDialect(layout),
        matching: (condition, mark) => this.#reader.matching(layout, connector, condition, mark),
        table: quoteIdentifier(layout.table),
        where: `(r.connector = ?1 and ${withinTime('r.rid', rowMask)})`,
        connector,
        known: layout.known,
        mark: (place) => `?${place}`,
      });
      let step = statements.next();
      while (!step.done) {
        const { sql, values } = step.value;
        step = statements.next(this.#connection.all(sql, values as Parameter[]));
      }
      return step.value;
    });
  }
}
