import { suggestion } from 'agent-connectors';
import * as z from 'zod';
import { type FieldError, fieldError, httpError } from './http-error.js';

/** Maximum number of errors per response, so that a malformed body cannot cause a huge one. */
const maxErrors = 20;

/** Validates a value; one error reports all issues, each with its path. */
export function validate<S extends z.core.$ZodType>(schema: S, value: unknown, what: string): z.output<S> {
  const parsed = z.safeParse(schema, value);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.slice(0, maxErrors).flatMap((issue) => explain(issue, value, schema));
  throw invalidError(what, errors.slice(0, maxErrors));
}

/** An error for an invalid body or query. */
export const invalidError = (what: string, errors: readonly FieldError[], hint?: string) =>
  httpError(
    422,
    'invalid_params',
    `${what}: ${errors.map(({ field, message }) => (field ? `${field} ${message}` : message)).join('; ')}.`,
    { errors, hint },
  );

function explain(issue: z.core.$ZodIssue, value: unknown, schema: z.core.$ZodType): FieldError[] {
  const path = safePath(issue.path.map(String));
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(schema, path);
    return issue.keys
      .slice(0, maxErrors)
      .map((key) =>
        fieldError(
          [...path, key.slice(0, 100)].join('.'),
          `is unknown. ${suggestion(key, known, 'names')}`.slice(0, -1),
          'unknown_field',
        ),
      );
  }
  const missing = issue.code !== 'custom' && path.length > 0 && valueAt(value, path) === undefined;
  return [fieldError(path.join('.'), missing ? `is required` : sentence(issue), missing ? 'required' : 'invalid')];
}

/** Credential field names are caller input and could be a key pasted in the wrong place. */
const safePath = (path: string[]): string[] => (path[0] === 'credentials' ? ['credentials'] : path);

const choices = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join(', ');

function sentence(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${/^[aeiou]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected === 'int' ? 'integer' : issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${choices(issue.values)}`;
    case 'too_small':
    case 'too_big': {
      const unit = issue.origin === 'string' ? ' characters' : issue.origin === 'array' ? ' items' : '';
      if (issue.code === 'too_small' && unit !== '' && issue.minimum === 1) return 'must not be empty';
      return `must be ${issue.code === 'too_small' ? `at least ${issue.minimum}` : `at most ${issue.maximum}`}${unit}`;
    }
    case 'invalid_union':
      return issue.message === 'Invalid input' ? 'does not match any accepted format' : issue.message;
    default:
      return issue.message;
  }
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

/** Property names that a schema has at a path. */
function keysAt(schema: z.core.$ZodType, path: readonly string[]): string[] {
  let at: any = schema;
  for (const key of ['', ...path]) {
    if (key !== '') at = at?._zod.def.shape?.[key] ?? at?._zod.def.element;
    while (at?._zod.def.innerType ?? at?._zod.def.in) at = at._zod.def.innerType ?? at._zod.def.in;
  }
  return Object.keys(at?._zod.def.shape ?? {});
}
