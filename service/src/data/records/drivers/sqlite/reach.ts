import type { Reach } from '../../compile.js';
import type { Condition, SearchPlan } from '../../plan.js';
import { type Layout, quoted } from '../../schema.js';
import type { Lead } from '../../terms.js';
import type { Connection } from './connection.js';
import { matchQuery } from './dialect.js';

/** So many texts at most are read word by word to begin with. */
const fewTexts = 300;
/** So many records at most are taken from the index of terms to begin with, where all that are found are wanted. */
const manyNumbers = 5000;

interface Estimate {
  readonly few: readonly number[] | undefined;
  /** About how many records there are; they may lie unevenly. */
  readonly all: number;
  /** So many texts are tested in the time that listing them takes. */
  readonly tests: number;
}

/** Finds out for one search how far the leads of its conditions go. */
export class Reaches {
  readonly #connection: Connection;
  readonly #layout: Layout;
  readonly #wanted: SearchPlan['limit'] | undefined;
  /** Number of the newest record, and so about how many there are. */
  readonly #size: number;
  readonly #known = new Map<Condition, Estimate>();

  /** Without a number of wanted records all that are found are wanted. */
  constructor(connection: Connection, layout: Layout, wanted: number | undefined) {
    this.#connection = connection;
    this.#layout = layout;
    this.#wanted = wanted;
    const row = connection.get<{ rid: number | null }>(`select max(rid) as rid from ${quoted(layout.table)}`);
    this.#size = row?.rid ?? 0;
  }

  of(lead: Lead, condition: Condition): Reach {
    const { few, all, tests } = this.#estimate(lead, condition);
    if (few) return few;
    return this.#wanted !== undefined && (3 * this.#size * this.#wanted) / all < tests ? 'most' : 'many';
  }

  /** How many texts may be tested before listing what the terms lead to would have been the shorter way. */
  get patience(): number {
    return Math.max(...[...this.#known.values()].map(({ tests }) => tests));
  }

  #estimate(lead: Lead, condition: Condition): Estimate {
    let estimate = this.#known.get(condition);
    if (!estimate) {
      estimate = this.#estimated(lead, this.#mostToBeginWith(lead, condition));
      this.#known.set(condition, estimate);
    }
    return estimate;
  }

  #estimated({ terms, exact }: Lead, most: number): Estimate {
    const words = quoted(this.#layout.words);
    const rows = this.#connection.all<{ rid: number }>(
      `select rowid as rid from ${words} where ${words} match ?1 limit ?2`,
      [matchQuery(terms), most + 1],
    );
    const records = rows.map(({ rid }) => rid);
    if (records.length <= most) return { few: records, all: records.length, tests: 0 };
    const first = records[0]!;
    const share = records.length / (records.at(-1)! - first + 1);
    const all = share * (this.#size - first + 1);
    // Terms that do not say everything are many, and their records have to be tested nevertheless.
    return { few: undefined, all, tests: all * (exact ? 0.2 : 2) };
  }

  /**
   * To how many records terms may lead for a search to begin with them. Reading each of these takes as long as going
   * through all records in order until a page is full, where every record is found at a place of its own.
   */
  #mostToBeginWith({ exact }: Lead, { test }: Condition): number {
    const most =
      this.#wanted === undefined ? manyNumbers : Math.max(200, Math.round(Math.sqrt(0.4 * this.#size * this.#wanted)));
    return test === 'fuzzy' && !exact ? Math.min(fewTexts, most) : most;
  }
}
