import type { Connection, Parameter } from '../../../sqlite.js';
import type { Mark } from '../../dialect.js';
import { type Condition, requiredBy } from '../../plan.js';
import { type Layout, quoteIdentifier } from '../../schema.js';
import { type TermLookup, TermLookups } from '../../terms.js';
import { Vocabularies } from '../../words/vocabulary.js';
import { recordsWith, sqliteDialect } from './dialect.js';
import type { Reader } from './read.js';

/** A test on an array stored in the row. */
type ArrayTest = Extract<Condition, { test: 'holds' }>;

/** If at least this share of the records match, testing ranked passages is faster than listing the records. */
const minShare = 0.2;
/** Number of records used to estimate a share. */
const sampleSize = 500;
/** Passages to rank for each one expected to pass. */
const slack = 1.25;

/** Limits rankings of a connector's passages to the records that match a condition, within a transaction. */
export class PassageFilter {
  readonly #connection: Connection;
  readonly #reader: Reader;
  readonly #layout: Layout;
  readonly #connector: number;
  /** All parts of the condition. */
  readonly #parts: readonly Condition[];
  /** Parts that many records match; tested after ranking. */
  readonly #wide: ArrayTest[] = [];
  /** Approximate share of the records that match the wide parts. */
  #share = 1;

  constructor(connection: Connection, reader: Reader, layout: Layout, connector: number, condition: Condition) {
    this.#connection = connection;
    this.#reader = reader;
    this.#layout = layout;
    this.#connector = connector;
    this.#parts = requiredBy(condition);
    for (const part of this.#parts) {
      const lookup = this.#lookupOf(part);
      const share = lookup ? this.#shareOf(lookup) : 0;
      if (share < minShare) continue;
      this.#wide.push(part as ArrayTest);
      this.#share *= share;
    }
  }

  /**
   * The best `count` passages. `rank` finds the best ones among the records in a JSON array of record numbers, or among
   * all records.
   */
  best(count: number, rank: (count: number, rids?: string) => number[]): number[] {
    const rankAmong = (parts: readonly Condition[], count: number): number[] => {
      const rids = parts.length > 0 ? this.#numbersOf(parts) : undefined;
      return rids === '[]' ? [] : rank(count, rids);
    };
    if (this.#wide.length === 0) return rankAmong(this.#parts, count);
    const wide: readonly Condition[] = this.#wide;
    const wanted = Math.ceil((slack * count) / this.#share);
    const ranked = rankAmong(
      this.#parts.filter((part) => !wide.includes(part)),
      wanted,
    );
    const passing = this.#passing(ranked);
    // If fewer pass than expected, the ranked records are atypical, so apply all conditions before ranking.
    return passing.length < count && ranked.length >= wanted ? rankAmong(this.#parts, count) : passing.slice(0, count);
  }

  /** The passages whose records pass the wide tests. */
  #passing(passages: readonly number[]): number[] {
    const values: Parameter[] = [JSON.stringify(passages)];
    const mark: Mark = (value) => `?${values.push(value as Parameter)}`;
    const dialect = sqliteDialect(this.#layout);
    const tests = this.#wide.map((one) => dialect.containsAny(one.ref, one.values, mark));
    const rows = this.#connection.all<{ passage: number }>(
      `select p.passage from passages p join ${quoteIdentifier(this.#layout.table)} r on r.rid = p.rid
        where p.passage in (select value from json_each(?1)) and ${tests.join(' and ')}`,
      values,
    );
    const passing = new Set(rows.map(({ passage }) => passage));
    return passages.filter((passage) => passing.has(passage));
  }

  /** Row numbers of the records that match every part of the filter, as a JSON array. */
  #numbersOf(parts: readonly Condition[]): string {
    const values: Parameter[] = [];
    const mark: Mark = (value) => `?${values.push(value as Parameter)}`;
    const lookup = parts.length === 1 ? this.#lookupOf(parts[0]!) : undefined;
    let matching: string;
    if (lookup) matching = recordsWith(this.#layout.words, lookup.terms, mark);
    else {
      values.push(this.#connector);
      const { from, where } = this.#reader.matching(this.#layout, this.#connector, { test: 'all', parts }, mark);
      matching = `select r.rid as rowid from ${from} where ${where}`;
    }
    // Returned as a single string, which is faster to read than rows.
    return this.#connection.get<{ rids: string }>(`select json_group_array(rowid) as rids from (${matching})`, values)!
      .rids;
  }

  /** The term lookup for a test that can also be evaluated on the row. */
  #lookupOf(condition: Condition): TermLookup | undefined {
    if (condition.test !== 'holds' || condition.termsAlone || condition.ref.column.maxInline !== undefined)
      return undefined;
    const lookup = new TermLookups(this.#connector, new Vocabularies()).of(condition);
    return lookup?.exact ? lookup : undefined;
  }

  /** Approximate share of the records that have the given terms; 0 if there are few. */
  #shareOf({ terms }: TermLookup): number {
    const values: Parameter[] = [];
    const mark: Mark = (value) => `?${values.push(value as Parameter)}`;
    const { count, first, last } = this.#connection.get<{ count: number; first: number; last: number }>(
      `select count(*) as count, min(rowid) as first, max(rowid) as last
        from (${recordsWith(this.#layout.words, terms, mark)} limit ${sampleSize})`,
      values,
    )!;
    return count < sampleSize ? 0 : count / (last - first + 1);
  }
}
