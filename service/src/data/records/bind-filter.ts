import {
  type Field,
  type FieldCondition,
  type Condition as ParsedCondition,
  relativeDate,
  type Test,
} from 'agent-connectors/search';
import type { FaultCollector } from './faults.js';
import { FilterCost } from './filter-cost.js';
import type { Condition, FieldRef, Pattern } from './plan.js';
import { boundedId } from './rows.js';
import { escapeText, instantKey, integerKey, type Layout } from './schema.js';
import { wordsOf } from './words.js';

/** Resolves the fields of a parsed search to columns, and converts values to the form in which columns compare them. */
export class Binder {
  readonly #layout: Layout;
  readonly #faults: FaultCollector;
  readonly #now: number;

  constructor(layout: Layout, faults: FaultCollector, now: number) {
    this.#layout = layout;
    this.#faults = faults;
    this.#now = now;
  }

  /** Resolves a field; `at` is where it is in the parameters. */
  ref({ name, inner }: Field, at: readonly string[]): FieldRef {
    const ref = { column: this.#layout.columns.find(({ field }) => field === name)!, path: inner };
    if (inner.length > 0 && ref.column.kind === 'object') this.#faults.innerPaths.push({ at, ref });
    return ref;
  }

  /** Binds a filter; reports it if it costs too much. */
  filter(filter: ParsedCondition | undefined, at: readonly string[]): Condition | undefined {
    if (!filter) return undefined;
    const cost = new FilterCost();
    const condition = this.#condition(filter, cost);
    const fault = cost.fault();
    if (fault !== undefined) this.#faults.add(at, fault);
    return condition;
  }

  #condition(condition: ParsedCondition, cost: FilterCost): Condition {
    const bind = (part: ParsedCondition) => this.#condition(part, cost);
    if ('all' in condition) return { test: 'all', parts: condition.all.map(bind) };
    if ('some' in condition) return { test: 'some', parts: condition.some.map(bind) };
    if ('not' in condition) return { test: 'not', part: bind(condition.not) };
    const bound = this.#fieldCondition(condition);
    cost.add(condition.operator, bound);
    return bound;
  }

  #fieldCondition({ field, tests, negated, at }: FieldCondition): Condition {
    const ref = this.ref(field, at);
    const parts = tests.map((test) => this.#test(test, ref));
    const part: Condition = parts.length === 1 ? parts[0]! : { test: 'some', parts };
    return negated ? { test: 'not', part } : part;
  }

  #test(test: Test, ref: FieldRef): Condition {
    switch (test.test) {
      case 'among':
        return { test: 'among', ref, values: test.values.map((value) => this.#comparable(ref, value)) };
      case 'compare':
        return { test: 'compare', ref, sign: test.sign, value: this.#ordered(ref, test.value) };
      case 'like':
        return { test: 'like', ref, pattern: patternOf(test.pattern) };
      case 'keyword':
        return { test: 'keyword', ref, words: [...new Set(wordsOf(test.text))] };
      case 'fuzzy':
        return { test: 'fuzzy', ref, words: wordsOf(test.text) };
      case 'holds':
        return { test: 'holds', ref, values: test.values };
    }
  }

  /** Converts a value to the form used for comparisons with its column; null stays null. */
  #comparable({ column, path }: FieldRef, value: unknown): unknown {
    // Fields inside objects have no declared type.
    if (value === null || path.length > 0) return value;
    switch (column.kind) {
      case 'string':
        return column.compared === 'id' ? boundedId(escapeText(value as string)) : escapeText(value as string);
      case 'date-time':
        return instantKey(relativeDate(value, this.#now) ?? value);
      case 'integer':
        return integerKey(value);
      default:
        return value;
    }
  }

  #ordered(ref: FieldRef, value: string | number | boolean): string | number | boolean {
    if (ref.path.length > 0 && typeof value === 'string') return escapeText(value);
    return this.#comparable(ref, value) as typeof value;
  }
}

/** Parses a pattern; a backslash escapes the next character. */
function patternOf(text: string): Pattern {
  const pattern: Array<{ literal: string } | { wildcard: '%' | '_' }> = [];
  let literal = '';
  const characters = [...text];
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index]!;
    if (character !== '%' && character !== '_') {
      literal += character === '\\' ? (characters[++index] ?? '\\') : character;
      continue;
    }
    if (literal !== '') pattern.push({ literal: escapeText(literal) });
    literal = '';
    const last = pattern.at(-1);
    if (!(character === '%' && last && 'wildcard' in last && last.wildcard === '%'))
      pattern.push({ wildcard: character });
  }
  if (literal !== '') pattern.push({ literal: escapeText(literal) });
  return pattern;
}
