import { ConnectorError, type ParameterIssue } from '../errors/connector-error.js';
import { suggestion } from '../errors/nearest.js';
import type { ToolDefinition } from './definitions.js';

/** Arguments of a tool, by name; nulls and empty values are omitted. */
export type Arguments = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const readers: Readonly<Record<string, readonly [(value: unknown) => unknown, string]>> = {
  string: [(value) => (typeof value === 'string' ? value : undefined), 'must be a string'],
  // Models sometimes send JSON inside JSON.
  object: [
    (value) => (isObject(value) ? value : typeof value === 'string' ? objectIn(value) : undefined),
    'must be an object, or that object as a JSON string',
  ],
  array: [
    (value) => {
      const list = typeof value === 'string' ? listIn(value) : value;
      return Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : undefined;
    },
    'must be an array of strings',
  ],
  calls: [(value) => callsIn(value), 'must be an array of objects, each with entity, action and params'],
  integer: [(value) => (Number.isInteger(Number(value)) ? Number(value) : undefined), 'must be a whole number'],
};

const objectIn = (text: string): unknown => {
  const value = tryParseJson(text);
  return isObject(value) ? value : undefined;
};

const callsIn = (value: unknown): unknown => {
  const list = typeof value === 'string' ? tryParseJson(value) : value;
  return Array.isArray(list) && list.every(isObject) ? list : undefined;
};

const listIn = (text: string): unknown =>
  text.trim().startsWith('[')
    ? tryParseJson(text)
    : text
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean);

const isMissing = (value: unknown) => value === undefined || value === null || value === '';

/** Arguments that a call must contain unless it contains one of the alternatives, with a hint for the error. */
export interface RequiredArguments {
  readonly names: readonly string[];
  readonly unless?: readonly string[] | undefined;
  readonly hint?: string | undefined;
}

/** Parses a model's arguments; one error reports all problems. */
export function readArguments(
  given: unknown,
  { name: tool, inputSchema }: ToolDefinition,
  required: RequiredArguments,
): Arguments {
  const { properties } = inputSchema as {
    properties: Record<string, { type: string; enum?: readonly string[]; items?: { type: string } }>;
  };
  const args = given === undefined || given === null ? {} : typeof given === 'string' ? objectIn(given) : given;
  if (!isObject(args))
    throw new ConnectorError('invalid_params', `${tool}: the arguments must be a single JSON object.`);
  const issues: ParameterIssue[] = [];
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(args)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    // In a toolset with one connector, the name is optional.
    if (!property && name !== 'connector') {
      const within = 'params' in properties ? ' Action parameters go inside params.' : '';
      const valid = suggestion(name, Object.keys(properties), 'arguments');
      issues.push({ path: name, message: `is not an argument. ${valid}${within}`.slice(0, -1) });
      continue;
    }
    if (isMissing(value)) continue;
    const kind = property?.items?.type === 'object' ? 'calls' : (property?.type ?? 'string');
    const [reader, wanted] = readers[kind]!;
    const result = reader(value);
    if (result === undefined) issues.push({ path: name, message: wanted });
    else read[name] = result;
  }
  let hasMissing = false;
  if (!required.unless?.some((name) => read[name] !== undefined)) {
    for (const name of required.names) {
      if (!isMissing(args[name])) continue;
      const { enum: valid } = properties[name]!;
      hasMissing = true;
      issues.push({
        path: name,
        message: valid ? `is required and must be one of ${valid.join(', ')}` : 'is required',
      });
    }
  }
  if (typeof read.intent === 'string') read.intent = read.intent.slice(0, 512);
  if (issues.length === 0) return read;
  const list = issues.map(({ path, message }) => `${path} ${message}`).join('; ');
  throw new ConnectorError('invalid_params', `${tool}: ${list}.`, {
    issues,
    ...(hasMissing && required.hint !== undefined && { hint: required.hint }),
  });
}
