import { joinConditions } from '../../dialect.js';
import { describeEmpty, type EmptyRequest, type EmptySearch, noRecords } from '../../empty-search.js';
import { lookUpPlace, noPlace, type Place, type RecordSource, type Statements } from '../../places.js';
import type { Condition, FieldRef, Summary } from '../../plan.js';
import type { Layout } from '../../schema.js';
import { countMatches, type Groups, noGroups, summarize } from '../../summary.js';
import type { RunStatement } from './connection.js';
import type { Reader } from './read.js';
import { enterConnector, ownRows } from './row-security.js';

/** Summarizes a connector's records, inside a transaction. */
export class Summaries {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  async place(query: RunStatement, layout: Layout, connectorId: string, ref: FieldRef): Promise<Place> {
    return (await this.#read(query, layout, connectorId, undefined, (source) => lookUpPlace(source, ref))) ?? noPlace;
  }

  async summarize(query: RunStatement, layout: Layout, connectorId: string, summary: Summary): Promise<Groups> {
    const { condition } = summary;
    const groups = await this.#read(query, layout, connectorId, condition, (source) => summarize(source, summary));
    return groups ?? noGroups(summary);
  }

  async countUpTo(
    query: RunStatement,
    layout: Layout,
    connectorId: string,
    condition: Condition | undefined,
    maxScanned: number,
  ): Promise<number | undefined> {
    // Checked before compiling the condition, which would read the texts of all candidates.
    const all = await this.#read(query, layout, connectorId, undefined, (source) =>
      countMatches(source, undefined, maxScanned),
    );
    if (all === undefined || condition === undefined) return all;
    return this.#read(query, layout, connectorId, condition, (source) => countMatches(source, condition, maxScanned));
  }

  async describeEmpty(
    query: RunStatement,
    layout: Layout,
    connectorId: string,
    request: EmptyRequest,
  ): Promise<EmptySearch> {
    const { visible } = request;
    const found = await this.#read(query, layout, connectorId, visible, (source) => describeEmpty(source, request));
    return found ?? noRecords;
  }

  /** Runs statements over a connector's records; undefined if it has none. */
  async #read<Result>(
    query: RunStatement,
    layout: Layout,
    connectorId: string,
    condition: Condition | undefined,
    statementsOf: (source: RecordSource) => Statements<Result>,
  ): Promise<Result | undefined> {
    const connector = await enterConnector(query, connectorId, layout);
    if (connector === undefined) return undefined;
    // Word tests are evaluated first.
    const { compiler, dialect } = await this.#reader.compilerFor(query, layout, connector, condition);
    const table = ownRows(layout.table);
    const where = 'r.connector = $1';
    const statements = statementsOf({
      dialect,
      table,
      where,
      connector,
      known: layout.known,
      matching: (wanted, mark) => {
        const { sql } = compiler.filter(wanted, mark);
        return { from: `${table} r`, where: sql === '' ? where : joinConditions([where, sql], 'and') };
      },
      mark: (place) => `$${place}`,
    });
    let step = statements.next();
    while (!step.done) step = statements.next(await query(step.value.sql, step.value.values));
    return step.value;
  }
}
