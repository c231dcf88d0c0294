import * as z from 'zod';
import { ConnectorError } from '../errors/connector-error.js';
import { nearest, normalizeName, suggestion } from '../errors/nearest.js';

/** Additional advice that several problems may share; `where` is the action, such as `issues.list`. */
export type Hint = (where: string) => string;

/** A problem with a parameter. */
export interface Issue {
  /** Where the problem is; empty for the parameters as a whole. */
  readonly path: readonly string[];
  /** What is wrong, to be read after the path. */
  readonly message: string;
  /** How to fix it, if the message does not say so. */
  readonly hint?: Hint | undefined;
}

/**
 * Validates an action's parameters and returns them parsed; one `invalid_params` error reports all problems, each with
 * its path. `where` is the action, such as `issues.list`; `hintForName` returns a hint for names that belong to
 * another action.
 */
export function checkParams(
  schema: z.core.$ZodType,
  params: unknown,
  where: string,
  hintForName?: (name: string) => string | undefined,
): unknown {
  const given = params ?? {};
  // A long list of invalid items must not be validated to its end.
  const start = shortened(given);
  const first = start === given ? undefined : z.safeParse(schema, start);
  const isEnough = first && !first.success && first.error.issues.length >= maxIssues;
  const parsed = isEnough ? first : z.safeParse(schema, given);
  if (parsed.success) return parsed.data;
  const found = parsed.error.issues.slice(0, maxIssues).flatMap((issue) => explain(issue, given, schema, hintForName));
  throw invalidParams(where, found, parsed.error.issues.length > maxIssues);
}

/** Maximum problems per error: a request with a million unknown names must not produce a million messages. */
const maxIssues = 50;

/** Depth to which lists are shortened; deeper ones are validated as they are. */
const maxShortenedDepth = 20;

/** The same value with only the first items of its lists, or the value itself if its lists are short. */
function shortened(value: unknown, depth = 0): unknown {
  if (depth > maxShortenedDepth) return value;
  if (Array.isArray(value)) {
    const items = value.slice(0, 2 * maxIssues).map((item) => shortened(item, depth + 1));
    return items.length < value.length || items.some((item, index) => item !== value[index]) ? items : value;
  }
  // Not bytes or streams.
  if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const members = Object.entries(value).map(([name, member]) => [name, shortened(member, depth + 1)] as const);
  return members.some(([name, member]) => member !== value[name]) ? Object.fromEntries(members) : value;
}

/** The error for an action's invalid parameters. */
export function invalidParams(where: string, found: readonly Issue[], isPartial = false): ConnectorError {
  const shown = found.slice(0, maxIssues);
  const issues = shown.map(({ path, message }) => ({ path: path.map(truncateName).join('.'), message }));
  const hint = [...new Set(shown.flatMap((issue) => issue.hint?.(where) ?? []))].join(' ') || undefined;
  const list = issues.map(({ path, message }) => (path ? `${path} ${message}` : message)).join('; ');
  const more = isPartial || found.length > maxIssues ? '; and more' : '';
  return new ConnectorError('invalid_params', `${where}: ${list}${more}.`, { issues, hint, docs: `actions.${where}` });
}

const truncateName = (name: string) => (name.length > 100 ? `${name.slice(0, 100)}…` : name);

function explain(
  issue: z.core.$ZodIssue,
  params: unknown,
  schema: z.core.$ZodType,
  hintForName?: (name: string) => string | undefined,
): Issue[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, maxIssues + 1).map((key) => {
      const message = misplacedMessage(key, (at) => keysAt(schema, at), path);
      const hint = path.length === 0 && !message.includes("Did you mean '") ? hintForName?.(key) : undefined;
      return {
        path: [...path, key],
        message,
        hint: hint === undefined ? undefined : () => hint,
      };
    });
  }
  const missing = issue.code !== 'custom' && valueAt(params, path) === undefined && path.length > 0;
  const message = missing
    ? `is required (${expectedText(issue)})`
    : sentence(issue) + exampleText(issue, schema, params);
  return [{ path, message, hint: issue.code === 'custom' ? issue.params?.hint : undefined }];
}

/** An example of the object that was probably intended, containing the given value. */
function exampleText(issue: z.core.$ZodIssue, schema: z.core.$ZodType, params: unknown): string {
  const path = issue.path.map(String);
  const given = valueAt(params, path);
  if (issue.code !== 'invalid_type' || issue.expected !== 'object' || typeof given !== 'string' || !path.length)
    return '';
  const around = (at: readonly string[]): unknown => {
    const names = keysAt(schema, at);
    const name = names.includes('name') ? 'name' : names[0];
    return name === undefined || at.length > path.length + 3 ? truncateName(given) : { [name]: around([...at, name]) };
  };
  const example = around(path);
  return typeof example === 'string' ? '' : `, such as ${JSON.stringify(example)}`;
}

/** Explains where a name that is unknown at this path belongs; `namesAt` returns the names at a path. */
export function misplacedMessage(
  name: string,
  namesAt: (path: readonly string[]) => readonly string[],
  path: readonly string[],
): string {
  const valid = namesAt(path);
  const knows = (at: readonly string[]) => namesAt(at).includes(name);
  const inner = valid.find((one) => knows([...path, one]) || knows([...path, one, '0']));
  if (inner !== undefined) return `belongs in ${inner}`;
  const outer = path.at(-1);
  if (outer !== undefined && knows(path.slice(0, -1))) return `belongs next to ${outer}, not in it`;
  return unknownNameMessage(name, valid);
}

/** Synonyms used by APIs, as lower-case letters and digits. */
const synonymGroups: ReadonlyArray<readonly string[]> = [
  ['first', 'limit', 'pagesize', 'size', 'count', 'top', 'take', 'perpage', 'maxresults'],
  ['after', 'cursor', 'pagetoken', 'nextpagetoken', 'endcursor', 'startcursor', 'next', 'offset', 'skip', 'page'],
  ['q', 'query', 'search', 'filter', 'filters', 'where'],
  ['orderby', 'sort', 'sortby', 'order'],
];

/** The valid name that is a synonym of this one. */
function synonym(name: string, valid: readonly string[]): string | undefined {
  const given = normalizeName(name);
  const group = synonymGroups.find((names) => names.includes(given));
  // It may also abbreviate another name: "after" for "created_after".
  return group && !valid.some((one) => normalizeName(one).includes(given))
    ? valid.find((one) => group.includes(normalizeName(one)))
    : undefined;
}

/** Reports that a name is not one of these. */
export function unknownNameMessage(name: string, valid: readonly string[]): string {
  const intended = nearest(name, valid) ?? synonym(name, valid) ?? name;
  return `is unknown. ${suggestion(intended, valid, 'names')}`.slice(0, -1);
}

const expectedText = (issue: z.core.$ZodIssue): string => {
  if (issue.code === 'invalid_type') return issue.expected === 'int' ? 'integer' : issue.expected;
  if (issue.code === 'invalid_value' && issue.values.length === 1) return JSON.stringify(issue.values[0]);
  if (issue.code === 'invalid_value') return `one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
  return 'see the parameter table';
};

/** How connectors start their own messages about parameters; zod's messages start differently in all languages. */
const connectorWording = /^(must|is|are|has|requires?|contains?|holds?|goes|lies|ends|cannot|lacks) /;

function sentence(issue: z.core.$ZodIssue): string {
  // For an invalid value, listing the valid ones is more helpful.
  if (issue.code !== 'invalid_value' && connectorWording.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${/^[aeiou]/.test(issue.expected) ? 'an' : 'a'} ${expectedText(issue)}`;
    case 'invalid_value':
      return `must be ${expectedText(issue)}`;
    case 'too_small':
    case 'too_big': {
      const bound = issue.code === 'too_small' ? `at least ${issue.minimum}` : `at most ${issue.maximum}`;
      const unit = { string: ' characters', array: ' items', set: ' items' }[issue.origin as string] ?? '';
      return issue.code === 'too_small' && issue.minimum === 1 && unit !== ''
        ? 'must not be empty'
        : `must be ${bound}${unit}`;
    }
    case 'invalid_format':
      if (issue.format === 'regex') return issue.message;
      return issue.format === 'date' ? 'must be a valid date (YYYY-MM-DD)' : `must be a valid ${issue.format}`;
    case 'invalid_union':
      // A connector's own message is more helpful than "matches none of the forms".
      return issue.message === 'Invalid input' ? 'does not match any accepted form' : issue.message;
    default:
      return issue.message;
  }
}

/** The value at a path, following own properties only. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

/** Property names at a path in a schema. */
export function keysAt(schema: z.core.$ZodType, path: readonly string[]): string[] {
  let at: any = schema;
  for (const key of ['', ...path]) {
    if (key !== '') at = at?._zod.def.shape?.[key] ?? at?._zod.def.element;
    while (at?._zod.def.innerType ?? at?._zod.def.getter) at = at._zod.def.innerType ?? at._zod.def.getter();
  }
  return Object.keys(at?._zod.def.shape ?? {});
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a search query asks for groups, whose names the caller chooses. */
export const isGrouped = (query: unknown): boolean =>
  isObject(query) && ['count', 'groupBy', 'aggregates'].some((name) => name in query);

/** Collects the problems with a request, up to a number. */
export class Issues {
  readonly list: Issue[] = [];
  readonly #limit: number;

  /** By default one more than an error lists, so it can say that there are more. */
  constructor(limit = maxIssues + 1) {
    this.#limit = limit;
  }

  /** Whether no more issues will be reported. */
  get isFull(): boolean {
    return this.list.length >= this.#limit;
  }

  /** Adds an issue; returns undefined, so that a parser can return its result. */
  add(path: readonly string[], message: string, hint?: Hint): undefined {
    if (!this.isFull) this.list.push({ path, message, hint });
  }
}
