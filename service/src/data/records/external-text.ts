import { createHash } from 'node:crypto';
import type { StoredRecord } from './entity.js';
import { type Column, canonicalText, escapeText, referenceMark, unescapeText } from './schema.js';
import { lengthOf } from './words/edits.js';

/** A reference to a text stored as an object, in records whose texts are not loaded yet. */
export class ExternalText {
  /** SHA-256 of the stored text, in hex. */
  readonly digest: string;
  /** In code points. */
  readonly length: number;
  /** Beginning of the text. */
  readonly head: string;
  /** Set if the text cannot be read: `missing` or `damaged`. */
  readonly problem: string | undefined;

  constructor(digest: string, length: number, head: string, problem?: string) {
    this.digest = digest;
    this.length = length;
    this.head = head;
    this.problem = problem;
  }

  /** Shown if the service has no object store. */
  toJSON(): string {
    return notConfigured;
  }
}

/** Replaces a text if the service was started without the object store that contains it. */
export const notConfigured = '[unavailable: this text is in an object store that the service is not configured to use]';

/** Whether any of a record's texts are not loaded. */
export const isIncomplete = (record: StoredRecord): boolean =>
  Object.values(record).some((value) => value instanceof ExternalText);

/** Length of the prefix that a row keeps for sorting, in code units. */
const headLength = 256;
/** No reference is longer, in bytes of UTF-8: its head, its digest and the length of its text. */
export const maxReferenceBytes = 3 * headLength + 100;

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The reference that a row contains instead of the text. */
export function referenceTo(text: string): string {
  // Do not split a surrogate pair or an escape sequence.
  const last = text.charCodeAt(headLength - 1);
  const head = text.slice(0, (last & 0xfc00) === 0xd800 || last === 1 ? headLength - 1 : headLength);
  return `${head}${referenceMark}${digestOf(text)}:${lengthOf(text)}`;
}

/** Parses a reference; undefined for any other text. */
export function parseReference(stored: string): ExternalText | undefined {
  const at = stored.indexOf(referenceMark);
  const [, digest, length] = (at >= 0 && /^([0-9a-f]{64}):(\d+)$/.exec(stored.slice(at + referenceMark.length))) || [];
  return digest === undefined ? undefined : new ExternalText(digest, Number(length), unescapeText(stored.slice(0, at)));
}

/** Beginning of the text that a reference refers to. */
export const headOf = (reference: string): string => parseReference(reference)?.head ?? '';

/** Restores a text from a row, or an `ExternalText` from a reference. */
export const restoreText = (stored: string): unknown => parseReference(stored) ?? unescapeText(stored);

/** The text to store as an object for a value; undefined if the value is stored in the row. */
export function externalValue({ maxInline, kind }: Column, value: unknown): string | undefined {
  if (maxInline === undefined) return undefined;
  const isText = kind === 'string' && typeof value === 'string';
  if (isText) return value.length > maxInline ? escapeText(value) : undefined;
  const text = Array.isArray(value) ? canonicalText(value) : '';
  return text.length > maxInline ? text : undefined;
}

/** The text to store as an object when it is split into passages. */
export const externalBody = ({ maxInline }: Column, text: string): string | undefined =>
  maxInline !== undefined && text.length > maxInline ? text : undefined;

/** Approximate length, in code points, of the texts referenced in the JSON of records. */
export function externalLength(json: string): number {
  return [...json.matchAll(/\\u0001\\u0004[0-9a-f]{64}:(\d+)/g)].reduce((sum, [, length]) => sum + Number(length), 0);
}

/** Digests in references. */
export const digestsIn = (references: readonly string[]): Set<string> =>
  new Set(references.flatMap((reference) => parseReference(reference)?.digest ?? []));
