import type { Connection, Parameter } from '../../../sqlite.js';
import type { Selectivity } from '../../compile.js';
import { joinConditions, type Mark } from '../../dialect.js';
import { type Condition, isPresence, isSameRef, requiredBy, type SearchPlan } from '../../plan.js';
import { maxCompared } from '../../relevance.js';
import { type Layout, quoteIdentifier } from '../../schema.js';
import { type CompositeSpec, compositesFor, type IndexSpec, specOf } from '../../search-indexes.js';
import type { TermLookup } from '../../terms.js';
import { matchQuery } from './dialect.js';
import { type Indexes, nameOf, newestRecord } from './indexes.js';

/** Number of texts tested word by word before the estimate switches to the term lookup. */
const maxTestedTexts = 300;
/** Maximum number of records read from the term index up front when all matches are wanted. */
const maxListedRecords = 5000;
/** Factor by which matches may be farther apart than expected. */
const scanSlack = 2;

interface Estimate {
  readonly records: readonly number[] | undefined;
  /** Approximate number of records; row numbers may have gaps. */
  readonly total: number;
  /** How many texts can be tested in the time that listing the matches takes. */
  readonly testBudget: number;
}

/** Row numbers by the terms that they have, in order and up to a limit; several ranks of a search look for the same. */
export type Listings = Map<string, { readonly rids: readonly number[]; readonly limit: number }>;

/** Name of the index in which records that match a condition are adjacent. */
function indexOf(indexes: Indexes, layout: Layout, condition: Condition): string | undefined {
  const spec = specOf(condition);
  return spec && indexes.has(layout, spec) ? nameOf(layout, spec) : undefined;
}

/** Whether an index built for searches finds the records with these values. */
export const isServed = (indexes: Indexes, layout: Layout, condition: Condition): boolean =>
  condition.test === 'among' && condition.ref.path.length > 0 && indexOf(indexes, layout, condition) !== undefined;

/** Estimates how selective the conditions of one search are. */
export class SelectivityEstimator {
  readonly #connection: Connection;
  readonly #layout: Layout;
  readonly #limit: SearchPlan['limit'] | undefined;
  /** Row number of the newest record, an upper bound on the number of records. */
  readonly #newestRecord: number;
  readonly #estimates = new Map<Condition, Estimate>();
  readonly #plan: Partial<Pick<SearchPlan, 'condition' | 'sort' | 'ranks'>>;
  /** Records that match all conditions on an indexed column; undefined if there are too many. */
  readonly #records = new Map<string, readonly number[] | undefined>();
  readonly #indexes: Indexes;
  /** The composite index that has the records of the page in order, and its condition. */
  readonly #composite: CompositeSpec | undefined;
  readonly #listings: Listings;

  /** If there is no plan, all matching records are wanted. */
  constructor(
    connection: Connection,
    indexes: Indexes,
    layout: Layout,
    plan: SearchPlan | undefined,
    listings: Listings = new Map(),
  ) {
    this.#listings = listings;
    this.#connection = connection;
    this.#indexes = indexes;
    this.#layout = layout;
    this.#limit = plan?.limit;
    this.#plan = plan ?? {};
    this.#newestRecord = newestRecord(connection, layout);
    const has = (spec: IndexSpec) => indexes.has(layout, spec);
    this.#composite = compositesFor(this.#plan, has).find(({ spec }) => has(spec));
  }

  /** Name of the index that has the records of the page in order. */
  get compositeIndex(): string | undefined {
    return this.#composite && nameOf(this.#layout, this.#composite.spec);
  }

  of(lookup: TermLookup, condition: Condition): Selectivity {
    const { records, total, testBudget } = this.#estimate(lookup, condition);
    if (records) return records;
    return this.#limit !== undefined && (3 * this.#newestRecord * this.#limit) / total < testBudget ? 'most' : 'many';
  }

  /** Row numbers of the records with these terms that pass a test; none if there are too many to test. */
  compared(
    { terms }: TermLookup,
    condition: Condition,
    write: (condition: Condition, mark: Mark) => string,
  ): readonly number[] {
    const listed = this.#listed(terms, maxCompared + 1);
    if (listed.length === 0 || listed.length > maxCompared) return [];
    const values: Parameter[] = [JSON.stringify(listed)];
    const test = write(condition, (value) => `?${values.push(value as Parameter)}`);
    return this.#connection
      .all<{ rid: number }>(
        `select r.rid from ${quoteIdentifier(this.#layout.table)} r not indexed
          where r.rid in (select value from json_each(?1)) and ${test}`,
        values,
      )
      .map(({ rid }) => rid);
  }

  /** Row numbers of a connector's records that match all conditions on an indexed column, if that saves work. */
  fewRecords(
    connector: number,
    condition: Condition,
    write: (condition: Condition, mark: Mark) => string,
  ): readonly number[] | undefined {
    const index = this.#indexOf(condition);
    if (index === undefined || this.#comesInOrder(condition)) return undefined;
    if (!this.#records.has(index)) {
      const values: Parameter[] = [connector];
      const mark: Mark = (value) => `?${values.push(value as Parameter)}`;
      const own = requiredBy(this.#plan.condition).filter((one) => this.#indexOf(one) === index);
      const where = joinConditions(['r.connector = ?1', ...own.map((one) => write(one, mark))], 'and');
      const { kind, ref } = specOf(condition)!;
      const isOrdinary = kind === 'order' && ref.path.length === 0 && !isPresence(condition);
      const hint = isOrdinary ? '' : ` indexed by ${quoteIdentifier(index)}`;
      const rows = this.#connection.all<{ rid: number }>(
        `select r.rid from ${quoteIdentifier(this.#layout.table)} r${hint} where ${where} limit ${this.maxRecords + 1}`,
        values,
      );
      this.#records.set(index, rows.length > this.maxRecords ? undefined : rows.map(({ rid }) => rid));
    }
    return this.#records.get(index);
  }

  #indexOf(condition: Condition): string | undefined {
    return indexOf(this.#indexes, this.#layout, condition);
  }

  /** The first row numbers of the records with these terms, in order. */
  #listed(terms: TermLookup['terms'], limit: number): readonly number[] {
    const query = matchQuery(terms);
    const known = this.#listings.get(query);
    if (known && (known.limit >= limit || known.rids.length < known.limit)) return known.rids.slice(0, limit);
    const words = quoteIdentifier(this.#layout.words);
    // Texts are compared with a phrase before the records with all of its words are estimated.
    const most = Math.max(limit, this.maxRecords + 1);
    const rids = this.#connection
      .all<{ rid: number }>(`select rowid as rid from ${words} where ${words} match ?1 limit ?2`, [query, most])
      .map(({ rid }) => rid);
    this.#listings.set(query, { rids, limit: most });
    return rids.slice(0, limit);
  }

  /** Whether a condition's index returns its records in page order. */
  #comesInOrder(condition: Condition): boolean {
    const { kind, ref } = specOf(condition)!;
    if (kind !== 'order') return false;
    if (condition === this.#composite?.condition) return true;
    const [first] = this.#plan.sort ?? [];
    if (first) return isSameRef(first.ref, ref);
    return condition.test === 'among' && condition.values.length === 1;
  }

  /** Whether the indexes find only large sets of records that need sorting. */
  get isWide(): boolean {
    return (
      [...this.#records.values()].includes(undefined) &&
      !requiredBy(this.#plan.condition).some(
        (one) => one.test === 'among' && this.#indexOf(one) !== undefined && this.#comesInOrder(one),
      )
    );
  }

  /** How many records to scan to fill a page, assuming that matches are evenly spread. */
  get scanLimit(): number {
    return Math.ceil((scanSlack * (this.#limit ?? 0) * this.#newestRecord) / this.maxRecords);
  }

  /** How many texts to test before it becomes cheaper to list the term's matches. */
  get testLimit(): number {
    return Math.max(...[...this.#estimates.values()].map(({ testBudget }) => testBudget));
  }

  #estimate(lookup: TermLookup, condition: Condition): Estimate {
    let estimate = this.#estimates.get(condition);
    if (!estimate) {
      estimate = this.#measure(lookup, this.#maxInitialRecords(lookup, condition));
      this.#estimates.set(condition, estimate);
    }
    return estimate;
  }

  #measure({ terms, exact }: TermLookup, maxRecords: number): Estimate {
    const records = this.#listed(terms, maxRecords + 1);
    if (records.length <= maxRecords) return { records: records, total: records.length, testBudget: 0 };
    const first = records[0]!;
    const share = records.length / (records.at(-1)! - first + 1);
    const total = share * (this.#newestRecord - first + 1);
    // Inexact terms match many records, each of which still has to be tested.
    return { records: undefined, total, testBudget: total * (exact ? 0.2 : 2) };
  }

  /**
   * Maximum number of term matches to start a search from. Each is a random access, so reading more of them would take
   * longer than scanning records in order until the page is full.
   */
  get maxRecords(): number {
    return this.#limit === undefined
      ? maxListedRecords
      : Math.max(200, Math.round(Math.sqrt(0.4 * this.#newestRecord * this.#limit)));
  }

  #maxInitialRecords({ exact }: TermLookup, { test }: Condition): number {
    const maxRecords = this.maxRecords;
    return test === 'fuzzy' && !exact ? Math.min(maxTestedTexts, maxRecords) : maxRecords;
  }
}
