import { type FaultCollector, fieldRef } from './faults.js';
import { FilterCost } from './filter-cost.js';
import type { Condition, FieldRef, Pattern, Sign } from './plan.js';
import { relativeDate } from './relative-date.js';
import { boundedId } from './rows.js';
import { type Column, escapeText, instantKey, integerKey, isObject, type Layout } from './schema.js';
import { wordsOf } from './words.js';

const signs: Readonly<Record<string, Sign>> = { gt: '>', gte: '>=', lt: '<', lte: '<=' };
const maxConditions = 1000;
const maxDepth = 50;
/** Maximum length of a filter's names and values together, and of one text to search for. */
const maxFilterCharacters = 1_000_000;
const maxTextCharacters = 10_000;

type Kind = Column['kind'] | 'any';

const equalities = ['eq', 'neq', 'in'];

/** Replaces relative dates with instants; undefined if the value is compared with something other than instants. */
function resolveDates(ref: FieldRef, value: unknown, operator: string, now: number): unknown {
  if (!(operator in signs) && !equalities.includes(operator)) return value;
  if (kindAt(ref) === 'date-time')
    return Array.isArray(value)
      ? value.map((one) => relativeDate(one, now) ?? one)
      : (relativeDate(value, now) ?? value);
  return operator in signs && relativeDate(value, now) !== undefined ? undefined : value;
}

function dateFields({ columns }: Layout): string {
  const names = columns.filter(({ kind }) => kind === 'date-time').map(({ field }) => field);
  return names.length > 0 ? `dates are ${names.join(', ')}` : 'this entity has no date fields';
}

/** How values at a path are compared; fields inside objects have no declared type. */
const kindAt = ({ column, path }: FieldRef): Kind => (path.length > 0 ? 'any' : column.kind);

/** Checks a filter against the fields of one entity; `at` is the filter's path in the parameters. */
export const checkFilter = (
  filter: unknown,
  layout: Layout,
  faults: FaultCollector,
  at: string,
  now: number,
): Condition | undefined => new FilterCheck(layout, faults, at, now).filter(filter);

class FilterCheck {
  readonly #layout: Layout;
  readonly #faults: FaultCollector;
  readonly #at: string;
  readonly #now: number;
  readonly #cost = new FilterCost();
  #conditions = 0;

  constructor(layout: Layout, faults: FaultCollector, at: string, now: number) {
    this.#now = now;
    this.#layout = layout;
    this.#faults = faults;
    this.#at = at;
  }

  filter(filter: unknown): Condition | undefined {
    if (charactersIn(filter) > maxFilterCharacters)
      return this.#faults.add(this.#at, `has more than ${maxFilterCharacters} characters`);
    const condition = this.#condition(filter, this.#at, 0);
    const fault = this.#cost.fault();
    return fault === undefined ? condition : this.#faults.add(this.#at, fault);
  }

  #condition(filter: unknown, at: string, depth: number): Condition | undefined {
    if (!isObject(filter)) return this.#faults.add(at, 'must be an object');
    const entries = Object.entries(filter).filter(([, value]) => value !== undefined);
    if (entries.length === 0 && depth > 0) return this.#faults.add(at, 'is empty');
    if (depth > maxDepth) return this.#faults.add(at, `is nested deeper than ${maxDepth} levels`);
    return allOf(entries.map(([name, operand]) => this.#operator(name, operand, `${at}.${name}`, depth)));
  }

  #operator(name: string, operand: unknown, at: string, depth: number): Condition | undefined {
    if (name === 'not') {
      const part = this.#condition(operand, at, depth + 1);
      return part && { test: 'not', part };
    }
    if (name === 'and' || name === 'or') {
      if (!Array.isArray(operand)) return this.#faults.add(at, 'must be an array');
      if (operand.length === 0) return this.#faults.add(at, 'must not be empty');
      const parts = operand.map((part, index) => this.#condition(part, `${at}.${index}`, depth + 1));
      return name === 'and' ? allOf(parts) : { test: 'some', parts: definedParts(parts) };
    }
    const make = Object.hasOwn(operators, name) ? operators[name as keyof typeof operators] : undefined;
    if (!make && this.#layout.columns.some(({ field }) => field === name.split('.')[0])) {
      return this.#faults.add(at, `is a field; the operator comes first, as in {"eq": {"${name.slice(0, 100)}": …}}`);
    }
    if (!make) return this.#faults.unknownName(name, [...Object.keys(operators), 'not', 'and', 'or'], at);
    if (!isObject(operand)) return this.#faults.add(at, 'must be an object, {"<field>": <value>}');
    const entries = Object.entries(operand);
    if (entries.length === 0) return this.#faults.add(at, 'has no field');
    return allOf(entries.map(([path, value]) => this.#test(make, path, value, name, `${at}.${path}`)));
  }

  #test(make: BuildCondition, path: string, value: unknown, operator: string, at: string): Condition | undefined {
    if (++this.#conditions > maxConditions) {
      return this.#conditions === maxConditions + 1
        ? this.#faults.add(this.#at, `has more than ${maxConditions} conditions`)
        : undefined;
    }
    const ref = fieldRef(path, at, this.#layout, this.#faults);
    if (!ref) return undefined;
    const absolute = resolveDates(ref, value, operator, this.#now);
    if (absolute === undefined)
      return this.#faults.add(at, `does not accept relative dates; ${dateFields(this.#layout)}`);
    const condition = make(ref, absolute, operator);
    if (typeof condition === 'string' && kindAt(ref) === 'object' && arrayOperators.has(operator)) {
      // Only the replica shows where the object contains an array.
      this.#faults.innerPaths.push({ at, ref, element: absolute ?? null });
      return undefined;
    }
    if (typeof condition === 'string') return this.#faults.add(at, condition);
    this.#cost.add(operator, condition);
    return condition;
  }
}

/** The length of all names and texts in a value; deeper levels are rejected elsewhere. */
function charactersIn(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || depth > 2 * maxDepth) return 0;
  let total = 0;
  for (const [name, part] of Object.entries(value)) total += name.length + charactersIn(part, depth + 1);
  return total;
}

const definedParts = (parts: ReadonlyArray<Condition | undefined>) => parts.filter((part) => part !== undefined);

function allOf(parts: ReadonlyArray<Condition | undefined>): Condition {
  const conditions = definedParts(parts);
  return conditions.length === 1 ? conditions[0]! : { test: 'all', parts: conditions };
}

/** Builds a condition from an operand, or reports what is wrong with it. */
type BuildCondition = (ref: FieldRef, value: unknown, operator: string) => Condition | string;

const examples: Readonly<Record<Kind, string>> = {
  string: '"text"',
  number: '1.5',
  integer: '42',
  boolean: 'true',
  'date-time': '"2026-01-31", "2026-01-31T09:30:00Z" or "now-7d"',
  object: '{"name": "text"}',
  array: '["text"]',
  any: '"text" or 42',
};

const expectedMessage = (ref: FieldRef) => {
  const kind = kindAt(ref);
  const value = kind === 'any' ? 'a value for this operator' : `a value for a field of type ${kind}`;
  return `needs ${value}, such as ${examples[kind]}`;
};

/** Converts a value to the form used for comparisons with its column; undefined if the type differs. */
function comparable(ref: FieldRef, value: unknown): unknown {
  switch (kindAt(ref)) {
    case 'string':
      if (typeof value !== 'string') return undefined;
      return ref.column.compared === 'id' ? boundedId(escapeText(value)) : escapeText(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'date-time':
      return instantKey(value);
    case 'integer':
      return integerKey(value);
    case 'object':
      return isObject(value) ? value : undefined;
    case 'array':
      return Array.isArray(value) ? value : undefined;
    default:
      return value;
  }
}

const membership: BuildCondition = (ref, value) => {
  const wanted = value === null ? null : comparable(ref, value);
  return wanted === undefined ? expectedMessage(ref) : { test: 'among', ref, values: [wanted] };
};

const compare: BuildCondition = (ref, value, operator) => {
  const kind = kindAt(ref);
  if (kind === 'object' || kind === 'array') return `cannot order a field of type ${kind}`;
  const wanted = kind === 'any' && typeof value === 'string' ? escapeText(value) : comparable(ref, value);
  const fits = typeof wanted === 'string' || typeof wanted === 'number' || (kind === 'boolean' && wanted !== undefined);
  return fits ? { test: 'compare', ref, sign: signs[operator]!, value: wanted as string } : expectedMessage(ref);
};

/** Builds text conditions, which apply only to string fields. */
const onText =
  (make: (ref: FieldRef, text: string) => Condition): BuildCondition =>
  (ref, value) => {
    const kind = kindAt(ref);
    if (kind !== 'string' && kind !== 'date-time' && kind !== 'any')
      return `needs a text field, not one of type ${kind}`;
    if (typeof value !== 'string') return 'must be a string';
    return value.length <= maxTextCharacters ? make(ref, value) : `has more than ${maxTextCharacters} characters`;
  };

/** Matches literal text, optionally surrounded by wildcards, ignoring ASCII case. */
const literal = (before: '' | '%', after: '' | '%') =>
  onText((ref, text) => {
    const pattern = patternOf(`${before}${text.replaceAll(/[\\%_]/g, '\\$&')}${after}`);
    return { test: 'like', ref, pattern };
  });

const inText = literal('%', '%');

const contains: BuildCondition = (ref, value, operator) => {
  const kind = kindAt(ref);
  if (kind === 'string' || kind === 'date-time') return inText(ref, value, operator);
  const inArray = holds(false)(ref, value, operator);
  if (kind !== 'any' || typeof value !== 'string' || typeof inArray === 'string') return inArray;
  return { test: 'some', parts: [inArray, inText(ref, value, operator) as Condition] };
};

const holds =
  (several: boolean): BuildCondition =>
  (ref, value) => {
    const kind = kindAt(ref);
    if (kind !== 'array' && kind !== 'any')
      return `needs an array field, not one of type ${kind}; search text with contains, keyword, fuzzy, or like with %`;
    if (value === undefined || (several && !Array.isArray(value))) return 'must be an array';
    if (!isWithinDepth(value, maxElementDepth)) return `is nested deeper than ${maxElementDepth} levels`;
    return { test: 'holds', ref, values: several ? (value as unknown[]) : [value] };
  };

/** Array elements are compared recursively up to this depth. */
const maxElementDepth = 20;

const isWithinDepth = (value: unknown, depth: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 && Object.values(value).every((part) => isWithinDepth(part, depth - 1)));

const operators = {
  eq: membership,
  neq: (ref, value) => {
    const part = membership(ref, value, 'eq');
    return typeof part === 'string' ? part : { test: 'not', part };
  },
  gt: compare,
  gte: compare,
  lt: compare,
  lte: compare,
  in: (ref, value) => {
    if (!Array.isArray(value)) return 'must be an array';
    const values = value.map((one) => (one === null ? null : comparable(ref, one)));
    return values.includes(undefined) ? expectedMessage(ref) : { test: 'among', ref, values };
  },
  like: onText((ref, text) => ({ test: 'like', ref, pattern: patternOf(text) })),
  fuzzy: onText((ref, text) => ({ test: 'fuzzy', ref, words: wordsOf(text) })),
  keyword: onText((ref, text) => ({ test: 'keyword', ref, words: [...new Set(wordsOf(text))] })),
  startswith: literal('', '%'),
  endswith: literal('%', ''),
  contains,
  array_contains: holds(false),
  any: holds(true),
} as const satisfies Readonly<Record<string, BuildCondition>>;

const arrayOperators: ReadonlySet<string> = new Set(['contains', 'array_contains', 'any']);

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
