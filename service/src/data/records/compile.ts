import { type Dialect, joined, type Mark, type WordTest } from './dialect.js';
import type { Condition } from './plan.js';
import type { Lead, Leads } from './terms.js';

/**
 * How far a lead goes: to few records, which the search had better begin with; to many; or to so many that a page is
 * full sooner when each record is looked at as it comes.
 */
export type Reach = readonly number[] | 'many' | 'most';

/** What a compiler asks about the database it writes for. */
export interface Guidance {
  readonly leads: Leads;
  readonly reach?: (lead: Lead, condition: Condition) => Reach;
}

/** A compiled filter. */
export interface CompiledFilter {
  readonly sql: string;
  /** Whether terms have been found to begin with. */
  readonly led: boolean;
  /** Whether records are looked at as they come although terms lead to them. */
  readonly looks: boolean;
}

/** Writes conditions as SQL over one row `r`, for whichever dialect. */
export class Compiler {
  readonly #dialect: Dialect;
  readonly #guidance: Guidance;
  #led = false;
  #looks = false;

  constructor(dialect: Dialect, guidance: Guidance) {
    this.#dialect = dialect;
    this.#guidance = guidance;
  }

  filter(condition: Condition | undefined, mark: Mark): CompiledFilter {
    this.#led = false;
    this.#looks = false;
    const sql = condition === undefined ? '' : this.#condition(condition, mark, true);
    return { sql, led: this.#led, looks: this.#looks };
  }

  #condition(condition: Condition, mark: Mark, outermost: boolean): string {
    switch (condition.test) {
      case 'all':
        return joined(
          // What takes longest to decide comes last, for what little is left then.
          [...condition.parts]
            .sort((one, other) => Number(readsWords(one)) - Number(readsWords(other)))
            .map((part) => this.#condition(part, mark, outermost)),
          'and',
        );
      case 'some':
        return joined(
          condition.parts.map((part) => this.#condition(part, mark, false)),
          'or',
        );
      case 'not':
        return this.#dialect.not(this.#condition(condition.part, mark, false));
      case 'keyword':
      case 'fuzzy':
        return condition.words.length === 0 ? joined([], 'or') : this.#withLead(condition, mark, outermost);
      default:
        return this.#withLead(condition, mark, outermost);
    }
  }

  /** A condition together with the terms that lead to its records, where that helps. */
  #withLead(condition: Condition, mark: Mark, outermost: boolean): string {
    const lead = this.#guidance.leads.of(condition);
    if (!lead) return this.#plain(condition, mark);
    const reach = this.#guidance.reach?.(lead, condition);
    const few = typeof reach === 'object' ? reach : undefined;
    // Terms that lead to much spare no work, unless they say everything or the test itself is slow.
    const spares = few || reach === undefined || lead.exact || condition.test === 'fuzzy';
    if (!spares) return this.#plain(condition, mark);
    if (reach === 'most' && outermost) {
      this.#looks = true;
      return this.#plain(condition, mark);
    }
    if (few && outermost) this.#led = true;
    const sql = few ? this.#dialect.isOne(few, mark, outermost) : this.#dialect.leadsTo(lead.terms, mark);
    return lead.exact ? sql : `(${sql} and ${this.#plain(condition, mark)})`;
  }

  #plain(condition: Condition, mark: Mark): string {
    const dialect = this.#dialect;
    switch (condition.test) {
      case 'among': {
        const { place, values } = condition;
        const some = values.filter((value) => value !== null);
        const parts = some.length > 0 ? [dialect.among(place, some, mark)] : [];
        if (some.length < values.length) parts.push(dialect.missing(place, mark));
        return joined(parts, 'or');
      }
      case 'compare':
        return dialect.compare(condition.place, condition.sign, condition.value, mark);
      case 'like':
        return dialect.like(condition.place, condition.pattern, mark);
      case 'holds':
        return condition.values.length === 0
          ? joined([], 'or')
          : dialect.holds(condition.place, condition.values, mark);
      default:
        return dialect.words(condition as WordTest, mark);
    }
  }
}

const readsWords = ({ test }: Condition): boolean => test === 'keyword' || test === 'fuzzy';
