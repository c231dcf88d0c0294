import { ConnectorError, type ParameterIssue } from '../errors/connector-error.js';
import { nearest, suggestion } from '../errors/nearest.js';
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

/**
 * Arguments that clients add to the calls of any tool: Gemini CLI, Cline (github.com/cline/cline/issues/10426), n8n
 * (github.com/n8n-io/n8n/issues/21500) and SiYuan (github.com/siyuan-note/siyuan/issues/17927).
 */
const clientArguments: ReadonlySet<string> = new Set([
  'wait_for_previous',
  'task_progress',
  'tool',
  'toolCallId',
  'sessionId',
  'chatInput',
  '_sessionID',
]);

/** Parsed arguments. */
export interface ParsedArguments {
  readonly args: Arguments;
  /** Notes on arguments that the tool does not have. */
  readonly notes: readonly string[];
  /** Rejects a write with arguments that the tool does not have, unless clients are known to add them. */
  readonly rejectUnknown: () => void;
}

/** Parses a model's arguments; one error reports all problems. */
export function readArguments(
  given: unknown,
  { name: tool, inputSchema }: ToolDefinition,
  required: RequiredArguments,
): ParsedArguments {
  const { properties } = inputSchema as {
    properties: Record<string, { type: string; enum?: readonly string[]; items?: { type: string } }>;
  };
  const args = given === undefined || given === null ? {} : typeof given === 'string' ? objectIn(given) : given;
  if (!isObject(args))
    throw new ConnectorError('invalid_params', `${tool}: the arguments must be a single JSON object.`);
  const issues: ParameterIssue[] = [];
  const unknown: ParameterIssue[] = [];
  const ignored: string[] = [];
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(args)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    // In a toolset with one connector, the name is optional.
    if (!property && name !== 'connector') {
      ignored.push(name);
      if (clientArguments.has(name)) continue;
      const within = 'params' in properties ? ' Action parameters go inside params.' : '';
      const valid = suggestion(name, Object.keys(properties), 'arguments');
      unknown.push({ path: name, message: `is not an argument. ${valid}${within}`.slice(0, -1) });
      continue;
    }
    if (isMissing(value)) continue;
    const kind = property?.items?.type === 'object' ? 'calls' : (property?.type ?? 'string');
    const [reader, expected] = readers[kind]!;
    const result = reader(value);
    if (result === undefined) issues.push({ path: name, message: expected });
    // Some adapters tell their model that every argument is required.
    else if (kind !== 'array' || (result as readonly unknown[]).length > 0) read[name] = result;
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
  const reject = (all: readonly ParameterIssue[]) => {
    if (all.length === 0) return;
    const list = all.map(({ path, message }) => `${path} ${message}`).join('; ');
    throw new ConnectorError('invalid_params', `${tool}: ${list}.`, {
      issues: all,
      ...(hasMissing && required.hint !== undefined && { hint: required.hint }),
    });
  };
  if (issues.length > 0) reject([...unknown, ...issues]);
  return { args: read, notes: notesOn(tool, properties, ignored), rejectUnknown: () => reject(unknown) };
}

const plainName = /^[\w-]{1,64}$/;
const maxNamed = 5;

function notesOn(tool: string, properties: object, ignored: readonly string[]): string[] {
  if (ignored.length === 0) return [];
  const names = ignored.filter((name) => plainName.test(name)).slice(0, maxNamed);
  const more = ignored.length > names.length ? [`${ignored.length - names.length} more`] : [];
  const intended = names.filter((name) => !clientArguments.has(name));
  const close = intended.flatMap((name) => nearest(name, Object.keys(properties)) ?? []);
  return [
    `Ignored, because ${tool} has no such argument: ${[...names, ...more].join(', ')}.`,
    ...(close.length > 0 ? [`Did you mean ${[...new Set(close)].join(', ')}?`] : []),
    ...(intended.length > 0 && 'params' in properties ? ['Action parameters go inside params.'] : []),
  ];
}
