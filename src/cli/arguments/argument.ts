import { readFile } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import { nearest } from '../../errors/nearest.js';
import { parseJson } from '../../http/json.js';
import type { CliEnvironment } from '../environment.js';
import { usageError } from '../failure.js';
import { isSafeToEcho } from './flags.js';
import { type ArgumentKeys, type CommandSpecification, type Kind, subjectOf } from './specification.js';

/** A parsed and validated argument. */
export interface ParsedArgument {
  readonly argument: Readonly<Record<string, unknown>>;
  readonly word: string | undefined;
}

/** Reads a command's argument in any form: JSON, `@file`, `-`, a word, or the name or id of what it acts on. */
export async function readArgument(
  text: string | undefined,
  specification: CommandSpecification,
  environment: Pick<CliEnvironment, 'stdin' | 'signal'>,
): Promise<ParsedArgument> {
  const { path, keys, words } = specification;
  if (text === undefined) return { argument: {}, word: undefined };
  if (words) {
    if (words.includes(text)) return { argument: {}, word: text };
    const close = nearest(text, words);
    throw usageError(`${path.join(' ')} takes ${words.join(', ')}.${close ? ` Did you mean '${close}'?` : ''}`);
  }
  if (text === '-') {
    return { argument: parseArgument(await readAll(environment), 'standard input', keys!), word: undefined };
  }
  if (text.startsWith('@')) {
    return { argument: parseArgument(await readArgumentFile(text.slice(1)), 'the file', keys!), word: undefined };
  }
  if (!/^\s*[{["']/.test(text) && !isJson(text)) {
    const key = subjectOf(specification);
    if (key !== undefined && text.trim() !== '') return { argument: { [key]: text }, word: text };
    if (!/\s/.test(text)) throw unexpectedWord(text, path.join(' '), keys!);
  }
  const argument = parseArgument(text, 'the argument', keys!);
  rejectSecrets(argument);
  return { argument, word: undefined };
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Rejects a word where JSON is expected, quoting it only if it cannot be a secret. */
const unexpectedWord = (word: string, command: string, keys: ArgumentKeys) =>
  usageError(`Unexpected argument${isSafeToEcho(word) ? ` '${word}'` : ''}.`, {
    hint: `${command} takes JSON, or no argument. Valid keys: ${names(keys)}.`,
  });

async function readAll({ stdin, signal }: Pick<CliEnvironment, 'stdin' | 'signal'>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of addAbortSignal(signal, stdin))
    chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return textOf(Buffer.concat(chunks), 'standard input');
}

async function readArgumentFile(path: string): Promise<string> {
  if (path === '') throw usageError('A path must follow the @.');
  try {
    return textOf(await readFile(path), 'the file');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || !/^E[A-Z]+$/.test(code)) throw error;
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: 'it does not exist',
      EISDIR: 'it is a folder',
      EACCES: 'permission denied',
    };
    throw usageError(`Could not read the file after @: ${reasons[code] ?? code}.`);
  }
}

/** Decodes bytes; Windows shells write UTF-16 with a byte order mark. */
function textOf(bytes: Buffer, source: string): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  try {
    return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw usageError(`The content of ${source} is not UTF-8 text.`);
  }
}

/** Parses the JSON and checks its keys; errors never quote values. */
export function parseArgument(text: string, source: string, keys: ArgumentKeys): Readonly<Record<string, unknown>> {
  if (text.trim() === '') throw usageError(`The content of ${source} is empty: it must be a JSON object.`);
  const value = parseArgumentJson(text, source);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw usageError(`The content of ${source} is JSON, but not an object.`, { hint: `Valid keys: ${names(keys)}.` });
  }
  const issues = Object.entries(value).flatMap(([key, item]) => issueOf(key, item, keys) ?? []);
  if (issues.length === 0) return value as Record<string, unknown>;
  const [first] = issues;
  throw usageError(`In ${source}, ${first!.path === '' ? '' : `${first!.path} `}${first!.message}.`, {
    issues,
    hint: `Valid keys: ${names(keys)}.`,
  });
}

const names = (keys: ArgumentKeys): string => Object.keys(keys).join(', ') || 'none';

function parseArgumentJson(text: string, source: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    // The parser's own message quotes the text, which may contain a secret.
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    throw usageError(
      `The content of ${source} is not JSON${position ? ` (at character ${Number(position) + 1})` : ''}.`,
      {
        hint: `It must be one object, such as '{"name":"…"}', or @file, or - for standard input.`,
      },
    );
  }
}

const kinds: Readonly<Record<Kind, readonly [(value: unknown) => boolean, string]>> = {
  text: [(value) => typeof value === 'string' && value.trim() !== '', 'must be a string'],
  object: [(value) => typeof value === 'object' && value !== null && !Array.isArray(value), 'must be an object'],
  nullable: [(value) => typeof value === 'object' && !Array.isArray(value), 'must be an object, or null'],
  boolean: [(value) => typeof value === 'boolean', 'must be a boolean'],
  texts: [
    (value) => Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string'),
    'must be a non-empty array of strings',
  ],
  objects: [
    (value) => Array.isArray(value) && value.length > 0 && value.every((item) => kinds.object[0](item)),
    'must be a non-empty array of objects',
  ],
  list: [
    (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
    'must be an array of strings',
  ],
  count: [(value) => Number.isSafeInteger(value) && (value as number) > 0, 'must be a whole number, 1 or greater'],
  replication: [
    (value) => value === 'ask' || typeof value === 'boolean' || (value !== null && typeof value === 'object'),
    'must be a boolean, "ask" or an object',
  ],
  booleans: [
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every((item) => typeof item === 'boolean'),
    'must be an object with boolean values',
  ],
};

function issueOf(key: string, value: unknown, keys: ArgumentKeys): { path: string; message: string } | undefined {
  const kind = Object.hasOwn(keys, key) ? keys[key] : undefined;
  if (kind !== undefined) {
    const [fits, message] = kinds[kind];
    return fits(value) ? undefined : { path: key, message };
  }
  const close = nearest(key, Object.keys(keys));
  const suggestion = close
    ? ` (did you mean '${close}'?)`
    : Object.hasOwn(keys, 'params')
      ? ' (action parameters belong in params)'
      : '';
  // A key pasted in the wrong place must not appear in the message.
  const isSafeToEcho = /^[a-z_]{1,40}$/i.test(key);
  return {
    path: isSafeToEcho ? key : '',
    message: `${isSafeToEcho ? 'is an unknown key' : 'there is an unknown key'}${suggestion}`,
  };
}

const secretKey =
  /^(api_?key|access_?token|refresh_?token|client_?secret|access_?key(_?secret)?|credentials(_?json)?|password|secret|token)$/i;

/** Rejects an argument with credentials anywhere outside an action's parameters. */
function rejectSecrets(argument: Readonly<Record<string, unknown>>): void {
  if (!containsSecret(argument, new Set(['params']))) return;
  throw usageError('The argument contains credentials, and other programs can see the command line.', {
    hint: 'Pass the JSON on standard input (-), or in a file that only you can read (@file).',
  });
}

function containsSecret(value: unknown, skippedKeys: ReadonlySet<string> = new Set()): boolean {
  if (Array.isArray(value)) return value.some((item) => containsSecret(item));
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([key, item]) => !skippedKeys.has(key) && ((secretKey.test(key) && item !== null) || containsSecret(item)),
  );
}
