import {
  type Field,
  type FieldCondition,
  type Issue,
  invalidParams,
  type Condition as ParsedCondition,
  type ParsedPrompt,
  type ParsedQuery,
  type ParsedSummary,
  pathOf,
  relativeDate,
  type Test,
} from 'agent-connectors/search';
import type { Collection, StoredRecord } from './entity.js';
import { FilterCost } from './filter-cost.js';
import type { SemanticPlan } from './passages/types.js';
import type { Condition, FieldRef, GroupOrder, Pattern, SearchPlan, Summary } from './plan.js';
import { boundedId } from './rows.js';
import { escapeText, instantKey, integerKey, type Layout } from './schema.js';
import { foldText } from './words/fold.js';
import { approximatesIn, questionOf } from './words/question.js';

/** A path inside an object field, and its location in the parameters. */
export interface InnerPath {
  readonly at: readonly string[];
  readonly ref: FieldRef;
}

/** Collects what is wrong with a valid search for this store and its records. */
export class FaultCollector {
  readonly #issues: Issue[] = [];
  /** Paths inside objects, to be checked against the replica. */
  readonly innerPaths: InnerPath[] = [];

  add(path: readonly string[], message: string): void {
    this.#issues.push({ path, message });
  }

  /** Throws if there are any faults. */
  throwIfAny({ entity }: Layout): void {
    if (this.#issues.length > 0) throw invalidParams(`${entity}.context_store_search`, this.#issues);
  }
}

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
        return { test: 'like', ref, pattern: patternOf(foldText(test.pattern)) };
      case 'keyword':
        return { test: 'keyword', ref, text: test.text, ...questionOf(test.text) };
      case 'fuzzy':
        return { test: 'fuzzy', ref, text: test.text, words: approximatesIn(test.text) };
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

/** Binds a search for records to a table. */
export function bindQuery({ condition, sort, limit, fields }: ParsedQuery, binder: Binder): SearchPlan {
  return {
    condition: binder.filter(condition, ['query', 'filter']),
    sort: sort.map(({ field, direction, at }) => ({ ref: binder.ref(field, at), direction })),
    limit,
    fields: bindFields(fields, binder),
  };
}

/** Binds a search for groups to a table. */
export function bindSummary(search: ParsedSummary, binder: Binder): Summary {
  const { condition, groupBy, timeZone, aggregates, sort } = search;
  const groups = groupBy.map(pathOf);
  const orderBy = (name: string): GroupOrder => {
    if (name === 'count') return name;
    const group = groups.indexOf(name);
    return group >= 0 ? { group } : { aggregate: aggregates.findIndex((aggregate) => aggregate.name === name) };
  };
  return {
    condition: binder.filter(condition, ['query', 'filter']),
    groupBy: groupBy.map((field, index) => ({
      ...binder.ref(field, ['query', 'groupBy', `${index}`]),
      period: field.period,
    })),
    timeZone,
    aggregates: aggregates.map(({ name, operator, field }) => ({
      name,
      operator,
      ref: binder.ref(field, ['query', 'aggregates', name, operator]),
    })),
    sort: sort.map(({ name, direction }) => ({ by: orderBy(name), direction })),
  };
}

/** Paths selected by `fields`; all if undefined. */
function bindFields(fields: readonly Field[] | undefined, binder: Binder): string[][] | undefined {
  return fields?.map((field, index) => {
    const { column, path } = binder.ref(field, ['fields', `${index}`]);
    return [column.field, ...path];
  });
}

/** Binds a semantic search to a table. */
export function bindPrompt(search: ParsedPrompt, { semantic }: Layout, binder: Binder): SemanticPlan {
  const { field, prompt, contextSize, dedup, mode, limit, fields } = search;
  const condition = binder.filter(search.condition, ['semantic', 'filter']);
  // Only reports paths that no record has: hits contain whole records.
  bindFields(fields, binder);
  const column = semantic.find((one) => one.field === field)!;
  return { column, prompt, condition, contextSize, allowRepeats: dedup === 'none', mode, limit };
}

/** Restricts a search to records visible to one of the readers; undefined means no restriction. */
export function visibleTo(
  { readers: column }: Layout,
  { readers }: Pick<Collection, 'readers'>,
): Condition | undefined {
  if (!readers) return undefined;
  const isVisibleToSome = column && readers.length > 0;
  return isVisibleToSome ? { test: 'holds', ref: { column, path: [] }, values: readers } : { test: 'some', parts: [] };
}

/** Whether a record is visible to one of the readers. */
export function isVisible({ readers: column }: Layout, { readers }: Collection, record: StoredRecord): boolean {
  if (!readers) return true;
  const own = column && record[column.field];
  return Array.isArray(own) && own.some((reader) => readers.includes(reader));
}

/** Combines two optional conditions. */
export const bothOf = (first: Condition | undefined, second: Condition | undefined): Condition | undefined =>
  first && second ? { test: 'all', parts: [first, second] } : (first ?? second);
