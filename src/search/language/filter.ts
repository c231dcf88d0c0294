import { type Hint, Issues, isObject, unknownNameMessage } from '../../action/params.js';
import { nearest } from '../../errors/nearest.js';
import { correctedFilter, structureFault } from './advice.js';
import { relativeDate } from './dates.js';
import { type Field, readPath, type Searchable } from './fields.js';
import { maxConditions, maxDepth, maxFilterCharacters } from './limits.js';
import { operands } from './operands.js';
import { combinators, isOperator, type Operator, operatorNames, operators, type Test } from './operators.js';

/** A parsed filter. */
export type Condition =
  | {
      /** Conditions that must all be met; none means every record. */
      readonly all: readonly Condition[];
    }
  | {
      /** Conditions of which one must be met. */
      readonly some: readonly Condition[];
    }
  | {
      /** A condition that must not be met. */
      readonly not: Condition;
    }
  | FieldCondition;

/** A condition on one field. */
export interface FieldCondition {
  /** The field, or the path inside it. */
  readonly field: Field;
  /** The name of the operator. */
  readonly operator: string;
  /** The value must pass one of these, or none if `negated`. */
  readonly tests: readonly Test[];
  /** Whether the tests must fail. */
  readonly negated: boolean;
  /** Where the condition is in the parameters. */
  readonly at: readonly string[];
}

const validNames = [...operatorNames, ...combinators];
const filterHint: Hint = () => 'A filter is {"<operator>": {"<field>": <value>}}, such as {"eq": {"<field>": "text"}}.';

/** Parses a filter, or reports what is wrong with it; `at` is its path in the parameters. */
export function parseFilter(
  filter: unknown,
  fields: Searchable,
  issues: Issues,
  at: readonly string[],
): Condition | undefined {
  return charactersIn(filter) > maxFilterCharacters
    ? issues.add(at, `has more than ${maxFilterCharacters} characters`)
    : new FilterParser(fields, issues, at, false).filter(filter, at, 0);
}

/** The length of all names and texts in a value; deeper levels are rejected elsewhere. */
function charactersIn(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || depth > 2 * maxDepth) return 0;
  let total = 0;
  for (const [name, part] of Object.entries(value)) total += name.length + charactersIn(part, depth + 1);
  return total;
}

class FilterParser {
  readonly #fields: Searchable;
  readonly #issues: Issues;
  readonly #root: readonly string[];
  /** Whether the filter is a correction to be checked, and is not corrected again: nested ones would multiply. */
  readonly #isCorrection: boolean;
  #conditions = 0;

  constructor(fields: Searchable, issues: Issues, root: readonly string[], isCorrection: boolean) {
    this.#fields = fields;
    this.#issues = issues;
    this.#root = root;
    this.#isCorrection = isCorrection;
  }

  filter(filter: unknown, at: readonly string[], depth: number): Condition | undefined {
    if (!isObject(filter)) return this.#issues.add(at, 'must be an object', filterHint);
    const entries = Object.entries(filter).filter(([, operand]) => operand !== undefined);
    if (entries.length === 0 && depth > 0) return this.#issues.add(at, 'is empty');
    if (depth > maxDepth) return this.#issues.add(this.#root, `is nested deeper than ${maxDepth} levels`);
    if (entries.some(([name]) => !isOperator(name))) {
      const corrected = this.#isCorrection ? undefined : this.#corrected(entries, at, depth);
      if (corrected !== undefined || this.#isCorrection)
        return this.#issues.add(at, `has the field first, but the operator must come first: ${corrected}`);
    }
    return allOf(this.#each(entries, ([name, operand]) => this.#operator(name, operand, [...at, name], depth)));
  }

  /** The intended filter, as JSON, if it is clear. */
  #corrected(entries: ReadonlyArray<readonly [string, unknown]>, at: readonly string[], depth: number) {
    const isValid = (meant: object) => {
      const issues = new Issues(1);
      new FilterParser(this.#fields, issues, at, true).filter(meant, at, depth);
      return issues.list.length === 0;
    };
    return correctedFilter(entries, this.#fields, operatorNames, isValid);
  }

  /** What `parse` returns for each item, until enough issues have been reported. */
  #each<T>(items: readonly T[], parse: (item: T, index: number) => Condition | undefined): Condition[] {
    const parsed: Condition[] = [];
    for (const [index, item] of items.entries()) {
      if (this.#issues.isFull) break;
      const condition = parse(item, index);
      if (condition) parsed.push(condition);
    }
    return parsed;
  }

  #operator(name: string, operand: unknown, at: readonly string[], depth: number): Condition | undefined {
    if (name === 'not') {
      const not = this.filter(operand, at, depth + 1);
      return not && { not };
    }
    if (name === 'and' || name === 'or') {
      if (!Array.isArray(operand)) return this.#issues.add(at, 'must be an array of filters');
      if (operand.length === 0) return this.#issues.add(at, 'must not be empty');
      const parts = this.#each(operand, (part, index) => this.filter(part, [...at, `${index}`], depth + 1));
      return name === 'and' ? allOf(parts) : { some: parts };
    }
    if (!isOperator(name)) {
      const hint = nearest(name, validNames) === undefined ? filterHint : undefined;
      return this.#issues.add(at, unknownNameMessage(name, validNames), hint);
    }
    if (!isObject(operand)) return this.#issues.add(at, 'must be an object, {"<field>": <value>}');
    const entries = Object.entries(operand);
    if (entries.length === 0) return this.#issues.add(at, 'has no field');
    return allOf(this.#each(entries, ([path, value]) => this.#condition(name, path, value, [...at, path])));
  }

  #condition(name: string, path: string, given: unknown, at: readonly string[]): Condition | undefined {
    this.#conditions += 1;
    if (this.#conditions > maxConditions) {
      return this.#conditions === maxConditions + 1
        ? this.#issues.add(this.#root, `has more than ${maxConditions} conditions`)
        : undefined;
    }
    const field = readPath(path, this.#fields, this.#issues, at);
    if (!field) return undefined;
    const operator: Operator = operators[name as keyof typeof operators];
    const value = this.#fields.compactDates.includes(path) ? compactDate(given) : given;
    const fault = this.#fault(name, operator, path, value, field);
    if (fault !== undefined) return this.#issues.add(at, fault);
    return { field, operator: name, tests: operator.tests(value, field.type), negated: operator.negated ?? false, at };
  }

  #fault(name: string, { operand: kind }: Operator, path: string, value: unknown, { type }: Field): string | undefined {
    const operand = operands[kind];
    if (!operand.appliesTo(type) || !operand.accepts(value, type))
      return structureFault(name, path, value, type, this.#fields) ?? operand.expected(type);
    if (kind === 'ordered' && type !== 'date-time' && relativeDate(value, Date.now()) !== undefined) {
      const dates = this.#fields.dateTimes.join(', ');
      return `does not accept relative dates; ${dates ? `dates are ${dates}` : 'this entity has no date fields'}`;
    }
    // Compared as text, any other form would match the wrong days.
    if (kind === 'ordered' && this.#fields.compactDates.includes(path) && !/^\d{4,8}$/.test(String(value)))
      return 'needs a date, such as "2026-01-31"';
    return operand.excess?.(value);
  }
}

/** A date, or its start, as YYYYMMDD; other values as given. */
function compactDate(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compactDate);
  return typeof value === 'string' && /^\d{4}(?:-\d\d){1,2}-?%?$/.test(value) ? value.replaceAll('-', '') : value;
}

const allOf = (parts: readonly Condition[]): Condition => (parts.length === 1 ? parts[0]! : { all: parts });
