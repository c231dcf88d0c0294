import { type Dialect, joinConditions, type Mark, type WordTest } from './dialect.js';
import type { Condition } from './plan.js';
import type { TermLookup, TermLookups } from './terms.js';

/**
 * How many records a term lookup finds: few, by their numbers, from which the search starts; many; or most, so that a scan
 * in the order of the page fills the page sooner.
 */
export type Selectivity = readonly number[] | 'many' | 'most';

/** What a compiler asks about the database it writes for. */
export interface CompilerContext {
  readonly lookups: TermLookups;
  readonly selectivity?: (lookup: TermLookup, condition: Condition) => Selectivity;
  /** Numbers of all records that meet a condition on an indexed column, where these are few. */
  readonly fewRecords?: (
    condition: Condition,
    write: (condition: Condition, mark: Mark) => string,
  ) => readonly number[] | undefined;
}

/** A compiled filter. */
export interface CompiledFilter {
  readonly sql: string;
  /** Whether terms have been found to begin with. */
  readonly startsFromIndex: boolean;
  /** Whether records are looked at as they come although terms lead to them. */
  readonly scansRecords: boolean;
}

/** Writes conditions as SQL over one row `r`, for whichever dialect. */
export class Compiler {
  readonly #dialect: Dialect;
  readonly #context: CompilerContext;
  #startsFromIndex = false;
  #scansRecords = false;

  constructor(dialect: Dialect, context: CompilerContext) {
    this.#dialect = dialect;
    this.#context = context;
  }

  filter(condition: Condition | undefined, mark: Mark): CompiledFilter {
    this.#startsFromIndex = false;
    this.#scansRecords = false;
    const sql = condition === undefined ? '' : this.#condition(condition, mark, true);
    return { sql, startsFromIndex: this.#startsFromIndex, scansRecords: this.#scansRecords };
  }

  #condition(condition: Condition, mark: Mark, outermost: boolean): string {
    switch (condition.test) {
      case 'all':
        return joinConditions(
          // What takes longest to decide comes last, for what little is left then.
          [...condition.parts]
            .sort((one, other) => Number(readsWords(one)) - Number(readsWords(other)))
            .map((part) => this.#condition(part, mark, outermost)),
          'and',
        );
      case 'some':
        return joinConditions(
          condition.parts.map((part) => this.#condition(part, mark, false)),
          'or',
        );
      case 'not':
        return this.#dialect.not(this.#condition(condition.part, mark, false));
      case 'keyword':
      case 'fuzzy':
        return condition.words.length === 0 ? joinConditions([], 'or') : this.#withLookup(condition, mark, outermost);
      default:
        return this.#withLookup(condition, mark, outermost);
    }
  }

  /** A condition together with the terms that lead to its records, where that helps. */
  #withLookup(condition: Condition, mark: Mark, outermost: boolean): string {
    const lookup = this.#context.lookups.of(condition);
    if ('termsAlone' in condition) {
      return lookup ? this.#dialect.matchesTerms(lookup.terms, mark) : joinConditions([], 'and');
    }
    if (!lookup) {
      const records = outermost
        ? this.#context.fewRecords?.(condition, (...given) => this.#plain(...given))
        : undefined;
      if (!records) return this.#plain(condition, mark);
      this.#startsFromIndex = true;
      return this.#dialect.isOneOf(records, mark, true);
    }
    const selectivity = this.#context.selectivity?.(lookup, condition);
    const few = typeof selectivity === 'object' ? selectivity : undefined;
    // Terms that lead to much spare no work, unless they say everything or the test itself is slow.
    const savesWork = few || selectivity === undefined || lookup.exact || condition.test === 'fuzzy';
    if (!savesWork) return this.#plain(condition, mark);
    // A text in the object store is not there to be looked at.
    const isInline = !('ref' in condition) || condition.ref.column.maxInline === undefined;
    if (selectivity === 'most' && outermost && (isInline || !lookup.exact)) {
      this.#scansRecords = true;
      return this.#plain(condition, mark);
    }
    if (few && outermost) this.#startsFromIndex = true;
    const sql = few ? this.#dialect.isOneOf(few, mark, outermost) : this.#dialect.matchesTerms(lookup.terms, mark);
    return lookup.exact ? sql : `(${sql} and ${this.#plain(condition, mark)})`;
  }

  #plain(condition: Condition, mark: Mark): string {
    const dialect = this.#dialect;
    switch (condition.test) {
      case 'among': {
        const { ref, values } = condition;
        const some = values.filter((value) => value !== null);
        const parts = some.length > 0 ? [dialect.among(ref, some, mark)] : [];
        if (some.length < values.length) parts.push(dialect.missing(ref, mark));
        return joinConditions(parts, 'or');
      }
      case 'compare':
        return dialect.compare(condition.ref, condition.sign, condition.value, mark);
      case 'like':
        return dialect.like(condition.ref, condition.pattern, mark);
      case 'holds':
        return condition.values.length === 0
          ? joinConditions([], 'or')
          : dialect.containsAny(condition.ref, condition.values, mark);
      default:
        return dialect.words(condition as WordTest, mark);
    }
  }
}

const readsWords = ({ test }: Condition): boolean => test === 'keyword' || test === 'fuzzy';
