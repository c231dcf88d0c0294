import { type Dialect, joinConditions, type Mark, type WordTest } from './dialect.js';
import { type Condition, isPresence } from './plan.js';
import { countWords, type TermLookup, type TermLookups } from './terms.js';

/**
 * How many records a term lookup finds: few (given as record numbers, from which the search starts), many, or most (in
 * which case scanning in page order fills the page sooner).
 */
export type Selectivity = readonly number[] | 'many' | 'most';

/** What the compiler needs to know about the database. */
export interface CompilerContext {
  readonly lookups: TermLookups;
  readonly selectivity?: (lookup: TermLookup, condition: Condition) => Selectivity;
  /** Row numbers of the records whose texts have the form of a question. */
  readonly compared?: (
    condition: Condition,
    lookup: TermLookup,
    write: (condition: Condition, mark: Mark) => string,
  ) => readonly number[];
  /** Row numbers of the records that match a condition on an indexed column, if there are only a few. */
  readonly fewRecords?: (
    condition: Condition,
    write: (condition: Condition, mark: Mark) => string,
  ) => readonly number[] | undefined;
}

export interface CompiledFilter {
  readonly sql: string;
  /** Whether the query starts from a term lookup. */
  readonly startsFromIndex: boolean;
  /** Whether records are scanned in order even though a term lookup exists. */
  readonly scansRecords: boolean;
}

/** Compiles conditions to SQL over a row `r`, for any dialect. */
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
          // The most expensive tests run last, when the fewest rows are left.
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
        if (isPresence(condition)) return this.#withLookup(condition, mark, outermost);
        return this.#dialect.not(this.#condition(condition.part, mark, false));
      case 'keyword':
      case 'fuzzy':
        return countWords(condition) === 0 ? joinConditions([], 'or') : this.#withLookup(condition, mark, outermost);
      default:
        return this.#withLookup(condition, mark, outermost);
    }
  }

  /** Adds a term lookup to a condition if that helps. */
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
    if (condition.test === 'keyword' && condition.form && this.#context.compared) {
      const records = this.#context.compared(condition, lookup, (...given) => this.#plain(...given));
      if (records.length === 0) return joinConditions([], 'or');
      if (outermost) this.#startsFromIndex = true;
      return this.#dialect.isOneOf(records, mark, outermost);
    }
    const selectivity = this.#context.selectivity?.(lookup, condition);
    const few = typeof selectivity === 'object' ? selectivity : undefined;
    // A lookup with many matches does not save work unless it is exact or the test itself is slow.
    const savesWork = few || selectivity === undefined || lookup.exact || condition.test === 'fuzzy';
    if (!savesWork) return this.#plain(condition, mark);
    // Texts stored as objects cannot be tested in SQL.
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
    if (isPresence(condition)) return dialect.present(condition.part.ref, mark);
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
        return dialect.like(condition, mark);
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
