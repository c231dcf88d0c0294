import { createHash } from 'node:crypto';
import type { StoredRecord } from './entity.js';
import { type Column, canonicalText, escapeText, referenceMark, unescapeText } from './schema.js';
import { lengthOf } from './words.js';

/** A text in the object store, as records are read before it has been put back. */
export class ExternalText {
  /** The key of its object: SHA-256 of the text as it is stored, in hex. */
  readonly digest: string;
  /** In code points. */
  readonly length: number;
  /** How it begins. */
  readonly head: string;
  /** Why it cannot be read, where its object is missing or damaged. */
  readonly problem: string | undefined;

  constructor(digest: string, length: number, head: string, problem?: string) {
    this.digest = digest;
    this.length = length;
    this.head = head;
    this.problem = problem;
  }

  /** What is said in its place where the service has no object store. */
  toJSON(): string {
    return notConfigured;
  }
}

/** Says in place of a text that the service has no object store, although it had one. */
export const notConfigured = '[unavailable: this text is in an object store that the service is not configured with]';

/** Whether a text of a record has not been put back. */
export const isIncomplete = (record: StoredRecord): boolean =>
  Object.values(record).some((value) => value instanceof ExternalText);

/** Code units at the beginning of a text that stay in its row: sorting compares these. */
const headLength = 256;

export const digestOf = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');

/** What a row has in place of a text in the object store. */
export function referenceTo(text: string): string {
  // Neither half a surrogate pair nor half of what a character is escaped by.
  const last = text.charCodeAt(headLength - 1);
  const head = text.slice(0, (last & 0xfc00) === 0xd800 || last === 1 ? headLength - 1 : headLength);
  return `${head}${referenceMark}${digestOf(text)}:${lengthOf(text)}`;
}

/** Reads what `referenceTo` wrote; nothing for any other text. */
export function parseReference(stored: string): ExternalText | undefined {
  const at = stored.indexOf(referenceMark);
  const [, digest, length] = (at >= 0 && /^([0-9a-f]{64}):(\d+)$/.exec(stored.slice(at + referenceMark.length))) || [];
  return digest === undefined ? undefined : new ExternalText(digest, Number(length), unescapeText(stored.slice(0, at)));
}

/** How a text begins that a reference names. */
export const headOf = (reference: string): string => parseReference(reference)?.head ?? '';

/** A text out of a row: an `ExternalText` where the row has a reference. */
export const restoreText = (stored: string): unknown => parseReference(stored) ?? unescapeText(stored);

/** The text of a value that belongs into the object store, as it is stored there; nothing where the row keeps the value. */
export function externalValue({ maxInline, kind }: Column, value: unknown): string | undefined {
  if (maxInline === undefined) return undefined;
  const isText = kind === 'string' && typeof value === 'string';
  if (isText) return value.length > maxInline ? escapeText(value) : undefined;
  const text = Array.isArray(value) ? canonicalText(value) : '';
  return text.length > maxInline ? text : undefined;
}

/** The same of the text that passages are cut from. */
export const externalBody = ({ maxInline }: Column, text: string): string | undefined =>
  maxInline !== undefined && text.length > maxInline ? text : undefined;

/** Code points that the texts named in the JSON of records have, about. */
export function externalLength(json: string): number {
  return [...json.matchAll(/\\u0001\\u0004[0-9a-f]{64}:(\d+)/g)].reduce((sum, [, length]) => sum + Number(length), 0);
}

/** Digests of the texts that rows name, out of their references. */
export const digestsIn = (references: readonly string[]): Set<string> =>
  new Set(references.flatMap((reference) => parseReference(reference)?.digest ?? []));
