import { setImmediate } from 'node:timers/promises';
import { suggestion } from 'agent-connectors';
import * as z from 'zod';
import { type FieldError, fieldError, httpError, joinField } from '../../domain/http-error.js';
import { BodyError, countValues, parseBody } from './body.js';
import { parseInWorker } from './parser-thread.js';

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
  httpError(422, 'invalid_params', `${what}: ${errors.map(joinField).join('; ')}.`, { errors, hint });

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
  return [
    fieldError(path.join('.'), missing ? requiredText(issue) : sentence(issue), missing ? 'required' : 'invalid'),
  ];
}

/** Credential field names are caller input and could be a key pasted in the wrong place. */
const safePath = (path: string[]): string[] => (path[0] === 'credentials' ? ['credentials'] : path);

const choices = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join(', ');

const typeNames: Readonly<Record<string, string>> = { int: 'integer', record: 'object' };

const typeName = ({ expected }: z.core.$ZodIssueInvalidType): string => typeNames[expected] ?? expected;

function requiredText(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `is required (${typeName(issue)})`;
  return issue.code === 'invalid_value' ? `is required (one of ${choices(issue.values)})` : 'is required';
}

function sentence(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${/^[aeiou]/.test(typeName(issue)) ? 'an' : 'a'} ${typeName(issue)}`;
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

/** How to read a body. */
interface Reading {
  readonly maxBytes: number;
  /** Called before bytes are buffered; may reject them. */
  readonly reserve?: (bytes: number) => void;
  /** Called before a large body is read or, if its size is not declared, processed. */
  readonly takeTurn?: (bytes: number) => Promise<void>;
  /** The value of an empty body, which is an error by default. */
  readonly whenEmpty?: object | undefined;
  /** Tenants take turns on the other thread. */
  readonly tenant?: string | undefined;
}

/** Reads a JSON body of limited size and depth. */
export const readJson = (request: Request, reading: Reading): Promise<unknown> =>
  asHttpError(readParsed(request, reading));

async function readParsed(request: Request, reading: Reading): Promise<unknown> {
  const { whenEmpty, tenant = '' } = reading;
  const type = request.headers.get('content-type');
  if (type === null || !/^application\/json\s*(;|$)/i.test(type)) {
    throw httpError(415, 'invalid_params', 'The body must be JSON, with Content-Type: application/json.');
  }
  requireUncompressed(request);
  const bytes = await readBytes(request, reading);
  if (bytes.length === 0 && whenEmpty) return whenEmpty;
  if (bytes.length < maxInlineBytes) {
    if (countValues(bytes) > fewValues) await ownTurn();
    return parseBody(bytes);
  }
  return parseInWorker(bytes, tenant);
}

/** Rejects a compressed body (RFC 9110, section 15.5.16). */
export function requireUncompressed({ headers }: Request): void {
  if (/^(identity)?$/i.test(headers.get('content-encoding') ?? '')) return;
  throw httpError(415, 'invalid_params', 'Content-Encoding is not supported. Send the body uncompressed.', {
    headers: { 'accept-encoding': 'identity' },
  });
}

const asHttpError = <T>(reading: Promise<T>): Promise<T> =>
  reading.catch((error: unknown) => {
    if (!(error instanceof BodyError)) throw error;
    throw httpError(error.status, error.status === 413 ? 'too_large' : 'invalid_params', error.message);
  });

/** The bytes of a JSON body with limited size, depth and number of values, or its value if it is parsed elsewhere. */
export const readBoundedJson = (request: Request, reading: Reading): Promise<BoundedJson> =>
  asHttpError(readBounded(request, reading));

/** A body that is still to be parsed, or a long one that has been. */
export type BoundedJson = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly parsed: unknown };

async function readBounded(request: Request, reading: Reading): Promise<BoundedJson> {
  const bytes = await readBytes(request, reading);
  if (bytes.length >= maxInlineBytes) return { parsed: await parseInWorker(bytes, reading.tenant ?? '') };
  if (countValues(bytes) > fewValues) await ownTurn();
  return { bytes };
}

/** Longer bodies are parsed on another thread. */
const maxInlineBytes = 2 ** 20;
/** Bodies of this size are processed one after another. */
const largeBytes = 2 ** 16;

/** Parsing this many values takes about a millisecond. */
const fewValues = 500;

let lastTurn: Promise<unknown> = Promise.resolve();

/** Waits for a separate turn of the event loop so that many large bodies do not block other requests. */
function ownTurn(): Promise<unknown> {
  lastTurn = lastTurn.then(() => setImmediate());
  return lastTurn;
}

async function readBytes(
  request: Request,
  { maxBytes, reserve = () => {}, takeTurn = async () => {} }: Reading,
): Promise<Uint8Array<ArrayBuffer>> {
  const contentLength = Number(request.headers.get('content-length') ?? Number.NaN);
  if (contentLength > maxBytes) throw tooLargeError(maxBytes);
  // If the length is declared, all memory is reserved in advance so that the body can be read in one go.
  reserve(contentLength >= 0 ? contentLength : 0);
  if (contentLength >= largeBytes) await takeTurn(contentLength);
  if (contentLength >= 0) return checkSize(new Uint8Array(await rejectTruncated(request.arrayBuffer())), maxBytes);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined = request.body?.getReader();
  while (reader) {
    const { done, value } = await rejectTruncated(reader.read());
    if (done) break;
    size += value.byteLength;
    if (size > maxBytes) {
      reader.cancel().catch(() => {});
      throw tooLargeError(maxBytes);
    }
    reserve(value.byteLength);
    chunks.push(value);
  }
  if (size >= largeBytes) await takeTurn(size);
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

function checkSize<T extends Uint8Array>(bytes: T, maxBytes: number): T {
  if (bytes.byteLength > maxBytes) throw tooLargeError(maxBytes);
  return bytes;
}

const rejectTruncated = <T>(reading: Promise<T>): Promise<T> =>
  reading.catch(() => {
    throw httpError(400, 'invalid_params', 'Request body was truncated.');
  });

const tooLargeError = (maxBytes: number) =>
  httpError(413, 'too_large', `The body exceeds this service’s limit of ${maxBytes} bytes.`, {
    // The rest of the body is not read, so the connection cannot be reused.
    headers: { connection: 'close' },
  });
